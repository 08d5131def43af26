"""Arrays in blocks: where each axis is cut, and which blocks a region needs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.partition.ranges import Range

Coordinates = tuple[int, ...]
Box = tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """cuts: for each axis where its blocks begin, and its extent at last: (0, 4, 8, 10) has three blocks.

    An axis without elements has one block, without any.
    """

    cuts: tuple[tuple[int, ...], ...]

    @staticmethod
    def whole(shape: Sequence[int]) -> Grid:
        return Grid(tuple((0, n) for n in shape))

    @staticmethod
    def of_chunks(chunks: Sequence[Sequence[int]]) -> Grid:
        """From the lengths of blocks; those without elements are left out."""
        cuts = []
        for lengths in chunks:
            ends = [0]
            for n in lengths:
                if n:
                    ends.append(ends[-1] + n)
            cuts.append(tuple(ends) if len(ends) > 1 else (0, 0))
        return Grid(tuple(cuts))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(c[-1] for c in self.cuts)

    @property
    def blocks(self) -> tuple[int, ...]:
        """How many along each axis."""
        return tuple(len(c) - 1 for c in self.cuts)

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(e - b for b, e in pairwise(c)) for c in self.cuts)

    @property
    def count(self) -> int:
        return prod(self.blocks)

    def coordinates(self) -> Iterator[Coordinates]:
        return product(*map(range, self.blocks))

    def box(self, at: Coordinates) -> Box:
        return tuple((c[n], c[n + 1]) for c, n in zip(self.cuts, at))

    def meeting(self, box: Box) -> Iterator[Coordinates]:
        """The blocks that share elements with `box`; none where it is empty."""
        return product(*self.places(box))

    def places(self, box: Box) -> tuple[range, ...]:
        """The numbers, along each axis, of the blocks that share elements with `box`."""
        if any(b >= e for b, e in box):
            return (range(0),) * max(1, len(box))
        return tuple(range(bisect_right(c, b) - 1, bisect_left(c, e)) for c, (b, e) in zip(self.cuts, box))

    def number(self, at: Coordinates) -> int:
        """In the order of `coordinates`."""
        found = 0
        for n, count in zip(at, self.blocks):
            found = found * count + n
        return found

    def at(self, number: int) -> Coordinates:
        """The inverse of `number`."""
        found = []
        for count in reversed(self.blocks):
            number, n = divmod(number, count)
            found.append(n)
        return tuple(reversed(found))

    def merged(self, axes: Sequence[int]) -> Grid:
        """With one block along each of `axes`."""
        return Grid(tuple((0, c[-1]) if a in axes else c for a, c in enumerate(self.cuts)))


def intersection(a: Box, b: Box) -> Box:
    return tuple((max(x[0], y[0]), min(x[1], y[1])) for x, y in zip(a, b))


def extents(box: Box) -> tuple[int, ...]:
    return tuple(max(0, e - b) for b, e in box)
