"""Strength reduction of addresses: rows of results that lie a stride apart are addressed from each row to the next one.

Before:   y[at] = a;                        after:   auto *y.1 = opaque(&y[at]);
          y[at + s] = b;                             y[at] = a;
          y[(at + (s * 2)) + 8] = c;                 auto *y.2 = &y.1[s];
                                                     y.2[0] = b;
                                                     auto *y.3 = &y.2[s];
                                                     y.3[8] = c;

Requires: nothing.
Ensures: no offset of a store is a sum that begins with a name and has a part that is no constant, except of names that
change their value and of parts that may not be computed where a mask forbids the store. The same elements are written.

LLVM's pass on the variables of loops (loop strength reduction) looks at every address in a loop, and at every way to
compute it from others: n rows at a·i + r·s take it longer than the rest of code generation, and it keeps each r·s in a
register, which it has not got. It takes an opaque pointer as it is.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    Kernel,
    Let,
    Literal,
    Name,
    Parallel,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
)
from jitmdh.mdh.kernel.rewrite import NESTED, Body, bound, map_bodies, same, values

Key = tuple[str, Value, int]
"""A buffer, what is added to its beginning, and how many times."""

_SPECULATIVE = {"add", "sub", "mul", "minimum", "maximum"}


def chain_addresses(kernel: Kernel) -> Kernel:
    body = _Chains().body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Chains:
    """views: names of those at hand, for each block around; resting: for each name, the views whose steps it is part
    of, with the block that has them; changing: names of variables."""

    def __init__(self) -> None:
        self.views: list[dict[Key, str]] = []
        self.resting: dict[str, list[tuple[dict[Key, str], Key]]] = {}
        self.names: set[str] = set()
        self.changing: set[str] = set()
        self.count = 0

    def body(self, body: Body) -> Body:
        self.views.append({})
        new: list[Statement] = []
        for node in body:
            if isinstance(node, (Let, Assign)):  # most of them
                self.binds(node.name.name)
                new.append(node)
            else:
                new += self.statement(node)
        self.views.pop()
        return body if same(new, body) else tuple(new)

    def statement(self, node: Statement) -> Iterator[Statement]:
        if isinstance(node, (Store, StoreRun)):
            yield from self.store(node)
            return
        if (name := bound(node)) is not None:
            self.binds(name.name)
            if isinstance(node, Declare):
                self.changing.add(name.name)
        if isinstance(node, Parallel):  # a function of its own
            around = self.views, self.resting
            self.views, self.resting = [], {}
            yield map_bodies(node, self.body)
            self.views, self.resting = around
            return
        yield map_bodies(node, self.body) if type(node) in NESTED else node

    def binds(self, name: str) -> None:
        """The same statements may stand in several blocks: what rests on an earlier value is forgotten."""
        if name in self.names and name not in self.changing:
            for level, key in self.resting.pop(name, ()):
                level.pop(key, None)
        self.names.add(name)

    def store(self, node: Store | StoreRun) -> Iterator[Statement]:
        root, steps = _parts(node.offset)
        if not isinstance(root, Name) or all(isinstance(s, Literal) for s in steps) or self.fixed(node, root, steps):
            yield node
            return
        last = steps.pop() if isinstance(steps[-1], Literal) else integer(0)
        buffer = yield from self.view((node.buffer, root, 0), node.buffer, root, opaque=True)
        for step in steps:
            one, times = _times(step)
            before = self.known((buffer, one, times - 1))
            buffer = yield from self.view((buffer, one, times), before or buffer, one if before else step)
        yield replace(node, buffer=buffer, offset=last)

    def fixed(self, node: Store | StoreRun, root: Name, steps: list[Value]) -> bool:
        """Whether the address must be computed where it is, or is none of a row."""
        inside = [root, *(v for step in steps for v in values(step))]
        if any(isinstance(v, Name) and v.name in self.changing for v in inside):
            return True
        if isinstance(node, StoreRun):
            return False
        if node.value.lanes > 1:
            return node.stride != Literal(1) or node.offset.lanes > 1
        return node.mask is not None and not all(_speculative(v) for v in inside)

    def known(self, key: Key) -> str | None:
        return next((level[key] for level in reversed(self.views) if key in level), None)

    def view(self, key: Key, of: str, offset: Value, opaque: bool = False) -> Generator[Statement, None, str]:
        """Its name; the statement that makes it, where there is none yet."""
        name = self.known(key)
        if name is None:
            self.count += 1
            name = self.views[-1][key] = f"{key[0].partition('.')[0]}.{self.count}"
            for one in {v.name for v in values(key[1]) if isinstance(v, Name)}:
                self.resting.setdefault(one, []).append((self.views[-1], key))
            yield View(name, of, offset, opaque)
        return name


def _parts(offset: Value) -> tuple[Value, list[Value]]:
    """What a sum begins with, and what is added to it."""
    steps: list[Value] = []
    while isinstance(offset, Apply) and offset.op == "add":
        offset, step = offset.operands
        steps.append(step)
    return offset, steps[::-1]


def _times(step: Value) -> tuple[Value, int]:
    if isinstance(step, Apply) and step.op == "mul" and isinstance(step.operands[1], Literal):
        return step.operands[0], int(step.operands[1].value)  # type: ignore[arg-type]
    return step, 1


def _speculative(value: Value) -> bool:
    """Whether a value can be computed though nobody may need it."""
    return isinstance(value, (Name, Literal)) or (isinstance(value, Apply) and value.op in _SPECULATIVE)
