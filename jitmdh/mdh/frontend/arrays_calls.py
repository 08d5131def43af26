"""NumPy's functions and methods on array expressions, by name: which axes, which keywords."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import numpy as np

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.scalar import Constant
from jitmdh.mdh.frontend import arrays_contractions as contractions
from jitmdh.mdh.frontend import arrays_reductions as reductions
from jitmdh.mdh.frontend.arrays import converted, lazy, materialised
from jitmdh.mdh.frontend.arrays_views import permuted
from jitmdh.mdh.frontend.tracer import Lazy, Method, Static, Tracer, Value
from jitmdh.mdh.frontend.values import scalar_type

Keywords = Mapping[str, tuple[ast.expr, Value]]

_REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "mean", "argmax", "argmin", "cumsum", "cumprod")
_PRODUCTS = {"dot": contractions.dot, "matmul": contractions.matmul, "inner": contractions.inner,
             "outer": contractions.outer}  # fmt: skip
_PARAMETERS: dict[str, tuple[str, ...]] = {
    **{n: ("axis", "dtype", "keepdims") for n in ("sum", "prod", "mean")},
    **{n: ("axis", "keepdims") for n in ("max", "min", "any", "all", "argmax", "argmin")},
    **{n: ("axis", "dtype") for n in ("cumsum", "cumprod")},
    "transpose": ("axes",), "tensordot": ("b", "axes"), "copy": (), "astype": ("dtype",),
    **{n: ("b",) for n in _PRODUCTS},
}  # fmt: skip
_FUNCTIONS: dict[object, str] = {
    **{getattr(np, n): n for n in (*_REDUCTIONS, *_PRODUCTS, "transpose", "tensordot", "copy")},
    np.amax: "max", np.amin: "min", np.einsum: "einsum",
}  # fmt: skip
_METHODS = frozenset({*_REDUCTIONS, "dot", "transpose", "copy", "astype"})


def known(function: object) -> str | None:
    """The name of a function of whole arrays."""
    if getattr(function, "__name__", "") == "einsum" and getattr(function, "__module__", "").startswith("jitmdh."):
        return "einsum"
    try:
        return _FUNCTIONS.get(function)
    except TypeError:
        return None


def call(t: Tracer, node: ast.Call, name: str, arguments: Sequence[Value], keywords: Keywords) -> Value:
    """`np.name(*arguments, **keywords)`."""
    if name == "einsum":
        if keywords or not arguments or not isinstance(arguments[0], Static) or not isinstance(arguments[0].value, str):
            t.error(node, "einsum is supported with a constant string of subscripts and arrays, without keywords")
        return _plain(contractions.einsum(t, node, arguments[0].value, arguments[1:]))
    if not arguments:
        t.error(node, f"np.{name} needs an array")
    given = dict(zip(_PARAMETERS[name], zip(node.args[1:], arguments[1:])))
    if len(arguments) - 1 > len(given):
        t.error(node, f"np.{name} with {len(arguments)} arguments is not supported")
    return _apply(t, node, name, arguments[0], {**given, **keywords})


def method(t: Tracer, node: ast.Call, called: Method, arguments: Sequence[Value], keywords: Keywords) -> Value:
    """`array.name(*arguments, **keywords)`."""
    if called.name not in _METHODS:
        t.error(node, f"method `{called.name}` of an array is not supported", hint="write a loop over its elements")
    names = _PARAMETERS[called.name]
    if called.name == "transpose" and len(arguments) > 1:
        return _apply(t, node, "transpose", called.value, {"axes": (node, tuple(arguments))})
    if len(arguments) > len(names):
        t.error(node, f"`{called.name}` with {len(arguments)} arguments is not supported")
    return _apply(t, node, called.name, called.value, {**dict(zip(names, zip(node.args, arguments))), **keywords})


def _plain(value: Lazy) -> Value:
    """An array without axes is a number."""
    return value if value.shape else value.at(())


def _apply(t: Tracer, node: ast.expr, name: str, value: Value, given: Keywords) -> Value:
    for keyword, (at, _) in given.items():
        if keyword not in _PARAMETERS[name]:
            t.error(at, f"argument `{keyword}` of `{name}` is not supported")
    array = lazy(t, node, value)
    rank = len(array.shape)
    if name in _PRODUCTS:
        return _plain(_PRODUCTS[name](t, node, array, given["b"][1]))
    match name:
        case "tensordot":
            return _plain(contractions.tensordot(t, node, array, given["b"][1], _pairs(t, node, array, given)))
        case "copy":
            return materialised(t, node, array)
        case "astype":
            return _plain(converted(t, node, array, _dtype(t, given) or array.type))
        case "transpose":
            order = _integers(t, *given["axes"]) if "axes" in given else tuple(range(rank))[::-1]
            return permuted(array, _axes(t, node, order, rank))
    return _folded(t, node, name, array, given)


def _folded(t: Tracer, node: ast.expr, name: str, array: Lazy, given: Keywords) -> Value:
    rank = len(array.shape)
    whole = "axis" not in given or _is_none(given["axis"][1])
    axes = tuple(range(rank)) if whole else _axes(t, node, _integers(t, *given["axis"]), rank)
    keepdims = _flag(t, given)
    if not rank:
        t.error(node, f"`{name}` of a number is not supported")
    match name:
        case "cumsum" | "cumprod":
            if len(axes) != 1:
                t.error(node, f"`{name}` of an array with several axes needs one of them", hint="give axis=…")
            return reductions.prefix(t, node, name, array, axes[0], _dtype(t, given))
        case "argmax" | "argmin":
            if not whole and len(axes) != 1:
                t.error(node, f"`{name}` over several axes is not supported", hint="give one axis, or none")
            return _plain(reductions.arg_extremum(t, node, name, array, axes, keepdims))
        case "mean":
            return _plain(reductions.mean(t, node, array, axes, keepdims, _dtype(t, given)))
    return _plain(reductions.reduction(t, node, name, array, axes, keepdims, _dtype(t, given)))


def transposed(t: Tracer, node: ast.AST, value: Value) -> Lazy:
    """`value.T`."""
    array = lazy(t, node, value)
    return permuted(array, tuple(range(len(array.shape)))[::-1])


# ------------------------------------------------------------------------------------------------------ arguments


def _is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def _integers(t: Tracer, node: ast.expr, value: Value) -> tuple[int, ...]:
    parts = value if isinstance(value, tuple) else (value,)
    found = []
    for part in parts:
        if not isinstance(part, Constant) or not isinstance(part.value, int):
            t.error(node, f"`{ast.unparse(node)}` has to be a constant integer, or a tuple of them")
        found.append(int(part.value))
    return tuple(found)


def _axes(t: Tracer, node: ast.AST, given: Sequence[int], rank: int) -> tuple[int, ...]:
    for axis in given:
        if not -rank <= axis < rank:
            t.error(node, f"axis {axis} is out of bounds for an array of {rank} dimension{'s' * (rank != 1)}")
    axes = tuple(axis % rank for axis in given)
    if len(set(axes)) < len(axes):
        t.error(node, "an axis is named twice")
    return axes


def _dtype(t: Tracer, given: Keywords) -> ScalarType | None:
    if "dtype" not in given or _is_none(given["dtype"][1]):
        return None
    return scalar_type(t, *given["dtype"])


def _flag(t: Tracer, given: Keywords) -> bool:
    if "keepdims" not in given:
        return False
    at, value = given["keepdims"]
    if not isinstance(value, Constant):
        t.error(at, "keepdims has to be a constant")
    return bool(value.value)


def _pairs(t: Tracer, node: ast.expr, array: Lazy, given: Keywords) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of tensordot."""
    at, value = given.get("axes", (node, t.arithmetic.literal(2)))
    if isinstance(value, tuple) and len(value) == 2:
        first, second = (_integers(t, at, v) for v in value)
        return first, second
    (count,) = _integers(t, at, value)
    rank = len(array.shape)
    if not 0 <= count <= rank:
        t.error(at, f"tensordot over {count} axes of an array of {rank}")
    return tuple(range(rank - count, rank)), tuple(range(count))
