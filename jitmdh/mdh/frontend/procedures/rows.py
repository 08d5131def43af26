"""Elements of flat arrays inside of procedures, `y[N*i + j]`, by their places in views of rows: y_rows[i, j].

for i in range(M):                              i: ++
    for j in range(N):                 ->         loop j < N:
        y[N*i + j] = 0.5 * y[N*i + j - 1] …         y_rows[i, j] = …

A row is another one than those of other iterations of i, so loops around stay parallel. What a counter of the procedure
is at least and at most decides whether its element is inside of the row, and a check of the call sees to it that all of
them are in the array: where they are not, plain Python runs, and raises if it comes there.
"""

from __future__ import annotations

import ast

from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, Variable
from jitmdh.mdh.algebra.sizes import SizeExpr, SizeOperation, size_expr
from jitmdh.mdh.frontend.loops.flat_indices import NotInRows, Ranges, extreme, row_index
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Tracer
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect


def place(t: Tracer, node: ast.AST, array: ArrayRef, ranges: Ranges) -> tuple[Affine, ...]:
    """The subscripts of an element in the view of rows of its array, which the call is checked to have.

    ranges: of variables of the procedure. NotInRows if the array cannot be seen so.
    """
    if not array.prefix:
        raise NotInRows(array.buffer)
    ((_, value),) = array.prefix
    index = row_index(t.trace, array.buffer, value, ranges)
    _require_inside(t, node, array.buffer, index, ranges)
    return index


def _require_inside(t: Tracer, node: ast.AST, name: str, index: tuple[Affine, ...], ranges: Ranges) -> None:
    trace, domain = t.trace, t.trace.domain()
    view, _ = trace.rows[name]
    used = {n for i in index for n in i.names if n in ranges}
    last: SizeExpr | None = None
    for subscript, length in zip(index, trace.buffers[view].shape):
        greatest = domain.greatest(extreme(subscript, ranges, least=False))
        if greatest is None or has_indirect(greatest):
            raise NotInRows(name)
        own = size_expr(greatest)
        last = own if last is None else SizeOperation("add", SizeOperation("mul", last, size_expr(length)), own)
    assert last is not None
    (length,) = trace.buffers[name].shape
    rooms = [*(d.room for d in domain.dims), *(ranges[n][1] - ranges[n][0] + 1 for n in sorted(used))]
    dims = {d.name for d in domain.dims}
    when = tuple(r for r in dict.fromkeys(rooms) if not (dims.intersection(r.names) or has_indirect(r)))
    text = f"a subscript of `{name}` may be out of bounds"
    check = Check(length - 1 - trace.define(f"{name}_last", last), "fallback", text, when, t.loc(node))
    if check not in trace.checks:
        trace.checks.append(check)


def known_range(t: Tracer, start: Scalar, stop: Scalar, step: Scalar, ranges: Ranges) -> tuple[Affine, Affine] | None:
    """The least and the greatest value of a counter where its loop has iterations, in terms of what is known before
    the procedure; None if nobody knows, or it may be negative."""
    begin, end = _extremes(start, ranges), _extremes(stop, ranges)
    if begin is None or end is None or not isinstance(step, Constant):
        return None
    up = int(step.value.real) > 0
    least, greatest = (begin[0], end[1] - 1) if up else (end[0] + 1, begin[1])
    return (least, greatest) if t.trace.domain().proves(least) else None


def _extremes(value: Scalar, ranges: Ranges) -> tuple[Affine, Affine] | None:
    known = affine(value)
    if known is not None:
        return None if has_indirect(known) else (known, known)
    match value:
        case Variable(name):
            return ranges.get(name)
        case Operation("cast", (one,)) if one.type.is_integer and value.type.is_integer:
            return _extremes(one, ranges)
        case Operation("add" | "sub" as op, (one, other)):
            left, right = _extremes(one, ranges), _extremes(other, ranges)
            if left is None or right is None:
                return None
            return (left[0] + right[0], left[1] + right[1]) if op == "add" else (left[0] - right[1], left[1] - right[0])
    return None
