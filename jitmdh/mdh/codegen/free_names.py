"""Which values and buffers a piece of kernel IR uses (for bodies that become functions of their own)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache

from jitmdh.mdh.codegen.kernel_ir import Lead, Load, Name, Scratch, Statement, Store


@dataclass(slots=True)
class Free:
    """names: every value named anywhere inside (those bound inside too); buffers likewise."""

    names: dict[str, Name] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)


@cache
def _parts(node_type: Hashable) -> tuple[str, ...]:
    """Fields of a node that can hold other nodes; none for what is no node."""
    leaves = {"type", "lanes", "relaxed", "comment", "op", "picks", "aligned", "streaming", "region", "code", "slot"}
    return tuple(name for name in getattr(node_type, "__dataclass_fields__", ()) if name not in leaves)


def free_names(body: tuple[Statement, ...]) -> Free:
    found = Free()

    def visit(node: object) -> None:
        if isinstance(node, tuple):
            for item in node:
                visit(item)
            return
        if isinstance(node, Name):
            found.names[node.name] = node
            return
        if isinstance(node, Load | Store | Scratch | Lead):
            found.buffers.add(node.buffer)
        for name in _parts(type(node)):
            visit(getattr(node, name))

    visit(body)
    return found
