"""Functions of NumPy that are written in terms of others, in the room `numpy_functions`: inlined where they are called.

np.std(x, axis=0)     ->     sqrt(var(x, 0))     ->     …     errors are about the call, in the program's own line
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from types import ModuleType

import numpy as np

from jitmdh.base.dtype import ScalarType, float64, int64, is_same_kind, promote
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.algebra.semantics.returned_views import NAMED
from jitmdh.mdh.frontend.arrays.numpy_functions import (
    choices,
    forms,
    joining,
    linear_algebra,
    networks,
    ordering,
    parting,
    patterns,
    python_builtins,
    statistics,
    whole_numbers,
)
from jitmdh.mdh.frontend.arrays.shapes import integers, normalised
from jitmdh.mdh.frontend.python import inlining
from jitmdh.mdh.frontend.python.allocations import listed, operand
from jitmdh.mdh.frontend.python.array_expressions import (
    ONE,
    converted,
    elementwise,
    is_array,
    lazy,
    materialised,
    may_be_compressed,
    same_extent,
)
from jitmdh.mdh.frontend.python.records import like
from jitmdh.mdh.frontend.python.tracer import (
    Activation,
    Lazy,
    ListOf,
    LocalFunction,
    Masked,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    is_scalar,
)
from jitmdh.mdh.frontend.python.values import as_scalar, scalar_type
from jitmdh.mdh.frontend.source.library import function_name
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect

_MODULES: dict[ModuleType, str | None] = {
    statistics: "numpy", patterns: "numpy", joining: "numpy", ordering: "numpy", linear_algebra: "numpy.linalg",
    choices: "numpy", parting: "numpy", networks: None, python_builtins: "builtins", whole_numbers: "math",
}  # fmt: skip
"""Where the functions are written, and under which module of NumPy's they are found; None: others call them."""


@functools.cache
def definitions() -> Mapping[str, ast.FunctionDef]:
    """The functions, by their names."""
    trees = [ast.parse(inspect.getsource(module)) for module in _MODULES]
    return {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}


def _written(module: ModuleType) -> list[str]:
    return [n for n, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == module.__name__]


COMPOSED = {
    "numpy.divmod": "_quotients", "numpy.gcd": "_divisors", "numpy.lcm": "_multiples", "numpy.modf": "_parts",
    **{f"{of}.{n}": n for module, of in _MODULES.items() if of for n in _written(module) if n[0] != "_"},
    "numpy.trapz": "trapezoid", "numpy.linalg.cross": "cross", "numpy.linalg.trace": "trace",
}  # fmt: skip
"""What is written so, by the full name of NumPy's function."""

_OF_NUMBERS = (
    "linspace", "logspace", "geomspace", "arange", "eye", "identity", "interp", "triu_indices", "tril_indices",
    "diag_indices", "unravel_index", "ravel_multi_index", "indices", "fromfunction", "size", "tri", "hanning",
    "hamming", "blackman", "bartlett", "gcd", "lcm",
)  # fmt: skip

_ARRAYS = frozenset({"b", "v", "w", "x", "y", "xp", "fp", "weights", "values", "indices", "bins", "v2", "ar2",
                     "test_elements"})  # fmt: skip
"""Parameters behind the first one that take arrays, of which a list is one."""

_JOINING = ("concatenate", "stack", "vstack", "hstack", "column_stack", "dstack")

_AS_FUNCTIONS = ("var", "std", "trace", "argsort", "repeat", "searchsorted", "argpartition", "put")
METHODS = {name: name for name in _AS_FUNCTIONS} | {
    "sort": "_sort_in_place", "partition": "_partition_in_place", "fill": "_fill",
}  # fmt: skip
"""Methods of arrays that are, and by what."""


def parameters(name: str) -> tuple[str, ...]:
    """Those of a function, behind the first one."""
    spec = definitions()[name].args
    return tuple(a.arg for a in (*spec.args[1:], *spec.kwonlyargs))


def known(function: object) -> str | None:
    """The name of a function that is written here."""
    return COMPOSED.get(function_name(function) or "")


def call(
    t: Tracer, node: ast.Call, name: str, arguments: Sequence[SymbolicValue], keywords: Mapping[str, SymbolicValue]
) -> SymbolicValue:
    """`np.name(*arguments, **keywords)`."""
    if arguments and name not in _OF_NUMBERS and is_scalar(arguments[0]) and not name.startswith("_"):
        t.error(node, f"`{ast.unparse(node.func)}` of a number is not supported", hint="give it an array")
    given = [_as_array(t, node, a) for a in arguments]
    if name in _JOINING:
        given[:1] = [_rows_as_arrays(t, node, a) for a in given[:1]]
    for n, a in enumerate(given):
        if n == 0 or name == "ix_" or _ARRAYS.intersection(parameters(name)[n - 1 : n]):
            given[n] = operand(t, node, a) if isinstance(a, ListOf) else a
    named = {k: operand(t, node, v) if isinstance(v, ListOf) and k in _ARRAYS else v for k, v in keywords.items()}
    return inlining.call_local(t, node, _placed(t, node, name), given, named)


def _as_array(t: Tracer, node: ast.expr, value: SymbolicValue) -> SymbolicValue:
    """Elements that a mask chooses as an array, where they can be one; also those of arrays in a list."""
    if isinstance(value, tuple):
        return like(value, (_as_array(t, node, v) for v in value))
    return lazy(t, node, value) if isinstance(value, Masked) and may_be_compressed(t) else value


def _rows_as_arrays(t: Tracer, node: ast.Call, value: SymbolicValue) -> SymbolicValue:
    """`[[1.0, 2.0], x]` with its lists of numbers as arrays."""
    if not isinstance(value, tuple) or all(map(is_scalar, value)):
        return value
    parts = (listed(t, node, v) if isinstance(v, tuple) and v and all(map(is_scalar, v)) else v for v in value)
    return like(value, parts)


_KINDS = ((forms.is_inexact, "fc"), (forms.is_complex, "c"), (forms.is_whole, "iu"))
"""What is asked of a type, and the kinds of which it holds."""


def form(t: Tracer, node: ast.Call, function: object, given: Sequence[SymbolicValue]) -> SymbolicValue | None:
    """The value of a call of one of `forms`; None for all other functions."""
    if function is forms.refuse:
        t.error(node, _text(given[0]))
    if function is forms.failing:
        return _failing(t, node, given)
    if function is forms.alike:
        return _alike(t, node, given)
    if function is forms.as_long:
        return _as_long(t, node, given)
    if function is forms.along:
        return t.arithmetic.literal(_axis_along(t, node, given))
    if function is forms.named:
        return Structure(given[1:], NAMED[_text(given[0])]._fields, _text(given[0]), True)
    if function is forms.places_along:
        array, which = lazy(t, node, given[0]), given[1]
        assert isinstance(which, Constant) and isinstance(which.value, int)
        place = which.value
        return Lazy(array.shape, int64, lambda index: t.arithmetic.cast(t.arithmetic.index(index[place]), int64))
    if function is forms.is_tuple:
        return t.arithmetic.literal(isinstance(given[0], tuple))
    if function is forms.is_text:
        return t.arithmetic.literal(isinstance(given[0], Static) and isinstance(given[0].value, str))
    for asked, letters in _KINDS:
        if function is asked:
            return t.arithmetic.literal(scalar_type(t, node, given[0]).kind in letters)
    if function is forms.takes_in:
        return t.arithmetic.literal(is_same_kind(lazy(t, node, given[1]).type, scalar_type(t, node, given[0])))
    if function is forms.is_truth:
        return t.arithmetic.literal(lazy(t, node, given[0]).type.kind == "b")
    if function is forms.are_whole:
        return t.arithmetic.literal(all(as_scalar(t, node, one).type.kind in "biu" for one in given))
    if function is forms.meet_as_floats:
        kinds = [lazy(t, node, one).type for one in given]
        return t.arithmetic.literal(all(x.kind in "biu" for x in kinds) and reduce(promote, kinds).kind == "f")
    if function is forms.is_from_data:
        known = affine(as_scalar(t, node, given[0]))
        alone = t.recorder is None and not t.trace.leaving
        return t.arithmetic.literal(known is None or has_indirect(known) or not alone)
    if function is forms.exchanges:
        return _exchanges(t, affine(as_scalar(t, node, given[0])))
    if function is forms.greatest:
        return _greatest(t, scalar_type(t, node, given[0]).concrete)
    if function is forms.is_function:
        (value,) = given
        return t.arithmetic.literal(
            isinstance(value, LocalFunction) or (isinstance(value, Static) and callable(value.value))
        )
    if function is forms.largest:
        return t.arithmetic.literal(float(np.finfo(scalar_type(t, node, given[0]).concrete.numpy).max))
    if function is forms.common_type:
        values, other = given
        types = [lazy(t, node, one).type for one in (*(values if isinstance(values, tuple) else ()), other)]
        return Static(reduce(promote, types).concrete.numpy)
    if function is forms.float_type:
        types = [as_scalar(t, node, one).type for one in given]
        strong = [x.numpy if x.kind in "fc" else np.float64 for x in types if not x.is_weak]
        return Static(np.result_type(*(strong or [np.float64])))
    return None


def _axis_along(t: Tracer, node: ast.Call, given: Sequence[SymbolicValue]) -> int:
    (axis,), (rank, *more) = integers(t, node.args[0], given[0]), integers(t, node, tuple(given[1:]))
    if rank <= axis < rank + sum(more):
        return axis
    (found,) = normalised(t, node, (axis,), rank)
    return found


def _alike(t: Tracer, node: ast.Call, given: Sequence[SymbolicValue]) -> SymbolicValue:
    but = given[2].value if isinstance(given[2], Constant) else None
    for n, (one, other) in enumerate(zip(*(lazy(t, node, array).shape for array in given[:2]))):
        if n != but:
            same_extent(t, node, one, other)
    return Static(None)


def _as_long(t: Tracer, node: ast.Call, given: Sequence[SymbolicValue]) -> SymbolicValue:
    one, other = (affine(as_scalar(t, node, length)) for length in given)
    if one is None or other is None:
        t.error(node, f"how long the operands of `{ast.unparse(node.func)}` are is known only when the function runs")
    same_extent(t, node, one, other)
    return Static(None)


def _greatest(t: Tracer, type: ScalarType) -> Scalar:
    number = math.inf if type.kind == "f" else type.kind == "b" or type.limits()[1]
    return t.trace.graph.constant(number, type)


def _exchanges(t: Tracer, count: Affine | None) -> SymbolicValue:
    found = forms.exchanges(count.constant) if count is not None and count.is_constant else None
    if found is None:
        return Static(None)
    number, (first, steps, last) = t.arithmetic.literal, found
    return tuple(map(number, first)), tuple((number(i), number(j)) for i, j in steps), tuple(map(number, last))


def _failing(t: Tracer, node: ast.Call, given: Sequence[SymbolicValue]) -> SymbolicValue:
    value, wrong, kind, text = given

    def failing(operands: Sequence[Scalar]) -> Scalar:
        number, fails = operands
        return t.faulted(node, number, fails, _text(kind), _text(text))

    if is_array(t, value):
        return elementwise(t, node, (value, wrong), failing)
    return failing([as_scalar(t, node, value), as_scalar(t, node, wrong)])


def _text(value: SymbolicValue) -> str:
    assert isinstance(value, Static) and isinstance(value.value, str)
    return value.value


def assembled(t: Tracer, node: ast.Subscript, function: object) -> SymbolicValue | None:
    """`np.mgrid[…]`, `np.ogrid[…]`, `np.r_[…]` and `np.c_[…]`; None for what is no such object."""
    if function is np.mgrid:
        return _grid(t, node, "_mgrid")
    if function is np.ogrid:
        return _grid(t, node, "_ogrid")
    if function is not np.r_ and function is not np.c_:
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    values = [_range(t, part) if isinstance(part, ast.Slice) else t.evaluate(part) for part in parts]
    values = [listed(t, n, v) if isinstance(v, tuple) else _as_array(t, node, v) for n, v in zip(parts, values)]
    for part, value in zip(parts, values):
        if not is_array(t, value) and not is_scalar(value):
            hint = "np.concatenate and np.column_stack take arrays"
            t.error(part, f"`{ast.unparse(part)}` in `{ast.unparse(node)}` is not supported", hint=hint)
    types = [lazy(t, node, v).type if is_array(t, v) else as_scalar(t, node, v).type for v in values]
    type = reduce(promote, types).concrete
    arrays = [_one_element(t, node, v, type) if is_scalar(v) else v for v in values]
    name = "_joined" if function is np.r_ else "column_stack"
    return call(t, _as_call(node), name, [ListOf(arrays)], {})


def _one_element(t: Tracer, node: ast.AST, value: SymbolicValue, type: ScalarType) -> Lazy:
    number = t.arithmetic.cast(as_scalar(t, node, value), type)
    return Lazy((ONE,), type, lambda index: number)


def _as_call(node: ast.Subscript, *arguments: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(node.value, list(arguments), []), node)


def _range(t: Tracer, part: ast.Slice) -> SymbolicValue:
    """`a:b:c` as np.arange has it, `a:b:nj` as np.linspace."""
    if part.upper is None:
        t.error(part, f"`{ast.unparse(part)}` has no end")
    first = t.arithmetic.literal(0) if part.lower is None else t.evaluate(part.lower)
    end, step = t.evaluate(part.upper), t.arithmetic.literal(1) if part.step is None else t.evaluate(part.step)
    node = ast.copy_location(ast.Call(ast.Name("range", ast.Load()), [], []), part)
    if isinstance(step, Constant) and isinstance(step.value, complex):
        return call(t, node, "linspace", [first, end, t.arithmetic.literal(int(abs(step.value)))], {})
    return call(t, node, "arange", [first, end, step], {})


def _grid(t: Tracer, node: ast.Subscript, name: str) -> SymbolicValue:
    """`np.mgrid[a:b, c:d:nj]`, of up to three slices, and np.ogrid. name: the function that it calls."""
    slices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(slices) > 3 or not all(isinstance(s, ast.Slice) and s.upper for s in slices):
        t.error(node, f"`{ast.unparse(node)}` is not supported", hint="it takes up to three slices here")
    ranges = [_range(t, part) for part in slices if isinstance(part, ast.Slice)]
    types = [lazy(t, node, one).type for one in ranges]
    if any(one != types[0] for one in types):  # NumPy makes all of them floats
        ranges = [converted(t, node, one, float64) for one in ranges]
    if len(ranges) == 1 and not isinstance(node.slice, ast.Tuple):
        return ranges[0]
    return call(t, _as_call(node), name, [tuple(ranges)], {})


def reduced_at(t: Tracer, node: ast.Call, ufunc: np.ufunc, arguments: Sequence[SymbolicValue]) -> SymbolicValue:
    """`np.add.reduceat(x, indices)`."""
    if len(arguments) != 2 or node.keywords:
        t.error(node, f"`{ast.unparse(node.func)}` takes an array and indices here, nothing more")
    places = listed(t, node.args[1], arguments[1]) if isinstance(arguments[1], tuple) else arguments[1]
    array = arguments[0]
    array = materialised(t, node.args[0], array) if isinstance(array, Lazy) else array
    return call(t, node, "_reduced_at", [Static(ufunc), array, places], {})


def _placed(t: Tracer, node: ast.Call, name: str) -> LocalFunction:
    """One of the functions, as if it stood where it is called, and those that it calls."""
    around = Activation(replace(t.frame.source, place=t.loc(node)), {})
    for module in _MODULES:
        for own, value in vars(module).items():
            if own not in definitions() and not own.startswith("__"):
                around.env[own] = t.arithmetic.literal(value) if isinstance(value, float) else Static(value)
    inside = Activation(replace(around.source, inside=True), around.env)
    for own in _needed(name):
        definition = definitions()[own]
        spec = definition.args
        defaults = dict(zip([a.arg for a in spec.args][len(spec.args) - len(spec.defaults) :], spec.defaults))
        defaults |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults) if d is not None}
        values = {n: t.evaluate(d) if isinstance(d, ast.Constant) else _type(d) for n, d in defaults.items()}
        values |= {n: t.evaluate(d) for n, d in defaults.items() if isinstance(d, ast.UnaryOp)}
        around.env[own] = LocalFunction(definition, inside if own in vars(networks) else around, values)
    found = around.env[name]
    assert isinstance(found, LocalFunction)
    return found


@functools.cache
def _needed(name: str) -> tuple[str, ...]:
    """The function of this name, and all that it calls, directly or not."""
    found = [name]
    for own in found:
        names = {n.id for n in ast.walk(definitions()[own]) if isinstance(n, ast.Name)}
        found += sorted((names & definitions().keys()) - set(found))
    return tuple(found)


def _type(node: ast.expr) -> SymbolicValue:
    """A type that is a default."""
    name = node.id if isinstance(node, ast.Name) else ""
    return Static({"float": float, "int": int}.get(name, vars(patterns).get(name)))
