"""Sums down the columns of matrices that no near cache holds: rows are read from end to end, by several cores."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh

SHAPES = [(2048, 1000), (1001, 2053), (300, 20_011), (20, 200_003)]


def data(shape: tuple[int, int], dtype: str) -> np.ndarray:
    x = np.random.default_rng(0).integers(-50, 50, shape)
    return (x + 1j * x[::-1]).astype(dtype) if dtype.startswith("c") else x.astype(dtype)


@mdh.jit
def product(v, x):
    return v @ x


@mdh.jit
def added(w, x):
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            w[j] += x[i, j]


@mdh.jit
def finished(x):
    return np.sqrt(np.abs(x.sum(axis=0))) + 1


@mdh.jit
def extrema(x):
    return x.max(axis=0), x.argmin(axis=0)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_are_exact(shape: tuple[int, int], dtype: str) -> None:
    """Of small whole numbers, in any order."""
    x = data(shape, dtype)
    v = x[:, 0].copy()
    assert np.array_equal(product(v, x), v @ x)
    w, expected = np.full(shape[1], 3, dtype), 3 + x.sum(axis=0)
    added(w, x)
    assert np.array_equal(w, expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_done_to_a_sum_is_done_once(shape: tuple[int, int]) -> None:
    x = data(shape, "float64")
    assert np.allclose(finished(x), np.sqrt(np.abs(x.sum(axis=0))) + 1, rtol=1e-15)


@pytest.mark.parametrize("shape", SHAPES)
def test_other_operators(shape: tuple[int, int]) -> None:
    """The first of equals, in whatever parts the rows are looked at."""
    x = data(shape, "float32")
    top, place = extrema(x)
    assert np.array_equal(top, x.max(axis=0)) and np.array_equal(place, x.argmin(axis=0))


def test_short_floats_are_summed_in_float32() -> None:
    x = data((2048, 3000), "float16") / 64
    exact = x.astype(np.float64).sum(axis=0)
    assert np.array_equal(mdh.jit(column_sums)(x), exact.astype(np.float16))


def column_sums(x):
    return x.sum(axis=0)


def test_sums_over_the_first_of_three_axes() -> None:
    """Of parts, whose rows are not one behind the other, and of every second element, which the lanes go along."""

    def f(x, y):
        return (x * y).sum(axis=0)

    random = np.random.default_rng(3)
    part = random.random((200, 130, 60))[1:, 1:122, 1:58]
    second = random.random((199, 121, 114))[:, :, ::2]
    jitted = mdh.jit(tune="off", cache=False)(f)
    for x, y in ((part, part), (second, second), (part, second), (second, np.asfortranarray(part))):
        np.testing.assert_allclose(jitted(x, y), f(x, y), rtol=1e-12)
    assert "(MM,k)" in jitted.config(part, part)["f"]["part_size"]
    assert jitted.config(second, second)["f"]["reasons"][0].endswith(" of j"), "not along the longer rows"
