"""Ranges and slices from data, under conditions that keep out elements which do not exist, and ranges behind writes.

Law: the decorated function does what the undecorated one does: it gives the same arrays where that raises nothing, and
raises where that does. It may run as plain Python, but nothing is done twice then.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

# where `{}` stands for what happens to y[j], for the numbers j of a range from data
UNDER = {
    "on the index outside": "for i in range(3):\n  for j in range(p[i]):\n   if i > 1: {}",
    "on data outside": "for i in range(3):\n  if c[i] > 1:\n   for j in range(p[i]): {}",
    "on data inside": "for j in range(p[1]):\n  if c[j] < 1: {}",
    "on the same data": "for j in range(p[1]):\n  if c[1] < 1: {}",
    "in each other": "for j in range(p[1]):\n  if c[0] > 0:\n   if x[0] > 1: {}",
    "both": "for j in range(p[1]):\n  if c[j] < 1 and x[j] < 3: {}",
    "either": "for j in range(p[1]):\n  if c[j] < 1 or x[j] > 2: {}",
    "of sizes": "for j in range(p[1]):\n  if len(x) > 4: {}",
    "on the place": "for j in range(p[1]):\n  if j > 0 and 2 * j < len(y): {}",
    "of a row": "for i in range(3):\n  for j in range(p[i], p[i + 1]):\n   if c[i] < 1: {}",
    "gone on": "for j in range(p[1]):\n  if c[j] > 0: continue\n  {}",
    "left": "for j in range(p[1]):\n  if c[j] > 0: break\n  {}",
    "behind writes": "c[1] = 2\n for j in range(p[1]):\n  if c[1] < 1: {}",
    "behind writes of bounds": "p[1] += 1\n for j in range(p[1]):\n  if c[j] < 1: {}",
    "between writes": "for i in range(3):\n  for j in range(p[i]):\n   if c[j] < 1: {}\n  p[2] = 1",
    "while data say": "t = 5.0\n while t > 1:\n  t = t / 2\n  for j in range(p[1]):\n   if c[j] < 1: {}",
    "while it writes": "t = 5.0\n while t > 1:\n  t = t / 2\n  for j in range(p[1]):\n   if c[j] < 1: {}\n  p[1] -= 1",
    "behind writes of its beginning": "p[0] -= 1\n for j in range(p[0], p[1]): {}",
    "between writes of its beginning": "for i in range(3):\n  for j in range(p[i], p[i + 1]): {}\n  p[2] = -1",
}
DONE = {
    "updated": "y[j] += 1",
    "added": "s += y[j]",
    "chosen": "s += y[j] if c[j] > 0 else 2.0",
    "tested": "s += 1 if c[j] > 0 and y[j] > 1 else 0",
    "the one before": "y[j - 1] += 1",
    "named": "t = y[j] * 2; s += t",
    "of a slice": "s += y[:j + 1].sum()",
    "at an index": "y[q[j]] += 1",
}
MOST = ("on data inside", "behind writes of bounds", "of a row", "on the place")
CASES = [(u, d) for u, d in itertools.product(UNDER, DONE) if d in ("updated", "added") or u in MOST]
DATA = (
    ([0, 0, 0, 0], [0, 1, 2, 3]),
    ([1, 1, 1, 1], [3, 3, 3, 3]),
    ([0, 1, 2, 0], [0, 2, 1, 3]),
    ([2, 0, 2, 0], [2, 1, 0, 0]),
)


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@pytest.mark.in_turns(3)
@pytest.mark.parametrize(("under", "done"), CASES)
def test_as_python(under: str, done: str) -> None:
    text = f"def f(y, x, c, p, q):\n s = 0.0\n {UNDER[under].format(DONE[done])}\n return s\n"
    function = function_in(text, f"<{done}, {under}>", {})
    compiled = mdh.jit(cache=False, tune="off", fallback="python")(function)
    for length, (c, p) in itertools.product((0, 1, 2, 4), DATA):
        expected, found = (_outcome(f, length, c, p) for f in (function, compiled))
        np.testing.assert_equal(found, expected, err_msg=f"{length} elements, c = {c}, p = {p}\n{text}")


def _outcome(f: Callable[..., Any], length: int, c: list[int], p: list[int]) -> object:
    y, x, q = np.arange(length) + 1.0, np.arange(4) + 1.0, np.array([3, 0, 1, 0])
    conditions, places = np.array(c), np.array(p)
    try:
        result = f(y, x, conditions, places, q)
    except IndexError:
        return "an element that is not there"
    return result, y, conditions, places
