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
from typing import NoReturn

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.python.array_expressions import is_array, lazy, materialised, once, store
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


def keep(t: Tracer, node: ast.For, kept: Mapping[str, SymbolicValue], known: Collection[str]) -> set[str]:
    """At the end of an iteration: what the names stand for now goes to their arrays. known: arrays made before.

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
    changed = {b for b in own.values() if any(b in written_by(item) for item in t.trace.block.items)}
    if changed:
        name = next(n for n, b in own.items() if b in changed)
        _refuse(t, node, name, "the one of before is written, too")
    values = {n: lazy(t, node, v) for n, v in new.items()}
    if len(values) > 1:
        values = {n: once(t, node, v) for n, v in values.items()}
    for name, array in values.items():
        store(t, node, lazy(t, node, kept[name]), array)
    t.env.update(kept)
    return {name for name, value in new.items() if _is_certainly_new(t, lazy(t, node, value), known)}


def _is_certainly_new(t: Tracer, array: Lazy, known: Collection[str]) -> bool:
    """Whether an array is made in an iteration, whatever loops inside of it do."""
    if array.view is not None:
        return array.view.buffer not in known and array.view.buffer not in t.perhaps_old
    return not isinstance(array, Either)


def after_loop(
    t: Tracer, node: ast.For | ast.While, before: SymbolicValue, kept: SymbolicValue, room: Affine | None
) -> SymbolicValue:  # fmt: skip
    """What a name stands for behind the loop: its last array, or after no iteration the one of before.

    room: as of `Either`.
    """
    if room is not None and room.is_constant and room.constant > 0:
        return kept
    t.perhaps_old.add(_buffer(t, node, kept))
    if isinstance(before, Lazy) and before.view is None and not isinstance(before, Joined):
        return kept
    if isinstance(before, ArrayRef) and t.trace.buffers[before.buffer].allocated and not _is_shared(t, before):
        return kept
    found = lazy(t, node, kept)
    return Either(found.shape, found.type, found.at, kept=kept if isinstance(kept, ArrayRef) else None, room=room)


def _is_shared(t: Tracer, array: ArrayRef) -> bool:
    """Whether any name stands for an array; the one that it had has another by now."""
    values = [v for frame in t.frames for v in frame.env.values()]
    views = [lazy(t, frame.node, v).view for frame in t.frames for v in frame.env.values() if isinstance(v, Lazy)]  # type: ignore[arg-type]
    return any(v == array for v in values) or any(v is not None and v.buffer == array.buffer for v in views)


def _buffer(t: Tracer, node: ast.For | ast.While, array: SymbolicValue) -> str:
    view = lazy(t, node, array).view
    assert view is not None
    return view.buffer


def _refuse(t: Tracer, node: ast.For, name: str, reason: str) -> NoReturn:
    hint = "copy elements, or exchange the arrays: x, y = y, x"
    t.error(node, f"`{name}` stands for another array after an iteration", reason, hint)
