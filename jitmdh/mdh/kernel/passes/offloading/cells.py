"""What one parallel loop computes and another uses lies in a cell of memory between them.

Before:   parallel for item:                    after:   bool cells.bool[1];
              bool good = x[0] > 0;                      parallel for item:
          parallel for t:                                    bool good = x[0] > 0;
              if (good) y[t] = …                             cells.bool[0] = good;
          parallel for item:                             parallel for t:
              good = y[0] > 0;                               if (cells.bool[0]) y[t] = …
                                                         parallel for item:
                                                             cells.bool[0] = y[0] > 0;
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Assign,
    Atomic,
    Declare,
    Grid,
    Let,
    Load,
    Name,
    Parallel,
    Scratch,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.kernel.rewrite import Body, Rewriter, bodies, bound, children, map_bodies, map_children, values

SINGLE = "item."
"""What the names of loops of one iteration begin with: these may compute what others use."""


def free(body: Body, own: Iterable[str]) -> dict[str, Name]:
    """The names that are used in `body`, or assigned, and not bound there. own: bound around it."""
    found: dict[str, Name] = {}
    inside = set(own)
    for node in body:
        used = [v for child in children(node) for v in values(child) if isinstance(v, Name)]
        if isinstance(node, Assign):
            used.append(node.name)
        found |= {name.name: name for name in used if name.name not in inside}
        name = bound(node)
        for inner in bodies(node):
            found |= free(inner, inside if name is None else inside | {name.name})
        if name is not None and isinstance(node, Let | Declare | Atomic):
            inside.add(name.name)
    return found


class Cells:
    """A cell for each of these values."""

    def __init__(self, shared: Mapping[str, Name]) -> None:
        self.counts: dict[ScalarType, int] = {}
        self.places: dict[str, int] = {}
        for name in shared.values():
            self.places[name.name] = self.counts.get(name.type, 0)
            self.counts[name.type] = self.places[name.name] + name.lanes

    def around(self, body: Body) -> Body:
        """The body of a kernel, whose last statement is its end."""
        inside, end = _Loops(self).body(body[:-1]), body[-1]
        for type, count in self.counts.items():
            inside = (Scratch(_buffer(type), type, integer(count), inside),)
        return (*inside, end)

    def load(self, name: Name) -> Value:
        return Load(_buffer(name.type), integer(self.places[name.name]), name.type, name.lanes)

    def store(self, name: Name, value: Value) -> Statement:
        return Store(_buffer(name.type), integer(self.places[name.name]), value)

    def loop(self, node: Parallel | Grid) -> Statement:
        single = isinstance(node, Parallel) and _is_single(node)
        return replace(node, body=self.body(node.body, {node.name.name}, single))

    def body(self, body: Body, own: set[str], single: bool) -> Body:
        """own: names that are bound in the loop; single: of one iteration."""
        out: list[Statement] = []
        own = set(own)
        for node in body:
            node = map_children(node, lambda value: self.value(value, own))
            name = bound(node)
            if isinstance(node, Assign) and node.name.name not in own:
                out.append(self.store(node.name, node.value))
                continue
            inside = own if name is None else own | {name.name}
            out.append(map_bodies(node, partial(self.body, own=inside, single=single)))
            if name is None or not isinstance(node, Let | Declare | Assign | Atomic):
                continue
            own.add(name.name)
            if single and name.name in self.places:
                out.append(self.store(name, name))
        return tuple(out)

    def value(self, node: Value, own: set[str]) -> Value:
        if isinstance(node, Name):
            return self.load(node) if node.name in self.places and node.name not in own else node
        return map_children(node, lambda child: self.value(child, own))


class _Loops(Rewriter):
    """All loops of a kernel; those of one iteration that follow each other become one."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells

    def body(self, body: Body) -> Body:
        out: list[Statement] = []
        for node in Rewriter.body(self, body):
            last = out[-1] if out else None
            if isinstance(last, Parallel) and isinstance(node, Parallel) and _is_single(last) and _is_single(node):
                out[-1] = replace(last, body=(*last.body, *node.body))
            else:
                out.append(node)
        return tuple(out)

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        return (self.cells.loop(node) if isinstance(node, Parallel | Grid) else map_bodies(node, self.body),)


def _is_single(node: Parallel) -> bool:
    return node.name.name.startswith(SINGLE)


def _buffer(type: ScalarType) -> str:
    return f"cells.{type.name}"
