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
