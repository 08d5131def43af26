"""Places that exist only under a condition, of which data decide a part: no call falls back for those not accessed."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.texts import loaded

NEIGHBOUR = """
def f(x, y):
    n, m = x.shape
    for i in range(1, n):
        for j in range(m):
            best = x[i - 1, j]
            {condition}
                {change}
            y[i, j] {store} best
    return y
"""
CONDITIONS = (
    "if j < m - 1 and x[i - 1, j + 1] < best:",
    "if best > 0 and j < m - 1:",
    "if (j < m - 1 and i > 1) and best > 0:",
    "if j < m - 1 and (x[i, j + 1] < 0 or best > 0):",
)
CHANGES = ("best = x[i - 1, j + 1]", "y[i, j + 1] = x[i - 1, j + 1]", "best += x[i, j + 1] * x[i - 1, j + 1]")
EXCHANGE = """
import numpy as np

def f(x, y):
    n, m = x.shape
    old = np.ones(m)
    new = np.zeros(m)
    for i in range(n):
        for j in range(m):
            new[j] = abs(x[i, j] - y[i, j]) + old[j]
        old, new = new, old
    return old
"""


def same(text: str, path: Path) -> None:
    """As Python, compiled, for shapes that have such places and shapes that have none."""
    f = loaded(text, path)
    compiled = mdh.jit(fallback="error", cache=False, tune="off")(f)
    for n, m in ((0, 3), (1, 1), (2, 1), (2, 5), (7, 9)):
        given = tuple(np.random.default_rng(n + m + k).integers(-5, 5, (n, m)).astype(float) for k in range(2))
        np.testing.assert_array_equal(compiled(*copy.deepcopy(given)), f(*copy.deepcopy(given)), err_msg=f"{n} {m}")


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("store", ["=", "+="])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_that_data_decide_in_part(condition: str, change: str, store: str, tmp_path: Path) -> None:
    same(NEIGHBOUR.format(condition=condition, change=change, store=store), tmp_path)


def test_the_last_iteration_of_an_odd_number(tmp_path: Path) -> None:
    """Rows of the arguments that only the iteration behind the pairs of exchanged arrays reads."""
    same(EXCHANGE, tmp_path)
