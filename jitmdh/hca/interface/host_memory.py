"""Buffers whose memory a device's driver gives: pinned, for fast copies, and unified, which needs none (thesis 6.2).

    x = hca.PinnedBuffer(np.ones(1 << 24), gpu)       copies to and from this GPU are made by its own engines
    y = hca.UnifiedBuffer(np.ones(1 << 24), gpu)      this GPU and the host use the same memory

Both are used as `hca.Buffer`, on any device. The array given is copied once; `host` is the memory of the buffer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.hca.interface.buffer import Array, Buffer, in_main_memory
from jitmdh.hca.interface.device import Device


class PinnedBuffer(Buffer):
    """A buffer in page-locked memory, from and to which `device` copies fastest.

    OutOfMemoryError if there is not as much; otherwise as `Buffer`.
    """

    @entry
    def __init__(self, array: Any, device: Device) -> None:
        given = in_main_memory(array)
        super().__init__(_filled(device.driver.pinned(max(1, given.nbytes)), given))


class UnifiedBuffer(Buffer):
    """A buffer in memory that the host and `device` both use: nothing is copied between them.

    The host waits for kernels where it looks, as with any buffer. DeviceError if the device has no such memory;
    otherwise as `Buffer`.
    """

    @entry
    def __init__(self, array: Any, device: Device) -> None:
        given = in_main_memory(array)
        memory, handle = device.driver.unified(max(1, given.nbytes))
        super().__init__(_filled(memory, given))
        self._shared = device, handle
        self.place(device, handle)

    def release(self) -> None:
        """Frees the copies on other devices."""
        super().release()
        self.place(*self._shared)


def _filled(memory: Array, given: Array) -> Array:
    """`memory`, as an array like `given`, with its content."""
    array: Array = np.ndarray(given.shape, given.dtype, memory)
    array[...] = given
    return array


def page_aligned(size_bytes: int, page: int = 4096) -> Array:
    """Bytes that begin a page.

    >>> page_aligned(100).ctypes.data % 4096, page_aligned(100).nbytes
    (0, 100)
    """
    room = np.empty(size_bytes + page, np.uint8)
    begin = -room.ctypes.data % page
    return room[begin : begin + size_bytes]
