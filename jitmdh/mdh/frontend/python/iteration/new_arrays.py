"""Loops in whose iterations names get new arrays: `y = y + dt * f(y)`, `acc = forces(position)`.

for n in range(steps):            kept[:] = y
    y = y + dt * f(y)      ->     for n in range(steps):
                                      kept[:] = kept + dt * f(kept)

What the name stands for at the end of an iteration is copied to an array that is there in all iterations. This is the
same where nobody can tell the arrays from each other: new ones are made in the iteration, and those of before are
not written.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.python.array_expressions import Index, is_array, lazy, materialised, once, store
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Either, Joined, Lazy, Poison, SymbolicValue, Tracer
from jitmdh.mdh.frontend.trace_ir.store_forwarding import written_by


class Renamed(Exception):
    """Names stand for other arrays after an iteration. Never reaches the user."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = names


def kept_array(t: Tracer, node: ast.For, name: str, value: SymbolicValue) -> SymbolicValue:
    """An array for what `name` stands for in each iteration; before the first one, the elements of `value`."""
    return materialised(t, node, lazy(t, node, value), name)


def keep(
    t: Tracer, node: ast.For, kept: Mapping[str, SymbolicValue], known: Collection[str], old: Collection[str]
) -> set[str]:  # fmt: skip
    """At the end of an iteration: what the names stand for now goes to their arrays.

    known: buffers that were there before the loop; old: those that the names stood for then.

    Names whose arrays are certainly new ones are returned.
    """
    own = {n: _buffer(t, node, array) for n, array in kept.items()}
    new = {n: t.env[n] for n, array in kept.items() if t.env[n] != array}
    if not new:
        return set()
    for name, value in new.items():
        if isinstance(value, Poison):
            t.poisoned(node, value)
        if not is_array(t, value):
            t.error(node, f"`{name}` is an array, and a number after an iteration", hint="use another name")
        array, before = lazy(t, node, value), lazy(t, node, kept[name])
        if isinstance(array, Joined):
            _refuse(t, node, name, "it is one that others know, too")
        if len(array.shape) != len(before.shape):
            _refuse(t, node, name, f"it has {len(before.shape)} axes before, and {len(array.shape)} then")
        if array.type != before.type:
            _refuse(t, node, name, f"it is of {before.type} before, and of {array.type} then")
        if array.view is not None and array.view.buffer in known and array.view.buffer not in own.values():
            _refuse(t, node, name, "it is one that others know, too")
    written = {b for item in t.trace.block.items for b in written_by(item)}
    for name, buffer in own.items():
        if buffer in written or not written.isdisjoint(old):
            _refuse(t, node, name, "the one of before is written, too")
    require_apart(t, node, {n: lazy(t, node, v) for n, v in new.items()})
    values = {n: lazy(t, node, v) for n, v in new.items()}
    if len(values) > 1:
        values = {n: once(t, node, v) for n, v in values.items()}
    for name, array in values.items():
        store(t, node, lazy(t, node, kept[name]), array)
    t.env.update(kept)
    for name, value in new.items():
        others = own.keys() - {name}
        given = any(own[n] in lazy(t, node, value).seen_through for n in others)
        t.perhaps_given[own[name]] = frozenset(old if given else ())
    return {name for name, value in new.items() if _is_certainly_new(t, lazy(t, node, value), known)}


def require_apart(t: Tracer, node: ast.For | ast.While, new: Mapping[str, Lazy]) -> None:
    """Refuse two names that stand for one array after an iteration: their own would be two."""
    taken: set[str] = set()
    for name, array in new.items():
        if not taken.isdisjoint(array.seen_through):
            _refuse(t, node, name, "another name stands for it, too")
        taken |= array.seen_through


def _is_certainly_new(t: Tracer, array: Lazy, known: Collection[str]) -> bool:
    """Whether an array is made in an iteration, whatever loops inside of it do."""
    if array.view is not None:
        return array.view.buffer not in known and array.view.buffer not in t.perhaps_old
    return not isinstance(array, Either)


def after_loop(
    t: Tracer, node: ast.For | ast.While, before: SymbolicValue, kept: SymbolicValue, room: Affine | None,
    others: frozenset[str] = frozenset(),
) -> SymbolicValue:  # fmt: skip
    """What a name stands for behind the loop: its last array, or after no iteration the one of before.

    room: as of `Either`. others: buffers of before that its last array may be.
    """
    if not others and room is not None and room.is_constant and room.constant > 0:
        return kept
    t.perhaps_old.add(_buffer(t, node, kept))
    others |= {b for b in t.perhaps_given.pop(_buffer(t, node, kept), ()) if is_known(t, node, b)}
    is_own = isinstance(before, ArrayRef) and t.trace.buffers[before.buffer].allocated and not _is_shared(t, before)
    old = frozenset() if is_own or isinstance(before, Joined) else lazy(t, node, before).seen_through
    if not others and not old and not isinstance(before, Joined):
        return kept
    found = _unless_written(t, node, lazy(t, node, kept), others | old, None if others else room)
    return found if others else replace(found, kept=kept if isinstance(kept, ArrayRef) else None, room=room)


def _unless_written(
    t: Tracer, node: ast.For | ast.While, copy: Lazy, others: frozenset[str], room: Affine | None
) -> Either:  # fmt: skip
    """The elements of an array from a copy of it, as long as none of `others`, which it may be, is written."""
    since = t.trace.tick()

    def at(index: Index) -> Scalar:
        if any(t.trace.stored.get(b, 0) > since for b in others):
            if room is None:
                reason = "it may be another array, which is written before it is read here"
                where: ast.AST = t.frame.node or node
                t.error(where, f"an array of the loop in line {node.lineno} is read", reason, "copy it: y = x.copy()")
            t.fall_back(node, room - 1, "an array of before a loop without iterations is written behind it")
        return copy.at(index)

    return Either(copy.shape, copy.type, at, perhaps=others)


def is_known(t: Tracer, node: ast.For | ast.While, buffer: str) -> bool:
    """Whether somebody can tell an array from a copy of it: it is an argument's, or a name stands for it."""
    values = [v for frame in t.frames for v in frame.env.values() if is_array(t, v)]
    return not t.trace.buffers[buffer].allocated or any(buffer in lazy(t, node, v).seen_through for v in values)


def _is_shared(t: Tracer, array: ArrayRef) -> bool:
    """Whether any name stands for an array; the one that it had has another by now."""
    values = [v for frame in t.frames for v in frame.env.values()]
    views = [lazy(t, frame.node, v).view for frame in t.frames for v in frame.env.values() if isinstance(v, Lazy)]  # type: ignore[arg-type]
    return any(v == array for v in values) or any(v is not None and v.buffer == array.buffer for v in views)


def _buffer(t: Tracer, node: ast.For | ast.While, array: SymbolicValue) -> str:
    view = lazy(t, node, array).view
    assert view is not None
    return view.buffer


def _refuse(t: Tracer, node: ast.For | ast.While, name: str, reason: str) -> NoReturn:
    hint = "copy elements, or exchange the arrays: x, y = y, x"
    t.error(node, f"`{name}` stands for another array after an iteration", reason, hint)
