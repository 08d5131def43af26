"""Elements that a loop executed in order has read or written already, under other conditions, before or around other
loops: compiled code ≡ undecorated Python, errors included.

Bodies are drawn: reads and writes of few places of two arrays, one of which is only read, under conditions in each
other, in loops and behind them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.agreement import outcome
from tests.source_text import function_in

PLACES = ("i", "j", "i - 1", "k", "n - 1 - i", "p[i]", "p[j]")
CONDITIONS = ("x[{0}] < x[{1}]", "y[{0}] > s", "i < j", "x[{0}] > 0.5", "p[i] != j", "k > 1 and y[{0}] < x[{1}]")
STATEMENTS = (
    "s += x[{0}]", "s = s * 0.5 + y[{0}]", "y[{0}] = x[{1}] + s", "y[{0}] += x[{1}]", "y[{0}] = y[{1}] - y[{0}]",
    "t = x[{0}]", "s += t * y[{0}]", "k = p[{0}]", "j = (j + k) % n", "x2[{0}] = y[{1}]", "s += x2[{0}]",
)  # fmt: skip
BESIDE_A_LOOP = "s += y[{0}] * x[{1}]", "for k in range(2):", "    y[{0}] = y[{0}] * 0.5 + x[k]", "s -= y[{0}] * x[{1}]"
HEAD = ["s, t, k = 0.0, 1.0, 2", "i, j, n = 1, 0, len(x)", "while i < n:"]
TAIL = ["    i += 1", "    j = n - 1 - i if i < n else 0", "return s, t, k, y, x2"]


def body(r: random.Random, depth: int) -> Iterator[str]:
    def place() -> str:
        return r.choice(PLACES)

    for _ in range(r.randint(1, 3)):
        kind = r.random()
        if depth and kind < 0.4:
            yield f"if {r.choice(CONDITIONS).format(place(), place())}:"
            yield from (f"    {line}" for line in body(r, depth - 1))
            if r.random() < 0.5:
                yield "else:"
                yield from (f"    {line}" for line in body(r, depth - 1))
        elif depth and kind < 0.55:
            yield f"for k in range({r.choice(('3', 'i', 'n - i'))}):"
            yield from (f"    {line}" for line in body(r, depth - 1))
        elif kind > 0.85:
            places = place(), place()
            yield from (line.format(*places) for line in BESIDE_A_LOOP)
        else:
            yield r.choice(STATEMENTS).format(place(), place())


def program(seed: int) -> Callable[..., Any]:
    lines = [*HEAD, *(f"    {line}" for line in body(random.Random(seed), 2)), *TAIL]
    text = "def f(x, y, x2, p):\n" + "".join(f"    {line}\n" for line in lines)
    return function_in(text, f"<elements known, {seed}>", {"np": np}, called="f")


def calls(seed: int) -> Iterator[tuple[Any, ...]]:
    r = np.random.default_rng(seed)
    for n in (2, 5, 9):
        yield r.random(n), r.random(n), r.random(n), r.integers(0, n, n)
    yield r.random(5), r.random(5), r.random(5), r.integers(-6, 7, 5)  # some are outside


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("seed", range(48))
def test_compiled_code_agrees(seed: int) -> None:
    plain = program(seed)
    compiled = mdh.jit(cache=False, tune="off")(plain)
    for arguments in calls(seed):
        expected, found = (outcome(f, tuple(a.copy() for a in arguments)) for f in (plain, compiled))
        if expected.error is not None:
            assert isinstance(found.error, type(expected.error)), found
            continue
        assert found.error is None
        for one, other in zip((*expected.result, *expected.arrays), (*found.result, *found.arrays), strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-9)
