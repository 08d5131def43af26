"""Loads of neighbouring elements of shared memory as one (load vectorisation): fewer instructions of a warp.

Before:   const float a0 = A[i * 4 + 1];                    after:   const float4 A_4 = load4(&A[i * 4]);
          const float a1 = A[i * 4];                                 const float a0 = A_4[1];
          …                                                          const float a1 = A_4[0];

Requires: shared memory begins at multiples of 16 bytes.
Ensures: 16 or 8 bytes that straight-line code of a thread loads, element by element, from an address that is a multiple
of them whatever the indices are, come by one load, where the first of them stood; nothing writes there in between.
Every value stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import (
    Assign,
    Declare,
    For,
    Grid,
    Kernel,
    Let,
    Load,
    Name,
    Scratch,
    Shuffle,
    Statement,
    Store,
)
from jitmdh.mdh.kernel.passes.offloading.linear import Indices, Linear
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, bound, map_bodies, same, statements

_BYTES = (16, 8)  # that a thread loads at once


def wide_loads(kernel: Kernel) -> Kernel:
    return _Grids().kernel(kernel)


class _Grids(Rewriter):
    kinds = NESTED

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, Grid):
            return (map_bodies(node, self.body),)
        shared = {s.buffer for s in statements(node.body) if isinstance(s, Scratch) and s.region == "SM"}
        if not shared:
            return (node,)
        return (map_bodies(node, _Wide(node, shared).body),)


@dataclass(frozen=True, slots=True)
class _Element:
    """A load. at: its place in the body; further: the constant that its index ends with."""

    at: int
    name: Name
    load: Load
    further: int


class _Wide:
    """Goes through the body of a grid in its order. shared: names of buffers; taken: of values."""

    def __init__(self, grid: Grid, shared: set[str]) -> None:
        self.shared = shared
        self.taken = {name.name for s in statements(grid.body) if (name := bound(s)) is not None}
        self.indices = Indices(frozenset(s.name.name for s in statements(grid.body) if isinstance(s, Declare)))

    def body(self, body: Body) -> Body:
        with self.indices.inside():
            return self._straight(body)

    def _straight(self, body: Body) -> Body:
        new: list[Statement] = list(body)
        waiting: dict[tuple[str, Linear], list[_Element]] = {}
        widened: dict[int, list[Statement]] = {}
        for at, node in enumerate(body):
            match node:
                case Let(name, Load() as load) if self._is_candidate(load):
                    index = self.indices.of(load.offset)
                    if self.indices.is_fixed(load.offset):
                        found = waiting.setdefault((load.buffer, Linear(index.terms, 0)), [])
                        found.append(_Element(at, name, load, index.constant))
                    self.indices.bind(node)
                case Let():
                    self.indices.bind(node)
                case Store(buffer):
                    for key in [key for key in waiting if key[0] == buffer]:
                        widened |= self._widened(key[1], waiting.pop(key))
                case Declare() | Assign():
                    pass
                case _:  # barriers, loops, branches: nothing is loaded ahead of them
                    for (_, varying), elements in waiting.items():
                        widened |= self._widened(varying, elements)
                    waiting = {}
                    new[at] = self._nested(node)
        for (_, varying), elements in waiting.items():
            widened |= self._widened(varying, elements)
        if not widened:
            return body if same(new, body) else tuple(new)
        return tuple(done for at, node in enumerate(new) for done in widened.get(at, (node,)))

    def _nested(self, node: Statement) -> Statement:
        if type(node) not in NESTED:
            return node
        with self.indices.inside():
            if isinstance(node, For):
                self.indices.bind(node)
            return map_bodies(node, self.body)

    def _is_candidate(self, load: Load) -> bool:
        return load.buffer in self.shared and load.lanes == 1 and load.mask is None and load.type.size_bytes >= 4

    def _widened(self, varying: Linear, elements: Sequence[_Element]) -> dict[int, list[Statement]]:
        """The statements that stand where some of the loads stood. varying: of the index of each, beside a constant."""
        found: dict[int, list[Statement]] = {}
        left = list(elements)
        for together in _widths(elements[0].load.type):
            if not varying.is_multiple(together):
                continue
            for some in _complete(left, together):
                left = [e for e in left if e not in some]
                first = some[0]
                name = self._fresh(first, together)
                lane = first.further % together
                load = replace(first.load, offset=add(first.load.offset, integer(-lane)), lanes=together, aligned=True)
                for e in some:
                    found[e.at] = [Let(e.name, Shuffle(name, (e.further % together,), name.type))]
                found[first.at].insert(0, Let(name, load))
        return found

    def _fresh(self, first: _Element, together: int) -> Name:
        text = f"{first.load.buffer}_{together}"
        while text in self.taken:
            text += "_"
        self.taken.add(text)
        return Name(text, first.name.type, together)


def _widths(type: ScalarType) -> Iterator[int]:
    yield from (bytes_ // type.size_bytes for bytes_ in _BYTES if bytes_ > type.size_bytes)


def _complete(elements: Sequence[_Element], together: int) -> Iterator[list[_Element]]:
    """Those that make up whole aligned groups, in the order of the body."""
    groups: dict[int, list[_Element]] = {}
    for e in elements:
        groups.setdefault(e.further // together, []).append(e)
    for some in groups.values():
        if len({e.further for e in some}) == together:
            yield some
