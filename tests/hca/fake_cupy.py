"""As much of CuPy as the CUDA driver uses, on NumPy: for machines without a GPU.

A kernel's "code" is found by its name in `kernels`: a Python function of grid, block and arrays of bytes. Nothing runs
before someone waits, as on a device. `test_cuda.py` compares the names and signatures here with those of CuPy
where it is installed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

PROPERTIES = {
    "name": b"Fake GPU", "multiProcessorCount": 3, "totalGlobalMem": 1 << 20, "maxThreadsPerBlock": 64,
    "maxThreadsDim": (64, 64, 4), "maxGridSize": (1024, 8, 8), "major": 9, "minor": 0, "l2CacheSize": 4 << 20,
    "sharedMemPerMultiprocessor": 96 << 10,
}  # fmt: skip


class CUDADriverError(RuntimeError):
    pass


class CUDARuntimeError(RuntimeError):
    pass


class OutOfMemoryError(MemoryError):
    pass


class CompileException(Exception):
    pass


class FakeCupy:
    """One device; `log` keeps what the driver asked for."""

    __version__ = "0"

    def __init__(self, kernels: dict[str, Callable[..., None]], devices: int = 1) -> None:
        self.kernels, self.log = kernels, []  # type: ignore[var-annotated]
        self.streams: dict[int, Any] = {}
        self.functions: list[FakeFunction] = []
        outer = self

        class Stream:
            def __init__(self, *, non_blocking: bool = False) -> None:
                self.waiting: list[Callable[[], None]] = []
                self.ptr = 4096 * len(outer.streams)  # 0 is the default one, 1 another name of it
                outer.streams[self.ptr] = self
                if self.ptr:
                    outer.log.append(f"stream {non_blocking}")

            def __enter__(self) -> Stream:
                outer.current.append(self)
                return self

            def __exit__(self, *_: object) -> None:
                outer.current.pop()

            def synchronize(self) -> None:
                while self.waiting:
                    self.waiting.pop(0)()

            def wait_event(self, event: Event) -> None:
                self.waiting.append(event.synchronize)

        class Event:
            def __init__(self, *, disable_timing: bool = False) -> None:
                self.time: float | None = None

            def record(self, stream: Stream) -> None:
                self.stream = stream
                stream.waiting.append(self._happen)

            @property
            def done(self) -> bool:
                return self.time is not None

            def _happen(self) -> None:
                self.time = float(len(outer.log))

            def synchronize(self) -> None:
                while self.time is None:
                    self.stream.waiting.pop(0)()

        class Device:
            def __init__(self, number: int) -> None:
                assert 0 <= number < devices

            def __enter__(self) -> None: ...

            def __exit__(self, *_: object) -> None: ...

        self.current: list[Any] = [Stream()]  # the default one
        self.cuda = self._cuda(devices, Device, Stream, Event)

    def _cuda(self, devices: int, device: type, stream: type, event: type) -> Any:
        def get_device_count() -> int:
            if devices == 0:
                raise CUDARuntimeError("cudaErrorNoDevice")
            return devices

        return SimpleNamespace(
            Device=device, Stream=stream, Event=event, ExternalStream=lambda ptr: self.streams[ptr],
            get_current_stream=lambda: self.current[-1],
            alloc_pinned_memory=self._pinned, malloc_managed=self._managed,
            get_elapsed_time=lambda begin, end: (end.time - begin.time) * 0.5,
            driver=SimpleNamespace(CUDADriverError=CUDADriverError),
            runtime=SimpleNamespace(CUDARuntimeError=CUDARuntimeError, getDeviceCount=get_device_count,
                                    getDeviceProperties=lambda number: dict(PROPERTIES),
                                    driverGetVersion=lambda: 13000, memcpyPeerAsync=self._between),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            compiler=SimpleNamespace(CompileException=CompileException),
        )  # fmt: skip

    def _between(self, dst: int, dst_device: int, src: int, src_device: int, size: int, stream: int) -> None:
        self.log.append(f"{src_device} to {dst_device}: {size}")
        self.streams[stream].waiting.append(lambda: ctypes.memmove(dst, src, size))

    def _pinned(self, size: int) -> memoryview:
        self.log.append(f"pinned {size}")
        return memoryview(bytearray(size))

    def _managed(self, size: int) -> Any:
        self.log.append(f"managed {size}")
        memory = np.zeros(size, np.uint8)
        return SimpleNamespace(ptr=memory.ctypes.data, memory=memory)

    def ndarray(self, shape: tuple[int, ...], dtype: Any, memptr: Any) -> FakeArray:
        return FakeArray(self, memptr.memory[: shape[0]].view(dtype))

    def empty(self, shape: Any, dtype: Any) -> FakeArray:
        if np.prod(shape) > PROPERTIES["totalGlobalMem"]:  # type: ignore[operator]
            raise OutOfMemoryError(f"Out of memory allocating {shape} bytes")
        return FakeArray(self, np.empty(shape, dtype))

    def RawModule(self, *, code: str, options: tuple[str, ...], backend: str, name_expressions: tuple[str, ...]) -> Any:
        assert backend == "nvrtc" and any("std=c++" in option for option in options)

        def get_function(name: str) -> FakeFunction:
            assert name in name_expressions
            return FakeFunction(self, code, name)

        return SimpleNamespace(get_function=get_function)


class FakeArray:
    """array: what is on the device."""

    def __init__(self, cupy: FakeCupy, array: np.ndarray[Any, Any]) -> None:
        self.cupy, self.array = cupy, array
        self.shape, self.dtype, self.strides = array.shape, array.dtype, array.strides

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.array.ctypes.data)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self.array.__array_interface__, "version": 3, "stream": self.cupy.current[-1].ptr or 1}

    def __getitem__(self, key: Any) -> FakeArray:
        return FakeArray(self.cupy, self.array[key])

    def view(self, dtype: Any) -> FakeArray:
        return FakeArray(self.cupy, self.array.view(dtype))

    def reshape(self, *shape: Any) -> FakeArray:
        return FakeArray(self.cupy, self.array.reshape(*shape))

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def set(self, arr: np.ndarray[Any, Any], stream: Any = None) -> None:
        assert stream is self.cupy.current[-1]
        self.cupy.log.append("in")
        stream.waiting.append(lambda: self.array.__setitem__(slice(None), arr))

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
        stream = stream or self.cupy.current[-1]
        assert stream is self.cupy.current[-1] and blocking
        self.cupy.log.append("out")
        stream.synchronize()
        if out is None:
            return self.array.copy()
        out[:] = self.array
        return out


class FakeFunction:
    max_threads_per_block = 32

    def __init__(self, cupy: FakeCupy, code: str, name: str) -> None:
        self.cupy, self.code, self.name = cupy, code, name
        self.max_dynamic_shared_size_bytes = 48 << 10
        self.ptr = len(cupy.functions)  # as CUDA's driver knows it
        cupy.functions.append(self)

    @property
    def kernel(self) -> object:
        if "undeclared" in self.code:
            raise CompileException(f"{self.name}(1): error: identifier undeclared is undefined\n\n1 error detected\n")
        if "unloadable" in self.code:
            raise CUDADriverError("CUDA_ERROR_INVALID_PTX")
        return self

    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: int = 0) -> None:
        if shared_mem > self.max_dynamic_shared_size_bytes or shared_mem > 96 << 10:
            raise CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        self.cupy.log.append(f"{self.name} {grid} {block} {shared_mem}")
        values = [a.array if isinstance(a, FakeArray) else a for a in args]
        self.cupy.current[-1].waiting.append(lambda: self.cupy.kernels[self.name](grid, block, *values))
