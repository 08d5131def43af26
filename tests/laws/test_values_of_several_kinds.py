"""A value of one kind or another, as a condition decides: refused wherever it matters, never taken for either."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.agreement import outcome, traced
from tests.source_text import function_in

VALUES = {
    "number or None": "(x[0] / 2 if {condition} else None)",
    "array or None": "(x if {condition} else None)",
    "text or None": "('a' if {condition} else None)",
    "one array or another": "(x if {condition} else x[1:])",
    "tuple or None": "((1, 2) if {condition} else None)",
    "functions": "(np.sin if {condition} else np.cos)",
}
USES = (
    "return {value} is None", "return {value} is not None", "return {value} == None", "return {value} != None",
    "return {value} == 'a'", "return not {value}", "return bool({value})", "return 1 and ({value} is None)",
    "y = {value} or 3.0; return y is None", "return 1 if {value} is None else 2", "return (1, {value}) == (1, None)",
    "return {value} in (None, 3)", "return (lambda a: a is None)({value})", "y = {value}; return y is None",
    "a, b = 1, {value}; return b is None", "y = [1, {value}]; return y[1] is None", "return None is {value} is None",
    "k = 0\n    while {value} is None and k < 3: k += 1\n    return k", "return max(1.0, {value})",
)  # fmt: skip


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("condition", ["n > 0", "x[0] > 0"])
@pytest.mark.parametrize("value", VALUES)
def test_a_value_of_several_kinds_is_taken_for_none_of_them(value: str, condition: str) -> None:
    for number, use in enumerate(USES):
        text = f"def f(x, n):\n    {use.format(value=VALUES[value].format(condition=condition))}\n"
        name = f"<{value}, {condition}, {number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space: dict[str, Any] = {"np": np}
        exec(compile(text, name, "exec"), space)
        for x, n in ((np.array([1.0, 2.0]), 1), (np.array([-1.0, 2.0]), 0)):
            try:
                program = traced(space["f"], (x, n))
            except NotAnMdhError:
                continue
            expected = outcome(space["f"], (x, n))
            assert expected.error is None, f"{text}compiled, Python: {expected.error!r}"
            assert interp.run(program, x, n) == expected.result, text


ARRAYS = (
    "return y * t", "return np.full(3, t)", "return np.array([t, 1])", "z = y + t\n    z[0] = 3.7\n    return z",
    "return np.where(y > 0, t, 0)", "return np.array([t * k for k in range(3)])", "return np.array([t, 2.5])",
    "return np.maximum(y, t)", "z = y.copy()\n    z[:] = t\n    return z", "return y > t",
)  # fmt: skip
NUMBERS = ("1 if n > 0 else 2.5", "n if n > 3 else 0.5", "y[0] if n > 0 else 0.5", "1 if n > 0 else True", "n or 1.5")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("use", ARRAYS)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_type_of_an_array_does_not_depend_on_what_is_chosen(number: str, use: str) -> None:
    text = f"def f(y, n):\n    t = {number}\n    {use}\n"
    name = f"<{number}, {use}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    for type in ("int64", "float32", "bool"):
        for n in (5, 0):
            y = np.arange(3).astype(type)
            try:
                program = traced(space["f"], (y, n))
            except NotAnMdhError:
                continue
            expected, found = space["f"](y.copy(), n), interp.run(program, y.copy(), n)
            np.testing.assert_array_equal(found, expected, text)
            assert found.dtype == expected.dtype, text


@pytest.mark.parametrize("number", ["n if n > 3 else 0.5", "x[0] if n else 0.5", "max(n, 0.5)", "n or 0.5"])
def test_an_integer_that_a_float_does_not_hold_is_not_returned_as_one(number: str) -> None:
    text = f"def f(x, n):\n    return {number}\n"
    name = f"<returned {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    with pytest.raises(NotAnMdhError, match="an integer or a float is returned"):
        traced(space["f"], (np.array([2**53 + 1]), 2**53 + 1))


CHOSEN = (
    "return {own} if n else c", "return c if n else {own}", "s = {own}\n    if n > 0:\n        s = c\n    return s",
    "s = c\n    if x[0] > n:\n        s = {own}\n    return s", "s = c or {own}\n    return s, min(s, {own})",
    "return c if n > 5 else x[0] if n else {own}",
)  # fmt: skip


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("own", ["0.1", "300", "1e300", "True", "-0.1"])
@pytest.mark.parametrize("use", CHOSEN)
def test_a_number_that_is_chosen_is_returned_as_it_is(use: str, own: str) -> None:
    """A short number of NumPy's beside one of Python's, which does not adapt: nothing is computed."""
    text = f"def f(x, c, n):\n    {use.format(own=own)}\n"
    function = function_in(text, f"<{use}, {own}>")
    for type in (np.float32, np.float16, np.int8, np.int64, np.complex64, np.bool_):
        for n in (0, 1):
            c, x = type(0), np.array([n + 0.5], np.float32)
            try:
                program = traced(function, (x, c, n))
            except NotAnMdhError:
                continue
            with np.errstate(over="ignore"):  # of what is not taken
                found = interp.run(program, x, c, n)
            np.testing.assert_array_equal(found, function(x, c, n), text)
