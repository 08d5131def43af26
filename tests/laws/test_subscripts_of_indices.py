"""Subscripts that are no affine expressions of indices, and that no data decide: errors where Python has them.

Sizes may say that all are within bounds; where they do not, they are looked at before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.ways import ways
from tests.source_text import function_in


def squares(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        s += x[i * i]
    return s


def squares_from_the_end(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        s += x[i * i - m]
    return s


def remainders(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        s += x[(i * 3) % 7]
    return s


def quotients(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        s += x[i // m]
    return s


def both(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        s += x[i % m] * x[i // 2]
    return s


def limited(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        s += x[max(i - 3, 0) * 2] - x[min(i * 2, m)]
    return s


def distances(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        s = max(s, x[abs(i - 5)])
    return s


def rows(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        for j in range(m):
            s = max(s, x[i * m + j])
    return s


def element_wise(x: Any, n: int, m: int) -> Any:
    y = np.zeros(n, x.dtype)
    for i in range(n):
        y[i] = x[i * i % m]
    return y


def counted(x: Any, n: int, m: int) -> Any:
    y = np.zeros(max(m, 0), x.dtype)
    for i in range(n):
        y[i // 2] += x[i]
    return y


def some(x: Any, n: int, m: int) -> Any:
    s = 0
    for i in range(n):
        if i % 2 == 0:
            s += x[i * m // 2]
    return s


def two_arrays(x: Any, n: int, m: int) -> Any:
    a, s = x[: x.size // 2 * 2].reshape(-1, 2), 0
    for i in range(n * m):
        s += a[i // m, i % m]
    return s


PROGRAMS = [
    squares, squares_from_the_end, remainders, quotients, both, limited, distances, rows, element_wise, counted, some,
    two_arrays,
]  # fmt: skip
SIZES = ((0, 3), (1, 1), (3, 2), (5, 3), (9, 4), (10, 7), (30, 5), (9, 0), (4, 40), (90, 2))


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_as_python(program: Callable[[Any, int, int], Any]) -> None:
    compiled = mdh.jit(fallback="error", cache=False, tune="off")(program)
    failed = 0
    for length in (1, 3, 5, 8, 12, 40, 90):
        x = np.arange(length) + 1
        for n, m in SIZES:
            try:
                expected = program(x, n, m)
            except (IndexError, ZeroDivisionError) as error:
                failed += 1
                with pytest.raises((IndexError, ZeroDivisionError)) as caught:
                    compiled(x, n, m)
                assert isinstance(caught.value, type(error))
            else:
                np.testing.assert_array_equal(compiled(x, n, m), expected)
    assert failed, "no error is drawn"


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_no_configuration_leaves_an_array(program: Callable[[Any, int, int], Any]) -> None:
    """Whether subscripts are looked at beforehand or in use depends on where results wait."""
    for compiled in ways(program, (np.arange(4000), 60, 7), 1, fallback="error"):
        for length, n, m in ((1, 3, 2), (3, 9, 4), (8, 10, 7), (40, 5, 3), (8, 30, 5)):
            x = np.arange(length) + 1
            try:
                expected = program(x, n, m)
            except IndexError:
                with pytest.raises(IndexError):
                    compiled(x, n, m)
            else:
                np.testing.assert_array_equal(compiled(x, n, m), expected)


EXPRESSIONS = (
    "i * i + m", "m * i + 3", "i // -2 + 5", "i % -3", "(m - i) // -3", "i % m + 4", "5 - i * i", "-(i // 3) + m",
    "(i * m) % 7 - m", "(i - m) // 2 + 1", "min(i * i, m) + 2", "max(i // 2, m) - 1", "abs(i - m) * 2 + 1",
    "(i + m) % -4 + i", "i * i - i * m", "(i * 2 - m) // 3 * 2",
)  # fmt: skip
PLACES = ("s += x[{}]", "if i % 3 == 1: s += x[{}]", "if i < m: s += x[{}]", "s = max(s, x[{}] * x[i])")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")  # plain Python runs, and raises
def test_ends_of_expressions(expression: str, place: str) -> None:
    """What is added to a product, and what divides, decides where it ends: each just inside, and just outside."""
    statement = place.format(expression)
    text = f"def f(x, n, m):\n    s = 0.0\n    for i in range(n):\n        {statement}\n    return s\n"
    function = function_in(text, f"<{statement}>")
    compiled = mdh.jit(fallback="error", cache=False, tune="off")(function)
    for n, m in ((1, 1), (3, 2), (3, 7), (4, -2), (9, 3), (12, 5)):
        for length in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 18, 19, 31, 32):
            x = np.arange(length) + 1.0
            try:
                expected = function(x, n, m)
            except IndexError:
                with pytest.raises(IndexError):
                    compiled(x, n, m)
            else:
                assert compiled(x, n, m) == expected, (n, m, length)
