"""Barriers between stores of lanes that may meet: what is written last stays, whichever threads the lanes become.

Before:   y[0..31] = v;                               after:   y[0..31] = v;
          y[5] = a;                                            barrier(32);
                                                               y[5] = a;

Requires: lane n of a vector of any length becomes the thread n of a warp. The lanes of one store are at different
elements, or one of them writes at most.
Ensures: where two threads of a warp write one element, there is a barrier in between. Nothing is said of what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import Barrier, Declare, For, If, Let, Literal, Statement, Store, StoreRun, Value, While
from jitmdh.mdh.kernel.passes.offloading.linear import Indices, Linear
from jitmdh.mdh.kernel.rewrite import Body, bound, map_bodies, statements, values
from jitmdh.mdh.machine.gpu import WARP


@dataclass(frozen=True, slots=True)
class _Written:
    """What a store writes. begin: None if it is not known; stride: of the lanes, None if that is not."""

    memory: str
    buffer: str
    begin: Linear | None
    stride: int | None
    lanes: int

    def is_apart(self, other: _Written) -> bool:
        """Whether no two threads write one element by these two stores, one right behind the other."""
        if self.memory != other.memory or self.lanes == other.lanes == 1:
            return True
        if self.begin is None or other.begin is None or self.stride is None or other.stride is None:
            return False
        between = other.begin.plus(self.begin, -1)
        if between.terms or self.buffer != other.buffer:
            return False
        first, second = self._reach(0), other._reach(between.constant)
        if first[1] < second[0] or second[1] < first[0]:
            return True
        alike = self.lanes == other.lanes and self.stride == other.stride != 0
        return alike and (between.constant == 0 or between.constant % self.stride != 0)

    def _reach(self, begin: int) -> tuple[int, int]:
        assert self.stride is not None
        end = begin + (self.lanes - 1) * self.stride
        return min(begin, end), max(begin, end)

    def is_of_one_thread(self, varying: Callable[[Value], bool]) -> bool:
        """Whether one thread only writes each element, whatever `varying` values are."""
        if self.lanes == 1:
            return True
        if self.begin is None or not self.stride:
            return False
        return all(not varying(value) or factor % (self.lanes * self.stride) == 0 for value, factor in self.begin.terms)


def order_writes(body: Body, memory: Mapping[str, str], ordered: Container[str]) -> Body:
    """body: of a parallel loop; memory: of each buffer, as `memories` has it; ordered: buffers whose stores will have
    barriers around them anyway, but for those that stand one behind the other without one in between."""
    changing = frozenset(s.name.name for s in statements(body) if isinstance(s, Declare))
    return _Order(memory, ordered, Indices(changing)).body(body, [])


@dataclass(slots=True)
class _Order:
    memory: Mapping[str, str]
    ordered: Container[str]
    indices: Indices

    def body(self, body: Body, found: list[_Written]) -> Body:
        """found: what it writes is added to it."""
        new: list[Statement] = []
        since: list[_Written] = []  # the last barrier here
        with self.indices.inside():
            for node in body:
                if isinstance(node, Let):
                    self.indices.bind(node)
                inside: list[_Written] = []
                if isinstance(node, Store | StoreRun):
                    inside += self._written(node)
                    meets = any(not a.is_apart(b) for a in since for b in inside)
                else:
                    node, since = self._nested(node, inside), self._unordered(since)
                    meets = any(a.memory == b.memory and a.lanes * b.lanes > 1 for a in since for b in inside)
                if meets:
                    new.append(Barrier(WARP))
                    since = []
                since += inside
                found += self._unordered(inside)
                new.append(node)
        return tuple(new) if len(new) > len(body) or any(a is not b for a, b in zip(new, body)) else body

    def _unordered(self, written: list[_Written]) -> list[_Written]:
        return [one for one in written if one.buffer not in self.ordered]

    def _nested(self, node: Statement, inside: list[_Written]) -> Statement:
        if not isinstance(node, For | While | If):
            return node
        with self.indices.inside():
            if isinstance(node, For):
                self.indices.bind(node)
            node = map_bodies(node, lambda body: self.body(body, inside))
        if isinstance(node, If) or not self._meet_in_rounds(node, inside):
            return node
        return replace(node, body=(Barrier(WARP), *node.body))

    def _meet_in_rounds(self, loop: For | While, inside: list[_Written]) -> bool:
        """Whether different threads may write one element in different rounds."""
        names = {name.name for s in statements((loop,)) if (name := bound(s)) is not None}

        def varying(value: Value) -> bool:
            return any(getattr(v, "name", None) in names for v in values(value))

        return any(not a.is_of_one_thread(varying) for a in inside) or any(
            not a.is_apart(b) for a, b in combinations(inside, 2)
        )

    def _written(self, node: Store | StoreRun) -> Iterable[_Written]:
        memory = self.memory[node.buffer]
        if isinstance(node, Store):
            lanes = max(node.value.lanes, node.offset.lanes)
            begin = self._begin(node.offset) if node.offset.lanes == 1 else None
            stride = int(node.stride.value) if isinstance(node.stride, Literal) else None  # type: ignore[arg-type]
            yield _Written(memory, node.buffer, begin, stride, lanes)
            return
        for n, value in enumerate(node.values):
            begin = self._begin(add(node.offset, integer(n * value.lanes)))
            yield _Written(memory, node.buffer, begin, 1, value.lanes)

    def _begin(self, offset: Value) -> Linear | None:
        return self.indices.of(offset) if self.indices.is_fixed(offset) else None
