"""Where data say which range of an array a part reads: the range, as soon as these data are there.

y[i] += data[p]   p ∈ [indptr[i], indptr[i + 1]), i ∈ [8, 16)
→  data[low:high]   low = min indptr[8:16], high = max indptr[9:17]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.partition.ranges import Range, Sizes, image

Bound = tuple[int, tuple[tuple[int, str], ...]]
"""constant + Σ coefficient * name, names of numbers from data."""


@dataclass(frozen=True, slots=True)
class Span:
    """The values of some index expressions over a part: from the least of `lows` to the greatest of `highs`."""

    lows: tuple[Bound, ...]
    highs: tuple[Bound, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for _, terms in (*self.lows, *self.highs) for _, name in terms))

    def range(self, values: Mapping[str, Any], extent: int) -> Range:
        """values: of each name, all that it may be. All of the axis where some value is outside: then it is an error,
        or counted from the end, for which the axis is needed."""
        if any(v.size == 0 for v in values.values()):
            return 0, 0
        ends = {name: (int(np.min(v)), int(np.max(v))) for name, v in values.items()}
        low = min(c + sum(k * ends[n][k < 0] for k, n in terms) for c, terms in self.lows)
        high = max(c + sum(k * ends[n][k > 0] for k, n in terms) for c, terms in self.highs) + 1
        if low < 0 or high > extent:
            return (0, 0) if low >= high else (0, extent)
        return low, max(low, high)


def span(e: Expression, indices: Sequence[Affine], ranges: Mapping[str, Range], sizes: Sizes) -> Span | None:
    """Of subscripts along one axis; None where each of them may be anywhere."""
    ragged = {d.name: d.extent for d in e.ragged}
    if not all(ragged.keys() & set(index.names) for index in indices):
        return None
    lows = [_bound(index, ragged, ranges, sizes, -1) for index in indices]
    highs = [_bound(index, ragged, ranges, sizes, 1) for index in indices]
    found = Span(tuple(b for b in lows if b is not None), tuple(b for b in highs if b is not None))
    return found if len(found.lows) == len(found.highs) == len(indices) and found.names else None


def _bound(
    index: Affine, ragged: Mapping[str, Affine], ranges: Mapping[str, Range], sizes: Sizes, side: int
) -> Bound | None:
    """The least (side -1) or greatest (1) value, in terms of what data say."""
    for _ in ragged:
        for name, coefficient in index.terms:
            if name in ragged:
                index = index - coefficient * Affine.of(name)
                if coefficient * side > 0:
                    index = index + coefficient * (ragged[name] - 1)
    known = Affine(tuple(t for t in index.terms if t[0] in ranges or t[0] in sizes)) + index.constant
    data = tuple((c, n) for n, c in index.terms if n not in ranges and n not in sizes)
    found = image(known, ranges, sizes)
    if found is None or any(n in ragged for _, n in data):
        return None
    return (found[0] if side < 0 else found[1] - 1), data
