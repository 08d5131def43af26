"""The search space of one expression: which values of Table 1's parameters are worth trying on a CPU, as data.

| parameter      | values                                         | of Table 1                           |
|----------------|------------------------------------------------|--------------------------------------|
| `tile`         | lane dimension and register tile, best first   | #PRT on SIMD, REG, L1; layouts (D4)  |
| `unroll_<dim>` | steps of the innermost reduction in a tile     | #PRT on L1                           |
| `block_<dim>`  | "model", 0 (no block), or a size               | #PRT on MM and L3, D1                |
| `copies`       | "model", "all", "first", "second", "none"      | D3, D4                               |
| `order`        | "model", or the nesting of the results' loops  | D1                                   |
| `reduction`    | "model", or the nesting of the reductions      | D1                                   |
| `cores`        | "model", "none", a dimension, or "<dim> inside" | D1, D2                              |
| `parts`        | "model", 0, or −n: n for each core             | #PRT on COR                          |
| `results`      | "REG", or "MM": non-temporal stores            | S5                                   |
| `inputs`       | "MM": prefetched, or "REG"                     | S3                                   |
| `waiting`      | "model", or where results wait: see `_WAITING` | R3, R4                               |
| `padding`      | 0, or cache lines between the rows of copies   | D4                                   |
| `accumulators` | "model", "none", "all": split for which steps  | R1                                   |

"model" stands for what the analytic model does with the other values. Values are checked together, by `violation`:
what is not legal is an answer, not an error.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field, replace
from itertools import permutations, product
from math import prod
from typing import Protocol

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.blocks import takes_blocks
from jitmdh.mdh.lowering.configuration.constraints import WAITING, violation
from jitmdh.mdh.lowering.configuration.counting import FIELDS, Count, Counter, No, told
from jitmdh.mdh.lowering.configuration.lower import split_accumulator_dims, unrolled_order
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, assigned, fused
from jitmdh.mdh.lowering.model.analytic_model import configured, with_cores
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile, priced, tiles
from jitmdh.mdh.lowering.model.whole_cost import comparable, whole_cost
from jitmdh.mdh.lowering.problem.nontemporal import no_nontemporal_stores
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.layout import PADDING, Layout
from jitmdh.mdh.machine.model import Machine

Value = int | str

MODEL = "model"
_MOST_LOOKS = 8192
_MOST_TILES = 48
_TILES_PER_LANE = 6
_MOST_UNROLLED = 192
_SHORTEST_BLOCKED = 32
_BLOCKS = (16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096)
_OUTER = ("MM", "L3", "L2")
_LINE_BYTES = 64
_ONE_COPY = ("first", "second")
# Results of what wait until it is done: of a core's part, of a block, of a register tile; the latter two also with the
# dimension in front that is not that of the lanes, so that they are transposed on their way to memory.
_WAITING = ("core", "block", "block transposed", "tile transposed")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A tuning parameter and its values; model: the one that stands for the model's choice.

    ordered: whether values that stand side by side are alike. costs: cycles that the model expects with each value;
    empty: it expects nothing. said: a schedule leaves it open by name.
    """

    name: str
    values: tuple[Value, ...]
    model: Value
    ordered: bool = False
    costs: tuple[float, ...] = ()
    said: bool = False


@dataclass(frozen=True, slots=True)
class Illegal:
    """Why values of parameters are no configuration."""

    reason: str


class Overlay(Protocol):
    """What a schedule has decided, laid over configurations of the space."""

    def laid(self, base: Configuration, values: Mapping[str, Value], plainly: bool = False) -> Configuration | str:
        """`base` with what is decided, where open values are `values`; why that is no configuration.

        plainly: nothing of `base` gives way to it."""
        ...


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters of one expression, and what their values mean.

    chosen: the model's configuration, under the schedule if there is one. fixed: the order of combination must stay
    that of `chosen`. over: the schedule. own: the model's configuration without the schedule, and blocked: as of
    `configured`, what it is made with; values that change neither the tile nor copies keep all of it.
    """

    problem: Problem
    machine: Machine
    tiles: Mapping[str, RegisterTile]
    parameters: tuple[Parameter, ...]
    chosen: Configuration
    fixed: bool = False
    over: Overlay | None = None
    own: Configuration | None = None
    blocked: bool | None = None
    _made: dict[tuple[str, bool | None], Configuration] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @property
    def size(self) -> int:
        """How many configurations there are: exact where that takes at most 8,192 looks at one, else how many
        combinations of values, legal or not; `count` says more."""
        return self.count().most if self.size_is_exact else self._combinations

    @property
    def size_is_exact(self) -> bool:
        """Whether `size` counts configurations, legal ones, each once; else it is an upper bound."""
        return self._counter().looks <= _MOST_LOOKS

    def count(self, seconds: float | None = None) -> Count:
        """How many legal configurations there are, each counted once; bounds of that, if it is not known after
        `seconds`. Some 0.2 milliseconds for each look at one; parameters that are independent are multiplied."""
        return self._counter().count(seconds)

    def _counter(self) -> Counter:
        values = {p.name: p.values for p in self.parameters}
        alone = [name for name in FIELDS if name in values and (name != "waiting" or len(self.problem.groups) < 2)]
        return Counter(values, self.model, alone, self._plainly, self._finally)

    @property
    def _combinations(self) -> int:
        return prod(len(p.values) for p in self.parameters)

    def members(self) -> dict[Configuration, dict[str, Value]]:
        """All legal configurations, the model's first, each with values that stand for it."""
        found, known = {self.chosen: self.model}, {_said(self.chosen)}
        for values in product(*(p.values for p in self.parameters)):
            point = dict(zip((p.name for p in self.parameters), values))
            made = self.configuration(point)
            if isinstance(made, Configuration) and _said(made) not in known:
                known.add(_said(made))
                found[made] = point
        return found

    @property
    def model(self) -> dict[str, Value]:
        """The values that give the model's own configuration."""
        return {parameter.name: parameter.model for parameter in self.parameters}

    def configuration(self, values: Mapping[str, Value]) -> Configuration | Illegal:
        """The configuration that `values`, one for each parameter, stand for; Illegal if there is none."""
        if values == self.model:
            return self.chosen
        draft = self._drafted(values)
        return draft if isinstance(draft, Illegal) else self._checked(draft, values)

    def _drafted(self, values: Mapping[str, Value]) -> Configuration | Illegal:
        """What values say where no schedule is, looked at by no constraint yet."""
        tile = self._tile(values)
        draft = _SpaceDraft(self.problem, self._base(values, tile))
        reason = _apply(draft, values, self.tiles[tile])
        return draft.configuration() if reason is None else Illegal(reason)

    def _tile(self, values: Mapping[str, Value]) -> str:
        return str(values.get("tile", next(iter(self.tiles))))

    def _checked(
        self, found: Configuration, values: Mapping[str, Value], plainly: bool = False
    ) -> Configuration | Illegal:
        """`found` under the schedule, if it is legal. plainly: nothing gives way."""
        p = self.problem
        if self.over is not None:
            laid = self.over.laid(found, values, plainly)
            if isinstance(laid, str):
                return Illegal(laid)
            found = laid
        lane = self.tiles[self._tile(values)].lane
        if found.scalar_output_region == "MM" and (why := no_nontemporal_stores(p, self.machine, lane)):
            return Illegal(f"non-temporal results: {why}")
        if self.fixed and _combination(p, found) != _combination(p, self.chosen):
            return Illegal("the order of combination would change")
        reason = violation(p, self.machine, found)
        return found if reason is None else Illegal(reason)

    def _plainly(self, values: Mapping[str, Value]) -> Configuration | No:
        draft = self._drafted(values)
        if isinstance(draft, Illegal):
            return No.NEVER
        made = self._checked(draft, values, plainly=True)
        if isinstance(made, Configuration):
            return made
        return No.REFUSED if self.over is None else No.GIVES_WAY

    def _finally(self, values: Mapping[str, Value]) -> Configuration | No:
        made = self.configuration(values)
        return made if isinstance(made, Configuration) else No.NEVER

    def _base(self, values: Mapping[str, Value], tile: str) -> Configuration:
        """What values are applied to: the model's configuration of a tile, with these copies."""
        copies, own = values.get("copies", MODEL), self.own
        same = own is not None and _has_tile(self.problem, self.tiles[tile], own)
        if own is not None and same and (copies == MODEL or (copies in _ONE_COPY and len(own.input_region) == 2)):
            return own
        base = self._configured(tile, self.blocked if copies not in ("all", "none") else copies == "all")
        if copies in _ONE_COPY and len(base.input_region) < 2:
            base = self._configured(tile, True)
        waits = own is not None and own.output_region == WAITING
        return replace(base, output_region=WAITING) if waits else base

    def _configured(self, tile: str, blocked: bool | None) -> Configuration:
        if (tile, blocked) not in self._made:
            made = configured(self.problem, self.machine, self.tiles[tile], blocked)
            self._made[tile, blocked] = made.configuration
        return self._made[tile, blocked]

    @property
    def compares(self) -> bool:
        """Whether the model compares whole configurations of this computation."""
        return comparable(self.problem)

    def expected(self, values: Mapping[str, Value]) -> float | None:
        """Cycles that the model expects of what `values` stand for, to be compared with those of others.

        None where they stand for nothing, or the model does not compare whole configurations of this computation.
        """
        made = self.configuration(values) if self.compares else None
        if not isinstance(made, Configuration) or takes_blocks(made):
            return None
        tile = next((t for t in self.tiles.values() if _has_tile(self.problem, t, made)), None)
        tile = tile or _priced(self.problem, self.machine, made)
        return whole_cost(self.problem, self.machine, tile, fused(assigned(made)), parts=True)


def space(p: Problem, machine: Machine, fixed: bool = False) -> Space:
    """What to search for an expression on a machine, the model's choice included."""
    named = _named_tiles(p, machine)
    names = tuple(named)
    chosen = with_cores(p, machine).configuration
    costs = tuple(tile.cost for tile in named.values())
    own = _tile_of(p, named, chosen)
    parameters = [Parameter("tile", names, own, ordered=True, costs=costs)]
    parameters += _tile_parameters(p, named[own])
    for dim, extent in p.extents.items():
        if extent >= _SHORTEST_BLOCKED:
            sizes = (n for n in _BLOCKS if n < extent)
            parameters.append(Parameter(f"block_{dim}", (MODEL, 0, *sizes), MODEL, ordered=True))
    if any(configured(p, machine, tile, True).configuration.input_region for tile in (*named.values(),)[:8]):
        parameters.append(Parameter("copies", (MODEL, "all", "first", "second", "none"), MODEL))
        parameters.append(Parameter("padding", (0, 1), 0, ordered=True))
    for name, dims in (("order", p.remaining), ("reduction", p.collapsed)):
        orders = _orders([d for d in dims if p.extents[d] > 1])
        if orders:
            parameters.append(Parameter(name, (MODEL, *orders), MODEL))
    parameters += _core_parameters(p)
    if not no_nontemporal_stores(p, machine, named[names[0]].lane):
        parameters.append(Parameter("results", ("MM", "REG"), chosen.scalar_output_region))
    if chosen.scalar_input_region:
        parameters.append(Parameter("inputs", ("MM", "REG"), "MM"))
    if p.operator is not None and p.collapsed and p.remaining and not p.expression.has_prefix_sum:
        parameters.append(Parameter("waiting", (MODEL, *_WAITING[: 4 if len(p.remaining) > 1 else 2]), MODEL))
    blocked = _blocked(p, machine, named[own], chosen)
    return Space(p, machine, named, tuple(parameters), chosen, fixed, own=chosen, blocked=blocked)


def _named_tiles(p: Problem, machine: Machine) -> dict[str, RegisterTile]:
    """The cheapest tiles, and some of each lane dimension, by what is written in reports; cheapest first."""
    found: dict[str, RegisterTile] = {}
    by_lane: dict[str | None, int] = {}
    for tile in sorted(tiles(p, machine), key=lambda t: t.cost):
        by_lane[tile.lane] = by_lane.get(tile.lane, 0) + 1
        if len(found) < _MOST_TILES or by_lane[tile.lane] <= _TILES_PER_LANE:
            sizes = " ".join(f"{d}:{tile.size(d)}" for d in p.extents if tile.size(d) > 1)
            found.setdefault(f"{sizes or 'one point'}, lanes {tile.lane or 'none'}", tile)
    return found


def _tile_of(p: Problem, named: Mapping[str, RegisterTile], c: Configuration) -> str:
    """The name of a configuration's tile; that of the cheapest, if it is none of these."""
    return next((name for name, tile in named.items() if _has_tile(p, tile, c)), next(iter(named)))


def _has_tile(p: Problem, tile: RegisterTile, c: Configuration) -> bool:
    """Whether a register tile is that of a configuration, which may have further steps of a reduction."""
    if any((c.size("REG", d) or 1) != (tile.lanes if d == tile.lane else 1) for d in p.extents):
        return False
    sizes = {d: c.size("L1", d) or 1 for d in p.extents}
    return all(tile.size(d) == n or (tile.size(d) == 1 and d in p.inner) for d, n in sizes.items())


def _priced(p: Problem, machine: Machine, c: Configuration) -> RegisterTile:
    """The tile of a configuration, which a schedule may have made unlike all others."""
    wide = {d: c.size("REG", d) or 1 for d in p.extents}
    counts = {d: n for d in p.extents if (n := (c.size("L1", d) or 1) // wide[d]) > 1}
    lane = next((d for d, n in wide.items() if n > 1), None)
    return priced(p, machine, lane, wide[lane] if lane else 1, counts)


def _blocked(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> bool | None:
    """With which blocks and copies a tile is this configuration: whatever else changes, these stay."""
    return next((b for b in (None, True, False) if configured(p, machine, tile, b).configuration == c), None)


def _tile_parameters(p: Problem, tile: RegisterTile) -> list[Parameter]:
    """Unrolled steps of a reduction, and accumulators of their own for them."""
    if not p.inner:
        return []
    found = []
    dim = max(p.inner, key=lambda d: p.extents[d])
    if p.extents[dim] >= 4 and dim != tile.lane and tile.counts.get(dim, 1) == 1:
        steps = tuple(n for n in (1, 2, 4, 8) if n <= p.extents[dim])
        found.append(Parameter(f"unroll_{dim}", steps, 1, ordered=True))
    return [*found, Parameter("accumulators", (MODEL, "none", "all"), MODEL)]


def _orders(dims: list[str]) -> list[str]:
    """Nestings worth trying: all of up to three loops, else those with one loop moved to another place."""
    if len(dims) < 2:
        return []
    if len(dims) <= 3:
        return [" ".join(order) for order in permutations(dims)]
    found = []
    for source, target in product(range(len(dims)), repeat=2):
        rest = [d for d in dims if d != dims[source]]
        found.append(" ".join([*rest[:target], dims[source], *rest[target:]]))
    return list(dict.fromkeys(found))


def _core_parameters(p: Problem) -> list[Parameter]:
    if p.threads < 2:
        return []
    rows = [d for d in p.remaining if p.extents[d] >= 2]
    sums = [d for d in p.collapsed if p.extents[d] >= 2] if p.shared_reductions and p.operator is not None else []
    values = (MODEL, "none", *rows, *(f"{d} inside" for d in rows), *sums)
    parts = (MODEL, 0, -2, -4, -8, -16, -64)
    return [Parameter("cores", values, MODEL), Parameter("parts", parts, MODEL, ordered=True)]


# ------------------------------------------------------------------------------------------------ from values


class _SpaceDraft:
    """A configuration while it is being changed."""

    def __init__(self, p: Problem, c: Configuration) -> None:
        self.p, self.base = p, c
        self.order = list(c.decomposition_order)
        self.sizes = dict(c.part_size)
        self.copies = list(c.input_region)
        self.split_accumulators = split_accumulator_dims(c)
        self.region = c.scalar_output_region
        self.padding = 0
        self.waiting: tuple[Level, str, Layout] | None = None

    def remove(self, level: Level) -> None:
        """Without a loop; copies made when its parts began are made one loop further out."""
        place = self.order.index(level)
        outer = self.order[place - 1] if place else Level("MM", "")
        self.copies = [(n, outer if at == level else at, region) for n, at, region in self.copies]
        self.order.remove(level)
        self.sizes.pop(level, None)

    def configuration(self) -> Configuration:
        order = tuple(self.order)
        kept = {number for number, _, _ in self.copies}
        return replace(
            self.base,
            part_size=tuple(self.sizes.items()),
            decomposition_order=order,
            scalar_order=(*order, *self._points()),
            recomposition_order=(*(Level("REG", d) for d in self.split_accumulators), *order),
            input_region=tuple(self.copies),
            input_layout=tuple((n, self._padded(n, layout)) for n, layout in self.base.input_layout if n in kept),
            scalar_output_region=self.region,
            output_region=(self.waiting[:2],) if self.waiting else self.base.output_region,
            output_layout=((self.waiting[0], self.waiting[2]),) if self.waiting and self.waiting[2] else (),
        )

    def _points(self) -> tuple[Level, ...]:
        """The model's order of unrolled points; slowest are those of dimensions that it does not unroll."""
        unrolled = [d for d in self.p.extents if self.sizes.get(Level("L1", d), 1) > self.sizes.get(Level("REG", d), 1)]
        known = unrolled_order(self.base)
        names = [*(d for d in unrolled if d not in known), *(d for d in known if d in unrolled)] if known else []
        return tuple(Level("REG", d) for d in names)

    def _padded(self, number: int, layout: Layout) -> Layout:
        """`layout` with cache lines left free between the parts of its slowest digit."""
        if not self.padding or len(layout) < 2:
            return layout
        buffer = self.p.expression.buffer(self.p.expression.inp_view[number].buffer)
        free = self.padding * _LINE_BYTES // max(1, buffer.type.size_bytes)
        return (layout[0], (PADDING, max(1, free)), *layout[1:])


def _apply(draft: _SpaceDraft, values: Mapping[str, Value], tile: RegisterTile) -> str | None:
    """Changes `draft` as the values say; the reason if that cannot be."""
    p = draft.p
    for dim in p.extents:
        reason = _unroll(draft, dim, values.get(f"unroll_{dim}", 1), tile)
        reason = reason or _block(draft, dim, values.get(f"block_{dim}", MODEL))
        if reason is not None:
            return reason
    which = values.get("copies", MODEL)
    if which in _ONE_COPY:
        if len(draft.copies) < 2:
            return "there are no two copies to choose from"
        draft.copies = [draft.copies[0 if which == "first" else 1]]
    elif which == "none":
        draft.copies = []
    for name in ("order", "reduction"):
        _nest(draft, str(values.get(name, MODEL)))
    reason = _cores(draft, str(values.get("cores", MODEL)), values.get("parts", MODEL))
    accumulators = values.get("accumulators", MODEL)
    if accumulators != MODEL:
        split = (d for d in p.inner if draft.sizes.get(Level("L1", d), 1) > draft.sizes.get(Level("REG", d), 1))
        draft.split_accumulators = tuple(split) if accumulators == "all" else ()
    if "results" in values:
        draft.region = str(values["results"])
    if values.get("inputs") == "REG":
        draft.base = replace(draft.base, scalar_input_region=())
    draft.padding = int(values.get("padding", 0))
    return reason or _waits(draft, str(values.get("waiting", MODEL)), tile)


def _waits(draft: _SpaceDraft, what: str, tile: RegisterTile) -> str | None:
    """Where results wait, and how they lie there."""
    if what == MODEL:
        return None
    p, (which, _, transposed) = draft.p, what.partition(" ")
    inside = next((n for n, l in enumerate(draft.order) if l.layer == "L1" and l.dim in p.collapsed), len(draft.order))
    layers = {"core": ("COR",), "block": _OUTER, "tile": ("L1",)}[which]
    levels = [level for level in draft.order[:inside] if level.layer in layers]
    if not levels:
        return f"there is no {which} whose results could wait"
    layout: Layout = ()
    if transposed:
        lane = tile.lane if tile.lane in p.remaining else p.remaining[-1]
        rest = [d for d in p.remaining if d != lane]
        layout = tuple((p.remaining.index(d), 1) for d in (lane, *rest))
    draft.waiting = (levels[-1], "L1" if which == "tile" else "L2", layout)
    return None


def _unroll(draft: _SpaceDraft, dim: str, steps: Value, tile: RegisterTile) -> str | None:
    if not isinstance(steps, int) or steps == 1:
        return None
    if tile.size(dim) > 1:
        return f"{dim} is unrolled by the tile"
    if prod(tile.counts.values()) * steps > _MOST_UNROLLED:
        return f"more than {_MOST_UNROLLED} steps would be unrolled"
    draft.sizes[Level("L1", dim)] = steps
    return None


def _block(draft: _SpaceDraft, dim: str, size: Value) -> str | None:
    inner = draft.sizes.get(Level("L1", dim), 1)
    levels = [level for level in draft.order if level.dim == dim and level.layer in _OUTER]
    for level in levels:
        wanted = draft.sizes[level] if size == MODEL else int(size)
        if wanted == 0:
            draft.remove(level)
        else:
            draft.sizes[level] = -(-wanted // inner) * inner
    if levels or size == MODEL or size == 0:
        return None
    rounded = -(-int(size) // inner) * inner
    if rounded >= draft.p.extents[dim]:
        return f"blocks of {rounded} are all of {dim}"
    outer = [n for n, level in enumerate(draft.order) if level.layer != "L1"]
    place = outer[-1] + 1 if outer else 0
    if Level("L1", dim) in draft.order[:place]:
        return f"the loop over {dim} is outside all blocks"
    draft.order.insert(place, Level("L3", dim))
    draft.sizes[Level("L3", dim)] = rounded
    return None


def _nest(draft: _SpaceDraft, nesting: str) -> None:
    """The L1 loops over some dimensions in another order, in the places that they have."""
    if nesting == MODEL:
        return
    wanted = [Level("L1", d) for d in nesting.split() if Level("L1", d) in draft.order]
    places = [n for n, level in enumerate(draft.order) if level in wanted]
    for place, level in zip(places, wanted):
        draft.order[place] = level


def _cores(draft: _SpaceDraft, which: str, parts: Value) -> str | None:
    if which != MODEL:
        for level in [level for level in draft.order if level.layer == "COR"]:
            draft.remove(level)
        dim, _, inside = which.partition(" ")
        if inside:
            place = next((n for n, level in enumerate(draft.order) if level.layer == "L3" and n), 0)
            if not place:
                return f"there is no block that cores could share {dim} inside of"
            draft.order.insert(place, Level("COR", dim))
        elif dim != "none":
            draft.order.insert(0, Level("COR", dim))
    shared = [level for level in draft.order if level.layer == "COR"]
    if parts != MODEL:
        if not shared:
            return "parts for each core of what no cores share"
        draft.sizes.pop(shared[0], None)
        draft.sizes |= {shared[0]: int(parts)} if parts else {}  # 0, as the model leaves it out: even parts
    return None


def _said(c: Configuration) -> Hashable:
    return tuple(told(c).values())


def _combination(p: Problem, c: Configuration) -> object:
    """All of a configuration that has a say in the order in which results are combined."""
    loops = [(level, c.size(level.layer, level.dim)) for level in c.decomposition_order if level.dim in p.collapsed]
    tile = [(level, n) for level, n in c.part_size if level.dim in p.collapsed and level.layer in ("L1", "REG")]
    return loops, sorted(tile, key=str), split_accumulator_dims(c)
