"""Whether a result is what it should be."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.kernels.result import difference

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("found", "wanted", "tolerance", "said"),
    [
        ([1.0, INF, NAN], [1.0, INF, NAN], None, ""),
        ([1.0, INF, NAN], [1.0, -INF, NAN], None, "[1]: inf instead of -inf (1 of 3 differ)"),
        ([1.0, NAN], [1.0, 2.0], None, "[1]: nan instead of 2.0 (1 of 2 differ)"),
        ([1.0, 2.0], [1.0, NAN], None, "[1]: 2.0 instead of nan (1 of 2 differ)"),
        ([1.0, INF], [1.0, 2.0], None, "[1]: inf instead of 2.0 (1 of 2 differ)"),
        ([1.0, 1e-9], [1.0, 0.0], None, ""),  # relative to the greatest
        ([1e-9], [0.0], None, "[0]: 1e-09 instead of 0.0 (1 of 1 differ)"),
        ([1.1], [1.0], 0.2, ""),
        ([1.1], [1.0], 0.05, "[0]: 1.1 instead of 1.0 (1 of 1 differ)"),
        ([1, 2], [1, 3], 5.0, "[1]: 2 instead of 3 (1 of 2 differ)"),  # integers exactly
        ([[1, 2], [3, 4]], [1, 2, 3, 5], None, "[1, 1]: 4 instead of 5 (1 of 4 differ)"),
        ([1, 2], [1, 2, 3], None, ": 2 elements instead of 3"),
        ([1 + 1j], [1 + 2j], None, "[0]: (1+1j) instead of (1+2j) (1 of 1 differ)"),
        ([], [], None, ""),
        (3.0, 4.0, None, ": 3.0 instead of 4.0 (1 of 1 differ)"),
    ],
)
def test_difference(found: object, wanted: object, tolerance: float | None, said: str) -> None:
    assert difference(np.asarray(found), np.asarray(wanted), tolerance) == said


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_the_bound_is_that_of_the_type(dtype: str) -> None:
    bound = np.finfo(dtype).eps ** 0.5
    wanted = np.array([1.0, 100.0])
    assert difference((wanted + np.array([0, 90 * bound])).astype(dtype), wanted) == ""
    assert difference((wanted + np.array([0, 120 * bound])).astype(dtype), wanted) != ""
