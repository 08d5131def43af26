"""Sine and cosine of one number are the lanes of one function: with the same bits as alone, in vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh.base.dtype import float32, float64
from jitmdh.mdh.targets.llvm.instructions.vector_functions import shared

SPECIAL = [0.0, -0.0, 1e-9, -1e-9, 5e-324, -1e-300, math.pi / 2, 2.0**20, -(2.0**20), 1e6, -3e7, 1e18, np.nan]


def one_at_a_time(x: Any, s: Any, c: Any) -> None:
    i = 0
    while i < len(x):
        s[i] = math.sin(x[i])
        c[i] = math.cos(x[i])
        i += 1


def in_vectors(x: Any, s: Any, c: Any) -> None:
    for i in range(len(x)):
        s[i] = math.sin(x[i])
        c[i] = math.cos(x[i])


def test_same_bits_as_in_vectors() -> None:
    x = np.concatenate([np.random.default_rng(0).uniform(-60, 60, 4001), SPECIAL])
    results = []
    for function in (one_at_a_time, in_vectors):
        s, c = np.zeros_like(x), np.zeros_like(x)
        mdh.jit(function, tune="off")(x, s, c)
        results.append((s.view(np.int64).tolist(), c.view(np.int64).tolist()))
    assert results[0] == results[1]


def test_is_called_once() -> None:
    """Both ask for the same function, of which one call is left where LLVM looks for what is equal."""
    (sine, first), (cosine, second) = shared("sin", float64) or (None, 2), shared("cos", float64) or (None, 2)
    assert sine == cosine and (first, second) == (0, 1)
    assert shared("tan", float64) is None and shared("sin", float32) is None
