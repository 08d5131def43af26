"""A GPU for machines without one: CUDA's driver by address, whose launches carry kernel IR out on NumPy arrays.

The native call path calls these functions as it calls those of the real driver; what they are given is read from
memory by the types that the kernel has. A launch waits in its stream, as on a device, and is carried out by
`simt_interp`, which finds races and accesses outside of arrays. Memory of the device is memory of this process.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import bool_
from jitmdh.base.errors import MdhError
from jitmdh.hca import registry
from jitmdh.hca.drivers import cuda, cuda_program
from jitmdh.mdh.kernel.interp import Pointer
from jitmdh.mdh.kernel.ir import Grid, Kernel, Name
from jitmdh.mdh.kernel.simt_interp import Report, run_grid
from jitmdh.mdh.targets.cuda import emitter
from tests.hca.fake_cupy import FakeArray, FakeCupy

INVALID_VALUE, NO_MEMORY, LAUNCH_FAILED, CONTEXT = 1, 2, 719, 7
MOST_BYTES = 1 << 28
_I, _P, _S, _U = ctypes.c_int32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32


class Recorded:
    """A kernel as it was printed: its text, and what that means. given: of the host, in order."""

    def __init__(self, text: str, kernel: Kernel, grid: Grid, device: Any) -> None:
        self.text, self.kernel, self.grid = text, kernel, grid
        self.places, self.given = tuple(device.places), tuple(device.given)
        self.working = dict(device.working)


class FakeGpu(FakeCupy):
    """reports: of each launch so far; errors: what went wrong in one. Nothing is carried out before someone waits."""

    def __init__(self) -> None:
        super().__init__({})
        self.memory: list[np.ndarray[Any, Any]] = []
        self.recorded: list[Recorded] = []
        self.reports: list[Report] = []
        self.errors: list[Exception] = []
        self.contexts: list[int] = []
        functions = {
            "cuInit": (self._init, (_U,)),
            "cuDevicePrimaryCtxRetain": (self._retain, (_P, _I)),
            "cuCtxPushCurrent_v2": (self._push, (_P,)),
            "cuCtxPopCurrent_v2": (self._pop, (_P,)),
            "cuMemAlloc_v2": (self._allocate, (_P, _S)),
            "cuMemAllocHost_v2": (self._allocate, (_P, _S)),
            "cuMemFree_v2": (self._free, (_P,)),
            "cuMemcpyDtoHAsync_v2": (self._copied, (_P, _P, _S, _P)),
            "cuMemcpyHtoDAsync_v2": (self._copied, (_P, _P, _S, _P)),
            "cuStreamSynchronize": (self._synchronize, (_P,)),
            "cuLaunchKernel": (self._launch, (_P, *[_U] * 7, _P, _P, _P)),
        }  # fmt: skip
        self.library = SimpleNamespace(
            **{name: ctypes.CFUNCTYPE(_I, *types)(function) for name, (function, types) in functions.items()}
        )

    # ------------------------------------------------------------------------------------------ arrays

    def array(self, values: Any) -> FakeArray:
        """An array of the caller's."""
        return self._known(FakeArray(self, np.array(values, order="K")))

    def empty(self, shape: Any, dtype: Any) -> FakeArray:
        made = self._known(super().empty(shape, dtype))
        made.array.reshape(-1).view(np.uint8)[:] = 0xFF
        return made

    def _known(self, made: FakeArray) -> FakeArray:
        flat = made.array.ravel(order="K")
        assert np.shares_memory(flat, made.array) or not flat.size
        self.memory.append(flat.view(np.uint8))
        return made

    def pointer(self, address: int, type: Any) -> Pointer:
        for memory in self.memory:
            at = address - memory.ctypes.data
            if 0 <= at < max(1, memory.size):
                return Pointer(memory, at, type)
        if not address:
            return Pointer(np.empty(0, np.uint8), 0, type)
        raise AssertionError(f"no memory of the device is at {address:#x}")

    # ------------------------------------------------------------------------------------------ the driver

    def _init(self, flags: int) -> int:
        return 0

    def _retain(self, context: int, number: int) -> int:
        ctypes.c_int64.from_address(context).value = CONTEXT
        return 0

    def _push(self, context: int) -> int:
        self.contexts.append(context)
        return 0

    def _pop(self, context: int) -> int:
        assert self.contexts.pop() == CONTEXT
        return 0

    def _allocate(self, memory: int, size: int) -> int:
        assert self.contexts
        if size > MOST_BYTES:
            return NO_MEMORY
        self.memory.append(np.full(size, 0xFF, np.uint8))
        ctypes.c_int64.from_address(memory).value = self.memory[-1].ctypes.data
        return 0

    def _free(self, memory: int) -> int:
        self.memory = [m for m in self.memory if m.ctypes.data != memory]
        return 0

    def _copied(self, to: int, source: int, size: int, stream: int | None) -> int:
        self.streams[stream or 0].waiting.append(lambda: ctypes.memmove(to, source, size))
        return 0

    def _synchronize(self, stream: int | None) -> int:
        waiting = self.streams[stream or 0].waiting
        while waiting:
            try:
                waiting.pop(0)()
            except (MdhError, AssertionError) as error:
                self.errors.append(error)
        return LAUNCH_FAILED if self.errors else 0

    def _launch(self, function: int | None, *rest: Any) -> int:
        grid, block, stream, parameters = rest[:3], rest[3:6], rest[7], rest[8]
        assert self.contexts and grid[1:] == block[1:] == (1, 1)
        found = self.functions[function or 0]
        kernel = [r for r in self.recorded if r.text in found.code and f" {found.name}(" in r.text][-1]
        if block[0] != kernel.grid.threads or not 1 <= block[0] <= 1024:
            return INVALID_VALUE
        names, buffers = self._arguments(kernel, parameters)
        status = ctypes.c_int64.from_address(ctypes.c_int64.from_address(parameters).value).value
        self.streams[stream or 0].waiting.append(lambda: self._run(kernel, grid[0], names, buffers, status))
        return 0

    def _arguments(self, found: Recorded, parameters: int) -> tuple[dict[str, Any], dict[str, Pointer]]:
        """What the words that the launch was given mean; they are read now."""
        names: dict[str, Any] = {}
        buffers: dict[str, Pointer] = {}
        for n, place in enumerate(found.places):
            here = ctypes.c_int64.from_address(parameters + 8 * (n + 1)).value
            data = np.frombuffer(ctypes.string_at(here, place.bytes), np.uint8)
            if place.kind == "value":
                item = found.given[place.number]
                assert isinstance(item, Name)
                kind = np.dtype(np.int32) if item.type == bool_ else item.type.numpy
                value = data.view(kind)[0]
                names[item.name] = np.asarray(value != 0 if item.type == bool_ else value)
            elif place.kind == "working":
                item = found.given[place.number]
                buffers[item] = self.pointer(int(data.view(np.int64)[0]), found.working[item])
            elif place.kind == "array":
                address = int(data.view(np.int64)[0])
                for b in (b for b in found.kernel.buffers if b.slot == place.number and not b.inline):
                    there = self.pointer(address, b.type)
                    buffers[b.name] = Pointer(there.memory, there.at + b.offset, b.type)
            else:
                buffer = next(b for b in found.kernel.buffers if b.inline and 8 * b.slot + b.offset == place.number)
                buffers[buffer.name] = Pointer(data, 0, buffer.type)
        return names, buffers

    def _run(self, found: Recorded, blocks: int, names: Any, buffers: Any, status: int) -> None:
        cell = ctypes.c_int32.from_address(status)
        report = run_grid(found.kernel, found.grid, blocks, names, buffers)
        self.reports.append(report)
        cell.value = cell.value or report.status


@contextmanager
def installed() -> Iterator[FakeGpu]:
    """A machine with this GPU and CuPy. Fails if a launch went wrong."""
    gpu, printed, every = FakeGpu(), emitter._Device.kernel, registry._of

    def kernel(device: Any, loop: Any) -> str:
        text = printed(device, loop)
        gpu.recorded.append(Recorded(text, device.program, loop, device))
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "cupy", gpu)
        patch.setattr(cuda_program, "library", lambda: gpu.library)
        patch.setattr(emitter._Device, "kernel", kernel)
        anew = functools.cache(lambda target: cuda.devices() if target == "cuda" else every(target))
        patch.setattr(registry, "_of", anew)  # other targets keep their devices, which tests hold
        yield gpu
    assert not gpu.errors and not gpu.contexts, gpu.errors
