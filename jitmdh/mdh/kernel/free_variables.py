"""Which values and buffers a piece of kernel IR uses (for bodies that become functions of their own), and which names
of buffers are of one memory."""

from __future__ import annotations

from dataclasses import field

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import (
    Apply,
    Atomic,
    CombineEnds,
    CopyAhead,
    Kernel,
    Literal,
    Load,
    Misalignment,
    Name,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    Scratch,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
)
from jitmdh.mdh.kernel.rewrite import bound, children, statements

_ACCESSES = (
    Load,
    Store,
    Scratch,
    Misalignment,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    StoreRun,
    CombineEnds,
    Atomic,
)


@dataclass(slots=True)
class Free:
    """names: every value named anywhere inside (those bound inside too); buffers likewise."""

    names: dict[str, Name] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)


def free_names(body: tuple[Statement, ...]) -> Free:
    found = Free()
    names, buffers = found.names, found.buffers
    seen: set[int] = set()  # nodes that several others hold are gone through once
    for statement in statements(body):
        if (name := bound(statement)) is not None:
            names[name.name] = name
        waiting: list[Value | Statement] = [statement]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Name):
                names[node.name] = node
            elif not isinstance(node, Literal) and id(node) not in seen:
                seen.add(id(node))
                if isinstance(node, Apply):  # most of a kernel
                    waiting += node.operands
                    continue
                if isinstance(node, _ACCESSES):
                    buffers.add(node.buffer)
                elif isinstance(node, View):
                    buffers.add(node.of)
                elif isinstance(node, CopyAhead):
                    buffers |= {node.to, node.buffer}
                waiting += children(node)
    return found


def memories(kernel: Kernel) -> dict[str, str]:
    """For each name of a buffer one that stands for all names of its memory: of views, and of the parts of an argument,
    since a load of whole elements goes by the name of one part."""
    found: dict[str, str] = {}

    def first(name: str) -> str:
        while found.setdefault(name, name) != name:
            name = found[name]
        return name

    for buffer in kernel.buffers:
        found[first(buffer.name)] = first(buffer.of or buffer.name)
    for node in statements(kernel.body):
        if isinstance(node, View):
            found[first(node.buffer)] = first(node.of)
        elif isinstance(node, Scratch):
            first(node.buffer)
    return {name: first(name) for name in tuple(found)}
