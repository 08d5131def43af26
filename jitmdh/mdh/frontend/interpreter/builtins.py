"""Python's built-in functions of numbers, tuples and arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import reduce

from jitmdh.base.dtype import weak_int
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays.functions import count
from jitmdh.mdh.frontend.arrays.numpy_functions import python_builtins
from jitmdh.mdh.frontend.interpreter.scalar_functions import FORMULAS
from jitmdh.mdh.frontend.python import array_expressions
from jitmdh.mdh.frontend.python.allocations import operands
from jitmdh.mdh.frontend.python.array_expressions import is_array
from jitmdh.mdh.frontend.python.faults import divided, whole
from jitmdh.mdh.frontend.python.tracer import Masked, RecordRef, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, require_array, size_operation

Builtin = Callable[[Tracer, ast.Call, list[SymbolicValue]], SymbolicValue]


def numbers(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> list[Scalar]:
    return [as_scalar(t, n, a) for n, a in zip(node.args, arguments)]


def _len(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue:
    value = arguments[0]
    if isinstance(value, RecordRef):
        value = value.field(value.fields[0])
    if isinstance(value, tuple):
        return t.arithmetic.literal(len(value))
    if isinstance(value, Masked):
        return t.arithmetic.cast(count(t, node, value.mask), weak_int)
    if is_array(t, value):
        return t.arithmetic.index(array_expressions.lazy(t, node, value).shape[0])
    require_array(t, node, value)
    t.error(node, "len of something that is no array or tuple")


def _abs(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue:
    if is_array(t, arguments[0]):
        return array_expressions.elementwise(t, node, arguments, lambda x: t.arithmetic.apply("abs", *x))
    return t.arithmetic.apply("abs", *numbers(t, node, arguments))


def _extremum(name: str) -> Builtin:
    def builtin(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue:
        if len(arguments) == 1 and isinstance(arguments[0], tuple):
            arguments = list(arguments[0])
            node = ast.copy_location(ast.Call(node.func, [node.args[0]] * len(arguments), []), node)
        if len(arguments) < 2:
            t.error(node, f"`{name}` of one number, or of an array with several axes, is not supported")

        def fold(a: Scalar, b: Scalar) -> Scalar:
            size = size_operation(t, name, a, b)
            return t.arithmetic.extremum(name, a, b) if size is None else size

        return reduce(fold, numbers(t, node, arguments))

    return builtin


def _pow(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue:
    if len(arguments) != 2:
        t.error(node, "`pow` is not supported in a compiled function with three arguments")
    return divided(t, node, "pow", *numbers(t, node, arguments))


def _round(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue:
    """To the nearest integer, halves to even ones."""
    if len(arguments) == 2 and not is_array(t, arguments[0]):
        return _round_to_digits(t, node, *numbers(t, node, arguments))
    if len(arguments) != 1 or is_array(t, arguments[0]):
        t.error(node, "`round` of an array is not supported", hint="np.round(x, n)")
    (number,) = numbers(t, node, arguments)
    if number.type.kind == "b" and not number.type.is_weak:
        t.error(node, "`round` is not defined for NumPy's bools", hint="round(int(x))")
    if number.type.kind in "iub":
        return t.trace.graph.converted(whole(t, node, number, weak_int))
    return whole(t, node, t.arithmetic.apply("rint", number), weak_int)


def _round_to_digits(t: Tracer, node: ast.Call, number: Scalar, digits: Scalar) -> SymbolicValue:
    """Of NumPy's numbers, which round as np.round does; Python's look for the nearest decimal."""
    if number.type.is_weak or number.type.kind not in "iuf" or not isinstance(digits, Constant):
        reason = "Python's numbers are rounded to the nearest decimal" if number.type.is_weak else ""
        t.error(node, "`round` to digits is not supported", reason, "round(x * 10**n) / 10**n, or np.round(x, n)")
    found = FORMULAS["round"].value(t, number, digits)
    if found is None:
        t.error(node, "`round` of integers to tens is not supported", hint="x // 10 * 10")
    return found


def _divmod(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue:
    if len(arguments) != 2:
        t.error(node, "`divmod` is supported for two numbers, or arrays of them", hint="write a // b and a % b")
    if any(is_array(t, a) for a in arguments):
        left, right = operands(t, node, *arguments)
        return tuple(array_expressions.binary(t, node, op, left, right) for op in ("floordiv", "mod"))
    pair = numbers(t, node, arguments)
    return divided(t, node, "floordiv", *pair), divided(t, node, "mod", *pair)


def _sum(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue:
    first, start = arguments[0], arguments[1:2] or [t.arithmetic.literal(0)]
    if not isinstance(first, tuple):
        t.error(node, "`sum` of one number, or of an array with several axes, is not supported", hint="use np.sum")
    parts = [as_scalar(t, node, v) for v in (*start, *first)]
    return reduce(lambda a, b: t.arithmetic.apply("add", a, b), parts)


def of_vector(t: Tracer, node: ast.Call, name: str, arguments: list[SymbolicValue]) -> str | None:
    """The composition that does what a built-in one does with a vector; None where that is not asked for."""
    if name not in python_builtins.BUILTINS or not arguments or not is_array(t, arguments[0]):
        return None
    array = array_expressions.lazy(t, node, arguments[0])
    if len(array.shape) != 1 or (len(arguments) > 1 and name != "sum"):
        return None
    if name in python_builtins.OF_SOME:
        array_expressions.require(t, node, array.shape[0] - 1, f"{name}() of no elements")
    return python_builtins.BUILTINS[name]


BUILTINS: Mapping[str, Builtin] = {
    "len": _len, "abs": _abs, "min": _extremum("min"), "max": _extremum("max"), "pow": _pow, "round": _round,
    "divmod": _divmod, "sum": _sum,
}  # fmt: skip
CONVERSIONS = ("int", "float", "bool", "tuple", "list")
"""Types that are called; what they make is up to `calls`."""
