"""Which values and buffers a piece of kernel IR uses (for bodies that become functions of their own)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass

from jitmdh.mdh.codegen.kernel_ir import Lead, Load, Name, Scratch, Statement, Store


@dataclass(slots=True)
class Free:
    """names: every value named anywhere inside (those bound inside too); buffers likewise."""

    names: dict[str, Name] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)


def free_names(body: tuple[Statement, ...]) -> Free:
    found = Free()
    seen: set[int] = set()

    def visit(node: object) -> None:
        if isinstance(node, tuple):
            for item in node:
                visit(item)
            return
        if not is_dataclass(node) or id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, Name):
            found.names[node.name] = node
        if isinstance(node, Load | Store | Scratch | Lead):
            found.buffers.add(node.buffer)
        for f in fields(node):
            visit(getattr(node, f.name))

    visit(body)
    return found
