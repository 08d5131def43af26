"""Buffers: one array, mirrored lazily on the devices that use it (thesis 6.2.1, step 3).

b = Buffer(np.ones(1000))
gpu.run(kernel, read_write(b))       copied to the GPU now, since it is not there yet; returns at once
gpu.run(kernel, read_write(b))       nothing is copied
b.host[0]                            waits for the GPU, then copies back, since the GPU has changed it

A device that shares the host's memory has no copy: its kernels use the array where it is. The host waits in two places
only: in `host`, until the kernels that write the buffer or use its array have ended and the copies that read main
memory are made; and in `run` for what another device uses, if the current copy is there or main memory is written.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from jitmdh.hca.interface.statistics import Statistics, count

Array = np.ndarray[Any, Any]


class Pending(Protocol):
    """Something a device still does with main memory."""

    def wait(self) -> Any: ...


class Memory(Protocol):
    """The memory of a device."""

    def in_place(self, array: Array) -> Any:
        """What kernels take for an array where it is, so that nothing is copied; None if they need a copy of it."""

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


@dataclass(frozen=True, slots=True)
class _Work:
    """What a device does with main memory itself. The last of a device: what it was given before ends before."""

    pending: Pending
    writes: bool


class Buffer:
    """An array and its copies. Copies happen only when an up-to-date one is not where it is needed.

    A C-contiguous array is not copied: it is `host`, and results come into it when `host` is asked for.
    """

    def __init__(self, array: Array) -> None:
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
        self._host = array
        self._host_is_current = True
        self._placed: dict[Place, Any] = {}
        self._copies: dict[Place, Any] = {}
        self._current: set[Place] = set()
        self._work: dict[Place, _Work] = {}
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
            self._wait()
            return self._host

    def _bring_to_host(self) -> None:
        if not self._host_is_current:
            device = next(iter(self._current))
            self._wait()
            device.driver.copy_out(self._copies[device], self._host)
            count(Statistics(bytes_from_devices=self._host.nbytes))
            self._host_is_current = True

    def _wait(self, but: Place | None = None, writers_only: bool = False) -> None:
        """Until no device uses main memory any more, or none that writes it. but: a device that may go on."""
        for device, work in list(self._work.items()):
            if device is not but and (work.writes or not writers_only):
                work.pending.wait()
                del self._work[device]

    def changed(self) -> None:
        """To be called after `host` has been written: other copies are out of date."""
        with self._lock:
            assert self._host_is_current
            self._current.clear()

    def overwrite(self, array: Array) -> None:
        """Gives the buffer another content of the same shape; what devices hold is not copied back before."""
        with self._lock:
            self._wait()
            self._host[...] = array
            self._host_is_current = True
            self._current.clear()

    def on(self, device: Place, reads: bool, writes: bool = False) -> Any:
        """The driver's handle of the buffer on `device`; up to date if the kernel reads it."""
        with self._lock:
            if device not in self._copies and device not in self._placed:
                self._placed[device] = device.driver.in_place(self._host)
            placed = self._placed.get(device)
            if placed is not None:
                if reads:
                    self._bring_to_host()
                self._wait(but=device, writers_only=not writes)
                return placed
            if device not in self._copies:
                self._copies[device] = device.driver.allocate(self._host.nbytes)
                count(Statistics(allocations=1))
            if reads and device not in self._current:
                self._bring_to_host()
                self._wait(writers_only=True)
                pending = device.driver.copy_in(self._copies[device], self._host)
                count(Statistics(bytes_to_devices=self._host.nbytes))
                self._note(device, pending, writes=False)
                self._current.add(device)
            return self._copies[device]

    def used_on(self, device: Place, pending: Pending | None, writes: bool) -> None:
        """To be called after a kernel on `device` was started. pending: for its end; None: it has ended."""
        with self._lock:
            placed = self._placed.get(device) is not None
            if placed:
                self._note(device, pending, writes)
            if writes:
                self._current = set() if placed else {device}
                self._host_is_current = placed

    def _note(self, device: Place, pending: Pending | None, writes: bool) -> None:
        if pending is not None:
            before = self._work.get(device)
            self._work[device] = _Work(pending, writes or (before is not None and before.writes))

    def release(self) -> None:
        """Frees the copies on all devices; main memory is brought up to date first."""
        with self._lock:
            _ = self.host
            for device, handle in self._copies.items():
                device.driver.free(handle)
            self._copies.clear()
            self._placed.clear()
            self._current.clear()
