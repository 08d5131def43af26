"""What an expression reads of the array that it writes: temporaries keep it apart, where there are several points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float64
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType


def shortest(path: Any) -> None:
    for k in range(path.shape[0]):
        for i in range(path.shape[0]):
            for j in range(path.shape[0]):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])


def seidel(path: Any) -> None:
    for i in range(1, path.shape[0] - 1):
        for j in range(1, path.shape[1] - 1):
            path[i, j] = 0.25 * (path[i, j - 1] + path[i - 1, j] + path[i, j + 1] + path[i + 1, j])


def swapped(path: Any) -> None:
    for i in range(path.shape[0] - 1):
        path[i, 0], path[i + 1, 0] = path[i + 1, 0], path[i, 0] * path[i, 0]


def backwards(path: Any) -> None:
    path[:, 0] = path[::-1, 0]


@pytest.mark.parametrize(
    "function, temporaries", [(shortest, True), (seidel, False), (swapped, True), (backwards, True)]
)
def test_one_point_reads_all_before_it_writes(function: Callable[[Any], None], temporaries: bool) -> None:
    program = trace(capture(function), (ArrayType(float64, 2),))
    assert bool(program.allocations) == temporaries
    path = np.random.default_rng(0).random((7, 7))
    wanted = path.copy()
    function(wanted)
    mdh.jit(function)(path)
    np.testing.assert_allclose(path, wanted, rtol=1e-14)
