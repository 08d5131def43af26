"""NumPy's functions and methods on array expressions, by name: which axes, which keywords."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType, float64, int64
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays import contractions, reductions
from jitmdh.mdh.frontend.arrays import einsum as einsums
from jitmdh.mdh.frontend.arrays.gathers import UPDATES, take
from jitmdh.mdh.frontend.arrays.outputs import stored, target
from jitmdh.mdh.frontend.arrays.shapes import SHAPES, integers, is_by_columns, joined, normalised
from jitmdh.mdh.frontend.arrays.views import permuted
from jitmdh.mdh.frontend.python.array_expressions import converted, elementwise, lazy, materialised, once, ordered
from jitmdh.mdh.frontend.python.tracer import Lazy, Masked, Method, Static, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, scalar_type
from jitmdh.mdh.frontend.source.library import function_name

Keywords = Mapping[str, tuple[ast.expr, SymbolicValue]]

_REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "mean", "argmax", "argmin", "cumsum", "cumprod")
_OF_CHOSEN = ("sum", "prod", "any", "all", "mean", "min", "max")
_PRODUCTS = {"dot": contractions.dot, "matmul": contractions.matmul, "inner": contractions.inner,
             "outer": contractions.outer, "matvec": contractions.matvec, "vecmat": contractions.vecmat,
             "vecdot": contractions.vecdot}  # fmt: skip
_PARAMETERS: dict[str, tuple[str, ...]] = {
    **{n: ("axis", "dtype", "out", "keepdims", "initial", "where") for n in ("sum", "prod")},
    **{n: ("axis", "out", "keepdims", "initial", "where") for n in ("max", "min")},
    "mean": ("axis", "dtype", "out", "keepdims", "where"),
    **{n: ("axis", "out", "keepdims", "where") for n in ("any", "all")},
    **{n: ("axis", "out", "keepdims") for n in ("argmax", "argmin")},
    **{n: ("axis", "keepdims") for n in reductions.BITS},
    **{n: ("axis", "dtype", "out") for n in ("cumsum", "cumprod")},
    "tensordot": ("b", "axes"), "take": ("indices", "axis"), "copy": ("order",), "astype": ("dtype", "copy"),
    "clip": ("min", "max", "out"),
    **{n: ("b", "out") for n in ("dot", "matmul", "outer", "matvec", "vecmat", "vecdot")}, "inner": ("b",),
    **{n: names for n, (_, names) in SHAPES.items()},
}  # fmt: skip
REDUCED_AT = ("add", "multiply", "maximum", "minimum")
"""Functions of elements that have `reduceat`."""
_KEYWORD_ONLY = {
    "astype": ("copy",),
    "any": ("where",),
    "all": ("where",),
    "argmax": ("keepdims",),
    "argmin": ("keepdims",),
}
_FUNCTIONS = {
    **{f"numpy.{n}": n for n in (*_REDUCTIONS, *_PRODUCTS, "tensordot", "copy", "take", "einsum", "astype")},
    **{f"numpy.{n}": n for n in SHAPES if n not in ("flatten", "sliding_window_view")},
    "numpy.lib.stride_tricks.sliding_window_view": "sliding_window_view",
    **{f"numpy.linalg.{n}": n for n in ("matmul", "outer", "tensordot")},
    "numpy.amax": "max", "numpy.amin": "min", "jitmdh.einsum": "einsum",
}  # fmt: skip
METHODS = {
    name: _PARAMETERS[name]
    for name in (*_REDUCTIONS, "dot", "transpose", "swapaxes", "squeeze", "reshape", "flatten", "ravel", "copy",
                 "astype", "clip", "take", "diagonal")
}  # fmt: skip
"""Methods of arrays, with the parameters that are taken."""
_SEVERAL = {"transpose": "axes", "reshape": "shape"}
"""Methods that take a tuple or its entries one by one."""


CALLABLE = {
    **{name: _PARAMETERS.get(own, ()) for name, own in _FUNCTIONS.items()},
    **{f"numpy.{name}.at": ("a", "indices", "b") for name in UPDATES},
    **{f"numpy.{name}.reduceat": ("indices",) for name in REDUCED_AT},
}
"""Functions of whole arrays by their full names, with the parameters that are taken behind the array."""


def known(function: object) -> str | None:
    """The name of a function of whole arrays."""
    return _FUNCTIONS.get(function_name(function) or "")


def takes_lists(function: object) -> bool:
    """Whether lists behind the first argument of a function are operands, as it is."""
    name = (function_name(function) or "").removeprefix("numpy.")
    return name in _PRODUCTS or name in ("where", "isclose")


def call(t: Tracer, node: ast.Call, name: str, arguments: Sequence[SymbolicValue], keywords: Keywords) -> SymbolicValue:
    """`np.name(*arguments, **keywords)`."""
    if name == "einsum":
        return einsums.einsum(t, node, arguments, keywords)
    if not arguments:
        t.error(node, f"np.{name} needs an array")
    if name == "copy" and len(arguments) == 1 and not keywords:
        return materialised(t, node, ordered(t, lazy(t, node, arguments[0])))
    return _called(t, node, name, arguments[0], node.args[1:], arguments[1:], keywords)


def method(
    t: Tracer, node: ast.Call, called: Method, arguments: Sequence[SymbolicValue], keywords: Keywords
) -> SymbolicValue:
    """`array.name(*arguments, **keywords)`."""
    if called.name not in METHODS:
        t.error(node, f"method `{called.name}` of an array is not supported", hint="write a loop over its elements")
    together = _SEVERAL.get(called.name)
    if together is not None and len(arguments) > 1:
        return _called(t, node, called.name, called.value, [node], [tuple(arguments)], keywords)
    return _called(t, node, called.name, called.value, node.args, arguments, keywords)


def _called(
    t: Tracer, node: ast.Call, name: str, value: SymbolicValue, nodes: Sequence[ast.expr],
    arguments: Sequence[SymbolicValue], keywords: Keywords,
) -> SymbolicValue:  # fmt: skip
    names = [n for n in _PARAMETERS[name] if n not in _KEYWORD_ONLY.get(name, ())]
    if len(arguments) > len(names):
        t.error(node, f"`{name}` with {len(arguments)} more arguments than the array is not supported")
    given = {**dict(zip(names, zip(nodes, arguments))), **keywords}
    for keyword, (at, _) in given.items():
        if keyword not in _PARAMETERS[name]:
            t.error(at, f"argument `{keyword}` of `{name}` is not supported")
    if isinstance(value, Masked) and name in _OF_CHOSEN:
        return _of_chosen(t, node, name, value, given)
    if "out" not in given or _is_none(given["out"][1]):
        return _apply(t, node, name, value, given)
    out = target(t, *given["out"])
    if name in ("sum", "prod", "mean", "cumsum", "cumprod") and "dtype" not in given:
        given["dtype"] = (node, Static(out.type.numpy))
    rest = {k: v for k, v in given.items() if k != "out"}
    if name in ("dot", "argmax", "argmin"):
        fits = out.type == lazy(t, node, _apply(t, node, name, value, rest)).type
        if not fits:
            t.error(given["out"][0], f"out of `{name}` has another type than the result", hint="NumPy converts nothing")
    return stored(t, node, given["out"], out, _apply(t, node, name, value, rest), exactly=True)


def _of_chosen(t: Tracer, node: ast.expr, name: str, chosen: Masked, given: Keywords) -> SymbolicValue:
    """A reduction of the elements, or rows, that a mask chooses."""
    rank, rows = len(chosen.values.shape), len(chosen.values.shape) > len(chosen.mask.shape)
    axes: Sequence[int] = range(rank)
    for keyword in given:
        if keyword not in ("axis", "dtype"):
            t.error(given[keyword][0], f"argument `{keyword}` of `{name}` of chosen elements is not supported")
    if "axis" in given and not _is_none(given["axis"][1]):
        axes = normalised(t, node, integers(t, *given["axis"]), rank)
        if not rows and rank > 1:
            t.error(given["axis"][0], f"argument `axis` of `{name}` of chosen elements is not supported")
        if 0 not in axes:
            return replace(chosen, values=lazy(t, node, _apply(t, node, name, chosen.values, given)), owned=False)
    dtype = _dtype(t, given)
    mask = once(t, node, chosen.mask) if chosen.mask.heavy or chosen.mask.scan is not None else chosen.mask
    where = mask if not rows else Lazy(chosen.values.shape, mask.type, lambda index: mask.at(index[:1]))
    some = reductions.Some(where=where)
    if name in ("min", "max"):
        first = reductions.neutral(t, node, name, chosen.values.type)
        some = reductions.Some(first, where)
        value = reductions.reduction(t, node, name, chosen.values, axes, False, None, some)
        nothing = t.arithmetic.apply("eq", count(t, node, mask), t.arithmetic.literal(0))
        text = _NOTHING.format(f"{name}imum")
        return _plain(elementwise(t, node, (value,), lambda one: t.faulted(node, one[0], nothing, "value", text)))
    if name != "mean":
        return _plain(reductions.reduction(t, node, name, chosen.values, axes, False, dtype, some))
    kind = chosen.values.type.kind
    type = dtype or (float64 if kind in "biu" else chosen.values.type)
    total = reductions.reduction(t, node, "sum", chosen.values, axes, False, type.accumulator, some)
    number = count(t, node, mask)
    for axis in axes if rows else ():
        if axis:
            number = t.arithmetic.apply("mul", number, t.arithmetic.index(chosen.values.shape[axis]))

    def quotient(one: Sequence[Scalar]) -> Scalar:
        return t.arithmetic.cast(t.arithmetic.apply("truediv", one[0], t.arithmetic.cast(number, one[0].type)), type)

    return _plain(elementwise(t, node, (total,), quotient))


_NOTHING = "zero-size array to reduction operation {} which has no identity"


def count(t: Tracer, node: ast.expr, mask: Lazy) -> Scalar:
    """How many elements a mask chooses."""
    return reductions.reduction(t, node, "sum", mask, range(len(mask.shape)), False, None).at(())


def _plain(value: Lazy) -> SymbolicValue:
    """An array without axes is a number."""
    return value if value.shape else value.at(())


def _apply(t: Tracer, node: ast.expr, name: str, value: SymbolicValue, given: Keywords) -> SymbolicValue:
    array = lazy(t, node, value)
    if name in _PRODUCTS:
        if "b" not in given:
            t.error(node, f"`{name}` needs two arrays")
        return _plain(_PRODUCTS[name](t, node, array, given["b"][1]))
    if name in SHAPES:
        return SHAPES[name][0](t, node, array, given)
    match name:
        case "tensordot" if "b" not in given:
            t.error(node, "`tensordot` needs two arrays")
        case "tensordot":
            return _plain(contractions.tensordot(t, node, array, given["b"][1], _pairs(t, node, array, given)))
        case "take":
            return _plain(take(t, node, array, given))
        case "copy":
            return materialised(t, node, replace(array, view=None, fortran=is_by_columns(t, node, given)))
        case "astype":
            type = _dtype(t, given) or array.type
            if "copy" in given and type == array.type and not _is_true(t, node, given["copy"][1]):
                return value
            return _plain(converted(t, node, array, type))
        case "clip":
            return _clipped(t, node, array, given)
    return _folded(t, node, name, array, given)


def _is_true(t: Tracer, node: ast.expr, value: SymbolicValue) -> bool:
    if not isinstance(value, Constant):
        t.error(node, "whether astype copies is known only when the function runs")
    return bool(value.value)


def _clipped(t: Tracer, node: ast.expr, array: Lazy, given: Keywords) -> SymbolicValue:
    """`x.clip(min, max)`, either of them None."""
    limits = [None if name not in given or _is_none(given[name][1]) else given[name][1] for name in ("min", "max")]

    def limited(numbers: Sequence[Scalar]) -> Scalar:
        left = iter(numbers[1:])
        return t.arithmetic.clip(numbers[0], *(None if limit is None else next(left) for limit in limits))

    present = [limit for limit in limits if limit is not None]
    return elementwise(t, node, (array, *present), limited) if present else materialised(t, node, array)


def _folded(t: Tracer, node: ast.expr, name: str, array: Lazy, given: Keywords) -> SymbolicValue:
    rank = len(array.shape)
    whole = "axis" not in given or _is_none(given["axis"][1])
    axes = tuple(range(rank)) if whole else normalised(t, node, integers(t, *given["axis"]), rank)
    keepdims = _flag(t, given)
    if not rank:
        t.error(node, f"`{name}` of a number is not supported")
    match name:
        case "cumsum" | "cumprod":
            if whole and rank > 1:
                array, axes = joined(t, node, array), (0,)
            if len(axes) != 1:
                t.error(node, f"`{name}` of an array with several axes needs one of them", hint="give axis=…")
            return reductions.prefix(t, node, name, array, axes[0], _dtype(t, given))
        case "argmax" | "argmin":
            if not whole and len(axes) != 1:
                t.error(node, f"`{name}` over several axes is not supported", hint="give one axis, or none")
            return _plain(reductions.arg_extremum(t, node, name, array, axes, keepdims))
        case "mean" if "where" in given:
            return _plain(_mean_where(t, node, array, axes, keepdims, given))
        case "mean":
            return _plain(reductions.mean(t, node, array, axes, keepdims, _dtype(t, given)))
    some = reductions.Some(_number(t, given, "initial"), given["where"][1] if "where" in given else None)
    return _plain(reductions.reduction(t, node, name, array, axes, keepdims, _dtype(t, given), some))


def _mean_where(
    t: Tracer, node: ast.expr, array: Lazy, axes: Sequence[int], keepdims: bool, given: Keywords
) -> Lazy:  # fmt: skip
    """The mean of the elements where something holds."""
    type = _dtype(t, given) or (float64 if array.type.kind in "biu" else array.type)
    where = given["where"][1]

    def one(pair: Sequence[Scalar]) -> Scalar:
        return t.arithmetic.cast(t.arithmetic.truth(pair[1]), int64)

    some = reductions.Some(where=where)
    total = reductions.reduction(t, node, "sum", array, axes, keepdims, type.accumulator, some)
    number = reductions.reduction(t, node, "sum", elementwise(t, node, (array, where), one), axes, keepdims, None)

    def quotient(pair: Sequence[Scalar]) -> Scalar:
        sum, count = pair
        return t.arithmetic.cast(t.arithmetic.apply("truediv", sum, t.arithmetic.cast(count, sum.type)), type)

    return elementwise(t, node, (total, number), quotient)


def transposed(t: Tracer, node: ast.AST, value: SymbolicValue) -> Lazy:
    """`value.T`."""
    array = lazy(t, node, value)
    return permuted(t, array, tuple(range(len(array.shape)))[::-1])


# ------------------------------------------------------------------------------------------------------ arguments


def _is_none(value: SymbolicValue) -> bool:
    return isinstance(value, Static) and value.value is None


def _number(t: Tracer, given: Keywords, name: str) -> Scalar | None:
    return as_scalar(t, *given[name]) if name in given and not _is_none(given[name][1]) else None


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
        first, second = (integers(t, at, v) for v in value)
        return first, second
    (count,) = integers(t, at, value)
    rank = len(array.shape)
    if not 0 <= count <= rank:
        t.error(at, f"tensordot over {count} axes of an array of {rank}")
    return tuple(range(rank - count, rank)), tuple(range(count))
