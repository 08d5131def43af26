"""Functions that choose elements, and running extrema, beside NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "nan_to_num": lambda x, A, k: np.nan_to_num(x),
    "nan_to_num with numbers": lambda x, A, k: np.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-3.0),
    "nan_to_num of float32": lambda x, A, k: np.nan_to_num(x.astype(np.float32)),
    "select": lambda x, A, k: np.select([x < -1, x > 1], [x, x * x], 0.5),
    "select of constants": lambda x, A, k: np.select([x < -1, x > 1], [-1, 1], default=0),
    "select of float32": lambda x, A, k: np.select([x < -1, x > 1], [x.astype(np.float32), 1.5]),
    "piecewise": lambda x, A, k: np.piecewise(x, [x < 0, x > 1], [-1.0, 1.0, 0.25]),
    "digitize": lambda x, A, k: np.digitize(x, np.array([-1.0, 0.0, 1.0])),
    "digitize right": lambda x, A, k: np.digitize(x, np.array([1.0, 0.0, -1.0]), right=True),
    "isin": lambda x, A, k: np.isin(k, np.array([0, 3])),
    "along rows": lambda x, A, k: np.take_along_axis(A, np.argsort(A, axis=1), axis=1),
    "along columns": lambda x, A, k: np.take_along_axis(A, A.argmin(axis=0)[None, :], axis=0),
    "along": lambda x, A, k: np.take_along_axis(x, k, 0),
    "ix_": lambda x, A, k: A[np.ix_(k, k % 2)],
    "upper": lambda x, A, k: A[np.triu_indices(A.shape[1], 1)],
    "lower": lambda x, A, k: A[np.tril_indices(A.shape[1], -1)].sum() + np.tril_indices(4, 2)[0].sum(),
    "broadcast_to": lambda x, A, k: np.broadcast_to(x, (3, x.shape[0])) * 2,
    "running maximum": lambda x, A, k: np.maximum.accumulate(x),
    "running minimum of rows": lambda x, A, k: np.minimum.accumulate(A, axis=1),
    "running maximum of integers": lambda x, A, k: np.maximum.accumulate(k),
    "drawdown": lambda x, A, k: (A[:, 0] - np.maximum.accumulate(A[:, 0])).min(),
    "asarray": lambda x, A, k: np.asarray(k, dtype=np.float64) / 2,
    "array": lambda x, A, k: np.array(x) + 1,
}


@mdh.jit
def place_of_the_greatest(A):
    i, j = np.unravel_index(np.argmax(A), A.shape)
    return i, j


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_like_numpy(name: str) -> None:
    function = FUNCTIONS[name]

    def called(x, A, k):
        return function(x, A, k)

    compiled = mdh.jit(cache=False, tune="off", fallback="error")(called)
    rng = np.random.default_rng(2)
    x = rng.standard_normal(9)
    x[[1, 4, 5]] = np.nan, np.inf, -np.inf
    given = x, rng.standard_normal((6, 5)), rng.integers(0, 5, 7)
    with np.errstate(all="ignore"):
        found, expected = compiled(*given), function(*given)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.asarray(found).dtype == np.asarray(expected).dtype


def test_unravel_index() -> None:
    A = np.random.default_rng(0).standard_normal((4, 7))
    assert place_of_the_greatest(A) == place_of_the_greatest.py_func(A)


CONDITIONS = ("x > 0", "k", "k > 2", "x", "k.astype(bool)", "k.astype(np.uint8)")
TAKES_CONDITIONS = ("np.select([{c}, x < -1], [x, -x], 7.0)", "np.select([x < -1, {c}], [x, 2])",
                    "np.piecewise(x, [{c}], [3.0])", "np.piecewise(x, [x < 1, {c}], [3.0, 4.0, 5.0])")  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("taken", TAKES_CONDITIONS)
def test_conditions_that_are_no_truth_values(taken: str, condition: str) -> None:
    """What NumPy refuses, or converts, is no subscript and no error that is lost."""
    text = f"def f(x, k):\n    return {taken.format(c=condition)}\n"
    function = function_in(text, f"<{taken}, {condition}>", {"np": np})
    x, k = np.array([0.5, -2.0, 0.0, 3.0]), np.array([3, 0, 1, 0])
    try:
        expected = function(x, k)
    except TypeError:
        expected = None
    try:
        found = mdh.jit(cache=False, tune="off", fallback="error")(function)(x, k)
    except (TypeError, mdh.errors.NotAnMdhError):
        return
    np.testing.assert_array_equal(found, expected)
