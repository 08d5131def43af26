"""Calls: built-in functions, `math`, NumPy, methods, allocations, and functions of the user, which are inlined."""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Callable
from functools import reduce

import numpy as np

from jitmdh.base.dtype import (
    ScalarType,
    bfloat16,
    bool_,
    float32,
    from_numpy,
    int8,
    promote,
    weak_bool,
    weak_float,
    weak_int,
)
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays import functions
from jitmdh.mdh.frontend.arrays.bindings import owned
from jitmdh.mdh.frontend.arrays.gathers import updated_at
from jitmdh.mdh.frontend.arrays.outputs import stored, target
from jitmdh.mdh.frontend.python import array_expressions, inlining
from jitmdh.mdh.frontend.python.allocations import allocate
from jitmdh.mdh.frontend.python.array_expressions import is_array
from jitmdh.mdh.frontend.python.faults import checked, divided, whole
from jitmdh.mdh.frontend.python.tracer import Method, RecordRef, Static, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, part, scalar_type, size_operation
from jitmdh.mdh.frontend.source.library import function_name, is_library_type

_MATH = {
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "atan2": "arctan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "hypot": "hypot", "copysign": "copysign",
    "fabs": "abs", "pow": "pow", "isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite",
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "log": "log",
}  # fmt: skip
_TO_INTEGER = frozenset({"floor", "ceil", "trunc"})
_NUMPY = {
    **{n: n for n in (
        "add", "minimum", "maximum", "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
        "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "floor", "ceil", "trunc", "rint",
        "hypot", "copysign", "isnan", "isinf", "isfinite", "power",
    )},
    "subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv", "remainder": "mod",
    "power": "pow", "negative": "neg", "positive": "pos", "absolute": "abs", "fabs": "abs", "invert": "invert",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "left_shift": "lshift", "right_shift": "rshift",
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne",
}  # fmt: skip
_OPERATOR = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod",
    "pow": "pow", "neg": "neg", "abs": "abs", "and_": "and", "or_": "or", "xor": "xor", "lt": "lt", "le": "le",
    "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne",
}  # fmt: skip
_REFUSED = {
    "print": "printing", "input": "input", "open": "files", "enumerate": "enumerate", "zip": "zip", "sorted": "sorting",
}  # fmt: skip


def call(t: Tracer, node: ast.Call) -> SymbolicValue:
    """The value of a call."""
    callee = t.evaluate(node.func)
    if isinstance(callee, Method):
        return _method(t, node, callee)
    if not isinstance(callee, Static) or not callable(callee.value):
        t.error(node, f"`{ast.unparse(node.func)}` is not a function")
    function = callee.value
    made = allocate(t, node, function)
    if made is not None:
        return made
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            t.error(argument, "a starred argument is not supported")
    arguments = [t.evaluate(a) for a in node.args]
    if getattr(function, "__name__", "") == "at" and isinstance(ufunc := getattr(function, "__self__", None), np.ufunc):
        return updated_at(t, node, ufunc, arguments)
    if function_name(function) in ("numpy.bincount", "numpy.histogram"):
        text = f"`{ast.unparse(node.func)}` is not supported"
        counted = function_name(function) == "numpy.bincount"
        hint = "make an array of counts, and np.add.at(counts, …, 1)"
        t.error(node, text, "how long its result is depends on data" if counted else "", hint)
    name = functions.known(function)
    if name is not None and any(is_array(t, a) for a in arguments):
        given = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
        try:
            return functions.call(t, node, name, arguments, given)
        except ArgumentTypeError as error:
            t.error(node, error.message, error.reason, error.hint)
    if t.environment.python_function(function) is not None:
        keywords = {k.arg: owned(t, k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
        arguments = [owned(t, n, a) for n, a in zip(node.args, arguments)]
        return inlining.call(t, node, function, arguments, keywords)
    if isinstance(function, np.ufunc) and function_name(function) and any(is_array(t, a) for a in arguments):
        return _ufunc(t, node, function, arguments)
    if node.keywords:
        t.error(node.keywords[0].value, f"keyword argument `{node.keywords[0].arg}` is not supported here")
    _require_arity(t, node, function, len(arguments))
    try:
        return _known(t, node, function, arguments)
    except ArgumentTypeError as error:
        t.error(node, error.message, error.reason, error.hint)


def _known(t: Tracer, node: ast.Call, function: Callable[..., object], arguments: list[SymbolicValue]) -> SymbolicValue:
    module, _, name = (function_name(function) or "").partition(".")
    if isinstance(function, type):
        return _conversion(t, node, function, arguments)
    if module == "math":
        return _math(t, node, name, _numbers(t, node, arguments))
    if module == "numpy":
        return _numpy(t, node, name, arguments)
    if module == "_operator" and name in _OPERATOR:
        numbers = _numbers(t, node, arguments)
        if len(numbers) == 2:
            return divided(t, node, _OPERATOR[name], *numbers)
        return t.arithmetic.apply(_OPERATOR[name], *numbers)
    if module == "builtins":
        return _builtin(t, node, name, arguments)
    t.error(node, f"`{ast.unparse(node.func)}` cannot be compiled", hint="call plain Python, math or NumPy functions")


_parameters = functools.cache(inspect.signature)


def _require_arity(t: Tracer, node: ast.Call, function: Callable[..., object], count: int) -> None:
    """Refuses a call with more or fewer arguments than a function of Python or NumPy takes."""
    name = ast.unparse(node.func)
    if isinstance(function, np.ufunc):
        if count != function.nin:
            s = "s" * (function.nin != 1)
            t.error(node, f"`{name}` takes {function.nin} argument{s}, {count} given")
        return
    if function_name(function) is None and not isinstance(function, type):
        return
    if not count:
        t.error(node, f"`{name}` without arguments is not supported")
    if isinstance(function, type):
        return
    try:
        _parameters(function).bind(*(None,) * count)
    except ValueError:  # it does not say what it takes
        return
    except TypeError as error:
        t.error(node, f"`{name}`: {error}")


def _numbers(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> list[Scalar]:
    return [as_scalar(t, n, a) for n, a in zip(node.args, arguments)]


def _conversion(t: Tracer, node: ast.Call, function: type, arguments: list[SymbolicValue]) -> SymbolicValue:
    if function in (tuple, list) and len(arguments) == 1 and isinstance(arguments[0], tuple):
        return arguments[0]
    if function is range:
        t.error(node, "range is only supported in a for loop")
    weak: dict[type, ScalarType] = {float: weak_float, int: weak_int, bool: weak_bool}
    if any(function is w for w in weak):
        type = weak[function]
    elif issubclass(function, np.generic) and is_library_type(function):
        type = from_numpy(function)
    else:
        what = _REFUSED.get(function.__name__, f"`{function.__name__}`")
        t.error(node, f"{what} is not supported in a compiled function")
    if len(arguments) != 1:
        t.error(node, f"`{function.__name__}` takes one argument here")
    (number,) = _numbers(t, node, arguments)
    if type.kind == "b":
        return t.arithmetic.cast(t.arithmetic.truth(number), type)
    if number.type.kind == "c" and type.kind != "c":
        t.error(node, "a complex number cannot be converted to a real one", hint="take its .real")
    if type == weak_int:
        return whole(t, node, number, type)
    return t.arithmetic.cast(number, type)


def _builtin(t: Tracer, node: ast.Call, name: str, arguments: list[SymbolicValue]) -> SymbolicValue:
    match name:
        case "len":
            value = arguments[0]
            if isinstance(value, RecordRef):
                value = value.field(value.fields[0])
            if isinstance(value, tuple):
                return t.arithmetic.literal(len(value))
            if is_array(t, value):
                return t.arithmetic.index(array_expressions.lazy(t, node, value).shape[0])
            t.error(node, "len of something that is no array or tuple")
        case "abs" if is_array(t, arguments[0]):
            return array_expressions.elementwise(t, node, arguments, lambda x: t.arithmetic.apply("abs", *x))
        case "abs":
            return t.arithmetic.apply("abs", *_numbers(t, node, arguments))
        case "min" | "max":
            if len(arguments) == 1 and isinstance(arguments[0], tuple):
                arguments = list(arguments[0])
                node = ast.copy_location(ast.Call(node.func, [node.args[0]] * len(arguments), []), node)
            if len(arguments) < 2:
                t.error(node, f"`{name}` of a whole array is not supported", hint="write a loop")
            numbers = _numbers(t, node, arguments)

            def fold(a: Scalar, b: Scalar) -> Scalar:
                size = size_operation(t, name, a, b)
                if size is not None:
                    return size
                return t.arithmetic.extremum(name, a, b)

            return reduce(fold, numbers)
        case "pow" if len(arguments) == 2:
            return divided(t, node, "pow", *_numbers(t, node, arguments))
        case "round":
            t.error(node, "`round` is not supported", hint="use np.rint")
        case "sum":
            t.error(node, "`sum` of a whole array is not supported", hint="write a loop")
    t.error(node, f"{_REFUSED.get(name, f'`{name}`')} is not supported in a compiled function")


def _math(t: Tracer, node: ast.Call, name: str, arguments: list[Scalar]) -> SymbolicValue:
    if name not in _MATH:
        t.error(node, f"`math.{name}` is not supported")
    if name in _TO_INTEGER and arguments[0].type.kind in "iub":
        return t.arithmetic.cast(arguments[0], weak_int)
    numbers = [t.arithmetic.cast(a, weak_float) for a in arguments]
    if all(isinstance(n, Constant) for n in numbers):
        try:
            return t.arithmetic.literal(getattr(math, name)(*(n.value for n in numbers if isinstance(n, Constant))))
        except (ArithmeticError, ValueError) as error:
            t.error(node, f"math.{name}: {error}")
    if name == "log" and len(numbers) == 2:
        parts = [checked(t, node, "log", (n,), t.trace.graph.operation("log", (n,), weak_float)) for n in numbers]
        return divided(t, node, "truediv", *parts)
    op = _MATH[name]
    if op.startswith("is"):
        return t.arithmetic.cast(t.trace.graph.operation(op, tuple(numbers), bool_), weak_bool)
    result = t.trace.graph.operation(op, tuple(numbers), weak_float)
    if name in _TO_INTEGER:
        return whole(t, node, result, weak_int)
    return checked(t, node, op, tuple(numbers), result)


def _ufunc(t: Tracer, node: ast.Call, function: np.ufunc, arguments: list[SymbolicValue]) -> SymbolicValue:
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
        value = _numpy(t, node, function.__name__, inputs)
        if "where" in given:
            if out is None:
                t.error(given["where"][0], "`where` without `out` leaves elements undefined", hint="give out=…")
            three = (given["where"][1], value, out)
            value = array_expressions.elementwise(t, node, three, lambda x: t.arithmetic.select(*x))
    except ArgumentTypeError as error:
        t.error(node, error.message, error.reason, error.hint)
    return value if out is None else stored(t, node, given["out"], out, value)


def _numpy(t: Tracer, node: ast.Call, name: str, arguments: list[SymbolicValue]) -> SymbolicValue:
    if any(is_array(t, a) for a in arguments):
        if name in ("floor_divide", "remainder"):
            return array_expressions.binary(t, node, _NUMPY[name], arguments[0], arguments[1])
        return array_expressions.elementwise(t, node, arguments, lambda numbers: _of_numbers(t, node, name, numbers))
    return _of_numbers(t, node, name, _numbers(t, node, arguments))


def _of_numbers(t: Tracer, node: ast.Call, name: str, numbers: list[Scalar]) -> SymbolicValue:
    a = t.arithmetic
    match name:
        case "where" if len(numbers) == 3:
            type = promote(numbers[1].type, numbers[2].type).concrete
            return a.select(numbers[0], *(a.converted(n, type) for n in numbers[1:]))
        case "clip" if len(numbers) == 3:
            if numbers[0].type == bfloat16:  # for which NumPy has no clip of its own
                numbers = [a.cast(n, float32) for n in numbers]
            if all(n.type.is_weak for n in numbers):
                numbers = [a.cast(n, n.type.concrete) for n in numbers]
            low, high = a.clipped(numbers[0], numbers[1], 0), a.clipped(numbers[0], numbers[2], 1)
            return a.apply("minimum", a.apply("maximum", numbers[0], low), high)
        case "square":
            one = a.cast(numbers[0], int8) if numbers[0].type.kind == "b" else numbers[0]
            return a.apply("mul", one, one)
        case "floor" | "ceil" | "trunc" if numbers[0].type.kind in "biu":
            return a.cast(numbers[0], numbers[0].type.concrete)
        case "logical_not":
            return a.negated(numbers[0])
        case "logical_and":
            return a.both(*numbers)
        case "logical_or":
            return a.either(*numbers)
        case "fmax" | "fmin":
            x, y = numbers
            both = a.apply("maximum" if name == "fmax" else "minimum", x, y)
            return a.select(a.apply("isnan", x), y, a.select(a.apply("isnan", y), x, both))
        case "real" | "imag":
            return part(t, numbers[0], name)
        case "conjugate" | "conj":
            whole = a.cast(numbers[0], int8) if numbers[0].type.kind == "b" else numbers[0]
            return _conjugate(t, whole)
        case "sign" if numbers[0].type.kind in "iuf":
            zero, one = a.literal(0), a.literal(1)
            x = numbers[0]
            rest = a.apply("abs", x) if x.type.kind == "f" else x  # 0.0 of either zero, and NaN
            negative = x if x.type.kind == "u" else a.select(a.apply("lt", x, zero), a.literal(-1), rest)
            sign = a.select(a.apply("gt", x, zero), one, negative)
            return a.cast(sign, x.type)
    if name not in _NUMPY:
        t.error(
            node, f"`np.{name}` is not supported in a compiled loop", hint="write it with loops or scalar functions"
        )
    strong = [a.cast(n, n.type.concrete) if n.type.is_weak and len(numbers) == 1 else n for n in numbers]
    if all(n.type.is_weak for n in strong):
        strong = [a.cast(n, n.type.concrete) for n in strong]
    return a.apply(_NUMPY[name], *strong)


def _conjugate(t: Tracer, number: Scalar) -> Scalar:
    if number.type.kind != "c":
        return number
    return t.trace.graph.operation("conj", (number,), number.type)


def _method(t: Tracer, node: ast.Call, method: Method) -> SymbolicValue:
    if is_array(t, method.value):
        given = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
        return functions.method(t, node, method, [t.evaluate(a) for a in node.args], given)
    number = as_scalar(t, node.func, method.value)
    match method.name:
        case "conjugate" | "conj":
            return _conjugate(t, number)
        case "item" if not node.args:
            weak = {"b": weak_bool, "i": weak_int, "u": weak_int, "f": weak_float}.get(number.type.kind, number.type)
            return t.arithmetic.cast(number, weak)
        case "astype" if len(node.args) == 1:
            return t.arithmetic.cast(number, scalar_type(t, node.args[0], t.evaluate(node.args[0])))
    t.error(node, f"method `{method.name}` is not supported")
