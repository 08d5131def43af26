"""Sorting ≡ NumPy: lengths around those of lanes, runs and pieces, types, values that compare in their own way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.frontend.arrays.numpy_functions.forms import FEW, exchanges

TYPES = ("f8", "f4", "i8", "u8", "u1", "?")


def of_a_vector(x: Any) -> Any:
    return np.sort(x)


def of_rows(x: Any) -> Any:
    return np.sort(x)


def of_columns(x: Any) -> Any:
    return np.sort(x, axis=0)


def places(x: Any) -> Any:
    return np.argsort(x)


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    """Few different values, the ends of the type; of floats NaN, infinities and zeros with their signs."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(kind).max, np.finfo(kind).smallest_subnormal])
        values = np.concatenate((special, rng.standard_normal(40)))
    elif kind.kind == "b":
        values = np.array([False, True])
    else:
        limits = np.iinfo(kind)
        values = np.concatenate((np.array([limits.min, limits.max, 0, 1], kind), rng.integers(0, 100, 30).astype(kind)))
    return rng.choice(values.astype(kind), shape)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("dtype", TYPES)
def test_as_numpy_sorts(dtype: str) -> None:
    vector, rows, columns = (mdh.jit(cache=False, tune="off")(f) for f in (of_a_vector, of_rows, of_columns))
    for n in (129, 0, 1, 7, 9, 17, 250, 1025, 2500):
        x = numbers((n,), dtype, n)
        _same(vector(x), x)
        _same(vector(x[::-1]), x[::-1])
    for shape in ((33, 129), (5, 17), (0, 3), (3, 0), (1, 40)):
        matrix = numbers(shape, dtype, shape[1])
        _same(rows(matrix), matrix)
    _same(columns(numbers((20, 3), dtype, 0)).T, numbers((20, 3), dtype, 0).T)


def _same(got: Any, given: Any) -> None:
    np.testing.assert_array_equal(got, np.sort(given))
    assert got.dtype == given.dtype
    if given.dtype.kind == "f":  # each zero keeps its sign; NumPy's own networks lose some
        assert np.signbit(got[got == 0]).sum() == np.signbit(given[given == 0]).sum()


@pytest.mark.parametrize("count", [*range(1, 14), 25, 32, FEW])
def test_the_exchanges_of_few_numbers_sort(count: int) -> None:
    """Of zeros and ones, all of them, or many: what sorts these sorts all numbers (the 0-1 principle)."""
    found = exchanges(count)
    assert found is not None
    first, steps, last = found
    digits = np.arange(2**count) if count < 14 else np.random.default_rng(0).integers(0, 2**count, 4000)
    numbers = [digits >> k & 1 for k in first]
    for i, j in steps:
        numbers += [np.minimum(numbers[i], numbers[j]), np.maximum(numbers[i], numbers[j])]
    np.testing.assert_array_equal([numbers[k] for k in last], np.sort([numbers[k] for k in first], axis=0))


def test_many_numbers_have_no_exchanges() -> None:
    assert exchanges(FEW + 1) is None and exchanges(0) is None


def windows(image: Any, out: Any) -> Any:
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 2):
            ordered = np.sort(image[i, j - 1 : j + 2])
            out[i, j] = np.median(image[i - 1 : i + 2, j - 1 : j + 3]) - ordered[0] + ordered[1] - ordered[2]
    return np.median(image[:9], axis=0), np.median(image[:, :4], axis=1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_windows(dtype: str) -> None:
    """An even number of elements, and an odd one; where one is NaN, so is the median."""
    image = numbers((12, 31), dtype, 3)
    if image.dtype.kind == "i":
        image >>= 2  # the median is a float, and an integer is subtracted from it
    got, expected = np.zeros(image.shape), np.zeros(image.shape)
    for one, other in zip(mdh.jit(cache=False, tune="off")(windows)(image, got), windows(image, expected)):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.in_turns(2)
def test_places_are_stable() -> None:
    f = mdh.jit(cache=False, tune="off")(places)
    for n in (40, 1, 7, 16, 129):
        x = numbers((n,), "f8", n)
        np.testing.assert_array_equal(f(x), np.argsort(x, kind="stable"))


def test_lanes_compare_side_by_side() -> None:
    text = mdh.jit(of_rows).inspect(np.ones((100, 100)), stage="kernel")
    network = text[text.index("while (") :]
    assert "while (any(" not in network.partition("while (active_2)")[0]  # one counter for all lanes
    assert "gather" not in network.partition("}")[0]
