"""Intervals of dimensions, and what affine expressions are over them: exact images of boxes, and exact preimages.

i ∈ [8, 16)     2*i + 1   is in [17, 31]          2*i + 1 ≤ 20   leaves   i ∈ [8, 10)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jitmdh.mdh.algebra.index import Affine

Range = tuple[int, int]
"""begin ≤ index < end."""

Ranges = Mapping[str, Range]
Sizes = Mapping[str, int]

_ROUNDS = 8  # of tightening; each is sound, a fixed point is reached sooner for what loop nests contain


def is_empty(ranges: Ranges) -> bool:
    return any(begin >= end for begin, end in ranges.values())


def image(affine: Affine, ranges: Ranges, sizes: Sizes) -> Range | None:
    """The least interval that holds all values of `affine`; None where it depends on data.

    requires: no empty range.

    >>> image(2 * Affine.of("i") - Affine.of("k"), {"i": (8, 16), "k": (0, 3)}, {})
    (14, 31)
    """
    least = greatest = affine.constant
    for name, coefficient in affine.terms:
        if name in ranges:
            begin, end = ranges[name]
            ends = (coefficient * begin, coefficient * (end - 1))
        elif name in sizes:
            ends = (coefficient * sizes[name],) * 2
        else:
            return None
        least, greatest = least + min(ends), greatest + max(ends)
    return least, greatest + 1


def tightened(ranges: Ranges, conditions: Iterable[Affine], sizes: Sizes) -> dict[str, Range]:
    """The ranges without ends at which some condition cannot be ≥ 0; conditions on data are passed over.

    For conditions on one dimension the result is exact, for others it is a box around the points that fulfil them.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> tightened({"i": (0, 4), "k": (0, 9)}, [i - k], {})
    {'i': (0, 4), 'k': (0, 4)}
    """
    found = dict(ranges)
    for _ in range(_ROUNDS):
        before = dict(found)
        for condition in conditions:
            if is_empty(found):
                return found
            found |= _within(condition, found, sizes)
        if found == before:
            break
    return found


def _within(condition: Affine, ranges: Ranges, sizes: Sizes) -> dict[str, Range]:
    """The ranges of the dimensions of `condition` where it may be ≥ 0."""
    whole = image(condition, ranges, sizes)
    if whole is None:
        return {}
    if whole[1] <= 0:
        return {name: (begin, begin) for name, (begin, _) in ranges.items()}
    found: dict[str, Range] = {}
    for name, coefficient in condition.terms:
        if name not in ranges:
            continue
        begin, end = ranges[name]
        most = whole[1] - 1 - max(coefficient * begin, coefficient * (end - 1))  # of all other terms
        if coefficient > 0:
            found[name] = (max(begin, -(most // coefficient)), end)
        else:
            found[name] = (begin, min(end, most // -coefficient + 1))
    return found
