"""Whether the results of two codes for the same call agree: up to the order of combination, no further."""

from __future__ import annotations

from typing import Any

import numpy as np


def agree(result: Any, expected: Any, terms: int) -> bool:
    """Whether two results differ by no more than the order of combining `terms` terms can explain.

    Without a reduction, and for all that is no floating-point number, they must be the same.
    """
    if result.shape != expected.shape or result.dtype != expected.dtype:
        return False
    if result.dtype.kind not in "fc":
        return bool(np.array_equal(result, expected))
    if terms < 2:
        return bool(np.array_equal(result, expected, equal_nan=True))
    growth = max(16.0, min(2.0 * terms, 32.0 * terms**0.5)) * float(np.finfo(result.dtype).eps)
    with np.errstate(all="ignore"):
        scale = float(np.abs(expected).max(initial=0))
        if np.isfinite(scale):
            return bool(np.abs(result - expected).max(initial=0) <= growth * scale)
        finite = np.isfinite(expected)
        scale = float(np.abs(expected[finite]).max(initial=0))
        return bool(
            np.array_equal(result[~finite], expected[~finite], equal_nan=True)
            and np.abs(result[finite] - expected[finite]).max(initial=0) <= growth * scale
        )
