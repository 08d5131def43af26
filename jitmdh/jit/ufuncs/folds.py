"""`reduce` and `accumulate` of functions of two numbers: loops around the function, along an axis of an array."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any, Protocol

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ConfigurationError
from jitmdh.jit.ufuncs.loop_types import Loop
from jitmdh.jit.ufuncs.nests import Nests
from jitmdh.jit.ufuncs.operands import Array, Operand, operand, require_castable, type_key
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator

NOT_GIVEN: Any = object()


class Folded(Protocol):
    """What a fold asks of a universal function."""

    __name__: str
    py_func: FunctionType
    nin: int
    nout: int
    identity: Any
    reorderable: bool
    nests: Nests

    def loop(self, operands: Sequence[Operand], dtype: Any = None, casting: Any = "same_kind") -> Loop:
        """The types to compute with."""


def require_two(ufunc: Folded, method: str) -> None:
    """ConfigurationError for a function that is not one of two numbers with one result."""
    if (ufunc.nin, ufunc.nout) != (2, 1):
        raise ConfigurationError(f"{ufunc.__name__}.{method}: only functions of two numbers with one result have it")


def reduce(ufunc: Folded, array: Any, axis: Any, dtype: Any, out: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    """As `UniversalFunction.reduce`."""
    require_two(ufunc, "reduce")
    given, state = _array(ufunc, array, dtype)
    axes = tuple(range(given.ndim)) if axis is None else _axes(ufunc, axis, given.ndim)
    _require_order(ufunc, axes, where, initial)
    mask = None if where is True else np.broadcast_to(np.asarray(where, bool), given.shape)
    shape = tuple(1 if n in axes else extent for n, extent in enumerate(given.shape))
    results = shape if keepdims else tuple(extent for n, extent in enumerate(given.shape) if n not in axes)
    target = _target(ufunc, out, results, state)
    elements = _last(given, axes).astype(state, copy=target is not None and np.may_share_memory(given, target))
    kept = _last(mask, axes) if mask is not None else None
    made = np.empty_like(elements[..., 0]) if elements.shape[-1] else np.empty(elements.shape[:-1], state)
    start = ufunc.identity if initial is NOT_GIVEN else initial
    if start is not None and (initial is not NOT_GIVEN or mask is not None or not elements.shape[-1]):
        made[...] = start
    elif made.size:
        if not elements.shape[-1]:
            name = ufunc.__name__
            raise ArgumentValueError(f"{name}.reduce: no elements to reduce, and `{name}` has no identity",
                                     hint="give initial=")  # fmt: skip
        made[...], elements = elements[..., 0], elements[..., 1:]
    if made.size and elements.shape[-1]:
        operator = DeclaredOperator(ufunc.py_func) if ufunc.reorderable and kept is None else None
        operands = [elements] if kept is None else [elements, kept]
        ufunc.nests.reduce(made.ndim, kept is not None, operator)(*operands, made)
    return _given(made.reshape(results), target)


def accumulate(ufunc: Folded, array: Any, axis: int, dtype: Any, out: Any) -> Any:
    """As `UniversalFunction.accumulate`."""
    require_two(ufunc, "accumulate")
    given, state = _array(ufunc, array, dtype)
    if not given.ndim:
        raise ArgumentTypeError(f"{ufunc.__name__}.accumulate: a number has no axis")
    (along,) = _axes(ufunc, axis, given.ndim)
    target = _target(ufunc, out, given.shape, state)
    elements = np.moveaxis(given, along, -1).astype(state)
    if elements.shape[-1] > 1 and elements.size:
        made = elements.copy()
        ufunc.nests.accumulate(made.ndim - 1)(elements, made)
        elements = made
    return _given(np.moveaxis(elements, -1, along), target)


def _array(ufunc: Folded, array: Any, dtype: Any) -> tuple[Array, Any]:
    """The operand, and the type of partial results: one that the function gives for two of it."""
    given = operand(ufunc.__name__, array if np.ndim(array) else np.asarray(array))
    assert isinstance(given, np.ndarray)
    state = type_key(given) if dtype is None else np.dtype(dtype)
    for _ in range(3):
        sample = np.zeros(1, state)
        loop = ufunc.loop([sample, sample], dtype)
        if loop.outputs[0] == state:
            return given, state
        state = loop.outputs[0]
    raise ArgumentTypeError(f"{ufunc.__name__} has no loop whose result is of the type of its operands")


def _axes(ufunc: Folded, axis: Any, rank: int) -> tuple[int, ...]:
    return tuple(normalize_axis_tuple(axis, rank, f"{ufunc.__name__}: axis"))


def _require_order(ufunc: Folded, axes: tuple[int, ...], where: Any, initial: Any) -> None:
    name = ufunc.__name__
    if len(axes) > 1 and not ufunc.reorderable:
        raise ArgumentValueError(
            f"{name}.reduce: `{name}` is not reorderable, so at most one axis may be given",
            hint=f"if {name} is associative and commutative, declare it: mdh.vectorize(identity=…)",
        )
    if where is not True and (ufunc.identity if initial is NOT_GIVEN else initial) is None:
        raise ArgumentValueError(f"{name}.reduce: `{name}` has no identity, so where= needs initial=")


def _last(array: Array, axes: tuple[int, ...]) -> Array:
    """`array` with these axes as its last one; with one axis more before it if that is all."""
    kept = [n for n in range(array.ndim) if n not in axes]
    moved = array.transpose([*kept, *sorted(axes)])
    count = int(np.prod([array.shape[n] for n in axes], dtype=np.int64))
    return moved.reshape((*(array.shape[n] for n in kept), count) if kept else (1, count))


def _target(ufunc: Folded, out: Any, shape: tuple[int, ...], state: Any) -> Array | None:
    """The array for results. ArgumentTypeError and ArgumentValueError where they do not go there."""
    (target,) = out if isinstance(out, tuple) and len(out) == 1 else (out,)
    if target is None:
        return None
    if not isinstance(target, np.ndarray):
        raise ArgumentTypeError(f"{ufunc.__name__}: out must be an array")
    if target.shape != shape:
        raise ArgumentValueError(f"{ufunc.__name__}: out has shape {target.shape}, the result {shape}")
    require_castable(ufunc.__name__, [state], [target], "same_kind")
    return target


def _given(made: Array, target: Array | None) -> Any:
    if target is None:
        return made[()] if made.ndim == 0 else made
    np.copyto(target, made, casting="unsafe")
    return target


__all__ = ["NOT_GIVEN", "accumulate", "reduce", "require_two"]
