"""Blocks and copies for the caches: computations with reuse in two directions, in Goto's scheme as parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil, prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.configuration.constraints import MOST_PARTS_PER_CORE
from jitmdh.mdh.lowering.configuration.tuning_parameters import Level
from jitmdh.mdh.lowering.model.lanes import can_split_accumulators, is_scan
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile
from jitmdh.mdh.lowering.model.transposition import packable, transposable
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, PAGE_BYTES, prices
from jitmdh.mdh.lowering.problem.reuse import reads_once
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.layout import Layout
from jitmdh.mdh.machine.model import Machine

# Rows of tiles that an input must serve to be worth a copy of its own.
_FEW_TILES = 6
# Panels of columns that are not worth making: the last one is computed with as a whole.
_FEW_PANELS = 3
# Rows are shared among threads in at least this many tiles for each; columns, whose parts copy all rows, in wider ones.
_TILES_PER_THREAD = 8
_LINES_PER_THREAD = 16
# Parts for each thread where a condition gives them unequal work: of a triangle, the largest of eight is a quarter.
_UNEVEN_PARTS = 4
# Steps of the depth without a branch between them.
_STEPS = 2
# From this depth on the rows of an input lie so far apart that each is a stream of its own.
_DEEP = 256

# An element with so many uses costs little to copy, however that is done; code that does it well is long.
_MANY_USES = 256

# Rows that are read side by side at most, how many of them without a branch between, and bytes of a part for one core.
_STREAMED_ROWS, _STREAMED_STEPS, _STREAMED_PART = 16, 4, 1 << 19
# The share of the prefetcher's streams that rows from memory may have, beside the sums: with all of them, sums over 400
# rows of 20,000 numbers take 1.5 times as long, of products of two arrays 1.4 times (AMD EPYC, Zen 4).
_STREAMS_FROM_MEMORY = 0.5

# The share of L2 that copies which are made when they are used may take: what they are made of passes through it, too.
# And the share of L3 from which on a copy of all may go to main memory, with what it is made of, results and what else
# a processor does: an element took 0.2 ns up to 1 MB, 0.5 at 2.5 and 1.5 at 8.6 (Zen 4, of 32 MB).
_NEAR, _LARGE = 4, 8

# The share of the time of a tile's multiply-adds in which its lines may come from L2 without being seen. With tiles of
# 4 x 16 and 4 x 24 floats, whose shares are 1.0 and 0.9, products of 16 rows take 1.6 and 1.4 times as long in blocks
# of 256 steps, which L1 does not hold, as of 128 (AMD Zen 3).
_HIDDEN = 0.67

Copies = list[tuple[int, Level, str, Layout]]
Blocks = tuple[list[Level], list[tuple[Level, int]], Copies, list[str]]
"""Order of the loops, block sizes, copies, and why."""


def blocks(p: Problem, machine: Machine, tile: RegisterTile, blocked: bool | None = None) -> Blocks:
    """Order of the loops, block sizes, copies, and why. blocked: whether to block at all, None where it is good."""
    order = [Level("L1", d) for d in _loop_order(p, tile)]
    plan = contraction(p, tile)
    inputs = sum(p.bytes_of(a) for a in p.expression.inp_view if a.index)
    small = inputs <= machine.capacity_bytes("L2") // 2
    if plan is not None and not small:
        small = _few_rows(p, tile, plan) or _few_columns(p, machine, tile, plan) or each_in_l1(p, machine, plan)
    if blocked is None and plan is not None and _few_deep_rows(p, tile, plan):
        return _row_blocks(p, machine, tile, plan)
    if blocked is None and (streamed := _streamed_rows(p, machine, tile)) is not None:
        return streamed
    if blocked is None and plan is not None and _transposed_in_l1(p, machine, tile, plan):
        return _l1_panels(p, tile, plan)
    if plan is None or (small and not tile.packed if blocked is None else not blocked):
        levels = {n: Level("MM", "") for n in sorted(tile.packed)}
        if (near := _near_their_use(p, machine, tile, order)) is not None:
            order, number, level = near
            levels[number] = level
        copies: Copies = [(n, level, "L2", _panels(p, tile, n)) for n, level in levels.items()]
        copies += _strided_copies(p, machine, tile, order)
        steps: list[tuple[Level, int]] = []
        if (
            tile.packed
            and plan is None
            and tile.lane in p.remaining
            and len(p.inner) == 1
            and can_split_accumulators(p)
        ):
            steps = _steps(p, machine, tile, p.inner[0])
        return order, steps, copies, (["inputs are small or used too seldom for blocks"] if plan else [])
    return _contraction_blocks(p, machine, tile, plan)


def _loop_order(p: Problem, tile: RegisterTile) -> list[str]:
    """Remaining dimensions as written, the lane dimension last; then those of each operator, from the outermost."""
    remaining = [d for d in p.remaining if not is_scan(p, d)]
    if tile.lane in remaining:
        remaining = [d for d in remaining if d != tile.lane] + [tile.lane]
    plan = contraction(p, tile)
    if plan is not None:
        return [*remaining, *_walked(p, plan)]
    return [*remaining, *(name for group in p.groups for name in group.names)]


@dataclass(frozen=True, slots=True)
class Contraction:
    """A computation with reuse in two directions: `rows` × `columns` results over `depth`.

    left: accesses that vary with rows and depth; right: with columns (the lanes) and depth. Either is one access, or
    the parts of one (of complex numbers). Nothing that collapses has a say in others: numbers, or factors of rows,
    columns and results, which are read as results are.
    """

    rows: str
    columns: str
    depth: str
    left: tuple[int, ...]
    right: tuple[int, ...]


def contraction(p: Problem, tile: RegisterTile) -> Contraction | None:
    remaining, collapsed = p.remaining, p.collapsed
    if len(p.groups) != 1 or not collapsed or tile.lane not in remaining:
        return None
    if not can_split_accumulators(p):
        return None
    rows = next((d for d in tile.counts if d in remaining and d != tile.lane), None)
    if rows is None:
        return None
    key = "contraction", rows, tile.lane
    if key not in p.notes:
        p.notes[key] = _contraction(p, rows, tile.lane)
    found: Contraction | None = p.notes[key]
    return found


def _contraction(p: Problem, rows: str, lane: str) -> Contraction | None:
    depth = max(p.collapsed, key=lambda d: p.extents[d])
    view = p.expression.inp_view
    left = tuple(n for n, a in enumerate(view) if p.varies(a, rows) and p.varies(a, depth) and not p.varies(a, lane))
    right = tuple(n for n, a in enumerate(view) if p.varies(a, lane) and p.varies(a, depth))
    sides = [{view[n].index for n in side} for side in (left, right)]
    factors = sum(not p.varying(a).isdisjoint(p.collapsed) for a in view)
    if len(left) + len(right) != factors or [len(side) for side in sides] != [1, 1]:
        return None
    for n in (*left, *right):
        if not packable(p, view[n], lane):
            return None
    return Contraction(rows, lane, depth, left, right)


def _walked(p: Problem, plan: Contraction) -> list[str]:
    """What collapses, in the order in which what varies along the lanes lies in memory, in copies, too: step by step
    through it is from one row to the next."""
    access = p.expression.inp_view[plan.right[0]]
    places = {name: n for n, index in enumerate(access.index) for name in index.names}
    backwards = p.unit_axes.get(access.buffer) == 0 and len(access.index) > 1
    return sorted(p.collapsed, key=lambda d: -places.get(d, -1) if backwards else places.get(d, -1))


def _few_rows(p: Problem, tile: RegisterTile, plan: Contraction) -> bool:
    """Whether what varies along the lanes is used so few times that a copy of it does not pay."""
    return p.extents[plan.rows] <= _FEW_TILES * tile.size(plan.rows)


def _few_columns(p: Problem, machine: Machine, tile: RegisterTile, plan: Contraction) -> bool:
    """Whether panels would be few and partly empty, and what they would be made of is in L2 all the time anyway."""
    right = sum(p.bytes_of(p.expression.inp_view[n]) for n in plan.right)
    few = p.extents[plan.columns] <= _FEW_PANELS * tile.size(plan.columns)
    return few and right <= machine.capacity_bytes("L2") // 8


def each_in_l1(p: Problem, machine: Machine, plan: Contraction) -> bool:
    """Whether it is many products, and L1 holds what varies along the lanes of each: copied, it would be no nearer."""
    view = p.expression.inp_view
    others = [d for d in p.remaining if d not in (plan.rows, plan.columns) and p.extents[d] > 1]
    many = [d for d in others if all(p.varies(view[n], d) for n in plan.right)]
    inside = {**p.extents, **dict.fromkeys(many, 1)}
    sizes = (p.expression.buffer(view[n].buffer).type.size_bytes * p.footprint(view[n], inside) for n in plan.right)
    return bool(many) and sum(sizes) <= machine.capacity_bytes("L1")


def _few_deep_rows(p: Problem, tile: RegisterTile, plan: Contraction) -> bool:
    """Whether the few rows are long and used so often that copies of them pay."""
    others = set(p.extents) - {plan.rows, plan.columns, plan.depth}
    alone = prod(p.extents[d] for d in others) == 1
    often = p.extents[plan.columns] >= 2 * _FEW_TILES * tile.size(plan.columns)
    return alone and often and p.extents[plan.depth] >= _DEEP and not tile.packed and _few_rows(p, tile, plan)


def _streamed_rows(p: Problem, machine: Machine, tile: RegisterTile) -> Blocks | None:
    """Sums over the rows of a matrix: some rows from end to end, then the next ones, and the sums wait near the core.

    A register tile that goes down all rows before its neighbour does would meet each page of the matrix again.
    None for other computations, and where all of it is near.
    """
    lane, e = tile.lane, p.expression
    if lane is None or lane not in p.remaining or is_scan(p, lane) or len(p.collapsed) != 1 or tile.packed:
        return None
    if not can_split_accumulators(p) or e.indirect or e.scattered or e.md_hom.guard:
        return None
    depth = p.collapsed[0]
    rows = [a for a in e.inp_view if p.lane_kind(a, lane) == "contiguous" and p.lane_kind(a, depth) == "apart"]
    # Rows of several axes are walked from end to end, too: results along all of them wait.
    along = [d for d in p.remaining if d != lane and rows and all(_inside(a, depth, d, lane) for a in rows)]
    if not along and p.extents[lane] <= tile.size(lane):
        return None
    if any(p.varies(a, lane) and p.lane_kind(a, depth) == "contiguous" for a in e.inp_view):
        return None  # which is read from end to end where tiles go down all rows
    near = machine.capacity_bytes("L2") // 2
    bytes_each = {a.buffer: e.buffer(a.buffer).type.size_bytes for a in (*e.inp_view, *e.out_view)}
    row = {d: p.extents[d] for d in (*along, lane)}
    far = sum(bytes_each[a.buffer] * p.footprint(a, {**row, depth: p.extents[depth]}) for a in rows)
    waiting = sum(bytes_each[a.buffer] * p.footprint(a, row) for a in e.out_view)
    if not rows or not all(reads_once(p, a) for a in rows) or far <= 2 * near or waiting > near:
        return None
    step = tile.size(depth)
    sizes_of_rows = Counter[str]()  # the parts of complex numbers are in the same ones
    for part in {a.buffer: a for a in rows}.values():
        sizes_of_rows[e.buffer(part.buffer).of or part.buffer] += bytes_each[part.buffer] * p.footprint(part, row)
    block = _rows_at_a_time(machine, far, [*sizes_of_rows.values()], step if step > 1 else _STREAMED_STEPS)
    if p.extents[depth] <= block:
        return None
    outer = [d for d in p.remaining if d != lane and d not in along]
    # Of an arg-extremum that meets all its points in order only the scores are compared: tiles go down all rows.
    ordered = p.operator is not None and p.operator.score is not None
    blocked = [] if ordered else [Level("MM", depth)]
    order = [*(Level("L1", d) for d in outer), *blocked, *(Level("L1", d) for d in (*along, lane, depth))]
    sizes = [*((level, block) for level in blocked), *_steps(p, machine, tile, depth, _STREAMED_STEPS)]
    # Parts of the rows have sums of their own, which are few beside what is read for them.
    several = far >= p.threads * 2 * _STREAMED_ROWS * waiting
    if p.threads > 1 and p.shared_reductions and several and prod(p.extents[d] for d in outer) == 1:
        parts = far // (p.threads * max(_STREAMED_PART, 4 * _STREAMED_ROWS * waiting))
        order.insert(0, Level("COR", depth))
        sizes.append((order[0], -max(1, min(MOST_PARTS_PER_CORE, parts))))
    how = "tiles go down all rows of a part" if ordered else f"rows are read from end to end, {block} at a time"
    return order, sizes, [], [how]


def _rows_at_a_time(machine: Machine, far: int, rows: Sequence[int], step: int) -> int:
    """Rows of each array, in steps of a tile: the more, the less often sums are read and written, and the more streams
    prefetchers have to follow, one for each page. far: bytes of all arrays; rows: of a row of each."""
    streams = machine.figures.streams * (_STREAMS_FROM_MEMORY if 2 * far > machine.capacity_bytes("L3") else 1)
    most = streams / sum(min(1.0, size / PAGE_BYTES) for size in rows)
    return max(step, min(_STREAMED_ROWS // step, ceil(most / step)) * step)


def _inside(access: Access, depth: str, dim: str, lane: str) -> bool:
    """Whether an access moves along one axis each by `depth`, by `dim` and by `lane`, which are in this order."""
    axes = [[n for n, index in enumerate(access.index) if index.coefficient(name)] for name in (depth, dim, lane)]
    return all(len(found) == 1 for found in axes) and axes[0] < axes[1] < axes[2]


def _row_blocks(p: Problem, machine: Machine, tile: RegisterTile, plan: Contraction) -> Blocks:
    """What varies along the lanes is used by few tiles, one right after the other; the rows are copied."""
    view = p.expression.inp_view
    size = p.expression.buffer(view[plan.right[0]].buffer).type.size_bytes * len(plan.right)
    panel, capacity = size * tile.size(plan.columns), machine.capacity_bytes("L1")
    depth = capacity // panel
    lines = panel + LINE_BYTES  # of a row of a tile: one more than fit, as rows begin anywhere in a line
    price, vectors = prices(machine), tile.size(plan.rows) * tile.size(plan.columns) / tile.lanes
    if lines / price.stalls["L2"] > _HIDDEN * price.operation * vectors:
        # Then the nearest cache holds those of a block, those of the next one, which are asked for meanwhile, and rows.
        depth = capacity // (2 * lines + size * p.extents[plan.rows])
    depth = _even(p.extents[plan.depth], max(64, depth), 4)
    outer = [d for d in p.remaining if d not in (plan.rows, plan.columns)]
    rest = [d for d in p.collapsed if d != plan.depth]
    order = [Level("MM", plan.depth), *(Level("L1", d) for d in (*outer, plan.columns, plan.rows, *rest, plan.depth))]
    sizes = [(Level("MM", plan.depth), depth), *_steps(p, machine, tile, plan.depth)]
    copies: Copies = [(n, Level("MM", plan.depth), "L2", _panels(p, tile, n)) for n in plan.left]
    names = ", ".join(view[n].buffer for n in plan.left)
    return order, sizes, copies, [f"blocks: {plan.depth} {depth}, for few rows", f"copies: {names} into L2 panels"]


def _transposed_in_l1(p: Problem, machine: Machine, tile: RegisterTile, plan: Contraction) -> bool:
    """Whether what varies along the lanes is best transposed where it is used: one tile of columns at a time.

    It fits L1, as wide as the tile and all of the depth; rows, which each tile of columns goes through, stay in L2.
    """
    if tile.packed != set(plan.right):
        return False
    view = p.expression.inp_view
    others = [d for d in p.extents if d not in (plan.rows, plan.columns, plan.depth) and p.extents[d] > 1]
    if any(d in p.collapsed or not p.varies(view[plan.right[0]], d) for d in others):
        return False  # it would be transposed again and again
    size = p.expression.buffer(view[plan.right[0]].buffer).type.size_bytes * len(plan.right)
    panel = size * tile.size(plan.columns) * p.extents[plan.depth]
    rows = sum(p.footprint(view[n], {**p.extents, **dict.fromkeys(others, 1)}) for n in plan.left) * size
    fits = 3 * panel <= 2 * machine.capacity_bytes("L1") and 2 * rows <= machine.capacity_bytes("L2")
    return fits and all(transposable(p, view[n], tile.lane) for n in plan.right)


def _l1_panels(p: Problem, tile: RegisterTile, plan: Contraction) -> Blocks:
    """Each thread turns what a tile of columns needs, and takes all rows through it."""
    outer = [d for d in p.remaining if d not in (plan.rows, plan.columns)]
    rest = [d for d in p.collapsed if d != plan.depth]
    order = [Level("L1", d) for d in (*outer, plan.columns, plan.rows, *rest, plan.depth)]
    if prod(p.extents[d] for d in outer) == 1 and p.extents[plan.columns] >= 2 * p.threads * tile.size(plan.columns):
        order.insert(0, Level("COR", plan.columns))
    level = Level("L1", plan.columns)
    copies: Copies = [(n, level, "L1", _panels(p, tile, n)) for n in plan.right]
    names = ", ".join(p.expression.inp_view[n].buffer for n in plan.right)
    return order, [], copies, [f"copies: {names} into L1, transposed for each tile of {plan.columns}"]


def _steps(
    p: Problem, machine: Machine, tile: RegisterTile, depth: str, steps: int = _STEPS
) -> list[tuple[Level, int]]:  # fmt: skip
    """Unrolled steps of the depth, where the tile has none, and registers hold what they have in common."""
    if tile.size(depth) > 1 or p.extents[depth] <= steps or _shares_too_much(p, machine, tile, depth):
        return []
    return [(Level("L1", depth), steps)]


def _shares_too_much(p: Problem, machine: Machine, tile: RegisterTile, depth: str) -> bool:
    """Whether steps of the depth use the same elements of inputs, and registers do not hold these beside the results
    and what a step loads.

    One step loads them as operands of its arithmetic, several keep them. In tiles of 24 vectors two steps at a time of
    Σ_k B[i, j] · C[i, k] · D[k, j] take 1.45 to 1.75 times as long as one, of Σ_k w[j] · C[i, k] · D[k, j] 1.9 times,
    of Σ_k max(B[i, j], C[i, k] · D[k, j]) 1.1 times (AMD EPYC, Zen 4).
    """
    accesses = [a for a in p.expression.inp_view if p.varying(a)]
    if all(p.varies(a, depth) for a in accesses):
        return False
    results = prod(tile.counts.get(d, 1) for d in p.outer)
    return results + sum(p.distinct(a, tile.counts, tile.lane, tile.lanes) for a in accesses) > machine.registers


# A thread's part of the columns takes three quarters of L2, or a quarter of L3, which threads share; or copies of rows
# that are made again for each part take a 32nd of the time. On an AMD EPYC (Zen 3, L2 of 512 KiB) products of 2048^3
# take 208 ms in one part for each thread, 217 in two, 233 in three, 253 in seven (doubles), 110 to 123 (floats): the
# benchmarks' `matmul` decorated with `schedule={"part_size": {"(COR,j)": -parts}}`, in turns.
_HOLDS_PART = (4 / 3, "L2"), (4.0, "L3")
_COPYING_AGAIN = 1 / 32


def _contraction_blocks(p: Problem, machine: Machine, tile: RegisterTile, plan: Contraction) -> Blocks:
    """Depth blocks for L1, row blocks for L2; inputs packed into panels (Goto's scheme as parameters)."""
    view = p.expression.inp_view
    right, left = plan.right[0], plan.left[0]
    parts = len(plan.left)
    size = p.expression.buffer(view[left].buffer).type.size_bytes * parts
    rows, columns = tile.size(plan.rows), tile.size(plan.columns)
    outer = _copied_once(p, machine, plan, [d for d in p.remaining if d not in (plan.rows, plan.columns)])
    rest, walked = [d for d in p.collapsed if d != plan.depth], _walked(p, plan)
    other = prod(p.extents[d] for d in rest)
    near = machine.capacity_bytes("L1") // 2 // (size * rows * other)
    middle = machine.capacity_bytes("L2") // 4 // (size * columns * other)
    step = tile.size(plan.depth) if tile.size(plan.depth) > 1 else 4
    depth = _even(p.extents[plan.depth], max(16, min(near, middle, 384)), step)
    # Results of a depth that is one block, also at the other sizes of this class, are complete when they are written.
    deep = [] if 2 * p.extents[plan.depth] <= min(near, middle, 384) else [(Level("MM", plan.depth), depth)]
    line = size * depth * other
    alone = prod(p.extents[d] for d in outer) == 1 and p.threads > 1
    # A thread that has columns of its own keeps their copy to itself, near it, and makes one of all rows.
    wide = alone and p.extents[plan.columns] >= _LINES_PER_THREAD * p.threads * tile.lanes
    # Else the copy of what varies along columns is shared; rows, with copies of their own, go to whoever is free.
    tall = alone and not wide and p.extents[plan.rows] >= _TILES_PER_THREAD * p.threads * rows
    cores = [Level("COR", plan.columns)] if wide else [Level("COR", plan.rows)] if tall else []
    row_block = max(rows, int((0.0625 if wide else 0.5) * machine.capacity_bytes("L2")) // line // rows * rows)
    row_block = _even(p.extents[plan.rows], row_block, rows)
    order = [*(Level("L1", d) for d in outer), *cores[:wide], *(level for level, _ in deep),
             *cores[wide:], Level("L3", plan.rows),
             Level("L1", plan.columns), Level("L1", plan.rows),
             *(Level("L1", d) for d in walked)]  # fmt: skip
    sizes = [*deep, (Level("L3", plan.rows), row_block), *_steps(p, machine, tile, walked[-1])]
    if wide:
        parts = _parts_of_columns(p, machine, tile, plan, line)
        if any(plan.columns in g.names for g in p.expression.md_hom.guard):
            parts = max(parts, _UNEVEN_PARTS)
        sizes.append((cores[0], -min(MOST_PARTS_PER_CORE, parts)))
    innermost = Level("MM", plan.depth) if deep else Level("L1", outer[-1]) if outer else Level("MM", "")
    if wide and not deep:
        innermost = cores[0]
    levels = [_copy_level(p, machine, outer, right, 2 * len(plan.right)) or innermost]
    uses = prod(p.extents[d] // tile.size(d) for d in p.remaining if not p.varies(view[left], d))
    if uses > 2 or left in tile.packed:
        levels.append(_copy_level(p, machine, outer, left, 4 * parts) or Level("L3", plan.rows))
    copies: Copies = [
        (n, level, region, _panels(p, tile, n))
        for side, level, region in zip((plan.right, plan.left), levels, ("L3", "L2"))
        for n in side
    ]
    reasons = [
        f"cache blocks: {f'{plan.depth} {depth} for L1, ' * len(deep)}{plan.rows} {row_block} for L2",
        "packed: " + ", ".join(f"{view[n].buffer} into {region} panels" for n, _, region, _ in copies),
    ]
    return order, sizes, copies, reasons


def _parts_of_columns(p: Problem, machine: Machine, tile: RegisterTile, plan: Contraction, line: int) -> int:
    """In how many parts a thread takes its columns: so many that L2 holds the copy of one, but no more than copies of
    all rows, which each part makes again, are worth: what L2 does not hold comes from L3 while tiles compute."""
    columns, price = ceil(p.extents[plan.columns] / p.threads), prices(machine, p.threads, tile.lanes)
    by_l2, by_l3 = (ceil(times * line * columns / machine.capacity_bytes(layer)) for times, layer in _HOLDS_PART)
    size = p.expression.buffer(p.expression.inp_view[plan.left[0]].buffer).type.size_bytes
    copying = price.transposed(max(2, tile.lanes)) + size / price.stalls["MM"]  # of an element
    computing = price.operation / tile.lanes  # with it, for each column
    return min(by_l2, max(by_l3, int(columns * computing * _COPYING_AGAIN / copying), 1))


def _near_their_use(
    p: Problem, machine: Machine, tile: RegisterTile, order: list[Level]
) -> tuple[list[Level], int, Level] | None:  # fmt: skip
    """An order of the loops in which parts of the one large input to be copied are copied when they are used, and once
    only; its number, and the level. None: there is none.

    Copied as a whole, it is written to main memory, and read from there.
    """
    view = p.expression.inp_view
    far = [n for n in tile.packed if _LARGE * p.bytes_of(view[n]) > machine.capacity_bytes("L3")]
    if len(far) != 1 or not can_split_accumulators(p) or tile.lane not in p.remaining:
        return None
    access = view[far[0]]
    outer = [d for d in p.remaining if d != tile.lane]
    unit = p.unit_axes.get(access.buffer)
    rows = access.index[unit].names if unit is not None and unit < len(access.index) else ()  # read as a whole
    around = [d for d in outer if p.varies(access, d) and p.extents[d] > tile.size(d) and d not in rows]
    shared = [d for d in around if p.extents[d] >= 2 * p.threads * tile.size(d)]
    if any(is_scan(p, d) for d in p.remaining) or not shared or _levels_of(order) != {"L1"}:
        return None
    inside, size = dict(p.extents), p.expression.buffer(access.buffer).type.size_bytes
    for dim in around:
        inside[dim] = tile.size(dim)
        if size * p.footprint(access, inside) <= machine.capacity_bytes("L2") // _NEAR:
            rest = [level for level in order if level.dim not in around]
            cores = [Level("COR", shared[0])] if p.threads > 1 else []
            return [*cores, *(Level("L1", d) for d in around), *rest], far[0], Level("L1", dim)
    return None


def _levels_of(order: list[Level]) -> set[str]:
    return {level.layer for level in order}


def _strided_copies(p: Problem, machine: Machine, tile: RegisterTile, order: list[Level]) -> Copies:
    """Copies of inputs whose neighbours along the innermost reduction lie apart: each step would need a line more."""
    copies: Copies = []
    if not p.collapsed or not can_split_accumulators(p):
        return copies
    outer = [level.dim for level in order if level.dim in p.remaining]
    for n, access in enumerate(p.expression.inp_view):
        if n in tile.packed or tile.lane is None or p.varies(access, tile.lane) or not packable(p, access, tile.lane):
            continue
        if p.lane_kind(access, order[-1].dim) != "apart" or p.bytes_of(access) <= machine.capacity_bytes("L1") // 4:
            continue
        uses = prod(p.extents[d] // tile.size(d) for d in p.remaining if not p.varies(access, d))
        level = _copy_level(p, machine, outer, n, 4)
        if uses >= _FEW_TILES and level is not None:
            copies.append((n, level, "L2", _panels(p, tile, n)))
    return copies


def _copied_once(p: Problem, machine: Machine, plan: Contraction, outer: list[str]) -> list[str]:
    """`outer` in an order in which no part of what varies along the lanes is copied again; as written, if so."""
    right, left = (p.expression.inp_view[n] for n in (plan.right[0], plan.left[0]))
    level = _copy_level(p, machine, outer, plan.right[0], 2 * len(plan.right))
    around = outer[: outer.index(level.dim) + 1] if level is not None and level.dim else []
    if all(p.varies(right, d) for d in around):
        return outer
    return sorted(outer, key=lambda d: (not p.varies(right, d), not p.varies(left, d)))


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


def _panels(p: Problem, tile: RegisterTile, number: int) -> Layout:
    """Panels as wide as the register tile, stored step by step of what the tile walks along."""
    access = p.expression.inp_view[number]
    wide: list[tuple[int, int]] = []
    walked: list[int] = []
    outside: list[int] = []
    for axis, index in enumerate(access.index):
        dims = [n for n in index.names if n in p.extents]
        size = tile.size(dims[0]) if dims else 1
        if dims and dims[0] in p.outer:
            if size > 1:
                wide.append((axis, size))
            else:
                outside.append(axis)
        else:
            walked.append(axis)
    wide.sort(key=lambda w: any(n == tile.lane for n in access.index[w[0]].names))
    panels = [*((a, 1) for a in outside), *wide]
    uses = p.points // max(1, p.footprint(access, p.extents))
    if uses < _MANY_USES and len(panels) > 1 and panels[0][0] == p.unit_axes.get(access.buffer):
        # Threads share the outermost digit; where it is not the source's rows, these are transposed in registers.
        panels[0], panels[1] = panels[1], panels[0]
    return (*panels, *((a, 1) for a in walked), *((a, 1) for a, _ in wide))
