"""Prefetches of what a register tile will read some iterations later.

Hardware prefetchers stop at pages and keep few lines in flight. So each cache line is prefetched once: by the first
place of a tile that reads it, when the tile is so many bytes before it.

    y[j] = x[j - 1] + x[j] + x[j + 1], three rows of 16 lanes in a tile:  of five rows read, three are new

Where the innermost loop goes across the lanes, from row to row, each row prefetches what the next tile along the
lanes reads of it: C[i, j] += A[i, k] · B[k, j] prefetches B[k, j + 48] if a tile has 48 columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.codegen.context.tile_shapes import TileDim

# How far ahead: the time that memory takes, at the speed that one core can read with.
PREFETCH_DISTANCE_BYTES = 1024
# Rows around which the first and the last results do not fill a cache line: so many before them, it is prefetched.
PREFETCHED_ROWS = 2
_LINE_BYTES = 64

Shifts = tuple[int, ...]  # constants of the subscripts of one place


def lines_first_read(
    access: Access, places: Sequence[Shifts], dims: Mapping[str, TileDim], lane: str, axis: int, size: int,
    along: bool = True,
) -> Iterator[Shifts]:  # fmt: skip
    """Of all that a tile reads by accesses with the same terms, one place for each line that no earlier tile read.

    axis: the one along which the lanes lie, one element after the other; size: bytes of an element; along: whether the
    innermost loop goes along the lanes. Then the addresses lie `PREFETCH_DISTANCE_BYTES` ahead, else in the next tile.
    """
    rows: dict[Shifts, int] = {}
    for place in places:
        row = (*place[:axis], 0, *place[axis + 1 :])
        rows[row] = min(rows.get(row, place[axis]), place[axis])
    steps = []
    for name, dim in dims.items():
        step = tuple(i.coefficient(name) * dim.count * dim.lanes for i in access.index)
        step = (*step[:axis], 0, *step[axis + 1 :])
        if name != lane and any(step):
            steps.append(step)
    length = dims[lane].count * dims[lane].lanes
    distance = PREFETCH_DISTANCE_BYTES // size if along else length
    for row, begin in rows.items():
        if any(_shifted(row, step, n) in rows for step in steps for n in range(1, len(rows))):
            continue  # read before, when the tile was n steps further back
        for n in range(0, length, _LINE_BYTES // size):
            yield (*row[:axis], begin + n + distance, *row[axis + 1 :])


def one_per_line(places: Sequence[Shifts], axis: int | None, size: int) -> list[Shifts]:
    """Of places that lie in one line if the first does at its beginning, one. axis: the one along which elements of
    `size` bytes lie side by side, if there is one.

    >>> one_per_line([(0, 0), (0, 8), (0, 16), (1, 0)], 1, 4)
    [(0, 0), (0, 16), (1, 0)]
    """
    if axis is None:
        return list(places)
    least = min(place[axis] for place in places)
    firsts: dict[Shifts, Shifts] = {}
    for place in places:
        line = (place[axis] - least) * size // _LINE_BYTES
        firsts.setdefault((*place[:axis], line, *place[axis + 1 :]), place)
    return list(firsts.values())


def _shifted(row: Shifts, step: Shifts, times: int) -> Shifts:
    return tuple(a + times * b for a, b in zip(row, step))
