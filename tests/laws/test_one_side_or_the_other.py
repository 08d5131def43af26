"""Arrays that a condition on data chooses to return, subscripts that their own assignment overwrites, and elements of
parts that may be empty, behind writes: as undecorated, whichever way the data go."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

HELPERS = """\
def up(c):
    c[0] = (c[0] + 1) % len(c)
    return c[0]


def give(c, i):
    old = c[i]
    c[i] = (old + 2) % len(c)
    return old


"""
RETURNED = (
    "if c[0] > 1:\n        return x * 2\n    return x + 1",
    "if c[0] > 1:\n        c[0] = 0\n        return x * 2\n    c[0] = c[0] + 1\n    return x + c[0]",
    "if c[0] > 1:\n        x[0] = 9\n        return x * 2\n    return np.zeros(len(x))",
    "if c[0] > 1:\n        return x * 2, x.sum()\n    x[0] = 5\n    return x + 1, x.max()",
    "if len(x) > 2:\n        return x * 2\n    return x + 1",
    "if c[0] > 2:\n        return x * 2\n    if c[0] > 0:\n        return x[::-1] + x\n    return x - c.sum()",
    "return x * 2 if c[0] > 1 else x + c[0]",
    "r = x + 1 if x[0] > 0 else x - y\n    x[0] = 7\n    return r * 2",
    "r = x if c[0] > 1 else y\n    x[0] = 9\n    return r + 1",
    "r = up(c) * x if c[0] > 1 else give(c, 0) * y\n    return r + c[0]",
    "return (x if c[0] > 1 else y + x[::-1]).sum() + (x[1:] if len(x) > 2 else y[1:]).max()",
    "r = x + 1 if c[0] > 1 else x - 1\n    r[0] = 4\n    r += x\n    return r",
)
OVERWRITTEN = (
    "c[c[0]] = 1",
    "return give(c, c[up(c)])",
    "x[0] = c[give(c, c[0])]\n    return x[c[0]]",
    "for i in range(len(c)):\n        c[c[i]] = (c[i] + i) % len(c)",
    "for i in range(len(c)):\n        if x[i] > 0:\n            c[c[i]] = (c[i] + 1) % 2\n            x[c[i]] += 1",
    "x[c[0]], c[0] = 5, c[1]",
    "c[c[0]], c[c[1]] = c[c[1]], c[c[0]]",
    "c[c[c[0]]] -= c[0]",
    "x[1], c[0] = A[c[-1]][0], 0",
    "x[1], c[0], y[0] = A[c[-1]][c[0]], 0, x[c[0]]",
    "y[c[0]], c[0] = (c[0] if x[0] > 1 else A[:, c[-1]][0]), 1",
)
PARTS = (
    "y[0] = 3\n    return x[: c[0]][-1]",
    "y += 1\n    y[1] = x[c[0] :][0]\n    y[0] = 7",
    "y[0] = x[c[0] : c[1]][-1]\n    return x[: c[1]][1]",
    "y += 1\n    y[0] = x[: c[0]][-1]\n    y += 2",
    "y += 1\n    if x[0] > 0:\n        x[0] -= 1\n        y[0] = x[1:][c[0]]",
    "y += 1\n    r = x[c[0] :]\n    x[0] += 1\n    return r[0] if x[-1] > 0 else 1.0",
    "r = x[c[0] :]\n    for i in range(len(x)):\n        y[i] += 1\n        if x[i] > 0:\n            x[i] = -1\n"
    "            y[i] += r[0]",
)


def agree(body: str) -> None:
    name = f"<{body}>"
    function = function_in(f"{HELPERS}def f(x, y, c):\n    A = np.outer(x, y)\n    {body}\n", name, {"np": np})
    compiled = mdh.jit(cache=False, tune="off", fallback="error")(function)
    r = np.random.default_rng(len(body))
    for n in (2, 3, 3, 4, 5) * 4:
        x, y, c = r.integers(-3, 4, n).astype(float), r.integers(-3, 4, n).astype(float), r.integers(0, n, n)
        outcomes = []
        for called in (function, compiled):
            arrays = [a.copy() for a in (x, y, c)]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # plain Python finds out what is wrong with a range
                    result = called(*arrays)
            except IndexError:
                result = "IndexError"
            outcomes.append([result, *arrays])
        np.testing.assert_equal(outcomes[1], outcomes[0], err_msg=f"{name} {x} {y} {c}")


@pytest.mark.parametrize("body", RETURNED)
def test_arrays_returned_on_both_sides(body: str) -> None:
    agree(body)


@pytest.mark.parametrize("body", OVERWRITTEN)
def test_subscripts_that_are_overwritten(body: str) -> None:
    agree(body)


@pytest.mark.parametrize("body", PARTS)
def test_elements_of_parts_that_may_be_empty(body: str) -> None:
    agree(body)


@pytest.mark.parametrize("body", ["return x", "return x[::-1]", "return y"])
def test_an_argument_or_something_new_is_refused(body: str) -> None:
    text = f"def f(x, y, c):\n    if c[0] > 1:\n        {body}\n    return x * 2\n"
    with pytest.raises(mdh.errors.NotAnMdhError):
        mdh.jit(cache=False, fallback="error")(function_in(text, f"<{body}>"))(np.ones(3), np.ones(3), np.arange(3))
