"""Rows of the table: arithmetic, comparisons, bits, choices, conversions, and what is rounded exactly.

`floordiv` and `mod` are Python's (rounding to minus infinity), `rem` is C's; integer overflow wraps; `minimum` and
`maximum` propagate NaN like NumPy's; `fmin` and `fmax` are `b if b < a else a` and `b if b > a else a`, Python's
`min(a, b)` and `max(a, b)`. `add_product` and `sub_product` of (a, b, c) are a + b·c and a - b·c, of complex products:
a sum that may be rearranged may take their two terms one after the other. `cast` converts to the operation's type;
`select` is (condition, then, else). `faulted` of (value, condition, number) is the value; where the condition holds and
the value is used, it is an error: fault `number` of the program.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.operations.scalar_op import MathFunction, Number, ScalarOp

# How tightly Python's operators bind.
CONDITIONAL, NOT, COMPARISON, SUM, PRODUCT, UNARY, POWER, ATOM = 0, 2, 3, 8, 9, 10, 11, 12


def _zero(type: ScalarType) -> Number:
    """Of floats -0.0, since 0.0 + -0.0 is 0.0."""
    return {"b": False, "f": -0.0, "c": complex(-0.0, -0.0)}.get(type.kind, 0)


def _one(type: ScalarType) -> Number:
    return {"b": True, "f": 1.0, "c": 1 + 0j}.get(type.kind, 1)


def _no_bits(type: ScalarType) -> Number | None:
    return _zero(type) if type.kind in "biu" else None


def _all_bits(type: ScalarType) -> Number | None:
    if type.kind == "i":
        return -1
    return bool(type.limits()[1]) if type.kind == "b" else type.limits()[1] if type.kind == "u" else None


def _least(type: ScalarType) -> Number | None:
    return _end(type, 0, float("-inf"))


def _greatest(type: ScalarType) -> Number | None:
    return _end(type, 1, float("inf"))


def _end(type: ScalarType, which: int, of_floats: float) -> Number | None:
    if type.kind in "fc":
        return of_floats if type.kind == "f" else None
    value = type.limits()[which]
    return bool(value) if type.kind == "b" else value


def _rounded(ufunc: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Rounding leaves integers alone."""
    return lambda a: a if a.dtype.kind in "biu" else ufunc(a)


def _python_min(a: Any, b: Any) -> Any:
    return np.where(b < a, b, a)


def _python_max(a: Any, b: Any) -> Any:
    return np.where(b > a, b, a)


def _no_remainder(result: Any, x: Any, y: Any) -> Any:
    """NaN of what is none: the remainder of an infinity, or by zero."""
    return np.isnan(result) & ~(np.isnan(x) | np.isnan(y))


def _comparison(name: str, symbol: str, meaning: np.ufunc, negation: str, mirror: str) -> ScalarOp:
    return ScalarOp(
        name, "biufc", meaning, 2, "bool", python=getattr(operator, name), weak="common", numpy=(meaning.__name__,),
        symbol=(symbol, COMPARISON), c=symbol, negation=negation, mirror=mirror,
    )  # fmt: skip


def _extremum(name: str, meaning: Callable[..., Any], numpy: tuple[str, ...], neutral: Callable[..., Any]) -> ScalarOp:
    opposite = {"minimum": "maximum", "maximum": "minimum", "fmin": "fmax", "fmax": "fmin"}[name]
    return ScalarOp(
        name, "biufc", meaning, 2, weak="common", numpy=numpy, associative=True, neutral=neutral,
        distributes_over=(opposite,),
    )  # fmt: skip


ARITHMETIC = (
    ScalarOp("neg", "iufc", np.negative, bools=False, python=operator.neg, weak="int", numpy=("negative",),
             symbol=("-", UNARY)),
    ScalarOp("abs", "biufc", np.abs, result="real", python=operator.abs, weak="int", numpy=("absolute",),
             math=MathFunction("fabs")),
    ScalarOp("add", "biufc", np.add, 2, python=operator.add, weak="int", numpy=("add",), symbol=("+", SUM), c="+",
             associative=True, neutral=_zero, of_bools="or",
             distributes_over=("fmin", "fmax", "minimum", "maximum")),
    ScalarOp("sub", "iufc", np.subtract, 2, bools=False, python=operator.sub, weak="int", numpy=("subtract",),
             symbol=("-", SUM), c="-"),
    ScalarOp("mul", "biufc", np.multiply, 2, python=operator.mul, weak="int", numpy=("multiply",),
             symbol=("*", PRODUCT), c="*", associative=True, neutral=_one, of_bools="and", distributes_over=("add",)),
    ScalarOp("truediv", "fc", np.true_divide, 2, python=operator.truediv, weak="float", numpy=("divide", "true_divide"),
             symbol=("/", PRODUCT), c="/", cost=10),
    ScalarOp("floordiv", "iuf", np.floor_divide, 2, python=operator.floordiv, weak="int", numpy=("floor_divide",),
             symbol=("//", PRODUCT), cost=10),
    ScalarOp("mod", "iuf", np.remainder, 2, python=operator.mod, weak="int", numpy=("remainder", "mod"),
             symbol=("%", PRODUCT), cost=4),
    ScalarOp("add_product", "f", lambda a, b, c: a + b * c, 3),
    ScalarOp("sub_product", "f", lambda a, b, c: a - b * c, 3),
    # One more term of a sum that is written out: as terms of sums that are not, it may be fused with a product.
    ScalarOp("accumulate", "f", np.add, 2, symbol=("+", SUM), in_kernels=False),
)  # fmt: skip

COMPARING = (
    _comparison("lt", "<", np.less, "ge", "gt"),
    _comparison("le", "<=", np.less_equal, "gt", "ge"),
    _comparison("gt", ">", np.greater, "le", "lt"),
    _comparison("ge", ">=", np.greater_equal, "lt", "le"),
    _comparison("eq", "==", np.equal, "ne", "eq"),
    _comparison("ne", "!=", np.not_equal, "eq", "ne"),
)

BITS = (
    ScalarOp("not", "b", np.logical_not, symbol=("not ", NOT)),
    ScalarOp("invert", "biu", np.invert, python=operator.invert, weak="int", numpy=("invert", "bitwise_not"),
             symbol=("~", UNARY)),
    ScalarOp("and", "biu", np.bitwise_and, 2, python=operator.and_, weak="common", numpy=("bitwise_and",),
             symbol=("&", 6), c="&", associative=True, neutral=_all_bits, distributes_over=("or", "xor")),
    ScalarOp("or", "biu", np.bitwise_or, 2, python=operator.or_, weak="common", numpy=("bitwise_or",),
             symbol=("|", 4), c="|", associative=True, neutral=_no_bits, distributes_over=("and",)),
    ScalarOp("xor", "biu", np.bitwise_xor, 2, python=operator.xor, weak="common", numpy=("bitwise_xor",),
             symbol=("^", 5), c="^", associative=True, neutral=_no_bits),
    ScalarOp("lshift", "iu", np.left_shift, 2, python=operator.lshift, weak="int", numpy=("left_shift",),
             symbol=("<<", 7), c="<<"),
    ScalarOp("rshift", "iu", np.right_shift, 2, python=operator.rshift, weak="int", numpy=("right_shift",),
             symbol=(">>", 7), c=">>"),
)  # fmt: skip

CHOICES = (
    _extremum("minimum", np.minimum, ("minimum",), _greatest),
    _extremum("maximum", np.maximum, ("maximum",), _least),
    _extremum("fmin", _python_min, (), _greatest),
    _extremum("fmax", _python_max, (), _least),
    ScalarOp("select", arity=3),
    ScalarOp("cast"),
    ScalarOp("faulted", arity=3, in_kernels=False),
)


def _of_parts(real: Any, imag: Any) -> Any:
    found = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.result_type(real, np.complex64))
    found.real, found.imag = real, imag
    return found[()]


EXACT = (
    ScalarOp("sqrt", "fc", np.sqrt, numpy=("sqrt",), math=MathFunction("sqrt", outside=lambda r, x: x < 0.0), c="sqrt",
             cost=12),
    ScalarOp("floor", "biuf", _rounded(np.floor), numpy=("floor",), math=MathFunction("floor", whole=True), c="floor"),
    ScalarOp("ceil", "biuf", _rounded(np.ceil), numpy=("ceil",), math=MathFunction("ceil", whole=True), c="ceil"),
    ScalarOp("trunc", "biuf", _rounded(np.trunc), numpy=("trunc",), math=MathFunction("trunc", whole=True), c="trunc"),
    ScalarOp("rint", "fc", np.rint, numpy=("rint",), c="rint"),
    ScalarOp("copysign", "f", np.copysign, 2, numpy=("copysign",), math=MathFunction("copysign"), c="copysign"),
    ScalarOp("rem", "f", np.fmod, 2, math=MathFunction("fmod", outside=_no_remainder), c="fmod", cost=20),
    ScalarOp("isnan", "biufc", np.isnan, result="bool", numpy=("isnan",), math=MathFunction("isnan")),
    ScalarOp("isinf", "biufc", np.isinf, result="bool", numpy=("isinf",), math=MathFunction("isinf")),
    ScalarOp("isfinite", "biufc", np.isfinite, result="bool", numpy=("isfinite",), math=MathFunction("isfinite")),
    ScalarOp("real", "biufc", np.real, result="real", in_kernels=False),
    ScalarOp("imag", "biufc", np.imag, result="real", in_kernels=False),
    ScalarOp("conj", "iufc", np.conj, in_kernels=False),
    ScalarOp("complex", "f", _of_parts, 2, result="complex", in_kernels=False),
)  # fmt: skip
