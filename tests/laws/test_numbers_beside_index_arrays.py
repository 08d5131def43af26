"""Numbers among the subscripts stand beside index arrays: they are looked at whether those have elements or not."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.laws.agreement import outcome
from tests.laws.ways import ways
from tests.source_text import function_in

NUMBERS = ("1", "-2", "n", "n - 3", "j[0]", "j[0] - 2", "len(k) + 1")
WAYS = (
    "return A[k, {}]", "return A[{}, k]", "return A[k, {}].sum() + 1", "A[k, {}] = 5", "A[{}, k] += 2",
    "A[{}, k] = A[k, 0]", "np.add.at(A, (k, {}), 2)", "return A[{}, None, k]", "return A[k, None, {}]",
    "return A.T[k[:, None] + [0, 0], {}]",
    "s = 0.0\n    for i in range(n):\n        s += A[k, {}].sum()\n    return s",
    "for i in range(n):\n        A[{}, k] = i",
    "for i in range(n):\n        if i > 1:\n            A[k, i] = A[k, {}]",
)  # fmt: skip


def function_of(way: str, number: str) -> Callable[..., Any]:
    return function_in(f"def f(A, k, j, n):\n    {way.format(number)}\n", f"<{way}: {number}>", {"np": np})


def arguments(shape: tuple[int, int], length: int, n: int) -> tuple[Any, ...]:
    return np.arange(float(shape[0] * shape[1])).reshape(shape), np.zeros(length, int), np.array([length]), n


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_same_as_python(number: str, way: str) -> None:
    """An IndexError where NumPy raises one; calls that plain Python serves are compared, too."""
    function = function_of(way, number)
    (compiled, *_) = ways(function, arguments((4, 4), 2, 3), drawn=0)
    shapes = (0, 1), (1, 1), (2, 1), (3, 0), (2, 3), (4, 4)
    for given in itertools.product(shapes, (0, 1, 2), (0, 1, 3)):
        expected, found = outcome(function, arguments(*given)), outcome(compiled, arguments(*given))
        assert isinstance(found.error, IndexError) == isinstance(expected.error, IndexError), (given, found, expected)
        assert (found.error is None) == (expected.error is None), (given, found, expected)
        if expected.error is None:
            results = [(expected.result, found.result)] if expected.result is not None else []
            for e, f in (*zip(expected.arrays, found.arrays, strict=True), *results):
                np.testing.assert_array_equal(f, e, f"{given}")
