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
