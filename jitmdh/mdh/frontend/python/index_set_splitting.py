"""Index-set splitting: a loop in order, whose iterations all read what one of them writes, becomes three.

    for j in range(n):                              for j in range(n):  if j < p:   d[i, j] = min(d[i, j], d[i, p])
        d[i, j] = min(d[i, j], d[i, p])     ->      for j in range(n):  if j == p:  …
                                                    for j in range(n):  if j > p:   …

Whatever p is, these are the same iterations in the same order. The first loop reads what nobody has written yet, the
last one what is written: both are parallel. So in Floyd–Warshall, and where a vector is divided by an element of its.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.python.tracer import Tracer
from jitmdh.mdh.frontend.trace_ir.store_forwarding import reads_of, statements
from jitmdh.mdh.frontend.trace_ir.trace import Item, Repeated, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim

MAY, PART, WHOLE = "may be split", "a part", "as a whole"
"""How a loop is executed: a part is of use only where its iterations are independent."""

_MOST = 4  # statements of a loop that is split: its code is there three times


class Split(Exception):
    """A loop may be parallel but for the iteration whose variable is `point`. Never reaches the user."""

    def __init__(self, point: Affine) -> None:
        super().__init__()
        self.point = point


class StillInOrder(Exception):
    """A part of a loop is no more parallel than the whole. Never reaches the user."""


def require_independent(trace: Trace, closed: Sequence[Item], dim: LoopDim, index: Affine, way: str) -> None:
    """Split for a closed loop that `way` allows to be split, StillInOrder for a part in order; else nothing.

    closed: its items in the block around; index: its variable at an iteration. A loop whose length is data is left in
    order: parallel, it may need memory for a value of each iteration, and nobody knows how much that is.
    """
    ordered = [item for item in closed if isinstance(item, Repeated) and item.dim is dim]
    if not ordered or way == WHOLE or has_indirect(dim.room):
        return
    if way == PART:
        raise StillInOrder
    points = set(_points(trace, ordered, dim, index))
    if len(points) == 1 and not dim.ordered:
        raise Split(points.pop())


def _points(trace: Trace, ordered: Sequence[Repeated], dim: LoopDim, index: Affine) -> Iterator[Affine]:
    """The values of the loop's variable at iterations that write what others read, by their own subscripts."""
    found = list(statements(ordered))
    if len(found) > _MOST or any(target.effect for statement, _ in found for target in statement.targets):
        return
    moving = {d.name for _, inner in found for d in inner}
    read = {(r.buffer, r.index) for s, _ in found for x in s.targets for r in reads_of(trace, x.value)}
    for target in (x for s, _ in found for x in s.targets):
        for buffer, subscripts in read:
            if buffer != target.buffer:
                continue
            for written, place in zip(target.index, subscripts):
                sign, rest = written.coefficient(dim.name), written.without((dim.name,))
                if abs(sign) != 1 or has_indirect(written, place) or moving.intersection(rest.names + place.names):
                    continue
                yield index.substitute({dim.name: (place - rest) * sign})


def run_parts(t: Tracer, node: ast.For, step: int, split: Split, run: Callable[[ast.For], None]) -> bool:
    """Execute a loop in three parts by `run`, a part at a time. False if that makes no independent loops of it."""
    name = f"%point {len(t.in_loop_over)}"
    loops = list(t.in_loop_over)
    t.env[name] = t.arithmetic.index(split.point)
    try:
        for comparison in (ast.Lt(), ast.Eq(), ast.Gt()) if step > 0 else (ast.Gt(), ast.Eq(), ast.Lt()):
            run(_part(node, comparison, name))
    except (StillInOrder, NotAnMdhError):
        t.in_loop_over[:] = loops
        return False
    finally:
        t.env.pop(name, None)
    return True


def _part(node: ast.For, comparison: ast.cmpop, point: str) -> ast.For:
    assert isinstance(node.target, ast.Name)
    test = ast.Compare(ast.Name(node.target.id, ast.Load()), [comparison], [ast.Name(point, ast.Load())])
    guarded = ast.If(test, node.body, [])
    for made in (test, test.left, test.comparators[0], guarded):
        ast.copy_location(made, node.iter)
    return ast.copy_location(ast.For(node.target, node.iter, [guarded], []), node)
