"""Calls: built-in functions, `math`, NumPy, methods, allocations, and functions of the user, which are inlined."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType, from_numpy, weak_bool, weak_complex, weak_float, weak_int
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.operations.table import OF_OPERATOR
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.arrays import compositions, functions, random_numbers
from jitmdh.mdh.frontend.arrays.gathers import updated_at
from jitmdh.mdh.frontend.arrays.reductions import BITS, prefix
from jitmdh.mdh.frontend.arrays.selection import PLACES, places
from jitmdh.mdh.frontend.arrays.shapes import integers, normalised
from jitmdh.mdh.frontend.interpreter import comprehensions, scalar_functions
from jitmdh.mdh.frontend.interpreter.builtins import BUILTINS, numbers, of_vector
from jitmdh.mdh.frontend.interpreter.evaluation_order import in_order
from jitmdh.mdh.frontend.interpreter.scalar_functions import conjugate
from jitmdh.mdh.frontend.python import inlining, slices
from jitmdh.mdh.frontend.python.allocations import allocate, literal, operand
from jitmdh.mdh.frontend.python.array_expressions import ONE, converted, is_array, lazy, materialised, require
from jitmdh.mdh.frontend.python.bindings import owned
from jitmdh.mdh.frontend.python.faults import divided, whole
from jitmdh.mdh.frontend.python.tracer import (
    LocalFunction,
    Method,
    PartialFunction,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    given,
)
from jitmdh.mdh.frontend.python.values import as_scalar, constant, scalar_type
from jitmdh.mdh.frontend.source.library import function_name, is_library_type
from jitmdh.mdh.frontend.source.random_calls import drawing

_REFUSED = {
    "print": "printing", "input": "input", "open": "files", "enumerate": "enumerate", "zip": "zip", "sorted": "sorting",
}  # fmt: skip
_KEYS = "number the keys 0, 1, 2, … outside of the function, and use an array"
INSTEAD = {
    "Dict": _KEYS, "DictComp": _KEYS, "Set": _KEYS, "SetComp": _KEYS,
    "print": "return what is to be printed, or call f.py_func, which is the undecorated function",
    "str": "make texts of the results outside of the function",
}  # fmt: skip
"""What to do instead of calls and kinds of expressions, by their names."""


def call(t: Tracer, node: ast.Call) -> SymbolicValue:
    """The value of a call."""
    callee = t.evaluate(node.func)
    if isinstance(callee, Method):
        return _method(t, node, callee)
    if isinstance(callee, LocalFunction):
        return _local(t, node, callee, *_given(t, node))
    if not isinstance(callee, Static) or not callable(callee.value):
        t.error(node, f"`{ast.unparse(node.func)}` is not a function")
    if isinstance(callee.value, functools.partial) and type(callee.value).__call__ is functools.partial.__call__:
        return _partial(t, node, callee.value)
    function = callee.value
    if function is functools.partial and node.args:
        return _made_partial(t, node, *_given(t, node))
    node = _first_in_place(node, function)
    _require_arguments(t, node, function)
    taken = _of_comprehension(t, node, function)
    if not isinstance(taken, ast.Call):
        return taken
    node = taken
    made = allocate(t, node, function)
    made = literal(t, node, function, _stacked) if made is None else made
    if made is not None:
        return made
    _require_plain(t, node)
    if (draw := drawing(function)) is not None:
        return random_numbers.drawn(t, node, draw, *_given(t, node))
    if function is np.random.default_rng:
        return random_numbers.generator(t, node, _given(t, node)[0])
    if (composed := compositions.known(function)) is not None:
        return compositions.call(t, node, composed, *_given(t, node))
    arguments = in_order(t, *node.args)
    if (formed := compositions.form(t, node, function, arguments)) is not None:
        return formed
    if isinstance(ufunc := getattr(function, "__self__", None), np.ufunc):
        return _ufunc_method(t, node, ufunc, getattr(function, "__name__", ""), arguments)
    if function_name(function) in PLACES and len(node.args) == 1 and not node.keywords and is_array(t, arguments[0]):
        return places(t, node, function_name(function) or "", arguments[0])
    if (made := _of_arrays(t, node, function, arguments)) is not None:
        return made
    if t.environment.python_function(function) is not None:
        keywords = {k.arg: owned(t, k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
        arguments = [owned(t, n, a) for n, a in zip(node.args, arguments)]
        return inlining.call(t, node, function, arguments, keywords)
    of_arrays = any(is_array(t, a) for a in arguments) or any(k.arg == "dtype" for k in node.keywords)
    if isinstance(function, np.ufunc) and function_name(function) and of_arrays:
        return scalar_functions.ufunc(t, node, function, arguments)
    name = function_name(function) or ""
    if node.keywords and not scalar_functions.keywords_of(name):
        t.error(node.keywords[0].value, f"keyword argument `{node.keywords[0].arg}` is not supported here")
    _require_arity(t, node, function, len(arguments))
    if scalar_functions.keywords_of(name):
        node, arguments = scalar_functions.with_keywords(t, node, name, arguments)
    try:
        return _known(t, node, function, arguments)
    except ArgumentTypeError as error:
        if error.loc is not None:
            raise
        t.error(node, error.message, error.reason, error.hint)


def _first_in_place(node: ast.Call, function: object) -> ast.Call:
    """A call whose first argument is in its place: `np.sum(a=x)` as `np.sum(x)`."""
    if node.args or not node.keywords or not (function_name(function) or "").startswith("numpy."):
        return node
    given = {k.arg: k for k in node.keywords}
    if function is np.arange:
        first = "start" if "start" in given else "stop"
    else:
        first = next(iter(_names(function)), "")
    if first not in given:
        return node
    rest = [k for k in node.keywords if k.arg != first]
    return ast.copy_location(ast.Call(node.func, [given[first].value], rest), node)


@functools.cache
def _names(function: Any) -> tuple[str, ...]:
    """The parameters of a function of NumPy's that can be given by name, if it says so."""
    try:
        parameters = _parameters(function).parameters.values()
    except ValueError:
        return ()
    return tuple(p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)


def _of_arrays(
    t: Tracer, node: ast.Call, function: Callable[..., object], arguments: list[SymbolicValue]
) -> SymbolicValue | None:
    """A function that is known for whole arrays; None for all others, of which `arguments` become arrays."""
    if any(is_array(t, a) for a in arguments) and (isinstance(function, np.ufunc) or functions.takes_lists(function)):
        arguments[:] = [operand(t, n, a) for n, a in zip(node.args, arguments)]
    if function is np.clip and (limited := _clipped(t, node, arguments)) is not None:
        return limited
    array_function = functions.known(function)
    if array_function is not None and arguments and isinstance(arguments[0], tuple):
        arguments[0] = _as_operand(t, node, arguments[0])
    if array_function is not None and any(is_array(t, a) for a in arguments):
        return _array_function(t, node, array_function, arguments)
    return None


def _as_operand(t: Tracer, node: ast.Call, value: tuple[SymbolicValue, ...]) -> SymbolicValue:
    """A list of numbers, or of arrays, as the array that NumPy makes of it."""
    arrays = value and all(is_array(t, part) for part in value)
    return _stacked(t, node, value) if arrays else operand(t, node.args[0], value)


def _stacked(t: Tracer, node: ast.Call, arrays: SymbolicValue) -> SymbolicValue:
    return compositions.call(t, node, "stack", [arrays], {})


def _clipped(t: Tracer, node: ast.Call, arguments: list[SymbolicValue]) -> SymbolicValue | None:
    """np.clip with limits by name, a limit that is None, or `out`; None for what is a function of three operands."""
    named = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
    absent = [n for n, a in enumerate(arguments) if isinstance(a, Static) and a.value is None]
    if not named and not absent and len(arguments) == 3:
        return None
    given = {{"a_min": "min", "a_max": "max"}.get(name, name): value for name, value in named.items()}
    if not arguments or len(given) < len(named):
        t.error(node, f"`{ast.unparse(node)}` is not supported", hint="np.clip(x, least, greatest)")
    if is_array(t, arguments[0]):
        return functions.call(t, node, "clip", arguments, given)
    places = dict(zip(("min", "max"), zip(node.args[1:], arguments[1:])))
    limits = {**places, **given}
    if len(arguments) > 3 or not limits.keys() <= {"min", "max"}:
        t.error(node, f"`{ast.unparse(node)}` of a number is not supported", hint="np.clip(x, least, greatest)")
    number = as_scalar(t, node.args[0], arguments[0])

    def limit(name: str) -> Scalar | None:
        at, value = limits.get(name, (node, Static(None)))
        return None if isinstance(value, Static) and value.value is None else as_scalar(t, at, value)

    return t.arithmetic.clip(t.arithmetic.cast(number, number.type.concrete), limit("min"), limit("max"))


def _array_function(t: Tracer, node: ast.Call, name: str, arguments: list[SymbolicValue]) -> SymbolicValue:
    """A call of a function that is known for whole arrays."""
    given = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
    try:
        return functions.call(t, node, name, arguments, given)
    except ArgumentTypeError as error:
        if error.loc is not None:
            raise
        t.error(node, error.message, error.reason, error.hint)


def _of_comprehension(t: Tracer, node: ast.Call, function: object) -> SymbolicValue | ast.Call:
    """A call whose first argument is a comprehension: its value, or the call of what that stands for."""
    if not node.args or not comprehensions.is_comprehension(node.args[0]):
        return node
    module, _, name = (function_name(function) or "").rpartition(".")
    total = comprehensions.folded(t, node, name) if module == "builtins" else None
    if total is not None:
        return total
    return comprehensions.with_array(t, node) if module.startswith("numpy") else node


def _require_plain(t: Tracer, node: ast.Call) -> None:
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            t.error(argument, "a starred argument is not supported")


def _given(t: Tracer, node: ast.Call) -> tuple[list[SymbolicValue], dict[str, SymbolicValue]]:
    """The arguments of a call of a function that is inlined."""
    _require_plain(t, node)
    arguments = [owned(t, a, value) for a, value in zip(node.args, in_order(t, *node.args))]
    return arguments, {k.arg: owned(t, k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}


def _partial(t: Tracer, node: ast.Call, partial: functools.partial[object]) -> SymbolicValue:
    """The call of the function behind `functools.partial`, with the arguments that it keeps in front."""
    function, kept = t.environment.attribute(partial, "func"), t.environment.attribute(partial, "args")
    given = {k.arg for k in node.keywords}
    named = {f"%kept_{n}": v for n, v in t.environment.keywords(partial).items() if n not in given}
    names = [f"%kept{n}" for n in range(len(kept))]
    everything = {**dict(zip(names, kept)), **named}
    hidden = {n: constant(t, node, value) for n, value in everything.items()} | {"%function": Static(function)}
    before = {name: t.env[name] for name in hidden if name in t.env}
    t.env.update(hidden)
    made = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in names]
    keywords = [ast.keyword(n.removeprefix("%kept_"), ast.copy_location(ast.Name(n, ast.Load()), node)) for n in named]
    callee = ast.copy_location(ast.Name("%function", ast.Load()), node.func)
    whole = ast.Call(callee, [*made, *node.args], [*node.keywords, *keywords])
    value = call(t, ast.copy_location(whole, node))
    for name in hidden:
        del t.env[name]
    t.env.update(before)
    return value


_REDUCED = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_or": "any", "logical_and": "all",
}  # fmt: skip
_ACCUMULATED = {"add": "cumsum", "multiply": "cumprod"}
_EXTREMA = {"maximum": "cummax", "minimum": "cummin"}


def _made_partial(
    t: Tracer, node: ast.Call, arguments: list[SymbolicValue], keywords: dict[str, SymbolicValue]
) -> PartialFunction:  # fmt: skip
    unknown = ast.parse("lambda *args: None", mode="eval").body
    assert isinstance(unknown, ast.Lambda)
    called, *kept = arguments
    return PartialFunction(unknown, t.frame, {}, ast.unparse(node.args[0]), called, tuple(kept), keywords)


def _local(
    t: Tracer, node: ast.Call, function: LocalFunction, arguments: list[SymbolicValue],
    keywords: dict[str, SymbolicValue],
) -> SymbolicValue:  # fmt: skip
    """A call of a function that is defined here, or of what `functools.partial` has made of one."""
    if not isinstance(function, PartialFunction):
        return inlining.call_local(t, node, function, arguments, keywords)
    called = f"partial({function.name})"  # no name of the source
    given = {f"{called}.{n}": value for n, value in enumerate((*function.arguments, *arguments))}
    named = {f"{called}.{name}": value for name, value in {**function.keywords, **keywords}.items()}
    names = {name: ast.copy_location(ast.Name(name, ast.Load()), node) for name in (called, *given, *named)}
    passed = [ast.keyword(name.removeprefix(f"{called}."), names[name]) for name in named]
    whole = ast.Call(names[called], [names[name] for name in given], passed)
    t.env.update({called: function.function, **given, **named})
    result = t.evaluate(ast.fix_missing_locations(ast.copy_location(whole, node)))
    for name in names:
        t.env.pop(name, None)
    return result


def _ufunc_method(
    t: Tracer, node: ast.Call, ufunc: np.ufunc, method: str, arguments: Sequence[SymbolicValue]
) -> SymbolicValue:
    """np.add.outer(a, b) as np.add(a[..., None], b); np.add.reduce(x) as np.sum(x, axis=0)."""
    name = (function_name(ufunc) or "").removeprefix("numpy.")
    if method == "reduceat" and name in functions.REDUCED_AT:
        return compositions.reduced_at(t, node, ufunc, arguments)
    if method == "reduce" and name in BITS and arguments:
        by_name: dict[str, tuple[ast.expr, SymbolicValue]]
        by_name = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
        if len(arguments) < 2 and "axis" not in by_name:
            by_name["axis"] = node, t.arithmetic.literal(0)
        return functions.call(t, node, name, [operand(t, node, arguments[0]), *arguments[1:]], by_name)
    if method == "at":
        return updated_at(t, node, ufunc, [*arguments[:2], *(operand(t, node, a) for a in arguments[2:])])
    other = {"reduce": _REDUCED, "accumulate": _ACCUMULATED}.get(method, {}).get(name)
    if method == "outer" and len(node.args) == 2 and name:
        left, right = node.args
        rank = len(lazy(t, right, t.evaluate(right)).shape)
        index: list[ast.expr] = [ast.Constant(...), *[ast.Constant(None)] * rank]
        left = ast.Subscript(left, ast.Tuple(index, ast.Load()), ast.Load())
        return _called_instead(t, node, ufunc, [left, right], node.keywords)
    if other is not None and node.args:
        named = any(k.arg == "axis" for k in node.keywords) or len(node.args) > 1
        axis = [] if named else [ast.keyword("axis", ast.Constant(0))]
        return _called_instead(t, node, getattr(np, other), node.args, [*node.keywords, *axis])
    if method == "accumulate" and name in _EXTREMA and len(node.args) in (1, 2):
        return _accumulated(t, node, _EXTREMA[name])
    t.error(node, f"`{ast.unparse(node.func)}` cannot be compiled", hint="call plain Python, math or NumPy functions")


def _accumulated(t: Tracer, node: ast.Call, name: str) -> SymbolicValue:
    """np.maximum.accumulate(x, axis=0)."""
    given: dict[str, ast.expr] = {k.arg: k.value for k in node.keywords if k.arg is not None}
    given.update(zip(("axis",), node.args[1:]))
    if given.keys() - {"axis"}:
        t.error(
            node, f"an argument of `{ast.unparse(node.func)}` is not supported", hint="it takes an array and an axis"
        )
    array = lazy(t, node.args[0], t.evaluate(node.args[0]))
    if array.type.kind not in "iuf" or not array.shape:
        t.error(node, f"`{ast.unparse(node.func)}` of {array.type} is not supported")
    axis = integers(t, given["axis"], t.evaluate(given["axis"])) if "axis" in given else (0,)
    (along,) = normalised(t, node, axis, len(array.shape))
    return prefix(t, node, name, array, along, None)


def _called_instead(
    t: Tracer, node: ast.Call, function: object, arguments: list[ast.expr], keywords: list[ast.keyword]
) -> SymbolicValue:
    """A call of another function, in the place of this one."""
    hidden, before = "%instead", t.env.get("%instead")
    t.env[hidden] = Static(function)
    made = ast.copy_location(ast.Call(ast.Name(hidden, ast.Load()), arguments, keywords), node)
    for part in ast.walk(made):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    value = call(t, made)
    if before is None:
        del t.env[hidden]
    else:
        t.env[hidden] = before
    return value


def _known(t: Tracer, node: ast.Call, function: Callable[..., object], arguments: list[SymbolicValue]) -> SymbolicValue:
    module, _, name = (function_name(function) or "").partition(".")
    outside = str(getattr(function, "__module__", "")).split(".")
    if outside[0] == "numpy" and outside[-1] != "numpy" and (hint := _OUTSIDE.get(outside[1])) is not None:
        t.error(node, f"`{ast.unparse(node.func)}` is not compiled", hint=f'{hint}, or decorate with fallback="python"')
    if isinstance(function, type):
        return _conversion(t, node, function, arguments)
    if module == "math":
        return scalar_functions.of_math(t, node, name, numbers(t, node, arguments))
    if module == "numpy" and name == "promote_types" and all(isinstance(a, Static) for a in arguments):
        return Static(np.promote_types(*(a.value for a in arguments)))  # type: ignore[arg-type, union-attr]
    if module == "numpy" and name == "ndim" and len(arguments) == 1:
        return t.arithmetic.literal(len(lazy(t, node, arguments[0]).shape) if is_array(t, arguments[0]) else 0)
    if module == "numpy" and name in _ATTRIBUTES and len(arguments) == 1 and is_array(t, arguments[0]):
        return t.evaluate(ast.copy_location(ast.Attribute(node.args[0], name, ast.Load()), node))
    if module == "numpy":
        return scalar_functions.of_numpy(t, node, name, arguments)
    if module == "_operator" and name in OF_OPERATOR:
        operands = numbers(t, node, arguments)
        if len(operands) == 2:
            return divided(t, node, OF_OPERATOR[name], *operands)
        return t.arithmetic.apply(OF_OPERATOR[name], *operands)
    if module == "builtins":
        return _builtin(t, node, name, arguments)
    t.error(node, f"`{ast.unparse(node.func)}` cannot be compiled", hint="call plain Python, math or NumPy functions")


_ATTRIBUTES = frozenset({"shape", "real", "imag"})
"""Functions that ask an array for its attribute of their name."""
_OF_ELEMENTS = {"round": np.round, "conj": np.conjugate, "conjugate": np.conjugate}
"""Methods of arrays that are functions of their elements."""


def _of_elements(t: Tracer, node: ast.Call, method: Method) -> SymbolicValue:
    """`x.conj()` as `np.conjugate(x)`; of real numbers it is the array itself."""
    if method.name != "round" and lazy(t, node, method.value).type.kind != "c" and not node.args and not node.keywords:
        return method.value
    hidden, before = "%array", t.env.get("%array")
    t.env[hidden] = method.value
    array = ast.copy_location(ast.Name(hidden, ast.Load()), node)
    value = _called_instead(t, node, _OF_ELEMENTS[method.name], [array, *node.args], node.keywords)
    if before is None:
        del t.env[hidden]
    else:
        t.env[hidden] = before
    return value


_OUTSIDE = {
    "fft": "transform outside of the decorated function",
    "linalg": "decompose matrices outside of the decorated function, and pass what it needs",
    "random": "do it outside of the decorated function (its random numbers follow np.random.seed; pass arrays)",
}
"""Where to call functions of these modules of NumPy's, those that are compiled apart."""
_parameters = functools.cache(inspect.signature)


def _require_arguments(t: Tracer, node: ast.Call, function: Callable[..., object]) -> None:
    """Refuses a call of a function of NumPy's that lacks an argument, before anybody makes something of the others."""
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return
    needed, taken = _needed(function)
    given = {k.arg for k in node.keywords}
    if function is np.where and len(node.args) == 2:
        t.error(node, f"`{ast.unparse(node.func)}` is called without its argument `y`", f"it takes {taken}")
    missing = [f"`{name}`" for name in needed[len(node.args) :] if name not in given]
    if missing:
        s = "s" * (len(missing) > 1)
        text = f"`{ast.unparse(node.func)}` is called without its argument{s} {' and '.join(missing)}"
        t.error(node, text, f"it takes {taken}")


@functools.cache
def _needed(function: Callable[..., object]) -> tuple[tuple[str, ...], str]:
    """The arguments without which a function of NumPy's cannot be called, and all that it takes."""
    if not (function_name(function) or "").startswith("numpy."):
        return (), ""
    if isinstance(function, np.ufunc):
        names = ("x",) if function.nin == 1 else tuple(f"x{n}" for n in range(1, function.nin + 1))
        shapes = f", of shapes {function.signature.partition('->')[0]}" if function.signature else ""
        return names, ", ".join(names) + shapes
    if function is np.where:
        return ("condition",), "condition, or condition, x, y"
    try:
        takes = _parameters(function).parameters.values()
    except ValueError:  # it does not say what it takes
        return (), ""
    one_by_one = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = tuple(p.name for p in takes if p.kind in one_by_one and p.default is p.empty)
    everything = [f"[{p.name}]" if p.default is not p.empty else p.name for p in takes if p.kind in one_by_one]
    return names, ", ".join(everything)


def _require_arity(t: Tracer, node: ast.Call, function: Callable[..., object], count: int) -> None:
    """Refuses a call with more or fewer arguments than a function of Python or NumPy takes."""
    name = ast.unparse(node.func)
    if isinstance(function, np.ufunc):
        if count != function.nin:
            s = "s" * (function.nin != 1)
            t.error(node, f"`{name}` takes {function.nin} argument{s}, {count} given")
        return
    module, _, plain = (function_name(function) or "").partition(".")
    if (not module and not isinstance(function, type)) or (module == "builtins" and plain in _REFUSED):
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


def _conversion(t: Tracer, node: ast.Call, function: type, arguments: list[SymbolicValue]) -> SymbolicValue:
    if function in (tuple, list) and len(arguments) == 1 and isinstance(arguments[0], tuple):
        return arguments[0]
    if function is range:
        t.error(node, "range is only supported in a for loop")
    if function is slice and len(arguments) in (1, 2, 3):
        return slices.made([_bound(t, n, a) for n, a in zip(node.args, arguments)])
    if function in (np.finfo, np.iinfo) and len(arguments) == 1:
        return _limits(t, node, function, arguments[0])
    if function is complex and len(arguments) == 2:
        return _complex(t, node, numbers(t, node, arguments))
    weak: dict[type, ScalarType] = {float: weak_float, int: weak_int, bool: weak_bool, complex: weak_complex}
    if any(function is w for w in weak):
        type = weak[function]
    elif issubclass(function, np.generic) and is_library_type(function):
        type = from_numpy(function)
    else:
        what = _REFUSED.get(function.__name__, f"`{function.__name__}`")
        t.error(node, f"{what} is not supported in a compiled function")
    if len(arguments) != 1:
        t.error(node, f"`{function.__name__}` takes one argument here")
    if is_array(t, arguments[0]) and issubclass(function, np.generic):
        return _of_type(t, node, arguments[0], type)
    (number,) = numbers(t, node, arguments)
    if type.kind == "b":
        return t.trace.graph.converted(t.arithmetic.cast(t.arithmetic.truth(number), type))
    if number.type.kind == "c" and type.kind != "c":
        t.error(node, "a complex number cannot be converted to a real one", hint="take its .real")
    if type == weak_int:
        return whole(t, node, number, type)
    return t.trace.graph.converted(t.arithmetic.cast(number, type))


def _of_type(t: Tracer, node: ast.Call, value: SymbolicValue, type: ScalarType) -> SymbolicValue:
    """`np.float32(x)` of an array: its elements in this type, the array itself where they are."""
    array = lazy(t, node, value)
    return value if array.type == type else materialised(t, node, converted(t, node, array, type))


def _limits(t: Tracer, node: ast.Call, function: type, argument: SymbolicValue) -> Structure:
    """What `np.finfo` and `np.iinfo` say about a type."""
    try:
        info = function(scalar_type(t, node.args[0], argument).concrete.numpy)
    except ValueError as error:
        t.error(node, str(error))
    names = ("bits", "min", "max", *(("eps", "tiny", "resolution", "smallest_normal") if function is np.finfo else ()))
    values = {name: getattr(info, name) for name in names}
    known = {n: v for n, v in values.items() if not isinstance(v, int) or abs(v) < 2**63}
    return Structure((constant(t, node, v) for v in known.values()), tuple(known), function.__name__, False)


def _bound(t: Tracer, node: ast.expr, value: SymbolicValue) -> SymbolicValue:
    """A bound of `slice(…)`."""
    return value if isinstance(value, Static) and value.value is None else as_scalar(t, node, value)


def _complex(t: Tracer, node: ast.Call, arguments: list[Scalar]) -> Scalar:
    """`complex(a, b)` of real numbers; of others it is a + b·1j."""
    if any(a.type.kind == "c" for a in arguments):
        t.error(node, "`complex` of complex numbers is not supported", hint="write a + b * 1j")
    parts = tuple(t.arithmetic.cast(a, weak_float) for a in arguments)
    return t.trace.graph.operation("complex", parts, weak_complex)


def _builtin(t: Tracer, node: ast.Call, name: str, arguments: list[SymbolicValue]) -> SymbolicValue:
    if (function := of_vector(t, node, name, arguments)) is not None:
        return compositions.call(t, node, function, arguments, {})
    if name in BUILTINS and arguments:
        return BUILTINS[name](t, node, arguments)
    what = _REFUSED.get(name, f"`{name}`")
    t.error(node, f"{what} is not supported in a compiled function", hint=INSTEAD.get(name, ""))


def _method(t: Tracer, node: ast.Call, method: Method) -> SymbolicValue:
    if random_numbers.is_generator(method.value):
        return random_numbers.drawn(t, node, method.name, *_given(t, node), source=method.value)
    if is_array(t, method.value):
        if method.name in compositions.METHODS:
            arguments, keywords = _given(t, node)
            own = owned(t, node.func, method.value)
            return compositions.call(t, node, compositions.METHODS[method.name], [own, *arguments], keywords)
        if method.name in _OF_ELEMENTS:
            return _of_elements(t, node, method)
        if method.name == "nonzero" and not node.args and not node.keywords:
            return _called_instead(t, node, np.nonzero, [given(node.func, method.value)], [])
        if method.name == "item":
            return _number(t, node, _item(t, node, method.value))
        named = {k.arg: (k.value, t.evaluate(k.value)) for k in node.keywords if k.arg is not None}
        arguments = [t.evaluate(a) for a in node.args]
        if method.name == "dot":
            arguments = [operand(t, n, a) for n, a in zip(node.args, arguments)]
        return functions.method(t, node, method, arguments, named)
    number = as_scalar(t, node.func, method.value)
    match method.name:
        case "conjugate" | "conj":
            return conjugate(t, number)
        case "item" if not node.args:
            return _number(t, node, number)
        case "astype" if len(node.args) == 1:
            return t.trace.graph.converted(
                t.arithmetic.cast(number, scalar_type(t, node.args[0], t.evaluate(node.args[0])))
            )
    t.error(node, f"method `{method.name}` is not supported")


def _number(t: Tracer, node: ast.Call, number: Scalar) -> Scalar:
    """A number as one of Python's."""
    weak = {"b": weak_bool, "i": weak_int, "u": weak_int, "f": weak_float}.get(number.type.kind, weak_complex)
    if weak == weak_int:
        return whole(t, node, number, weak)
    return t.trace.graph.converted(t.arithmetic.cast(number, weak))


def _item(t: Tracer, node: ast.Call, value: SymbolicValue) -> Scalar:
    """The element that `x.item(…)` means: the only one, one by its number, or by its subscripts."""
    array, places = lazy(t, node, value), node.args
    if node.keywords:
        t.error(node, "`item` takes no arguments by name")
    if len(places) == 1 and not isinstance(t.evaluate(places[0]), tuple):
        return as_scalar(t, node, _called_instead(t, node, np.take, [given(node.func, value), places[0]], []))
    if not places:
        for extent in array.shape:
            require(t, node, extent - 1, "`item` of an array without elements")
            require(t, node, ONE - extent, "`item` of an array of several elements")
        places = [ast.copy_location(ast.Constant(0), node)] * len(array.shape)
    elif len(places) != len(array.shape):
        t.error(node, f"`item` of an array of {len(array.shape)} axes takes no subscript, one, or one for each of them")
    index = places[0] if len(places) == 1 else ast.copy_location(ast.Tuple(list(places), ast.Load()), node)
    element = ast.Subscript(given(node.func, value), index, ast.Load())
    return as_scalar(t, node, t.evaluate(ast.copy_location(element, node)))
