"""Long functions of sums of rows: what becomes a computation of its own, and that it means the same.

Undecorated Python ≡ the interpreter ≡ compiled code, for rows and sums of any length, none included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.agreement import traced


def log_of_sums(s: Any, x: Any) -> None:
    s[:] = np.log(np.exp(x).sum(axis=2) + 1.0)


def added(s: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total = 0.0
            for k in range(x.shape[2]):
                total += x[i, j, k]
            s[i, j] += np.tanh(total) * s[i, j]


def twice(s: Any, x: Any) -> None:
    s[:] = np.exp(-(x * x).sum(axis=2)) + np.log(1.0 + np.abs(x).sum(axis=2))


def roots(s: Any, x: Any) -> None:
    s[:] = np.sqrt((x * x).sum(axis=2))


def columns(s: Any, x: Any) -> None:
    s[:] = np.log(np.exp(x).sum(axis=0))


CASES = ((log_of_sums, 2), (added, 2), (twice, 3), (roots, 1))


@pytest.mark.parametrize(("function", "steps"), CASES)
def test_what_is_apart_means_the_same(function: Callable[..., None], steps: int) -> None:
    compiled = mdh.jit(tune="off", cache=False)(function)
    for shape in ((2, 3, 20), (1, 1, 1), (5, 7, 3), (3, 2, 0), (0, 2, 4)):
        random = np.random.default_rng(0)
        x, s = random.random(shape) - 0.5, random.random(shape[:2])
        wanted, native, interpreted = s.copy(), s.copy(), s.copy()
        function(wanted, x)
        program = traced(function, (s, x))
        check(program)
        assert len(expressions(program.steps)) == steps
        interp.run(program, interpreted, x)
        compiled(native, x)
        np.testing.assert_allclose(interpreted, wanted, rtol=1e-12)
        np.testing.assert_allclose(native, wanted, rtol=1e-12)


def test_what_is_on_lanes_already_stays() -> None:
    """Sums of columns, whose lanes go along the results."""
    x, s = np.ones((4, 4, 4)), np.ones((4, 4))
    assert len(expressions(traced(columns, (s, x)).steps)) == 1
