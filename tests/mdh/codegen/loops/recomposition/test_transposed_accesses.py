"""Vectors whose lanes lie apart are transposed in registers: the same elements, whatever does not fill a tile."""

from __future__ import annotations

import re

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from tests.laws.agreement import traced
from tests.mdh.codegen.interpreted import Interpreted
from tests.mdh.codegen.native import Native


def added(y, x, z):
    for i in range(x.shape[1]):
        for j in range(x.shape[0]):
            y[i, j] = x[j, i] - z[i, j]


def turned_back(y, x, z):
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            y[i, j] = x[i, j] - z[i, j]


def product(c, a, b):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def tile(lanes: int, rows: int) -> Configuration:
    """Lanes along i, which lie apart in results; so many points along j."""
    sizes = ((Level("L1", "i"), lanes), (Level("REG", "i"), lanes), (Level("L1", "j"), rows))
    return Configuration(part_size=sizes)


@pytest.mark.parametrize(("dtype", "lanes"), [("float64", 8), ("float32", 16), ("int32", 4), ("int8", 16)])
@pytest.mark.parametrize("rows", [2, 3, 7, 8, 12])
@pytest.mark.parametrize("features", [None, "avx2", "128"])
@pytest.mark.in_turns(6)
def test_results_and_inputs_across_the_rows_of_arrays(dtype: str, lanes: int, rows: int, features: str | None) -> None:
    """z is loaded along its rows and turned, y is turned and stored along its rows; x is read as it lies."""
    random = np.random.default_rng(rows)
    one = np.ones((1, 1), dtype)
    native = Native(traced(added, (one, one, one)), lambda *_: tile(lanes, rows), features=features)
    for n, m in [(lanes, rows), (2 * lanes + 1, 2 * rows + 1), (lanes - 1, 3 * rows), (1, 2 * rows), (3 * lanes, 1)]:
        x, z = (random.integers(-4, 5, shape).astype(dtype) for shape in ((m, n), (n, m)))
        around = np.full((n + 2, m), 77, dtype)  # nothing else is written
        native(around[1:-1], x, z)
        np.testing.assert_array_equal(around[1:-1], x.T - z)
        assert (around[[0, -1]] == 77).all()


@pytest.mark.parametrize(("n", "m"), [(17, 70), (35, 18), (3, 50)])
def test_rows_that_are_not_there_are_not_touched(n: int, m: int) -> None:
    """Not even under masks: the interpreter says so of what is far behind an array."""
    random = np.random.default_rng(n)
    one = np.ones((1, 1), np.float32)
    for function, outside in ((added, m), (turned_back, n)):
        interpreted = Interpreted(traced(function, (one, one, one)), lambda *_: tile(16, 16), features="avx512")
        x, z = (random.random(shape, dtype=np.float32) for shape in ((outside, n + m - outside), (n, m)))
        y = np.zeros((n, m), np.float32)
        interpreted(y, x, z)
        np.testing.assert_array_equal(y, (x.T if function is added else x) - z)


@pytest.mark.parametrize("rows", [4, 6, 16])
def test_sums_across_the_rows_of_results(rows: int) -> None:
    random = np.random.default_rng(rows)
    one = np.ones((1, 1), np.float32)
    native = Native(traced(product, (one, one, one)), lambda *_: tile(16, rows))
    for n, m, k in [(16, rows, 3), (35, 2 * rows + 1, 5), (15, rows, 1)]:
        a, b, c = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((n, k), (k, m), (n, m)))
        expected = c + a @ b
        native(c, a, b)
        np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize(("n", "m"), [(17, 34), (35, 18), (3, 16)])
def test_what_results_held_is_read_along_rows_that_are_there(n: int, m: int) -> None:
    one = np.ones((1, 1), np.float32)
    interpreted = Interpreted(traced(product, (one, one, one)), lambda *_: tile(16, 16), features="avx512")
    random = np.random.default_rng(n)
    a, b, c = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((n, 3), (3, m), (n, m)))
    expected = c + a @ b
    interpreted(c, a, b)
    np.testing.assert_array_equal(c, expected)


def test_what_results_held_is_turned_as_they_are() -> None:
    one = np.ones((1, 1), np.float32)
    text = Native(traced(product, (one, one, one)), lambda *_: tile(16, 16), features="avx512").text
    held = re.findall(r"call <16 x float> @llvm.masked.gather", text)
    assert len(held) <= 6  # of a, whose columns lie apart, and of rows behind the last whole tile


def test_rows_are_stored_as_vectors() -> None:
    one = np.ones((1, 1))
    text = Native(traced(added, (one, one, one)), lambda *_: tile(8, 8), features="avx512").text
    assert "shufflevector" in text
    assert text.count("call void @llvm.masked.scatter") <= 2  # of rows behind the last whole tile


def near(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i, 0] + 2 * x[i, 2] - x[i, 5] * x[i, 11]


def test_elements_near_each_other_in_each_row_are_loaded_with_what_is_between_them() -> None:
    one = np.ones((1, 12))
    lanes = Configuration(part_size=((Level("L1", "i"), 8), (Level("REG", "i"), 8)))
    native = Native(traced(near, (np.ones(1), one)), lambda *_: lanes, features="avx512")
    assert (
        native.text.count("call <8 x double> @llvm.masked.gather") <= 2
    )  # of the far one, in whole tiles and in the last
    for n in (1, 7, 8, 23):
        x = np.random.default_rng(n).integers(-9, 9, (n, 12)).astype(float)
        y = np.full(n + 2, 77.0)
        native(y[1:-1], x)
        np.testing.assert_array_equal(y[1:-1], x[:, 0] + 2 * x[:, 2] - x[:, 5] * x[:, 11])
        assert (y[[0, -1]] == 77).all()


@mdh.jit(tune="off", cache=False)
def chosen(y, x, n):
    for i in range(n.shape[0]):
        for j in range(x.shape[1]):
            y[j, i] = x[n[i], j] + 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_rows_that_data_choose_of_a_tile_that_is_not_whole(dtype: str) -> None:
    random = np.random.default_rng(5)
    for count, columns in [(1, 16), (5, 21), (17, 3), (33, 16), (70, 21)]:
        x, n = random.integers(0, 99, (50, columns)).astype(dtype), random.integers(0, 50, count)
        y = np.zeros((columns, count), dtype)
        chosen(y, x, n)
        np.testing.assert_array_equal(y, x[n].T + 1)


@mdh.jit(tune="off", cache=False)
def turned(x, y):
    return x.transpose(2, 1, 0) + y


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "float16", "complex64", "bool"])
def test_the_model_chooses_such_tiles(dtype: str) -> None:
    random = np.random.default_rng(3)
    x = random.integers(0, 2, (37, 9, 26)).astype(dtype)
    y = random.integers(0, 2, (26, 9, 37)).astype(dtype)
    np.testing.assert_array_equal(turned(x, y), x.transpose(2, 1, 0) + y)
    if dtype != "complex64":
        config = next(iter(turned.config(x, y).values()))
        sizes = {level: n for level, n in config["part_size"].items() if level.startswith("(L1")}
        assert len([n for n in sizes.values() if n > 1]) == 2, config["reasons"]
