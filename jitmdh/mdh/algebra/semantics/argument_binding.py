"""A call of a program: its arguments, the sizes they imply, and the checks that must hold before anything runs."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    BoundsError,
    DivisionError,
    InternalError,
    LinearAlgebraError,
    MdhError,
    RangeError,
    UnboundError,
)
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.expr import Allocation, ArrayParameter, Check, Parameter, Program, ScalarParameter
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.algebra.semantics.operations import Array
from jitmdh.mdh.algebra.sizes import evaluate_size

FAULTS: Mapping[str, type[MdhError]] = {
    "zero": DivisionError, "value": ArgumentValueError, "range": RangeError,
    "index": BoundsError, "unbound": UnboundError, "linalg": LinearAlgebraError,
}  # fmt: skip
"""What a fault of some kind is raised as; of others the kind is the name of an exception of Python's."""


class FallbackSignal(Exception):
    """The program does not cover this call: the undecorated function must run. Never reaches the user.

    raises: that function raises an error of its own.
    """

    def __init__(self, message: str, loc: Loc | None = None, raises: bool = False) -> None:
        super().__init__(message)
        self.message, self.loc, self.raises = message, loc, raises


def fault_error(kind: str, message: str, loc: Loc | None) -> Exception:
    """What a fault is raised as."""
    if kind in FAULTS:
        return FAULTS[kind](message, loc=loc)
    if kind == "raise":
        return FallbackSignal(message, loc, raises=True)
    own: type[Exception] = getattr(builtins, kind)
    error = own(message) if message else own()
    if loc is not None:
        error.add_note(f"raised by the compiled form of {loc}")
    return error


def bind(program: Program, args: Sequence[Any]) -> dict[str, Array]:
    """The argument buffers by name; scalars become rank-0 arrays. ArgumentTypeError unless they are as declared."""
    if len(args) != len(program.parameters):
        raise ArgumentTypeError(f"{program.name} takes {len(program.parameters)} arguments, got {len(args)}")
    return {p.name: _bound(program, p, a) for p, a in zip(program.parameters, args)}


def _bound(program: Program, parameter: Parameter, argument: Any) -> Array:
    where = f"{program.name}: argument {parameter.name}"
    if isinstance(parameter, ArrayParameter):
        if not isinstance(argument, np.ndarray):
            raise ArgumentTypeError(f"{where}: expected an array, got {type(argument).__name__}")
        if argument.ndim != parameter.rank or from_numpy(argument.dtype) != parameter.type:
            expected = f"{parameter.type} with {parameter.rank} dimensions"
            raise ArgumentTypeError(f"{where}: expected {expected}, got {argument.dtype} with {argument.ndim}")
        return argument
    try:
        return np.array(argument, parameter.type.numpy).reshape(())
    except OverflowError:
        raise ArgumentValueError(f"{where}: {argument} does not fit {parameter.type}") from None
    except (TypeError, ValueError):
        given = type(argument).__name__
        raise ArgumentTypeError(f"{where}: expected a scalar {parameter.type}, got {given}") from None


def sizes_of(program: Program, args: Sequence[Any]) -> dict[str, int]:
    """Every size name of the program: shapes and integers of the arguments, definitions, shapes of allocations."""
    return sizes_from(program, bind(program, args))


def check_call(program: Program, args: Sequence[Any]) -> None:
    """Raise if a check of the program fails for these arguments (FallbackSignal for kind "fallback")."""
    check_sizes(program, sizes_of(program, args))


def check_sizes(program: Program, sizes: Mapping[str, int]) -> None:
    """Like `check_call`, for sizes known already."""
    for check in failing(program, sizes):
        raise failure(check.kind, check.message, check.loc)


def failing(program: Program, sizes: Mapping[str, int]) -> Iterator[Check]:
    """The checks that do not hold for these sizes."""
    for check in program.checks:
        if check.value.evaluate(sizes) < 0 and all(w.evaluate(sizes) > 0 for w in check.when):
            yield check


def failure(kind: str, message: str, loc: Loc | None) -> Exception:
    """What a check of this kind raises."""
    match kind:
        case "bounds":
            return BoundsError(message, loc=loc)
        case "shape":
            return ArgumentValueError(message, loc=loc)
        case "zero" | "value":
            return FAULTS[kind](message, loc=loc)
        case "fallback" | "raise":
            return FallbackSignal(message, loc, raises=kind == "raise")
    return InternalError(f"no kind of check `{kind}`", loc=loc)


def sizes_from(program: Program, buffers: Mapping[str, Array]) -> dict[str, int]:
    """Like `sizes_of`, for arguments bound already."""
    sizes: dict[str, int] = {}
    for parameter in program.parameters:
        buffer = buffers[parameter.name]
        if not isinstance(parameter, ScalarParameter):
            sizes |= {shape_name(parameter.name, axis): n for axis, n in enumerate(buffer.shape)}
        elif parameter.type.is_integer:
            sizes[parameter.name] = int(buffer)
    for definition in program.definitions:
        try:
            sizes[definition.name] = evaluate_size(definition.value, sizes)
        except ZeroDivisionError:
            text = "an integer division or remainder by zero in a size"  # Python may never come to it
            raise FallbackSignal(text, program.loc) from None
    for allocation in program.allocations:
        for axis, extent in enumerate(allocation.shape):
            sizes[shape_name(allocation.name, axis)] = extent.evaluate(sizes)
    return sizes


def allocate(program: Program, sizes: Mapping[str, int]) -> dict[str, Array]:
    """The arrays the program makes for itself, by name. NumPy refuses negative extents; arrays in between are empty.

    What nobody has written is NaN, -1, the greatest number or True, so that results that depend on it differ.
    """
    made: dict[str, Array] = {}
    returned = program.returned
    for allocation in program.allocations:
        shape = tuple(extent.evaluate(sizes) for extent in allocation.shape)
        if allocation.name not in returned:
            shape = tuple(max(extent, 0) for extent in shape)
        elif min(shape, default=0) < 0:
            raise ArgumentValueError(f"negative dimensions are not allowed: {shape}", loc=allocation.loc)
        dtype = allocation.type.numpy
        fill = allocation.fill
        order: Literal["C", "F"] = "F" if allocation.fortran else "C"
        made[allocation.name] = np.full(shape, unknown(dtype) if fill is None else fill.value, dtype, order)
    return made


def unknown(dtype: np.dtype[Any]) -> float | int:
    return (
        np.nan if dtype.kind in "fcV" else 1 if dtype.kind == "b" else np.iinfo(dtype).max if dtype.kind == "u" else -1
    )


def local_arrays(local: Iterable[Allocation], sizes: Mapping[str, int]) -> dict[str, Array]:
    """The arrays of one point of steps together, of contents as in `allocate`."""
    made: dict[str, Array] = {}
    for allocation in local:
        shape = tuple(max(extent.evaluate(sizes), 0) for extent in allocation.shape)
        dtype = allocation.type.numpy
        made[allocation.name] = np.full(shape, unknown(dtype), dtype)
    return made


def in_rows(program: Program, buffers: Mapping[str, Array], sizes: Mapping[str, int]) -> dict[str, Array]:
    """The views of rows of a program. Their last row may reach beyond the array, where nothing looks."""
    made: dict[str, Array] = {}
    for view in program.views:
        array = buffers[view.of]
        shape = tuple(max(extent.evaluate(sizes), 0) for extent in view.shape)
        strides = [array.strides[0]]
        for extent in reversed(shape[1:]):
            strides.insert(0, strides[0] * extent)
        made[view.name] = np.lib.stride_tricks.as_strided(array, shape, strides)
    return made
