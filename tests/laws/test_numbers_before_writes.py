"""A number that was read before an array is written stays what it was, whatever takes it in afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.days import today
from tests.laws.ways import ways
from tests.source_text import function_in

NUMBERS = {
    "element": "x[0]",
    "last": "x[-1]",
    "formula": "2 * x[1] + x[2]",
    "sum": "x.sum()",
    "greatest": "x.max()",
    "chosen": "x[0] if x[1] > 0 else x[2]",
}
WRITES = ("x[0] = -100.0", "x[:] = 0.25", "x *= 3", "for i in range(len(x)):\n        x[i] = y[i] - x[i]")
USES = {
    "sum": "(y * s).sum()",
    "rows": "(A * s + y).sum(axis=1)",
    "greatest": "(y - s).max(axis=0)",
    "mean": "np.mean(y + s)",
    "any": "(y > s).any()",
    "first": "(s * y).argmax()",
    "prefix": "np.cumsum(y + s)",
    "product": "(A * s) @ y",
    "between": "np.where(y > s, y, s).sum()",
    "by a mask": "y[y > s].sum()",
    "spread": "np.std(y * s)",
    "elements": "np.abs(y - s)",
    "of itself": "(x + s).sum()",
}
PROGRAM = "def f(x, y, A):\n    s = {number}\n    {write}\n    return {use}\n"


def function_of(number: str, write: str, use: str) -> Callable[..., Any]:
    text = PROGRAM.format(number=NUMBERS[number], write=write, use=USES[use])
    name = f"<{number}, {WRITES.index(write)}, {use}>"
    return function_in(text, name, {"np": np})


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_stay_what_they_were(number: str, write: str, use: str) -> None:
    function = function_of(number, write, use)
    rng = np.random.default_rng(3)
    x, y, A = rng.standard_normal(7), rng.standard_normal(7), rng.standard_normal((7, 7))
    for way in ways(function, (rng.random(200), rng.random(200), rng.random((200, 200))), today(), drawn=1):
        for sign in (1, -1):
            ours, theirs = sign * x, sign * x
            np.testing.assert_allclose(way(ours, y, A), function(theirs, y, A), rtol=1e-12, err_msg=way.name)
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=way.name)
