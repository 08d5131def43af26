"""Where a loop runs no round, the elements that its sums are for need not exist: Python does not look for them.

The elements are far outside or not, beside reads and writes of the same array before and after the loop, whose own
elements have to exist.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.semantics.interp import run
from tests.laws.agreement import assert_agree, outcome, traced
from tests.source_text import function_in

LOOP = "for j in range(n):\n    {}"
PLACES = ("h[k]", "h[b[k]]")
UPDATES = ("+= x[j]", "-= 1", "= max({place}, x[j])")
AROUND = {
    "read before": "s = h[0]\n{loop}\nx[1] = s",
    "returned": "s = h[0]\n{loop}\nreturn s",
    "read after": "{loop}\nx[0] = h[0]",
    "written back": "s = h[0]\n{loop}\nh[0] = s",
    "written before": "{place} = 2\n{loop}",
    "written after": "{loop}\n{place} = 2",
    "two loops": "{loop}\nfor j in range(m):\n    {place} += x[j]",
    "the same loop": "{loop}\n{loop}",
    "in a loop": "s = h[1]\nfor i in range(m):\n    {deep}\nx[0] = s",
    "in rows": "for i in range(m):\n    s = h[i]\n    {deep}\n    x[i] = s",
}


def text_of(around: str, place: str, update: str) -> str:
    loop = LOOP.format(f"{place} {update.format(place=place)}")
    body = AROUND[around].format(loop=loop, place=place, deep=loop.replace("\n", "\n    "))
    return "def f(h, x, b, n, m, k):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def calls(kind: str) -> list[tuple[Any, ...]]:
    sizes = product((0, 2), (0, 2), (0, 1, 5), (1, 2), (2,), (0, 2))
    return [
        (np.arange(1, 1 + lh).astype(kind), np.arange(2, 2 + lx).astype(kind), np.ones(lb, np.uint8), n, m, k)
        for n, m, k, lh, lx, lb in sizes
    ]


def cases() -> list[tuple[str, str, str]]:
    return [(a, p, u) for a, p, u in product(AROUND, PLACES, UPDATES)]


def copied(call: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in call)


def compare(function: Any, code: Any, call: tuple[Any, ...], about: str) -> None:
    assert_agree(outcome(function, copied(call)), outcome(code, copied(call)), about, "numbers")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("around, place, update", cases())
def test_by_the_interpreter(around: str, place: str, update: str) -> None:
    text = text_of(around, place, update)
    function = function_in(text, f"<no rounds {hash(text)}>")
    for kind in ("float64", "complex128") if "max" not in update else ("int64",):
        program = traced(function, calls(kind)[0])
        for call in calls(kind):
            compare(function, partial(run, program), call, f"{text}{kind} {call}\n{program}")


@pytest.mark.in_turns(24)
@pytest.mark.parametrize("around, place, update", cases())
def test_by_the_decorator(around: str, place: str, update: str) -> None:
    text = text_of(around, place, update)
    function = function_in(text, f"<no rounds {hash(text)}>")
    code = mdh.jit(cache=False, tune="off")(function)
    for call in calls("complex128" if "max" not in update else "float64"):
        compare(function, code, call, f"{text}{call}")
