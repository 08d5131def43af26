"""Which values and buffers a piece of kernel IR uses (for bodies that become functions of their own)."""

from __future__ import annotations

from dataclasses import dataclass, field

from jitmdh.mdh.kernel.ir import Lead, Literal, Load, Name, Prefetch, Scratch, Statement, Store, StoreRun, View


@dataclass(slots=True)
class Free:
    """names: every value named anywhere inside (those bound inside too); buffers likewise."""

    names: dict[str, Name] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)


_LEAVES = set("type lanes relaxed comment op picks aligned streaming region code slot second".split())
_parts: dict[type, tuple[str, ...]] = {}


def _parts_of(kind: type) -> tuple[str, ...]:
    """Fields of such nodes that can hold other nodes; none for what is no node."""
    if kind not in _parts:
        names = getattr(kind, "__dataclass_fields__", ())
        _parts[kind] = tuple(name for name in names if name not in _LEAVES)
    return _parts[kind]


def free_names(body: tuple[Statement, ...]) -> Free:
    found = Free()
    seen: set[int] = set()  # nodes that several others hold are gone through once

    def visit(node: object) -> None:
        kind = type(node)
        if kind is tuple:
            for item in node:  # type: ignore[attr-defined]
                visit(item)
            return
        if kind is Name:
            found.names[node.name] = node  # type: ignore[attr-defined, assignment]
            return
        parts = () if kind is Literal else _parts_of(kind)
        if not parts or id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, Load | Store | Scratch | Lead | Prefetch | StoreRun):
            found.buffers.add(node.buffer)
        elif isinstance(node, View):
            found.buffers.add(node.of)
        for name in parts:
            visit(getattr(node, name))

    visit(body)
    return found
