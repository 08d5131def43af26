"""Arrays that a loop makes anew in each iteration, and that are used behind it ≡ Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, NotAnMdhError


@mdh.jit
def descent(x: Any, y: Any, rounds: int) -> Any:
    w = np.zeros(x.shape[1])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-(x @ w)))
        w -= x.T @ (p - y) / len(y)
    p[0] += 1
    return w, p


@mdh.jit
def rows(x: Any, rounds: int) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        for k in range(rounds):
            row = x[i] * k
        out[i] = row.max()
    return out


@mdh.jit
def chained(x: Any, rounds: int) -> Any:
    for i in range(rounds):
        a = x + i
        b = a * 2
        x = b - x
    return a, b, x


X, Y = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30.0) % 2
CALLS: list[tuple[Any, tuple[Any, ...]]] = [(descent, (X, Y, 3)), (rows, (X, 3)), (chained, (Y, 4))]


@pytest.mark.filterwarnings("error::jitmdh.base.errors.JitWarning")
@pytest.mark.parametrize(("f", "args"), CALLS, ids=lambda part: getattr(part, "__name__", ""))
def test_the_last_one_is_kept(f: Any, args: tuple[Any, ...]) -> None:
    found, expected = f(*args), f.py_func(*args)
    for one, other in zip(np.atleast_1d(found) if f is rows else found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_without_iterations_there_is_none() -> None:
    with pytest.warns(JitWarning, match="no value behind a loop without iterations"), pytest.raises(UnboundLocalError):
        descent(X, Y, 0)


def last_row(x: Any) -> Any:
    for i in range(len(x)):
        row = x[i]
    return row


def two_names(x: Any) -> Any:
    for i in range(len(x)):
        row = x[i] * 2
        other = row
    other[0] = 5.0
    return row


def of_other_lengths(x: Any) -> Any:
    for i in range(1, len(x)):
        row = x[:i] * 2.0
    return row


@pytest.mark.parametrize("f", [last_row, two_names, of_other_lengths])
def test_what_may_be_told_from_a_copy_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(NotAnMdhError, match="loop in line"):
        mdh.jit(f)(X)
