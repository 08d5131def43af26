"""Working memory of devices (`runtime/device.c`), with a driver that hands out numbers: kept, reused, given up."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from jitmdh.hca.devices.opencl_program import NativeQueue, runtime_function

_OUT_OF_RESOURCES = -5
_GIGABYTE = 1 << 30


class _Memory:
    """A driver with `room` for so many bytes. held: bytes of each piece of memory that it has handed out."""

    def __init__(self, room: int) -> None:
        self.room, self.held, self.number = room, dict[int, int](), 0
        pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int32
        create = ctypes.CFUNCTYPE(pointer, pointer, ctypes.c_uint64, size, pointer, ctypes.POINTER(number))
        self._functions: Any = (create(self._create), ctypes.CFUNCTYPE(number, pointer)(self._release))
        self.queue = NativeQueue([ctypes.cast(f, pointer).value or 0 for f in self._functions], 0, 0, self)
        self.program = (ctypes.c_int64 * 13)(self.queue.address)
        place = ctypes.addressof(self.program)
        self._acquire = runtime_function("jitmdh_device_acquire", pointer, pointer, ctypes.c_int64)
        self._give_up = runtime_function("jitmdh_device_release", None, pointer, pointer)
        self._place = place

    def acquire(self, size: int) -> int | None:
        found: int | None = self._acquire(self._place, size)
        return found

    def release(self, memory: int | None) -> None:
        self._give_up(self._place, memory)

    def _create(self, _context: int, _flags: int, size: int, _host: int, error: Any) -> int | None:
        if sum(self.held.values()) + size > self.room:
            error[0] = _OUT_OF_RESOURCES
            return None
        self.number += 1
        self.held[self.number] = size
        return self.number

    def _release(self, memory: int) -> int:
        del self.held[memory]
        return 0


@pytest.fixture
def memory() -> _Memory:
    return _Memory(4 * _GIGABYTE)


def test_as_many_as_a_program_has_at_the_same_time(memory: _Memory) -> None:
    handles = [memory.acquire(1000 + n) for n in range(100)]
    assert len(set(handles)) == 100 and memory.queue.allocations == 100
    for handle in handles:
        memory.release(handle)
    assert {memory.acquire(1000 + n) for n in range(100)} == set(handles)
    assert memory.queue.allocations == 100


def test_the_smallest_that_is_large_enough_is_taken_again(memory: _Memory) -> None:
    handles = [memory.acquire(size) for size in (1 << 20, 5000, 6000)]
    for handle in handles:
        memory.release(handle)
    assert memory.acquire(5500) == handles[2]
    assert memory.acquire(5500) not in handles  # 5000 are too few, 2**20 far too many


def test_a_gigabyte_is_kept(memory: _Memory) -> None:
    handles = [memory.acquire(_GIGABYTE * 2 // 5) for _ in range(4)]
    for handle in handles:
        memory.release(handle)
    assert len(memory.held) == 2


def test_what_is_kept_makes_room(memory: _Memory) -> None:
    """Where the driver has no more, and then there is no memory, which the next call does not remember."""
    kept = memory.acquire(_GIGABYTE // 2)
    memory.release(kept)
    assert memory.acquire(4 * _GIGABYTE) and kept not in memory.held
    assert memory.acquire(64) is None and memory.acquire(64) is None
    assert len(memory.held) == 1
