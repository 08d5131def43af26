"""Names that the body of a loop gives values: what may be carried from one iteration to the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from jitmdh.mdh.frontend.python.tracer import Poison, Tracer


def assigned(t: Tracer, node: ast.For) -> tuple[str, ...]:
    """Names that the body assigns, in order, without the variables of loops."""
    return _names(t, node)[0]


def all_assigned(t: Tracer, node: ast.For) -> tuple[str, ...]:
    """With the variables of loops, its own as well."""
    return (*stored_names(node.target), *_names(t, node)[0], *_names(t, node)[1])


def hide_inner_variables(t: Tracer, node: ast.For) -> None:
    """What the variables of inner loops were before is not what later iterations find in them."""
    for name in _names(t, node)[1]:
        if name in t.env:
            text = f"`{name}` is used, and is the variable of a loop inside of the loop in line {node.lineno}"
            t.env[name] = Poison(text, "give the two names of their own")


def read_for_certain(definition: ast.AST, loop: ast.For, name: str) -> bool:
    """Whether all reads of `name` outside of a loop happen wherever the loop does: no condition decides them.

    Those of other loops over it are theirs. Nodes are compared by their places: a loop that is executed may be a copy.
    What its `else` gives a value, or leaves the function before, is not read for certain either.
    """

    def around(outer: ast.AST, inner: ast.AST) -> bool:
        return _place(outer)[0] <= _place(inner)[0] and _place(inner)[1] <= _place(outer)[1]

    def behind(n: ast.AST) -> bool:
        return _place(n)[0] >= _place(loop.body[-1])[1]

    nodes = [n for n in ast.walk(definition) if hasattr(n, "lineno") and (not around(loop, n) or behind(n))]
    chosen = [part for n in nodes if n is not definition for part in _conditional(n) if not around(part, loop)]
    others = [n for n in nodes if isinstance(n, ast.For) and name in stored_names(n.target) and not around(n, loop)]
    reads = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    reads = [n for n in reads if not any(around(other, n) for other in others)]
    ends = [n for n in nodes if isinstance(n, _ENDS) and _place(n)[0] > _place(loop)[0]]
    given = any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) and around(loop, n) for n in nodes
    )
    return not given and not any(around(part, n) for n in (*reads, *ends) for part in chosen)


_ENDS = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def _conditional(node: ast.AST) -> Sequence[ast.AST]:
    """The parts of a node that need not be executed where it is."""
    match node:
        case ast.If(_, body, orelse) | ast.For(_, _, body, orelse) | ast.While(_, body, orelse):
            return (*body, *orelse)
        case ast.IfExp(_, first, second):
            return first, second
        case ast.BoolOp(_, values):
            return values[1:]
        case ast.Compare(_, _, compared):
            return compared[1:]
        case ast.Lambda(_, body):
            return (body,)
        case ast.FunctionDef(body=body):
            return body
        case ast.ListComp(element, _) | ast.GeneratorExp(element, _):
            return (element,)
    return ()


def _place(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _names(t: Tracer, node: ast.For) -> tuple[tuple[str, ...], tuple[str, ...]]:
    known = t.assigned.get(id(node))
    if known is None:
        found: dict[str, None] = {}
        own = set(stored_names(node.target))
        inner: dict[str, None] = {}
        for statement in _statements(t, node.body):
            match statement:
                case ast.For(target):
                    inner.update((name, None) for name in stored_names(target))
                case ast.Assign(targets):
                    found.update((name, None) for target in targets for name in stored_names(target))
                case ast.AugAssign(target) | ast.AnnAssign(target):
                    found.update((name, None) for name in stored_names(target))
        names = tuple(n for n in found if n not in inner and n not in own)
        known = t.assigned[id(node)] = (node, names, tuple(n for n in inner if n not in own))
    return known[1:]


def stored_names(target: ast.expr) -> Iterator[str]:
    """The names that an assignment to `target` gives values."""
    match target:
        case ast.Name(name):
            yield name
        case ast.Tuple(elements) | ast.List(elements):
            for element in elements:
                yield from stored_names(element)


def _statements(t: Tracer, body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.Return):
            t.error(statement, "return inside a loop", hint="all iterations have to happen: return after the loop")
        yield statement
        for inner in ("body", "orelse"):
            yield from _statements(t, getattr(statement, inner, []))
