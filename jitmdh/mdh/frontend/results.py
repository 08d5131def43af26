"""What a function returns: arrays of its own or of its caller, numbers, and arrays whose length data decide.

x[x > 0], y[:n]    the first rows of an array that is made as long as they may be; how many, a number of its own says
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce

from jitmdh.base.dtype import int64, promote
from jitmdh.mdh.algebra.expr import Return
from jitmdh.mdh.frontend.interpreter.raising import NEVER
from jitmdh.mdh.frontend.python.array_expressions import along, lazy, materialised
from jitmdh.mdh.frontend.python.records import Fields
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Either,
    Joined,
    Lazy,
    Masked,
    RecordRef,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
)
from jitmdh.mdh.frontend.python.values import as_scalar, require_exact
from jitmdh.mdh.frontend.source.capture import gives_pythons
from jitmdh.mdh.frontend.trace_ir.store_forwarding import assign
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, Target, has_indirect


def returns_of(
    t: Tracer, definition: ast.FunctionDef, value: SymbolicValue | None
) -> tuple[tuple[Return, ...] | None, bool]:
    """What a program returns where its function has returned `value`, and whether that is a tuple."""
    if value is None or value is NEVER or (isinstance(value, Static) and value.value is None):
        return None, False
    if isinstance(value, Structure):
        t.error(definition.body[-1], f"returning a {value.kind} is not supported", hint="return its fields")
    if isinstance(value, Fields):
        hint = f"return its fields: {', '.join(f'…[{n!r}]' for n in value.names)}"
        t.error(definition.body[-1], "returning a record is not supported", hint=hint)
    is_tuple = isinstance(value, tuple)
    if isinstance(value, tuple) and any(isinstance(part, tuple) for part in value):
        t.error(
            definition.body[-1], "returning tuples inside of a tuple is not supported", hint="return them side by side"
        )
    parts = value if isinstance(value, tuple) else (value,)
    statement = definition.body[-1]
    found: list[Return] = []
    for number, part in enumerate(parts):
        before = next((n for n in range(number) if parts[n] is part and isinstance(part, Masked | Lazy)), None)
        if before is not None:
            found.append(found[before])
            continue
        if isinstance(part, ArrayRef | RecordRef) and not part.prefix:
            found.append(Return(part.name if isinstance(part, RecordRef) else part.buffer))
            continue
        if isinstance(part, ArrayRef):
            t.error(statement, "returning a row of an array is not supported", hint="copy it to an array of its own")
        if isinstance(part, Either) and part.kept is not None and part.room is not None:
            t.fall_back(statement, part.room - 1, "what is returned is the array of before a loop without iterations")
            found.append(Return(part.kept.buffer))
            continue
        if isinstance(part, Either):
            reason = "after no iteration of the loop that gives it new ones, it is that of before"
            t.error(statement, "returning one array or another is not supported", reason, "return a copy: y.copy()")
        if isinstance(part, Masked):
            part = lazy(t, statement, part)
        if isinstance(part, Lazy):
            unowned = [b for b in part.perhaps if not t.trace.buffers[b].allocated]
            if unowned or (part.perhaps and len(parts) > 1):
                text = "returning what may be an argument, or a view of one, is not supported"
                t.error(statement, text, hint="return a copy: y.copy()")
            of = part.view.buffer if part.view is not None else part.of if isinstance(part, Joined) else ""
            shared = any(p is not part and of in _within(p) for p in parts)
            if of and (shared or not t.trace.buffers[of].allocated):
                t.error(statement, "returning a view of an array is not supported", hint="return a copy: x[…].copy()")
            if has_indirect(*part.shape):
                found.append(_first_rows(t, statement, part))
                continue
            kept = materialised(t, statement, part, "result")
            assert isinstance(kept, ArrayRef)
            found.append(Return(kept.buffer))
            continue
        found.append(_number(t, definition, part))
    return tuple(found), is_tuple


def _number(t: Tracer, definition: ast.FunctionDef, value: SymbolicValue) -> Return:
    """A number, in a cell of its own."""
    statement = definition.body[-1]
    result = as_scalar(t, statement, value)
    if gives_pythons(definition) and len({v.type for v in t.trace.graph.kept(result)}) > 1:
        t.error(statement, "a number has one type or another behind the loop", "which one depends on data")
    require_exact(t, statement, result)
    own = {v.type for v in t.trace.graph.kept(result)}
    if len(own) > 1:  # the larger, which is none that a number of Python's adapts to
        result = t.arithmetic.cast(result, reduce(promote, (type.concrete for type in own)))
    name = t.trace.fresh("result")
    t.trace.buffers[name] = BufferInfo(name, result.type, (), (), allocated=True)
    assign(t.trace, [Target(name, (), result)], t.loc(statement))
    return Return(name, result.type if result.type.is_weak and gives_pythons(definition) else None)


def _first_rows(t: Tracer, statement: ast.stmt, part: Lazy) -> Return:
    """An array whose length data decide: the first rows of one that is made as long as it may be."""
    if has_indirect(*part.shape[1:]):
        reason = "only along its first axis may data decide how long it is"
        t.error(statement, "returning such a part of an array is not supported", reason)
    view = part.view
    if view is None or not _is_beginning(t, part):
        kept = materialised(t, statement, replace(part, view=None), "result")
        assert isinstance(kept, Lazy) and kept.view is not None
        view = kept.view
    length = t.trace.fresh("length")
    t.trace.buffers[length] = BufferInfo(length, int64, (), (), allocated=True)
    assign(t.trace, [Target(length, (), t.arithmetic.cast(t.arithmetic.index(part.shape[0]), int64))], t.loc(statement))
    return Return(view.buffer, length=length)


def _is_beginning(t: Tracer, part: Lazy) -> bool:
    """Whether an array is the first rows of one that the function has made."""
    assert part.view is not None
    info = t.trace.buffers[part.view.buffer]
    whole = tuple(along(n) for n in range(len(part.shape)))
    return info.allocated and part.view.axes == whole and part.shape[1:] == info.shape[1:] and not part.perhaps


def _within(value: SymbolicValue) -> frozenset[str]:
    """The arrays that a returned value may be, or be a part of."""
    if isinstance(value, ArrayRef):
        return frozenset([value.buffer])
    if not isinstance(value, Lazy):
        return frozenset()
    view = frozenset() if value.view is None else frozenset([value.view.buffer])
    return view | frozenset([value.of] if isinstance(value, Joined) else ()) | frozenset(value.perhaps)
