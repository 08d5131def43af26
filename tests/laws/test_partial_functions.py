"""`functools.partial` inside of functions: calls as Python makes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.texts import loaded

TEXT = """
import functools
import math
import numpy as np

def f(x):
    def mixed(a, b, s=1.0):
        return a * b - s

    k = x[0] + 1.0
    g = {partial}
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = g({arguments})
    return out
"""
CALLS = (
    ("functools.partial(mixed, 2.0)", "x[i]"),
    ("functools.partial(mixed, 2.0, s=k)", "x[i]"),
    ("functools.partial(mixed, s=k)", "x[i], x[0], s=3.0"),
    ("functools.partial(math.pow, 2.0)", "x[i]"),
    ("functools.partial(functools.partial(mixed, 3.0), s=0.5)", "b=x[i]"),
    ("functools.partial(lambda a, b: a - b, k)", "x[i]"),
    ("functools.partial(np.maximum, k)", "x[i]"),
)


@pytest.mark.parametrize(("partial", "arguments"), CALLS)
def test_the_same_as_python(partial: str, arguments: str, tmp_path: Path) -> None:
    f = loaded(TEXT.format(partial=partial, arguments=arguments), tmp_path)
    x = np.random.default_rng(0).random(7)
    np.testing.assert_array_equal(mdh.jit(fallback="error", cache=False, tune="off")(f)(x), f(x))
