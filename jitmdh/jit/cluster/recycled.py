"""Memory of large arrays that nobody holds any more, for the next ones: new memory costs more than to compute on it.

The system hands out pages when they are touched first, filled with zeros: a write of memory more for each array, and on
a virtual machine many times that. A task that begins after others have been forgotten takes what those had.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_LARGE = 1 << 20  # bytes; below, the allocator keeps memory itself
_SLACK = 1.25  # memory serves for an array of at least 1 / so much of it
_SHARE = 8  # at most 1 / so much of a process's memory waits here


class _Lease:
    """Memory that is in use as long as an array refers to this object."""

    def __init__(self, memory: Array, owner: Recycled) -> None:
        self.memory, self.owner = memory, owner

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.memory.__array_interface__

    def __del__(self) -> None:
        self.owner.give_back(self.memory)


class Recycled:
    """Makes arrays, in any thread."""

    def __init__(self) -> None:
        self.limit = 0
        """Bytes that may wait."""
        self.returned: deque[Array] = deque()
        self.waiting: list[Array] = []
        self.lock = threading.Lock()

    def may_keep(self, memory: int) -> None:
        """A part of so many bytes, which the process may have."""
        self.limit = memory // _SHARE

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """An array of any content, as `np.empty` makes."""
        size = math.prod(shape) * dtype.itemsize
        if size < _LARGE or dtype.hasobject:
            return np.empty(shape, dtype)
        with self.lock:
            memory = self._taken(size)
        lease = _Lease(np.empty(size, np.uint8) if memory is None else memory, self)
        return np.asarray(lease)[:size].view(dtype).reshape(shape)

    def give_back(self, memory: Array) -> None:
        """From any thread, within any allocation: nothing is waited for. Who holds the lock takes it up."""
        self.returned.append(memory)
        if self.lock.acquire(blocking=False):
            try:
                self._take_up()
                self._drop()
            finally:
                self.lock.release()

    def _taken(self, size: int) -> Array | None:
        """The least of the memory that waits, if that is not too large."""
        self._take_up()
        waiting = self.waiting
        fitting = [n for n, m in enumerate(waiting) if size <= m.nbytes <= _SLACK * size]
        chosen = waiting.pop(min(fitting, key=lambda n: waiting[n].nbytes)) if fitting else None
        self._drop()
        return chosen

    def _take_up(self) -> None:
        while self.returned:
            self.waiting.append(self.returned.popleft())

    def _drop(self) -> None:
        """What is more than may wait, the oldest first."""
        while sum(m.nbytes for m in self.waiting) > self.limit:
            del self.waiting[0]
