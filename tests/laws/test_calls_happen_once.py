"""Each call in a statement happens once, and in Python's order; what stands before it is not changed by what it writes.

The compiler has to ask several times what a subscript is, and computes elements of arrays when they are used.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, NotAnMdhError
from tests.source_text import function_in

HELPERS = """\
def up(c):
    c[0] += 1
    return c[0] % 3


def two(c):
    c[1] += 1
    return c[:2] % 3


def grow(x):
    x += 1
    return x[0]


def both(x, s):
    return x + s


def part(x, c):
    c[0] += 1
    return x[c[0] % 2 :]


"""
PLACES = (
    "x[up(c)]", "x[up(c), ]", "x[-up(c)]", "x[up(c) + 1]", "x[two(c)]", "x[up(c):]", "x[:up(c)]", "x[up(c):up(c) + 2]",
    "x[1:][up(c)]", "part(x, c)[1]", "part(x, c)[up(c):]", "part(x, c)[two(c)]", "A[up(c)]", "A[up(c), up(c)]",
    "A[up(c)][up(c)]", "A[two(c), up(c)]", "A[two(c), two(c)]", "A[up(c), 1:]", "A[:, up(c)]", "A[two(c)]",
    "A.T[up(c)]",
    "x[x > up(c)]", "A[A > up(c)]", "A[x > up(c)]", "x[[up(c), 3]]", "x[c[up(c)] % 3]", "A[c[up(c)] % 3, c[up(c)] % 2]",
    "r['a'][up(c)]", "r[up(c)]['a']", "A[..., up(c)]", "A[up(c), None]",
)  # fmt: skip
STATEMENTS = (
    "{} = 7", "{} += 1", "{} = {} * 2", "s += np.sum({})", "y[:] = 0; y[:1] = np.max({})", "s, {} = 5.0, 3",
    "{}, y[0] = 3, 4",
)  # fmt: skip
AROUND = {
    "alone": "{}",
    "under a condition": "if c[2] > 0:\n        {}",
    "in a loop": "for i in range(2):\n        {}",
    "in order": "i = 0\n    while i < 3:\n        {}\n        i += 1 + c[0] % 2",
}


def arguments() -> tuple[Any, ...]:
    records = np.zeros(4, [("a", float), ("b", int)])
    records["a"] = [4, 3, 2, 1]
    return np.arange(4.0), np.arange(16.0).reshape(4, 4), np.array([0, 5, 1]), np.ones(4), records


def compared(text: str, name: str) -> bool:
    """Whether it is compiled; what is, agrees with Python."""
    function = function_in(text, name, {"np": np}, called="f")
    compiled = mdh.jit(cache=False, tune="off")(function)
    ours, theirs = arguments(), arguments()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JitWarning)
        try:
            expected: Any = function(*theirs)
        except (IndexError, ValueError):
            return False  # nothing to compare with: the arrays may be half done
        try:
            found = compiled(*ours)
        except NotAnMdhError:
            found, expected, theirs = None, None, arguments()
    np.testing.assert_array_equal(found, expected, err_msg=text)
    for a, b in zip(ours, theirs):
        np.testing.assert_array_equal(a, b, err_msg=text)
    return found is not None and not compiled.stats().fallbacks


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("place", PLACES)
def test_subscripts_that_write(place: str, statement: str, around: str) -> None:
    body = AROUND[around].format(
        statement.replace("{}", place).replace("; ", "\n        " if "\n" in AROUND[around] else "\n    ")
    )
    text = f"{HELPERS}def f(x, A, c, y, r):\n    s = 0.0\n    {body}\n    return s\n"
    compared(text, f"<{place}, {STATEMENTS.index(statement)}, {around}>")


EXPRESSIONS = (
    "np.add.at(x, two(c), 1)", "np.add.at(A, (two(c), up(c)), 1)", "x[:] = np.clip(x, up(c), up(c) + 1)",
    "x[:] = np.where(x > up(c), up(c), x)", "x[up(c)], x[up(c)] = x[up(c)], x[up(c)]", "s = max(up(c), s, up(c))",
    "s = 1.0 if up(c) < 2 else s + up(c)", "s += 0 < up(c) < 2", "for j in range(up(c), 3):\n            x[j] = up(c)",
    "for v in part(x, c):\n            s += v * up(c)",
    "for a, b in zip(part(x, c), x[two(c)]):\n            s += a * b",
    "c[0], x[c[0] % 3] = 5, 9", "c[0], c[c[0] % 2] = 3, 4", "x[c[0]], c[0] = 6, 2", "s = len(x[up(c):]) + up(c)",
    "s = sum(up(c) for _ in range(2))", "x[:2] = [up(c), up(c)]", "x[up(c)] = s = up(c)",
    "s += x[up(c)] * x[up(c)] + up(c)",
    "x[:2] = np.array([up(c), up(c) * 2])", "x[:] = np.take(x, [up(c), 0, 1, up(c)])", "part(x, c)[:] += up(c)",
    "s = np.dot(x[up(c):3], x[:3 - c[0] % 3])", "x[:] = np.roll(x, up(c))", "assert up(c) < 5",
    "y[:] = x * 2 + grow(x)", "y[:] = x + grow(x)", "y[:] = grow(x) + x * 2",
    "y[:] = np.where(x * 2 > 1, x * 2, grow(x))",
    "s = np.sum(x * 2) + grow(x)", "x[:2] += grow(x)", "x[c[:2] % 3] += grow(c)", "x[1] += grow(x)", "x += grow(x)",
    "x[x > 1] += grow(x)", "A[c % 3, c % 2] = grow(c)", "z = x * 2; x[0] = 9; y[:] = z",
    "z = x * 2; y[:] = grow(x) + z", "z = x * 2; np.multiply(x, 3, out=x); y[:] = z",
    "z = x * 2; grow(x); y[:] = z", "y[:] = (x * 2 > grow(x)) + x", "s += np.sum(np.array([x[0] * 2, grow(x), x[0]]))",
    "y[:] = np.hypot(x * 2, grow(x))", "z = x[1:] * 2; y[:3] = z + grow(x)", "s = np.sum(x * 2 < x + grow(x))",
"y[:] = np.maximum(x + 1, both(x * 2, grow(x)))",
    "part(x, c)[0] *= grow(x)", "x[::-1][0] -= grow(x)", "A[1:][0, 1] *= grow(A)", "A.T[0, 1] += grow(A)",
    "z = x[1:]; z[0] *= grow(x)", "s = sum([x[c[0] % 3], grow(x), up(c)])", "s, y[0] = x[c[0] % 3], grow(x) + up(c)",
    "s = x[c[0] % 3]; c[0] += 1; x[0] = 9; y[1] = s", "s = A[c[0] % 3, 1]; c[0] = 1; A[0, 1] = 9",
)  # fmt: skip


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_that_write(expression: str, around: str) -> None:
    if around == "alone" or "\n" not in AROUND[around]:
        expression = expression.replace("\n            ", "\n        ")
    text = f"{HELPERS}def f(x, A, c, y, r):\n    s = 0.0\n    {AROUND[around].format(expression)}\n    return s\n"
    compared(text, f"<{EXPRESSIONS.index(expression) if expression in EXPRESSIONS else expression}, {around}>")


WALKS = (
    "x * 2", "x[x > 1]", "np.sort(x)", "(x * 2)[1:]", "x[::-1]", "x + c[0]", "np.nonzero(x > 1)[0]", "x[two(c)]", "x",
    "part(x, c) * 2", "np.where(x > 1, x, 5)", "(x[0] * 2, x[1])", "np.cumsum(x)", "A[1] + x", "reversed(x * 2)",
)  # fmt: skip
BODIES = ("x[0] = 9; s += v", "x[3 - c[0] % 4] += v; c[0] += 1", "x += 1; s += v", "s += v + grow(x)")


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("walk", WALKS)
def test_what_a_loop_goes_over_is_what_it_was(walk: str, body: str) -> None:
    lines = body.replace("; ", "\n        ")
    for head in (f"for v in {walk}:", f"for _, v in enumerate({walk}):", f"for v, _ in zip({walk}, y):"):
        text = f"{HELPERS}def f(x, A, c, y, r):\n    s = 0.0\n    {head}\n        {lines}\n    return s\n"
        compared(text, f"<{head}, {BODIES.index(body)}>")


def test_most_of_them_are_compiled() -> None:
    done = [
        compared(
            f"{HELPERS}def f(x, A, c, y, r):\n    s = 0.0\n    {statement.format(place)}\n    return s\n", f"<{place}>"
        )
        for place in PLACES[::3]
        for statement in STATEMENTS[:2]
    ]
    assert sum(done) * 2 > len(done), done


def test_subscripts_of_subscripts_are_traced_in_linear_time() -> None:
    """Twice the work for each of them would take for ever."""
    from tests.laws.agreement import traced

    text = "def f(x, k):\n    x[" + "k[" * 30 + "0" + "]" * 30 + "] += 1\n"
    function = function_in(text, "<thirty subscripts>", {}, called="f")
    assert traced(function, (np.zeros(4), np.zeros(4, int))).steps
