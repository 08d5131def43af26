"""Places, elements and rows that a mask chooses, and names that an `if` gives one array or another ≡ plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

EXPRESSIONS = {
    "first": "np.where(x > c)[0][0]",
    "last": "np.flatnonzero(x > c)[-1]",
    "first element": "x[x > c][0]",
    "neighbours": "x[np.nonzero(x > c)[0] - 1].sum()",
    "crossings": "np.nonzero(x[:-1] * x[1:] < 0)[0].sum()",
    "count": "len(np.flatnonzero(x > c)) + np.nonzero(x < c)[0].size + np.where(x > 0)[0].shape[0]",
    "following": "x[np.flatnonzero(x[:-1] > c) + 1].max()",
    "rows": "A[x > c].sum(axis=0)",
    "means of rows": "A[x > c].mean(axis=0)",
    "mean of rows": "A[x > c].mean()",
    "greatest of rows": "A[x > c].max(axis=0)",
    "sums of rows": "A[x > c].sum(axis=1).max()",
    "column": "A[x > c, 1].mean()",
    "doubled rows": "(2 * A[x > c]).sum(axis=0)",
}
LOOPS = {
    "sum": "s += x[i] * i",
    "ordered": "s = 0.5 * s + x[i]",
    "written": "y[i] = 2 * x[i]",
    "left": "if x[i] > 1:\n            break\n        s += x[i]",
    "skipped": "if i % 2:\n            continue\n        y[i] = s",
}
OVER = {"places": "np.flatnonzero(x > c)", "nonzero": "np.nonzero(x > c)[0]", "where": "np.where(x > c)[0]"}
IFS = {
    "only then": "    y = x\n    if {test}:\n        y = x * 2\n    return y.sum()\n",
    "argument": "    if {test}:\n        x = x - x.mean()\n    return (x * x).sum()\n",
    "both": "    if {test}:\n        y = x * 2\n    else:\n        y = x + 1\n    return y\n",
    "written afterwards": "    y = x\n    if {test}:\n        y = x * 2\n    x[0] = -50.0\n"
    "    return y.sum(), x.sum()\n",
    "turned": "    y = x\n    if {test}:\n        y = x[::-1]\n    z = y\n    x[0] = 7\n"
    "    return z.sum(), z[0], z[-1]\n",
    "in a loop": "    y = x + 0\n    if {test}:\n        y = x * 2\n    s = 0.0\n    for i in range(len(y)):\n"
    "        s = 0.5 * s + y[i]\n        x[i] = s\n    return s\n",
}
TESTS = ("c > 0.5", "x[0] > c", "x.sum() > c and len(x) > 3")


def of_text(text: str, name: str) -> Callable[..., Any]:
    return function_in(text, name, {"np": np})


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    given = tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments)
    try:
        result = function(*given)
    except (IndexError, ValueError) as error:
        return next(e for e in (IndexError, ValueError) if isinstance(error, e))
    return [np.asarray(r) for r in (*(result if isinstance(result, tuple) else (result,)), *given)]


def agree(text: str, name: str) -> None:
    function = of_text(text, name)
    compiled = mdh.jit(cache=False, tune="off", fallback="error")(function)
    rng = np.random.default_rng(5)
    x, A = rng.standard_normal(11), rng.standard_normal((11, 3))
    turned = np.asfortranarray(A) if text.count("A") > 1 else A
    for c, given in ((0.0, A), (0.7, turned), (9.0, A)):
        with np.errstate(all="ignore"):
            found, expected = outcome(compiled, x, given, c), outcome(function, x, given, c)
        if isinstance(expected, list):
            assert isinstance(found, list), f"c = {c}: {found}"
            for f, e in zip(found, expected, strict=True):
                assert (f.shape, f.dtype) == (e.shape, e.dtype), f"c = {c}"
                np.testing.assert_allclose(f, e, rtol=1e-12, err_msg=f"c = {c}")
        else:
            assert found is expected, f"c = {c}"
    assert compiled.compiled() and not compiled.stats().fallbacks


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value encountered")
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name: str) -> None:
    agree(f"def f(x, A, c):\n    return {EXPRESSIONS[name]}\n", f"<{name}>")


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str, over: str) -> None:
    body = f"    for i in {OVER[over]}:\n        {LOOPS[name]}\n"
    agree(f"def f(x, A, c):\n    s, y = 1.0, np.zeros_like(x)\n{body}    return s, y\n", f"<{name} {over}>")


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("name", IFS)
def test_ifs_that_give_names_other_arrays(name: str, test: str) -> None:
    agree(f"def f(x, A, c):\n{IFS[name].format(test=test)}", f"<{name}: {test}>")
