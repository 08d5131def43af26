"""What NumPy itself refuses, by its types or by the size of Python's integers: never a result.

Law: by default such a function is refused before anything is written; with `fallback="python"` it ends in the very
error of the undecorated one, and has written what that has written.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

BOOLS = ("np.sign(b)", "np.sign(b[0])", "np.sign(x > 1)", "-b", "-b[0]", "b - b", "b[0] - b[1]", "np.negative(b)",
         "np.positive(b)")  # fmt: skip
INTEGERS = ("b ** 2 * 128", "k + 300", "k[0] * 300", "k * -300", "np.maximum(k, 300)", "k << 300", "l * 2**63",
            "np.uint8(3) - 256", "k - n")  # fmt: skip


@pytest.mark.parametrize("value", [*BOOLS, *INTEGERS])
def test_it_is_an_error(value: str) -> None:
    text = f"def f(y, x, b, k, l, n):\n    y[0] = 5\n    y[1:] = np.sum({value})\n"
    function = function_in(text, f"<{value}>", {"np": np})
    raised = []
    for choice in (None, "error", "python"):
        called = function if choice is None else mdh.jit(cache=False, tune="off", fallback=choice)(function)
        y, x = np.zeros(3), np.arange(3.0)
        given = y, x, np.array([True, False, True]), np.arange(3, dtype=np.int8), np.arange(3), 300
        with warnings.catch_warnings(), pytest.raises(Exception) as caught:
            warnings.simplefilter("ignore", mdh.errors.JitWarning)
            called(*given)
        raised.append(caught.type)
        kept = issubclass(caught.type, mdh.errors.UserError)  # refused, or known from an argument
        assert y.tolist() == ([0.0] * 3 if kept else [5.0, 0.0, 0.0])
    plain, refused, by_python = raised
    kind = next(k for k in (TypeError, OverflowError) if issubclass(plain, k))
    assert issubclass(refused, (kind, mdh.errors.NotAnMdhError)) and issubclass(by_python, kind)


@pytest.mark.parametrize("value, said", [("np.sign(b)", True), ("np.sign(z)", False)])
def test_what_numpy_has_no_function_for_is_said(value: str, said: bool) -> None:
    """Not that it may be written as a loop: NumPy has no such function; of what only we lack, nothing is said of it."""
    f = mdh.jit(cache=False, tune="off")(function_in(f"def f(b, z):\n    return {value}\n", f"<{value}>", {"np": np}))
    with pytest.raises(TypeError, match=r"`np\.sign` of \w+ is not supported") as caught:
        f(np.array([True]), np.array([1j]))
    assert ("NumPy has no such function" in str(caught.value)) == said


UPDATES = ("x += m", "x[1:] *= m[:, 1:]", "a += x", "x -= m.sum(axis=0, keepdims=True)", "z += x", "x[:1] += x",
           "a -= m[0, :1]", "x[0, ...] += x[:1]", "np.add(x, m, out=x)", "l += 0.5", "l /= 2", "l -= x", "m[0] += m",
           "q = x[None]; q += c")  # fmt: skip


@pytest.mark.parametrize("update", UPDATES)
def test_an_array_takes_in_what_it_can_hold(update: str) -> None:
    """What is updated keeps its shape and its type; only an assignment leaves axes of length 1 out."""
    function = function_in(f"def f(x, m, a, z, l, c):\n    {update}\n", f"<{update}>", {"np": np})
    for called in (function, mdh.jit(cache=False, tune="off")(function)):
        given = np.arange(3.0), np.ones((1, 3)), np.array(1.0), np.ones(1), np.arange(3), np.ones((2, 1, 3))
        before = [array.copy() for array in given]
        with warnings.catch_warnings(), pytest.raises((ValueError, TypeError)):
            warnings.simplefilter("ignore", mdh.errors.JitWarning)  # where sizes tell, plain Python runs
            called(*given)
        for array, kept in zip(given, before):
            np.testing.assert_array_equal(array, kept)
