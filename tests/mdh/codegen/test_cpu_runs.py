"""Runs written into whole lines: the same bytes at every alignment, and nothing beside them."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh


@mdh.jit(tune="off")
def outer(out, x, y):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = x[0, 0] * 0
            for k in range(x.shape[0]):
                total += x[k, i] * y[k, j]
            out[i, j] = total


@pytest.mark.parametrize("type", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("columns", [8, 16, 17, 48, 128])
def test_every_alignment(type: type, columns: int) -> None:
    random = np.random.default_rng(columns)
    rows, depth = 9, 3
    x, y = (random.integers(-9, 9, (depth, n)).astype(type) for n in (rows, columns))
    size = np.dtype(type).itemsize
    for behind in range(64 // size):
        memory = np.full(rows * columns + 2 * 64, 77, type)
        first = (-memory.ctypes.data // size) % (64 // size) + 16 + behind
        out = memory[first : first + rows * columns].reshape(rows, columns)
        outer(out, x, y)
        np.testing.assert_array_equal(out, x.T @ y)
        assert (memory[:first] == 77).all() and (memory[first + rows * columns :] == 77).all()
