"""Strength reduction of addresses: rows that lie a stride apart are addressed from each row to the next one.

Before:   y[at] = a;                        after:   auto *y.1 = opaque(&y[at]);
          y[at + s] = b;                             y[at] = a;
          y[(at + (s * 2)) + 8] = c;                 auto *y.2 = &y.1[s];
                                                     y.2[0] = b;
                                                     auto *y.3 = &y.2[s];
                                                     y.3[8] = c;

Loads alike, of three rows and more in one block: fewer are within reach of one address. So are vectors of elements that
lie apart, which begin several strides from each other.

Requires: nothing.
Ensures: no offset of a store is a sum that begins with a name and has a part that is no constant, except of names that
change their value and of parts that may not be computed where a mask forbids the store. The same elements are written
and read.

Code generation would keep each r·s of n rows at a·i + r·s in a register, which it has not got. LLVM's pass on the
variables of loops (loop strength reduction) looks at every address in a loop, and at every way to compute it from
others, which takes longer than the rest of code generation; it is off.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from jitmdh.mdh.kernel.arithmetic import integer, multiply
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
)
from jitmdh.mdh.kernel.rewrite import NESTED, Body, bound, map_bodies, same, values

Access = Load | Store | StoreRun
A = TypeVar("A", bound=Access)

Key = tuple[str, Value, int]
"""A buffer, what is added to its beginning, and how many times."""

_FARTHEST = 16  # strides from a row to the next one: vectors of elements that lie apart begin a vector's length apart
_FEW_ROWS = 3  # from one address with the register of a stride, once or twice

_SPECULATIVE = {"add", "sub", "mul", "minimum", "maximum"}


def chain_addresses(kernel: Kernel) -> Kernel:
    body = _Chains({buffer.name for buffer in kernel.buffers}).body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Chains:
    """taken: names of the kernel's own buffers (`arrays.1` of `*arrays`); views: names of those at hand, for each
    block around; resting: for each name, the views whose steps it is part of, with the block that has them; changing:
    names of variables."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.views: list[dict[Key, str]] = []
        self.resting: dict[str, list[tuple[dict[Key, str], Key]]] = {}
        self.names: set[str] = set()
        self.changing: set[str] = set()
        self.count = 0

    def body(self, body: Body) -> Body:
        self.views.append({})
        new: list[Statement] = []
        rows = _rows(body)
        for node in body:
            if isinstance(node, (Let, Assign)):  # most of them
                if rows and isinstance(node.value, Load) and (row := _row(node.value)) is not None and row[0] in rows:
                    load = self.access(node.value, new)
                    node = node if load is node.value else replace(node, value=load)
                self.binds(node.name.name)
                new.append(node)
            elif isinstance(node, (Store, StoreRun)):
                new.append(self.access(node, new))
            else:
                new.append(self.statement(node))
        self.views.pop()
        return body if same(new, body) else tuple(new)

    def statement(self, node: Statement) -> Statement:
        if (name := bound(node)) is not None:
            self.binds(name.name)
            if isinstance(node, Declare):
                self.changing.add(name.name)
        if isinstance(node, Parallel):  # a function of its own
            around = self.views, self.resting
            self.views, self.resting = [], {}
            node = map_bodies(node, self.body)
            self.views, self.resting = around
            return node
        return map_bodies(node, self.body) if type(node) in NESTED else node

    def binds(self, name: str) -> None:
        """The same statements may stand in several blocks: what rests on an earlier value is forgotten."""
        if name in self.names and name not in self.changing:
            for level, key in self.resting.pop(name, ()):
                level.pop(key, None)
        self.names.add(name)

    def access(self, node: A, before: list[Statement]) -> A:
        """From a view, which is made `before` it."""
        root, steps = _parts(node.offset)
        if not isinstance(root, Name) or all(isinstance(s, Literal) for s in steps) or self.fixed(node, root, steps):
            return node
        last = steps.pop() if isinstance(steps[-1], Literal) else integer(0)
        buffer = self.view((node.buffer, root, 0), node.buffer, root, before, opaque=True)
        for step in steps:
            one, times = _times(step)
            near, behind = self.nearest(buffer, one, times)
            further = multiply(one, integer(behind)) if near else step
            buffer = self.view((buffer, one, times), near or buffer, further, before)
        return replace(node, buffer=buffer, offset=last)

    def fixed(self, node: Access, root: Name, steps: list[Value]) -> bool:
        """Whether the address must be computed where it is, or is none of a row."""
        inside = [root, *(v for step in steps for v in values(step))]
        if any(isinstance(v, Name) and v.name in self.changing for v in inside):
            return True
        if isinstance(node, StoreRun):
            return False
        if isinstance(node, Load) and node.lanes > 1:
            return node.offset.lanes > 1
        if isinstance(node, Store) and node.value.lanes > 1:
            return node.stride != Literal(1) or node.offset.lanes > 1
        return node.mask is not None and not all(_speculative(v) for v in inside)

    def nearest(self, buffer: str, one: Value, times: int) -> tuple[str | None, int]:
        """The row nearest before one, and how many times the stride it is before it."""
        for behind in range(1, min(times, _FARTHEST + 1)):
            if (near := self.known((buffer, one, times - behind))) is not None:
                return near, behind
        return None, times

    def known(self, key: Key) -> str | None:
        return next((level[key] for level in reversed(self.views) if key in level), None)

    def view(self, key: Key, of: str, offset: Value, before: list[Statement], opaque: bool = False) -> str:
        """Its name; where there is none yet, with the statement that makes it."""
        name = self.known(key)
        if name is None:
            name = self.views[-1][key] = self.new(key[0].partition(".")[0])
            for one in {v.name for v in values(key[1]) if isinstance(v, Name)}:
                self.resting.setdefault(one, []).append((self.views[-1], key))
            before.append(View(name, of, offset, opaque))
        return name

    def new(self, root: str) -> str:
        """A name that no other buffer has."""
        while True:
            self.count += 1
            if (name := f"{root}.{self.count}") not in self.taken:
                return name


def _row(load: Load) -> tuple[tuple[str, str, Value], int] | None:
    """The array, the first name of an offset and the last stride that is added to it, and how many times."""
    offset = load.offset
    if type(offset) is not Apply or offset.op != "add":
        return None
    root, steps = _parts(offset)
    strides = [step for step in steps if type(step) is not Literal]
    if not strides or not isinstance(root, Name):
        return None
    one, times = _times(strides[-1])
    return (load.buffer, root.name, one), times


def _rows(body: Body) -> set[tuple[str, str, Value]]:
    """Those with so many loads in a block that their addresses are worth a chain."""
    found: dict[tuple[str, str, Value], set[int]] = {}
    for node in body:
        if type(node) is Let and type(node.value) is Load and (row := _row(node.value)) is not None:
            found.setdefault(row[0], set()).add(row[1])
    return {row for row, times in found.items() if len(times) >= _FEW_ROWS}


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
