"""As much of pyopencl as the OpenCL driver uses, with one device that is broken in the way FAKE_OPENCL names.

Processes that try devices find it instead of the real one where its folder comes first in `sys.path`. Kernels are
those of `opencl_probe`; a right device runs them on NumPy.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

TYPES = {"char": "int8", "short": "int16", "int": "int32", "long": "int64", "float": "float32", "double": "float64"}
DEFECT = os.environ.get("FAKE_OPENCL", "")


class Error(Exception):
    pass


class MemoryError(Error):
    pass


def _flags(*names: str) -> Any:
    return SimpleNamespace(**{name: 1 << n for n, name in enumerate(names)})


device_type = _flags("GPU", "CPU")
mem_flags = _flags("READ_WRITE")
command_queue_properties = _flags("PROFILING_ENABLE")
program_build_info = _flags("LOG")
PLATFORM = SimpleNamespace(
    name="Fake Computing Language", version="OpenCL 3.0 Fake", int_ptr=1, get_devices=lambda: [DEVICE]
)
DEVICE = SimpleNamespace(
    name="fake processor", type=device_type.CPU, max_compute_units=2, global_mem_size=1 << 30, platform=PLATFORM,
    version="OpenCL 3.0", driver_version="1.0", vendor="Fake",
    extensions="" if DEFECT == "no doubles" else "cl_khr_fp64",
)  # fmt: skip


def get_platforms() -> list[Any]:
    if DEFECT == "none":
        raise Error("PLATFORM_NOT_FOUND_KHR")
    if DEFECT == "cannot be listed there" and os.environ.get("FAKE_OPENCL_PARENT") != str(os.getpid()):
        os.kill(os.getpid(), signal.SIGABRT)
    return [PLATFORM]


class Context:
    def __init__(self, devices: list[Any]) -> None: ...


class CommandQueue:
    def __init__(self, context: Context, device: Any, properties: int) -> None: ...
    def flush(self) -> None: ...
    def finish(self) -> None: ...


class Buffer:
    def __init__(self, context: Context, flags: int, size: int) -> None:
        self.bytes = np.zeros(size, np.uint8)
        self.int_ptr = id(self)

    def release(self) -> None: ...


class LocalMemory:
    def __init__(self, size: int) -> None: ...


def _ended() -> Any:
    """The event of what was run at once, so that whoever waits for it goes on."""
    profile = SimpleNamespace(queued=0, start=0, end=1)
    return SimpleNamespace(wait=lambda: None, profile=profile, command_execution_status=0)


def enqueue_copy(queue: CommandQueue, to: Any, source: Any, is_blocking: bool, wait_for: Any = None) -> Any:
    a, b = (side.bytes if isinstance(side, Buffer) else side for side in (to, source))
    a[: len(b)] = b[: len(a)]
    return _ended()


class _Program:
    def __init__(self, context: Context, text: str) -> None:
        self.text = text

    def _build(self, options: bytes, devices: list[Any]) -> None:
        if DEFECT == "builds nothing" or ("double" in self.text and DEFECT == "no doubles"):
            raise Error("BUILD_PROGRAM_FAILURE")

    def get_build_info(self, device: Any, what: int) -> str:
        return "error: unknown target CPU 'generic'\n"


_cl = SimpleNamespace(_Program=_Program)


class Kernel:
    def __init__(self, program: _Program, name: str) -> None:
        self.text, self.function_name, self.num_args = program.text, name, 3
        self.arguments: list[Any] = [None] * 3

    def set_arg(self, place: int, value: Any) -> None:
        self.arguments[place] = value


def enqueue_nd_range_kernel(
    queue: CommandQueue, kernel: Kernel, global_size: Any, local_size: Any, wait_for: Any = None
) -> Any:
    dtype = np.dtype(TYPES[str(re.findall(r"global (\w+) \*out", kernel.text)[0])])
    if dtype == np.float32 and DEFECT == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if dtype == np.float32 and DEFECT == "exits":
        print("LLVM ERROR: broken", file=sys.stderr)
        os._exit(3)
    if dtype == np.float32 and DEFECT == "no space":
        raise OSError(errno.ENOSPC, "No space left on device")
    if dtype == np.float32 and DEFECT == "lacks":
        raise AttributeError("no attribute")
    if dtype == np.float32 and DEFECT == "hangs":
        time.sleep(600)
    out, x, y = (a.bytes.view(dtype) if isinstance(a, Buffer) else None for a in kernel.arguments)
    if kernel.function_name == "groups":
        out[:8] = x.reshape(8, 8).sum(axis=1)
        out[3] += DEFECT == "barriers"
    else:
        out[:] = np.maximum(x, y) * x + np.minimum(x, y)
        if dtype == np.int64 and DEFECT == "wide vectors":
            out.reshape(-1, 32)[2, 20] += 1
    return _ended()
