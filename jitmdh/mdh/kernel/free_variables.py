"""Which values and buffers a piece of kernel IR uses (for bodies that become functions of their own)."""

from __future__ import annotations

from dataclasses import dataclass, field

from jitmdh.mdh.kernel.ir import (
    Atomic,
    CombineEnds,
    CopyAhead,
    Load,
    Misalignment,
    Name,
    Prefetch,
    Scratch,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
)
from jitmdh.mdh.kernel.rewrite import bound, children, statements

_ACCESSES = (Load, Store, Scratch, Misalignment, Prefetch, StoreRun, CombineEnds, Atomic)


@dataclass(slots=True)
class Free:
    """names: every value named anywhere inside (those bound inside too); buffers likewise."""

    names: dict[str, Name] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)


def free_names(body: tuple[Statement, ...]) -> Free:
    found = Free()
    seen: set[int] = set()  # nodes that several others hold are gone through once

    def visit(node: Value | Statement) -> None:
        if isinstance(node, Name):
            found.names[node.name] = node
            return
        if id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, _ACCESSES):
            found.buffers.add(node.buffer)
        elif isinstance(node, View):
            found.buffers.add(node.of)
        elif isinstance(node, CopyAhead):
            found.buffers |= {node.to, node.buffer}
        for child in children(node):
            visit(child)

    for statement in statements(body):
        if (name := bound(statement)) is not None:
            found.names[name.name] = name
        visit(statement)
    return found
