"""Conditions around statements: which points exist, and what a name stands for where an earlier condition held."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError


def below_the_diagonal(y, x, n):
    for i in range(n):
        for j in range(i):
            y[j] += x[n - i]


def far_below_the_diagonal(y, x, n):
    for i in range(n):
        for j in range(i - 3):
            y[j] += x[n - i + 3]


def from_the_second(y, x, n):
    for i in range(n):
        if i >= 2:
            y[i] = x[n - i + 1]


def one_after_the_other(y, x, n):
    for i in range(n):
        for j in range(n - i, n):
            if i - 1 >= 0:
                y[n - 1 - i] = max(y[n - 1 - i], x[n - i] + j)


TRIANGLES = [below_the_diagonal, far_below_the_diagonal, from_the_second, one_after_the_other]


@pytest.mark.parametrize("f", TRIANGLES)
def test_subscripts_of_points_that_exist(f):
    """Arrays that are just long enough are, without plain Python; shorter ones are an error where they are one."""
    compiled = mdh.jit(f)
    for n in (0, 1, 2, 4, 9):
        for missing in (0, 1):
            x, want, got = np.arange(float(max(n - missing, 0))), np.zeros(n + 1), np.zeros(n + 1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if missing or n < 4 else "error", mdh.JitWarning)
                try:
                    f(want, x, n)
                except IndexError:
                    with pytest.raises(IndexError):
                        compiled(got, x, n)
                else:
                    compiled(got, x, n)
                    assert np.array_equal(got, want)


def in_parts(y, x, n):
    if n - 1 >= 0:
        total = 0.0
    if n - 1 >= 0:
        for k in range(n):
            total += x[k] * x[k]
    if n - 1 >= 0:
        y[0] = total
    for i in range(n):
        if i > 2:
            t = x[i] * 2
        y[i] += i
        if i > 2 and x[i] > 1:
            y[i] = t
        if i > 2:
            t = t + 1
        if i > 2:
            y[i] += t


def under_another_condition(y, x, n):
    if n > 2:
        t = x[0]
    if n > 1:
        y[0] = t


def changed_under_another_condition(y, x, n):
    if n > 1:
        t = x[0]
    if n > 2:
        t = x[1]
    if n > 1:
        y[0] = t


def in_another_loop(y, x, n):
    for i in range(n):
        if i > 2:
            t = x[i]
    for i in range(n):
        if i > 2:
            y[i] = t


def test_names_keep_their_values_under_the_same_condition():
    for n in (0, 1, 5):
        x, want, got = np.arange(5.0) - 1, np.zeros(5), np.zeros(5)
        in_parts(want, x, n)
        mdh.jit(in_parts)(got, x, n)
        assert np.array_equal(got, want)


@pytest.mark.parametrize("f", [under_another_condition, changed_under_another_condition, in_another_loop])
def test_names_without_a_value_are_none(f):
    with pytest.raises(NotAnMdhError, match=r"only on one side|after the loop"):
        mdh.jit(fallback="error")(f)(np.zeros(5), np.ones(5), 5)
