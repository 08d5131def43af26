"""Reductions of arrays that lie in opposite orders: rows of the one and columns of the other, transposed in registers.

Undecorated Python ≡ compiled code, for lengths around those of vectors and of tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.model.register_tiling import best_tile
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.machine.known import known


def trace_of_product(w, A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            w[0] += A[i, j] * B[j, i]


def asymmetry(w, A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            w[0] = max(w[0], abs(A[i, j] - B[j, i]))


def of_rows(w, A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            w[i] += A[i, j] * B[j, i]


def of_columns(w, A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            w[j] += A[i, j] - B[j, i]


def lower(w, A, B):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            w[i] += A[i, j] * B[j, i]


def of_whole_arrays(w, A, B):
    w[0] = ((A - B.T) ** 2).sum()


FUNCTIONS = trace_of_product, asymmetry, of_rows, of_columns, lower, of_whole_arrays


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.complex64])
@pytest.mark.in_turns(4)
def test_as_undecorated(function: Callable[..., None], dtype: Any) -> None:
    if function is asymmetry and np.issubdtype(dtype, np.complexfloating):
        pytest.skip("complex numbers have no order")
    if function is of_whole_arrays and dtype is np.int16:
        pytest.skip("the sum is larger than its place")
    compiled = mdh.jit(function, tune="off", cache=False)
    random = np.random.default_rng(3)
    for n, m in ((0, 3), (1, 1), (3, 40), (15, 17), (16, 16), (33, 33), (47, 128), (130, 20)):
        m = max(m, n) if function is lower else m
        A, B = random.integers(-4, 5, (n, m)).astype(dtype), random.integers(-4, 5, (m, n)).astype(dtype)
        mine, theirs = (np.zeros(max(n, m, 1), dtype) for _ in range(2))
        compiled(mine, A, B)
        function(theirs, A, B)
        np.testing.assert_array_equal(mine, theirs, f"{n} x {m}")


@pytest.mark.parametrize("host", ["sapphire-rapids", "zen3", "zen4", "avx2-desktop"])
@pytest.mark.parametrize("function", [trace_of_product, of_rows], ids=lambda f: f.__name__)
def test_tiles_have_rows_and_columns(host: str, function: Callable[..., None]) -> None:
    """Lanes along the one order, steps along the other: no element is loaded by itself."""
    (step,) = trace(capture(function), (ArrayType(float32, 1), ArrayType(float32, 2), ArrayType(float32, 2))).steps
    assert isinstance(step, Expression)
    sizes = {"w.shape[0]": 1000, **{f"{array}.shape[{axis}]": 1000 for array in "AB" for axis in (0, 1)}}
    tile = best_tile(problem(step, sizes, {"w": 0, "A": 1, "B": 1}, 2), known(host, cores=2))
    (other,) = {"i", "j"} - {tile.lane}
    assert tile.counts.get(other, 1) >= 4
