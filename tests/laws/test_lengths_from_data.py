"""Arrays whose length data decide, computed with and returned ≡ plain Python: shapes, types, and who shares memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.test_chosen_elements import agree
from tests.source_text import function_in

RETURNED = {
    "elements": "x[x > c]",
    "matrix elements": "A[A > c]",
    "cube elements": "(A[:, :, None] * A[:, None, :])[A[:, :, None] * A[:, None, :] > c]",
    "rows": "A[x > c]",
    "both sides": "(x[x > c], x[~(x > c)], x > c)",
    "twice": "(y, y, y.sum())",
    "places": "(np.flatnonzero(x > c), np.nonzero(x > c)[0], np.where(x > c)[0])",
    "gathered": "x[np.flatnonzero(x > c)] - x[np.flatnonzero(x > c) - 1]",
    "formula": "2 * y + 1",
    "scaled": "(y - y.mean()) / y.std()",
    "chosen again": "y[y < 1]",
    "first two": "y[:2]",
    "turned": "y[::-1]",
    "differences": "y[1:] - y[:-1]",
    "numpy's": "(np.sort(y), np.argsort(y), np.cumsum(y), np.diff(np.flatnonzero(x > c)))",
    "joined": "np.concatenate((y, x[x < c]))",
    "converted": "y.astype(np.float32)",
    "counted": "np.histogram(y, bins=4, range=(0, 2))[0]",
    "compressed": "(np.compress(x > c, x), np.compress(x > c, A, axis=0), np.extract(A > c, A))",
    "different": "(np.unique(np.round(x)), np.unique(np.round(A), return_counts=True)[1], len(np.unique(y)))",
    "places in a matrix": "(np.nonzero(A > c)[0], np.nonzero(A > c)[1], np.argwhere(A > c), np.argwhere(x > c))",
    "pairs": "(x[np.nonzero(x[:, None] > x + c)[0]])",
    "rows and columns": "(A[np.ix_([0, 2], [1, -1])], np.sort([c, 1.0, 0.5]))",
    "numbers": "(len(y), y.size, y.std(), np.median(y), y @ y, np.linalg.norm(y))",
    "a part": "np.sort(x[: int(x[0] * x[0]) + 2])",
    "other lengths": "(x[x > c] + x[x > c - 9][:len(y)])",
}
STATEMENTS = {
    "shrunk": "k = 0\n    z = np.empty_like(x)\n    for v in x:\n        if v > c:\n            z[k] = v\n"
    "            k += 1\n"
    "    return z[:k]",
    "shrunk rows": "k = 0\n    z = np.empty_like(A)\n    for i in range(len(x)):\n        if x[i] > c:\n"
    "            z[k] = A[i]\n            k += 1\n    return z[:k], k",
    "rest": "z = x * 2\n    k = (x > c).sum()\n    return z[k:]",
    "overwritten": "x[:] = 5.0\n    return y",
    "updated": "z = y\n    z -= 1.0\n    return y, z.sum(), y.mean()",
    "assigned": "z = y\n    z[1:] = 3.0\n    return y.sum(), z",
    "mask assigned": "y[y > 1] += 1.0\n    return y.sum(), y",
    "negated": "np.negative(y, out=y)\n    return y.sum(), y",
    "inlined": "def half(v):\n        v *= 0.5\n        return v.sum()\n    s = half(y)\n    return s, y",
    "elements of": "z = np.zeros(len(y))\n    for i in range(len(y)):\n        z[i] = y[i] * i\n    return z",
    "searched": "k = 0\n    while k < len(y) and y[k] < 1:\n        k += 1\n    return k, y[:k]",
    "guarded": "if y.size == 0:\n        return 0.0\n    return y.max()",
    "cleaned": "x = x[~np.isnan(x)]\n    return (x - x.mean()) / x.std()",
}


@pytest.mark.in_turns(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", RETURNED)
def test_returned(name: str) -> None:
    agree(f"def f(x, A, c):\n    y = x[x > c]\n    return {RETURNED[name]}\n", f"<{name}>")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(name: str) -> None:
    agree(f"def f(x, A, c):\n    y = x[x > c]\n    {STATEMENTS[name]}\n", f"<{name}>")


@pytest.mark.parametrize(
    "text", ["y[0] = 9.0", "y[:] = y.max()", "y += np.argmin(y)", "y += x[x < 0]", "y += y[2] + y[-3]"]
)
def test_errors(text: str) -> None:
    """What NumPy raises for a length that does not fit is raised, and only then."""
    function = function_in(f"def f(x):\n    y = x[x > 0]\n    {text}\n    return y, x\n", f"<{text}>", {"np": np})
    compiled = mdh.jit(cache=False, tune="off", fallback="error")(function)
    for x in (np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0]), -np.ones(4), np.array([1.0, -1.0])):
        outcomes: list[Any] = []
        for form in (compiled, function):
            try:
                outcomes.append(form(x.copy()))
            except (IndexError, ValueError) as error:
                outcomes.append(error)
        ours, theirs = outcomes
        if isinstance(theirs, Exception):
            assert isinstance(ours, type(theirs))
        else:
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(one, other)


def test_memory() -> None:
    """A result has its own memory, no more than its elements."""

    @mdh.jit(cache=False, tune="off")
    def positive(x):  # type: ignore[no-untyped-def]
        return x[x > 0]

    x = np.linspace(-1, 1, 100_001)
    found = positive(x)
    assert found.flags.owndata and found.flags.c_contiguous and found.base is None and found.nbytes == 50_000 * 8
    assert positive(x) is not found
    np.testing.assert_array_equal(found, x[x > 0])
