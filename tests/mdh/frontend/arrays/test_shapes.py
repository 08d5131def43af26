"""Axes that a reshape splits are subscripts like any others: no quotients where lengths say which they are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type


def pooled(x):
    h, w = x.shape
    return x.reshape(h // 2, 2, w // 3, 3).max(axis=(1, 3))


def pooled_by_numbers(x):
    return x.reshape(4, 2, 2, 3).max(axis=(1, 3))


def one_is_left(x):
    return x.reshape(x.shape[0] // 2, 2, -1, 3).sum(axis=(1, 3))


def groups_of_columns(x):
    return x.reshape(-1, 3, 2).sum(axis=2)


def groups_of_rows(x):
    return x.reshape(-1, 2, 6).sum(axis=1)


def of_an_expression(x):
    return (x * 2).reshape(x.shape[0] // 2, 2, x.shape[1] // 2, 2) - 1


def of_a_view(x):
    return x.T.reshape(x.shape[1] // 2, 2, x.shape[0] // 4, 4).sum(axis=(1, 3))


def assigned(x):
    y = x.copy()
    y.reshape(4, 2, 3, 2)[:, 0, :, 1] = 0
    return y


SPLIT = [
    pooled, pooled_by_numbers, one_is_left, groups_of_columns, groups_of_rows, of_an_expression, of_a_view, assigned,
]  # fmt: skip


@pytest.mark.parametrize("function", SPLIT)
def test_split_axes_are_affine(function: Callable[..., Any]) -> None:
    x = np.random.default_rng(0).random((8, 6))
    program = trace(capture(function), (argument_type(x),))
    made = {e.name: e for e in expressions(program.steps)}
    assert function is groups_of_rows or not any(e.indirect for e in made.values())
    np.testing.assert_allclose(mdh.jit(function)(x), function(x))


def pairs(x):
    return x.reshape(-1, 2).sum(axis=1)


def twelve(x):
    return x.reshape(2, 3, 2).sum(axis=1)


@pytest.mark.parametrize("function", [pairs, twelve, groups_of_columns, groups_of_rows, pooled_by_numbers])
def test_what_numbers_let_assume_may_be_otherwise(function: Callable[..., Any]) -> None:
    """Calls of any shapes in turns, those that NumPy refuses among them; of the others nobody is warned."""
    jitted = mdh.jit(function)
    shapes = [(8, 6), (6, 8), (4, 12), (2, 6), (4, 3), (12, 1), (1, 48), (3, 5), (2, 6), (8, 6)]
    for n, shape in enumerate(shapes):
        x = np.random.default_rng(n).random(shape)
        try:
            expected = function(x)
        except ValueError:
            with warnings.catch_warnings(action="ignore"), pytest.raises(ValueError):
                jitted(x)
            continue
        np.testing.assert_allclose(jitted(x), expected)
