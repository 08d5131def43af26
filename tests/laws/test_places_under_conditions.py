"""Subscripts from data, where a condition leaves out some of the lanes: numbers of one point, or the same for all."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.texts import loaded
from tests.laws.ways import ways

PLACES = ("A[k[j], i]", "A[i, k[j]]", "x[k[j] + i]", "A[k[j], 2 * i]", "A[k[l[j]], i]", "A[k[i], j]", "A[k[j], k[i]]")
RANGES = ("range(i + 1)", "range(i)", "range(n - i)", "range(i, n)", "range(n) if i >= j", "range(i + 1) if k[j] != 1")
TEXT = """
import numpy as np

def f(A, x, k, l, n):
    y = np.zeros(n)
    for i in range(n):
        for j in {range}:
            if {condition}:
                y[i] {change}
    return y
"""


def text(along: str, change: str) -> str:
    """A loop `along` a range, which may have a condition behind it."""
    loop, _, condition = along.partition(" if ")
    return TEXT.format(range=loop, condition=condition or "True", change=change)


def arrays(n: int) -> tuple[Any, ...]:
    random = np.random.default_rng(n)
    a = random.integers(-9, 9, (2 * n + 7, 2 * n + 7)).astype(float)
    x = random.integers(-9, 9, 2 * n + 7).astype(float)
    return a, x, random.integers(0, 7, max(n, 7)), random.integers(0, max(n, 1), n), n


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("along", RANGES)
@pytest.mark.parametrize("place", PLACES)
def test_the_same_as_python(place: str, along: str, tmp_path: Path) -> None:
    """With the model's configuration and with those at random: which lanes there are decides what numbers are."""
    f = loaded(text(along, f"+= {place}"), tmp_path)
    for way in ways(f, arrays(60), PLACES.index(place) * len(RANGES) + RANGES.index(along), fallback="error"):
        for n in (0, 1, 3, 9, 40):
            given = arrays(n)
            np.testing.assert_array_equal(way(*copy.deepcopy(given)), f(*given), err_msg=f"{n} {way.name}")


def test_extrema_under_a_condition(tmp_path: Path) -> None:
    f = loaded(text("range(i + 1)", "= max(y[i], A[k[j], i])"), tmp_path)
    compiled = mdh.jit(fallback="error", cache=False, tune="off")(f)
    for n in (3, 17, 40):
        np.testing.assert_array_equal(compiled(*arrays(n)), f(*arrays(n)))
