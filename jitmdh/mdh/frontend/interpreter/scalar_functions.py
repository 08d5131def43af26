"""Functions of numbers, of `math` and of NumPy: operations of the table, and formulas of them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from jitmdh.base.dtype import (
    ScalarType,
    bool_,
    float64,
    from_numpy,
    int8,
    int64,
    uint8,
    uint64,
    weak_bool,
    weak_float,
    weak_int,
)
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.table import OF_MATH, OF_NUMPY, OPERATIONS
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays.outputs import stored, target
from jitmdh.mdh.frontend.python import array_expressions
from jitmdh.mdh.frontend.python.array_expressions import is_array
from jitmdh.mdh.frontend.python.faults import checked, divided, quotient, whole
from jitmdh.mdh.frontend.python.tracer import Static, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, one_power, part, scalar_type, type_of_elements
from jitmdh.mdh.frontend.trace_ir.formulas import value_of


@dataclass(frozen=True, slots=True)
class ByFormula:
    """A function that is a formula of operations.

    value: of the tracer and so many numbers; None where it says nothing about numbers of these types. keywords: the
    last of its parameters, which may be given by name, and their defaults.
    """

    value: Callable[..., Scalar | None]
    arity: int = 1
    keywords: Mapping[str, float] = field(default_factory=dict)


def of_math(t: Tracer, node: ast.Call, name: str, arguments: Sequence[Scalar]) -> SymbolicValue:
    """A function of `math`: of floats, which raises where it has no result."""
    formula = MATH_FORMULAS.get(name)
    if formula is not None and len(arguments) == formula.arity:
        found = formula.value(t, *(t.arithmetic.cast(a, weak_float) for a in arguments))
        assert found is not None
        return t.arithmetic.cast(found, weak_bool) if found.type.kind == "b" else found
    row = OF_MATH.get(name)
    if row is None or row.math is None:
        t.error(node, f"`math.{name}` is not supported")
    if name == "trunc" and not arguments[0].type.is_weak and arguments[0].type != float64:
        t.error(node, f"`math.trunc` is not defined for NumPy's {arguments[0].type}", hint="int(x)")
    if row.math.whole and _is_whole(arguments[0].type, name):
        return whole(t, node, arguments[0], weak_int)
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


def _is_whole(type: ScalarType, name: str) -> bool:
    """Whether `math.floor` and the like leave such a number alone. Integers of NumPy's that have no such method become
    floats on the way, which hold 53 bits."""
    return type.kind in "iub" and (type.is_weak or type.bits < 53 or hasattr(type.numpy.type, f"__{name}__"))


def ufunc(t: Tracer, node: ast.Call, function: np.ufunc, arguments: list[SymbolicValue]) -> SymbolicValue:
    """A NumPy function of elements, with `out`, behind the inputs or by name, and `where`."""
    given = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
    for keyword in set(given) - {"out", "where", "dtype"}:
        t.error(given[keyword][0], f"argument `{keyword}` of `np.{function.__name__}` is not supported")
    inputs, outputs = arguments[: function.nin], arguments[function.nin :]
    if len(inputs) < function.nin or len(outputs) > 1 or function.nout != 1:
        t.error(node, f"`np.{function.__name__}` with {len(arguments)} arguments is not supported")
    if outputs:
        given["out"] = (node.args[function.nin], outputs[0])
    if "out" in given and isinstance(nothing := given["out"][1], Static) and nothing.value is None:
        del given["out"]
    out = None if "out" not in given else target(t, *given["out"])
    try:
        computed = _in_types(t, node, function, given["dtype"], inputs) if "dtype" in given else None
        value = of_numpy(t, node, function.__name__, inputs)
        if computed is not None:
            value = array_expressions.converted(t, node, value, computed)
            value = value if value.shape else value.at(())
        if "where" in given:
            if out is None:
                t.error(given["where"][0], "`where` without `out` leaves elements undefined", hint="give out=…")
            three = (given["where"][1], value, out)
            value = array_expressions.elementwise(t, node, three, lambda x: t.arithmetic.select(*x))
    except ArgumentTypeError as error:
        t.error(node, error.message, error.reason, error.hint)
    return value if out is None else stored(t, node, given["out"], out, value)


def _in_types(
    t: Tracer, node: ast.Call, function: np.ufunc, given: tuple[ast.expr, SymbolicValue], inputs: list[SymbolicValue]
) -> ScalarType | None:
    """Converts the inputs to what `dtype=` computes in; the type of the results. None: no type is given."""
    if isinstance(given[1], Static) and given[1].value is None:
        return None
    types = [array_expressions.lazy(t, node, value).type for value in inputs]
    weak = {"i": int, "f": float, "c": complex}
    kinds = [weak.get(x.kind, bool) if x.is_weak and x.kind != "b" else x.concrete.numpy for x in types]
    asked = (*(None,) * function.nin, scalar_type(t, *given).numpy)
    try:
        *taken, result = function.resolve_dtypes((*kinds, None), signature=asked, casting="same_kind")
    except TypeError as error:
        t.error(given[0], f"`np.{function.__name__}` cannot be computed in this type", str(error))
    for n, (value, dtype) in enumerate(zip(list(inputs), taken)):
        if array_expressions.is_array(t, value):
            inputs[n] = array_expressions.converted(t, node, value, from_numpy(dtype))
        else:
            inputs[n] = t.arithmetic.cast(as_scalar(t, node, value), from_numpy(dtype))
    return from_numpy(result)


def of_numpy(t: Tracer, node: ast.Call, name: str, arguments: Sequence[SymbolicValue]) -> SymbolicValue:
    """A function of NumPy on numbers, or on the elements of arrays."""
    if any(is_array(t, a) for a in arguments):
        if name in ("floor_divide", "remainder", "power"):
            return array_expressions.binary(t, node, OF_NUMPY[name], arguments[0], arguments[1])
        return array_expressions.elementwise(t, node, arguments, lambda numbers: _of_numbers(t, node, name, numbers))
    return _of_numbers(t, node, name, [as_scalar(t, n, a) for n, a in zip(node.args, arguments)])


def _of_numbers(t: Tracer, node: ast.Call, name: str, numbers: list[Scalar]) -> SymbolicValue:
    a = t.arithmetic
    if name not in _PARTS and all(n.type.is_weak for n in numbers):  # the result is a number of NumPy's all the same
        numbers = [a.cast(n, n.type.concrete) for n in numbers]
    formula = FORMULAS.get(name)
    if formula is not None and len(numbers) == formula.arity:
        found = formula.value(t, *numbers)
        if found is not None:
            return found
    if name not in OF_NUMPY or len(numbers) != OPERATIONS[OF_NUMPY[name]].arity:
        if formula is not None and len(numbers) == formula.arity:
            reason = "" if _is_defined(name, numbers) else "NumPy has no such function of these types: a TypeError"
            t.error(node, f"`np.{name}` of {', '.join(str(n.type) for n in numbers)} is not supported", reason)
        t.error(
            node, f"`np.{name}` is not supported in a compiled loop", hint="write it with loops or scalar functions"
        )
    if name in ("floor_divide", "remainder"):
        return quotient(t, OF_NUMPY[name], *numbers)
    return a.apply(OF_NUMPY[name], *numbers)


def _is_defined(name: str, numbers: Sequence[Scalar]) -> bool:
    """Whether NumPy itself has a function of these types."""
    function = getattr(np, name)
    if isinstance(function, np.ufunc):
        try:
            function.resolve_dtypes((*(n.type.numpy for n in numbers), *(None,) * function.nout))
        except TypeError:
            return False
    return True


# ----------------------------------------------------------------------------------------------------- formulas


def _where(t: Tracer, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
    type = type_of_elements(t, t.frame.node or t.frame.source.definition, (then, otherwise))
    return t.arithmetic.select(condition, *(t.arithmetic.converted(n, type) for n in (then, otherwise)))


def _clip(t: Tracer, number: Scalar, least: Scalar, greatest: Scalar) -> Scalar:
    return t.arithmetic.clip(t.arithmetic.cast(number, number.type.concrete), least, greatest)


def _square(t: Tracer, number: Scalar) -> Scalar:
    one = t.arithmetic.cast(number, int8) if number.type.kind == "b" else number
    return t.arithmetic.apply("mul", one, one)


def _rounded(t: Tracer, number: Scalar) -> Scalar | None:
    """Rounding leaves integers alone."""
    return t.arithmetic.cast(number, number.type.concrete) if number.type.kind in "biu" else None


def _fix(t: Tracer, number: Scalar) -> Scalar | None:
    """Towards zero."""
    if number.type.kind == "c":
        return None
    return _rounded(t, number) or t.arithmetic.apply("trunc", number)


def _bits(t: Tracer, number: Scalar) -> Scalar | None:
    """How many bits of the magnitude are set: summed up in pairs, fours and eights, the form that LLVM knows."""
    if number.type.kind not in "biu":
        return None
    if number.type.kind == "i":
        type = number.type.concrete
        number = t.arithmetic.cast(
            t.arithmetic.apply("abs", t.arithmetic.cast(number, type)), from_numpy(np.dtype(f"u{type.bits // 8}"))
        )
    return t.arithmetic.cast(_sum_of_bits(t, t.arithmetic.cast(number, uint64)), uint8)


def _sum_of_bits(t: Tracer, x: Scalar) -> Scalar:
    def of(op: str, one: Scalar, other: Scalar | int) -> Scalar:
        second = t.arithmetic.literal(other) if isinstance(other, int) else other
        return t.arithmetic.apply(op, one, t.arithmetic.cast(second, uint64))

    x = of("sub", x, of("and", of("rshift", x, 1), 0x5555555555555555))
    x = of("add", of("and", x, 0x3333333333333333), of("and", of("rshift", x, 2), 0x3333333333333333))
    x = of("and", of("add", x, of("rshift", x, 4)), 0x0F0F0F0F0F0F0F0F)
    return of("rshift", of("mul", x, 0x0101010101010101), 56)


def _logical_not(t: Tracer, number: Scalar) -> Scalar:
    return t.arithmetic.negated(number)


def _logical_and(t: Tracer, left: Scalar, right: Scalar) -> Scalar:
    return t.arithmetic.both(left, right)


def _logical_or(t: Tracer, left: Scalar, right: Scalar) -> Scalar:
    return t.arithmetic.either(left, right)


def _prefers_numbers(op: str) -> Callable[..., Scalar]:
    """NumPy's fmax and fmin, of which NaN is the last choice."""

    def formula(t: Tracer, x: Scalar, y: Scalar) -> Scalar:
        a = t.arithmetic
        both = a.apply(op, x, y)
        return a.converted(a.select(a.apply("isnan", x), y, a.select(a.apply("isnan", y), x, both)), both.type)

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
    return a.converted(sign, x.type)


def _logical_xor(t: Tracer, left: Scalar, right: Scalar) -> Scalar:
    return t.arithmetic.apply("ne", t.arithmetic.truth(left), t.arithmetic.truth(right))


def _fmod(t: Tracer, x: Scalar, y: Scalar) -> Scalar:
    """C's remainder, which has the sign of x; of integers by zero: 0."""
    a = t.arithmetic
    type = result_type("mod", x.type, y.type)
    if type.kind == "f":
        return a.apply("rem", x, y)
    x, y = a.cast(x, type), a.cast(y, type)
    by_zero = a.apply("eq", y, a.literal(0))
    y = a.select(by_zero, a.cast(a.literal(1), y.type), y)
    rest = a.apply("mod", x, y)
    other_sign = a.apply("ne", a.apply("lt", x, a.literal(0)), a.apply("lt", y, a.literal(0)))
    wrong = a.both(a.apply("ne", rest, a.literal(0)), other_sign)
    rest = a.select(wrong, a.apply("sub", rest, y), rest)
    return a.select(by_zero, a.cast(a.literal(0), rest.type), rest)


def _round(t: Tracer, number: Scalar, decimals: Scalar) -> Scalar | None:
    """To whole numbers or decimals, halves to even ones: floats, which bools become; as NumPy does it."""
    a, integer = t.arithmetic, number.type.is_integer
    places = int(decimals.value.real) if isinstance(decimals, Constant) else None
    if places is None or (places and number.type.kind not in "iuf") or (integer and places < 0):
        return None
    if integer:
        return a.cast(number, number.type.concrete)
    if not places:
        return a.apply("rint", number)
    there, back = ("mul", "truediv") if places > 0 else ("truediv", "mul")
    factor = a.literal(10.0 ** abs(places))
    return a.apply(back, a.apply("rint", a.apply(there, number, factor)), factor)


def _float_power(t: Tracer, base: Scalar, exponent: Scalar) -> Scalar | None:
    if "c" in (base.type.kind, exponent.type.kind):
        return None
    return t.arithmetic.apply("pow", *(t.arithmetic.cast(n, float64) for n in (base, exponent)))


def _on_floats(formula: Callable[..., Any]) -> Callable[..., Scalar]:
    """A formula of floats; integers become such as hold all of them."""

    def value(t: Tracer, *numbers: Scalar) -> Scalar:
        type = result_type("arctan2", *(n.type for n in numbers for _ in range(3 - len(numbers))))
        return value_of(t.arithmetic, formula, *(t.arithmetic.cast(n, type) for n in numbers))

    return value


def _plain(formula: Callable[..., Any]) -> Callable[..., Scalar]:
    return lambda t, *numbers: value_of(t.arithmetic, formula, *numbers)


def _sinc(x: Any) -> Any:
    y = np.pi * x
    divisor = np.where(y == 0, 1.0, y)
    return np.where(y == 0, 1.0, np.sin(divisor) / divisor)


def _reciprocal(t: Tracer, number: Scalar) -> Scalar | None:
    """Of integers, NumPy's is 0 but for 1 and -1, and of 0 whatever the processor makes of infinity."""
    return value_of(t.arithmetic, lambda x: 1 / x, number) if number.type.kind in "fc" else None


def _angle(t: Tracer, number: Scalar, degrees: Scalar) -> Scalar | None:
    """As of a point of the plane: of a real number 0 or pi, by its sign."""
    if not isinstance(degrees, Constant):
        return None
    if number.type.kind == "b":  # beside NumPy's own 0, which is no bool
        number = t.arithmetic.cast(number, int64)
    angle = t.arithmetic.apply("arctan2", _imag(t, number), _real(t, number))
    return t.arithmetic.apply("mul", angle, t.arithmetic.literal(180 / math.pi)) if degrees.value else angle


def _is_close(x: Any, y: Any, relative: Any, absolute: Any) -> Any:
    y = y * 1.0
    near = (np.abs(x - y) <= absolute + relative * np.abs(y)) & np.isfinite(y)
    return near | (x == y)


def _math_is_close(x: Any, y: Any, relative: Any, absolute: Any) -> Any:
    gap = abs(y - x)
    near = (gap <= abs(relative * y)) | (gap <= abs(relative * x)) | (gap <= absolute)
    return (near & ~np.isinf(x) & ~np.isinf(y)) | (x == y)


def _heaviside(x: Any, at_zero: Any) -> Any:
    return np.where(x == 0.0, at_zero, np.where(x < 0.0, 0.0, np.where(x > 0.0, 1.0, x)))


def _logaddexp(x: Any, y: Any) -> Any:
    return np.where(x == y, x + math.log(2), np.maximum(x, y) + np.log1p(np.exp(-np.abs(x - y))))


def _logaddexp2(x: Any, y: Any) -> Any:
    return np.where(x == y, x + 1.0, np.maximum(x, y) + np.log1p(np.exp2(-np.abs(x - y))) * (1 / math.log(2)))


_DEGREES, _RADIANS = _on_floats(lambda x: x * (180 / math.pi)), _on_floats(lambda x: x * (math.pi / 180))

_PARTS = frozenset({"real", "imag"})  # which NumPy asks the number itself for
FORMULAS: Mapping[str, ByFormula] = {
    "where": ByFormula(_where, 3), "clip": ByFormula(_clip, 3), "square": ByFormula(_square),
    "floor": ByFormula(_rounded), "ceil": ByFormula(_rounded), "trunc": ByFormula(_rounded), "fix": ByFormula(_fix),
    "bitwise_count": ByFormula(_bits),
    "logical_not": ByFormula(_logical_not), "logical_and": ByFormula(_logical_and, 2),
    "logical_or": ByFormula(_logical_or, 2), "logical_xor": ByFormula(_logical_xor, 2),
    "fmax": ByFormula(_prefers_numbers("maximum"), 2), "fmin": ByFormula(_prefers_numbers("minimum"), 2),
    "real": ByFormula(_real), "imag": ByFormula(_imag), "conjugate": ByFormula(_conj), "conj": ByFormula(_conj),
    "fabs": ByFormula(_on_floats(np.abs)), "positive": ByFormula(_positive), "sign": ByFormula(_sign),
    "fmod": ByFormula(_fmod, 2), "reciprocal": ByFormula(_reciprocal),
    "power": ByFormula(one_power, 2), "round": ByFormula(_round, 2, {"decimals": 0}),
    "around": ByFormula(_round, 2, {"decimals": 0}),
    "float_power": ByFormula(_float_power, 2),
    "degrees": ByFormula(_DEGREES), "rad2deg": ByFormula(_DEGREES), "radians": ByFormula(_RADIANS),
    "deg2rad": ByFormula(_RADIANS), "sinc": ByFormula(_plain(_sinc)),
    "isclose": ByFormula(_plain(_is_close), 4, {"rtol": 1e-5, "atol": 1e-8}),
    "angle": ByFormula(_angle, 2, {"deg": False}),
    "signbit": ByFormula(_on_floats(lambda x: np.copysign(1.0, x) < 0.0)),
    "heaviside": ByFormula(_on_floats(_heaviside), 2),
    "logaddexp": ByFormula(_on_floats(_logaddexp), 2), "logaddexp2": ByFormula(_on_floats(_logaddexp2), 2),
}  # fmt: skip
"""Of NumPy's functions of numbers."""
MATH_FORMULAS: Mapping[str, ByFormula] = {
    "degrees": ByFormula(_DEGREES), "radians": ByFormula(_RADIANS),
    "isclose": ByFormula(_plain(_math_is_close), 4, {"rel_tol": 1e-9, "abs_tol": 0.0}),
}  # fmt: skip
"""Of functions of `math`."""


def keywords_of(name: str) -> Mapping[str, float]:
    """The parameters of a function, by its full name, that may be given by name, with their defaults."""
    module, _, own = name.partition(".")
    formula = {"numpy": FORMULAS, "math": MATH_FORMULAS}.get(module, {}).get(own)
    return {} if formula is None else formula.keywords


def with_keywords(
    t: Tracer, node: ast.Call, name: str, arguments: list[SymbolicValue]
) -> tuple[ast.Call, list[SymbolicValue]]:
    """The call with all parameters in their places."""
    known = keywords_of(name)
    given = {k.arg: k.value for k in node.keywords}
    for keyword in node.keywords:
        if keyword.arg not in known:
            t.error(keyword.value, f"keyword argument `{keyword.arg}` is not supported here")
    nodes, values = list(node.args), list(arguments)
    formula = (FORMULAS if name.startswith("numpy.") else MATH_FORMULAS)[name.partition(".")[2]]
    for parameter in list(known)[max(0, len(arguments) - (formula.arity - len(known))) :]:
        nodes.append(given.get(parameter, node.func))
        values.append(t.evaluate(given[parameter]) if parameter in given else t.arithmetic.literal(known[parameter]))
    return ast.copy_location(ast.Call(node.func, nodes, []), node), values
