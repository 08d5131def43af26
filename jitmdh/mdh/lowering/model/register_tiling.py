"""Register tiles: which are worth looking at, and what the whole computation would take with each (in cycles)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import ceil, inf, prod

from jitmdh.base.records import dataclass, record
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.rewrites.reassociation import Dims, operation_dims
from jitmdh.mdh.lowering.model.lanes import (
    LONG_CHAIN,
    can_split_accumulators,
    combined_cycles,
    combined_together,
    combining_steps,
    extremum_costs,
    is_scan,
    lane_candidates,
    lane_steps,
    of_long_chains,
    one_by_one,
    results_in_line,
    single_points,
    split_accumulator_dims,
    taken_in_apart,
    widest,
)
from jitmdh.mdh.lowering.model.transposition import (
    beside,
    copied_cycles,
    neighbours,
    neighbours_cycles,
    packable,
    row_dim,
    row_length,
    row_steps,
    transposable,
    transposed_cycles,
    used_seldom,
)
from jitmdh.mdh.lowering.problem.nontemporal import memory_store_cycles, no_nontemporal_stores, torn_store_cycles
from jitmdh.mdh.lowering.problem.prices import Prices, masked_cycles, prices
from jitmdh.mdh.lowering.problem.reuse import (
    distinct_of,
    reads_once,
    reuses,
    shared_subscripts,
    shifted,
    side_by_side,
    sliding_dims,
    unrolled_together,
)
from jitmdh.mdh.lowering.problem.traffic import Problem, beyond_one, counted, operations
from jitmdh.mdh.machine.model import Machine

# Numbers here are about the generated code, the same on every machine; what depends on the machine is in `Prices`.
_LOOP = 2.0  # cycles of a loop around a tile: counter, addresses, branch
# Of a step of a longer whole range in one tile, which has fewer results than a loop's: as long as these wait for each
# other, little of the next tile begins. Of 80 contractions with constant extents four took up to 1.9 times as long
# without this, none with it (Zen 5); ranges of three (`rotated` in the benchmarks) take twice as long with it.
_WHOLE_STEP, _LONGER = 0.5, 8
_NOT_HIDDEN = 0.25  # of the shorter of arithmetic and loads, beside the longer one: both go through one front end
_MOST_UNROLLED = 160
_MOST_IN_COLUMNS = 32  # vectors of a reduction that are transposed: more are much code, and save little
# Parts of complex numbers, for each register: they come out of vectors by shuffles, and wait there, where other numbers
# are operands in memory. Stencils of nine points: 8 and 12 results at a time take 1.3 to 2 times as long as 3.
_MOST_OF_PARTS = 2
_MOST_EXCHANGED = 8  # results that the threads of a warp combine at a time: each is five exchanges, in text, too
_LEAST_FULL, _MOST_FULL = 0.375, 0.875  # of the registers, by results, in tiles of all pairs of dimensions
# No unrolling makes up for lanes with which a point takes so many times longer than with the best, as they lie apart;
# where there are none, several points at a time may take much less than one.
_MOST_APART, _MOST_SCALAR = 2.5, 4.0
# Registers for vectors that are read and used up one after the other; of fused multiply-adds, with one to spare.
_PASSING, _PASSING_FUSED = 3, 2
_EARLY_LOADS = 2  # registers that loads of further unrolled steps take up before they are needed
# How much longer gathers take that are compared: the mask of each waits for the comparison before it (AMD Zen 5).
_COMPARED_GATHERS = 5
_AS_LONG, _COMPARED = 1.001, 4  # times the least cost that is as good: what comes from far takes its time
_STREAMS_ONCE = 0.4  # of the prefetcher's streams, for rows of which nothing is read twice: each is a stream of misses
# The share of what stores across two cache lines wait that computing does not hide. Of sums of 9, 5 and 3 neighbours in
# L2 and L3, two and four rows at a time take 0.70 to 0.96 of the time of one, of 3 in L3 1.05 (AMD Zen 3).
_TORN_NOT_HIDDEN = 0.1


@record(frozen=True, slots=True)
class RegisterTile:
    """lane: the vector dimension; lanes; counts: unrolled steps per dimension; packed: accesses to be copied.

    cost: cycles of the whole computation, of which `packing` for copying what is packed once.
    """

    lane: str | None
    lanes: int
    counts: dict[str, int]
    packed: frozenset[int]
    cost: float
    packing: float = 0.0

    def size(self, dim: str) -> int:
        return self.counts.get(dim, 1) * (self.lanes if dim == self.lane else 1)


def tiles(p: Problem, machine: Machine) -> list[RegisterTile]:
    """All that are worth looking at."""
    return [pricing.price(counts) for pricing, counts in _candidates(p, machine)]


def best_tile(p: Problem, machine: Machine) -> RegisterTile:
    """The cheapest of `tiles`; of those that take as long, the one with the least code, which is compiled sooner."""
    first, *others = RegisterTiles(p, machine).cheapest(_COMPARED)
    return min([first, *(t for t in others if t.cost <= _AS_LONG * first.cost)], key=lambda t: prod(t.counts.values()))


class RegisterTiles:
    """All `tiles`; each is priced when it is first looked at, if its arithmetic alone does not take longer."""

    def __init__(self, p: Problem, machine: Machine) -> None:
        self._candidates = _candidates(p, machine)
        self._least = sorted((pricing.least(counts), n) for n, (pricing, counts) in enumerate(self._candidates))
        self._priced: dict[int, RegisterTile] = {}

    def cheapest(self, most: int, wanted: Callable[[RegisterTile], bool] | None = None) -> list[RegisterTile]:
        """The cheapest, at most so many, of those that are `wanted`, which looks at lanes and counts alone."""
        best: list[tuple[float, int, RegisterTile]] = []
        for bound, n in self._least:
            if len(best) == most and bound > best[-1][0]:
                break
            pricing, counts = self._candidates[n]
            if wanted is not None and not wanted(RegisterTile(pricing.lane, pricing.lanes, counts, frozenset(), bound)):
                continue
            if n not in self._priced:
                self._priced[n] = pricing.price(counts)
            tile = self._priced[n]
            same = next((t for t in best if t[2].lane == tile.lane and t[2].counts == tile.counts), None)
            if same is None or tile.cost < same[0]:
                rest = [t for t in best if t is not same]
                best = sorted([*rest, (tile.cost, n, tile)], key=lambda found: found[:2])[:most]
        return [tile for _, _, tile in best]


def priced(p: Problem, machine: Machine, lane: str | None, lanes: int, counts: dict[str, int]) -> RegisterTile:
    """A tile that is given, with its cost."""
    return _Pricing(p, machine, lane, lanes, _operations(p), _inputs(p, machine, lane, lanes)).price(counts)


def _candidates(p: Problem, machine: Machine) -> list[tuple[_Pricing, dict[str, int]]]:
    """Unrolled steps by dimension, and what prices them."""
    work, lanes = _operations(p), []
    for lane, width in lane_candidates(p, machine):
        inputs = _inputs(p, machine, lane, width)
        pricing = _Pricing(p, machine, lane, width, work, inputs)
        plain = pricing.price({})
        if (rows := row_steps(p, machine, lane, width)) and p.operator is not None:  # together far cheaper
            plain = min(plain, pricing.price({d: steps[-1] for d, steps in rows.items()}), key=lambda tile: tile.cost)
        lanes.append((pricing, plain))
        if any(i.packable and used_seldom(p, p.expression.inp_view[i.number]) for i in inputs):
            loaded = _Pricing(p, machine, lane, width, work, _inputs(p, machine, lane, width, pack=False))
            lanes.append((loaded, plain))  # larger tiles load less often than this one
    best = min(tile.cost for _, tile in lanes)
    found: list[tuple[_Pricing, dict[str, int]]] = []
    for pricing, plain in lanes:
        ragged = pricing.lane in {d.name for d in p.expression.ragged}
        if not ragged:
            found.append((pricing, {}))
        if p.calls:
            continue
        most = _MOST_SCALAR if pricing.lane is None else _MOST_APART
        if ragged or plain.cost <= most * best:
            streaming = not no_nontemporal_stores(p, machine, pricing.lane)
            steps = _counts(p, machine, pricing.lane, pricing.lanes, streaming)
            found += [(pricing, counts) for counts in steps]
    return found


def _counts(p: Problem, machine: Machine, lane: str | None, lanes: int, streaming: bool) -> list[dict[str, int]]:
    """Unrolled steps worth looking at: two remaining dimensions, short constant collapsed ones whole or not.

    None with more results than registers: those would be stored and loaded all the time. streaming: results are
    written by non-temporal stores.
    """
    wholes: list[dict[str, int]] = [{}]
    for dim in reversed(p.inner):
        extent = p.constant_extent(dim)
        if not extent or dim == lane or extent * prod(wholes[-1].values()) > 32:
            break
        wholes.append({**wholes[-1], dim: extent})
    single = single_points(p)
    reused = [d for d in p.outer if d != lane and p.extents[d] > 1 and not is_scan(p, d) and reuses(p, d)]
    every = [d for d in reused if d not in single]
    # Without a reduction, neighbours along the outermost dimension are those whose rows come from far.
    reused = every[-2:] if p.operator is not None else every[:1]
    most = {d: side_by_side(p, machine, lane, d) for d in every}
    taking_turns = [d for d in p.expression.scattered if d not in single and d != lane][-1:]
    options = [lane_steps(p, machine, lane, lanes, streaming, bool(reused))] if lane is not None else []
    options += [[(d, n) for n in (1, 4)] for d in one_by_one(p, machine, lane) if p.extents[d] >= 4]
    columns = row_steps(p, machine, lane, lanes) if not single else {}
    options += [[(d, n) for n in (1, *steps)] for d, steps in columns.items() if d not in reused]
    if not single and not reused and not columns:
        options += combined_together(p, machine, lane, lanes)
    options += [[(d, n) for n in (1, 4, 8) if n <= p.extents[d]] for d in taking_turns]
    for dim in [d for d in reused if d not in taking_turns]:
        rows = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14} if p.operator is not None else {1, 2, 4}
        if len(reused) > 1 and dim == reused[0]:
            rows = {1, 2, 3, 4, 6}
        if p.operator is not None and p.extents[dim] <= 14:
            rows.add(p.extents[dim])
        rows.update(columns.get(dim, ()))
        options.append([(dim, n) for n in sorted(rows) if n <= most[dim]])
    found, components = [], len(p.operator.types) if p.operator is not None else 1
    unrolled = [(whole, prod(whole.values())) for whole in wholes]
    complex_numbers = p.operator is None and any(b.of for b in p.expression.buffers)
    parts = len(p.expression.inp_view) if complex_numbers else 0
    for picks in product(*options):
        results = prod([n for d, n in picks if d not in p.inner])
        if (results + machine.early_loads) * components > machine.registers:
            continue
        if machine.warps and lane in p.inner and results * components > _MOST_EXCHANGED:
            continue
        steps_of: dict[str, int] = {d: n for d, n in picks if n > 1}
        points = prod(steps_of.values())
        if parts * points > _MOST_OF_PARTS * machine.registers:
            continue
        most_steps = _MOST_IN_COLUMNS if p.operator is not None and columns.keys() & steps_of.keys() else _MOST_UNROLLED
        fitting = [whole for whole, inner in unrolled if inner * points <= most_steps]
        found += [{**whole, **steps_of} for whole in fitting[-2:]]
        found += of_long_chains(p, machine, lane, lanes, steps_of) if not reused else ()
    if p.operator is not None and lane is not None and not taking_turns and not single:
        found += _of_other_pairs(p, lane, lanes, every, most, machine.registers // components - machine.early_loads)
    return found or [wholes[-1]]


def _of_other_pairs(
    p: Problem, lane: str, lanes: int, reused: list[str], most: dict[str, int], registers: int
) -> Iterator[dict[str, int]]:  # fmt: skip
    """Tiles of other dimensions than the last two, as large as registers allow: short ones fill none.

    Along one of the two, vectors have to be used again: some input varies with the lanes, and not with it.
    """
    vectors = [a for a in p.expression.inp_view if p.varies(a, lane)]
    along = {d for d in reused if any(not p.varies(a, d) for a in vectors)}
    steps = [1, 2] if lane in p.outer and 2 * lanes <= p.extents[lane] else [1]
    for first, second in combinations(reused, 2):
        if [first, second] == reused[-2:] or not along & {first, second}:
            continue
        for n, one, other in product(steps, (2, 3, 4, 6), (2, 3, 4, 5, 6, 8, 12)):
            fits = one <= most[first] and other <= most[second]
            if fits and _LEAST_FULL * registers <= n * one * other <= _MOST_FULL * registers:
                yield {d: steps for d, steps in ((lane, n), (first, one), (second, other)) if steps > 1}


@dataclass(frozen=True, slots=True)
class _Input:
    """What pricing needs to know of one access, computed once per lane dimension.

    load: cycles of one. along: the dimension of points that are transposed with the lanes. step, between: see
    `transposition.neighbours`. rows: of a large array that
    lies along the lanes, the access to its rows as a whole. once: each of its elements is read by one point only.
    """

    number: int
    kind: str
    packable: bool
    pack_cost: float
    load: float
    along: str | None
    step: int
    between: frozenset[str]
    rows: Access | None
    once: bool
    bytes: int


def _inputs(p: Problem, machine: Machine, lane: str | None, lanes: int, pack: bool = True) -> list[_Input]:
    """What is read. pack: whether copies are made of inputs that lie apart along the lanes, if they are used again."""
    price, far_bytes, found = prices(machine, p.threads, lanes, lanes * widest(p)), machine.capacity_bytes("L3"), []
    near = beside(p, machine, p.expression.inp_view, lane, lanes, price, stored=False)
    for n, access in enumerate(p.expression.inp_view):
        kind = p.lane_kind(access, lane) if lane else "same"
        elements = p.footprint(access, p.extents) if kind == "apart" else 0
        packs = pack and kind == "apart" and p.points >= 4 * elements and packable(p, access, lane)
        rows, far = None, p.bytes_of(access) > far_bytes
        if kind == "contiguous" and far:
            rows = replace(access, index=tuple(i for i in access.index if not i.coefficient(lane or "")))
        once = far and reads_once(p, access)
        element = p.expression.buffer(access.buffer).type.size_bytes
        taken = element if kind == "same" else lanes * element
        load, along = price.load, None
        if kind == "apart" and not packs:
            load, along = min(price.apart * lanes, near.get(n, inf)), row_dim(p, machine, access, lane)
            if p.operator is not None and p.operator.score is not None:
                load *= _COMPARED_GATHERS
        elif kind == "contiguous" and any(r == lane for r, _ in shared_subscripts(p, access)):
            load = price.shifted(lanes * element, element)
        in_vectors = packs and transposable(p, access, lane) and row_length(p, access) >= lanes
        cost = price.transposed(lanes) if in_vectors else copied_cycles(p, machine, access, lane, lanes)
        near_by = (0, frozenset[str]()) if packs or along or machine.warps else neighbours(p, access, lane)
        found.append(_Input(n, kind, packs, cost * elements, load, along, *near_by, rows, once, taken))
    return found


@dataclass(frozen=True, slots=True)
class _Operations:
    """each: those of every point, of f and one combination; shared: what others, the same for several points, vary
    with."""

    each: int
    shared: list[Dims]


def _operations(p: Problem) -> _Operations:
    once = [dims for _, dims in operation_dims(p.expression) if len(dims) < len(p.extents)]
    return _Operations(operations(p.expression) - len(once), once)


def slowest_first(p: Problem, counts: dict[str, int]) -> list[str]:
    """The order of a register tile's results: as written, or with the first dimension last if fewer values are kept."""
    unrolled = [d for d in p.outer if counts.get(d, 1) > 1]
    varying = [{d for d in unrolled if p.varies(a, d)} for a in p.expression.inp_view]
    return _order(unrolled, varying, counts)


def _order(unrolled: list[str], varying: Sequence[Container[str]], counts: dict[str, int]) -> list[str]:
    if len(unrolled) < 2:
        return unrolled
    transposable = [*unrolled[1:], *unrolled[:1]]
    return min((unrolled, transposable), key=lambda order: sum(_kept(order, names, counts) for names in varying))


def _kept(order: list[str], varying: Container[str], counts: dict[str, int]) -> int:
    """How many values of an access wait in registers for their next use: those along faster dimensions than the
    slowest one that it does not vary with."""
    again = next((n for n, d in enumerate(order) if d not in varying), len(order))
    return prod([counts[d] for d in order[again:] if d in varying])


def _axes(p: Problem, number: int) -> list[list[str]]:
    """The dimensions along each axis of an access; none if one of them moves along several, or depends on data."""
    access = p.expression.inp_view[number]
    axes = [[d for d in index.names if d in p.extents] for index in access.index]
    names = [d for axis in axes for d in axis]
    plain = len(set(names)) == len(names) and set(names) == p.varying(access)
    return [axis for axis in axes if axis] if plain else []


class _Pricing:
    """Cycles of the whole computation on one core, data in the nearest cache, for tiles with one lane dimension."""

    def __init__(
        self, p: Problem, machine: Machine, lane: str | None, lanes: int, work: _Operations, inputs: list[_Input]
    ) -> None:
        self.p, self.machine, self.lane, self.lanes, self.work, self.inputs = p, machine, lane, lanes, work, inputs
        e, price = p.expression, prices(machine, p.threads, lanes, lanes * widest(p))
        number = price if machine.warps else prices(machine, p.threads, 1)  # what is the same in all lanes is no vector
        self.beside = [(dims, (price if lane in dims else number).operation) for dims in work.shared]
        self.state = len(p.operator.types) if p.operator else 0
        self.points, self.collapsing, self.waits = p.points, frozenset(p.inner), p.operator is not None
        fused = 1 if self.state == 1 and work.each > 1 else 0
        products = p.operator is not None and p.operator.sums_products(e.md_hom.function)
        self.passing = _PASSING_FUSED if products else _PASSING
        self.each = max(1, work.each - fused)
        # Operations of a step, of them those that wait for each other, and of a step of a whole range in one tile; of
        # what merges accumulators and lanes.
        self.chain = self.in_tile = self.each
        self._combining(price)
        self.reduction = max(1, prod(p.extents[d] for d in p.inner))
        self.masked = lane is not None and p.extents[lane] < lanes
        self.few = masked_cycles(machine, widest(p) // 8) if self.masked else (0.0, 0.0)
        # What becomes of a result of the innermost operator: it is stored, or combined by the next one.
        self.apart = (price.scattered if p.operator is None else price.apart) * lanes
        self.store = self.apart * taken_in_apart(p, lane)
        self.columns: list[str] = []  # what follow each other in results whose lanes lie apart
        self.in_line = results_in_line(p) if lane in p.inner and len(p.groups) == 1 else None
        if len(p.groups) > 1 and p.inner:
            self.store = price.operation * sum(counted(g.operator.function) for g in p.groups[:-1])
            self.store += price.operation * sum(counted(b.function) for b in e.between)
        else:
            near = beside(p, machine, e.out_view, lane, lanes, price, stored=True)
            for n, access in enumerate(e.out_view):
                kind = p.lane_kind(access, lane) if lane else "same"
                if kind != "apart":
                    self.store += price.store + (self.few[1] if kind == "contiguous" else 0.0)
                elif (along := row_dim(p, machine, access, lane)) is not None:
                    self.columns.append(along)
                else:
                    self.store += min(self.apart, near.get(n, inf))
                if lane in e.scattered:
                    self.store += price.extract * lanes
        self.varying = [tuple(d for d in p.extents if p.varies(a, d)) for a in e.inp_view]
        self.places: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}
        self.unions: dict[tuple[int, tuple[int, ...]], int] = {}
        self.wasted: dict[tuple[str, int], float] = {}
        plain = {i.number: (i.kind, i.load, i.along) for i in inputs if not i.packable}
        self.together, self.with_others = shifted(p, plain)
        self.loaded = [(item, _axes(p, item.number)) for item in inputs if item.number not in self.with_others]
        shared = (p.extents[d] > 1 and not is_scan(p, d) and reuses(p, d) for d in p.outer)
        self.alone = lane is not None and not any(shared)
        self.can_split_accumulators = can_split_accumulators(p)
        self.packed = frozenset(i.number for i in inputs if i.packable)
        self.far = bool(self.packed) and sum(map(p.bytes_of, e.out_view)) >= machine.capacity_bytes("L3")
        self.total_pack = sum(i.pack_cost for i in inputs if i.packable)
        self.prices, self.across, self.scattered = price, lane in p.inner, bool(e.scattered)
        self.scanned, self.slides = lane is not None and is_scan(p, lane), sliding_dims(p, lane)
        # What copies are made for along the lanes is what threads share, if there are just rows and columns.
        alone = lane in p.outer and sum(p.extents[d] > 1 for d in p.remaining) <= 2
        self.shared = lane if alone else None
        self.torn, self.rows = torn_store_cycles(p, machine, lane, lanes), [d for d in p.outer if d != lane]

    def _combining(self, price: Prices) -> None:
        """What accumulators and lanes take, as operators need it: arg-extrema compare scores."""
        p = self.p
        self.merged, self.across_steps = price.operation, (0.0, 0.0)
        longer, combined = beyond_one(p.expression, self.machine.features, self.lanes)
        if p.operator is not None and p.operator.score is not None:
            self.each, self.chain, self.merged, step = extremum_costs(p, price, self.lane)
            self.across_steps = step, step
        elif p.operator is not None:
            self.across_steps = combined_cycles(p, price, self.lanes, combined)
        self.each, self.in_tile, self.chain = self.each + longer, self.in_tile + longer, self.chain + combined

    def _distinct(self, item: _Input, counts: dict[str, int]) -> tuple[int, int]:
        """How many places an access reads, and how many rows (0: not counted)."""
        steps = tuple([counts.get(d, 1) for d in self.varying[item.number]])
        found = self.places.get((item.number, steps))
        if found is None:
            access = self.p.expression.inp_view[item.number]
            places = self.p.distinct(access, counts, self.lane, self.lanes)
            found = places, 0 if item.rows is None else self.p.distinct(item.rows, counts)
            self.places[item.number, steps] = found
        return found

    def _loads(self, item: _Input, counts: dict[str, int], places: int) -> int:
        """How many vectors are loaded for an access that names so many places: what shifted ones have in common once,
        and for the first of them."""
        if item.number in self.with_others:
            return 0
        group = self.together.get(item.number)
        if group is None:
            return places
        steps = tuple([counts.get(d, 1) for d in self.varying[item.number]])
        found = self.unions.get((item.number, steps))
        if found is None:
            found = self.unions[item.number, steps] = distinct_of(self.p, group, counts, self.lane, self.lanes)
        return found

    def _waste(self, counts: dict[str, int]) -> tuple[float, float]:
        """How much longer remainders make steps, and what is done once for each result, in all dimensions together:
        of results there are no more where one vector, full or not, is all that is combined to one in the end."""
        steps = counts if self.lane is None or self.lane in counts else {**counts, self.lane: 1}
        factor = of_results = 1.0
        for dim, count in steps.items():
            found = self.wasted.get((dim, count))
            if found is None:
                lanes = self.lanes if dim == self.lane else 1
                found = _waste(self.p.extents[dim], count, lanes, reused=self.p.operator is not None)
                self.wasted[dim, count] = found
            factor *= found
            if dim != self.lane or not self.across or (self.p.extents[dim] > self.lanes and count > 1):
                of_results *= found
        return factor, of_results

    def _arithmetic(self, counts: dict[str, int]) -> tuple[int, int, int, float, float]:
        """Steps, those that collapse, accumulators, cycles of arithmetic, and these with waiting for results."""
        steps = inner_steps = 1
        for dim, count in counts.items():
            steps *= count
            if dim in self.collapsing:
                inner_steps *= count
        accumulators = steps // inner_steps
        if self.can_split_accumulators and inner_steps > 1 and accumulators < self.prices.independent:
            for dim in split_accumulator_dims(self.p, self.machine, counts, self.lanes):
                accumulators *= counts[dim]
        waits = self.waits and inner_steps * (self.lanes if self.across else 1) < self.reduction
        arithmetic = (self.each if waits else self.in_tile) * self.prices.operation * steps
        for dims, cycles in self.beside:
            arithmetic += cycles * prod(counts.get(d, 1) for d in dims)
        waiting = arithmetic * self.chain / self.each * self.prices.independent / accumulators if waits else 0.0
        if self.alone:  # of short reductions the next ones are under way meanwhile
            rounds = self.reduction / (inner_steps * (self.lanes if self.across else 1))
            waiting /= max(1.0, LONG_CHAIN / (self.each * steps * rounds))
        return steps, inner_steps, accumulators, arithmetic, max(arithmetic, waiting)

    def _loading(self, item: _Input, counts: dict[str, int]) -> float:
        """Cycles of a vector of an input."""
        if item.step:
            among = prod([counts.get(d, 1) for d in item.between])
            return min(item.load, neighbours_cycles(self.prices, item.step, among, self.lanes))
        if item.along is None:
            return item.load + (self.few[0] if item.kind == "contiguous" else 0.0)
        return transposed_cycles(self.p, self.prices, item.along, counts, self.lanes, item.load, self.few[0])

    def _storing(self, counts: dict[str, int]) -> float:
        """Cycles of a vector of results."""
        if not self.columns:
            return self.store / min(self.lanes, counts.get(self.in_line, 1)) if self.in_line else self.store
        given = self.lanes, self.apart, self.few[1]
        return self.store + sum(transposed_cycles(self.p, self.prices, d, counts, *given) for d in self.columns)

    def _near(self, waiting: float, loads: float, arithmetic: float, spilled: int) -> float:
        """Of a step, data in the nearest cache."""
        return max(waiting, loads) + _NOT_HIDDEN * min(arithmetic, loads) + self.prices.spilled * max(0, spilled)

    def _held(self, accumulators: int) -> int:
        """Registers of accumulators and of vectors that pass; a complex number takes two for each."""
        return (accumulators + _PASSING_FUSED + self.machine.early_loads) * max(1, self.state)

    def least(self, counts: dict[str, int]) -> float:
        """At most what `price` comes to: steps along one axis read as many places as the dimension with the most."""
        steps, inner_steps, accumulators, arithmetic, waiting = self._arithmetic(counts)
        results = steps // inner_steps
        early = _EARLY_LOADS if inner_steps > 1 and results > 1 else 0
        loads, spilled = 0.0, self._held(accumulators) + early - self.machine.registers
        for item, axes in self.loaded:
            load = self._loading(item, counts)
            for dims in axes:
                load *= counts.get(dims[0], 1) if len(dims) == 1 else max([counts.get(d, 1) for d in dims])
            loads += load
        inner = (self._near(waiting, loads, arithmetic, spilled) + _LOOP) / steps
        per_result = (self._storing(counts) + (accumulators / results - 1) * self.merged) / self.reduction
        rounds, results_rounds = self._waste(counts)
        return self.points / self.lanes * (inner * rounds + per_result * results_rounds) + self.total_pack

    def price(self, counts: dict[str, int]) -> RegisterTile:
        p, machine, lanes, state, price = self.p, self.machine, self.lanes, self.state, self.prices
        steps, inner_steps, accumulators, arithmetic, waiting = self._arithmetic(counts)
        results = steps // inner_steps
        loads, kept, single, streams, few, from_far = 0.0, 0, 0, 0, price.streams, 0
        order = _order([d for d in p.outer if counts.get(d, 1) > 1], self.varying, counts)
        for item in self.inputs:
            places, rows = self._distinct(item, counts)
            if item.once:
                few, from_far = int(_STREAMS_ONCE * price.streams), from_far + places * item.bytes
                rows = places * lanes if item.kind == "apart" else rows  # each lane is in one of its own
            streams = max(streams, rows)
            read = self._loads(item, counts, places)
            loads += self._loading(item, counts) * read
            single += read if item.kind == "same" else 0
            if p.operator is not None:
                varying = self.varying[item.number]
                together = prod([counts.get(d, 1) for d in varying]) - places  # read by several of the steps
                turns = counts.get(self.lane or "", 1) if self.across else 1  # vectors of the row that lanes walk along
                # What is loaded under a mask is no operand of arithmetic in memory: it takes a register.
                masked = self.masked and item.kind == "contiguous"
                by_next = turns == inner_steps > 1 and not masked
                carried = ceil(together / (turns - 1)) if by_next else places // inner_steps
                kept = max(kept, carried if together or masked else _kept(order, varying, counts))
        if unrolled_together(self.slides, counts) and single + results + self.passing > machine.registers:
            loads += price.load * single * (results // counts.get(self.lane or "", 1) - 1)  # again for each row
        early = _EARLY_LOADS if inner_steps > 1 and results > 1 else 0  # loads of the next steps are moved up
        spilled = self._held(accumulators) + (min(kept, results) if results > 1 else 1) + early - machine.registers
        loop = _LOOP + (_WHOLE_STEP * inner_steps if inner_steps == self.reduction > _LONGER else 0.0)
        near, far = self._near(waiting, loads, arithmetic, spilled) + loop, from_far / price.stalls["MM"]
        tail = self._storing(counts) * results + (accumulators - results) * self.merged
        if self.far:
            tail += memory_store_cycles(p, machine, self.lane, lanes, counts) * results
        if self.torn and any(counts.get(d, 1) > 1 for d in self.rows):
            torn, hides = self.torn * results, near + tail
            tail += max(0.0, torn - hides) + _TORN_NOT_HIDDEN * min(torn, hides)
        if self.scanned:
            tail += price.scan_step * lanes.bit_length() * state * results  # lanes are scanned step by step
        if self.scattered:
            tail += max(0.0, price.same_cell - steps * lanes) * results  # a cell just stored is loaded again
        if self.across:
            pairs, alone = combining_steps(results, lanes)
            tail += self.across_steps[0] * pairs + self.across_steps[1] * alone
        per_result = tail / results / self.reduction * (lanes if self.across else 1)
        longer = 1 + price.per_stream * max(0, streams - few)
        if self.packed and self.shared is not None:
            longer *= _unevenness(p.extents[self.shared], counts.get(self.shared, 1) * lanes, p.threads)
        rounds, results_rounds = self._waste(counts)
        near *= rounds  # masked lanes take time, but no bytes of memory
        inner = (max(near, far) + _NOT_HIDDEN * min(near, far)) / steps
        cost = self.points / lanes * (inner + per_result * results_rounds) * longer + self.total_pack
        return RegisterTile(self.lane, lanes, counts, self.packed, cost, self.total_pack)


def _unevenness(extent: int, size: int, threads: int) -> float:
    """How much longer it takes than a thread's fair share, since tiles are not torn apart."""
    most = min(extent, ceil(ceil(extent / size) / threads) * size)
    return most * threads / extent


def _waste(extent: int, count: int, lanes: int, reused: bool) -> float:
    """How much longer remainders make it: a remainder runs with a tile of one step along its dimension.

    reused: what the steps of a tile have in common, accumulators that wait for each other included, is lost in it.
    """
    size = count * lanes
    if size == 1 or not extent:
        return 1.0
    full = extent // size
    steps = ceil((extent - full * size) / lanes)
    if not full and steps == count:
        return steps * lanes / extent  # one tile, of which the last vector is masked
    penalty = min(3.0, 1 + count / 4) if reused else 1.25  # else it is a loop of its own, no more
    return (full * count + steps * penalty) / (extent / lanes)
