"""What points of a computation have in common of what they read: the same elements, or elements a step further."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, PAGE_BYTES
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

_SHORT_BLOCK = 512  # bytes: of one that a tile takes nearly at once
_MOST_ROWS = 14  # of a window, in a tile
_MOST_UNROLLED = 32  # steps of a window in a tile: longer ones are loops


def reuses(p: Problem, dim: str) -> bool:
    """Whether neighbours along `dim` share inputs: some access does not vary with it, or shifts along it."""
    if p.operator is None:
        read = {(a.buffer, a.index) for a in p.expression.inp_view}
        moving = {(a.buffer, a.index) for a in p.expression.inp_view if p.varies(a, dim)}
        shifts = {(b, tuple(i.terms if i.coefficient(dim) else i for i in index)) for b, index in moving}
        return len(shifts) < len(moving) or (bool(moving) and len(moving) + 1 < len(read))
    for access in p.expression.inp_view:
        if not p.varies(access, dim):
            return True
        if any(a.coefficient(dim) and any(a.coefficient(k) for k in p.inner) for a in access.index):
            return True
    return False


def side_by_side(p: Problem, machine: Machine, lane: str | None, dim: str) -> int:
    """How many points along `dim` a tile may have: one, where each has blocks of its own in far caches or memory, and
    what they share is single numbers.

    v[e, i, j] += S[i, l] * r[e, l, j]: each `e` is a stream more to wait for. With blocks of 9, 13, 20 and 32 rows six
    or two side by side take 1.6 to 2.7 times as long as one, three of 26 rows 1.0 to 1.1 times (AMD Zen 3). Rows of a
    window are no such blocks: neighbours load them together. A 5 x 5 convolution of 4096 x 4096 takes 1.6 times as long
    one by one as four side by side (AMD Zen 4). But where they share a set of the nearest cache, no more than it holds:
    sums of 3 x 3 neighbours of 1024 x 1024 and 4096 x 4096 take 1.7 to 1.9 times as long with 14 rows as with six.
    """
    vectors = [a for a in p.expression.inp_view if lane is not None and p.varies(a, lane)]
    windows = [a for a in vectors if any(r == dim for r, _ in shared_subscripts(p, a))]
    if windows:
        if lane in p.inner:
            return p.extents[dim]
        return max(
            n for n in range(1, _MOST_ROWS + 1) if n == 1 or all(_fits_sets(p, machine, a, dim, n) for a in windows)
        )
    apart = [*vectors, *p.expression.out_view]
    if p.operator is None or not vectors or any(len(a.index) < 2 or dim not in a.index[0].names for a in apart):
        return p.extents[dim]
    own = [p.bytes_of(a) for a in apart]
    short = min(own) < _SHORT_BLOCK * p.extents[dim]
    return p.extents[dim] if short or sum(own) <= machine.capacity_bytes("L2") else 1


def _fits_sets(p: Problem, machine: Machine, access: Access, dim: str, count: int) -> bool:
    """Whether the nearest cache holds the rows that a window reads for so many points along `dim`."""
    along = {c for r, c in shared_subscripts(p, access) if r == dim and p.extents[c] <= _MOST_UNROLLED}
    sizes = {d: p.extents[d] if d in along else 1 for d in p.extents} | {dim: count}
    return rows_in_one_set(p, access, sizes) <= machine.capacity_bytes("L1") // PAGE_BYTES


def rows_in_one_set(p: Problem, access: Access, sizes: Mapping[str, int]) -> int:
    """Of the rows that so many points of each dimension touch, how many share one set of the nearest cache; 0 where an
    array has no rows."""
    unit = p.unit_axes.get(access.buffer)
    if unit is None or unit >= len(access.index):
        return 0
    element = p.expression.buffer(access.buffer).type.size_bytes
    rows, stride = [0], element * extent_of(access.index[unit], p.extents)
    for index in reversed([i for n, i in enumerate(access.index) if n != unit]):
        rows = [row + k * stride for row in rows for k in range(extent_of(index, sizes))]
        stride *= extent_of(index, p.extents)
    lines = {row // LINE_BYTES for row in rows}
    return max(Counter(line % (PAGE_BYTES // LINE_BYTES) for line in lines).values())


def extent_of(index: Affine, sizes: Mapping[str, int]) -> int:
    """How many places an index touches, from the first to the last one."""
    return 1 + sum(abs(coefficient) * (sizes[name] - 1) for name, coefficient in index.terms if name in sizes)


def shifted(p: Problem, alike: Mapping[int, object]) -> tuple[dict[int, tuple[Access, ...]], frozenset[int]]:
    """Accesses to one array that are a constant distance apart, by the number of the first; the numbers of the others.

    alike: those to look at, by number, with what they have to agree in besides.
    """
    found: dict[tuple[object, ...], list[int]] = {}
    for number, what in alike.items() if not p.expression.indirect else ():
        access = p.expression.inp_view[number]
        if access.index and not access.guard:
            terms = tuple(index.terms for index in access.index)
            found.setdefault((access.buffer, terms, what), []).append(number)
    groups = [numbers for numbers in found.values() if len(numbers) > 1]
    together = {first: tuple(p.expression.inp_view[n] for n in (first, *rest)) for first, *rest in groups}
    return together, frozenset(n for numbers in groups for n in numbers[1:])


def distinct_of(
    p: Problem, accesses: Sequence[Access], counts: Mapping[str, int], lane: str | None = None, lanes: int = 1
) -> int:  # fmt: skip
    """As `Problem.distinct`, of accesses that are a constant distance apart: each of the nine neighbours of three
    points side by side is one of fifteen."""
    first = accesses[0]
    names = [n for n, count in counts.items() if count > 1 and p.varies(first, n)]
    wide = [lanes if n == lane else 1 for n in names]
    moved = [[index.coefficient(n) * w for n, w in zip(names, wide)] for index in first.index]
    moves = [
        [sum(c * s for c, s in zip(along, steps)) for along in moved]
        for steps in product(*(range(counts[n]) for n in names))
    ]
    begins = [[index.constant for index in access.index] for access in accesses]
    return len({tuple([b + m for b, m in zip(begin, move)]) for begin in begins for move in moves})


def shared_subscripts(p: Problem, access: Access) -> list[tuple[str, str]]:
    """Pairs of a dimension of results and one that collapses in one subscript: the input slides along the results."""
    inner = p.inner if p.operator is not None else ()
    return [(r, c) for i in access.index for r in i.names for c in i.names if r in p.outer and c in inner]


def slides(p: Problem, lane: str | None, counts: dict[str, int]) -> bool:
    """Whether several results of a tile read the same rows at different steps (see codegen.order)."""
    return unrolled_together(sliding_dims(p, lane), counts)


def sliding_dims(p: Problem, lane: str | None) -> list[tuple[str, str]]:
    along = [a for a in p.expression.inp_view if lane is not None and p.lane_kind(a, lane) == "contiguous"]
    return [(r, c) for a in along for r, c in shared_subscripts(p, a) if r != lane]


def unrolled_together(pairs: Sequence[tuple[str, str]], counts: dict[str, int]) -> bool:
    return any(counts.get(r, 1) > 1 and counts.get(c, 1) > 1 for r, c in pairs)


def reads_once(p: Problem, access: Access) -> bool:
    """Whether each element of a reduction's input is read by one point only."""
    return bool(p.collapsed) and not p.expression.indirect and p.footprint(access, p.extents) >= p.points
