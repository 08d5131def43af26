"""Results are compared block by block as if all at once, wherever they lie and whatever numbers they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.jit.execution import agreement
from jitmdh.jit.execution.agreement import Expected, agree

LAYOUTS = {
    "rows": lambda a: a,
    "columns": np.asfortranarray,
    "parts": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "of three dimensions": lambda a: a.reshape(3, 2, -1).copy().transpose(1, 0, 2),
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "_BLOCK", 4)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4"])
def test_each_element_counts(layout: str, dtype: str) -> None:
    whole = np.random.default_rng(0).uniform(1, 9, (6, 7)).astype(dtype)
    kept = Expected(np.copy(LAYOUTS[layout](whole)))
    off = 1 if dtype == "i4" else 200 * np.finfo(dtype).eps * 9
    for place in np.ndindex(whole.shape):
        other = whole.copy()
        assert kept.agrees(LAYOUTS[layout](other), 2) and kept.agrees(LAYOUTS[layout](other), 1)
        other[place] += off
        assert not kept.agrees(LAYOUTS[layout](other), 2)  # 16 units in the last place of the largest
        assert not kept.agrees(LAYOUTS[layout](other), 1)
        assert kept.agrees(LAYOUTS[layout](other), 10**6) is (dtype != "i4")  # 32,000 of them


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 5, 11])
def test_what_is_no_number_has_to_be_at_the_same_places(special: Any, place: int) -> None:
    expected = np.linspace(1, 2, 12)
    result = expected.copy()
    result[place] = special
    for terms in (1, 100):
        assert not agree(result, expected, terms) and not agree(expected, result, terms)
        assert agree(result, result.copy(), terms)
    near = result * (1 + 4e-16)
    assert agree(near, result, 100) and not agree(near, result, 1)


def test_types_and_shapes_have_to_be_the_same() -> None:
    ones = np.ones(6)
    assert not agree(ones.astype("f4"), ones, 9) and not agree(ones.reshape(2, 3), ones, 9)
    assert agree(np.ones(0), np.ones(0), 9) and agree(np.zeros(6), -np.zeros(6), 1)
