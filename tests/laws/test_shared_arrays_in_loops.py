"""Arrays with two names: one is given another array by a loop, in a condition or not, and one of them is written."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests import days
from tests.laws.examples import EXPLORING
from tests.source_text import function_in

STARTS = ("x * 1", "x", "z")
NEW = ("x", "z", "x[::-1]", "y + 1", "z * 2", "y")
CONDITIONS = ("", "if x[k] > 0.5: ")
WRITTEN = ("pass", "x[k] = 7", "z[k] = 7", "y[k] = 7", "w = y; w[0] = k")
READ = ("pass", "s = s * 0.5 + y[k]", "s += y.sum()")
BEHIND = ("pass", "x[0] = 100", "z[0] = 100", "y[0] = 100")
LOOPS = {
    "for": "for k in range(n):\n{body}",
    "left": "for k in range(n):\n{body}\n        if s > 1000.0: break",
    "while": "k = 0\n    while k < n:\n{body}\n        k += 1",
}
ALL = list(itertools.product(STARTS, NEW, CONDITIONS, WRITTEN, READ, BEHIND, (True, False)))
PROGRAMS = 600 if EXPLORING else 40


def function_of(loop: str, program: tuple[Any, ...]) -> Callable[..., float]:
    start, new, condition, written, read, behind, is_first = program
    parts = [f"{condition}y = {new}", written]
    lines = [*(parts if is_first else reversed(parts)), read]
    body = "\n".join(f"        {line}" for line in lines)
    text = (
        f"def f(x, z, n):\n    s = 0.0\n    y = {start}\n    {LOOPS[loop].format(body=body)}\n    {behind}\n"
        "    return s + y.sum() + 3.0 * x.sum()\n"
    )
    name = f"<{loop}, {program}>"
    return function_in(text, name)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("loop", LOOPS)
def test_what_one_name_writes_the_others_read(loop: str) -> None:
    chosen = random.Random(f"{loop} {days.today()}")
    for program in chosen.sample(ALL, PROGRAMS):
        function = function_of(loop, program)
        compiled = mdh.jit(cache=False, fallback="python", tune="off")(function)
        for n, first in ((0, 0.1), (1, 0.9), (6, 0.1), (6, 0.9)):
            arrays = [np.array([first, 0.2, 0.8, 0.3, 0.7, 0.4]), np.arange(6.0)]
            others = [a.copy() for a in arrays]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that it runs as plain Python
                found = compiled(*others, n)
            expected = function(*arrays, n)
            what = f"{program}, {n} iterations"
            np.testing.assert_allclose(
                [found, *others[0], *others[1]], [expected, *arrays[0], *arrays[1]], 1e-12, err_msg=what
            )
