"""What a call that ends in an error leaves behind: docs/reliability.md, "After an error".

Programs of several statements, one of which is an error or is refused. A refused call has done nothing. Else what is
before the faulty loop has been done or, where the error is found before anything is written, nothing; what is behind
it has not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import NotAnMdhError
from tests.days import today
from tests.laws.choices import Seeded
from tests.laws.ways import ways
from tests.source_text import function_in

FINE = (
    "for i in range(n):\n    {} [i] += 1",
    "{}[...] = {} * 2 + 1",
    "for i in range(n):\n    if x[i] > 7:\n        break\n    {}[i] = i",
    "{}[0] = {}.sum() + 1",
)
FAULTY = {
    "subscript in a loop that is left": "for i in range(n):\n    y[i + k] = 1\n    if x[i] > 7:\n        break",
    "subscript in a data-dependent loop": "t = 0\nwhile t < n:\n    y[t + k] = 1\n    t += 1",
    "subscript from data": "for i in range(n):\n    y[cells[i]] += 1",
    "subscript from data that were computed": "for i in range(n):\n    own[i] = k + i\nfor i in range(n):\n"
    "    y[own[i]] += 1",
    "subscript": "for i in range(n):\n    y[i + k] = 1",
    "division": "for i in range(n):\n    if x[i] > 0:\n        y[i] = 1 // (i - 2)",
    "number that does not fit": "for i in range(n):\n    if x[i] > 0:\n        narrow[i] = i * 100",
    "root": "for i in range(n):\n    y[i] = math.sqrt(1.5 - i)",
}
REFUSED = "for i in range(n):\n    y[i] = {}[i]"
BESIDE = ("", "", "kept = {1: 2}", "kept = {1: 2}\nkept[2] = 3")
NAMES = ("a", "b", "c", "d")


def program(seed: int) -> tuple[str, str, list[str]]:
    """Its text, the kind of its error, and the arrays that are written before the faulty loop."""
    choices = Seeded(f"after errors {seed}")
    kind = choices.pick(["refused", *FAULTY])
    before = choices.number(0, 3)
    statements = [choices.pick(FINE).replace("{} ", name).replace("{}", name) for name in NAMES]
    statements.insert(before, choices.pick((REFUSED, REFUSED)) if kind == "refused" else FAULTY[kind])
    statements.insert(choices.number(0, len(statements)), choices.pick(BESIDE))
    body = "\n".join(statements).replace("\n", "\n    ")
    header = "import math\n\n\ndef program(a, b, c, d, x, y, cells, own, narrow, n, k):\n    "
    return header + body + "\n", kind, list(NAMES[:before])


def arguments(n: int = 5) -> dict[str, Any]:
    x = np.arange(float(n)) + 1
    made: dict[str, Any] = {name: x + k for k, name in enumerate(NAMES)}
    cells = np.resize([0, 1, n + 4, 2, 3], n)
    return made | {"x": x, "y": 0 * x, "cells": cells, "own": 0 * cells, "narrow": np.zeros(n, np.int8), "n": n, "k": 2}


def function_of(text: str, name: str) -> Callable[..., Any]:
    return function_in(text, name, called="program")


def ran(function: Callable[..., Any]) -> tuple[dict[str, Any], Exception | None]:
    given = arguments()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*given.values())
        except Exception as error:
            return given, error
    return given, None


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("part", range(3))
def test_what_an_error_leaves_behind(part: int) -> None:
    start = arguments()
    for seed in range(today() % 3 + 3 * part, 60, 9):
        text, kind, before = program(seed)
        function = function_of(text, f"<after errors {seed}>")
        expected, pythons = ran(function)
        for way in [w for w in ways(function, tuple(arguments(300).values()), seed) for _ in range(2)]:
            found, error = ran(way)
            assert error is not None, f"{kind}: Python: {pythons!r}\n{text}"
            same = [n for n in NAMES if np.array_equal(found[n], start[n])]
            if isinstance(error, NotAnMdhError):
                assert all(np.array_equal(found[n], start[n]) for n in found), f"{error}\n{text}"
                continue
            assert type(pythons) in type(error).__mro__, f"{error!r}, Python: {pythons!r}\n{text}"
            whole = all(np.array_equal(found[n], expected[n]) for n in NAMES)
            assert whole or (isinstance(error, IndexError) and len(same) == len(NAMES)), f"{kind}, {before}\n{text}"
