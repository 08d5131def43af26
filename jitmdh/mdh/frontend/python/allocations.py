"""Arrays made inside the function: `np.zeros((m, n), dtype)`, `np.empty_like(x)`, …"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NoReturn, TypeAlias

import numpy as np

from jitmdh.base.dtype import ScalarType, float64
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, Variable
from jitmdh.mdh.frontend.python.array_expressions import (
    converted,
    is_array,
    is_fortran,
    lazy,
    materialised,
    of_iteration,
    require,
)
from jitmdh.mdh.frontend.python.records import Fields
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Lazy,
    ListOf,
    Masked,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    UnrolledError,
    is_scalar,
)
from jitmdh.mdh.frontend.python.values import as_scalar, scalar_type, type_of_elements
from jitmdh.mdh.frontend.source.library import function_name
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, has_indirect

MOST_ELEMENTS = 128
"""Of an array that is written out in the source: they are chosen from, one by one."""

ALLOCATING = {
    f"numpy.{kind}{like}": (kind, bool(like)) for kind in ("zeros", "empty", "ones", "full") for like in ("", "_like")
}


def allocate(t: Tracer, node: ast.Call, function: object) -> SymbolicValue | None:
    """The array that a call makes; None if it is a call of something else."""
    found = ALLOCATING.get("numpy.empty" if function is np.ndarray else function_name(function) or "")
    if found is None:
        return None
    kind, like = found
    names = ["shape", "fill_value", "dtype"] if kind == "full" else ["shape", "dtype"]
    arguments = dict(zip(names, node.args)) | {k.arg: k.value for k in node.keywords if k.arg is not None}
    unknown = next((k for k in arguments if k not in names), None)
    if unknown is not None or "shape" not in arguments:
        missing = f"`{ast.unparse(node.func)}` is called without its argument `shape`"
        t.error(node, f"argument `{unknown}` of np.{kind} is not supported" if unknown else missing)
    first = t.evaluate(arguments["shape"])
    of = _array(t, node, first) if like else None
    fortran = of is not None and bool(is_fortran(t, of))
    shape, type = (shape_of(t, arguments["shape"], first), float64) if of is None else (of.shape, of.type)
    fill: Scalar | None = None
    if kind == "full":
        fill = as_scalar(t, arguments["fill_value"], t.evaluate(arguments["fill_value"]))
        type = type if like or "dtype" in arguments else type_of_elements(t, node, (fill,))
    if "dtype" in arguments:
        given = t.evaluate(arguments["dtype"])
        if not (hasattr(given, "value") and given.value is None):
            type = scalar_type(t, arguments["dtype"], given)
    if kind in ("zeros", "ones"):
        fill = t.arithmetic.literal(0 if kind == "zeros" else 1)
    fill = None if fill is None else t.arithmetic.cast(fill, type)
    if fill is not None and not isinstance(fill, Constant):
        number = fill
        return materialised(t, node, Lazy(shape, type, lambda index: number, fortran=fortran))
    return new_array(t, node, shape, type, fill, fortran)


Stacked: TypeAlias = Callable[[Tracer, ast.Call, SymbolicValue], SymbolicValue]


def literal(t: Tracer, node: ast.Call, function: object, stacked: Stacked) -> SymbolicValue | None:
    """`np.array([[1, 2], [3, x]])` of numbers, as an array of its own, and of an array; None for anything else.
    stacked: what makes one of a list of arrays."""
    if function_name(function) not in ("numpy.array", "numpy.asarray") or not node.args:
        return None
    first = t.evaluate(node.args[0])
    if not isinstance(first, tuple) and not is_array(t, first):
        return None
    options = dict(zip(["dtype"], node.args[1:])) | {k.arg: k.value for k in node.keywords if k.arg is not None}
    copies = options.pop("copy", None)
    if copies is not None and getattr(t.evaluate(copies), "value", None) is not True:
        t.error(copies, "np.array and np.asarray copy, or as they do without `copy`, here")
    if set(options) - {"dtype"}:
        t.error(node, f"argument `{next(o for o in options if o != 'dtype')}` of np.array is not supported")
    if isinstance(first, tuple) and first and all(is_array(t, part) for part in first):
        first = stacked(t, node, first)
    if isinstance(first, tuple):
        return listed(t, node.args[0], first, options.get("dtype"))
    array = lazy(t, node.args[0], first)
    type = array.type
    if "dtype" in options:
        type = scalar_type(t, options["dtype"], t.evaluate(options["dtype"]))
    if type == array.type and function_name(function) == "numpy.asarray" and copies is None:
        return first
    return materialised(t, node, converted(t, node, array, type))


def listed(t: Tracer, node: ast.AST, first: tuple[SymbolicValue, ...], dtype: ast.expr | None = None) -> SymbolicValue:
    """The array that `np.array` makes of a list of numbers, or of rows."""
    shape: list[int] = []
    rows: list[SymbolicValue] = [first]
    while all(isinstance(row, tuple) for row in rows):
        lengths = {len(row) for row in rows if isinstance(row, tuple)}
        if len(lengths) > 1:
            t.error(node, "rows of an array have several lengths")
        shape.append(lengths.pop())
        rows = [part for row in rows if isinstance(row, tuple) for part in row]
        if not rows:
            break
    numbers = [as_scalar(t, node, part) for part in rows]
    if len(numbers) > MOST_ELEMENTS:
        t.error(node, f"an array of {len(numbers)} elements is written out", hint="pass it as an argument")
    type = float64
    if dtype is not None:
        type = scalar_type(t, dtype, t.evaluate(dtype))
    elif numbers:
        type = type_of_elements(t, node, numbers, listed=True)
    return materialised(t, node, chosen_from(t, numbers, tuple(shape), type))


def operands(t: Tracer, node: ast.AST, *values: SymbolicValue) -> tuple[SymbolicValue, ...]:
    """What an operator takes, of which one is an array: lists beside it are arrays, too."""
    if not any(is_array(t, v) for v in values):
        return values
    if isinstance(node, ast.AugAssign) and isinstance(values[0], ListOf):
        t.error(node, "a list that an array is added to takes its elements", hint="np.concatenate joins arrays")
    return tuple(operand(t, node, v) for v in values)


def operand(t: Tracer, node: ast.AST, value: SymbolicValue) -> SymbolicValue:
    """A list or tuple of numbers, or of rows of them, as the array that NumPy makes of it; anything else as it is."""
    return listed(t, node, value) if isinstance(value, tuple) and value and _is_of_numbers(value) else value


def _is_of_numbers(value: tuple[SymbolicValue, ...]) -> bool:
    if isinstance(value, Structure | Fields):
        return False
    return all(_is_of_numbers(part) if isinstance(part, tuple) else is_scalar(part) for part in value)


class ConstantTable(Lazy):
    """Constants of a tuple, of which data choose one."""


def element_of_tuple(
    t: Tracer, node: ast.Subscript, value: tuple[SymbolicValue, ...], index: SymbolicValue
) -> SymbolicValue | ConstantTable:
    """The element that a constant says; where data or an argument say which, the tuple's constants as an array."""
    if isinstance(index, Constant) and isinstance(index.value, int):
        if not -len(value) <= index.value < len(value):
            t.error(node, f"index {index.value} is out of range for a tuple of {len(value)}")
        return value[index.value]
    number = index if isinstance(index, Constant | Variable | IndexValue | Operation) else None
    place = None if number is None else affine(number)
    names = frozenset() if place is None else frozenset(place.names)
    unrolled = {dim.name for dim in t.trace.block.dims if dim.room.is_constant}
    if names.isdisjoint(unrolled) and (table := _table(t, value, number)) is not None:
        return table
    hint = "loop over it: for v in …, or over a range of constants"
    refusal = UnrolledError("a tuple needs a constant subscript", loc=t.loc(node.slice), hint=hint)
    refusal.names = names
    raise refusal


def part_of_tuple(
    t: Tracer, node: ast.Subscript, value: tuple[SymbolicValue, ...], part: ast.Slice
) -> tuple[SymbolicValue, ...]:  # fmt: skip
    """`shape[:2]`: constants say which elements."""
    bounds: list[int | None] = []
    for at in (part.lower, part.upper, part.step):
        bound = Static(None) if at is None else t.evaluate(at)
        if isinstance(bound, Constant) and isinstance(bound.value, int):
            bounds.append(int(bound.value))
        elif isinstance(bound, Static) and bound.value is None:
            bounds.append(None)
        else:
            t.error(node, "a tuple needs constant bounds of a slice", hint="loop over it: for v in …")
    if bounds[2] == 0:
        t.error(node, "the step of a slice is 0")
    chosen = tuple(value)[slice(*bounds)]
    return ListOf(chosen) if isinstance(value, ListOf) else chosen


def _table(t: Tracer, value: tuple[SymbolicValue, ...], index: Scalar | None) -> ConstantTable | None:
    """A tuple of constants, all of one of Python's types, as an array of these."""
    numbers = [part for part in value if isinstance(part, Constant)]
    types = {part.type for part in numbers}
    if index is None or index.type.kind not in "iu" or len(types) != 1:
        return None
    if len(numbers) < len(value) or len(numbers) > MOST_ELEMENTS or isinstance(value, Structure | Fields):
        return None
    made = chosen_from(t, list(numbers), (len(numbers),), types.pop())
    return ConstantTable(made.shape, made.type, made.at)


def chosen_from(t: Tracer, numbers: list[Scalar], shape: tuple[int, ...], type: ScalarType) -> Lazy:
    """The array of these elements, in the order of C: each is chosen where it is used."""
    values = [t.arithmetic.cast(n, type) for n in numbers] or [t.arithmetic.cast(t.arithmetic.literal(0), type)]

    def at(index: tuple[Affine, ...]) -> Scalar:
        place = Affine()
        for i, extent in zip(index, shape):
            place = place * extent + i
        return _picked(t, values, place, 0)

    return Lazy(tuple(Affine((), n) for n in shape), type, at)


def _picked(t: Tracer, values: list[Scalar], place: Affine, first: int) -> Scalar:
    """`values[place - first]`."""
    if place.is_constant and 0 <= place.constant - first < len(values):
        return values[place.constant - first]
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    left, right = _picked(t, values[:half], place, first), _picked(t, values[half:], place, first + half)
    if left is right:
        return left
    before = t.arithmetic.apply("lt", t.arithmetic.index(place), t.arithmetic.literal(first + half))
    return t.arithmetic.select(before, left, right)


def new_array(
    t: Tracer, node: ast.AST, shape: tuple[Affine, ...], type: ScalarType, fill: Scalar | None, fortran: bool = False
) -> ArrayRef | Lazy:
    if t.trace.block.loop is not None or t.recorder is not None or has_indirect(*shape):
        return of_iteration(t, node, shape, type, fill)
    if has_indirect(*shape):
        hint = "allocate it as large as it may be, and use a part of it"
        t.error(node, "the length of an array is read from data", "arrays are allocated before anything is read", hint)
    name = t.trace.fresh(t.names or "array")
    t.trace.buffers[name] = BufferInfo(name, type, shape, None, fill, allocated=True, fortran=fortran)
    return ArrayRef(name)


def _array(t: Tracer, node: ast.Call, first: SymbolicValue) -> Lazy:
    if not is_array(t, first) or isinstance(first, Masked):
        t.error(node, f"`{ast.unparse(node.args[0])}` is not an array")
    return lazy(t, node, first)


def shape_of(t: Tracer, node: ast.expr, first: SymbolicValue) -> tuple[Affine, ...]:
    """A shape that is given as a number or a tuple. Where an extent is negative, the undecorated function runs."""
    parts = first if isinstance(first, tuple) else (first,)
    shape = []
    for part in parts:
        number = as_scalar(t, node, part)
        extent = affine(number)
        if extent is None and t.recorder is not None and number.type.kind in "iu":
            extent = t.recorder.number(number)
        if extent is None or number.type.kind == "b":
            _no_size(t, node, number)
        require(t, node, extent, f"shape `{ast.unparse(node)}` has a negative dimension")
        shape.append(extent)
    return tuple(shape)


def _no_size(t: Tracer, node: ast.expr, number: Scalar) -> NoReturn:
    written = ast.unparse(node)
    if number.type.kind not in "iu":
        kind = {"f": "float", "c": "complex", "b": "bool"}[number.type.kind]
        t.error(node, f"shape `{written}` is not made of sizes: there is a {kind} in it", hint="give it integers")
    reason = "arrays are allocated before anything is read: lengths are computed from sizes and integer arguments"
    reason += " by +, -, *, //, %, min and max"
    hint = f"compute `{written}` before the call, and make it an argument"
    t.error(node, f"shape `{written}` is not made of sizes", reason, hint)
