"""Loops whose bounds are data and numbers of outer loops together, and bounds that are written behind their use.

Law: the decorated function does what the undecorated one does, compiled (`fallback="error"`), whatever the bounds are:
none, increasing, decreasing, the whole array, negative.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh

BOUNDS = ([0, 0, 0], [1, 2, 3], [4, 3, 2], [5, 5, 5], [-1, -2, 2], [-1, 5, 1])


def sum_of_rows(x, k):
    total = 0.0
    for i in range(3):
        for j in range(i, k[i]):
            total += x[j]
    return total


def largest_of_rows(x, k):
    y = np.zeros(3)
    for i in range(3):
        for j in range(2 * i, k[i] + i):
            y[i] = max(y[i], x[j])
    return y


def updates_of_rows(x, k):
    for i in range(3):
        for j in range(i, k[i]):
            x[j] += i + 1


def backward_rows(x, k):
    total = 0.0
    for i in range(3):
        for j in range(k[i], i, -1):
            total += x[j] * j
    return total


def rows_written_behind_their_bound(x, k):
    for i in range(2):
        for j in range(i, k[i]):
            x[j] += 1
        k[i + 1] = 2


def halved_bound(x, k):
    for _ in range(2):
        for j in range(k[0]):
            x[j] += 1
        k[0] = k[0] // 2


def slice_behind_its_bound(x, k):
    for _ in range(2):
        r = x[k[1] :]
        k[1] = 1
        r += 1


def sum_behind_its_bound(x, k):
    y = np.zeros(2)
    for i in range(2):
        r = x[: k[1]]
        k[1] = 1
        y[i] = r.sum()
    return y


def element_behind_its_number(x, k):
    for _ in range(2):
        at = k[1]
        k[1] = 1
        x[at] += 1


def triangle_behind_its_bound(x, k):
    for i in range(2):
        r = x[i : k[1]]
        k[1] = i
        r *= 2


FUNCTIONS = (
    sum_of_rows,
    largest_of_rows,
    updates_of_rows,
    backward_rows,
    rows_written_behind_their_bound,
    halved_bound,
    slice_behind_its_bound,
    sum_behind_its_bound,
    element_behind_its_number,
    triangle_behind_its_bound,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_python(function: Callable[..., Any]) -> None:
    compiled = mdh.jit(function, fallback="error")
    for bounds in BOUNDS:
        results = []
        for f in (function, compiled):
            x, k = np.arange(1.0, 8.0), np.array(bounds)
            results.append((f(x, k), x, k))
        (value, x, k), (own, own_x, own_k) = results
        message = f"{function.__name__}, bounds {bounds}"
        np.testing.assert_allclose(own, value, rtol=1e-14, err_msg=message) if value is not None else None
        np.testing.assert_array_equal(own_x, x, err_msg=message)
        np.testing.assert_array_equal(own_k, k, err_msg=message)
