"""A name that an `if` has set, used under the same condition later ≡ plain Python, also where it is set between."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import jitmdh as mdh

# mypy: disable-error-code="no-untyped-def"


def used(x, y, n):
    for k in range(n):
        if k > 2:
            t = x[k]
        x[k] = 100.0
        if k > 2:
            y[k] = t


def set_in_a_loop(x, y, n):
    for k in range(n):
        if k > 2:
            t = x[k]
        for _ in range(3):
            if k > 2:
                y[k] += t
                t = t * 2


def set_in_a_loop_and_used_behind(x, y, n):
    if n > 2:
        t = x[0]
    for j in range(3):
        if n > 2:
            t = t + x[j]
    if n > 2:
        y[0] = t


def an_array_set_in_a_loop(x, y, n):
    if n > 2:
        t = x * 2
    for j in range(3):
        if n > 2:
            y[j] = t[j]
            t = t + x


def set_in_a_while(x, y, n):
    if n > 2:
        t = x[0]
    k = 0
    while k < n:
        if n > 2:
            t = t * 0.5 + x[k]
            y[k] = t
        k += 1


def set_where_data_decide(x, y, n):
    for k in range(n):
        if k > 2:
            t = x[k]
        if x[k] > 0:
            t = 5.0
        if k > 2:
            y[k] = t


def set_on_both_sides(x, y, n):
    for k in range(n):
        if k > 2:
            t = x[k]
        if k > 1:
            t = 7.0 if x[k] < 0 else 8.0
        if k > 2:
            y[k] = t


PROGRAMS = (
    used, set_in_a_loop, set_in_a_loop_and_used_behind, an_array_set_in_a_loop, set_in_a_while, set_where_data_decide,
    set_on_both_sides,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_value_is_the_last_one(program: Callable[..., None]) -> None:
    compiled = mdh.jit(cache=False, fallback="python", tune="off")(program)
    expected, found = ([np.arange(1.0, 9.0) * ([1, -1] * 4), np.zeros(8)] for _ in range(2))
    program(*expected, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it runs as plain Python
        compiled(*found, 8)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
