"""Copies between OpenCL devices that have a context in common, and arrays of pyopencl in main memory.

pyopencl is given, as `cl`, or what was made by it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from jitmdh.base.errors import DeviceError
from jitmdh.hca.interface.graph import MAIN, Accesses, DependencyGraph


class SharedContext:
    """One context for several devices of a platform, made when one of them is first used: they copy to each other."""

    def __init__(self, cl: Any, devices: Sequence[Any]) -> None:
        self._cl, self._devices = cl, tuple(devices)
        self._made: Any = None
        self._lock = threading.Lock()

    def context(self) -> Any:
        """The same for all."""
        with self._lock:
            if self._made is None:
                self._made = self._cl.Context(list(self._devices))
            return self._made


class Side(Hashable, Protocol):
    """A device with memory of its own that copies come from or go to."""

    graph: DependencyGraph

    def opened(self) -> tuple[Any, Any]:
        """Its context and its queue of copies."""

    def accesses(self, uses: Sequence[tuple[Any, bool]]) -> Accesses:
        """Of handles, with whether they are written, as the graph names memory."""

    def is_lent(self, handle: Any) -> bool:
        """Whether others use the memory in the queue of copies, so that the graph does not know of all uses."""


def copy_between(cl: Any, source: Side, given: Any, target: Side, taken: Any, size_bytes: int) -> Any:
    """Starts a copy of memory of one device, behind what writes it there, to memory of another; its event.

    It is made in the queue of copies of the target. What writes either memory later waits for it.
    """
    (_, there), (_, here) = source.opened(), target.opened()
    first, second = sorted((source.graph, target.graph), key=id)
    reads, writes = source.accesses(((given, False),)), target.accesses(((taken, True),))
    with first.lock, second.lock:
        ready = cl.enqueue_marker(there, wait_for=source.graph.before_main(reads) or None)
        there.flush()  # drivers need not begin before, and the other queue waits
        before = [ready, *target.graph.before_main(writes)]
        copied = cl.enqueue_copy(here, taken, given, byte_count=size_bytes, wait_for=before)
        here.flush()
        target.graph.note(writes, MAIN, copied)
        source.graph.note(reads, source.graph.lane_of(target), copied)
        if source.is_lent(given):
            cl.enqueue_barrier(there, wait_for=[copied])
    return copied


@contextlib.contextmanager
def mapped(arrays: Sequence[Any]) -> Iterator[list[np.ndarray[Any, Any]]]:
    """Arrays of pyopencl as arrays of NumPy on the same memory. DeviceError if a buffer cannot be mapped.

    A buffer is mapped in the queue of its array, behind what was started there before, and unmapped in the end; on
    devices that share the host's memory nothing is copied by that. Arrays of one buffer share it.
    """
    import pyopencl

    cl: Any = pyopencl
    memory: dict[int, np.ndarray[Any, Any]] = {}
    opened: list[tuple[Any, Any]] = []
    try:
        found = []
        for array in arrays:
            data = array.base_data
            if data is None:  # it has no elements
                found.append(np.empty(array.shape, array.dtype))
                continue
            if data.int_ptr not in memory:
                queue = array.queue or cl.CommandQueue(array.context)
                flags = cl.map_flags.READ | cl.map_flags.WRITE
                whole, _ = cl.enqueue_map_buffer(queue, data, flags, 0, (data.size,), np.uint8, is_blocking=True)
                memory[data.int_ptr] = whole
                opened.append((whole, queue))
            bytes = memory[data.int_ptr]
            found.append(np.ndarray(array.shape, array.dtype, bytes, array.offset, array.strides))
        yield found
    except cl.Error as error:
        raise DeviceError("an array of pyopencl cannot be brought into main memory", reason=str(error)) from None
    finally:
        for whole, queue in opened:
            whole.base.release(queue).wait()


def on_device_of(array: np.ndarray[Any, Any], like: Any) -> Any:
    """A new array as one of pyopencl's, on the device and in the queue of `like`; it keeps the memory."""
    import pyopencl.array

    cl: Any = pyopencl
    array_of: Any = cl.array.Array
    queue = like.queue or like.context
    if not array.size:
        return array_of(queue, array.shape, array.dtype)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    data = cl.Buffer(like.context, flags, hostbuf=array)
    return array_of(queue, array.shape, array.dtype, data=data, strides=array.strides)
