"""Comprehensions and generator expressions ≡ plain Python, alone and inside of loops, conditions and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

NUMBERS = {
    "product": "sum(x[i] * y[i] for i in range(n))",
    "chosen": "sum(v for v in x if v > 0)",
    "counted": "sum(1 for v in x if v > 0 if v < 1)",
    "started": "sum((v * v for v in y), 2.5)",
    "pairs": "sum(a * b for a, b in zip(x, y))",
    "triangle": "sum(x[i] * y[j] for i in range(n) for j in range(i))",
    "inner": "sum(sum(A[i, j] * x[i] for i in range(n)) for j in range(A.shape[1]))",
    "rows": "sum(row.sum() for row in A)",
    "list": "sum([x[i] for i in (0, 2, -1)])",
    "steps": "sum([abs(x[i + d]) for d in (-1, 1) for i in range(1, 4) if d > 0])",
    "any": "1.0 if any(v > 1.0 for v in x) else 0.0",
    "all": "1.0 if all(x[i] < y[i] + k for i in range(n)) else 0.0",
    "largest": "max(abs(v) + k for v in x)",
    "smallest": "min([y[i] - x[i] for i in range(n)])",
    "of constants": "max(x[i] for i in range(3))",
    "integers": "sum(i * i for i in range(n)) * np.float32(1)",
    "largest integer": "max(i % 3 for i in range(n)) * np.float32(1)",
    "function": "sum(twice(v) for v in x)",
    "shadowed": "sum(k * v for k, v in enumerate(x)) + k",
    "mean": "np.mean([v * k for v in x])",
    "searched": "sum(first_above(x, v) for v in y)",
}
ARRAYS = {
    "squares": "np.array([v * v + 1 for v in x])",
    "halves": "np.array([i / 2 for i in range(n)])",
    "whole": "np.array([i for i in range(n)])",
    "typed": "np.array([i for i in range(n)], dtype=np.float32)",
    "table": "np.array([[x[i] * y[j] for j in range(3)] for i in range(2)])",
    "of rows": "np.array([row * k for row in A])",
    "norms": "np.array([np.sqrt((row * row).sum()) for row in A])",
    "places": "np.array([first_above(x, v) for v in y])",
    "neighbours": "np.array([x[max(i - 1, 0)] + x[i] for i in range(n)])",
}
AROUND = """
def twice(v):
    return 2 * v

def first_above(x, v):
    for i in range(len(x)):
        if x[i] > v:
            return i
    return len(x)

"""
PROGRAMS = {
    "alone": "def f(x, y, A, k):\n    n = len(x)\n    return {}\n",
    "in a loop": "def f(x, y, A, k):\n    n = len(x)\n    s = 0.0\n    for r in range(3):\n        k = r\n"
    "        s = s + {}\n    return s\n",
    "in a condition": "def f(x, y, A, k):\n    n = len(x)\n    s = 1.0\n    if y[0] > 0.3:\n        s = {}\n"
    "    return s\n",
}


def of_text(text: str, name: str) -> Callable[..., Any]:
    return function_in(text, name, {"np": np})


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    return rng.standard_normal(n), rng.random(n), rng.standard_normal((n, 4)), 3


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", [*NUMBERS, *ARRAYS])
def test_comprehensions(name: str, program: str) -> None:
    value = {**NUMBERS, **ARRAYS}[name] + (".sum()" if name in ARRAYS and program != "alone" else "")
    function = of_text(AROUND + PROGRAMS[program].format(value), f"<{name} {program}>")
    compiled = mdh.jit(cache=False, tune="off", fallback="error")(function)
    for seed in (0, 1):
        given = arguments(seed)
        found, expected = compiled(*given), function(*given)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        if program != "in a condition":  # where a number is of one type or another, here of both
            assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert compiled.compiled() and not compiled.stats().fallbacks


def test_of_nothing() -> None:
    function = of_text("def f(x):\n    return max(v for v in x)\n", "<of nothing>")
    with pytest.warns(mdh.errors.JitWarning, match="no elements"), pytest.raises(ValueError, match="empty"):
        mdh.jit(cache=False)(function)(np.ones(0))
