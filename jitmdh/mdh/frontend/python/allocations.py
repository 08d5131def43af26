"""Arrays made inside the function: `np.zeros((m, n), dtype)`, `np.empty_like(x)`, …"""

from __future__ import annotations

import ast

from jitmdh.base.dtype import ScalarType, float64
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Lazy, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, scalar_type
from jitmdh.mdh.frontend.source.library import function_name
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo

ALLOCATING = {
    f"numpy.{kind}{like}": (kind, bool(like)) for kind in ("zeros", "empty", "ones", "full") for like in ("", "_like")
}


def allocate(t: Tracer, node: ast.Call, function: object) -> SymbolicValue | None:
    """The array that a call makes; None if it is a call of something else."""
    found = ALLOCATING.get(function_name(function) or "")
    if found is None:
        return None
    kind, like = found
    if t.trace.block.loop is not None:
        t.error(node, "an array is allocated inside a loop", hint="allocate it before the loop, one row per iteration")
    names = ["shape", "fill_value", "dtype"] if kind == "full" else ["shape", "dtype"]
    arguments = dict(zip(names, node.args)) | {k.arg: k.value for k in node.keywords if k.arg is not None}
    unknown = next((k for k in arguments if k not in names), None)
    if unknown is not None or "shape" not in arguments:
        t.error(node, f"argument `{unknown}` of np.{kind} is not supported" if unknown else "no shape given")
    first = t.evaluate(arguments["shape"])
    shape, type = _like(t, node, first) if like else (_shape(t, arguments["shape"], first), float64)
    fill: Scalar | None = None
    if kind == "full":
        fill = as_scalar(t, arguments["fill_value"], t.evaluate(arguments["fill_value"]))
        type = type if like else fill.type.concrete
    if "dtype" in arguments:
        given = t.evaluate(arguments["dtype"])
        if not (hasattr(given, "value") and given.value is None):
            type = scalar_type(t, arguments["dtype"], given)
    if kind in ("zeros", "ones"):
        fill = t.arithmetic.literal(0 if kind == "zeros" else 1)
    fill = None if fill is None else t.arithmetic.cast(fill, type)
    if fill is not None and not isinstance(fill, Constant):
        t.error(arguments["fill_value"], "the fill value is not a constant", hint="use np.empty and a loop")
    return new_array(t, node, shape, type, fill)


def new_array(t: Tracer, node: ast.AST, shape: tuple[Affine, ...], type: ScalarType, fill: Scalar | None) -> ArrayRef:
    name = t.trace.fresh(t.names or "array")
    t.trace.buffers[name] = BufferInfo(name, type, shape, None, fill, allocated=True)
    return ArrayRef(name)


def _like(t: Tracer, node: ast.Call, first: SymbolicValue) -> tuple[tuple[Affine, ...], ScalarType]:
    if isinstance(first, Lazy):
        return first.shape, first.type
    if not isinstance(first, ArrayRef) or first.prefix:
        t.error(node, f"`{ast.unparse(node.args[0])}` is not an array")
    info = t.trace.buffers[first.buffer]
    return info.shape, info.type


def _shape(t: Tracer, node: ast.expr, first: SymbolicValue) -> tuple[Affine, ...]:
    parts = first if isinstance(first, tuple) else (first,)
    shape = []
    for part in parts:
        extent = affine(as_scalar(t, node, part))
        if extent is None:
            t.error(node, f"shape `{ast.unparse(node)}` is not made of sizes")
        shape.append(extent)
    return tuple(shape)
