"""Where dimensions are cut: along the blocks of the arrays that they are indices of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Expression
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.plan import Version
from jitmdh.mdh.partition.ranges import Range, Sizes, image

Cuts = tuple[int, ...]
"""Where a dimension is cut, without its ends."""


@dataclass(frozen=True)
class Alignment:
    """Of one expression. whole: the ranges of its dimensions; before: the arrays that it reads. chosen: cuts of
    dimensions that are not to be those of the arrays."""

    e: Expression
    whole: Mapping[str, Range]
    before: Mapping[str, Version]
    sizes: Sizes
    chosen: Mapping[str, Cuts] = field(default_factory=dict)

    def results(self, access: Access, current: Grid, free: bool) -> Grid:
        """The blocks of the results: those that the arrays have, or, if they are in one piece and nobody minds, that
        follow from the inputs. Axes along which data decide are in one piece."""
        somewhere = {name: (begin, max(end, begin + 1)) for name, (begin, end) in self.whole.items()}
        decided = [a for a, i in enumerate(access.index) if image(i, somewhere, self.sizes) is None]
        if free and current.count == 1:
            current = Grid(tuple(self._axis(i, n) for i, n in zip(access.index, current.shape)))
        return current.merged(decided)

    def _axis(self, index: Affine, extent: int) -> tuple[int, ...]:
        """The cuts of an axis of the results."""
        found = single(index, self.whole, self.sizes)
        if found is None:
            return (0, extent)
        dim, coefficient = found
        offset = self._offset(index, dim)
        inner = {coefficient * (c if coefficient > 0 else c - 1) + offset for c in self.cuts(dim)}
        return (0, *sorted(c for c in inner if 0 < c < extent), extent)

    def dimension(self, index: Affine) -> str | None:
        """The one that moves along an axis of the results; None: there is none, or there are several."""
        found = single(index, self.whole, self.sizes)
        return None if found is None else found[0]

    def cuts(self, dim: str) -> Cuts:
        """Where a dimension is cut: where it was chosen to be, or as the largest input that is, along it."""
        if dim in self.chosen:
            return self.chosen[dim]
        best: tuple[int, Cuts] = (0, ())
        begin, end = self.whole[dim]
        for access in self.e.reads:
            version = self.before.get(access.buffer)
            if version is None:
                continue
            size = prod(version.grid.shape)
            for index, cuts in zip(access.index, version.grid.cuts):
                found = single(index, self.whole, self.sizes)
                if found is None or found[0] != dim or len(cuts) < 3 or size <= best[0]:
                    continue
                offset, c = self._offset(index, dim), found[1]
                inner = {-((offset - cut) // c) if c > 0 else (cut - offset) // c + 1 for cut in cuts[1:-1]}
                inside = tuple(sorted(i for i in inner if begin < i < end))
                if inside:
                    best = (size, inside)
        return best[1]

    def _offset(self, index: Affine, dim: str) -> int:
        return index.constant + sum(c * self.sizes[n] for n, c in index.terms if n != dim)


def single(index: Affine, ranges: Mapping[str, Range], sizes: Sizes) -> tuple[str, int] | None:
    """The dimension and its coefficient, where an index has just one."""
    dims = [(n, c) for n, c in index.terms if n not in sizes]
    return dims[0] if len(dims) == 1 and dims[0][0] in ranges else None
