"""Whether the results of two codes for the same call agree: up to the order of combination, no further."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

_BLOCK = 1 << 14  # elements that are compared at once: differences and what they are made from stay in the L2 cache


def agree(result: Any, expected: Any, terms: int) -> bool:
    """Whether two results differ by no more than the order of combining `terms` terms can explain.

    Without a reduction, and for all that is no floating-point number, they must be the same.
    """
    return Expected(expected).agrees(result, terms)


class Expected:
    """A result that those of several codes are compared with. The array must not change."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self._scale: float | None = None

    def agrees(self, result: Any, terms: int) -> bool:
        """See `agree`."""
        expected = self.array
        if result.shape != expected.shape or result.dtype != expected.dtype:
            return False
        if result.dtype.kind not in "fc":
            return bool(np.array_equal(result, expected))
        if terms < 2:
            same = all((a == b).all() for a, b in _blocks(result, expected))
            return same or bool(np.array_equal(result, expected, equal_nan=True))
        growth: float = max(16.0, min(2.0 * terms, 32.0 * terms**0.5)) * float(np.finfo(result.dtype).eps)
        with np.errstate(all="ignore"):
            scale = self._largest()
            if np.isfinite(scale):
                return _largest_difference(result, expected) <= growth * scale
            finite = np.isfinite(expected)
            scale = float(np.abs(expected[finite]).max(initial=0))
            return bool(
                np.array_equal(result[~finite], expected[~finite], equal_nan=True)
                and np.abs(result[finite] - expected[finite]).max(initial=0) <= growth * scale
            )

    def _largest(self) -> float:
        """The largest magnitude; not finite if one is not."""
        if self._scale is None:
            self._scale = float(np.abs(self.array).max(initial=0))
        return self._scale


def _largest_difference(one: Any, other: Any) -> float:
    """NaN where a difference is none."""
    largest = 0.0
    for a, b in _blocks(one, other):
        largest = float(np.maximum(largest, np.abs(a - b).max(initial=0)))  # of NaN and a number, NaN
    return largest


def _blocks(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """All elements of two arrays of one shape, those of one place together."""
    if not (one.strides == other.strides and one.flags.forc and other.flags.forc):
        yield one, other
        return
    a, b = one.ravel("K"), other.ravel("K")
    for begin in range(0, a.size, _BLOCK):
        yield a[begin : begin + _BLOCK], b[begin : begin + _BLOCK]
