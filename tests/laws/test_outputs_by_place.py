"""A result that a call puts into an array is a write, also where that array is given by its place and not as `out`.

What is computed from the array's elements before, and used once and later, is computed from those before: undecorated
Python ≡ the interpreter of the algebra. Which argument it is, NumPy's own signatures say.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.frontend.source import library
from jitmdh.mdh.frontend.source.library import output_at, output_of_method_at
from tests.laws.test_names_of_builtins import meant, same
from tests.source_text import function_in

CALLS = (
    "x.clip(2, 3, x)", "np.dot(A, v, x)", "A.dot(v, x)", "np.sum(A, 0, None, x)", "A.sum(0, None, x)", "A.max(0, x)",
    "np.min(A, 0, x)", "A.mean(0, None, x)", "np.cumsum(v, 0, None, x)", "v.cumprod(0, None, x)", "np.add(v, v, x)",
    "np.negative(v, x)", "np.prod(A, 0, None, x)", "np.matmul(A, v, x)", "np.sqrt(v, x)", "np.multiply(v, 2, x)",
    "np.clip(x, 2, 3, x)", "v.take(i, 0, x)", "np.outer(v, v, A)", "v.round(0, x)",
)  # fmt: skip
PROGRAMS = {
    "computed before": "t = x + 1.0 + A[0]\n{}\nreturn t, x, A",
    "a view": "t = x[::-1]\nu = t + A[1]\n{}\nreturn u, x",
    "in a tuple": "t = x + 1.0, {}\nreturn t[0], x",
    "in a loop": "for q in range(3):\n    s = x + A[q]\n    {}\n    A[q] = s\nreturn A, x",
    "chosen elements": "t = x[x > 1.5]\n{}\nreturn t, x",
    "in a function": "def h(a):\n    {}\n    return a + 1\nt = x + A[2]\ns = h(1.0)\nreturn t + s, x, A",
}


def given() -> list[Any]:
    A = np.random.default_rng(0).random((3, 3)) * 4
    return [np.array([1.0, 5.0, 2.0]), np.array([4.0, 1.0, 3.0]), A, np.array([2, 0, 1])]


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("way", PROGRAMS)
@pytest.mark.parametrize("call", CALLS)
def test_they_are_writes(call: str, way: str) -> None:
    body = PROGRAMS[way].format(call)
    text = "def f(x, v, A, i):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    function = function_in(text, f"<{way}: {call}>", {"np": np})
    theirs, ours = given(), given()
    try:
        want = function(*theirs)
    except TypeError:
        pytest.skip("NumPy has no such argument there")
    try:
        got = meant(function, ours)
    except NotAnMdhError:
        return  # refused
    for one, other in zip((*got, *ours), (*want, *theirs), strict=True):
        same(one, other)


def _place(function: Any) -> int | None:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return -1  # NumPy does not say
    places = [n for n, p in enumerate(parameters) if p.name == "out" and p.kind is p.POSITIONAL_OR_KEYWORD]
    return places[0] if places else None


def test_numpy_says_so() -> None:
    for name in dir(np):
        function = getattr(np, name)
        if not isinstance(function, type) and library.function_name(function) and not isinstance(function, np.ufunc):
            place = _place(function)
            assert place in (-1, output_at(function)) or name.startswith(("busday", "is_busday")), name
    for name in dir(np.ndarray):
        place = None if name.startswith("_") else _place(getattr(np.ndarray, name))
        assert place in (-1, None) or output_of_method_at(name) == place - 1, name
