"""Loops as functions of their own ≡ the function as it stands: results, arrays, exceptions, under any control flow."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.jit.fallback.outline import function_of, nests, outlined
from jitmdh.mdh.frontend.source.capture import capture
from tests.laws.examples import examples
from tests.laws.texts import loaded

NAMES = ("a", "b", "c", "n")
VALUES = ("0.5", "n", "i", "j", "a", "b", "c", "a + b", "x[i % 5]", "y[j % 5] + a", "c - 1.0", "max(a, b)")
STORES = ("{} = {}", "{} += {}", "{}, b = {}, a", "y[i % 5] = {1}", "x[j % 5] += {1}")
GLUE = ("log.append(a)", "log.append([k for k in range(2)])", "keep = lambda: c", "a = len(log)", "del c", "c = 1.0",
        "with guard: log.append(b)", "b = (a := 2.0)")  # fmt: skip
LOOPS = ("for i in range(3):", "for j in range(i, 4):", "for a in (1.0, 2.0):", "for i, b in enumerate(x):",
         "while len(log) < 6:", "for j in range(0):")  # fmt: skip


@st.composite
def blocks(draw: st.DrawFn, depth: int, in_loop: bool) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 11))
        if kind < 4 or depth == 0:
            store = draw(st.sampled_from(STORES)).format(draw(st.sampled_from(NAMES)), draw(st.sampled_from(VALUES)))
            lines.append(store)
        elif kind < 5:
            lines.append(draw(st.sampled_from(GLUE)))
        elif kind < 9:
            loop = draw(st.sampled_from(LOOPS))
            head = ["log.append(n)"] if loop.startswith("while") else []
            lines += [loop, *_in([*head, *draw(blocks(depth - 1, True))])]
            if draw(st.integers(0, 4)) == 0:
                lines += ["else:", *_in(draw(blocks(0, in_loop)))]
        elif kind < 10:
            test = draw(st.sampled_from(("a > b", "n > 1", "len(log) < 2", "c")))
            lines += [f"if {test}:", *_in(draw(blocks(depth - 1, in_loop)))]
            if in_loop and draw(st.booleans()):
                lines.append("    " + draw(st.sampled_from(("break", "continue", "return a, c"))))
            if draw(st.booleans()):
                lines += ["else:", *_in(draw(blocks(depth - 1, in_loop)))]
        else:
            lines += ["try:", *_in(draw(blocks(depth - 1, in_loop))), "except ZeroDivisionError:", "    c = 3.0"]
    return lines


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def texts(draw: st.DrawFn) -> str:
    start = [f"{name} = {value}" for name, value in (("a", "1.0"), ("b", "2.0"), ("c", "0.25")) if draw(st.booleans())]
    returned = ", ".join(draw(st.lists(st.sampled_from(NAMES), unique=True)))
    body = [*start, *draw(blocks(3, False)), f"return [{returned}]"]
    outside = "a = b = c = i = j = n = 7.0  # nobody may see them where the local ones have no value\n\n\n"
    return f"{outside}def f(x, y, n, log, guard, i=1, j=2):\n" + "\n".join(_in(body)) + "\n"


class Guard:
    """Swallows what is raised inside."""

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> bool:
        return True


def outcome(function: Callable[..., Any]) -> tuple[Any, ...]:
    x, y, log = np.arange(5.0), np.ones(5), list[Any]()
    try:
        result = function(x, y, 4, log, Guard())
        shown = _shown(result)
    except Exception as error:
        shown = f"{type(error).__name__} {error}" if not isinstance(error, UnboundLocalError) else "unbound"
    return shown, x.tolist(), y.tolist(), _shown(log)


def _shown(values: list[Any]) -> str:
    """NumPy's numbers as Python's."""
    return repr([float(v) if isinstance(v, np.generic | int) else v for v in values])


@examples(150)
@given(text=texts())
def test_outlined_loops(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        source = capture(plain)
        left: frozenset[int] = frozenset()
        wanted = outcome(plain)
        while found := nests(source, left):
            made = outlined(source, {id(n.loop): (n, function_of(n, source)) for n in found})
            assert outcome(made) == wanted, text
            left |= {id(n.loop) for n in found}


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(30)
@given(text=texts())
def test_loops_compiled_in_place(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        wanted = outcome(plain)
        compiled = mdh.jit(fallback="python")(plain)
        for _ in range(2):
            assert outcome(compiled) == wanted, text


@pytest.mark.parametrize("inner", ["range(3)", "range(2)", "range(n, 7)", "range(4, 1, -1)"])
@pytest.mark.parametrize("step", ["b = i", "b += b", "n += 1", "x[i % 5] = 5"])
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_a_loop_over_the_name_of_the_loop_around(inner: str, step: str) -> None:
    """Behind it the name is its last number, as long as the iteration around lasts."""
    head = "def f(x, y, n, log, guard, i=1, j=2):\n    b = 2.0\n    for i in range(3):\n"
    text = f"{head}        for i in {inner}:\n            {step}\n        y[i % 5] += n\n    return [b, n]\n"
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        assert outcome(mdh.jit(fallback="python", cache=False)(plain)) == outcome(plain)
