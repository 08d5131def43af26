"""Programs of generated code on a device: kernels, and a function of the host that launches them.

`runtime/device.c` says what the words mean and does the work; the host's function is called as code for the processor
is, by the native call path, with a frame whose arrays are addresses (of a device that shares the host's memory) or
handles of the driver.
"""

from __future__ import annotations

import ctypes
import functools
import json
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import IntEnum
from typing import Any

import numpy as np

from jitmdh.base.errors import DeviceError
from jitmdh.base.process.forks import in_child
from jitmdh.base.records import dataclass
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode, load_object
from jitmdh.hca.interface.statistics import count_natively

_Words = ctypes.Array[ctypes.c_int64]
POCL = "Portable Computing Language"
"""The platform of the driver that makes a device of the processor."""


@dataclass(frozen=True, slots=True)
class DeviceArgument:
    """An argument of a kernel behind the first, which is the status.

    kind: "array" (number: the slot of the frame with its address), "argument" (a scalar: its byte in the frame),
    "working" or "value" (word of what the host's function gives a launch). bytes: of the argument.
    """

    kind: str
    number: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Program:
    """source, options: of the kernels; kernels: name and arguments of each; host: object code of `kernel` and `guard`.

    threads: of a group of each kernel; 0: its launches count work-items. reports: whether kernels look for faults.
    binary: what the driver made of the source; None: it has not been compiled.
    """

    source: str
    options: tuple[str, ...]
    kernels: tuple[tuple[str, tuple[DeviceArgument, ...]], ...]
    host: bytes
    threads: tuple[int, ...]
    reports: bool = True
    binary: bytes | None = None

    def to_bytes(self) -> bytes:
        facts = {
            "source": self.source,
            "options": self.options,
            "kernels": [[name, [list(asdict(p).values()) for p in places]] for name, places in self.kernels],
            "host": len(self.host),
            "threads": self.threads,
            "reports": self.reports,
        }
        text = json.dumps(facts).encode()
        return len(text).to_bytes(8, "little") + text + self.host + (self.binary or b"")


def from_bytes(value: bytes) -> Program:
    """What `to_bytes` wrote."""
    begin = 8 + int.from_bytes(value[:8], "little")
    facts = json.loads(value[8:begin])
    end = begin + facts["host"]
    kernels = tuple((name, tuple(DeviceArgument(*p) for p in places)) for name, places in facts["kernels"])
    threads, reports = tuple(facts["threads"]), facts["reports"]
    return Program(
        facts["source"], tuple(facts["options"]), kernels, value[begin:end], threads, reports, value[end:] or None
    )


# ------------------------------------------------------------------------------------------------ queues

# Where functions stand in the table that an object of each driver begins with (cl_khr_icd).
_CREATE_BUFFER, _RELEASE, _SET_ARGUMENT, _FINISH, _READ, _WRITE, _RANGE = 14, 18, 38, 47, 48, 49, 59
_EVENT_INFO, _RELEASE_EVENT = 42, 44
_FUNCTIONS = (_CREATE_BUFFER, _RELEASE, _SET_ARGUMENT, _RANGE, _READ, _WRITE, _FINISH)
_CONTEXT, _QUEUE, _FORKED = 9, 10, 11
_ALL_LAUNCHES, _ALL_ALLOCATIONS = 14, 15
_OF_EVENTS = 17  # words of a queue with two functions
_QUEUE_BYTES, _LINE = 320, 64


@dataclass(frozen=True, slots=True)
class StatusMemory:
    """Where the kernels of a program report faults.

    argument: what they are given; handle: the same as the native runtime takes it. cell: its address in main memory,
    where the device shares that, else 0; seen: the address of a copy in main memory. kept: what has to live as long.
    """

    argument: Any
    handle: int
    cell: int = 0
    seen: int = 0
    kept: object = None


class DriverFunctions:
    """The driver's functions by address, as the native runtime calls them; `run` is for trying them.

    context: the handle of one, whose table they are found in.
    """

    def __init__(self, context: int) -> None:
        self._context = context
        table = ctypes.c_int64.from_address(context).value
        self.addresses = tuple(ctypes.c_int64.from_address(table + 8 * n).value for n in _FUNCTIONS)
        self.of_events = tuple(ctypes.c_int64.from_address(table + 8 * n).value for n in (_EVENT_INFO, _RELEASE_EVENT))

    def run(self, queue: int, kernel: int, arrays: Sequence[np.ndarray[Any, Any]], count: int) -> None:
        """One launch of a kernel on arrays where they are, and its end. DeviceError if it fails."""
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        create = ctypes.CFUNCTYPE(pointer, pointer, ctypes.c_uint64, size, pointer, pointer)(self.addresses[0])
        bind = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, ctypes.c_uint32, size, pointer)(self.addresses[2])
        launch = ctypes.CFUNCTYPE(
            ctypes.c_int32, pointer, pointer, ctypes.c_uint32, *(pointer,) * 3, ctypes.c_uint32, *(pointer,) * 2
        )(self.addresses[3])
        release, finish = (ctypes.CFUNCTYPE(ctypes.c_int32, pointer)(self.addresses[n]) for n in (1, 6))
        error, sizes = ctypes.c_int32(), (size * 2)(count, 1)
        whole, local = ctypes.addressof(sizes), ctypes.addressof(sizes) + ctypes.sizeof(size)
        made = [create(self._context, 1 | 8, a.nbytes, a.ctypes.data, ctypes.addressof(error)) for a in arrays]
        handles = (pointer * len(made))(*made)
        failed = error.value or any(bind(kernel, n, 8, ctypes.addressof(handles) + 8 * n) for n in range(len(made)))
        failed = failed or launch(queue, kernel, 1, None, whole, local, 0, None, None) or finish(queue)
        for handle in made:
            release(handle)
        if failed:
            raise DeviceError("a kernel could not be run by the addresses of the driver's functions")


class NativeQueue:
    """A queue as the native runtime sees it: calls of programs on it take turns.

    functions: addresses of the driver's, in the order of `runtime/device.c`; context, queue: what these are given.
    """

    shares_host_memory = False

    def __init__(self, functions: Sequence[int], context: int, queue: int, kept: object = None) -> None:
        self._kept: list[object] = [kept]
        self._memory = ctypes.create_string_buffer(_QUEUE_BYTES + _LINE)
        start = -(-ctypes.addressof(self._memory) // _LINE) * _LINE
        self.address = start
        self._words: _Words = (ctypes.c_int64 * (_QUEUE_BYTES // 8)).from_address(start)
        for word, address in enumerate(functions):
            self._words[word] = address
        self._words[_CONTEXT], self._words[_QUEUE] = context, queue
        runtime_function("jitmdh_device_reset", None, ctypes.c_void_p)(start)
        here = weakref.ref(self)
        in_child(lambda: _mark_forked(here()))
        count_natively(self)

    def turn_to(self, queue: int) -> None:
        """From now on kernels are started in this queue, by its handle."""
        self._words[_QUEUE] = queue

    def status_memory(self) -> StatusMemory:
        """For one program: nothing is reported."""
        raise NotImplementedError

    def kernel(self, kernel: Any, places: Sequence[DeviceArgument], status: StatusMemory) -> int:
        """What the driver's functions take for a kernel whose first argument is the status, and these follow."""
        raise NotImplementedError

    @property
    def launches(self) -> int:
        """Kernels started so far."""
        return self._words[_ALL_LAUNCHES]

    @property
    def allocations(self) -> int:
        """Working buffers made so far; those that were kept from an earlier call are not counted."""
        return self._words[_ALL_ALLOCATIONS]


class OpenClQueue(NativeQueue):
    """A queue of pyopencl's, in order. shares_host_memory: kernels can use arrays where they are."""

    def __init__(self, cl: Any, context: Any, queue: Any, shares_host_memory: bool) -> None:
        functions = DriverFunctions(context.int_ptr)
        super().__init__(functions.addresses, context.int_ptr, queue.int_ptr, (context, queue))
        self._words[_OF_EVENTS], self._words[_OF_EVENTS + 1] = functions.of_events
        self._cl, self._context, self._shares_host_memory = cl, context, shares_host_memory

    def status_memory(self) -> StatusMemory:
        cl, memory = self._cl, np.zeros(2 * _LINE, np.uint8)
        flags = cl.mem_flags.READ_WRITE
        start = -memory.ctypes.data % _LINE
        cell, address = memory[start : start + 4], memory.ctypes.data + start
        if self._shares_host_memory:
            made = cl.Buffer(self._context, flags | cl.mem_flags.USE_HOST_PTR, hostbuf=cell)
            return StatusMemory(made, made.int_ptr, address, 0, memory)
        made = cl.Buffer(self._context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=cell)
        return StatusMemory(made, made.int_ptr, 0, address, memory)

    def kernel(self, kernel: Any, places: Sequence[DeviceArgument], status: StatusMemory) -> int:
        kernel.set_arg(0, status.argument)
        address: int = kernel.int_ptr
        return address


def _mark_forked(queue: NativeQueue | None) -> None:
    if queue is not None:
        queue._words[_FORKED] = 1


@functools.cache
def _runtime() -> LoadedCode:
    return load_object(cpu_runtime.own_code("device"))


def runtime_function(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)(_runtime().address_of(name))


class CallersContext:
    """A context of a caller's arrays. queue: its programs run there; programs: what whoever loads them keeps here."""

    def __init__(self, cl: Any, context: Any, first: Any, shares_host_memory: bool) -> None:
        self.context, self._current = context, first
        self.queue = OpenClQueue(cl, context, first, shares_host_memory)
        self.programs: weakref.WeakKeyDictionary[object, Any] = weakref.WeakKeyDictionary()

    def turn_to(self, queue: Any) -> None:
        """Programs run in this queue from now on: what they do in another, with the same working memory, has ended."""
        if queue.int_ptr != self._current.int_ptr:
            self._current.finish()
            self._current = queue
            self.queue.turn_to(queue.int_ptr)


# ------------------------------------------------------------------------------------------------ programs

_EXPORTS = tuple(f"jitmdh_device_{name}" for name in ("call", "launch", "status", "acquire", "release"))
_KINDS = {"array": 0, "working": 1, "value": 2, "argument": 3}
_LAUNCHES, _ALLOCATIONS = 2, 3


class Returns(IntEnum):
    """When calls return: SILENT, when kernels are started, which report nothing; WAITS, when kernels have ended; LATER,
    as SILENT, and what kernels report is found by `settle` or the next call."""

    SILENT = 0
    WAITS = 1
    LATER = 2


@dataclass(frozen=True, slots=True)
class FrameArray:
    """An array in the frame: address or handle, extents and strides in bytes from `slot` on."""

    slot: int
    rank: int
    item_bytes: int


@functools.cache
def _settle() -> Any:
    """It waits, and so without the lock of Python's interpreter."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(_runtime().address_of("jitmdh_device_settle"))


class LoadedProgram:
    """A program on a queue. code: `kernel` and `guard`, for a plan. takes_handles: arrays come as handles.

    local: work-items of a group, of a kernel that does not say how many; 0: as the driver likes. Its `kernels` are not
    to be those of another one, where they keep their arguments.
    """

    def __init__(
        self, queue: NativeQueue, kernels: Mapping[str, Any], program: Program,
        arrays: Sequence[FrameArray], takes_handles: bool, local: int, returns: Returns = Returns.WAITS,
    ) -> None:  # fmt: skip
        numbers = {array.slot: n for n, array in enumerate(arrays)}
        self.queue, self.kernels, self.program, self.returns = queue, kernels, program, returns
        status = queue.status_memory()
        self._status = status
        self._kept: list[object] = []
        described = self._array([w for a in arrays for w in (a.slot, a.rank, a.item_bytes, 0)])
        codes: list[int] = []
        for (name, places), threads in zip(program.kernels, program.threads):
            words = [
                w for p in places
                for w in (_KINDS[p.kind], numbers[p.number] if p.kind == "array" else p.number, p.bytes, 0, 0, 0)
            ]  # fmt: skip
            codes += [queue.kernel(kernels[name], places, status), len(places), self._array(words), threads or local]
        words = [queue.address, int(takes_handles), 0, 0, len(arrays), described, self._array(codes), 0,
                 int(returns), status.handle, status.cell, status.seen, 0, 0]  # fmt: skip
        self._words: _Words = (ctypes.c_int64 * len(words))(*words)
        symbols = {name: _runtime().address_of(name) for name in _EXPORTS}
        symbols["jitmdh_program"] = ctypes.addressof(self._words)
        host = load_object(program.host, symbols)
        self.code = LoadedCode({name: host.address_of(name) for name in ("kernel", "guard")}, (host, self))

    def _array(self, words: list[int]) -> int:
        made = (ctypes.c_int64 * max(1, len(words)))(*words)
        self._kept.append(made)
        return ctypes.addressof(made)

    @property
    def reported(self) -> bool:
        """Whether calls that have returned are known to have met a fault; does not wait."""
        known = self._status.cell or self._status.seen
        return self.returns is Returns.LATER and bool(ctypes.c_int32.from_address(known).value)

    def settle(self) -> int:
        """Waits for calls that have returned: what their kernels have reported, which is forgotten; 0 if nothing."""
        status: int = _settle()(ctypes.addressof(self._words))
        return status

    @property
    def launches(self) -> int:
        """Kernels of this program started so far."""
        return self._words[_LAUNCHES]

    @property
    def allocations(self) -> int:
        """Working buffers made for this program so far."""
        return self._words[_ALLOCATIONS]
