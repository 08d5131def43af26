"""Python's own functions of vectors, pairs and tuples, and `in`, ≡ plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.agreement import outcome

# mypy: disable-error-code="no-untyped-def"


def sums(y, x, n):
    y[0] = sum(x)
    y[1] = sum(x, n) + sum((x[0], x[1], n)) + sum([1, 2])


def largest(y, x, n):
    y[0], y[1] = max(x), min(x)
    y[2] = max(x[1:]) - min((x[0], x[1], 0.5))


def whether(y, x, n):
    if any(x > 0.7) and not all(x > 0.7):
        y[0] = 1
    if all(x):
        y[1] = 1


def quotients(y, x, n):
    q, r = divmod(-17, n)
    y[0], y[1] = q, r
    for i in range(3):
        q, r = divmod(i - 5, n)
        y[i] += 10 * q + r


def members(y, x, n):
    for i in range(len(y)):
        if i in (1, n, 4):
            y[i] = x[i] + 1
        elif i not in [0, 5] and x[i] in (x[2], 3.0):
            y[i] = 2


def of_rows(y, x, n):
    A = x.reshape(2, 3)
    for i in range(2):
        y[i] = sum(A[i]) * max(A[i]) - min(A[i])


def chosen_rows(y, x, n):
    A = x.reshape(3, 2) * 1
    A[A.sum(axis=1) > 1] = -1
    A[A[:, 0] > 0.2] *= n
    y[:] = A.ravel()


PROGRAMS = (sums, largest, whether, quotients, members, of_rows, chosen_rows)
VECTORS = {
    "floats": np.random.default_rng(1).random(6),
    "not a number": np.array([0.5, np.nan, 2.0, 0.1, np.nan, 0.9]),
    "integers": np.array([3, 0, 2, 3, -4, 1]),
    "bytes": np.array([200, 100, 2, 3, 4, 255], np.uint8),
    "none": np.zeros(0),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("program", "vector"),
    [(p, v) for p in PROGRAMS for v in VECTORS if (p, v) != (chosen_rows, "bytes")],  # bytes do not hold -1
)
def test_built_in_functions(program: Callable[..., None], vector: str) -> None:
    compiled = mdh.jit(cache=False, tune="off")(program)
    for n in (3, -2, 0):
        arguments: tuple[Any, ...] = (np.zeros(6), VECTORS[vector].copy(), n)
        expected, found = outcome(program, arguments), outcome(compiled, (np.zeros(6), VECTORS[vector].copy(), n))
        assert type(expected.error) in type(found.error).__mro__, f"{found.error!r}, Python: {expected.error!r}"
        if expected.error is None:
            np.testing.assert_allclose(found.arrays[0], expected.arrays[0], rtol=1e-12)
    assert vector in ("none", "bytes") or compiled.stats().fallbacks == 0
