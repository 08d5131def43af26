"""Numbers at the ends of 32, 56, 62 and 64 bits wherever a program uses numbers: compiled code ≡ Python.

What a pass computes from a user's number (ends of loops, limits, ranges of subscripts) must not wrap around where the
program's own numbers do not.
"""

from __future__ import annotations

import math
import warnings
from random import Random
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.extreme_forms import FORMS, Beyond, numbers, texts, watched
from tests.laws.extreme_programs import TooLong
from tests.source_text import function_in

CASES = [(kind, number) for kind in FORMS for number in range(sum(1 for _ in texts(kind)))]


def _called(function: Any, n: int, m: int) -> tuple[str, Any, Any]:
    """The error of a call, its result, and what is in the array then."""
    y, x, k = np.zeros(9), np.arange(9.0) + 1, np.array([3, 0, 8, -1, 5, 2, 2, 7, 1])
    kinds = (ZeroDivisionError, IndexError, ValueError, OverflowError)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return "", function(y, x, k, n, m), y
        except NotAnMdhError:
            raise
        except kinds as error:
            name = next(kind.__name__ for kind in kinds if isinstance(error, kind))
            return "IndexError" if name == "OverflowError" else name, None, y  # of subscripts beyond 64 bits


@pytest.mark.in_turns(12)
@pytest.mark.parametrize(("kind", "number"), CASES)
def test_as_python_does(kind: str, number: int) -> None:
    text, random = list(texts(kind))[number], Random(number)
    _compare(text, [numbers(random) for _ in range(9)])


@pytest.mark.in_turns(12)
@pytest.mark.parametrize(("kind", "number"), CASES[::5])
def test_numbers_that_are_written_out(kind: str, number: int) -> None:
    n, m = numbers(Random(-number))
    _compare(list(texts(kind, f"({n})", f"({m})"))[number], [(n, m)])


def _compare(text: str, given: list[tuple[int, int]]) -> None:
    function = function_in(text, f"<extreme {text}>", {"np": np, "math": math})
    compiled, plain = mdh.jit(cache=False, tune="off")(function), watched(function)
    for n, m in given:
        try:
            error, result, array = _called(plain, n, m)
        except (Beyond, TooLong):
            continue
        try:
            found, ours, own = _called(compiled, n, m)
        except NotAnMdhError:
            return  # refused
        assert found == error, f"{text}n {n}, m {m}: {found or 'no error'}, Python: {error or 'none'}"
        if not error:
            np.testing.assert_allclose(np.float64(ours or 0), np.float64(result or 0), rtol=1e-14, err_msg=f"{n}, {m}")
            np.testing.assert_allclose(own, array, rtol=1e-14, err_msg=f"{text}n {n}, m {m}")
