"""This machine's processor as a device: kernels are LLVM IR, buffers are arrays in main memory."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jitmdh.base.cores import usable_cores
from jitmdh.hca.drivers.cpu_runtime import load_kernel
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode
from jitmdh.hca.interface.buffer import DeviceMemory
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.host_memory import page_aligned
from jitmdh.hca.interface.kernel import Ended, Kernel, Launch, run_now


class CpuDriver:
    """Runs `i64 @entry(ptr frame)`: an array takes the slots address, shape, strides in bytes; a scalar its value."""

    language = "llvm"

    def in_place(self, array: np.ndarray[Any, Any]) -> Any:
        return array

    def allocate(self, size_bytes: int) -> Any:
        return np.empty(size_bytes, np.uint8)

    def free(self, handle: Any) -> None:
        """Memory goes when the last reference does."""

    def pinned(self, size_bytes: int) -> np.ndarray[Any, Any]:
        return page_aligned(size_bytes)

    def unified(self, size_bytes: int) -> tuple[np.ndarray[Any, Any], Any]:
        """All of its memory is."""
        memory = page_aligned(size_bytes)
        return memory, memory

    def lent(self, handle: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, None]:
        return handle.view(dtype).reshape(shape), None

    def copy_in(self, handle: Any, array: np.ndarray[Any, Any]) -> None:
        handle[:] = array.reshape(-1).view(np.uint8)

    def copy_out(self, handle: Any, array: np.ndarray[Any, Any]) -> None:
        array.reshape(-1).view(np.uint8)[:] = handle

    def copy_from(self, handle: Any, other: DeviceMemory, source: Any, size_bytes: int) -> None:
        """Its memory is main memory."""

    def compile(self, kernel: Kernel) -> tuple[Any, LoadedCode]:
        code = load_kernel(compile_ir(kernel.text), kernel.entry)
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address_of(kernel.entry)), code

    def launch(
        self, code: Any, arguments: tuple[Any, ...], launch: Launch, uses: Sequence[tuple[Any, bool]] = ()
    ) -> Ended:
        words = [word for argument in arguments for word in _words(argument)]
        frame = (ctypes.c_int64 * max(1, len(words)))(*words)
        return run_now(lambda: int(code[0](ctypes.addressof(frame))))


def _words(argument: Any) -> list[int]:
    if isinstance(argument, np.ndarray):
        return [argument.ctypes.data, *argument.shape, *argument.strides]
    data = np.asarray(argument).tobytes()
    data += bytes(-len(data) % 8)
    return list(struct.unpack(f"{len(data) // 8}q", data))


def devices() -> tuple[Device, ...]:
    """The processor: one device."""
    name = _said_by_linux("model name") or platform.processor() or platform.machine()
    vendor = _said_by_linux("vendor_id")
    return (Device(name, "cpu", "cpu", usable_cores(), _memory_bytes(), CpuDriver(), vendor=vendor),)


def _said_by_linux(what: str) -> str:
    """Of the first processor; empty where nobody says."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            for line in file:
                if line.startswith(what):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""


def _memory_bytes() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 0
