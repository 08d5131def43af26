"""Code of kernels of one small element: nothing in it is about threads, and no vector is made element by element."""

from __future__ import annotations

import numpy as np

from jitmdh import tensor as mt

STAR = np.eye(9, dtype=bool) | np.eye(9, k=3, dtype=bool)
Q, I, S = mt.Tensor("Q", (20, 9)), mt.Tensor("I", (20, 9)), mt.Tensor("S", (9, 9), pattern=STAR)
ARRAYS = {"Q": np.ones((20, 9)), "I": np.arange(180.0).reshape(20, 9), "S": STAR * 2.0}


def test_no_call_asks_how_many_threads_there_are() -> None:
    kernel = mt.kernel("scaled", Q["kp"] <= Q["kp"] + 3 * I["kp"])
    text = kernel.inspect(Q=ARRAYS["Q"], I=ARRAYS["I"], stage="kernel")
    assert "parallel for" not in text and "threads()" not in text


def test_columns_of_rows_at_a_known_distance_are_loaded_row_by_row() -> None:
    """Lanes go along `k`, whose neighbours are nine elements apart: the star matrix is written out for each column."""
    kernel = mt.kernel("starred", Q["kp"] <= I["kq"] * S["qp"])
    text = kernel.inspect(**ARRAYS, stage="kernel")
    assert "gather8" not in text
    given = {name: array.copy() for name, array in ARRAYS.items()}
    kernel(**given)
    np.testing.assert_array_equal(given["Q"], ARRAYS["I"] @ ARRAYS["S"])


def test_sums_of_many_long_sums_are_no_deep_formula() -> None:
    """Twelve sums of about 30 terms each, written out: one behind the other they would be nested 360 deep."""
    numbers = np.random.default_rng(3)
    constants = [(numbers.random((6, 36)) < 0.85) * numbers.integers(1, 5, (6, 36)) * 1.0 for _ in range(12)]
    K = [mt.Tensor(f"K{n}", values=c) for n, c in enumerate(constants)]
    X = [mt.Tensor(f"X{n}", (36, 3)) for n in range(12)]
    R = mt.Tensor("R", (6, 3))
    kernel = mt.kernel("many", R["kp"] <= R["kp"] + sum(k["kl"] * x["lp"] for k, x in zip(K, X)))
    arrays = [numbers.integers(-4, 5, (36, 3)).astype(float) for _ in X]
    r = np.ones((6, 3))
    kernel(R=r, **{f"X{n}": a for n, a in enumerate(arrays)})
    np.testing.assert_array_equal(r, 1 + sum(c @ a for c, a in zip(constants, arrays)))


def test_reports_speak_of_the_dimensions_that_the_code_has() -> None:
    """`j` and `k` are one dimension of the code."""
    D, T, R = mt.Tensor("D", (6, 6)), mt.Tensor("T", (6, 6, 4)), mt.Tensor("R", (6, 6, 4))
    kernel = mt.kernel("along", R["ijk"] <= D["il"] * T["ljk"])
    given = {"D": np.ones((6, 6)), "T": np.ones((6, 6, 4)), "R": np.zeros((6, 6, 4))}
    kernel(**given)
    assert "jk" in kernel.inspect(**given, stage="lowlevel")
    assert "R" in str(kernel.explain(**given))
    kernel.tune(**given, evaluations=3, progress=False)
    assert "R" in str(kernel.explain(**given))
    kernel(**given)
    np.testing.assert_array_equal(given["R"], 6.0)
