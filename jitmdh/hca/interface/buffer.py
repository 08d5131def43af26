"""Buffers: one array, mirrored lazily on the devices that use it (thesis 6.2.1, step 3).

b = Buffer(np.ones(1000))
gpu.run(kernel, read_write(b))       copied to the GPU now, since it is not there yet; returns at once
gpu.run(kernel, read_write(b))       nothing is copied
b.host[0]                            waits for the GPU, then copies back, since the GPU has changed it

The host waits in two places only: in `host`, until the kernels that write the buffer have ended and the copies that
read main memory are made; and in `run` for a buffer whose current copy is on another device, which goes by the host.
"""

from __future__ import annotations

import threading
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]


class Pending(Protocol):
    """Something a device still does with main memory."""

    def wait(self) -> Any: ...


class Memory(Protocol):
    """The memory of a device. If it `shares_host_memory`, kernels take arrays as they are, and nothing is copied."""

    shares_host_memory: bool

    def allocate(self, size_bytes: int) -> Any:
        """Memory on the device: a handle. OutOfMemoryError if there is none."""

    def free(self, handle: Any) -> None: ...

    def copy_in(self, handle: Any, array: Array) -> Pending | None:
        """May return before the array has been read, and then gives what to wait for."""

    def copy_out(self, handle: Any, array: Array) -> None:
        """Returns when all kernels that were started on the device have ended and the array is filled."""


class Place(Protocol):
    """Where a copy can be: a device, known by its identity."""

    @property
    def driver(self) -> Memory: ...


class Buffer:
    """An array and its copies. Copies happen only when an up-to-date one is not where it is needed.

    A C-contiguous array is not copied: it is `host`, and results come into it when `host` is asked for.
    """

    def __init__(self, array: Array) -> None:
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
        self._host = array
        self._host_is_current = True
        self._copies: dict[Place, Any] = {}
        self._current: set[Place] = set()
        self._being_read: list[Pending] = []
        self._lock = threading.RLock()

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self._host.shape
        return shape

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = self._host.dtype
        return dtype

    @property
    def host(self) -> Array:
        """The array in main memory, up to date. Changes to it count only through `changed()`."""
        with self._lock:
            self._bring_to_host()
            self._wait_for_readers()
            return self._host

    def _bring_to_host(self) -> None:
        if not self._host_is_current:
            device = next(iter(self._current))
            device.driver.copy_out(self._copies[device], self._host)
            self._host_is_current = True

    def _wait_for_readers(self) -> None:
        """Until no device reads main memory any more, so that it may be written."""
        while self._being_read:
            self._being_read[-1].wait()
            self._being_read.pop()

    def changed(self) -> None:
        """To be called after `host` has been written: other copies are out of date."""
        with self._lock:
            assert self._host_is_current
            self._current.clear()

    def overwrite(self, array: Array) -> None:
        """Gives the buffer another content of the same shape; what devices hold is not copied back before."""
        with self._lock:
            self._wait_for_readers()
            self._host[...] = array
            self._host_is_current = True
            self._current.clear()

    def on(self, device: Place, reads: bool, writes: bool = False) -> Any:
        """The driver's handle of the copy on `device`; up to date if the kernel reads it."""
        driver = device.driver
        with self._lock:
            if driver.shares_host_memory:
                if reads:
                    self._bring_to_host()
                if writes:
                    self._wait_for_readers()
                return self._host
            if device not in self._copies:
                self._copies[device] = driver.allocate(self._host.nbytes)
            if reads and device not in self._current:
                self._bring_to_host()
                pending = driver.copy_in(self._copies[device], self._host)
                if pending is not None:
                    self._being_read.append(pending)
                self._current.add(device)
            return self._copies[device]

    def written_on(self, device: Place) -> None:
        """To be called after a kernel on `device` was started that writes the buffer."""
        with self._lock:
            shared = device.driver.shares_host_memory
            self._current = set() if shared else {device}
            self._host_is_current = shared

    def release(self) -> None:
        """Frees the copies on all devices; main memory is brought up to date first."""
        with self._lock:
            _ = self.host
            for device, handle in self._copies.items():
                device.driver.free(handle)
            self._copies.clear()
            self._current.clear()
