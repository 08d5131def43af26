"""`if` and `else` that assign to the same element ≡ plain Python, whatever types the sides have and what they read."""

from __future__ import annotations

import itertools
import tempfile

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.texts import loaded

VALUES = (
    "a[i]",
    "2.5",
    "3",
    "x[i] + a[i - 1]",
    "x[n - 1 - i]",
    "a[i] / x[i]",
    "x[k[i]]",
    "i",
    "x[i] > 1",
    "-7 // k[i]",
)
CONDITIONS = ("x[i] > 2.0", "a[i] < x[i]", "k[i] > 0 and x[i] < 4.0", "k[i]", "i > 2", "not x[i] > a[i - 1]")
PLACES = ("a[i]", "a[n - 1 - i]", "a[k[i]]", "b[i]", "m[i, 1]", "m[i]")


def arrays() -> dict[str, np.ndarray]:
    r = np.random.default_rng(3)
    return {
        "a": r.integers(-4, 5, 8).astype(float), "b": np.arange(8), "m": np.zeros((8, 2)),
        "x": r.integers(1, 6, 8).astype(float), "k": np.array([1, 0, 3, 2, 1, 7, 0, 2]),
    }  # fmt: skip


@pytest.mark.in_turns(6)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_sides(place: str, condition: str) -> None:
    for n, (one, other) in enumerate(itertools.permutations(VALUES, 2)):
        if (n + len(place) + len(condition)) % 45:
            continue
        other_place = place if n % 5 else "a[i]"
        text = (
            f"def f(a, b, m, x, k, n):\n    for i in range(n):\n        if {condition}:\n            {place} = {one}\n"
            f"        else:\n            {other_place} = {other}\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            plain = loaded(text, folder)
            results = []
            for function in (plain, mdh.jit(fallback="python", tune="off")(plain)):
                given = arrays()
                try:
                    function(*given.values(), 8)
                except (IndexError, ZeroDivisionError) as error:
                    results.append((type(error), given))
                else:
                    results.append((None, given))
        (raised, wanted), (also, got) = results
        assert raised == also, text
        for name in () if raised else wanted:
            np.testing.assert_array_equal(got[name], wanted[name], text)


def relaxed(d: np.ndarray, n: int) -> None:
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[n * i + j] < d[n * i + k] + d[n * k + j]:
                    d[n * i + j] = d[n * i + j]
                else:
                    d[n * i + j] = d[n * i + k] + d[n * k + j]


def test_sides_are_one_statement_of_a_nest() -> None:
    d = np.random.default_rng(0).integers(1, 99, 36)
    program = str(mdh.jit(relaxed).inspect(d, 6, stage="mdh"))
    assert "one iteration after the other" not in program and "is no recognised" not in program
    assert "md_hom[n, n]" in program and "for j" not in program
    wanted = d.copy()
    relaxed(wanted, 6)
    mdh.jit(relaxed)(d, 6)
    np.testing.assert_array_equal(d, wanted)
