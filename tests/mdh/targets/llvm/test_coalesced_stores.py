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


def test_non_temporal_stores() -> None:
    """Whole lines are streamed, the ends of a run are not."""
    streaming = mdh.jit(tune="off", schedule={"scalar_output_region": "MM"})(outer.__wrapped__)
    random = np.random.default_rng(1)
    x, y = (random.integers(-9, 9, (3, n)).astype(np.float32) for n in (9, 128))
    for behind in range(16):
        memory = np.full(9 * 128 + 128, 77, np.float32)
        first = (-memory.ctypes.data // 4) % 16 + 16 + behind
        out = memory[first : first + 9 * 128].reshape(9, 128)
        streaming(out, x, y)
        np.testing.assert_array_equal(out, x.T @ y)
        assert (memory[:first] == 77).all() and (memory[first + 9 * 128 :] == 77).all()
