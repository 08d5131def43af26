"""Functions of numbers, of `math` and of NumPy: operations of the table, and formulas of them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from jitmdh.base.dtype import bfloat16, bool_, float32, int8, promote, weak_bool, weak_float, weak_int
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.operations.table import OF_MATH, OF_NUMPY, OPERATIONS
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays.outputs import stored, target
from jitmdh.mdh.frontend.python import array_expressions
from jitmdh.mdh.frontend.python.array_expressions import is_array
from jitmdh.mdh.frontend.python.faults import checked, divided, whole
from jitmdh.mdh.frontend.python.tracer import SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, part

Formula = Callable[..., Scalar | None]


def of_math(t: Tracer, node: ast.Call, name: str, arguments: Sequence[Scalar]) -> SymbolicValue:
    """A function of `math`: of floats, which raises where it has no result."""
    row = OF_MATH.get(name)
    if row is None or row.math is None:
        t.error(node, f"`math.{name}` is not supported")
    if row.math.whole and arguments[0].type.kind in "iub":
        return t.arithmetic.cast(arguments[0], weak_int)
    numbers = [t.arithmetic.cast(a, weak_float) for a in arguments]
    if all(isinstance(n, Constant) for n in numbers):
        try:
            return t.arithmetic.literal(getattr(math, name)(*(n.value for n in numbers if isinstance(n, Constant))))
        except (ArithmeticError, ValueError) as error:
            t.error(node, f"math.{name}: {error}")
    if name == "log" and len(numbers) == 2:
        parts = [checked(t, node, row.math, (n,), t.trace.graph.operation("log", (n,), weak_float)) for n in numbers]
        return divided(t, node, "truediv", *parts)
    if row.result == "bool":
        return t.arithmetic.cast(t.trace.graph.operation(row.name, tuple(numbers), bool_), weak_bool)
    result = t.trace.graph.operation(row.name, tuple(numbers), weak_float)
    if row.math.whole:
        return whole(t, node, result, weak_int)
    return checked(t, node, row.math, numbers, result)


def ufunc(t: Tracer, node: ast.Call, function: np.ufunc, arguments: list[SymbolicValue]) -> SymbolicValue:
    """A NumPy function of elements, with `out`, behind the inputs or by name, and `where`."""
    given = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
    for keyword in set(given) - {"out", "where"}:
        t.error(given[keyword][0], f"argument `{keyword}` of `np.{function.__name__}` is not supported")
    inputs, outputs = arguments[: function.nin], arguments[function.nin :]
    if len(inputs) < function.nin or len(outputs) > 1 or function.nout != 1:
        t.error(node, f"`np.{function.__name__}` with {len(arguments)} arguments is not supported")
    if outputs:
        given["out"] = (node.args[function.nin], outputs[0])
    out = None if "out" not in given else target(t, *given["out"])
    try:
        value = of_numpy(t, node, function.__name__, inputs)
        if "where" in given:
            if out is None:
                t.error(given["where"][0], "`where` without `out` leaves elements undefined", hint="give out=…")
            three = (given["where"][1], value, out)
            value = array_expressions.elementwise(t, node, three, lambda x: t.arithmetic.select(*x))
    except ArgumentTypeError as error:
        t.error(node, error.message, error.reason, error.hint)
    return value if out is None else stored(t, node, given["out"], out, value)


def of_numpy(t: Tracer, node: ast.Call, name: str, arguments: Sequence[SymbolicValue]) -> SymbolicValue:
    """A function of NumPy on numbers, or on the elements of arrays."""
    if any(is_array(t, a) for a in arguments):
        if name in ("floor_divide", "remainder"):
            return array_expressions.binary(t, node, OF_NUMPY[name], arguments[0], arguments[1])
        return array_expressions.elementwise(t, node, arguments, lambda numbers: _of_numbers(t, node, name, numbers))
    return _of_numbers(t, node, name, [as_scalar(t, n, a) for n, a in zip(node.args, arguments)])


def _of_numbers(t: Tracer, node: ast.Call, name: str, numbers: list[Scalar]) -> SymbolicValue:
    a = t.arithmetic
    formula = FORMULAS.get(name)
    if formula is not None and len(numbers) == formula.__code__.co_argcount - 1:
        found = formula(t, *numbers)
        if found is not None:
            return found
    if name not in OF_NUMPY or len(numbers) != OPERATIONS[OF_NUMPY[name]].arity:
        t.error(
            node, f"`np.{name}` is not supported in a compiled loop", hint="write it with loops or scalar functions"
        )
    strong = [a.cast(n, n.type.concrete) if n.type.is_weak and len(numbers) == 1 else n for n in numbers]
    if all(n.type.is_weak for n in strong):
        strong = [a.cast(n, n.type.concrete) for n in strong]
    return a.apply(OF_NUMPY[name], *strong)


# ----------------------------------------------------------------------------------------------------- formulas


def _where(t: Tracer, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
    type = promote(then.type, otherwise.type).concrete
    return t.arithmetic.select(condition, *(t.arithmetic.converted(n, type) for n in (then, otherwise)))


def _clip(t: Tracer, number: Scalar, least: Scalar, greatest: Scalar) -> Scalar:
    a, numbers = t.arithmetic, [number, least, greatest]
    if numbers[0].type == bfloat16:  # for which NumPy has no clip of its own
        numbers = [a.cast(n, float32) for n in numbers]
    if all(n.type.is_weak for n in numbers):
        numbers = [a.cast(n, n.type.concrete) for n in numbers]
    low, high = a.clipped(numbers[0], numbers[1], 0), a.clipped(numbers[0], numbers[2], 1)
    return a.apply("minimum", a.apply("maximum", numbers[0], low), high)


def _square(t: Tracer, number: Scalar) -> Scalar:
    one = t.arithmetic.cast(number, int8) if number.type.kind == "b" else number
    return t.arithmetic.apply("mul", one, one)


def _rounded(t: Tracer, number: Scalar) -> Scalar | None:
    """Rounding leaves integers alone."""
    return t.arithmetic.cast(number, number.type.concrete) if number.type.kind in "biu" else None


def _logical_not(t: Tracer, number: Scalar) -> Scalar:
    return t.arithmetic.negated(number)


def _logical_and(t: Tracer, left: Scalar, right: Scalar) -> Scalar:
    return t.arithmetic.both(left, right)


def _logical_or(t: Tracer, left: Scalar, right: Scalar) -> Scalar:
    return t.arithmetic.either(left, right)


def _prefers_numbers(op: str) -> Formula:
    """NumPy's fmax and fmin, of which NaN is the last choice."""

    def formula(t: Tracer, x: Scalar, y: Scalar) -> Scalar:
        a = t.arithmetic
        both = a.apply(op, x, y)
        return a.select(a.apply("isnan", x), y, a.select(a.apply("isnan", y), x, both))

    return formula


def _real(t: Tracer, number: Scalar) -> Scalar:
    return part(t, number, "real")


def _imag(t: Tracer, number: Scalar) -> Scalar:
    return part(t, number, "imag")


def _conj(t: Tracer, number: Scalar) -> Scalar:
    return conjugate(t, t.arithmetic.cast(number, int8) if number.type.kind == "b" else number)


def conjugate(t: Tracer, number: Scalar) -> Scalar:
    if number.type.kind != "c":
        return number
    return t.trace.graph.operation("conj", (number,), number.type)


def _positive(t: Tracer, number: Scalar) -> Scalar:
    return t.arithmetic.apply("pos", t.arithmetic.cast(number, number.type.concrete))


def _sign(t: Tracer, x: Scalar) -> Scalar | None:
    if x.type.kind not in "iuf":
        return None
    a = t.arithmetic
    zero, one = a.literal(0), a.literal(1)
    rest = a.apply("abs", x) if x.type.kind == "f" else x  # 0.0 of either zero, and NaN
    negative = x if x.type.kind == "u" else a.select(a.apply("lt", x, zero), a.literal(-1), rest)
    sign = a.select(a.apply("gt", x, zero), one, negative)
    return a.cast(sign, x.type)


FORMULAS: Mapping[str, Formula] = {
    "where": _where, "clip": _clip, "square": _square, "floor": _rounded, "ceil": _rounded, "trunc": _rounded,
    "logical_not": _logical_not, "logical_and": _logical_and, "logical_or": _logical_or,
    "fmax": _prefers_numbers("maximum"), "fmin": _prefers_numbers("minimum"), "real": _real, "imag": _imag,
    "conjugate": _conj, "conj": _conj, "positive": _positive, "sign": _sign,
}  # fmt: skip
"""NumPy's functions that are formulas of operations, of numbers of any types; None where they say nothing."""
