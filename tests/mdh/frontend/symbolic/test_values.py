"""Traced scalars: NumPy's types, explicit casts, shared parts bound once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32, int8, int64
from jitmdh.base.errors import ArgumentTypeError, NotAnMdhError
from jitmdh.mdh.algebra.check_scalar import check_function
from jitmdh.mdh.algebra.scalar import Variable
from jitmdh.mdh.frontend.symbolic.values import Traced, apply, straight_line, where

x, n, b = Traced(Variable("x", float32)), Traced(Variable("n", int64)), Traced(Variable("b", int8))


@pytest.mark.parametrize(
    ("value", "text", "type"),
    [
        (x * 2.5 + 1, "x * 2.5 + 1.0", "float32"),
        (x + n, "float64(x) + float64(n)", "float64"),
        (n / 2, "float64(n) / 2.0", "float64"),
        (2 - n, "2 - n", "int64"),
        (np.float64(2) * x, "2.0 * float64(x)", "float64"),
        (b + 1, "b + 1", "int8"),
        (n < x, "float64(n) < float64(x)", "bool"),
        (np.sqrt(n), "sqrt(float64(n))", "float64"),
        (abs(b), "abs(b)", "int8"),
        (where(x > 0, x, 0), "x if x > 0.0 else 0.0", "float32"),
        (where(n, 1, x), "1.0 if n != 0 else x", "float32"),
        (np.maximum(x, 0), "maximum(x, 0.0)", "float32"),
        (np.logical_not(n), "not n != 0", "bool"),
        (+x, "x", "float32"),
        (x.astype(np.int8), "int8(x)", "int8"),
        (~(x > 0) | (x < 1), "~(x > 0.0) | (x < 1.0)", "bool"),
        (np.isnan(x), "isnan(x)", "bool"),
    ],
)
def test_operations(value: Any, text: str, type: str) -> None:
    assert (str(value.node), str(value.node.type)) == (text, type)
    parameters = [Variable("x", float32), Variable("n", int64), Variable("b", int8)]
    check_function(straight_line(parameters, [value.node]), "f", lambda *_: None)


def test_what_is_used_twice_is_computed_once() -> None:
    y = x
    for _ in range(40):
        y = y * y
    function = straight_line([Variable("x", float32), Variable("t0", bool_)], [y.node])
    assert len(function.bindings) == 39
    assert str(function.bindings[0][0]) != "t0"


def test_what_is_not_known_before_it_runs() -> None:
    with pytest.raises(NotAnMdhError, match=r"the truth of `x > 0\.0`"):
        max(0, x)
    with pytest.raises(NotAnMdhError, match="`x` is no number before it runs"):
        math.sqrt(x)  # type: ignore[arg-type]
    with pytest.raises(NotAnMdhError, match="no support for `spacing`"):
        np.spacing(x)  # type: ignore[call-overload]
    with pytest.raises(ArgumentTypeError, match="out of bounds for int8"):
        b + 300
    with pytest.raises(NotAnMdhError, match="no support for `frobnicate`"):
        apply("frobnicate", x)
    assert where(True, 1, 2) == 1
