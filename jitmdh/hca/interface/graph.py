"""The dependency graph of a device (thesis 6.2.1): what has to wait for what, from what kernels read and write.

A device has *lanes*, queues or streams that keep their order each, and work in different ones overlaps. Work goes into
the lane of the last work that it has to wait for, where that is the lane's last, and else into the next lane; what it
has to wait for in other lanes, it is told. One lane more, MAIN, has the copies, and what does not say what it uses:
that waits for all there is, and all that follows waits for it. Lanes below MAIN are those of other devices, which copy
from this one.

    k1 writes a, k2 writes b, k3 reads both:        lane 0: k1 ─ k3        lane 1: k2 ┘
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from typing import Any

from jitmdh.base.records import dataclass

MAIN = -1
_MOST_MEMORIES = 4096  # before those that nothing uses any more are forgotten

Accesses = Sequence[tuple[Hashable, bool]]
"""What work uses: names of memory, each with whether it is written."""


@dataclass(slots=True, eq=False)
class _Node:
    """Work in a lane; where the same is done again and again, the last of it."""

    lane: int
    number: int
    event: Any


@dataclass(slots=True)
class _Memory:
    """Who used it last: the writer, and behind it, of each lane, the last reader."""

    writer: _Node | None = None
    readers: dict[int, _Node] = field(default_factory=dict)


class DependencyGraph:
    """ended: whether the work of an event has ended; does not wait. To be used under `lock`, from question to note."""

    def __init__(self, lanes: int, ended: Callable[[Any], bool]) -> None:
        self.lock = threading.RLock()
        self._ended = ended
        self._tails: dict[int, _Node] = {}
        self._lanes, self._next, self._number = lanes, 0, 0
        self._others: dict[Hashable, int] = {}
        self._memories: dict[Hashable, _Memory] = {}
        self._ranges: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._fence: _Node | None = None
        self._fence_event: Callable[[], Any] | None = None  # which nobody has asked for yet
        self._last: tuple[Accesses, _Node] | None = None  # what was noted last, if that writes, in a lane of our own

    def range(self, begin: int, end: int) -> tuple[int, int]:
        """The name of memory by its addresses: what overlaps is used by whoever uses one of both."""
        name = begin, end
        with self.lock:
            if name not in self._ranges:
                self._forget_unused()
                others = [other for other in self._ranges if other[0] < end and begin < other[1]]
                for other in others:
                    self._ranges[other].append(name)
                self._ranges[name] = [name, *others]
        return name

    def lane_of(self, other: Hashable) -> int:
        """The lane of what another device does, in the order of its queue, with memory of this one."""
        return self._others.setdefault(other, MAIN - 1 - len(self._others))

    def lane_for(self, uses: Accesses) -> tuple[int, list[Any]]:
        """The lane for work that uses memory so, and the events in others that it has to wait for."""
        if self._last is not None and self._last[0] == uses:  # it has waited for all that this has to wait for
            return self._last[1].lane, []
        before = self._before(uses)
        last = None
        for node in before.values():
            if last is None or node.number > last.number:
                last = node
        if last is not None and last.lane > MAIN and self._tails[last.lane] is last:
            if len(before) == 1:
                return last.lane, []
            lane = last.lane
        else:
            lane, self._next = self._next, (self._next + 1) % self._lanes
        return lane, [node.event for node in before.values() if node.lane != lane]

    def before_main(self, uses: Accesses) -> list[Any]:
        """The events that work in MAIN has to wait for."""
        return [node.event for node in self._before(uses).values() if node.lane != MAIN]

    def all(self) -> list[Any]:
        """The events of all lanes but MAIN that work has to wait for which uses anything."""
        return [node.event for lane, node in self._tails.items() if lane != MAIN and not self._ended(node.event)]

    def note(self, uses: Accesses, lane: int, event: Any) -> None:
        """Work has been started, as `lane_for` or `before_main` say."""
        if self._last is not None and self._last[1].lane == lane and self._last[0] == uses:
            node = self._last[1]
            self._number += 1
            node.number, node.event = self._number, event
            return
        node = self._tails[lane] = self._node(lane, event)
        self._last = (uses, node) if lane > MAIN and any(writes for _, writes in uses) else None
        memories = self._memories
        for name, writes in uses:
            if (memory := memories.get(name)) is None:
                memory = memories[name] = _Memory()
            if writes:
                memory.writer = node
                if memory.readers:
                    memory.readers = {}
            else:
                memory.readers[lane] = node

    def fence(self, event: Callable[[], Any]) -> None:
        """Work in MAIN has been started that may use anything, behind `all`.

        event: of what MAIN has to do, asked for once there is work that has to wait for it. Where calls follow each
        other in MAIN there is none, and a driver takes as long for an event as for a short kernel.
        """
        self._fence, self._fence_event, self._last = self._node(MAIN, None), event, None

    def _node(self, lane: int, event: Any) -> _Node:
        self._number += 1
        return _Node(lane, self._number, event)

    def _before(self, uses: Accesses) -> dict[int, _Node]:
        """Of each lane the last work that must have ended."""
        found: dict[int, _Node] = {}
        if self._fence is not None:
            if self._fence_event is not None:
                self._fence.event, self._fence_event = self._fence_event(), None
            if self._ended(self._fence.event):
                self._fence = None
            else:
                found[MAIN] = self._fence
        memories, ranges = self._memories, self._ranges
        for name, writes in uses:
            for other in ranges.get(name) or (name,):  # type: ignore[call-overload]
                if (memory := memories.get(other)) is None:
                    continue
                if (node := memory.writer) is not None and (
                    (k := found.get(node.lane)) is None or k.number < node.number
                ):
                    found[node.lane] = node
                for node in memory.readers.values() if writes else ():
                    if (k := found.get(node.lane)) is None or k.number < node.number:
                        found[node.lane] = node
        return found

    def _forget_unused(self) -> None:
        if len(self._memories) + len(self._ranges) < _MOST_MEMORIES:
            return
        for name, memory in list(self._memories.items()):
            users = [*memory.readers.values(), *filter(None, (memory.writer,))]
            if all(self._ended(node.event) for node in users):
                del self._memories[name]
        kept = [name for name in self._ranges if name in self._memories]
        self._ranges = {one: [one, *(o for o in kept if o != one and o[0] < one[1] and one[0] < o[1])] for one in kept}
