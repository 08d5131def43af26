"""Arrays of pyopencl as arrays of NumPy on the same memory, for the time of a call.

A buffer is mapped in the queue of its array, behind what was started there before, and unmapped behind the call; on
devices that share the host's memory nothing is copied by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from jitmdh.base.errors import DeviceError


@contextmanager
def mapped(arrays: Sequence[Any]) -> Iterator[list[np.ndarray[Any, Any]]]:
    """The arrays in main memory. Arrays of one buffer share it; DeviceError if a buffer cannot be mapped."""
    import pyopencl as cl

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


def lent(array: np.ndarray[Any, Any], like: Any) -> Any:
    """A new array as one of pyopencl's, on the device and in the queue of `like`; it keeps the memory."""
    import pyopencl as cl
    import pyopencl.array

    if not array.size:
        return pyopencl.array.Array(like.queue or like.context, array.shape, array.dtype)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    data = cl.Buffer(like.context, flags, hostbuf=array)
    return pyopencl.array.Array(like.queue or like.context, array.shape, array.dtype, data=data, strides=array.strides)
