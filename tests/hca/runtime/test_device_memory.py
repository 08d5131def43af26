"""Working memory of devices (`runtime/device.c`), with a driver that hands out numbers: kept, reused, given up."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from jitmdh.hca.drivers.opencl_program import NativeQueue, runtime_function

_OUT_OF_RESOURCES = -5
_GIGABYTE = 1 << 30


class _Memory:
    """A driver with `room` for so many bytes. held: bytes of each piece of memory that it has handed out; zeros: bytes
    of it that were filled with zeros."""

    def __init__(self, room: int) -> None:
        self.room, self.held, self.number, self.zeros = room, dict[int, int](), 0, dict[int, int]()
        pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int32
        create = ctypes.CFUNCTYPE(pointer, pointer, ctypes.c_uint64, size, pointer, ctypes.POINTER(number))
        write = ctypes.CFUNCTYPE(number, pointer, pointer, number, size, size, pointer, number, pointer, pointer)
        self._functions: Any = (
            create(self._create), ctypes.CFUNCTYPE(number, pointer)(self._release), write(self._write),
        )  # fmt: skip
        first, second, third = (ctypes.cast(f, pointer).value or 0 for f in self._functions)
        self.queue = NativeQueue([first, second, 0, 0, 0, third, 0], 0, 0, self)
        self.program = (ctypes.c_int64 * 14)(self.queue.address)
        place = ctypes.addressof(self.program)
        self._acquire = runtime_function("jitmdh_device_acquire", pointer, pointer, *(ctypes.c_int64,) * 2)
        self._give_up = runtime_function("jitmdh_device_release", None, pointer, pointer)
        self._place = place

    def acquire(self, size: int, zeros: bool = False) -> int | None:
        found: int | None = self._acquire(self._place, size, zeros)
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

    def _write(self, _queue: int, memory: int, _waits: int, at: int, size: int, values: int, *_: Any) -> int:
        assert at == self.zeros.get(memory, 0) and ctypes.string_at(values, size) == bytes(size)
        self.zeros[memory] = at + size
        return 0

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


def test_zeros_are_written_once_and_given_up_after_an_error(memory: _Memory) -> None:
    """Kernels leave them as they were, unless one may not have ended; other memory is none."""
    memory.release(plain := memory.acquire(5000))
    zeros = memory.acquire(5000, zeros=True)
    assert zeros not in (None, plain) and memory.zeros == {zeros: 5000}
    memory.release(zeros)
    assert memory.acquire(4990, zeros=True) == zeros and memory.zeros == {zeros: 5000}
    assert memory.acquire(5000) == plain
    memory.queue._words[12] = _OUT_OF_RESOURCES
    memory.release(zeros)
    assert zeros not in memory.held


class _Looked:
    """A driver whose kernels are seen to have ended by the look `ends`. log: what it was asked, and the looks."""

    def __init__(self, ends: int) -> None:
        self.ends, self.looks, self.log = ends, 0, list[str]()
        pointer, number = ctypes.c_void_p, ctypes.c_int32
        took = ctypes.POINTER(number)
        launch = ctypes.CFUNCTYPE(
            number, *(pointer,) * 2, number, *(pointer,) * 3, number, pointer, ctypes.POINTER(pointer)
        )
        self._functions: Any = (
            launch(self._launch), ctypes.CFUNCTYPE(number, pointer)(lambda _: self._said("finish")),
            ctypes.CFUNCTYPE(number, pointer, number, ctypes.c_size_t, took, pointer)(self._look),
            ctypes.CFUNCTYPE(number, pointer)(lambda event: self._said(f"release {event}")),
            ctypes.CFUNCTYPE(ctypes.c_int64, pointer)(self._steps),
        )  # fmt: skip
        launch_at, finish_at, look_at, release_at, self._steps_at = (
            ctypes.cast(f, pointer).value or 0 for f in self._functions
        )
        self.queue = NativeQueue([0, 0, 0, launch_at, 0, 0, finish_at], 0, 0, self)
        self.queue._words[17], self.queue._words[18] = look_at, release_at
        self._cell, self._code = ctypes.c_int32(), (ctypes.c_int64 * 4)(1, 0, 0, 1)
        words = [self.queue.address, 1, 0, 0, 0, 0, ctypes.addressof(self._code), 0, 1, 0, ctypes.addressof(self._cell)]
        self._program = (ctypes.c_int64 * 14)(*words)

    def call(self) -> list[str]:
        self.log, self.looks = [], 0
        call = runtime_function("jitmdh_device_call", ctypes.c_int64, *(ctypes.c_void_p,) * 3)
        assert call(ctypes.addressof(self._program), self._steps_at, None) == 0
        return self.log

    def _said(self, what: str) -> int:
        self.log.append(what)
        return 0

    def _steps(self, _frame: int) -> int:
        launch = runtime_function("jitmdh_device_launch", None, ctypes.c_void_p, *(ctypes.c_int64,) * 3)
        for _ in range(2):
            launch(ctypes.addressof(self._program), 0, 0, 5)
        return 0

    def _launch(self, *arguments: Any) -> int:
        arguments[-1][0] = len(self.log) + 1
        return self._said("launch")

    def _look(self, _event: int, _what: int, _bytes: int, status: Any, _size: int) -> int:
        self.looks += 1
        status[0] = int(self.looks < self.ends)
        return 0


def test_the_end_of_short_calls_is_looked_for() -> None:
    """That of the last kernel; calls that took longer do not look, but for some."""
    driver = _Looked(ends=3)
    assert [driver.call() for _ in range(2)] == [["launch", "launch", "release 1", "release 2", "finish"]] * 2
    assert driver.looks == 3
    driver.ends = 1 << 40
    assert driver.call()[-1] == "finish" and driver.looks > 0
    looks = [driver.call() and driver.looks > 0 for _ in range(66)]
    assert looks.count(True) == 2
