"""`mdh.einsum`: NumPy's einsum as compiled code, and over other semirings than (+, ×).

Each contraction (subscripts, types, order) is a function of its own, compiled, remembered and stored like decorated
ones. What needs no computing, or no numbers, is left to NumPy: views, and arrays of objects.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.jit.decorator import JitFunction
from jitmdh.jit.programs import function_of
from jitmdh.mdh.frontend.einsum.notation import extents, from_sublists, parse
from jitmdh.mdh.frontend.einsum.programs import Contraction, Semiring, contraction, semiring

Array = np.ndarray[Any, Any]

_ORDERS = ("C", "F", "A", "K")
_MOST_KNOWN = 1024
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def einsum(
    *operands: Any,
    out: Array | None = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Any = None,
    combine: Any = None,
    scalar: Any = None,
) -> Any:
    """`np.einsum`, compiled: `einsum("ij,jk->ik", A, B)` or `einsum(A, [0, 1], B, [1, 2], [0, 2])`.

    combine, scalar: what replaces the sum and the product, e.g. `combine=mdh.min, scalar=mdh.add` for shortest paths.
    optimize: as for NumPy; None: the order of the contractions of three or more operands is optimised.
    Operands may be tensors of `jitmdh.tensor`: constants, and `S.filled(array)` for those of which only the zeros are
    known. Known zeros then take part in nothing; of the options there is `out` only.
    Raises ValueError for subscripts that are wrong or do not fit, TypeError for types, as NumPy does.

    >>> M = np.arange(6.0).reshape(2, 3)
    >>> einsum("ij->i", M)
    array([ 3., 12.])
    >>> einsum("ij,j->i", M, np.array([0.0, 10.0, 20.0]), combine=min, scalar=np.add)
    array([0., 3.])
    """
    plain = out is None and dtype is None and order == "K" and casting == "safe" and optimize is None
    key = _key(operands, combine, scalar) if plain else None
    if key is not None and key in _known:
        return _known[key](*operands[1:])
    text, given = _arguments(operands)
    if _has_tensors(given):
        if combine or scalar or dtype is not None or order != "K" or casting != "safe" or optimize is not None:
            raise ArgumentTypeError("einsum: with tensors among the operands, `out` is the only option")
        from jitmdh.jit.einsum.tensors import einsum_of_tensors

        return einsum_of_tensors(text, given, out)
    if order not in _ORDERS:
        raise ArgumentValueError(f"einsum: order must be one of {', '.join(_ORDERS)}, got {order!r}")
    if casting not in _CASTINGS:
        raise ArgumentValueError(f"einsum: casting must be one of {', '.join(_CASTINGS)}, got {casting!r}")
    if out is not None and not isinstance(out, np.ndarray):
        raise ArgumentTypeError(f"einsum: out must be an array, got {type(out).__name__}")
    arrays = [np.asarray(a) for a in given]
    ring = semiring(combine, scalar)
    if ring.is_ordinary and (not all(map(_is_numeric, arrays)) or (out is not None and not _is_numeric(out))):
        return np.einsum(text, *arrays, out=out, dtype=dtype, order=order, casting=casting)  # type: ignore[call-overload]
    subscripts = parse(text, tuple(a.ndim for a in arrays))
    if out is not None and out.ndim != len(subscripts.output):
        raise ArgumentValueError(f"einsum: out has {out.ndim} dimensions, the result {len(subscripts.output)}")
    if ring.is_ordinary and len(arrays) == 1 and out is None and not subscripts.summed:
        return np.einsum(text, arrays[0], order=order)  # type: ignore[call-overload]
    try:
        result_dtype = _result_dtype(arrays, out, dtype, casting)
    except ArgumentTypeError:
        extents(subscripts, [a.shape for a in arrays])  # like NumPy, complain about shapes first
        raise
    result = _compute(text, arrays, result_dtype, ring, _hashable(optimize), out, key)
    return np.asfortranarray(result) if order == "F" and out is None and isinstance(result, np.ndarray) else result


_known: dict[Any, JitFunction[..., Any]] = {}
"""Functions of calls without options, by text, types and shapes; the shortest way to them."""


def _key(operands: Sequence[Any], combine: Any, scalar: Any) -> Any:
    """What a call without options depends on; None if it has to be looked at more closely."""
    arrays = operands[1:]
    if not arrays or not isinstance(operands[0], str) or not all(type(a) is np.ndarray for a in arrays):
        return None
    return (operands[0], combine, scalar, *[(a.dtype, a.shape) for a in arrays])


def _has_tensors(operands: Sequence[Any]) -> bool:
    """Whether some are tensors of formulas; where nothing has imported these, none is."""
    kinds = sys.modules.get("jitmdh.mdh.frontend.tensor.notation.expr")
    return kinds is not None and any(isinstance(a, kinds.Tensor | kinds.Filled) for a in operands)


def _arguments(operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """The subscripts string and the operands."""
    if not operands or (len(operands) == 1 and isinstance(operands[0], str | bytes)):
        raise ArgumentValueError("einsum: expected subscripts and at least one operand")
    first = operands[0]
    if isinstance(first, str | bytes):
        return (first.decode("ascii") if isinstance(first, bytes) else first), list(operands[1:])
    return from_sublists(operands)


def _is_numeric(array: Array) -> bool:
    try:
        from_numpy(array.dtype.newbyteorder("="))
    except ArgumentTypeError:
        return False
    return True


def _result_dtype(arrays: Sequence[Array], out: Array | None, dtype: Any, casting: Any) -> np.dtype[Any]:
    """The type to compute in. ArgumentTypeError where `casting` forbids a conversion."""
    given = [*arrays, *([] if out is None else [out])]
    result = np.result_type(*(a.dtype for a in given)) if dtype is None else np.dtype(dtype)
    for number, array in enumerate(given):
        if not np.can_cast(array.dtype, result, casting):
            name = "out" if array is out else f"operand {number}"
            raise ArgumentTypeError(f"einsum: {name}: cannot cast {array.dtype} to {result} ({casting})")
    if out is not None and not np.can_cast(result, out.dtype, casting):
        raise ArgumentTypeError(f"einsum: cannot cast {result} to {out.dtype}, the type of out ({casting})")
    return result


def _hashable(optimize: Any) -> Any:
    return tuple(optimize) if isinstance(optimize, list) else optimize


def _compute(
    text: str, arrays: list[Array], dtype: np.dtype[Any], ring: Semiring, optimize: Any, out: Array | None, key: Any
) -> Any:
    if not all(a.dtype.isnative for a in arrays):
        arrays, key = [a.astype(a.dtype.type, copy=False) for a in arrays], None
    shapes, types = tuple(a.shape for a in arrays), tuple(a.dtype for a in arrays)
    function, shape = _planned(text, shapes, types, dtype.newbyteorder("="), ring, optimize, None)
    if key is not None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = function
    if out is None:
        return function(*arrays)
    _check_out(out, shape)
    if out.shape != shape or not out.dtype.isnative or not out.flags.writeable:
        np.copyto(out, function(*arrays), casting="unsafe")
        return out
    function, _ = _planned(text, shapes, types, dtype.newbyteorder("="), ring, optimize, out.dtype)
    function(*(a.copy() if np.may_share_memory(a, out) else a for a in arrays), out)
    return out


def _check_out(out: Array, shape: tuple[int, ...]) -> None:
    if any(n not in (m, 1) for n, m in zip(shape, out.shape)):
        raise ArgumentValueError(f"einsum: out has shape {out.shape}, the result {shape}")


@lru_cache(maxsize=1024)
def _planned(
    text: str,
    shapes: tuple[tuple[int, ...], ...],
    types: tuple[np.dtype[Any], ...],
    result: np.dtype[Any],
    ring: Semiring,
    optimize: Any,
    out: np.dtype[Any] | None,
) -> tuple[JitFunction[..., Any], tuple[int, ...]]:
    """The compiled function for operands like these, and the shape of its result."""
    given = None if out is None else from_numpy(out)
    found = contraction(
        text,
        shapes,
        tuple(map(from_numpy, types)),
        result=from_numpy(result),
        out=given,
        semiring=ring,
        optimize=optimize,
    )
    sizes = {label: 1 for labels in found.subscripts.inputs for label in labels}
    for labels, shape in zip(found.labels, shapes):
        sizes |= {label: extent for label, extent in zip(labels, shape) if label is not None}
    return _function(found), tuple(sizes[label] for label in found.subscripts.output)


# ------------------------------------------------------------------------------------------------- compiled functions


@lru_cache(maxsize=1024)
def _function(found: Contraction) -> JitFunction[..., Any]:
    """A contraction as a function that is compiled when it is called."""
    return function_of(found.program(), "einsum")


__all__ = ["einsum"]
