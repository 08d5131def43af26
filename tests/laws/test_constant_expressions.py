"""Arithmetic of numbers that are written in the program is Python's own, however large; what has no type is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, JitWarning, NotAnMdhError
from tests.source_text import function_in

LARGE = (
    "9007199254740993 ** 3", "9007199254740993 * 9007199254740993", "1 << 70", "-(2 ** 63) - 5", "2 ** 63", "2 ** 64",
    "2 ** 63 - 1", "-(2 ** 63)", "(1 << 70) // (1 << 65)", "(1 << 70) % 7", "-(2 ** 63) - 5 + 5", "abs(-(2 ** 63))",
    "~(1 << 70)", "(1 << 70) / 2", "(1 << 70) > 3", "float(1 << 70)", "max(1 << 70, 3)", "min(1 << 70, 3)",
)  # fmt: skip
PLACES = {
    "returned": "return {}",
    "by a name": "k = {}\n    return k",
    "stored": "for i in range(len(y)):\n        y[i] = {}",
    "added": "for i in range(len(y)):\n        y[i] = y[i] + ({})",
    "chosen": "for i in range(len(y)):\n        y[i] = ({}) if y[i] > 1 else 2",
    "carried": "k = {}\n    for i in range(len(y)):\n        k = k + 1 if y[i] > 5 else k\n    return k",
    "in order": "i = 0\n    while i < len(y) and y[i] < 2:\n        y[i] = {}\n        i += 1 + int(y[i] > 3)",
    "compared": "for i in range(len(y)):\n        y[i] = 1 if i < ({}) else 2",
}


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", LARGE)
def test_large_constants(number: str, place: str) -> None:
    text = f"def f(y):\n    {PLACES[place].format(number)}\n"
    function = function_in(text, f"<{number}, {place}>", {}, called="f")
    ours, theirs = np.arange(4.0), np.arange(4.0)
    expected: Any = function(theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JitWarning)
        try:
            found = mdh.jit(cache=False, tune="off")(function)(ours)
        except (NotAnMdhError, ArgumentTypeError):
            np.testing.assert_array_equal(ours, np.arange(4.0))
            return
    assert found == expected
    np.testing.assert_array_equal(ours, theirs)


LIMITS = (-(2**63), -(2**63) + 1, -(2**63) + 3, -(2**62) - 1, -1, 2, 2**62 + 1, 2**63 - 4, 2**63 - 2, 2**63 - 1)


@pytest.mark.parametrize("form", ["i < n", "i >= n", "n <= i", "n > i", "i - 1 < n", "i <= n", "i > n"])
def test_limits_of_any_size_split_loops_where_they_are(form: str) -> None:
    """Loops are split where an index meets a limit: what is computed for that must not wrap around."""
    text = f"def f(y, n):\n    for i in range(len(y)):\n        y[i] = 1 if {form} else 2\n"
    function = function_in(text, f"<{form}>", {}, called="f")
    compiled = mdh.jit(cache=False, tune="off")(function)
    for n in LIMITS:
        ours, theirs = np.zeros(9), np.zeros(9)
        function(theirs, n)
        compiled(ours, n)
        np.testing.assert_array_equal(ours, theirs, err_msg=str(n))


NEVER = ("False", "1 != 1", "k < 3 and False", "False and k < x[i]", "False or (k < n and 2 < 1)", "not True", "0")
UNDER = {
    "loop": "while {}:\n            k += 1\n            y[i] = x[k]",
    "loop that is left": "while {}:\n            k += 1\n            if x[k] > 1:\n                break",
    "loop in a loop": "while k < x[i]:\n            k += 1\n            while {}:\n                k += 2",
    "if in a loop": "while k < x[i]:\n            k += 1\n            if {}:\n                y[k] = 3",
    "way out": "while k < x[i]:\n            k += 1\n            if {}:\n                break",
}


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("place", UNDER)
def test_conditions_that_never_hold(place: str) -> None:
    """A loop of all lanes whose condition was known took a mask for each lane."""
    for never in NEVER:
        body = UNDER[place].format(never)
        text = f"def f(y, x, n):\n    for i in range(n):\n        k = 0\n        {body}\n        y[i] += k\n"
        function = function_in(text, f"<{text}>", {}, called="f")
        ours, theirs, x = np.arange(40.0), np.arange(40.0), np.arange(40) % 5
        function(theirs, x, 40)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mdh.jit(function, cache=False, tune="off")(ours, x, 40)
        np.testing.assert_array_equal(ours, theirs, err_msg=text)
