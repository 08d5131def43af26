"""Constants that compare equal and are not the same: a function gets its own, whatever was compiled before it."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.days import today
from tests.source_text import function_in

EQUAL = {"zeros": ("0.0", "-0.0"), "ones": ("1", "True", "1.0"), "complex": ("complex(0, 0.0)", "complex(-0.0, 0)")}
FORMS = {
    "returned": "    return {c}\n",
    "of a loop that data end": """\
    s = {c}
    for i in range(len(x)):
        if x[i] > 2:
            break
        x[i] = 1
    return s
""",
    "of a while": "    s, i = {c}, 0\n    while x[i] < 0:\n        s, i = {c}, i + 1\n    return s, i\n",
    "chosen": "    return {c} if x[0] > 2 else {c}\n",
    "an array's": "    return np.full(3, {c})\n",
    "where": "    return np.where(x > 2, x, {c})\n",
    "stored": "    y = np.zeros(3, complex)\n    for i in range(3):\n        y[i] = {c}\n    return y, x * {c}\n",
    "a default's": "    def given(k={c}):\n        return k\n    return given(), given({c})\n",
}


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", EQUAL)
def test_each_function_has_its_own(kind: str, form: str) -> None:
    """In an order of compilations of today."""
    orders = list(permutations(EQUAL[kind]))
    for constant in orders[today() % len(orders)]:
        function = function_in(f"def f(x):\n{FORMS[form].format(c=constant)}", f"<{constant}, {form}>", {"np": np})
        expected, found = (_described(f(np.zeros(3))) for f in (function, mdh.jit(cache=False, tune="off")(function)))
        assert expected == found


def test_arguments_that_are_constants() -> None:
    """Static ones, and what closures and defaults hold."""
    given = mdh.jit(cache=False, tune="off", static=("c",))(_static)
    for n, constant in enumerate((1, True, 1.0, 0.0, -0.0, False, 0, np.float32(1), np.int8(1))):
        within = function_in("def f(x):\n    return c, np.full(2, c)\n", f"<closure {n}>", {"np": np, "c": constant})
        for function, arguments in ((given, (np.zeros(2), constant)), (mdh.jit(tune="off")(within), (np.zeros(2),))):
            plain: Any = function.py_func
            assert _described(plain(*arguments)) == _described(function(*arguments)), constant


def _static(x, c):  # type: ignore[no-untyped-def]
    return c, np.full(2, c)


def _described(result: Any) -> list[tuple[str, str]]:
    """Types and text of numbers: it tells zeros apart."""
    parts = result if isinstance(result, tuple) else (result,)
    return [(np.asarray(p).dtype.name, repr(np.asarray(p).tolist())) for p in parts]
