"""Code of kernels of one small element: nothing in it is about threads, and no vector is made element by element."""

from __future__ import annotations

import re

import numpy as np

from jitmdh import tensor as mt
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.machine.host import host as model
from tests.hosts import as_on

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
    with as_on("sapphire-rapids"):
        text = kernel.inspect(**ARRAYS, stage="kernel")
    assert "columns" in text and text.count("gather8") <= 3  # the ninth column of each vector of rows is alone
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


def test_the_last_of_nine_columns_is_computed_by_itself() -> None:
    """A vector for one of them would be masked, and if columns lie apart, each of its rows be transposed for one."""
    known = np.where(np.random.default_rng(1).random((20, 20)) < 0.2, 2.0, 0.0)
    kernel = mt.kernel("rows", Q["kp"] <= Q["kp"] + mt.Tensor("K", values=known)["kl"] * I["lp"])
    given = {name: ARRAYS[name].copy() for name in "QI"}
    with as_on("sapphire-rapids"):
        text = kernel.inspect(**given, stage="kernel")
        vectors = 8 * 64 // model(cpu_compile.features_named(), 2).vector_bits  # of eight; it may have no AVX-512
    terms = np.count_nonzero(known)
    assert "first_lanes" not in text
    # those of vectors, those of one number, and addresses
    assert (vectors + 1) * terms <= text.count(" * ") < (vectors + 1.3) * terms
    kernel(**given)
    np.testing.assert_array_equal(given["Q"], 1 + known @ ARRAYS["I"])


def test_rows_that_are_written_out_are_stored_by_vectors() -> None:
    """`K["kl"] * I["lq"]` is stored by columns, for the star: its elements lie apart for lanes along q, and are beside
    those of other rows."""
    known = np.where(np.random.default_rng(2).random((20, 20)) < 0.1, 2.0, 0.0)
    kernel = mt.kernel("both", Q["kp"] <= mt.Tensor("K", values=known)["kl"] * I["lq"] * S["qp"])
    given = {name: array.copy() for name, array in ARRAYS.items()}
    with as_on("sapphire-rapids"):
        text = kernel.inspect(**given, stage="kernel")
    assert "columns" in text
    kernel(**given)
    np.testing.assert_array_equal(given["Q"], known @ ARRAYS["I"] @ ARRAYS["S"])


def test_what_is_left_of_a_known_extent_is_one_vector_of_known_lanes() -> None:
    """No loop of one round, none of no round, and no mask that is found while it runs."""
    A, B = mt.Tensor("A", (3, 7)), mt.Tensor("B", (3, 7))
    kernel = mt.kernel("scaled", A["ij"] <= 2 * B["ij"].at(i=slice(0, 3)) * mt.Tensor("c", (3,))["i"])
    given = {"A": np.zeros((3, 7)), "B": np.ones((3, 7)), "c": np.arange(3.0)}
    text = kernel.inspect(**given, stage="kernel")
    assert "remainder" not in text and all(n.isdigit() for n in re.findall(r"first_lanes\((.*?)\)", text))
    kernel(**given)
    np.testing.assert_array_equal(given["A"], np.repeat(2 * np.arange(3.0)[:, None], 7, axis=1))
