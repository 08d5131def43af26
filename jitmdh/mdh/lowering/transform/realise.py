"""From decisions to a configuration: what is decided is laid over what the model, or a tuner, chose for the rest.

Layers are found, not named. Innermost is the register tile (L1, with lanes in REG); strips take L2, L3 and MM from the
inside outwards, and the layer of cores where cores take them. Where a loop that reduces stands outside of a loop over
results, its accumulators cannot stay in registers: then that loop is one of L2, and results are combined in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import split_accumulator_dims, unrolled_order
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, loops_of, without_cores
from jitmdh.mdh.lowering.model.lanes import widest
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile
from jitmdh.mdh.lowering.model.whole_cost import TILES, best_whole, comparable
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, PAGE_BYTES
from jitmdh.mdh.lowering.problem.reuse import rows_in_one_set
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowering.transform.computation import Facts
from jitmdh.mdh.lowering.transform.decisions import EVEN, Decisions, Loop, entry
from jitmdh.mdh.lowlevel.layout import Layout

_OUTER = ("L2", "L3", "MM")
# Steps of a reduction outside of a loop over results, which are combined in registers; measured with TeML's scripts.
_STEPS = 16
_COMPARED = 24  # of the cheapest register tiles, where another cost than theirs decides
# Sums side by side that hide the time of an addition.
_RESULTS = 8
# From runs as long as these on, non-temporal stores are as fast as plain ones (doubles, tiles of 32 rows).
_LEAST_RUN_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Illegal:
    """Why decisions are no configuration."""

    reason: str


def realised(
    d: Decisions, facts: Facts, base: Configuration | None = None, plainly: bool = False
) -> Configuration | Illegal:
    """The configuration that decisions stand for. base: what is chosen where nothing is decided; None: by the model.

    plainly: Illegal where something of it, which nobody has asked for, would have to give way."""
    p, machine = facts.problem, facts.machine
    if not _decides(d):
        return facts.chosen if base is None else base
    if base is None:
        tile = compatible(d, facts) or _own_tile(d, facts)
        base = facts.configured(tile)
    found = _RealisedDraft(d, p, machine.vector_bits // widest(p), base).configuration()
    reason = violation(p, machine, found)
    if reason is None:
        return found
    for simpler in () if plainly else _retreats(d, found):
        if violation(p, machine, simpler) is None:
            return simpler
    return Illegal(reason)


def placed(d: Decisions, facts: Facts) -> dict[Loop, Level]:
    """On which layer each loop of decisions comes to lie."""
    tile = compatible(d, facts) or _own_tile(d, facts)
    full = facts.machine.vector_bits // widest(facts.problem)
    return _RealisedDraft(d, facts.problem, full, facts.configured(tile)).place


def compatible(d: Decisions, facts: Facts) -> RegisterTile | None:
    """The cheapest register tile that agrees with what is decided on lanes, unrolled steps and strips.

    If a reduction is outside of a loop over results, a tile reads rows of several of its steps. If more of these rows
    share one set of the L1 cache than it has ways, their lines are evicted before the next tile reads the rest of them.
    Then wide tiles are better.
    """
    p, tiles = facts.problem, facts.tiles
    found = _cheapest_whole(d, facts)
    pushed = {loop.dim for loop in d.order if _is_pushed(d, loop, p)}
    if not pushed or found is None or found.lane is None:
        return found
    lane, lanes, packed = found.lane, found.lanes, {pack.array for pack in d.packs}
    ways = facts.machine.capacity_bytes("L1") // PAGE_BYTES
    steps = dict.fromkeys(p.extents, 1) | dict.fromkeys(pushed, _STEPS)
    rows = (a for a in p.expression.inp_view if a.buffer not in packed and p.lane_kind(a, lane) == "contiguous")
    if all(rows_in_one_set(p, access, steps) <= ways for access in rows):
        return found
    same = tiles.cheapest(_COMPARED, lambda tile: (tile.lane, tile.lanes) == (lane, lanes) and agrees(d, tile))
    return min(same, key=lambda tile: tile.cost * (1 + LINE_BYTES / (tile.size(lane) * widest(p) // 8)))


def _cheapest_whole(d: Decisions, facts: Facts) -> RegisterTile | None:
    """The cheapest tile that agrees; where others have lanes along another dimension, that with which the whole takes
    least, as decided."""
    p, machine = facts.problem, facts.machine
    found = facts.tiles.cheapest(TILES if d.lanes is None and comparable(p) else 1, lambda tile: agrees(d, tile))
    first: dict[str | None, RegisterTile] = {}
    for tile in found:
        first.setdefault(tile.lane, tile)
    if len(first) < 2:
        return next(iter(found), None)

    def made(tile: RegisterTile, _: bool | None) -> Configuration:
        return _RealisedDraft(d, p, machine.vector_bits // widest(p), facts.configured(tile)).configuration()

    return best_whole(p, machine, [*first.values()], made, ways=False)[0]


def _is_pushed(d: Decisions, loop: Loop, p: Problem) -> bool:
    """Whether the loop over points of a reduction stands outside of a loop over results, or of a parallel one."""
    parallel, inside = dict(d.cores or ()), d.order[d.order.index(loop) + 1 :]
    within = any(other.dim in p.remaining or other in parallel for other in inside)
    return not loop.size and loop.dim in p.collapsed and within


def agrees(d: Decisions, tile: RegisterTile) -> bool:
    """Whether a register tile is what is decided, as far as that is."""
    if d.lanes is not None:
        dim, lanes = d.lanes
        if (lanes == 1) != (tile.lane is None) or (lanes != 1 and tile.lane != dim) or lanes not in (0, 1, tile.lanes):
            return False
    for dim, count in d.unrolled:
        if count and count != tile.counts.get(dim, 1):
            return False
    return all(sizes[-1] % tile.size(dim) == 0 for dim, sizes in d.strips)


def _parts_of(size: int, n: int) -> bool:
    """Whether parts of `size` have several of n, and nothing else."""
    return n < size and size % n == 0


def _decides(d: Decisions) -> bool:
    return replace(d, fixed=frozenset(), conditions=()) != Decisions()


def _own_tile(d: Decisions, facts: Facts) -> RegisterTile:
    """A tile made of the decisions, where the model has none like it."""
    best = facts.tiles.cheapest(1)[0]
    lane, lanes = best.lane, best.lanes
    if d.lanes is not None:
        full = facts.machine.vector_bits // widest(facts.problem)
        lane, lanes = (None, 1) if d.lanes[1] == 1 else (d.lanes[0], d.lanes[1] or full)
    counts = {dim: n for dim, n in d.unrolled if n > 1}
    return RegisterTile(lane, lanes, counts, frozenset(), best.cost)


def _retreats(d: Decisions, c: Configuration) -> Iterator[Configuration]:
    """Without more and more of what nobody has asked for."""
    packed = {pack.array for pack in d.packs}
    if not d.reads:
        c = replace(c, scalar_input_region=(), scalar_input_layout=())
        yield c
    if d.writes is None:
        c = replace(c, scalar_output_region="REG", scalar_output_layout=())
        yield c
    if d.points is None:
        c = replace(c, scalar_order=loops_of(c.scalar_order))
        yield c
    if not d.split:
        c = replace(c, recomposition_order=loops_of(c.recomposition_order))
        yield c
    if d.staged is None:
        c = replace(c, output_region=(), output_layout=())
        yield c
    if not packed:
        yield replace(c, input_region=(), input_layout=())
    if d.cores is None:
        yield without_cores(c)


class _RealisedDraft:
    """A configuration while decisions are laid over it."""

    def __init__(self, d: Decisions, p: Problem, full: int, base: Configuration) -> None:
        self.d, self.p, self.full, self.base = d, p, full, base
        self.sizes: dict[Level, int] = {}
        self.assignment: list[tuple[Level, str]] = []
        self.place: dict[Loop, Level] = {}
        self._tile()
        self.order = self._loops()
        self._core_parts()

    # ------------------------------------------------------------------------------------------ the register tile

    def _tile(self) -> None:
        """Lanes and unrolled steps as decided; the model's where open, made to fit the strips around them."""
        d, base = self.d, self.base
        lanes = {dim: base.size("REG", dim) or 1 for dim in self.p.extents}
        if d.lanes is not None:
            dim, n = d.lanes
            filled = 1 << max(0, self.p.extents[dim] - 1).bit_length()  # no more lanes than there are points
            n = n or min(lanes[dim] if lanes[dim] > 1 else self.full, filled)
            lanes = {other: 1 for other in lanes} | {dim: n}
        for dim in self.p.extents:
            strips, wide, extent = d.of(dim), lanes[dim], self.p.extents[dim]
            if strips and (d.lanes is None or not d.lanes[1]):
                wide = gcd(wide, strips[-1])
            old = base.size("L1", dim) or 1
            steps = max(1, old // (base.size("REG", dim) or 1))
            decided = entry(d.unrolled, dim)
            if decided is not None:
                steps = decided or -(-(strips[-1] if strips else extent) // wide)
            elif strips:
                most = max(1, strips[-1] // wide)
                steps = max(n for n in range(1, min(steps, most) + 1) if most % n == 0)
            if steps * wide > 1:
                self.sizes[Level("L1", dim)] = steps * wide
            if wide > 1:
                self.sizes[Level("REG", dim)] = wide
        if self._torn():
            lane = next(level.dim for level in self.sizes if level.layer == "REG")
            undecided = [dim for dim in self.p.outer if dim != lane and entry(d.unrolled, dim) is None]
            self.sizes = {level: n for level, n in self.sizes.items() if level.dim not in undecided}
        self._results_beside()

    def _torn(self) -> bool:
        """Whether rows side by side would be written through the caches in short runs, as the model's are not: their
        vectors wait for both cache lines that they lie in."""
        through = self.d.writes is None and self.base.scalar_output_region == "MM" and self._written_in_short_runs()
        return through and self.p.operator is None

    def _results_beside(self) -> None:
        """Lanes over a reduction, and one result at a time: several of the innermost results, so that one sum does not
        wait for the last addition to it."""
        d, p = self.d, self.p
        lane = next((level.dim for level in self.sizes if level.layer == "REG"), None)
        if lane not in p.collapsed or any(Level("L1", dim) in self.sizes for dim in p.remaining):
            return
        innermost = [loop.dim for loop in d.order if loop.dim in p.remaining and not loop.size][-1:]
        for dim in innermost:
            if entry(d.unrolled, dim) is None and not d.of(dim) and p.extents[dim] > 1:
                self.sizes[Level("L1", dim)] = min(_RESULTS, p.extents[dim])

    # ------------------------------------------------------------------------------------------ loops

    def _loops(self) -> list[Level]:
        """All loops, outermost first, with their layers; the sizes of their parts."""
        d = self.d
        if d.order:
            order = self._layered(d.order)
            inherited = [] if d.cores is not None else [l for l in self.base.decomposition_order if l.layer == "COR"]
            new = [level for level in inherited if level not in order]
            self.sizes |= {level: n for level, n in self.base.part_size if level in new}
            return [*new, *order]
        order = list(self.base.decomposition_order)
        outer = {level: n for level, n in self.base.part_size if level.layer not in ("L1", "REG")}
        for dim, strips in d.strips:
            old = [level for level in order if level.dim == dim and level.layer not in ("COR", "L1")]
            cores = [n for n, level in enumerate(order) if level.layer == "COR"]
            at = order.index(old[0]) if old else cores[-1] + 1 if cores else 0
            order = [level for level in order if level not in old]
            depth = self.p.level(dim)
            if depth > 1:  # the loops of an inner operator are inside of all others
                at = next(n for n, level in enumerate(order) if self.p.level(level.dim) >= depth)
            new = [Level(layer, dim) for layer in self._strip_layers(dim, strips)]
            order[at:at] = new
            outer = {level: n for level, n in outer.items() if level not in old} | dict(zip(new, strips))
            self.place |= {Loop(dim, size): level for level, size in zip(new, strips)}
        self.place |= {Loop(dim): Level("L1", dim) for dim in self.p.extents}
        for level, n in outer.items():
            tile = self.sizes.get(Level("L1", level.dim), 1)
            self.sizes[level] = (
                n if n <= 0 or n % tile == 0 or Loop(level.dim, n) in self.place else -(-n // tile) * tile
            )
        return order if d.cores is None else self._parallel(order)

    def _strip_layers(self, dim: str, strips: tuple[int, ...]) -> list[str]:
        """The layers of strips, outermost first: those named, else the next ones outwards; of cores: none yet."""
        found: list[str] = []
        named, next_ = dict(self.d.layers), 0
        for size in reversed(strips):
            layer = named.get(Loop(dim, size), _OUTER[min(next_, len(_OUTER) - 1)])
            if layer in _OUTER:
                next_ = _OUTER.index(layer) + 1
            found.insert(0, layer if layer in _OUTER else "")
        return found

    def _parallel(self, order: list[Level]) -> list[Level]:
        """The decided parallel loops outside of an order that is open."""
        for level in [level for level in order if level.layer == "COR"]:
            self.sizes.pop(level, None)
            order.remove(level)
        new = []
        for loop, parts in self.d.cores or ():
            level = Level("COR", loop.dim)
            if loop.size > 0:
                order.remove(self.place[loop])
                self.sizes[level] = self.sizes.pop(self.place[loop])
            else:
                self._parts(level, parts)
            self.place[loop] = level
            new.append(level)
        return [*new, *order]

    def _layered(self, loops: tuple[Loop, ...]) -> list[Level]:
        """Decided loops on the layers of the machine."""
        found: list[Level] = []
        parallel, named = dict(self.d.cores or ()), dict(self.d.layers)
        deepest = {dim: 0 for dim in self.p.extents}  # the number of outer layers that inner loops of it have taken
        for n in reversed(range(len(loops))):
            loop = loops[n]
            taken = loop in parallel
            if loop.size == EVEN:
                level = Level("COR", loop.dim)
                found.insert(0, level)
                self._parts(level, parallel[loop])
            elif not loop.size:
                pushed = _is_pushed(self.d, loop, self.p)
                level = Level("L2" if pushed else "L1", loop.dim)
                if pushed:
                    deepest[loop.dim] = 1
                    self.sizes[level] = self._steps_at_once(loop.dim)
                found.insert(0, level)
                if taken:
                    found.insert(0, Level("COR", loop.dim))
                    self._parts(found[0], parallel[loop])
                    level = found[0]
            elif taken and loop not in self.d.assigned:
                level = Level("COR", loop.dim)
                found.insert(0, level)
                self.sizes[level] = loop.size
            else:
                layer = named[loop] if named.get(loop) in _OUTER else _OUTER[min(deepest[loop.dim], len(_OUTER) - 1)]
                deepest[loop.dim] = _OUTER.index(layer) + 1
                level = Level(layer, loop.dim)
                found.insert(0, level)
                self.sizes[level] = loop.size
                if loop in self.d.assigned:
                    self.assignment.append((level, "COR"))
            self.place[loop] = level
        return found

    def _steps_at_once(self, dim: str) -> int:
        """How many steps of a reduction are combined in registers before results in memory take them in: as unrolled,
        or so many that loads and stores of these results hardly count."""
        tile, strips = self.sizes.get(Level("L1", dim), 1), self.d.of(dim)
        if entry(self.d.unrolled, dim) is not None:
            return tile
        found = range(tile, min(_STEPS, self.p.extents[dim]) + 1, tile)
        fitting = [n for n in found if not strips or _parts_of(strips[-1], n)]
        return max(fitting, default=tile)

    def _parts(self, level: Level, parts: int | None) -> None:
        """How many parts each core takes: as said, or as the model, or a tuner, has it for whatever cores share."""
        old = next((n for other, n in self.base.part_size if other.layer == "COR" and n < 0), 0)
        count = old if parts is None else -parts
        if count:
            self.sizes[level] = count

    def _core_parts(self) -> None:
        """`threads(n)`: the outermost parallel loop in n parts of whole tiles."""
        if self.d.threads is None:
            return
        level = next((level for level in self.order if level.layer == "COR"), None)
        if level is None:
            return
        tile = self.sizes.get(Level("L1", level.dim), 1)
        each = -(-self.p.extents[level.dim] // self.d.threads)
        self.sizes[level] = -(-each // tile) * tile

    # ------------------------------------------------------------------------------------------ everything else

    def configuration(self) -> Configuration:
        d, base, order = self.d, self.base, tuple(self.order)
        loops = set(order) | {Level("MM", "")}
        packed = {self._number(pack.array) for pack in d.packs}
        read = {self._number(array) for array, _, _ in d.reads}
        in_place = {self._number(array) for array in d.in_place}
        copies = tuple(e for e in base.input_region if e[0] not in packed | in_place and self._kept(e[1], loops))
        kept = {number for number, _, _ in copies}
        regions = tuple(e for e in base.scalar_input_region if e[0] not in packed | read)
        found = replace(
            base,
            part_size=tuple(self.sizes.items()),
            decomposition_order=order,
            decomposition_assignment=tuple(self.assignment),
            scalar_order=(*order, *self._points()),
            scalar_assignment=(),
            recomposition_order=(*(Level("REG", dim) for dim in self._split()), *order),
            recomposition_assignment=(),
            input_region=copies + tuple((self._number(k.array), self._level(k.at), k.region) for k in d.packs),
            input_layout=tuple((n, self._panels(n, layout)) for n, layout in base.input_layout if n in kept)
            + tuple(dict.fromkeys((self._number(k.array), k.layout) for k in d.packs if k.layout)),
            scalar_input_region=regions
            + tuple((self._number(a), region) for a, region, _ in d.reads if region != "REG"),
            scalar_input_layout=tuple((self._number(a), layout) for a, _, layout in d.reads if layout),
            output_region=tuple(e for e in base.output_region if e[0] in loops),
            output_layout=tuple(e for e in base.output_layout if e[0] in loops),
        )
        if d.writes is not None:
            found = replace(found, scalar_output_region=d.writes[0], scalar_output_layout=d.writes[1])
        elif found.scalar_output_region == "MM" and self._written_in_short_runs():
            found = replace(found, scalar_output_region="REG")
        if d.staged is not None:
            found = replace(
                found,
                output_region=tuple((self._level(k.at), k.region) for k in d.staged),
                output_layout=tuple((self._level(k.at), k.layout) for k in d.staged if k.layout),
            )
        return found

    def _written_in_short_runs(self) -> bool:
        """Whether strips along the lanes are so narrow that non-temporal stores gain nothing."""
        lane = next((level.dim for level in self.sizes if level.layer == "REG"), None)
        strips = () if lane is None else self.d.of(lane)
        e = self.p.expression
        return any(n * e.buffer(a.buffer).type.size_bytes < _LEAST_RUN_BYTES for n in strips for a in e.out_view)

    def _kept(self, level: Level, loops: set[Level]) -> bool:
        """Whether a copy of the model's still has its place."""
        return level in loops and (not self.d.order or not level.dim) and not (self.d.packs and self.d.order)

    def _level(self, at: Loop | None) -> Level:
        return Level("MM", "") if at is None else self.place[at]

    def _number(self, array: str) -> int:
        view = self.p.expression.inp_view
        names = ((a.buffer, f"{a.buffer}[{', '.join(map(str, a.index))}]") for a in view)
        return next(n for n, both in enumerate(names) if array in both)

    def _steps(self, dim: str) -> int:
        return self.sizes.get(Level("L1", dim), 1) // self.sizes.get(Level("REG", dim), 1)

    def _points(self) -> tuple[Level, ...]:
        """The order of unrolled points: the decided one, or the base's if it is one of the same dimensions."""
        unrolled = [dim for dim in self.p.extents if self._steps(dim) > 1]
        if self.d.points is not None:
            return tuple(Level("REG", dim) for dim in self.d.points)
        names = unrolled_order(self.base)
        return tuple(Level("REG", dim) for dim in names) if sorted(names) == sorted(unrolled) else ()

    def _split(self) -> tuple[str, ...]:
        decided = dict(self.d.split)
        old = [dim for dim in split_accumulator_dims(self.base) if self._steps(dim) > 1]
        wanted = dict.fromkeys([*(dim for dim, yes in self.d.split if yes), *old])
        return tuple(dim for dim in wanted if decided.get(dim, True) and Level("L1", dim) in self.order)

    def _panels(self, number: int, layout: Layout) -> Layout:
        """A layout of the base with blocks as wide as its register tile made as wide as this one's."""
        digits = []
        for axis, block in layout:
            index = self.p.expression.inp_view[number].index
            dims = [n for n in index[axis].names if n in self.p.extents] if axis >= 0 else []
            same = block > 1 and len(dims) == 1 and block == self.base.size("L1", dims[0])
            digits.append((axis, self.sizes.get(Level("L1", dims[0]), 1)) if same else (axis, block))
        return tuple(dict.fromkeys(digits))
