"""Programs of generated code on a CUDA device: its driver's functions by address, as `runtime/cuda.c` calls them."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Sequence
from typing import Any

from jitmdh.base.errors import DeviceError
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode, load_object
from jitmdh.hca.drivers.opencl_program import DeviceArgument, NativeQueue, StatusMemory

# Of CUDA's driver, in the order in which `Stream` of `runtime/cuda.c` has them.
_CALLED = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuMemAlloc_v2", "cuMemcpyDtoHAsync_v2",
           "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize", "cuLaunchKernel")  # fmt: skip
_RELEASE = "cuMemFree_v2"
_CELLS = 1024  # programs that report to one piece of memory
_CONTEXT, _STREAM, _LAST = len(_CALLED), len(_CALLED) + 1, len(_CALLED) + 2
# In the order of `Driver` in `runtime/device.c`; None: what is released is memory, by CUDA's own function.
_FUNCTIONS = ("create", None, "bind", "range", "read", "write", "finish", "enter", "leave")


def library() -> Any:
    """CUDA's driver. DeviceError if there is none."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise DeviceError("there is no CUDA driver", reason=str(error), hint="install NVIDIA's driver") from None


@functools.cache
def _adapter() -> LoadedCode:
    return load_object(cpu_runtime.own_code("cuda"))


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class CudaQueue(NativeQueue):
    """A device's streams. `stream` is the one of the next call: its address, as CUDA knows it."""

    def __init__(self, number: int) -> None:
        driver = library()
        self._driver = driver
        context = ctypes.c_void_p()
        self._done(driver.cuInit(0))
        self._done(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), number))
        words = [_address(getattr(driver, name)) for name in _CALLED] + [context.value or 0, 0, 0]
        self._own = (ctypes.c_int64 * len(words))(*words)
        here = ctypes.addressof(self._own)
        release = _address(getattr(driver, _RELEASE))
        functions = [release if n is None else _adapter().address_of(f"jitmdh_cuda_{n}") for n in _FUNCTIONS]
        super().__init__(functions, here, here)
        self._context = context
        self._cells: list[tuple[int, int]] = []  # on the device and in page-locked memory, not in use

    @property
    def stream(self) -> int:
        return self._own[_STREAM]

    @stream.setter
    def stream(self, address: int) -> None:
        self._own[_STREAM] = address

    def kernel(self, kernel: Any, places: Sequence[DeviceArgument], status: StatusMemory) -> int:
        """kernel: its address, as CUDA knows it."""
        count = len(places) + 1
        values = (ctypes.c_int64 * (2 * count))()
        values[0] = status.handle
        addresses = (ctypes.c_int64 * count)(*(ctypes.addressof(values) + 16 * n for n in range(count)))
        words = (ctypes.c_int64 * 3)(int(kernel), ctypes.addressof(values), ctypes.addressof(addresses))
        self._kept += [values, addresses, words]
        return ctypes.addressof(words)

    def status_memory(self) -> StatusMemory:
        if not self._cells:
            self._cells = self._more_cells()
        handle, seen = self._cells.pop()
        return StatusMemory(handle, handle, 0, seen)

    def _more_cells(self) -> list[tuple[int, int]]:
        """Memory of the device for what kernels report, nothing yet, and page-locked memory as large."""
        driver, size = self._driver, ctypes.c_size_t(4 * _CELLS)
        memory, seen = ctypes.c_void_p(), ctypes.c_void_p()
        self._done(driver.cuCtxPushCurrent_v2(self._context))
        try:
            self._done(driver.cuMemAlloc_v2(ctypes.byref(memory), size))
            self._done(driver.cuMemAllocHost_v2(ctypes.byref(seen), size))
            ctypes.memset(seen, 0, size.value)
            self._done(driver.cuMemcpyHtoDAsync_v2(memory, seen, size, None))
            self._done(driver.cuStreamSynchronize(None))
        finally:
            driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
        first, copies = memory.value or 0, seen.value or 0
        return [(first + 4 * n, copies + 4 * n) for n in range(_CELLS)]

    @staticmethod
    def _done(error: int) -> None:
        if error:
            raise DeviceError("CUDA's driver cannot be used", reason=f"it reports error {error}")
