"""Buffers: one array, mirrored lazily on the devices that use it (thesis 6.2.1, step 3).

b = Buffer(np.ones(1000))
gpu.run(kernel, read_write(b))       copied to the GPU now, since it is not there yet; returns at once
gpu.run(kernel, read_write(b))       nothing is copied
b.host[0]                            waits for the GPU, then copies back, since the GPU has changed it

A device that shares the host's memory has no copy: its kernels use the array where it is. Devices of one driver copy
to each other.  The host waits in two places
only: in `host`, until the kernels that write the buffer or use its array have ended and the copies that read main
memory are made; and in `run` for what another device uses, if the current copy is there or main memory is written.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError, DeviceError
from jitmdh.base.records import dataclass
from jitmdh.hca.interface.profile import recorded
from jitmdh.hca.interface.statistics import Statistics, count

Array = np.ndarray[Any, Any]


class Pending(Protocol):
    """Something a device still does with main memory."""

    def wait(self) -> Any: ...


class DeviceMemory(Protocol):
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

    def copy_from(self, handle: Any, other: DeviceMemory, source: Any, size_bytes: int) -> Any:
        """Starts a copy of memory of another device, behind what writes it there; what uses either later comes behind
        that. None where there is no such way: copies go through main memory then."""

    def pinned(self, size_bytes: int) -> Array:
        """Bytes of main memory, one or more, that the device copies from and to fastest. OutOfMemoryError if there are
        none."""

    def unified(self, size_bytes: int) -> tuple[Array, Any]:
        """Bytes that host and device both use, one or more, and what kernels take for them. DeviceError if the device
        has no such memory."""


class CopyPlace(Protocol):
    """Where a copy can be: a device, known by its identity."""

    @property
    def driver(self) -> DeviceMemory: ...


@dataclass(frozen=True, slots=True)
class SeenArray:
    """An array of another library on a device. facts: all that calls depend on but where it is; place: what programs
    are given for it; memory: what it is a part of; kept: has to live until kernels are started."""

    facts: tuple[Any, ...]
    place: int
    memory: int
    kept: object = None


_DLPACK_CPU = 1


_ON_DEVICES = ("__dlpack_device__", "__cuda_array_interface__")
_AS_ARRAY = ("__array_interface__", "__array__")


def is_foreign_array(value: Any) -> bool:
    """Whether this is an array of a library other than NumPy, in main memory or on a device."""
    return _is_foreign(type(value))  # type: ignore[arg-type]  # mypy: a class cannot be hashed


@functools.lru_cache(256)
def _is_foreign(kind: type) -> bool:
    if issubclass(kind, np.ndarray | np.generic | int | float | complex | Buffer):
        return False
    return any(hasattr(kind, m) for m in (*_ON_DEVICES, *_AS_ARRAY)) or kind.__module__.startswith("pyopencl.")


def in_main_memory(array: Any, what: str = "") -> Array:
    """A NumPy array of the same memory. ArgumentTypeError for what is none, or lies on a device. what: for errors.

    What gives NumPy a copy (`__array__` of a table whose columns are apart) is read-only: nothing written would arrive.
    """
    if isinstance(array, np.ndarray):
        return array
    kind = type(array)
    name = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    name = f"{what} ({name})" if what else name
    if not is_foreign_array(array):
        raise ArgumentTypeError(f"{name} is no array", hint="pass np.asarray(...) of it")
    place = getattr(array, "__dlpack_device__", None)
    converts = any(hasattr(kind, m) for m in _AS_ARRAY) and not hasattr(kind, "__cuda_array_interface__")
    if (place is None and not converts) or (place is not None and place()[0] != _DLPACK_CPU):
        raise ArgumentTypeError(f"{name} is an array of another device", hint="copy it to the host first")
    try:
        return np.from_dlpack(array) if place is not None else _as_numpy(array)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{name} cannot be used as a NumPy array", reason=str(error)) from None


def _can_be_fetched(array: Any) -> bool:
    """Whether it is an array on a device that copies itself to main memory and back."""
    kind = type(array)
    return is_foreign_array(array) and kind.__module__.startswith(("pyopencl.", "cupy")) and hasattr(kind, "set")


def _fetched(array: Any) -> Array:
    """A copy in main memory of an array on a device."""
    try:
        host: Array = array.get()
    except (AssertionError, RuntimeError, ValueError, TypeError) as error:
        name = f"{type(array).__module__.partition('.')[0]}.{type(array).__name__}"
        raise ArgumentTypeError(f"{name} cannot be copied to main memory", reason=str(error)) from None
    count(Statistics(bytes_from_devices=host.nbytes))
    return host


def _as_numpy(array: Any) -> Array:
    """The memory that `__array_interface__` or `__array__` gives; read-only where each call gives another copy."""
    given = np.asarray(array)
    if given.flags.writeable and given.size and not np.may_share_memory(given, np.asarray(array)):
        given = given.view()
        given.flags.writeable = False
    return given


@dataclass(slots=True)
class _Work:
    """What a device does with main memory itself, by lane: what it was given there before ends before.

    A pending that has no `lane` is of a device that has one lane only.
    """

    pending: dict[int, Pending]
    writes: bool

    def wait(self) -> None:
        for one in self.pending.values():
            one.wait()


def _ended(work: dict[CopyPlace, _Work]) -> None:
    """Returns when all work has ended, well or not."""
    for one in work.values():
        for pending in one.pending.values():
            with contextlib.suppress(DeviceError):
                pending.wait()


class Buffer:
    """An array and its copies. Copies happen only when an up-to-date one is not where it is needed.

    The array is `host`, and results come into it when `host` is asked for, whatever its strides; devices take it as if
    it were C-contiguous. Arrays of other libraries that lie in main memory (torch, JAX) are taken by DLPack, as they
    are. `np.asarray(b)`, `b[...]`, `b[...] = x` and `len(b)` are those of `host`; `b.part(i, j)` is a buffer of some of
    its rows.

    An array that lies on a device, of pyopencl or CuPy, is copied to main memory when its buffer is made (changes to it
    later do not count), and what `host` is comes into it when that is asked for, or was written. ArgumentTypeError for
    what is no array, or on a device in another way.
    """

    def __init__(self, array: Any) -> None:
        self._theirs = array if _can_be_fetched(array) else None
        self._given = in_main_memory(array) if self._theirs is None else _fetched(array)
        self._host = np.ascontiguousarray(self._given).reshape(self._given.shape)
        self._host_is_current = True
        self._is_written = False  # by a device, since `host` was asked for
        self._placed: dict[CopyPlace, Any] = {}
        self._copies: dict[CopyPlace, Any] = {}
        self._current: set[CopyPlace] = set()
        self._work: dict[CopyPlace, _Work] = {}
        self._last: CopyPlace | None = None
        self._looked: list[Callable[[], None]] = []
        self._parts: dict[tuple[int, int], Buffer] = {}
        self._shares = False  # there are other buffers of the same memory
        begin: int = self._host.__array_interface__["data"][0]
        self._ends = begin, begin + self._host.nbytes
        weakref.finalize(self, _ended, self._work).atexit = False  # a device may be using the array
        self._lock = threading.RLock()

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the array."""
        shape: tuple[int, ...] = self._host.shape
        return shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        dtype: np.dtype[Any] = self._host.dtype
        return dtype

    @property
    def is_writeable(self) -> bool:
        """Whether results can come into the array; False: it is read-only."""
        return self._given.flags.writeable

    @property
    def device(self) -> CopyPlace | None:
        """The device that used it last; None: none yet, or it was released."""
        return self._last

    @property
    def host(self) -> Array:
        """The array in main memory, up to date. Changes to it count only through `changed()`."""
        with self._lock:
            self._settle_others(None, writes=True)
            self._bring_to_host()
            self._wait()
            if self._is_written:
                self._is_written = False
                if self._is_apart:
                    np.copyto(self._given, self._host)
                self._give_back()
            while self._looked:
                self._looked.pop(0)()
            return self._given

    @property
    def _is_apart(self) -> bool:
        """Whether the array that was given is not the one that devices take."""
        return self._given is not self._host and not np.shares_memory(self._given, self._host)

    def _give_back(self) -> None:
        """What main memory holds to the array of another library."""
        if self._theirs is not None:
            self._theirs.set(self._given)
            count(Statistics(bytes_to_devices=self._given.nbytes))

    @entry
    def part(self, begin: int, end: int) -> Buffer:
        """The rows from `begin` to `end`, as a buffer of the same memory: devices can hold parts of one array each.

        Whole and parts are kept in step: what one of them holds that another needs goes by way of main memory. The same
        rows are the same buffer. ArgumentTypeError for an array that is not C-contiguous, lies on a device, or has no
        such rows.
        """
        with self._lock:
            apart = self._is_apart or self._theirs is not None
            if apart or not self.shape or not 0 <= begin <= end <= len(self):
                raise ArgumentTypeError(
                    f"a buffer of shape {self.shape} has no part from {begin} to {end}",
                    hint="arrays that are not C-contiguous, or on a device, have no parts" if apart else "",
                )
            if (begin, end) not in self._parts:
                self._parts[begin, end] = BufferPart(self, begin, end)
                self._shares = True
            return self._parts[begin, end]

    @entry
    def shares_memory(self, other: Buffer) -> bool:
        """Whether another buffer has some of the same main memory: a part of it, or one of an array that overlaps."""
        (begin, end), (first, last) = self._ends, other._ends
        return self is not other and begin < last and first < end

    def _others(self) -> Iterable[Buffer]:
        """Buffers of some of the same memory."""
        return self._parts.values()

    def _settle_others(self, device: CopyPlace | None, writes: bool) -> None:
        """Main memory has what they wrote; no device but this one uses it, or writes it."""
        for other in self._others():
            other._bring_to_host()
            other._wait(but=device, writers_only=not writes)

    def _outdate_others(self) -> None:
        for other in self._others():
            other._current.clear()

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.host, dtype, copy=copy)

    def __getitem__(self, key: Any) -> Any:
        return self.host[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        with self._lock:
            self.host[key] = value
            self.changed()

    def _bring_to_host(self) -> None:
        if not self._host_is_current:
            device = next(iter(self._current))
            self._wait()
            with recorded("copy", "copy to the host", device, self._host.nbytes):
                device.driver.copy_out(self._copies[device], self._host)
            count(Statistics(bytes_from_devices=self._host.nbytes))
            self._host_is_current = True

    def _wait(self, but: CopyPlace | None = None, writers_only: bool = False) -> None:
        """Until no device uses main memory any more, or none that writes it. but: a device that may go on."""
        for device, work in list(self._work.items()):
            if device is not but and (work.writes or not writers_only):
                work.wait()
                del self._work[device]

    def changed(self) -> None:
        """To be called after `host` has been written: other copies are out of date."""
        with self._lock:
            assert self._host_is_current
            if self._is_apart:
                np.copyto(self._host, self._given)
            self._give_back()
            self._current.clear()
            self._outdate_others()

    @entry
    def overwrite(self, array: Array) -> None:
        """Gives the buffer another content of the same shape; what devices hold is not copied back before."""
        if np.shape(array) != self.shape:
            raise ArgumentTypeError(f"a buffer of shape {self.shape} cannot hold an array of shape {np.shape(array)}")
        with self._lock:
            self._settle_others(None, writes=True)
            self._wait()
            self._host_is_current, self._is_written = True, False
            self._given[...] = array
            self.changed()

    def on(self, device: CopyPlace, reads: bool, writes: bool = False) -> Any:
        """The driver's handle of the buffer on `device`; up to date if the kernel reads it."""
        with self._lock:
            if not self._shares:
                if device in self._current:
                    return self._copies[device]
                work, placed = self._work, self._placed.get(device)
                if placed is not None and self._host_is_current and len(work) == (device in work):
                    return placed  # in use by this device alone
            self._settle_others(device, writes)
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
            if reads and device not in self._current and not self._comes_across(device):
                self._bring_to_host()
                self._wait(writers_only=True)
                with recorded("copy", "copy to the device", device, self._host.nbytes):
                    pending = device.driver.copy_in(self._copies[device], self._host)
                count(Statistics(bytes_to_devices=self._host.nbytes))
                self._note(device, pending, writes=False)
                self._current.add(device)
            return self._copies[device]

    def _comes_across(self, device: CopyPlace) -> bool:
        """Whether the copy on a device has been started to be made from the current one of another."""
        if self._host_is_current:
            return False
        source = next(iter(self._current))
        with recorded("copy", f"copy from {getattr(source, 'name', 'another device')}", device, self._host.nbytes):
            copied = device.driver.copy_from(
                self._copies[device], source.driver, self._copies[source], self._host.nbytes
            )
        if copied is None:
            return False
        count(Statistics(bytes_between_devices=self._host.nbytes))
        self._current.add(device)
        return True

    def place(self, device: CopyPlace, handle: Any) -> None:
        """To be called where a device uses the memory as it is: what its kernels take for it."""
        with self._lock:
            self._placed[device] = handle

    @entry
    def on_device(self, device: CopyPlace, writes: bool = True) -> Any:
        """The buffer as an array of the device's library, the same memory: of pyopencl, CuPy, or NumPy.

        writes: the array may be written to; then `host` is what it is when it is asked for. It lies in the queue of
        `device.run`: kernels come before and behind it in the order of the program. Not to be used after `release`.
        """
        driver: Any = device.driver
        handle = self.on(device, reads=True, writes=writes)
        array, pending = driver.lent(handle, self.shape, self.dtype)
        self.used_on(device, pending, writes)
        return array

    def used_on(
        self, device: CopyPlace, pending: Pending | None, writes: bool, looked: Callable[[], None] | None = None
    ) -> None:
        """To be called after a kernel on `device` was started. pending: for its end; None: it has ended.

        looked: called once, when somebody looks at the content next; raises what the kernel has met.
        """
        with self._lock:
            self._last = device
            if looked is not None and looked not in self._looked:
                self._looked.append(looked)
            if placed := self._placed.get(device) is not None:
                self._note(device, pending, writes)
            if writes:
                self._current = set() if placed else {device}
                self._host_is_current, self._is_written = placed, True
                if self._shares:
                    self._outdate_others()

    def _note(self, device: CopyPlace, pending: Pending | None, writes: bool) -> None:
        if pending is not None:
            work = self._work.get(device)
            if work is None:
                work = self._work[device] = _Work({}, False)
            lane = getattr(pending, "lane", 0)
            if writes:  # it has waited for the others
                work.pending, work.writes = {lane: pending}, True
            else:
                work.pending[lane] = pending

    def release(self) -> None:
        """Frees the copies on all devices; main memory is brought up to date first."""
        with self._lock:
            _ = self.host
            for part in self._parts.values():
                part.release()
            self._parts.clear()
            for device, handle in self._copies.items():
                device.driver.free(handle)
            self._last = None
            self._copies.clear()
            self._placed.clear()
            self._current.clear()


class BufferPart(Buffer):
    """Rows `begin` to `end` of another buffer, in the same memory; made by `Buffer.part`.

    Of buffers that share memory at most one is ahead of main memory: before one is used, the others are brought there.
    """

    def __init__(self, whole: Buffer, begin: int, end: int) -> None:
        super().__init__(whole._host[begin:end])
        self._whole, self._begin, self._end, self._shares = whole, begin, end, True
        self._lock = whole._lock

    def part(self, begin: int, end: int) -> Buffer:
        """Of this part's rows: a part of the whole, too."""
        end_of_it = self._begin + end if end <= len(self) else -1
        return self._whole.part(self._begin + begin if begin >= 0 else -1, end_of_it)

    def _others(self) -> Iterable[Buffer]:
        """The whole, and parts that have some of the same rows."""
        yield self._whole
        for (begin, end), part in self._whole._parts.items():
            if part is not self and begin < self._end and self._begin < end:
                yield part
