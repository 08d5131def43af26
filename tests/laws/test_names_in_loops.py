"""What a name stands for goes from one iteration to the next, whatever it is: None, text, functions, arrays, tuples."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in


class Point(NamedTuple):
    x: Any
    y: Any


# before the loop: what an iteration makes of it, and a number of it
KINDS = {
    "none, array": ("None", "A[k]", "-1.0 if p is None else p[0]"),
    "none, number": ("None", "A[k, 0]", "-1.0 if p is None else p"),
    "text": ("'low'", "'high' if k % 2 else 'low'", "1.0 if p == 'high' else 2.0"),
    "function": ("np.sin", "np.cos if k % 2 else np.sin", "p(0.3)"),
    "array": ("A[0] * 1", "A[k] + 1", "p[0]"),
    "array of itself": ("np.eye(len(A))", "p @ A", "p[0, 0] + p[0, 1]"),
    "its row": ("np.zeros(3)", "A[k]", "p[0]"),
    "exchanged": ("(A[0] * 1, A[1] * 2)", "(p[1], p[0])", "p[0][0] - p[1][0]"),
    "numbers": ("(1.0, 2.0)", "(p[1], p[0] + k)", "p[0] - p[1]"),
    "named": ("Point(A[0], 1.0)", "Point(A[k], p.y + 1)", "p.x[0] * p.y"),
    "number, array": ("1.0", "A[k]", "np.sum(p)"),
    "lambda": ("(lambda v: v + 1)", "(lambda v: v * 2) if k % 2 else p", "p(3.0)"),
}
BODIES = {
    "always": "p = {new}",
    "chosen": "if A[k, k] > 0.5:\n            p = {new}",
    "either": "if A[k, k] > 0.5:\n            p = {new}\n        else:\n            s += 0.25",
    "read before": "s = s * 0.5 + ({number})\n        p = {new}",
    "read before, chosen": "s = s * 0.5 + ({number})\n        if A[k, k] > 0.5:\n            p = {new}",
    "set anew": "p = {start}\n        if A[k, k] > 0.5:\n            p = {new}\n        s += {number}",
}
LOOPS = {
    "for": "for k in range(n):\n        {body}",
    "left": "for k in range(n):\n        {body}\n        if s > 100.0:\n            break",
    "while": "k = 0\n    while k < n:\n        {body}\n        k += 1",
}


def function_of(kind: str, body: str, loop: str) -> Callable[..., float]:
    start, new, number = KINDS[kind]
    inner = LOOPS[loop].format(body=BODIES[body].format(start=start, new=new, number=number))
    text = f"def f(A, n):\n    s = 0.0\n    p = {start}\n    {inner}\n    return s + ({number})\n"
    name = f"<{kind}, {body}, {loop}>"
    return function_in(text, name, {"np": np, "Point": Point})


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_name_stands_for_is_that_of_the_iteration_before(kind: str, body: str, loop: str) -> None:
    function = function_of(kind, body, loop)
    compiled = mdh.jit(cache=False, fallback="python", tune="off")(function)
    matrix = np.random.default_rng(5).random((3, 3)) + np.diag([0.6, -1.0, 0.6])
    for n in range(4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it runs as plain Python
            found = compiled(matrix, n)
        np.testing.assert_allclose(found, function(matrix, n), rtol=1e-12, err_msg=f"{n} iterations")
