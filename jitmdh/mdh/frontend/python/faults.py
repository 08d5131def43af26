"""What is an error of Python's numbers where NumPy's go on: divisions by zero, domains of `math`, `int` of no number.

x[i] / y[i]              NumPy's elements: inf or nan, as it is
1 / n                    Python's: `faulted(1 / n, n == 0, number)`, which raises ZeroDivisionError if it is used
1 << n                   Python's, too: ValueError where n < 0, OverflowError where 64 bits are not enough
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jitmdh.base.dtype import ScalarType, float32, int64, uint64, weak_int
from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.scalar_op import MathFunction
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.loops import rings
from jitmdh.mdh.frontend.python.tracer import Tracer
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.conditions import affine_guard
from jitmdh.mdh.frontend.trace_ir.formulas import value_of
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect

_NEGATIVE = {
    "pow": "integers to negative integer powers are not allowed",
    "lshift": "negative shift count", "rshift": "negative shift count",
}  # fmt: skip
_BY_ZERO = {
    ("truediv", False): "division by zero", ("truediv", True): "float division by zero",
    ("floordiv", False): "integer division or modulo by zero", ("mod", False): "integer modulo by zero",
    ("floordiv", True): "float floor division by zero", ("mod", True): "float modulo",
}  # fmt: skip


def quotient(t: Tracer, op: str, a: Scalar, b: Scalar) -> Scalar:
    """NumPy's `a // b` or `a % b`: integers divided by 0 give 0. Those that are computed as floats do not."""
    if not _integers(op, a, b) or (isinstance(b, Constant) and b.value != 0):
        return t.arithmetic.apply(op, a, b)
    zero, one = t.arithmetic.literal(0), t.arithmetic.literal(1)
    by_zero = t.arithmetic.apply("eq", b, zero)
    value = t.arithmetic.apply(op, a, t.arithmetic.select(by_zero, t.arithmetic.cast(one, b.type), b))
    nothing = t.arithmetic.cast(zero, value.type)
    if t.recorder is not None:  # what is not chosen is not computed there, and an error in `a` happens all the same
        return t.arithmetic.apply("sub", value, t.arithmetic.select(by_zero, value, nothing))
    return t.arithmetic.select(by_zero, nothing, value)


def _integers(op: str, a: Scalar, b: Scalar) -> bool:
    """Whether an operation is one of integers: of int64 and uint64 together it is one of floats."""
    return a.type.kind in "biu" and b.type.kind in "biu" and result_type(op, a.type, b.type).is_integer


def divided(t: Tracer, node: ast.AST, op: str, a: Scalar, b: Scalar) -> Scalar:
    """`a op b`. By zero: an error of Python's numbers, 0 of NumPy's integers; so are shifts by negative numbers.

    An integer to a negative power is an error of both.
    """
    condition = t.arithmetic.limits.deciding(op, (a, b))
    if condition is not None:
        return _divided_by_types(t, node, op, (a, b), condition)
    if op in ("floordiv", "mod") and _integers(op, a, b):
        near = rings.next_to(t.trace, op, a, b, {} if t.recorder is None else t.recorder.within)
        if near is not None:
            return t.arithmetic.cast(near, result_type(op, a.type, b.type))
    of_python = op in ("truediv", "floordiv", "mod", "lshift", "rshift")
    weak = a.type.is_weak and b.type.is_weak
    raises = (of_python and weak and not t.frame.source.inside) or (
        op == "pow" and b.type.kind == "i" and _integers(op, a, b)
    )
    if not raises and op in ("floordiv", "mod"):
        return quotient(t, op, a, b)
    if not raises or (isinstance(b, Constant) and _is_right(op, b)):
        return t.arithmetic.apply(op, a, b)
    text = _NEGATIVE[op] if op in _NEGATIVE else _BY_ZERO[op, _of_floats(a, b)]
    kind = "value" if op in _NEGATIVE else "zero"
    _known_before(t, node, b, kind, text)
    if t.trace.condition is not None:
        b = t.arithmetic.select(t.trace.condition, b, t.arithmetic.literal(1))
    zero, one = t.arithmetic.literal(0), t.arithmetic.literal(1)
    wrong = t.arithmetic.apply("lt" if op in _NEGATIVE else "eq", b, zero)
    safe = t.arithmetic.select(wrong, t.arithmetic.cast(one, b.type), b)
    value = t.arithmetic.apply(op, a, safe)
    if op == "lshift":
        value = _without_loss(t, node, a, safe, value)
    return t.faulted(node, value, wrong, kind, text)


def _without_loss(t: Tracer, node: ast.AST, a: Scalar, amount: Scalar, value: Scalar) -> Scalar:
    """`a << amount` of Python's integers, which lose no bits: where 64 are not enough, an error."""
    back = t.arithmetic.apply("rshift", value, amount)
    lost = t.arithmetic.apply("ne", back, t.arithmetic.cast(a, value.type))
    return t.faulted(node, value, lost, "range", "an integer of Python's beyond 64 bits")


def _is_right(op: str, b: Constant) -> bool:
    if op == "pow":  # what NumPy makes of it is known while tracing
        return True
    return b.value.real >= 0 if op in _NEGATIVE else b.value != 0


def _divided_by_types(
    t: Tracer, node: ast.AST, op: str, operands: tuple[Scalar, Scalar], condition: Scalar
) -> Scalar:  # fmt: skip
    """`a op b` where a condition decides whether these are numbers of Python's, integers or floats."""
    parts = []
    for side, holds in ((1, condition), (2, t.arithmetic.negated(condition))):
        with t.where(affine_guard(holds), holds):
            parts.append(divided(t, node, op, *t.trace.graph.taken(operands, condition, side)))
    return t.arithmetic.select(condition, *parts)


def _of_floats(a: Scalar, b: Scalar) -> bool:
    return a.type.kind in "fc" or b.type.kind in "fc"


def _known_before(t: Tracer, node: ast.AST, b: Scalar, kind: str, message: str) -> None:
    """Where sizes and integer arguments alone decide that Python raises, calls raise before anything is written."""
    size, dims = affine(b), t.trace.block.dims
    if size is None or not size.terms or not t.trace.is_certain or t.trace.guards or t.recorder is not None:
        return
    inside, lengths = {d.name for d in dims}, [d.length for d in dims]
    known = [e for e in (size, *lengths) if e is not None and not has_indirect(e) and not inside.intersection(e.names)]
    if len(known) <= len(lengths):
        return
    when = tuple(e for e in known[1:] if not e.is_constant or e.constant <= 0)
    if kind == "zero":  # neither above nor below
        check = Check(Affine((), -1), kind, message, (*when, size + 1, 1 - size), t.loc(node))
    else:
        check = Check(size, kind, message, when, t.loc(node))
    if check not in t.trace.checks:
        t.trace.checks.append(check)


def whole(t: Tracer, node: ast.AST, number: Scalar, type: ScalarType) -> Scalar:
    """A number as a signed integer, as `int` makes it: NaN, infinities and what does not fit are errors."""
    value = t.arithmetic.cast(number, type)
    if number.type == uint64 and type == weak_int:
        wrong = t.arithmetic.apply("gt", number, t.arithmetic.literal(int64.limits()[1]))
        return t.faulted(node, value, wrong, "range", "an integer of Python's beyond 64 bits")
    low, high = type.concrete.limits()
    known = isinstance(number, Constant) and isinstance(value, Constant) and low <= int(number.value.real) <= high
    if number.type.kind != "f" or known:
        return value
    apply, literal = t.arithmetic.apply, t.arithmetic.literal
    number = t.arithmetic.cast(number, float32) if number.type.bits == 16 else number
    exact = int(number.type.concrete.numpy.type(low - 1)) == low - 1
    above = apply("gt", number, literal(low - 1.0)) if exact else apply("ge", number, literal(float(low)))
    fits = t.arithmetic.both(above, apply("lt", number, literal(high + 1.0)))
    nan = apply("isnan", number)
    value = t.faulted(node, value, nan, "value", "cannot convert float NaN to integer")
    text = f"a float that is infinite or does not fit into {type.concrete} is converted to an integer"
    return t.faulted(node, value, t.arithmetic.negated(t.arithmetic.either(fits, nan)), "range", text)


def checked(t: Tracer, node: ast.Call, known: MathFunction, numbers: Sequence[Scalar], result: Scalar) -> Scalar:
    """The result of a function of `math`, an error where Python raises one: outside its domain, and at an overflow."""
    if known.outside is not None:
        outside = value_of(t.arithmetic, known.outside, result, *numbers)
        result = t.faulted(node, result, outside, "value", "math domain error")
    if known.overflow is not None:
        over = value_of(t.arithmetic, known.overflow, result, *numbers)
        result = t.faulted(node, result, over, "range", "math range error")
    return result
