"""In which order the parts of a statement are evaluated, and how often: as in Python, each of them once.

y * 2 + f(y)     where f writes to y: the product is computed before; elsewhere arrays are computed when they are used
x[f(y)] += 1     calls f once, however often it is asked what the subscript means
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from jitmdh.mdh.algebra.scalar import Instruction, Iterate, Put
from jitmdh.mdh.frontend.python import slices
from jitmdh.mdh.frontend.python.array_expressions import attempted
from jitmdh.mdh.frontend.python.bindings import may_write, owned
from jitmdh.mdh.frontend.python.tracer import Given, Lazy, Masked, SymbolicValue, Tracer, given
from jitmdh.mdh.frontend.trace_ir.store_forwarding import written_by

_LONG = (ast.Call, ast.Subscript, ast.ListComp, ast.GeneratorExp)
"""What may write, or takes time to trace."""

Result = TypeVar("Result")


def in_order(t: Tracer, *nodes: ast.expr) -> list[SymbolicValue]:
    """The values of expressions, evaluated one after the other."""
    values: list[SymbolicValue] = []
    for node in nodes:
        values, value = after(t, nodes, values, node, lambda node=node: t.evaluate(node))  # type: ignore[misc]
        values.append(value)
    return values


def after(
    t: Tracer, nodes: Sequence[ast.AST], values: list[SymbolicValue], node: ast.AST, compute: Callable[[], Result]
) -> tuple[list[SymbolicValue], Result]:
    """What `compute` gives, which evaluates `node`, and `values` of nodes before it, whatever it writes."""
    if not any(map(_is_pending, values)) or not has_writes(t, node):
        return values, compute()
    found: list[Result] = []

    def quietly() -> bool:
        written = _Writes(t)
        found.append(compute())
        return not written.any()

    if attempted(t, quietly):
        return values, found[-1]
    return [owned(t, at, value) for at, value in zip(nodes, values)], compute()


def has_writes(t: Tracer, node: ast.AST) -> bool:
    """Whether something inside of `node` may change an array."""
    return any(may_write(t, part) for part in t.inside(node))


def _is_pending(value: SymbolicValue) -> bool:
    """Whether a value has elements that are not computed yet."""
    if isinstance(value, tuple):
        return any(map(_is_pending, value))
    return isinstance(value, Masked) or (isinstance(value, Lazy) and value.view is None)


class _Writes:
    """Whether arrays that exist now have been written since."""

    def __init__(self, t: Tracer) -> None:
        self.buffers = set(t.trace.buffers)
        self.items = [(block.items, len(block.items), block.items[-1:]) for block in t.trace.block.chain]
        self.body = None if t.recorder is None else (t.recorder.body, len(t.recorder.body))

    def any(self) -> bool:
        if self.body is not None:
            body, length = self.body
            return not self.buffers.isdisjoint(_put(body[length:]))
        for items, length, last in self.items:
            if items[length - 1 : length] != last:  # another statement has become part of it
                return True
            if any(self.buffers.intersection(written_by(item)) for item in items[length:]):
                return True
        return False


def _put(body: Sequence[Instruction]) -> Iterator[str]:
    """The arrays that instructions write to."""
    for instruction in body:
        if isinstance(instruction, Put):
            yield instruction.buffer
        elif isinstance(instruction, Iterate):
            yield from _put((*instruction.head, *instruction.body))


def evaluated(t: Tracer, nodes: list[ast.expr], firm: bool) -> list[ast.expr]:
    """An array and its subscripts, those that take more than a look as their values. firm: all are."""
    flat = [b for n in nodes for b in ((n.lower, n.upper, n.step) if isinstance(n, ast.Slice) else (n,)) if b]
    writes = any(has_writes(t, n) for n in nodes[1:])
    chosen = [
        n
        for n in flat
        if not isinstance(n, Given | ast.Constant) and (firm or _is_long(n) or (writes and n is flat[0]))
    ]
    if not chosen:
        return nodes
    values = in_order(t, *chosen)
    if firm:
        values = [v if slices.is_subscript(v) else owned(t, n, v) for n, v in zip(chosen, values)]
    known = {id(n): given(n, v) for n, v in zip(chosen, values)}

    def with_values(node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Slice):
            return known.get(id(node), node)
        bounds = [None if b is None else known.get(id(b), b) for b in (node.lower, node.upper, node.step)]
        return node if bounds == [node.lower, node.upper, node.step] else ast.copy_location(ast.Slice(*bounds), node)

    return [with_values(n) for n in nodes]


def _is_long(node: ast.expr) -> bool:
    return not isinstance(node, ast.Name) and any(isinstance(n, _LONG) for n in ast.walk(node))
