"""Errors of numbers name the file, the line and the expression, whichever way they are found."""

from __future__ import annotations

import re

import numpy as np
import pytest

import jitmdh as mdh


@mdh.jit
def narrowed(y, x):
    for i in range(y.shape[0]):
        y[i] = x[i]


@mdh.jit
def adapted(y, x, k):
    for i in range(y.shape[0]):
        if x[i] > 0:
            y[i] = x[i] + k


@mdh.jit
def sequential(y, x, k):
    for i in range(1, y.shape[0]):
        y[i] = y[i - 1] * x[i] + k if x[i] > 0 else x[i]


@pytest.mark.parametrize(
    ("function", "arguments", "excerpt"),
    [
        (narrowed, (np.array([1, 300]),), "y[i] = x[i]"),
        (adapted, (np.array([1, 2], np.int8), 300), "x[i] + k"),
        (sequential, (np.array([1, 2], np.int8), 300), "y[i - 1] * x[i] + k"),
    ],
    ids=["stored", "operand", "sequential"],
)
def test_an_integer_that_does_not_fit_names_its_place(function, arguments, excerpt: str) -> None:
    y = np.zeros(2, np.int8)
    with pytest.raises(OverflowError) as found:
        function(y, *arguments)
    first, source, caret = str(found.value).splitlines()[:3]
    assert re.fullmatch(r".*test_faults\.py:\d+: Python integer out of bounds for int8 \[MDH214\]", first)
    at = caret.index("^")
    assert source[at : at + caret.count("^")] == excerpt
