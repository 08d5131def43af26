"""The analytic model: a good configuration from cache sizes, vector width and register count, without tuning.

Four decisions, each a small search over a cost in cycles: the dimension of the vector lanes; the register tile (loads
saved against registers used); blocks and copies for the caches; the dimensions that threads share.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.rewrites.fission import split
from jitmdh.mdh.lowering.configuration.constraints import MOST_PARTS_PER_CORE, WAITING
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.aligned_copies import aligned_copies
from jitmdh.mdh.lowering.model.blocks.estimate import Estimate
from jitmdh.mdh.lowering.model.blocks.search import best_blocks
from jitmdh.mdh.lowering.model.cache_blocking import Blocks, Contraction, blocks, contraction
from jitmdh.mdh.lowering.model.lanes import is_scan, split_accumulator_dims
from jitmdh.mdh.lowering.model.loop_order import in_best_order, in_row_blocks
from jitmdh.mdh.lowering.model.prefetch import prefetched_inputs
from jitmdh.mdh.lowering.model.register_tiling import (
    RegisterTile,
    RegisterTiles,
    best_tile,
    slowest_first,
)
from jitmdh.mdh.lowering.model.whole_cost import (
    TILES,
    along_other_lanes,
    best_whole,
    comparable,
    fewer_copies,
    shared_elsewhere,
)
from jitmdh.mdh.lowering.problem.nontemporal import streams
from jitmdh.mdh.lowering.problem.prices import prices
from jitmdh.mdh.lowering.problem.reuse import reads_once, slides
from jitmdh.mdh.lowering.problem.traffic import Problem, operations
from jitmdh.mdh.machine.model import Machine

# Long work is shared in more parts than there are cores: one that is held up by another process does less.
_PARTS_PER_CORE = 8
_WORTH_SHARING_FINELY = 1 << 22
# The share of their time that threads may wait for each other before another dimension is looked for.
_MOST_IDLE = 0.08
# Elements from which a prefix sum is worth reading twice to be shared among threads.
_LONG_SCAN = 1 << 16
# Terms of a contraction inside another operator that pay for storing its results.
_LONG_CONTRACTION = 128


@dataclass(frozen=True, slots=True)
class Choice:
    """A configuration and why: one line per decision.

    forced: somebody else's, not known to be legal. expected: what a GPU is expected to take for it; None: not known.
    """

    configuration: Configuration
    reasons: tuple[str, ...]
    forced: bool = False
    expected: Estimate | None = None


def choose(p: Problem, machine: Machine) -> Choice:
    """The configuration the model thinks best."""
    return _in_blocks(p, machine) or with_cores(p, machine)


def _in_blocks(p: Problem, machine: Machine) -> Choice | None:
    """Blocks of threads, where the machine and the computation can have them."""
    found = best_blocks(p, machine)
    if found is None:
        return None
    configuration, expected = found
    return Choice(configuration, (f"blocks of threads: {expected}",), expected=expected)


def with_cores(p: Problem, machine: Machine) -> Choice:
    """The best without blocks of threads: on a GPU, with warps as cores. What has been asked of a problem before is not
    looked for again: a search begins with what was chosen."""
    found: Choice | None = p.notes.get(("choice", machine))
    if found is None:
        found = p.notes["choice", machine] = _checked_in_use(p, _waiting(p, machine) or _whole(p, machine))
    return found


def _whole(p: Problem, machine: Machine) -> Choice:
    """The best of whole configurations, where these can be compared; else what goes best with the cheapest tile."""
    if not comparable(p):
        return configured(p, machine, best_tile(p, machine))
    ways: dict[tuple[int, bool | None], Blocks] = {}
    made: dict[int, list[tuple[Blocks, Choice]]] = {}

    def of(tile: RegisterTile, blocked: bool | None) -> Configuration:
        """The same object for the same blocks: with a tile, both ways are rarely different from the best."""
        blocked_so = blocks(p, machine, tile, blocked)
        known = made.setdefault(id(tile), [])
        found = next((choice for other, choice in known if other == blocked_so), None)
        if found is None:
            found = _with_blocks(p, machine, tile, blocked_so, elsewhere=False)
            known.append((blocked_so, found))
        ways[id(tile), blocked] = blocked_so
        return found.configuration

    every = RegisterTiles(p, machine)
    found = best_whole(p, machine, every.cheapest(TILES), of)
    tile, blocked = along_other_lanes(p, machine, found, every, of)
    choice = _with_blocks(p, machine, tile, ways[id(tile), blocked])
    fewer = fewer_copies(p, machine, tile, choice.configuration)
    if fewer is choice.configuration:
        return choice
    kept = {number for number, _, _ in fewer.input_region}
    names = {p.expression.inp_view[n].buffer for n, _, _ in choice.configuration.input_region if n not in kept}
    why = f"not packed: {', '.join(sorted(names))}, which takes longer than it saves"
    return replace(choice, configuration=fewer, reasons=(*choice.reasons, why))


def _checked_in_use(p: Problem, choice: Choice) -> Choice:
    """Results wait until all subscripts from data have been looked at, where that is less than to read these twice."""
    e = p.expression
    if not p.checkable_in_use or e.scattered or e.has_prefix_sum or len(p.groups) != 1:
        return choice
    results, collapsed = set(e.remaining), set(e.collapsed)
    depends = [e.indirect_depends(n) for n in e.indirect if n.extent is not None]
    if not any(results <= d and collapsed & d for d in depends):
        return choice
    return replace(
        choice,
        configuration=replace(choice.configuration, output_region=WAITING),
        reasons=(*choice.reasons, "results wait in memory: subscripts from data are looked at where they are used"),
    )


def _waiting(p: Problem, machine: Machine) -> Choice | None:
    """A long contraction inside another operator needs blocks, and these that its results wait in memory; else None."""
    if len(p.groups) < 2 or p.groups[-1].scan or prod(p.extents[d] for d in p.inner) < _LONG_CONTRACTION:
        return None
    at = len(p.groups) - 1
    inner = p.of(split(p.expression, at, [f"between{n}" for n in range(p.groups[at].operator.arity)])[0])
    tile = best_tile(inner, machine)
    if contraction(inner, tile) is None:
        return None
    choice = configured(inner, machine, tile)
    if not choice.configuration.input_region:
        return None
    configuration = replace(choice.configuration, output_region=WAITING, scalar_output_region="REG")
    return replace(
        choice,
        configuration=configuration,
        reasons=(*choice.reasons, "results of the inner operator wait in memory: it is worth blocks"),
    )


def configured(p: Problem, machine: Machine, tile: RegisterTile, blocked: bool | None = None) -> Choice:
    """What goes best with a tile. blocked: with blocks and copies for the caches where there can be; None: if good."""
    return _with_blocks(p, machine, tile, blocks(p, machine, tile, blocked))


def _with_blocks(p: Problem, machine: Machine, tile: RegisterTile, blocked: Blocks, elsewhere: bool = True) -> Choice:
    """elsewhere: cores along another dimension are looked at, too; what is compared with others goes without."""
    order, sizes, copies, reasons = blocked
    sizes = [*sizes, *_tile_sizes(p, tile)]
    split = split_accumulator_dims(p, machine, tile.counts, tile.lanes)
    shared = [level.dim for level in order if level.layer == "COR"]
    cores = shared or _cores(p, tile)
    # Along a prefix sum the rows of a part are walked one below the other: narrow parts would be all page misses.
    wide = p.expression.has_prefix_sum and cores[:1] == [tile.lane]
    repeated = any(level.dim for _, level, _, _ in copies)  # by each part: few ones are better
    if (shared or not repeated) and not wide and p.points * operations(p.expression) >= _WORTH_SHARING_FINELY:
        parts = [Level("COR", d) for d in cores[:1]]
        each = _parts_per_core(p, machine)
        sizes = [*((level, -each) for level in parts if level not in dict(sizes)), *sizes]
    collapsed = p.collapsed
    streaming = streams(p, machine, tile.lane, tile.lanes, tile.counts, bool(copies))
    loops = [level.dim for level in order if p.constant_extent(level.dim) != tile.size(level.dim)]
    copied, run = {n for n, _, _, _ in copies}, _run_points(p, tile, sizes, loops)
    prefetched = prefetched_inputs(p, machine, tile.lane, loops, copied, run, tile.size(tile.lane or ""))
    reasons = [
        f"lanes: {tile.lanes} of {tile.lane or 'no dimension'}",
        "register tile: " + (", ".join(f"{d} {tile.size(d)}" for d in p.extents if tile.size(d) > 1) or "one point"),
        "threads: " + (", ".join(cores) or "one"),
        *reasons,
    ]
    if streaming:
        reasons.append("non-temporal stores: results are larger than the caches")
    if prefetched:
        names = ", ".join(dict.fromkeys(p.expression.inp_view[n].buffer for n in prefetched))
        reasons.append(f"prefetch: {names}")
    levels = (*(() if shared else (Level("COR", d) for d in cores)), *order)
    configuration = Configuration(
        part_size=tuple(sizes),
        decomposition_order=levels,
        scalar_order=levels + _points(p, tile, sizes),
        recomposition_order=tuple(Level("REG", d) for d in split) + levels if split else levels,
        input_region=tuple((n, level, region) for n, level, region, _ in copies),
        input_layout=tuple((n, layout) for n, _, _, layout in copies),
        scalar_input_region=tuple((n, "MM") for n in prefetched),
        scalar_output_region="MM" if streaming else "REG",
    )
    assert set(split) <= set(collapsed)
    if (other := in_best_order(p, machine, tile, configuration)) is not configuration:
        configuration = other
        reasons.append("loops over results: in the order that moves the fewest bytes")
    if elsewhere and (other := shared_elsewhere(p, machine, tile, configuration)) is not configuration:
        configuration = other
        reasons[2] = f"threads: {other.decomposition_order[0].dim}, where parts read less again"
    if (in_blocks := in_row_blocks(p, machine, tile, configuration)) is not configuration:
        configuration = in_blocks
        reasons.append(f"rows that lanes jump between: {in_blocks.part_size[-1][1]} at a time")
    return _with_aligned_copies(p, machine, tile, Choice(configuration, tuple(reasons)))


def _with_aligned_copies(p: Problem, machine: Machine, tile: RegisterTile, choice: Choice) -> Choice:
    """With copies of what would else be read across cache lines all the time."""
    c = choice.configuration
    elsewhere = {n for n, _, _ in c.input_region} | {n for n, _ in c.scalar_input_region}
    copies = aligned_copies(p, machine, tile, elsewhere)
    if not copies:
        return choice
    names = ", ".join(dict.fromkeys(p.expression.inp_view[n].buffer for n, _ in copies))
    c = replace(
        c,
        input_region=(*c.input_region, *((n, Level("MM", ""), "L2") for n, _ in copies)),
        input_layout=(*c.input_layout, *copies),
    )
    return replace(choice, configuration=c, reasons=(*choice.reasons, f"packed: {names}, rows aligned to cache lines"))


def _parts_per_core(p: Problem, machine: Machine) -> int:
    """In how many parts long work is shared, for each core.

    Reading, all cores wait for the same memory, which serves one before the other: they take turns in parts.
    """
    e = p.expression
    if e.scattered or e.has_prefix_sum:
        return _PARTS_PER_CORE
    # Where points share elements, parts would share their rows, too.
    streamed = sum(p.bytes_of(a) for a in e.inp_view if reads_once(p, a))
    return min(MOST_PARTS_PER_CORE, max(_PARTS_PER_CORE, streamed // (p.threads * prices(machine).part_bytes)))


def _run_points(p: Problem, tile: RegisterTile, sizes: list[tuple[Level, int]], loops: list[str]) -> int:
    """Points along the lanes and along the innermost loop that one run of it takes; 0 where it goes along the lanes."""
    if not loops or tile.lane in (None, loops[-1]):
        return 0
    blocks = [n for level, n in sizes if level.dim == loops[-1] and level.layer in ("MM", "L3", "L2")]
    return tile.size(tile.lane or "") * min([p.extents[loops[-1]], *blocks])


def _points(p: Problem, tile: RegisterTile, sizes: list[tuple[Level, int]]) -> tuple[Level, ...]:
    """The order of the unrolled points, where it is not the one that they are written in."""
    order = slowest_first(p, tile.counts)
    if p.operator is None or slides(p, tile.lane, tile.counts) or order == [d for d in p.outer if d in order]:
        return ()
    inner = [d for d in p.inner if dict(sizes).get(Level("L1", d), 1) > (tile.lanes if d == tile.lane else 1)]
    return tuple(Level("REG", d) for d in (*inner, *order))


def _tile_sizes(p: Problem, tile: RegisterTile) -> list[tuple[Level, int]]:
    sizes = []
    for dim in p.extents:
        if tile.size(dim) > 1:
            sizes.append((Level("L1", dim), tile.size(dim)))
        if dim == tile.lane and tile.lanes > 1:
            sizes.append((Level("REG", dim), tile.lanes))
    return sizes


def _cores(p: Problem, tile: RegisterTile) -> list[str]:
    """Dimensions to share among threads: remaining ones with enough tiles, else a collapsed one."""
    if p.threads < 2:
        return []
    ragged = {d.name for d in p.expression.ragged}
    remaining = [d for d in p.remaining if not is_scan(p, d)]
    counts = {d: p.extents[d] // max(1, tile.size(d)) for d in p.extents}
    scan = [d for d in p.remaining if is_scan(p, d) and d not in ragged]
    rows = prod(p.extents[d] for d in remaining)
    # What a prefix sum takes in may be shared, too, if that is reductions: then they are computed first.
    long = bool(scan) and (p.extents[scan[0]] >= _LONG_SCAN or (bool(p.inner) and p.extents[scan[0]] >= 2 * p.threads))
    if long and p.shared_reductions and rows < 2 * p.threads:
        return scan[:1]
    remaining = [d for d in remaining if d not in ragged]
    outer = [d for d in remaining if d != tile.lane] + [d for d in remaining if d == tile.lane]
    if p.operator is None and tile.lane and any(p.lane_kind(a, tile.lane) == "apart" for a in p.expression.out_view):
        outer = [*outer[-1:], *outer[:-1]]  # whole rows of the results, none of which cores share
    outer.sort(key=lambda d: d in p.expression.scattered)
    plan = contraction(p, tile)
    if plan is not None and counts[plan.columns] >= 4 * p.threads and _right_is_most(p, plan):
        # Columns of one product, where else all threads would read all of the largest matrix; of many products, each
        # thread takes whole ones, with all that they read.
        many = any(counts[d] >= 2 * p.threads for d in outer if d not in (plan.rows, plan.columns))
        outer = outer if many else [plan.columns, *(d for d in outer if d != plan.columns)]
    chosen: list[str] = []
    parts = 1
    enough = [d for d in outer if counts[d] >= 2 * p.threads]
    if enough:
        return [min(enough, key=lambda d: _idle(counts[d], p.threads) > _MOST_IDLE)]
    for dim in outer:
        if counts[dim] >= 2 and dim not in p.expression.scattered:
            chosen.append(dim)
            parts *= counts[dim]
            if parts >= p.threads:
                return chosen
    shared = [d for d in outer if d in p.expression.scattered]
    if shared:
        return shared[:1]
    return _shared_reduction(p, counts) or chosen


def _right_is_most(p: Problem, plan: Contraction) -> bool:
    """Whether what varies with columns is more than all else: threads that share columns share rows of results."""
    e = p.expression
    right = sum(p.bytes_of(e.inp_view[n]) for n in plan.right)
    left = sum(p.bytes_of(e.inp_view[n]) for n in plan.left)
    return right > left + sum(p.bytes_of(a) for a in e.out_view)


def _idle(tiles: int, threads: int) -> float:
    """The share of the time that threads wait for those that have a tile more."""
    rounds = -(-tiles // threads)
    return 1 - tiles / (rounds * threads)


def _shared_reduction(p: Problem, counts: dict[str, int]) -> list[str]:
    """A dimension that collapses, of the outermost operator with enough parts; none where that is not allowed."""
    if not p.shared_reductions or p.expression.has_prefix_sum:
        return []
    ragged = {d.name for d in p.expression.ragged}
    if ragged.intersection(p.remaining):
        return []  # how many results each core has of its own, data say
    for enough in (2 * p.threads, 2):
        for group in p.groups:
            names = [n for n in group.names if n not in ragged]
            if not names:
                continue
            dim = max(names, key=lambda d: p.extents[d])
            alone = len(group.names) == 1 or group.operator.commutative
            if counts[dim] >= enough and alone:
                return [dim]
    return []
