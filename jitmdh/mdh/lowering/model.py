"""The analytic model: a good configuration from cache sizes, vector width and register count, without tuning.

Four decisions, each a small search over a cost in cycles: the dimension of the vector lanes; the register tile (loads
saved against registers used); blocks and copies for the caches; the dimensions that threads share.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import ceil, prod

from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.params import Configuration, Layout, Level
from jitmdh.mdh.lowering.traffic import Problem, operations
from jitmdh.mdh.machine.model import Machine

# Cycles. An arithmetic unit pair with this latency needs that many independent accumulators.
_LATENCY_TIMES_UNITS = 8
_LOAD_COST = 0.5
_APART_COST = 1.0  # per lane: gathers, and copies element by element
_MOST_UNROLLED = 160
# Long work is shared in more parts than there are cores: one that is held up by another process does less.
_PARTS_PER_CORE = 8
_WORTH_SHARING_FINELY = 1 << 22
# Rows of tiles that an input must serve to be worth a copy of its own.
_FEW_TILES = 6
# Rows of a large array that are walked at the same time, and what each further one costs (prefetching).
_STREAMS = 8
# Elements from which a prefix sum is worth reading twice to be shared among threads.
_LONG_SCAN = 1 << 16
_STREAM_COST = 0.03


@dataclass(frozen=True, slots=True)
class Choice:
    """A configuration and why: one line per decision. forced: somebody else's, not known to be legal."""

    configuration: Configuration
    reasons: tuple[str, ...]
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """lane: the vector dimension; lanes; counts: unrolled steps per dimension; packed: accesses to be copied."""

    lane: str | None
    lanes: int
    counts: dict[str, int]
    packed: frozenset[int]
    cost: float

    def size(self, dim: str) -> int:
        return self.counts.get(dim, 1) * (self.lanes if dim == self.lane else 1)


def choose(p: Problem, machine: Machine) -> Choice:
    """The configuration the model thinks best."""
    return configured(p, machine, min(tiles(p, machine), key=lambda t: t.cost))


def configured(p: Problem, machine: Machine, tile: Tile, blocked: bool | None = None) -> Choice:
    """What goes best with a tile. blocked: with blocks and copies for the caches where there can be; None: if good."""
    order, sizes, copies, reasons = _blocks(p, machine, tile, blocked)
    sizes = [*sizes, *_tile_sizes(p, tile)]
    late = _late_dims(p, tile.counts, machine.registers)
    shared = [level.dim for level in order if level.layer == "COR"]
    cores = shared or _cores(p, tile)
    if (shared or not copies) and p.points * operations(p.expression) >= _WORTH_SHARING_FINELY:
        sizes = [*((Level("COR", d), -_PARTS_PER_CORE) for d in cores[:1]), *sizes]
    collapsed = p.collapsed
    streaming = not tile.packed and not no_streaming(p, machine, tile.lane)
    reasons = [
        f"lanes: {tile.lanes} of {tile.lane or 'no dimension'}",
        "register tile: " + (", ".join(f"{d} {tile.size(d)}" for d in p.extents if tile.size(d) > 1) or "one point"),
        "threads: " + (", ".join(cores) or "one"),
        *reasons,
    ]
    if streaming:
        reasons.append("results are larger than the caches: written past them")
    levels = (*(() if shared else (Level("COR", d) for d in cores)), *order)
    configuration = Configuration(
        part_size=tuple(sizes),
        decomposition_order=levels,
        scalar_order=levels,
        recomposition_order=tuple(Level("REG", d) for d in late) + levels if late else levels,
        input_region=tuple((n, level, region) for n, level, region, _ in copies),
        input_layout=tuple((n, layout) for n, _, _, layout in copies),
        scalar_output_region="MM" if streaming else "REG",
    )
    assert set(late) <= set(collapsed)
    return Choice(configuration, tuple(reasons))


# ---------------------------------------------------------------------------------------------- register tile


def _widest(p: Problem) -> int:
    """Bits of the widest type that lanes hold."""
    e = p.expression
    bits = [8]
    bits += [e.buffer(a.buffer).type.bits for a in (*e.inp_view, *e.out_view) if a.index]
    if p.operator is not None:
        bits += [t.bits for t in p.operator.types]
    bits += [r.type.bits for r in e.md_hom.function.results]
    return max(bits)


def _lane_candidates(p: Problem, machine: Machine) -> list[tuple[str | None, int]]:
    lanes = machine.vector_bits // _widest(p)
    found: list[tuple[str | None, int]] = [(None, 1)]
    if lanes < 2:
        return found
    for dim, combine in zip(p.expression.md_hom.dims, p.expression.md_hom.combine):
        name = dim.name
        collapses = name in p.collapsed
        if p.extents[name] < (2 * lanes if isinstance(combine, PrefixSum) else 2):
            continue
        if collapses and (p.operator is None or not p.operator.commutative or p.expression.has_prefix_sum):
            continue
        found.append((name, lanes))
    return found


def tiles(p: Problem, machine: Machine) -> list[Tile]:
    """The register tiles worth looking at, with their costs."""
    work = operations(p.expression)
    lanes = []
    for lane, width in _lane_candidates(p, machine):
        pricing = _Pricing(p, machine, lane, width, work, _inputs(p, lane, machine.capacity_bytes("L3")))
        lanes.append((pricing, pricing.price({})))
    best = min(tile.cost for _, tile in lanes)
    found: list[Tile] = []
    for pricing, plain in lanes:
        found.append(plain)
        if plain.cost <= 4 * best:  # no unrolling makes up for lanes that lie apart
            found += [pricing.price(counts) for counts in _counts(p, pricing.lane, pricing.lanes)]
    return found


def _counts(p: Problem, lane: str | None, lanes: int) -> list[dict[str, int]]:
    """Unrolled steps worth looking at: two remaining dimensions, short constant collapsed ones whole or not."""
    collapsed, remaining = p.collapsed, p.remaining
    wholes: list[dict[str, int]] = [{}]
    for dim in reversed(collapsed):
        extent = p.constant_extent(dim)
        if not extent or dim == lane or extent * prod(wholes[-1].values()) > 32:
            break
        wholes.append({**wholes[-1], dim: extent})
    reused = [d for d in remaining if d != lane and p.extents[d] > 1 and not _is_scan(p, d) and _reuses(p, d)]
    # Without a reduction, neighbours along the outermost dimension are those whose rows come from far.
    reused = reused[-2:] if p.operator is not None else reused[:1]
    options: list[list[tuple[str, int]]] = []
    if lane is not None:
        most = max(1, p.extents[lane] // lanes)
        if p.operator is None:
            steps: tuple[int, ...] = (1, 2, 3)
        elif lane in remaining:
            steps = (1, 2, 3, 4, 5, 6, 8)
        else:
            steps = (1, 2, 4) if reused else (1, 2, 4, 8)
        options.append([(lane, n) for n in steps if n <= most or n == 1])
    for dim in reused:
        rows = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14} if p.operator is not None else {1, 2, 4}
        if len(reused) > 1 and dim == reused[0]:
            rows = {1, 2, 3, 4}
        if p.operator is not None and p.extents[dim] <= 14:
            rows.add(p.extents[dim])
        options.append([(dim, n) for n in sorted(rows) if n <= p.extents[dim]])
    found = []
    for picks in product(*options):
        steps_of = {d: n for d, n in picks if n > 1}
        fitting = [w for w in wholes if prod(w.values()) * prod(steps_of.values()) <= _MOST_UNROLLED]
        found += [{**whole, **steps_of} for whole in fitting[-2:]]
    return found or [wholes[-1]]


def _is_scan(p: Problem, dim: str) -> bool:
    pairs = zip(p.expression.md_hom.dims, p.expression.md_hom.combine)
    return any(d.name == dim and isinstance(c, PrefixSum) for d, c in pairs)


def _reuses(p: Problem, dim: str) -> bool:
    """Whether neighbours along `dim` share inputs: some access does not vary with it, or shifts along it."""
    if p.operator is None:
        keys = [tuple((a.coefficient(dim), a.terms) for a in acc.index) for acc in p.expression.inp_view]
        return len(keys) != len(set(keys)) and any(p.varies(a, dim) for a in p.expression.inp_view)
    for access in p.expression.inp_view:
        if not p.varies(access, dim):
            return True
        if any(a.coefficient(dim) and any(a.coefficient(k) for k in p.collapsed) for a in access.index):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Input:
    """What pricing needs to know of one access, computed once per lane dimension."""

    number: int
    kind: str
    packable: bool
    pack_cost: float
    large: bool


def _inputs(p: Problem, lane: str | None, far_bytes: int) -> list[_Input]:
    found = []
    for n, access in enumerate(p.expression.inp_view):
        kind = p.lane_kind(access, lane) if lane else "same"
        elements = p.footprint(access, p.extents) if kind == "apart" else 0
        packable = kind == "apart" and p.points >= 4 * elements and _packable(p, access, lane)
        large = kind == "contiguous" and not packable and p.bytes_of(access) > far_bytes
        found.append(_Input(n, kind, packable, 1.5 * elements, large))
    return found


def _late_dims(p: Problem, counts: dict[str, int], registers: int) -> tuple[str, ...]:
    """Collapsed dimensions whose unrolled steps get accumulators of their own: enough to hide the latency."""
    if not _can_be_late(p):
        return ()
    if all(counts.get(d, 1) == p.extents[d] for d in p.collapsed):
        return ()  # the next tile does not wait for this one
    results = prod(counts.get(d, 1) for d in p.remaining)
    late, copies = [], 1
    for dim in p.collapsed:
        step = counts.get(dim, 1)
        if step > 1 and results * copies < _LATENCY_TIMES_UNITS and results * copies * step <= registers // 2:
            late.append(dim)
            copies *= step
    return tuple(late)


class _Pricing:
    """Cycles of the whole computation on one core, data in the nearest cache, for tiles with one lane dimension."""

    def __init__(
        self, p: Problem, machine: Machine, lane: str | None, lanes: int, work: int, inputs: list[_Input]
    ) -> None:
        self.p, self.machine, self.lane, self.lanes, self.work, self.inputs = p, machine, lane, lanes, work, inputs
        e = p.expression
        self.state = len(p.operator.types) if p.operator else 0
        self.reduction = max(1, prod(p.extents[d] for d in e.collapsed))
        self.store = 0.0
        for access in e.out_view:
            kind = p.lane_kind(access, lane) if lane else "same"
            self.store += _APART_COST * lanes if kind == "apart" else 1.0
        self.varying = [tuple(d for d in p.extents if p.varies(a, d)) for a in e.inp_view]
        self.places: dict[tuple[int, tuple[int, ...]], int] = {}
        self.packed = frozenset(i.number for i in inputs if i.packable)
        self.total_pack = sum(i.pack_cost for i in inputs if i.packable)

    def _distinct(self, number: int, counts: dict[str, int]) -> int:
        steps = tuple(counts.get(d, 1) for d in self.varying[number])
        found = self.places.get((number, steps))
        if found is None:
            found = self.p.distinct(self.p.expression.inp_view[number], counts)
            self.places[number, steps] = found
        return found

    def price(self, counts: dict[str, int]) -> Tile:
        p, machine, lanes = self.p, self.machine, self.lanes
        collapsed = p.collapsed
        steps = prod(counts.values())
        inner_steps = prod(counts.get(d, 1) for d in collapsed)
        results = steps // inner_steps
        loads, kept, streams = 0.0, 0, 0
        for item in self.inputs:
            places = self._distinct(item.number, counts)
            if item.large:
                streams = max(streams, places // counts.get(self.lane or "", 1))
            loads += (_APART_COST * lanes if item.kind == "apart" and not item.packable else _LOAD_COST) * places
            if item.kind != "same" and p.operator is not None:
                kept = max(kept, places // inner_steps)
        late = results
        for dim in _late_dims(p, counts, machine.registers):
            late *= counts[dim]
        registers = late * max(1, self.state) + (min(kept, results) if results > 1 else 1) + 2
        spilled = max(0, registers - machine.registers)
        fused = 1 if self.state == 1 and self.work > 1 else 0
        arithmetic = max(1, self.work - fused) * 0.5 * steps
        waits = p.operator is not None and inner_steps < self.reduction
        stall = max(1.0, _LATENCY_TIMES_UNITS / late) if waits else 1.0
        inner = (max(arithmetic * stall, loads) + 0.25 * min(arithmetic, loads) + 4.0 * spilled + 2.0) / steps
        tail = self.store * results + (late - results) * 0.5
        if self.lane is not None and _is_scan(p, self.lane):
            tail += 2.5 * lanes.bit_length() * self.state * results  # lanes are scanned step by step
        across = self.lane in collapsed
        if across:
            tail += results * 8.0 * self.state
        per_result = tail / results / self.reduction * (lanes if across else 1)
        waste = _waste(p, counts, self.lane, lanes) * (1 + _STREAM_COST * max(0, streams - _STREAMS))
        cost = p.points / lanes * (inner + per_result) * waste + self.total_pack
        return Tile(self.lane, lanes, counts, self.packed, cost)


def _packable(p: Problem, access: Access, lane: str | None) -> bool:
    if access.guard or lane is None or p.expression.md_hom.guard:
        return False
    return all(len([n for n in a.names if n in p.extents]) <= 1 for a in access.index) and all(
        c == 1 for a in access.index for n, c in a.terms if n in p.extents
    )


def _can_be_late(p: Problem) -> bool:
    return p.operator is not None and p.operator.commutative and not p.expression.has_prefix_sum


def _waste(p: Problem, counts: dict[str, int], lane: str | None, lanes: int) -> float:
    """How much longer remainders make it: a remainder runs with a tile of one step along its dimension."""
    factor = 1.0
    for dim, extent in p.extents.items():
        size = counts.get(dim, 1) * (lanes if dim == lane else 1)
        if size == 1 or not extent:
            continue
        full = extent // size
        rest = extent - full * size
        steps = ceil(rest / (lanes if dim == lane else 1))
        penalty = min(3.0, 1 + counts.get(dim, 1) / 4)
        factor *= (full * counts.get(dim, 1) + steps * penalty) / (extent / (lanes if dim == lane else 1))
    return factor


def _tile_sizes(p: Problem, tile: Tile) -> list[tuple[Level, int]]:
    sizes = []
    for dim in p.extents:
        if tile.size(dim) > 1:
            sizes.append((Level("L1", dim), tile.size(dim)))
        if dim == tile.lane and tile.lanes > 1:
            sizes.append((Level("REG", dim), tile.lanes))
    return sizes


# -------------------------------------------------------------------------------------------------- caches

_Copies = list[tuple[int, Level, str, Layout]]


def _blocks(
    p: Problem, machine: Machine, tile: Tile, blocked: bool | None
) -> tuple[list[Level], list[tuple[Level, int]], _Copies, list[str]]:
    """Order of the loops, block sizes, copies, and why."""
    order = [Level("L1", d) for d in _loop_order(p, tile)]
    plan = _contraction(p, tile)
    inputs = sum(p.bytes_of(a) for a in p.expression.inp_view if a.index)
    small = inputs <= machine.capacity_bytes("L2") // 2 or (plan is not None and _few_rows(p, tile, plan))
    if plan is None or (small and not tile.packed if blocked is None else not blocked):
        copies: _Copies = []
        for n in sorted(tile.packed):
            copies.append((n, Level("MM", ""), "L2", _panels(p, tile, n)))
        return order, [], copies, (["inputs are small or used too seldom for blocks"] if plan else [])
    return _contraction_blocks(p, machine, tile, plan)


def _loop_order(p: Problem, tile: Tile) -> list[str]:
    """Remaining dimensions as written, the lane dimension last; then a scan's; then those that collapse."""
    remaining = [d for d in p.remaining if not _is_scan(p, d)]
    scan = [d for d in p.remaining if _is_scan(p, d)]
    if tile.lane in remaining:
        remaining = [d for d in remaining if d != tile.lane] + [tile.lane]
    return [*remaining, *scan, *p.collapsed]


@dataclass(frozen=True, slots=True)
class _Contraction:
    """A computation with reuse in two directions: `rows` × `columns` results over `depth`.

    left: accesses that vary with rows and depth; right: with columns (the lanes) and depth.
    """

    rows: str
    columns: str
    depth: str
    left: tuple[int, ...]
    right: tuple[int, ...]


def _contraction(p: Problem, tile: Tile) -> _Contraction | None:
    remaining, collapsed = p.remaining, p.collapsed
    if not collapsed or tile.lane not in remaining or len(p.expression.inp_view) != 2 or not _can_be_late(p):
        return None
    rows = [d for d in tile.counts if d in remaining and d != tile.lane]
    if not rows:
        return None
    depth = max(collapsed, key=lambda d: p.extents[d])
    view = p.expression.inp_view
    left = tuple(
        n for n, a in enumerate(view) if p.varies(a, rows[0]) and p.varies(a, depth) and not p.varies(a, tile.lane)
    )
    right = tuple(n for n, a in enumerate(view) if p.varies(a, tile.lane) and p.varies(a, depth))
    if len(left) != 1 or len(right) != 1:
        return None
    for n in (*left, *right):
        if not _packable(p, view[n], tile.lane):
            return None
    return _Contraction(rows[0], tile.lane, depth, left, right)


def _few_rows(p: Problem, tile: Tile, plan: _Contraction) -> bool:
    """Whether what varies along the lanes is used so few times that a copy of it does not pay."""
    return p.extents[plan.rows] <= _FEW_TILES * tile.size(plan.rows)


def _contraction_blocks(
    p: Problem, machine: Machine, tile: Tile, plan: _Contraction
) -> tuple[list[Level], list[tuple[Level, int]], _Copies, list[str]]:
    """Depth blocks so that panels stay near, row blocks for L2; copies into panels (Goto's scheme as parameters)."""
    view = p.expression.inp_view
    right, left = plan.right[0], plan.left[0]
    size = p.expression.buffer(view[left].buffer).type.size_bytes
    rows, columns = tile.size(plan.rows), tile.size(plan.columns)
    other = prod(p.extents[d] for d in p.collapsed if d != plan.depth)
    near = machine.capacity_bytes("L1") // 2 // (size * rows * other)
    middle = machine.capacity_bytes("L2") // 4 // (size * columns * other)
    step = tile.size(plan.depth) if tile.size(plan.depth) > 1 else 4
    depth = _even(p.extents[plan.depth], max(16, min(near, middle, 384)), step)
    row_block = max(rows, int(0.5 * machine.capacity_bytes("L2")) // (size * depth * other) // rows * rows)
    row_block = _even(p.extents[plan.rows], row_block, rows)
    outer = [d for d in p.remaining if d not in (plan.rows, plan.columns)]
    rest = [d for d in p.collapsed if d != plan.depth]
    # The right input's copy is shared; rows, each with a copy of their own, go to whoever is free.
    alone = prod(p.extents[d] for d in outer) == 1
    enough = p.threads > 1 and p.extents[plan.rows] >= _PARTS_PER_CORE * p.threads * rows
    order = [*(Level("L1", d) for d in outer), Level("MM", plan.depth),
             *([Level("COR", plan.rows)] if alone and enough else []), Level("L3", plan.rows),
             Level("L1", plan.columns), Level("L1", plan.rows),
             *(Level("L1", d) for d in rest), Level("L1", plan.depth)]  # fmt: skip
    sizes = [(Level("MM", plan.depth), depth), (Level("L3", plan.rows), row_block)]
    levels = [_copy_level(p, machine, outer, right, 2) or Level("MM", plan.depth)]
    if p.extents[plan.columns] > 2 * columns or left in tile.packed:
        levels.append(_copy_level(p, machine, outer, left, 4) or Level("L3", plan.rows))
    copies: _Copies = [
        (n, level, region, _panels(p, tile, n)) for n, level, region in zip((right, left), levels, ("L3", "L2"))
    ]
    reasons = [
        f"blocks: {plan.depth} {depth} so that panels stay near, {plan.rows} {row_block} for L2",
        "copies: " + ", ".join(f"{view[n].buffer} into {region} panels" for n, _, region, _ in copies),
    ]
    return order, sizes, copies, reasons


def _copy_level(p: Problem, machine: Machine, outer: list[str], number: int, share: int) -> Level | None:
    """The outermost loop over `outer` in whose parts all that an access reads fits a share of L2; None: of none."""
    access = p.expression.inp_view[number]
    size = p.expression.buffer(access.buffer).type.size_bytes
    if prod(p.extents[d] for d in outer) == 1:
        return None
    inside = dict(p.extents)
    level = Level("MM", "")
    for dim in [*outer, None]:
        if size * p.footprint(access, inside) <= machine.capacity_bytes("L2") // share:
            return level
        if dim is not None:
            inside[dim] = 1
            level = Level("L1", dim)
    return None


def _even(extent: int, most: int, multiple: int) -> int:
    """A block size of at most about `most` that splits `extent` evenly."""
    parts = max(1, ceil(extent / most))
    share = ceil(extent / parts)
    return max(multiple, ceil(share / multiple) * multiple)


def _panels(p: Problem, tile: Tile, number: int) -> Layout:
    """Panels as wide as the register tile, stored step by step of what the tile walks along."""
    access = p.expression.inp_view[number]
    wide: list[tuple[int, int]] = []
    walked: list[int] = []
    outside: list[int] = []
    for axis, index in enumerate(access.index):
        dims = [n for n in index.names if n in p.extents]
        size = tile.size(dims[0]) if dims else 1
        if dims and dims[0] in p.remaining:
            if size > 1:
                wide.append((axis, size))
            else:
                outside.append(axis)
        else:
            walked.append(axis)
    wide.sort(key=lambda w: any(n == tile.lane for n in access.index[w[0]].names))
    return (*((a, 1) for a in outside), *wide, *((a, 1) for a in walked), *((a, 1) for a, _ in wide))


# ------------------------------------------------------------------------------------------------- threads


def _cores(p: Problem, tile: Tile) -> list[str]:
    """Dimensions to share among threads: remaining ones with enough tiles, else a collapsed one."""
    if p.threads < 2:
        return []
    remaining = [d for d in p.remaining if not _is_scan(p, d)]
    counts = {d: p.extents[d] // max(1, tile.size(d)) for d in p.extents}
    scan = [d for d in p.remaining if _is_scan(p, d)]
    rows = prod(p.extents[d] for d in remaining)
    long = bool(scan) and p.extents[scan[0]] >= _LONG_SCAN
    if long and p.shared_reductions and rows < 2 * p.threads and p.operator is not None:
        return scan
    outer = [d for d in remaining if d != tile.lane] + [d for d in remaining if d == tile.lane]
    if tile.lane in remaining and _contraction(p, tile) is not None and counts[tile.lane] >= 4 * p.threads:
        outer = [tile.lane, *(d for d in outer if d != tile.lane)]
    chosen: list[str] = []
    parts = 1
    for dim in outer:
        if counts[dim] >= 2 * p.threads:
            return [dim]
    for dim in outer:
        if counts[dim] >= 2:
            chosen.append(dim)
            parts *= counts[dim]
            if parts >= p.threads:
                return chosen
    if p.shared_reductions and p.operator is not None and not p.expression.has_prefix_sum and p.collapsed:
        dim = max(p.collapsed, key=lambda d: p.extents[d])
        alone = len(p.collapsed) == 1 or p.operator.commutative
        if counts[dim] >= 2 and alone:
            return [dim]
    return chosen


def no_streaming(p: Problem, machine: Machine, lane: str | None) -> str:
    """Why results should not go past the caches; empty where they should: large, written once, along the lanes."""
    if lane is None or lane in p.collapsed:
        return "neighbouring results are not in the lanes of one vector"
    if machine.vector_bits < 256:
        return f"vectors of {machine.vector_bits} bits gain nothing by it"
    read = {a.buffer for a in p.expression.inp_view}
    if p.expression.finish is not None:
        read |= {a.buffer for a in p.expression.finish.inp_view}
    for access in p.expression.out_view:
        if access.buffer in read:
            return f"{access.buffer} is read, too"
        if access.guard:
            return f"{access.buffer} is written under a condition"
        if p.lane_kind(access, lane) != "contiguous":
            return f"{access.buffer} is not written in the order of memory"
        if p.bytes_of(access) < machine.capacity_bytes("L3"):
            return f"{access.buffer} fits the L3 cache"
    return ""
