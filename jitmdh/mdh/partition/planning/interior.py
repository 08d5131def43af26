"""The points of a part that read from one block of each array, apart from those at its borders.

y[i] = x[i - 1] + x[i + 1]   i ∈ [100, 200), x in blocks of 100
→  i ∈ [101, 199) on x[100:200], which is a block as it is; i = 100 and i = 199 on copies of three elements

So that what a part reads, and what it leaves as it is, is not copied where it lies in memory already.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise, product

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.partition.grids import Box, intersection
from jitmdh.mdh.partition.plan import Version
from jitmdh.mdh.partition.planning.alignment import single
from jitmdh.mdh.partition.ranges import Range, Sizes, image, is_empty

_LARGEST_SHARE = 2  # the interior is at least 1/2 of a dimension, or the dimension is not cut


def is_rectangular(e: Expression, ranges: Mapping[str, Range], sizes: Sizes) -> bool:
    """Whether boxes of the remaining dimensions write to boxes of results, and sizes alone decide what they read."""
    if e.ragged or e.scattered or e.indirect or e.procedures or not e.remaining:
        return False
    found = [single(index, ranges, sizes) for index in e.out_view[0].index]
    dims = [f[0] for f in found if f is not None and abs(f[1]) == 1]
    return len(dims) == len(found) and sorted(dims) == sorted(e.remaining)


def tiles(
    e: Expression, ranges: Mapping[str, Range], before: Mapping[str, Version], sizes: Sizes
) -> Iterator[dict[str, Range]]:
    """The ranges cut into an interior and its borders along each remaining dimension."""
    cuts = [[(name, r) for r in _along(name, e, ranges, before, sizes)] for name in e.remaining]
    for choice in product(*cuts):
        yield {**ranges, **dict(choice)}


def _along(
    name: str, e: Expression, ranges: Mapping[str, Range], before: Mapping[str, Version], sizes: Sizes
) -> list[Range]:
    begin, end = ranges[name]
    ends = {begin, end}
    for access in e.reads:
        version = before.get(access.buffer)
        if version is None or version.grid.count == 1 or is_empty(ranges):
            continue
        for index, cuts in zip(access.index, version.grid.cuts):
            ends.update(d for d in _crossings(name, index, cuts, ranges, sizes) if begin < d < end)
    largest = max(pairwise(sorted(ends)), key=lambda r: r[1] - r[0], default=(begin, end))
    if _LARGEST_SHARE * (largest[1] - largest[0]) < end - begin:
        return [(begin, end)]
    found = [(begin, largest[0]), largest, (largest[1], end)]
    return [r for r in found if r[0] < r[1]]


def _crossings(
    name: str, index: Affine, cuts: tuple[int, ...], ranges: Mapping[str, Range], sizes: Sizes
) -> Iterator[int]:
    """Where points begin or end to read on both sides of a cut of an axis."""
    coefficient = dict(index.terms).get(name, 0)
    span = image(index, ranges, sizes) if coefficient else None
    rest = None if span is None else image(index - coefficient * Affine.of(name), ranges, sizes)
    if span is None or rest is None:
        return
    for cut in cuts[bisect_right(cuts, span[0]) : bisect_left(cuts, span[1])]:
        # the values of the index from coefficient * d + rest[0] on, below coefficient * d + rest[1], are on both sides
        outside = (cut - rest[1], cut - rest[0])
        below, above = outside if coefficient > 0 else outside[::-1]
        yield below // coefficient + 1
        yield -(-above // coefficient)


def around(inner: Box, box: Box) -> Iterator[Box]:
    """Boxes that cover what of `box` is not in `inner`, each element once."""
    left = list(box)
    for axis, ((begin, end), (first, last)) in enumerate(zip(box, intersection(inner, box))):
        for side in ((begin, first), (last, end)):
            if side[0] < side[1]:
                yield (*left[:axis], side, *left[axis + 1 :])
        left[axis] = (first, last)
