"""A condition in front of a number that may not exist keeps it from being computed, in whatever way it is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.days import today
from tests.laws.agreement import outcome
from tests.laws.ways import ways
from tests.source_text import function_in

# what guards, and the numbers that exist only where it holds
GUARDED = {
    "root": ("d[k] >= 0", "math.sqrt(d[k])"),
    "logarithm": ("d[k] > 0", "math.log(d[k])"),
    "index": ("k > 2", "math.log(k - 2)"),
    "quotient": ("k > 0", "10 / k"),
    "remainder": ("n > 0", "k % n"),
    "whole": ("d[k] == d[k]", "int(d[k] * 4)"),
    "unequal": ("n != k", "7 // (n - k)"),
    "nothing": ("k >= 0", "math.sqrt(d[k])"),  # an error, in all of them
}
WAYS = {
    "if": "if {guard}:\n            if {number} > 1:\n                y[k] = d[k] + 1",
    "and": "if {guard} and {number} > 1:\n            y[k] = d[k] + 1",
    "or": "if not ({guard}) or {number} > 1:\n            y[k] = d[k] + 1",
    "twice": "if {guard} and {number} > 1 and 1 / ({number}) < 2:\n            y[k] = 2",
    "named": "if {guard}:\n            t = 0.5 - {number}\n            if t > 0:\n                y[k] = t",
    "chosen": "y[k] = {number} if {guard} and {number} > 1 else 0.25",
    "sum": "if {guard} and {number} > 1:\n            s += 1",
    "ordered": "if {guard} and {number} > s:\n            s = s * 0.5 + {number}",
    "elif": "if k == 5:\n            y[k] = 3\n        elif {guard} and {number} > 1:\n            y[k] = 1",
    "chain": "if (1 > 0) == ({guard}) == ({number} > 1):\n            y[k] = d[k] + 1",
    "left": "if {guard} and {number} > 1.5:\n            break\n        y[k] = 1",
}


def function_of(guarded: str, way: str) -> Callable[..., float]:
    guard, number = GUARDED[guarded]
    body = WAYS[way].format(guard=guard, number=number)
    text = f"def f(y, d, n):\n    s = 0.0\n    for k in range(len(d)):\n        {body}\n    return s\n"
    return function_in(text, f"<{guarded}, {way}>", {"math": math})


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("guarded", GUARDED)
def test_what_a_condition_keeps_from_being_computed_is_no_error(guarded: str, way: str) -> None:
    function = function_of(guarded, way)

    def arguments(n: int) -> tuple[Any, ...]:
        data = np.random.default_rng(n).random(9) - 0.4
        data[4] = np.nan if guarded == "whole" else 0.0
        return np.zeros(9), data, n

    for way in ways(function, (np.zeros(300), np.random.default_rng(0).random(300), 400), today()):
        for n in (0, 3, 20):
            expected, found = outcome(function, arguments(n)), outcome(way, arguments(n))
            assert type(expected.error) in type(found.error).__mro__, (
                f"n = {n}, {way.name}: {found.error!r}, Python: {expected.error!r}"
            )
            if expected.error is None:
                for e, f in zip((*expected.arrays, expected.result), (*found.arrays, found.result)):
                    np.testing.assert_allclose(f, e, rtol=1e-12, err_msg=f"n = {n}, {way.name}")
