"""Prefetch: what a register tile will access is asked of memory before, each cache line once.

Before:   prefetch_results(&y[at], …; 2 lanes n apart);      after:   prefetch_to_write(&y[at]);
                                                                      prefetch_to_write(&y[at + n]);
          for (j = 0; j < n; j += 16)                                 for (j = 0; j < n; j += 16)
            …                                                           …
            prefetch_inputs(&x[at + j], …; 16 along axis 0);            prefetch(&x[at + j + 256]);

Code generation says what a tile accesses and how the tiles follow each other; which lines these are, and how far
ahead, is decided here. Hardware prefetchers stop at pages and keep few lines in flight. So the first place of a tile
that reads a line prefetches it, when the tile is so many bytes before it, which all rows read side by side share:

    y[j] = x[j - 1] + x[j] + x[j + 1], three rows of 16 lanes in a tile:  of five rows read, three are new

Where the innermost loop goes across the lanes, from row to row, each row prefetches what the next tile along the
lanes reads of it: C[i, j] += A[i, k] · B[k, j] prefetches B[k, j + 48] if a tile has 48 columns.

Results that are scattered over more lines than the processor waits for at once are not prefetched.

Tiles that are transposed read or write each of their rows in another page, where no hardware prefetcher follows: what
the tiles after the next one will read across rows, and write, is prefetched in each of them.

Requires: nothing.
Ensures: there is no `PrefetchInputs` and no `PrefetchResults`. No value and no memory changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import Indices, Kernel, Prefetch, PrefetchInputs, PrefetchResults, Statement, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, map_bodies

PREFETCH_DISTANCE_BYTES = 1024
"""How far ahead: the time that memory takes, at the speed that one core can read with, whatever it reads."""

_PREFETCHED_TILES = 2  # rows around which results do not fill cache lines: so many tiles before them
_LINE_BYTES = 64
_MOST_LINES = 128  # of results: a core waits for few tens of lines at once, and its nearest cache has some hundreds


def prefetch(kernel: Kernel) -> Kernel:
    return _Prefetching().kernel(kernel)


class _Prefetching(Rewriter):
    kinds = NESTED | {PrefetchInputs, PrefetchResults}

    def __init__(self) -> None:
        self.together = 0  # rows that the statements of the present body read side by side

    def body(self, body: Body) -> Body:
        around = self.together
        self.together = sum(
            len(rows_first_read(node)) for node in body if isinstance(node, PrefetchInputs) and reads_once(node)
        )
        new = super().body(body)
        self.together = around
        return new

    def statement(self, node: Statement) -> Sequence[Statement]:
        match node:
            case PrefetchInputs():
                return [
                    Prefetch(node.buffer, _further(node.offset, node.strides, place), write=False)
                    for place in lines_first_read(node, self.together)
                ]
            case PrefetchResults():
                return _results(node)
        return (map_bodies(node, self.body),)


def rows_first_read(node: PrefetchInputs) -> list[Indices]:
    """The first elements of the rows that a tile reads and no earlier tile has read."""
    rows = _rows(node)

    def known(row: Indices) -> bool:
        """Whether it was read when the tile was some steps further back."""
        return any(_shifted(row, move, n) in rows for move in node.moves for n in range(1, len(rows)))

    return [first for row, first in rows.items() if not known(row)]


def reads_once(node: PrefetchInputs) -> bool:
    """Whether no row of a tile is one of an earlier tile. If some are, as of stencils, computing sets the pace: memory
    has to be asked as early as for one row."""
    return len(rows_first_read(node)) == len(_rows(node))


def _rows(node: PrefetchInputs) -> dict[Indices, Indices]:
    """The first element that a tile reads of each row, by the row's place along the other axes."""
    return {(*first[: node.axis], 0, *first[node.axis + 1 :]): first for first in node.rows}


def lines_first_read(node: PrefetchInputs, together: int) -> Iterator[Indices]:
    """Of all that a tile reads, one place for each line that no earlier tile read, in a tile to come.

    If the innermost loop goes along the rows, the share of one of `together` rows in `PREFETCH_DISTANCE_BYTES` ahead,
    in whole lines, and behind this tile (all of it for rows that tiles share); else in the next tile, counted from its
    end: where rows begin anywhere in a line, the line that the next tile begins in is one that this tile ends in.
    """
    axis, size = node.axis, node.type.size_bytes
    sharing = together if reads_once(node) else 1
    ahead = -(-PREFETCH_DISTANCE_BYTES // (sharing * _LINE_BYTES)) * _LINE_BYTES // size
    distance = max(node.width, ahead) if node.along else node.width
    line = _LINE_BYTES // size
    places = range(0, node.width, line) if node.along else range(node.width - 1, -1, -line)
    for first in rows_first_read(node):
        for n in places:
            yield (*first[:axis], first[axis] + n + distance, *first[axis + 1 :])


def _results(node: PrefetchResults) -> list[Prefetch]:
    """Each line once, as far as that is known; none if they are too many."""
    unit = next((axis for axis, stride in enumerate(node.strides) if stride == integer(1)), None)
    # Lanes side by side lie in one line
    apart = [multiply(node.lane_stride, integer(n)) for n in range(1 if node.lane_stride == integer(1) else node.lanes)]
    places = one_per_line(node.places, unit, node.type.size_bytes)
    if len(places) * len(apart) > _MOST_LINES:
        return []
    firsts = [_further(node.offset, node.strides, _shifted(place, node.move, _PREFETCHED_TILES)) for place in places]
    return [Prefetch(node.buffer, add(first, further), node.write) for first in firsts for further in apart]


def one_per_line(places: Sequence[Indices], axis: int | None, size: int) -> list[Indices]:
    """Of places that lie in one line if the first does at its beginning, one. axis: the one along which elements of
    `size` bytes lie side by side, if there is one.

    >>> one_per_line([(0, 0), (0, 8), (0, 16), (1, 0)], 1, 4)
    [(0, 0), (0, 16), (1, 0)]
    """
    if axis is None:
        return list(places)
    least = min(place[axis] for place in places)
    firsts: dict[Indices, Indices] = {}
    for place in places:
        line = (place[axis] - least) * size // _LINE_BYTES
        firsts.setdefault((*place[:axis], line, *place[axis + 1 :]), place)
    return list(firsts.values())


def _further(offset: Value, strides: Sequence[Value], place: Indices) -> Value:
    for index, stride in zip(place, strides):
        offset = add(offset, multiply(stride, integer(index)))
    return offset


def _shifted(place: Indices, move: Indices, times: int) -> Indices:
    return tuple([index + times * step for index, step in zip(place, move)])
