"""What is written where something is read: arrays filled for nothing, seen in the programs that are left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.laws.agreement import traced

X = np.arange(40.0)


def inside(y: Any, x: Any) -> None:
    t = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        t[i] = x[i - 1] + x[i + 1]
    for i in range(2, x.shape[0] - 2):
        y[i] = t[i - 1] * t[i + 1]


def edges(y: Any, x: Any) -> None:
    t = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        t[i] = x[i - 1] + x[i + 1]
    for i in range(1, x.shape[0] - 1):
        y[i] = t[i - 1] * t[i + 1]


def guarded(y: Any, x: Any) -> None:
    t = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        if x[i] > 4:
            t[i] = x[i - 1] + x[i + 1]
    for i in range(2, x.shape[0] - 2):
        y[i] = t[i - 1] * t[i + 1]


def half(y: Any, x: Any) -> None:
    t = np.zeros(x.shape[0])
    for i in range(x.shape[0] // 2):
        t[2 * i] = x[i]
    for i in range(x.shape[0] - 1):
        y[i] = t[i] * t[i + 1]


def every_round(y: Any, x: Any) -> None:
    t = np.zeros(x.shape[0])
    for _ in range(3):
        for i in range(1, x.shape[0] - 1):
            t[i] = x[i - 1] + y[i + 1]
        for i in range(2, x.shape[0] - 2):
            y[i] = t[i - 1] * t[i + 1] - y[i]


@pytest.mark.parametrize(
    ("function", "filled"), [(inside, False), (edges, True), (guarded, True), (half, True), (every_round, True)]
)
def test_fills_that_nobody_reads_are_left_out(function: Any, filled: bool) -> None:
    program = traced(function, [X.copy(), X])
    assert [a.fill is not None for a in program.allocations if a.name == "t"] == [filled]
