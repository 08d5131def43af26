"""Elements whose places other elements decide, many times over ≡ plain Python, the errors included.

Subscripts of long chains are looked at in one go: also those after one that is out of bounds, in arrays that may be
empty.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

LENGTH = 7

FORMS = {
    "one array": lambda k: ["a = x[a]"],
    "under conditions": lambda k: [f"if a > {k}:", "    a = x[a]"],
    "two arrays": lambda k: [f"a = {'zx'[k % 2]}[a] + 0"],
    "two arrays, under conditions": lambda k: [f"if a != {k + 90}:", f"    a = {'zx'[k % 3 == 0]}[a]"],
    "narrow numbers": lambda k: ["a = x[np.int32(a)]"],
    "kept inside": lambda k: [f"a = x[min(max(a, 0), n - 1)] + {k} - {k}"],
    "sums of places": lambda k: ["s = s + z[a]", "a = x[a]"],
}


def _program(form: str) -> Any:
    lines = (f"        {line}\n" for k in range(LENGTH) for line in FORMS[form](k))
    head = "def f(x, z, y, n):\n    for i in range(n):\n        a = x[i]\n        s = 0\n"
    text = f"{head}{''.join(lines)}        y[i] = a + s\n"
    return function_in(text, f"<chain, {form}>", {"np": np})


def _outcome(function: Any, x: Any, z: Any, n: int) -> tuple[Any, Any]:
    y = np.full(max(n, 1), -7)
    try:
        function(x.copy(), z.copy(), y, n)
    except IndexError as error:
        return error, y
    return None, y


def _data(seed: int) -> tuple[Any, Any, int]:
    """Arrays of places, of which one may be out of bounds, and empty ones."""
    rng = np.random.default_rng(seed)
    size = [(0, 0), (9, 0), (40, 40), (40, 25), (25, 40)][seed % 5]
    x, z = (rng.integers(-min(size), min(size), s) if min(size) else np.zeros(s, int) for s in size)
    if seed % 2 and len(x):
        x[rng.integers(len(x))] = rng.choice([len(x), -len(x) - 1, 10**9])
    return x, z, len(x)


@pytest.mark.filterwarnings("ignore:.*which is empty, is under a condition")
@pytest.mark.parametrize("form", FORMS)
def test_as_python(form: str) -> None:
    function = _program(form)
    compiled = mdh.jit(tune="off", cache=False)(function)
    for seed in range(20):
        x, z, n = _data(seed)
        (theirs, expected), (ours, found) = (_outcome(f, x, z, n) for f in (function, compiled))
        assert type(ours) is type(theirs) or (isinstance(ours, IndexError) and isinstance(theirs, IndexError)), seed
        if theirs is None:
            np.testing.assert_array_equal(found, expected)
        elif len(x) and len(z):
            assert (found == -7).all(), "something was written before the error"


def test_the_error_is_of_the_subscript_that_is_out_of_bounds() -> None:
    """Of the first one: line and axis."""
    compiled = mdh.jit(tune="off", cache=False)(_program("one array"))
    for bad in range(LENGTH):
        x = np.arange(1, 11)  # each place leads to the next
        x[bad] = 10**6
        x[bad + 1 :] = 0
        y = np.zeros(1, int)
        with pytest.raises(IndexError) as raised:
            compiled(x, x, y, 1)
        (line,) = re.findall(r"chain, one array>:(\d+)", str(raised.value))[:1]
        assert int(line) == 5 + bad


def test_once_through_the_points() -> None:
    """However long the chain is, the points are gone through three times: twice to look, and to compute."""
    compiled = mdh.jit(tune="off", cache=False)(_program("one array"))
    x, n = np.arange(10**6), 10**6
    text = compiled.inspect(x, x, np.zeros(n, int), n, stage="kernel")
    assert text.count("parallel for") == 3
