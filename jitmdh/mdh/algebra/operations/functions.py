"""Rows of the table: functions that a polynomial or C's library computes, with the error that users are promised.

How to add one: docs/contributing/add_a_scalar_function.md.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jitmdh.mdh.algebra.operations.arithmetic import POWER
from jitmdh.mdh.algebra.operations.scalar_op import MathFunction, ScalarOp


def _grows(result: Any, x: Any) -> Any:
    """An infinite result of what is not infinite, of a function that grows."""
    return (result == np.inf) & (x < np.inf)


def _explodes(result: Any, x: Any) -> Any:
    """An infinite result of what is not infinite."""
    return np.isinf(result) & ~np.isinf(x)


def _no_power(result: Any, x: Any, y: Any) -> Any:
    return (np.isnan(result) & ~(np.isnan(x) | np.isnan(y))) | ((x == 0.0) & np.isinf(result) & np.isfinite(y))


def _large_power(result: Any, x: Any, y: Any) -> Any:
    return np.isinf(result) & ~(np.isinf(x) | np.isinf(y) | (x == 0.0))


def _of_infinity(result: Any, x: Any) -> Any:
    return np.isinf(x)


def _beyond_one(result: Any, x: Any) -> Any:
    return abs(x) > 1.0


def _not_positive(result: Any, x: Any) -> Any:
    return x <= 0.0


def _pole(result: Any, x: Any) -> Any:
    return (x <= 0.0) & (np.floor(x) == x)


def _finite_pole(result: Any, x: Any) -> Any:
    return _pole(result, x) & ~np.isinf(x)


def _gamma_overflow(result: Any, x: Any) -> Any:
    return _explodes(result, x) & ~(x == 0.0)


def _lgamma_overflow(result: Any, x: Any) -> Any:
    return _grows(result, x) & (x > 0.0)


def _on_arrays(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of `math` that NumPy lacks, on arrays; where it raises, what C's gives: NaN, or an infinity."""

    def one(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.copysign(math.inf, x)
        except ValueError:
            at_zero = x == 0.0 and function is math.gamma
            return math.copysign(math.inf, x) if at_zero else math.inf if function is math.lgamma else math.nan

    return np.vectorize(one, otypes=[np.float64])


FUNCTIONS = (
    ScalarOp("exp", "fc", np.exp, numpy=("exp",), math=MathFunction("exp", overflow=_grows),
             c="exp", cost=20, units=(1.2, 1.3)),
    ScalarOp("exp2", "fc", np.exp2, numpy=("exp2",), math=MathFunction("exp2", overflow=_grows),
             c="exp2", cost=20, units=(1.2, 1.3)),
    ScalarOp("expm1", "fc", np.expm1, numpy=("expm1",), math=MathFunction("expm1", overflow=_grows),
             c="expm1", cost=60, units=(0.51, 1.5)),
    ScalarOp("log", "fc", np.log, numpy=("log",), math=MathFunction("log", outside=_not_positive),
             c="log", cost=28, units=(1.0, 1.0)),
    ScalarOp("log2", "fc", np.log2, numpy=("log2",), math=MathFunction("log2", outside=_not_positive),
             c="log2", cost=46, units=(0.51, 0.9)),
    ScalarOp("log10", "fc", np.log10, numpy=("log10",), math=MathFunction("log10", outside=_not_positive),
             c="log10", cost=46, units=(0.51, 0.9)),
    ScalarOp("log1p", "fc", np.log1p, numpy=("log1p",), math=MathFunction("log1p", outside=lambda r, x: x <= -1.0),
             c="log1p", cost=45, units=(0.51, 0.9)),
    ScalarOp("sin", "fc", np.sin, numpy=("sin",), math=MathFunction("sin", outside=_of_infinity),
             c="sin", cost=45, units=(0.6, 1.1)),
    ScalarOp("cos", "fc", np.cos, numpy=("cos",), math=MathFunction("cos", outside=_of_infinity),
             c="cos", cost=45, units=(0.6, 1.1)),
    ScalarOp("tan", "fc", np.tan, numpy=("tan",), math=MathFunction("tan", outside=_of_infinity),
             c="tan", cost=55, units=(0.9, 2.5)),
    ScalarOp("arcsin", "fc", np.arcsin, numpy=("arcsin",), math=MathFunction("asin", outside=_beyond_one),
             c="asin", cost=28, units=(0.51, 2.0)),
    ScalarOp("arccos", "fc", np.arccos, numpy=("arccos",), math=MathFunction("acos", outside=_beyond_one),
             c="acos", cost=32, units=(0.51, 1.2)),
    ScalarOp("arctan", "fc", np.arctan, numpy=("arctan",), math=MathFunction("atan"),
             c="atan", cost=30, units=(0.51, 2.0)),
    ScalarOp("arctan2", "f", np.arctan2, 2, numpy=("arctan2",), math=MathFunction("atan2"),
             c="atan2", cost=38, units=(0.51, 2.0)),
    ScalarOp("sinh", "fc", np.sinh, numpy=("sinh",), math=MathFunction("sinh", overflow=_explodes),
             c="sinh", cost=70, units=(0.51, 2.0)),
    ScalarOp("cosh", "fc", np.cosh, numpy=("cosh",), math=MathFunction("cosh", overflow=_explodes),
             c="cosh", cost=30, units=(0.51, 1.6)),
    ScalarOp("tanh", "fc", np.tanh, numpy=("tanh",), math=MathFunction("tanh"),
             c="tanh", cost=38, units=(1.3, 2.0)),
    ScalarOp("arcsinh", "fc", np.arcsinh, numpy=("arcsinh",), math=MathFunction("asinh"),
             c="asinh", cost=110, units=(0.51, 1.8)),
    ScalarOp("arccosh", "fc", np.arccosh, numpy=("arccosh",), math=MathFunction("acosh", outside=lambda r, x: x < 1.0),
             c="acosh", cost=105, units=(0.51, 2.4)),
    ScalarOp("arctanh", "fc", np.arctanh, numpy=("arctanh",),
             math=MathFunction("atanh", outside=lambda r, x: abs(x) >= 1.0), c="atanh", cost=62, units=(0.51, 2.0)),
    ScalarOp("hypot", "f", np.hypot, 2, numpy=("hypot",), math=MathFunction("hypot"),
             c="hypot", cost=10, units=(0.51, 1.2)),
    ScalarOp("cbrt", "f", np.cbrt, numpy=("cbrt",), math=MathFunction("cbrt"), c="cbrt", cost=55, units=(0.51, 0.75)),
    ScalarOp("erf", "f", _on_arrays(math.erf), math=MathFunction("erf"), c="erf", cost=90, units=(0.51, 1.5)),
    ScalarOp("erfc", "f", _on_arrays(math.erfc), math=MathFunction("erfc"), c="erfc", cost=90, units=(0.51, 3.8)),
    ScalarOp("gamma", "f", _on_arrays(math.gamma), math=MathFunction("gamma", outside=_pole, overflow=_gamma_overflow),
             c="tgamma", cost=200, units=(0.51, 6.5)),
    ScalarOp("lgamma", "f", _on_arrays(math.lgamma), math=MathFunction("lgamma", _finite_pole, _lgamma_overflow),
             c="lgamma", cost=200, units=(0.51, 5.8)),
    ScalarOp("pow", "iufc", np.power, 2, python=operator.pow, weak="int", numpy=("power",),
             math=MathFunction("pow", outside=_no_power, overflow=_large_power), symbol=("**", POWER),
             c="pow", cost=120, units=(0.51, 0.8)),
)  # fmt: skip
"""Powers of integers are computed by squaring, and exact."""
