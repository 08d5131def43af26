"""Integers to negative integer powers are an error, as in NumPy, where the result is used."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh

x = np.arange(1, 40)


@mdh.jit(cache=False)
def powers(y, x, e):
    for i in range(x.shape[0]):
        y[i] = x[i] ** e[i]


@mdh.jit(cache=False)
def guarded(y, x, e):
    for i in range(x.shape[0]):
        y[i] = x[i] ** e[i] if e[i] >= 0 else 7


@mdh.jit(cache=False)
def whole(y, x, e):
    y[:] = x**e


@mdh.jit(cache=False)
def both_faults(y, x, e):
    for i in range(x.shape[0]):
        y[i] = x[i] // (e[i] - 3) + x[i] ** e[i]


@pytest.mark.parametrize("function", [powers, whole], ids=["loop", "array"])
@pytest.mark.parametrize("at", [0, 17, 38])
def test_negative_powers(function, at):
    y, e = np.zeros_like(x), np.full_like(x, 2)
    function(y, x, e)
    assert (y == x**2).all()
    e[at] = -1
    with pytest.raises(ValueError, match="negative integer powers"):
        function(y, x, e)
    with pytest.raises(ValueError, match="negative integer powers"):
        function.py_func(y, x, e)


def test_what_is_not_taken_is_no_error():
    y, e = np.zeros_like(x), np.full_like(x, 3)
    e[5] = -2
    guarded(y, x, e)
    assert y[5] == 7 and y[6] == 343


def test_each_fault_has_its_error():
    y, e = np.zeros_like(x), np.full_like(x, 2)
    both_faults(y, x, e)
    assert (y == x // -1 + x**2).all()
    e[7] = -4
    with pytest.raises(ValueError, match="negative integer powers"):
        both_faults(y, x, e)
    e[7] = 3
    both_faults(y, x, e)  # by zero: 0, as NumPy's numbers have it
    assert y[7] == x[7] ** 3
