"""An error says that no loop can be compiled, and that nothing was done that others may see: whatever names mean."""

from __future__ import annotations

import math
import types
import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, JitWarning, NotAnMdhError
from tests.source_text import function_in

LOOP = "for i in range(2):\n        print(i)"  # which cannot be compiled


class Written:
    """Its methods write, whatever they are called; so do `+=` and calls."""

    def __init__(self, x: np.ndarray[Any, Any]) -> None:
        self.x = x

    def __call__(self, *given: Any) -> Any:
        self.x[0] += 1
        return 1

    sum = max = copy = reshape = len = zeros = sqrt = __iadd__ = __call__


class OwnArray(np.ndarray[Any, Any]):
    def sum(self, *given: Any, **named: Any) -> Any:
        self[0] += 1
        return 1


SEEN = {
    "own name": "len(x)",
    "own function of math": "floor(2.5)",
    "a name of a function around": "abs(x)",
    "a local name": "min(x)",
    "of a module of one's own": "own.zeros(3)",
    "of an object": "w.len(x)",
    "a method of an object": "w.sum()",
    "a method of what an object holds": "holder.held.max()",
    "a method of a global object": "written.copy()",
    "a method of an array of one's own": "o.sum()",
    "in an expression": "1 + abs(x) * 2",
    "in a condition": "(0 if len(x) else 1)",
    "in a comprehension": "[v.sum() for v in (w, w)]",
    "by place": "np.clip(x, 3, 4, x)",
    "by place, of a method": "x.clip(3, 4, x)",
    "by place, of a ufunc": "np.add(x, 1, x)",
    "by place, of a sum": "np.sum(A, 0, None, x)",
    "by place, of another name": "limited(x, 3, 4, x)",
    "by name": "np.negative(x, out=x)",
    "by a tuple": "np.negative(*(x, x))",
    "by a dictionary": "np.negative(x, **{'out': x})",
    "of elements that are objects": "things.sum()",
}
STATEMENTS = {"value": "t = {}", "alone": "{}", "tested": "if {} is None:\n        pass", "kept": "t: object = {}"}
HARMLESS = (
    "len(x)", "np.zeros(3)", "x.sum()", "x[1:].sum()", "(x * 2).max(axis=0)", "holder.x.max()", "x.T.copy()",
    "int(x.max()) + math.floor(2.5)", "np.sqrt(x).sum()", "np.float32(1)", "constants.max()", "np.clip(x, 3, 4)",
    "x.clip(3, 4)", "np.sum(A, 0)", "abs(n)", "renamed(x)", "n.max()",
)  # fmt: skip


def _function(expression: str, statement: str, x: np.ndarray[Any, Any], own: bool) -> Any:
    written, things = Written(x), np.array([1, 2], object)
    module = types.ModuleType("own")
    module.__dict__.update(zeros=written, sqrt=written)
    holder = types.SimpleNamespace(held=written, x=np.ones(3))
    space = {
        "np": np, "math": math, "own": module, "written": written, "limited": np.clip, "renamed": len,
        "constants": np.ones(3), "holders": holder, "own_array": x.view(OwnArray), "some_things": {"all": things},
    }  # fmt: skip
    if own:
        space |= {"len": written, "floor": written}
    body = [
        "w = written; o = own_array; holder = holders; things = some_things['all']",
        *(["min = w"] if "min(" in expression else []),
        *STATEMENTS[statement].format(expression).split("\n    "),
        *LOOP.split("\n    "),
    ]
    around = ["def around():", "    abs = written" if own else "    pass", "    def f(x, A, n):"]
    around += ["        " + line for line in body]
    around += ["        return abs" if own else "        return 0", "    return f", "f = around()"]
    return function_in("\n".join(around) + "\n", f"<{statement}: {expression}>", space)


def _called(function: Any, x: np.ndarray[Any, Any]) -> Exception | None:
    """The error of a call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JitWarning)
        try:
            mdh.jit(cache=False, tune="off", fallback="error")(function)(x, np.ones((3, 3)), np.float64(3))
        except (NotAnMdhError, ArgumentTypeError) as error:
            return error
    return None


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("way", SEEN)
def test_what_others_may_see(way: str, statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The loop is an error only as long as nothing was done; else the call goes on, and does each thing once."""
    x, expected = np.zeros(3), np.zeros(3)
    error = _called(_function(SEEN[way], statement, x, True), x)
    if error is not None:
        np.testing.assert_array_equal(x, np.zeros(3))
        return
    found = capsys.readouterr().out
    _function(SEEN[way], statement, expected, True)(expected, np.ones((3, 3)), np.float64(3))
    np.testing.assert_array_equal(x, expected)
    assert found == capsys.readouterr().out == "0\n1\n"


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("expression", HARMLESS)
def test_what_nobody_sees(expression: str, statement: str) -> None:
    x = np.zeros(3)
    error = _called(_function(expression, statement, x, False), x)
    assert error is not None, "it has been taken for something others see"


@pytest.mark.parametrize("value", ["1", "n", "x", "written", "things"])
def test_updates(value: str) -> None:
    """Of arrays, and of objects, they are changes; of numbers they are not."""
    x = np.zeros(3)
    error = _called(_function(f"{value}\n    t += 1", "value", x, True), x)
    assert (error is not None) == (value in ("1", "n"))
    assert x[0] == (value in ("x", "written"))
