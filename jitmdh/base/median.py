"""The median, for what a user's call may wait for: `statistics` imports decimals and fractions, which takes 5 ms."""

from __future__ import annotations

from collections.abc import Iterable


def median(values: Iterable[float]) -> float:
    """The middle of the sorted values, of an even number the mean of both; ValueError if there are none.

    >>> median([3.0, 1.0, 2.0]), median(iter([4.0, 1.0]))
    (2.0, 2.5)
    """
    found = sorted(values)
    if not found:
        raise ValueError("the median of nothing")
    middle = len(found) // 2
    return found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2
