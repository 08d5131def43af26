"""Names that the body of a loop gives values: what may be carried from one iteration to the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

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
