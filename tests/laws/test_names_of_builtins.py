"""Names of Python's own functions that a program gives another meaning mean that in the program, and nowhere else.

Functions of NumPy that are written here in terms of others call `max`, `range` and `int`: those of Python, whatever
the caller, its module or a function around it calls so. Undecorated Python ≡ the interpreter of the algebra.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from jitmdh.mdh.frontend.arrays import compositions
from tests.laws.agreement import traced
from tests.mdh.frontend.arrays.supported_calls import FUNCTIONS, METHODS, arguments
from tests.source_text import function_in


def read(name: str) -> set[str]:
    """Names of Python's own functions that one of those written here reads, or one that it calls."""
    trees = [compositions.definitions()[own] for own in compositions._needed(name)]
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name) and hasattr(builtins, n.id)}


NAMES = sorted(set[str]().union(*map(read, compositions.definitions())))


def calls() -> list[str]:
    """Calls of those of NumPy's functions and methods that read some, and do not themselves mention any."""
    names = {"np" + full.removeprefix("numpy"): own for full, own in compositions.COMPOSED.items()}
    names |= {f".{method}(": own for method, own in compositions.METHODS.items()}
    some = [mentioned for mentioned, own in names.items() if read(own)]
    lines = [line for line in f"{FUNCTIONS}{METHODS}".split("\n") if any(name in line for name in some)]
    return [line for line in lines if not set(re.findall(r"\w+", line)) & {*NAMES}]


WAYS = ("functions of the module", "locals", "names of a function around")


def text_of(line: str, way: str) -> str:
    given = ", ".join(k for k in arguments() if re.search(rf"\b{k}\b", line))
    *before, result = line.split("; ")
    body, threes = [*before, f"return {result}"], " = ".join(NAMES) + " = 3"
    head: list[str] = []
    if way == WAYS[0]:
        head = [f"def {name}(*given): return 3" for name in NAMES]
    elif way == WAYS[1]:
        body.insert(0, threes)
    else:
        body.insert(0, f"seen = {' + '.join(NAMES)}")
    lines = [f"def f({given}):", *("    " + s for s in body)]
    if way == WAYS[2]:
        lines = ["def around():", f"    {threes}", *("    " + s for s in lines), "    return f", "f = around()"]
    return "\n".join([*head, *lines]) + "\n"


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("line", calls())
def test_functions_of_numpy_call_pythons_own(line: str, way: str) -> None:
    text, given = text_of(line, way), [v for k, v in arguments().items() if re.search(rf"\b{k}\b", line)]
    function = function_in(text, f"<{way}: {line}>", {"np": np, "math": math, "mdh": mdh})
    try:
        want = function(*(v.copy() for v in given))
    except AttributeError:
        pytest.skip(f"NumPy {np.__version__} does not have it")
    same(meant(function, [v.copy() for v in given]), want)


def meant(function: Callable[..., Any], given: list[Any]) -> Any:
    """What the program of a function gives; of one that is no program, the function in place of it."""
    try:
        program = traced(function, tuple(given))
        return interp.run(program, *given)
    except (NotAnMdhError, FallbackSignal):
        return mdh.jit(function, tune="off")(*given)


def same(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------------------------- in the program

PAIRS = "((1, 0), (0, 1))"
SUMS = "s = 0\nfor i, j in OVER: s += i * x[j]\nreturn s, sum(i * x[j] for i, j in OVER)"
OWN = {
    "abs": ("a", "7", "return abs(-2)"),
    "len": ("a", "2", "y = np.zeros(len(x))\nfor i in range(len(x)): y[i] = x[i]\nreturn y"),
    "sum": ("a", "7", "return sum(x)"),
    "any": ("a", "7", "return any(x > 1)"),
    "int": ("a", "a * 2", "return int(2.5)"),
    "float": ("a", "a * 2", "return float(n)"),
    "round": ("a", "a * 2", "return round(2.6) + round(n)"),
    "divmod": ("a, b", "(b, a)", "p, q = divmod(n, 2)\nreturn p * 10 + q"),
    "sorted": ("a", "(8, 9)", "return sorted((n, 2))[0]"),
    "tuple": ("a", "(8, 9)", "return tuple(x)[0]"),
    "range": ("a, b", PAIRS, SUMS.replace("OVER", "range(0, 2)")),
    "enumerate": ("a", PAIRS, "return sum(i * x[j] for i, j in enumerate(x))"),
    "zip": ("a, b", PAIRS, SUMS.replace("OVER", "zip(x, x)")),
    "reversed": ("a", "(2, 0)", "return sum(x[i] for i in reversed(x))"),
    "slice": ("a, b", "a", "return x[slice(1, 3)]"),
    "min": ("a, b", "a + b", "for i in range(3):\n    for j in range(0, min(i, 1)):\n        x[j % 3] += 1\nreturn x"),
    "max": ("a, b", "1", "for i in range(3):\n    for j in range(max(i, 2), 3):\n        x[j] += 1\nreturn x"),
}  # fmt: skip
"""Parameters and value of a function that has the name, and a program that calls it."""
WRITING = ("abs", "len", "min", "max", "float", "int", "range", "slice", "sum", "tuple", "copy")


def programs(name: str, parameters: str, value: str, body: str, written: str = "") -> dict[str, str]:
    """The program with the function in several places. written: a statement of it."""
    lines = [f"def {name}({parameters}):", *([f"    {written}"] if written else []), f"    return {value}"]
    inside, text = ["    " + line for line in lines], ["    " + line for line in body.split("\n")]
    deeper = ["    " + line for line in text]
    made = {
        "of the module": [*lines, "def f(x, n):", *text],
        "inside": ["def f(x, n):", *inside, *text],
        "inside, called from inside": ["def f(x, n):", *inside, "    def g():", *deeper, "    return g()"],
        "around": ["def around():", *inside, "    def f(x, n):", *deeper, "    return f", "f = around()"],
    }
    if not written:
        lines = f"{name} = lambda {parameters}: {value}"
        made["a lambda"] = ["def f(x, n):", f"    {lines}", *text]
        made["a parameter"] = [
            f"def g(x, n, {name}):",
            *text,
            "def f(x, n):",
            f"    return g(x, n, lambda {parameters}: {value})",
        ]
    return {way: "\n".join(lines) + "\n" for way, lines in made.items()}


def compared(text: str, name: str) -> None:
    function, x = function_in(text, f"<{name}>", {"np": np}), np.array([3.0, 1.0, 2.0])
    want, mine = x.copy(), x.copy()
    results = function(want, 3), meant(function, [mine, 3])
    for one, other in zip(*(r if isinstance(r, tuple) else (r,) for r in results), strict=True):
        same(other, one)
    same(mine, want)


@pytest.mark.parametrize("name", OWN)
def test_in_the_program_they_are_what_it_says(name: str) -> None:
    for way, text in programs(name, *OWN[name]).items():
        compared(text, f"{name}, {way}")


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", WRITING)
def test_what_is_called_so_may_write(name: str) -> None:
    """Arrays that are computed when they are used are computed before."""
    for body in ("y = x + 1\ns = NAME(x)\nreturn y, s", "y = x * 2\nreturn NAME(x) + y, y", "return x + NAME(x)",
                 "y = x * 2\ns = x[NAME(x)]\nreturn y, s, x[0]"):  # fmt: skip
        made = programs(name, "a", "1", body.replace("NAME", name), written="a[0] += 9")
        for way, text in made.items():
            compared(text, f"{name}, writing, {way}")
