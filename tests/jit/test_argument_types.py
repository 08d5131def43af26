"""What cannot be an argument, and what the user is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError

NUMBERS = "pass an array of bool, integer, floating or complex numbers"
SUPPORTED = (
    "supported: bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, "
    "float64, complex64, complex128"
)


@mdh.jit(cache=False)
def same(x: Any) -> None:
    for i in range(len(x)):
        x[i] = x[i]


@pytest.mark.parametrize(
    ("argument", "message", "hint"),
    [
        (np.array(["a"]), "argument `x` has dtype <U1, which is no number", NUMBERS),
        (np.array([b"a"]), "argument `x` has dtype |S1, which is no number", NUMBERS),
        (np.zeros(2, "M8[s]"), "argument `x` has dtype datetime64[s], which is no number", NUMBERS),
        (np.zeros(2, "m8[s]"), "argument `x` has dtype timedelta64[s], which is no number", NUMBERS),
        (
            np.zeros(2, object),
            "argument `x` has dtype object, which is no number",
            "give it a numeric type: np.array(a, dtype=float)",
        ),
        (np.zeros(2, "V4"), "argument `x`: no support for dtype |V4", SUPPORTED),
        (np.zeros(2, [("s", "U3")]), "argument `x`: no support for dtype <U3", SUPPORTED),
        (
            np.zeros(2, [("p", [("a", "f4")])]),
            "argument `x`: field `p` of a record is a record itself",
            "pass it as an array of its own",
        ),
        (
            np.zeros(2, [("v", "f4", 3)]),
            "argument `x`: field `v` of a record is an array",
            "pass it as an array of its own",
        ),
        (np.zeros(1, [("x", "f4")])[0], "argument `x` is one record", "pass its fields, such as x['x']"),
    ],
    ids=lambda v: str(getattr(v, "dtype", "")),
)
def test_refused(argument: Any, message: str, hint: str) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        same(argument)
    assert (raised.value.message, raised.value.hint) == (message, hint)


@pytest.mark.skipif(np.dtype("g").itemsize <= 8, reason="long double is double here")
@pytest.mark.parametrize("dtype", ["g", "G"])
def test_extended_precision_is_refused(dtype: str) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        same(np.zeros(2, dtype))
    assert raised.value.message == f"argument `x`: no support for dtype {np.dtype(dtype)}"
    assert raised.value.hint == SUPPORTED
