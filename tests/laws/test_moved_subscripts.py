"""Subscripts from data that a number is between (`x[k[i]]`, `x[k[i] + 1]`) ≡ plain Python, where they are wrong, too.

The extremes of one say those of the other, but for numbers at the ends of 64 bits and for no points at all.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
SMALL = (0, 1, 2, 3, 5, -1, -2, -6, -7, 6, 7)
WRONG = (LEAST, LEAST + 1, LEAST + 3, MOST, MOST - 1, MOST - 3, 100, -100, 1 << 62, -(1 << 62), (1 << 62) + 1)


def program(seed: int) -> str:
    """A sum of elements near those that data choose, of a row or of a matrix."""
    draw = random.Random(seed)
    number = draw.choice(("k[i]", "int(y[i])", "k[i] * 2", "-k[i]", "(k[i] if k[i] > 0 else 0)"))

    def moved() -> str:
        by = draw.choice((0, 1, 1, 2, -1, 3, -3))
        return f"{number} + {by}" if by > 0 else f"{number} - {-by}" if by else number

    reads = [draw.choice((f"x[{moved()}]", f"A[{moved()}, {moved()}]")) for _ in range(draw.randint(2, 5))]
    return f"def f(x, A, k, y, out):\n    for i in range(len(k)):\n        out[i] = {' + '.join(reads)}\n"


def outcome(function: Any, arguments: tuple[Any, ...]) -> list[float] | None:
    """None: an error, of any point that is wrong."""
    *given, out = (a.copy() for a in arguments)
    try:
        with np.errstate(all="ignore"):
            function(*given, out)
    except (IndexError, ValueError, OverflowError):
        return None
    return [float(v) for v in out]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.in_turns(3)
@pytest.mark.parametrize("seed", range(24))
def test_subscripts_that_a_number_is_between(seed: int) -> None:
    function = function_in(program(seed), f"moved subscripts {seed}")
    compiled = mdh.jit(cache=False, fallback="python")(function)
    numbers, draw = np.random.default_rng(seed), random.Random(seed)
    x, A = numbers.random(7), numbers.random((6, 7))
    for n in (0, 1, 4, 9, 9, 9, 30, 30):
        k = np.array([draw.choice(SMALL[:5] if n != 4 else SMALL) for _ in range(n)], np.int64)
        y = k + numbers.random(n) * 0.9
        if n == 9:
            place = draw.randrange(n)
            k[place] = draw.choice(WRONG)
            y[place] = draw.choice((np.nan, np.inf, -np.inf, 1e19, -1e19, 6.5, -1.5, 1e300))
        arguments = x, A, k, y, np.zeros(n)
        assert outcome(compiled, arguments) == outcome(function, arguments), (program(seed), k, y)
