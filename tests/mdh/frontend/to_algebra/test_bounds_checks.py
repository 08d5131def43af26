"""Bounds of subscripts: a call is refused exactly where Python raises; what cannot be decided is left to Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import float64, int64
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ScalarKind
from tests.source_text import function_in

OUTER = ("N", "N - 1", "1, N", "0, N, 2", "1, N, 3", "N - 1, -1, -1", "5", "x.shape[0]", "1, x.shape[0] - 1", "N + 1")
INNER = ("M", "2", "1, M", "0, M, 2", "M - 1", "3")
TRIANGLES = ("i", "i, N", "i + 1", "N - i", "i, x.shape[0]")
SUBSCRIPTS = ("i", "i - 1", "i + 1", "i + 3", "N - 1 - i", "2*i", "i + j", "i - j", "2*i + j - 1", "j", "N", "0", "4",
              "-1", "i - 4", "x.shape[0] - 1 - i", "j - i", "i + 2*j")  # fmt: skip
CONDITIONS = ("i > 0", "i + 1 < x.shape[0]", "j <= i", "i < N - 1", "N > 2", "j > 0", "0 < i")


def function_of(text: str) -> Any:
    return function_in(text, f"<bounds {hash(text)}>")


class Asked:
    """An array that has every element, and remembers whether one was counted from the end."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape, self.negative = shape, False

    def __getitem__(self, index: int) -> float:
        self.negative = self.negative or index < 0
        return 0.0


def outcome(call: Any, *arguments: Any) -> Any:
    try:
        return float(call(*arguments))
    except (IndexError, FallbackSignal) as error:
        return "IndexError" if isinstance(error, IndexError) else "left to Python"


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, bool]:
    """A sum of elements, and whether its points are a box."""
    triangle, condition = draw(st.integers(0, 3)) == 0, draw(st.integers(0, 3)) == 0
    lines = [f"for i in range({draw(st.sampled_from(OUTER))}):"]
    lines.append(f"    for j in range({draw(st.sampled_from(TRIANGLES if triangle else INNER))}):")
    depth = "        "
    if condition:
        lines.append(f"{depth}if {draw(st.sampled_from(CONDITIONS))}:")
        depth += "    "
    lines.append(f"{depth}s += x[{draw(st.sampled_from(SUBSCRIPTS))}]")
    body = "\n".join("    " + line for line in lines)
    return f"def f(x, N, M):\n    s = 0.0\n{body}\n    return s\n", not (triangle or condition)


SIZES = [(5, 5, 2), (6, 5, 2), (4, 5, 1), (0, 3, 2), (3, 0, 2), (5, 3, 0), (9, 4, 3), (12, 5, 3), (1, 1, 1), (2, 1, 1)]


@given(texts())
def test_refused_where_python_raises(drawn: tuple[str, bool]) -> None:
    text, is_box = drawn
    function = function_of(text)
    program = trace(capture(function), (ArrayType(float64, 1), ScalarKind(int64, True), ScalarKind(int64, True)))
    for length, n, m in SIZES:
        x = np.arange(1.0, length + 1)
        asked = Asked(x.shape)
        function(asked, n, m)
        wanted = outcome(function, x, n, m)
        got = outcome(lambda *args: run(program, *args), x, n, m)
        shown = f"{text}{length, n, m}: {got}, {wanted}\n{program}"
        if got == "left to Python":
            assert asked.negative or not is_box, shown
        else:
            assert got == wanted, shown


@pytest.mark.parametrize("target", ["s += x[at[i]]", "s += x[at[0] + i]", "s += x[max(at[i], -2)]"])
def test_places_that_data_choose_count_from_the_end(target: str) -> None:
    """Those of an array of three elements: from -3 to 2, and no others."""
    function = function_of(
        f"def f(x, at):\n    s = 0.0\n    for i in range(at.shape[0]):\n        {target}\n    return s\n"
    )
    program = trace(capture(function), (ArrayType(float64, 1), ArrayType(int64, 1)))
    for place in range(-6, 6):
        x, at = np.arange(1.0, 4.0), np.array([place])
        assert outcome(lambda *args: run(program, *args), x, at) == outcome(function, x, at), place


CERTAIN = {
    "for i in range(x.shape[0]):\n        s += x[i]": 0,
    "for i in range(1, x.shape[0]):\n        s += x[i - 1]": 0,
    "for i in range(N):\n        s += x[i]": 1,
    "for i in range(N):\n        s += x[i]\n        s += x[i]": 1,
    "for i in range(N):\n        s += x[i + 1]\n        s += x[i]": 2,
    "for i in range(x.shape[0]):\n        if i > 0:\n            s += x[i - 1]": 0,
    "for i in range(x.shape[0]):\n        for j in range(i):\n            s += x[i - j]": 0,
    "for i in range(N):\n        for j in range(M):\n            s += x[i]": 1,
}


@pytest.mark.parametrize("body", CERTAIN)
def test_what_is_certain_is_not_checked(body: str) -> None:
    """Checks are for what may fail; each is made once."""
    function = function_of(f"def f(x, N, M):\n    s = 0.0\n    {body}\n    return s\n")
    program = trace(capture(function), (ArrayType(float64, 1), ScalarKind(int64, True), ScalarKind(int64, True)))
    assert sum(check.kind == "bounds" for check in program.checks) == CERTAIN[body], program
