"""Arg-extrema along rows: the first of the best places, in whichever vector, accumulator and lane it is."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh

TYPES = ("uint8", "int8", "bool", "float16", "int16", "float32", "int64", "float64")


@mdh.jit(tune="off", cache=False)
def highest(x):
    return x.argmax(axis=1)


@mdh.jit(tune="off", cache=False)
def lowest(x):
    return x.argmin(axis=1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", [17, 70, 700])
@pytest.mark.in_turns(3)
def test_the_first_of_the_best_places(dtype: str, length: int) -> None:
    """Of rows whose best element is at each place once, and at later ones again."""
    random = np.random.default_rng(length)
    x = random.integers(0, 2, (length + 2, length)).astype(dtype)
    for row in range(length):
        x[row, row] = 1 if dtype == "bool" else 9
        x[row, random.integers(row, length, 3)] = x[row, row]
        x[row, :row] = np.where(random.random(row) < 0.5, 0, x[row, :row]) if dtype != "bool" else 0
    x[-2:] = [[0], [1]]
    np.testing.assert_array_equal(highest(x), x.argmax(axis=1))
    turned = ~x if dtype == "bool" else (10 - x).astype(dtype)
    np.testing.assert_array_equal(lowest(turned), turned.argmin(axis=1))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_first_number_that_is_none(dtype: str) -> None:
    x = np.random.default_rng(0).random((90, 83)).astype(dtype)
    for row in range(83):
        x[row, row] = np.nan
        x[row, 82] = -np.nan
    x[83:85] = [[0.0], [-0.0]]
    x[85, ::2], x[86, 1::2] = -np.inf, np.inf
    for found, function in ((highest(x), np.argmax), (lowest(x), np.argmin)):
        np.testing.assert_array_equal(found, function(x, axis=1))


@mdh.jit(tune="off", cache=False)
def inverted(x):
    return ~x


def test_last_vectors_of_bytes_and_short_integers() -> None:
    """A mask of so many lanes that their numbers fill several vectors is a number itself."""
    for dtype in ("uint8", "int16"):
        for n in range(1, 140):
            x = np.arange(n).astype(dtype)
            around = np.zeros(n + 130, dtype)
            around[:n] = x
            np.testing.assert_array_equal(inverted(around[:n]), ~x)
