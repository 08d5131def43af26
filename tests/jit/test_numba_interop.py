"""Decorated functions inside `@njit` code."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import jitmdh as mdh
from tests.jit.programs import native_matvec, native_scaled

numba = pytest.importorskip("numba")
matvec, scaled = native_matvec(cache=False), native_scaled(cache=False)


@numba.njit
def twice(w, M, v):
    matvec(w, M, v)
    matvec(w, M, v)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_calls(dtype: str) -> None:
    w, M, v = np.zeros(3, dtype), np.arange(12).reshape(3, 4).astype(dtype), np.arange(4).astype(dtype)
    for matrix in (M, np.asfortranarray(M), M[::-1]):
        w[:] = 0
        twice(w, matrix, v)
        np.testing.assert_allclose(w, 2 * matrix @ v)


def test_bounds() -> None:
    w = np.zeros(3)
    with pytest.raises(IndexError):
        twice(w, np.ones((3, 4)), np.ones(3))
    assert (w == 0).all()


@mdh.jit(cache=False)
def gathered(y, x, places):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[places[i]]


def test_subscripts_read_from_data() -> None:
    @numba.njit
    def call(y, x, places):
        gathered(y, x, places)

    y = np.zeros(3)
    call(y, np.arange(4.0), np.array([3, 0, 2]))
    assert y.tolist() == [3, 0, 2]
    with pytest.raises(IndexError, match="read from data"):
        call(y, np.arange(4.0), np.array([3, 0, 4]))


def test_overlap() -> None:
    base = np.zeros(10)
    with pytest.raises(ValueError, match="overlap"):
        twice(base[:3], np.ones((3, 4)), base[2:6])


def test_results() -> None:
    @numba.njit
    def through(x):
        y, total = scaled(x, 3.0)
        return y.sum() - total, y

    difference, y = through(np.arange(5.0))
    assert difference == 0 and y.tolist() == [0, 3, 6, 9, 12]


def test_what_is_no_mdh_is_a_typing_error() -> None:
    with pytest.raises(numba.TypingError, match="matrix-vector"):
        twice(np.zeros(3), np.zeros(3), np.zeros(3))


def test_numba_is_not_imported_for_nothing() -> None:
    program = "import sys, jitmdh as m\nm.jit(lambda: 1)\nassert not {'numba', 'llvmlite', 'islpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@mdh.jit(cache=False)
def scaled_copy(x):  # type: ignore[no-untyped-def]
    return x * 2


def test_results_in_the_order_of_arguments() -> None:
    @numba.njit
    def call(x):
        return scaled_copy(x)

    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    assert np.array_equal(call(x), x * 2) and call(x).strides == x.strides
    assert np.array_equal(scaled_copy(mdh.hca.Buffer(x)).host, x * 2)
