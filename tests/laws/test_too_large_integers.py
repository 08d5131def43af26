"""Integers that 64 bits do not hold, wherever they come from: the call is Python's, or its loops compiled in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, JitWarning
from tests.source_text import function_in

VALUES = (2**63, -(2**63) - 1, 2**64 + 3, 2**100)
SOURCES = {
    "argument": "def f(o, n, v):\n    w = v\n{}",
    "of a table": "def f(o, n, v):\n    kept = {{}}\n    kept[0] = v\n    w = kept[0]\n{}",
    "of a range": "def f(o, n, v):\n    for w in range(v, v + 4, 3):\n        o[0] += 1\n{}",
    "of a list": "def f(o, n, v):\n    for w in [1, v, -v, 2]:\n        o[1] -= 1\n{}",
}
LOOPS = {
    "remainder": "for i in range(n):\n    o[i] += w % 7",
    "comparison": "for i in range(n):\n    o[i] += i < w",
    "float": "for i in range(n):\n    o[i] += w",
    "no rounds": "for i in range(n - n):\n    o[i] += w",
    "bound": "for i in range(w, w + 3):\n    o[i - w] += 1",
    "subscript": "for i in range(n):\n    o[0] += i\n    o[i + w] = 1",
    "inner": "for i in range(n):\n    for j in range(2):\n        o[i] += w // 2**62 + j",
}


def function_of(source: str, loop: str) -> Callable[..., Any]:
    depth = 8 if source in ("of a range", "of a list") else 4
    body = "\n".join(" " * depth + line for line in LOOPS[loop].splitlines())
    return function_in(SOURCES[source].format(body) + "\n    o[-1] += 2\n", f"<too large, {source}, {loop}>")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_they_are_pythons(source: str, loop: str) -> None:
    function = function_of(source, loop)
    compiled = mdh.jit(cache=False, tune="off")(function)
    for value in (*VALUES, 5, *VALUES[:1]):  # and numbers that fit, before and after
        kinds, arrays = [], []
        for f in (function, compiled):
            o = np.zeros(4)
            try:
                f(o, 4, value)
                kinds.append("")
            except (IndexError, OverflowError) as error:
                kinds.append("outside" if value > 2**62 or isinstance(error, IndexError) else f"{error!r}")
            arrays.append(o)
        assert kinds[0] == kinds[1], (value, kinds)
        assert not kinds[0] or arrays[1].tolist() == [0.0] * 4 or arrays[1].tolist() == arrays[0].tolist(), value
        assert kinds[0] or arrays[1].tolist() == arrays[0].tolist(), value


def test_one_warning_for_many() -> None:
    compiled = mdh.jit(cache=False, tune="off")(function_of("argument", "remainder"))
    compiled(np.zeros(4), 4, 5)
    with pytest.warns(JitWarning, match="`v` does not fit 64 bits") as said:
        for n in range(5):
            compiled(np.zeros(4), 4, 2**70 + n)
    assert len(said) == 1


@pytest.mark.parametrize("question", ["inspect", "explain", "config", "draw", "why"])
def test_questions_about_calls_that_python_serves(question: str) -> None:
    compiled = mdh.jit(cache=False, tune="off")(function_of("argument", "remainder"))
    for given in ((np.zeros(4), 4, 2**70), (np.zeros(4, ">f8"), 4, 5)):
        with pytest.raises(ArgumentTypeError, match="run as plain Python"):
            getattr(compiled, question)(*given)
