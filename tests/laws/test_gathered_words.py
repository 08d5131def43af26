"""Elements of one and two bytes that lie apart come by the words that they are in, nothing from behind their page."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.guard_pages import guarded


def chosen(y, x, b):
    for i in range(len(y)):
        y[i] = x[b[i]]


def between(y, x, b):
    for i in range(len(y)):
        y[i] = x[i, 1] if b[i] % 2 else 0


def columns(y, x, b):
    for i in range(len(y)):
        for j in range(x.shape[1]):
            y[i] += x[j, i]


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("type", ["uint8", "int8", "bool", "int16", "float16"])
def test_elements_come_whole_from_any_place_in_a_word(type: str, at_end: bool) -> None:
    r = np.random.default_rng(0)
    flat = guarded(r.integers(-100, 100, 1003).astype(type), at_end)
    places = r.integers(0, len(flat) - 3, 203)
    places[:2] = 0, len(flat) - 4
    grid = r.integers(-9, 9, (203, 7)).astype(type)
    gather, some = mdh.jit(cache=False)(chosen), mdh.jit(cache=False)(between)
    for begin in range(4):
        x, y = flat[begin:], np.zeros(len(places), type)
        gather(y, x, places)
        assert (y == x[places]).all()
    x, y = guarded(grid, at_end), np.zeros(len(grid), type)
    some(y, x, places)
    assert (y == np.where(places % 2, grid[:, 1], 0).astype(type)).all()


@pytest.mark.parametrize("type", ["uint8", "int16"])
def test_columns_of_small_integers(type: str) -> None:
    x = guarded(np.random.default_rng(1).integers(0, 9, (37, 37)).astype(type), True)
    y = np.zeros(37, type)
    mdh.jit(cache=False)(columns)(y, x, x)
    assert (y == x.sum(axis=0, dtype=type)).all()
