"""Axes of extent 1 are broadcast by compiled code: the same results as in Python, without it, whatever the shapes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh


@mdh.jit
def standardised(x, mean, scale, out):
    out[:] = (x - mean) / scale + x.shape[0] * mean.shape[1]


@mdh.jit
def shares(x, bias):
    weights = np.exp(x + bias)
    return weights / weights.sum(axis=1, keepdims=True), bias.sum(), 2.0 * bias.T


@mdh.jit
def steps(state, rate):
    for _ in range(2):
        state += rate * np.maximum(state, rate)
    return np.where(state > rate, state, rate) @ np.ones(state.shape[1])


@mdh.jit
def smoothed(field, weights):
    result = np.zeros_like(field)
    for i in range(1, field.shape[0]):
        result[i] = field[i - 1] + field[i] * weights[0]
    return result


CASES = {standardised: 3, shares: 1, steps: 1, smoothed: 1}


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, list[Any]]:
    """A function and its arguments: a matrix, and others that are it or have axes of extent 1 instead."""
    function = draw(st.sampled_from(list(CASES)))
    shape = draw(st.tuples(st.sampled_from((1, 2, 5, 20)), st.sampled_from((1, 3, 17))))
    kinds = st.sampled_from(("f8", "f4", "c16") if function is standardised else ("f8",))
    arrays = []
    for number in range(CASES[function] + 1):
        whole = number in (0, 3)
        extents = tuple(n if whole or draw(st.booleans()) else 1 for n in shape)
        if function is smoothed and number:
            extents = (1, extents[1])
        type = "c16" if number == 3 else draw(kinds)
        array = (np.arange(np.prod(extents)).reshape(extents) % 7 / 8 + number + 0.5).astype(type)
        arrays.append(np.asfortranarray(array) if draw(st.booleans()) else array)
    return function, arrays


@pytest.mark.in_turns(2)
@settings(max_examples=8)
@given(st.lists(calls(), min_size=1, max_size=3))
def test_axes_of_extent_1_are_broadcast_without_python(several: list[tuple[Any, list[Any]]]) -> None:
    for function, arguments in several:
        expected = [a.copy(order="K") for a in arguments]
        wanted = function.py_func(*expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = function(*arguments)
        for ours, theirs in zip([*arguments, found], [*expected, wanted]):
            for one, other in zip(ours, theirs) if isinstance(ours, tuple) else [(ours, theirs)]:
                if one is not None:
                    assert one.shape == other.shape and one.dtype == other.dtype
                    np.testing.assert_allclose(one, other, rtol=1e-5)
    assert not any(function.stats().fallbacks for function in CASES)


def test_later_calls_are_native_and_others_are_what_they_were() -> None:
    matrix, row, column = np.ones((6, 4)), np.full((1, 4), 2.0), np.full((6, 1), 3.0)

    @mdh.jit
    def added(a, b):
        return a + b

    for b in (matrix, row, column):
        added(matrix, b)
    before = added.stats().slow_calls
    assert [added(matrix, b)[0, 0] for b in (row, column, matrix, row)] == [3.0, 4.0, 2.0, 3.0]
    assert added.stats().slow_calls == before
    assert "b: float64[1, :]" in added.inspect(matrix, row)
    assert "++" in str(added.explain(matrix, column, measure=False))


def test_what_does_not_fit_is_pythons_error() -> None:
    @mdh.jit
    def into(out, x):
        out += x

    for x in (np.ones((5, 3)), np.ones((6, 1)), np.ones((2, 4))):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                into(np.zeros((1, 4)), x)
        except ValueError:
            continue
        raise AssertionError(x.shape)
