"""What names hold behind a loop: the last value that it gave them.

for i in range(n):               t = 0
    t = x[i] * 2        ->       for i in range(n):
                                     t = x[i] * 2         kept from one iteration to the next, as t may be read later
y[0] = t + i                     y[0] = t + (n - 1)

An array that the loop makes anew in each iteration is kept in one that is made before, if its shape is known there.

Only what is read is kept: the function is traced again when it turns out to be (`LastValueError`). In a call where the
loop has no iterations, names have no value or that of before, and plain Python serves the call.
"""

from __future__ import annotations

import ast

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.python.array_expressions import lazy, materialised
from jitmdh.mdh.frontend.python.iteration.assigned_names import assigned, stored_names
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    LastArray,
    LastValue,
    Lazy,
    Poison,
    SymbolicValue,
    Tracer,
    is_scalar,
)
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect

_UNSET = Poison("")


def asked_for(t: Tracer, node: ast.For) -> set[str]:
    """Names that the body assigns and that are read behind the loop."""
    return {n for n in assigned(t, node) if _key(t, n, node) in t.last_values}


def start(t: Tracer, node: ast.For, names: set[str], room: Affine) -> None:
    """Gives names without a value one before the loop, of the type that they get in it."""
    for name in sorted(names):
        type = t.last_values[_key(t, name, node)]
        if type is not None and isinstance(t.env.get(name, _UNSET), Poison):
            if isinstance(type, LastArray):
                if not type.defined <= t.trace.definitions.keys():
                    continue  # its shape is known inside of the loop only
                zero = t.trace.graph.constant(0, type.type)
                before = Lazy(type.shape, type.type, lambda index, zero=zero: zero)  # type: ignore[misc]
                t.env[name] = materialised(t, node, before, name)
            else:
                t.env[name] = t.trace.graph.constant(0, type)
            _require_iterations(t, node, room, f"`{name}` has no value behind a loop without iterations")


def after(t: Tracer, node: ast.For, name: str, room: Affine, was_there: bool) -> Poison:
    """What stands for a name that the body sets in every iteration. was_there: it had a value before the loop."""
    value = t.env.get(name)
    type = value.type if value is not None and is_scalar(value) else None  # type: ignore[union-attr]
    if isinstance(value, Lazy) or (isinstance(value, ArrayRef) and not value.prefix):  # a row is a view of another
        type = _array(t, lazy(t, node, value))
    is_kept = was_there or (type is not None and is_outside(t, room))
    return Poison(
        f"`{name}` is used after the loop in line {node.lineno} that sets it in every iteration",
        f"give `{name}` a value before the loop, or compute the last one after it",
        _key(t, name, node) if is_kept else None,
        None if was_there else type,
    )


def _array(t: Tracer, value: Lazy) -> LastArray | None:
    """What is to be known of an array before a loop, to keep it; None: that is known inside of the loop only."""
    names = {name for extent in value.shape for name in extent.names}
    defined = frozenset(names & t.trace.definitions.keys())
    arguments = {p.name for p in t.trace.parameters}
    sizes = all(n.partition(".shape[")[0] in arguments for n in names - defined)
    if not sizes or not all(is_outside(t, extent) for extent in value.shape):
        return None
    return LastArray(value.shape, value.type, defined)


def after_variable(t: Tracer, node: ast.For, name: str, room: Affine, last: Affine | None) -> SymbolicValue:
    """What the variable of a loop holds behind it. last: its value in the last iteration, where that is known."""
    key = _key(t, name, node)
    is_set = any(name in stored_names(n) for s in node.body for n in t.inside(s) if isinstance(n, ast.Name)
                 and isinstance(n.ctx, ast.Store))  # fmt: skip
    is_known = last is not None and not is_set and is_outside(t, room)
    if is_known and key in t.last_values:
        assert last is not None
        _require_iterations(t, node, room, f"`{name}` has no value behind a loop without iterations")
        return t.arithmetic.index(last)
    text = f"loop variable `{name}` is used after its loop"
    return Poison(text, "compute it from the bounds of the loop", key if is_known else None)


def _require_iterations(t: Tracer, node: ast.For, room: Affine, message: str) -> None:
    if not (room.is_constant and room.constant > 0):
        t.fall_back(node, room - 1, message)


def is_outside(t: Tracer, room: Affine) -> bool:
    """Whether sizes alone say how many iterations there are."""
    return not has_indirect(room) and not {d.name for d in t.trace.block.dims}.intersection(room.names)


def _key(t: Tracer, name: str, node: ast.For) -> LastValue:
    return t.frame.source.name, name, node.lineno, node.col_offset
