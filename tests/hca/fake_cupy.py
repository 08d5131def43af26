"""As much of CuPy as the CUDA driver uses, on NumPy: for machines without a GPU.

A kernel's "code" is found by its name in `kernels`: a Python function of grid, block and arrays of bytes. Nothing runs
before someone waits, as on a device. `test_cuda.py` compares the names and signatures here with those of CuPy
where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

PROPERTIES = {
    "name": b"Fake GPU", "multiProcessorCount": 3, "totalGlobalMem": 1 << 20, "maxThreadsPerBlock": 64,
    "maxThreadsDim": (64, 64, 4), "maxGridSize": (1024, 8, 8),
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

    def __init__(self, kernels: dict[str, Callable[..., None]], devices: int = 1) -> None:
        self.kernels, self.log = kernels, []  # type: ignore[var-annotated]
        self.current: list[Any] = []
        outer = self

        class Stream:
            def __init__(self, *, non_blocking: bool = False) -> None:
                self.waiting: list[Callable[[], None]] = []
                outer.log.append(f"stream {non_blocking}")

            def __enter__(self) -> Stream:
                outer.current.append(self)
                return self

            def __exit__(self, *_: object) -> None:
                outer.current.pop()

            def synchronize(self) -> None:
                while self.waiting:
                    self.waiting.pop(0)()

        class Event:
            def __init__(self, *, disable_timing: bool = False) -> None:
                self.time: float | None = None

            def record(self, stream: Stream) -> None:
                self.stream = stream
                stream.waiting.append(self._happen)

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

        def get_device_count() -> int:
            if devices == 0:
                raise CUDARuntimeError("cudaErrorNoDevice")
            return devices

        self.cuda = SimpleNamespace(
            Device=Device, Stream=Stream, Event=Event,
            get_elapsed_time=lambda begin, end: (end.time - begin.time) * 0.5,
            driver=SimpleNamespace(CUDADriverError=CUDADriverError),
            runtime=SimpleNamespace(CUDARuntimeError=CUDARuntimeError, getDeviceCount=get_device_count,
                                    getDeviceProperties=lambda number: dict(PROPERTIES)),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            compiler=SimpleNamespace(CompileException=CompileException),
        )  # fmt: skip

    def empty(self, shape: int, dtype: Any) -> FakeArray:
        if shape > PROPERTIES["totalGlobalMem"]:  # type: ignore[operator]
            raise OutOfMemoryError(f"Out of memory allocating {shape} bytes")
        return FakeArray(self, np.empty(shape, dtype))

    def RawModule(self, *, code: str, options: tuple[str, ...], backend: str, name_expressions: tuple[str, ...]) -> Any:
        assert backend == "nvrtc" and any("std=c++" in option for option in options)

        def get_function(name: str) -> FakeFunction:
            assert name in name_expressions
            return FakeFunction(self, code, name)

        return SimpleNamespace(get_function=get_function)


class FakeArray:
    def __init__(self, cupy: FakeCupy, data: np.ndarray[Any, Any]) -> None:
        self.cupy, self.data = cupy, data

    def set(self, arr: np.ndarray[Any, Any], stream: Any = None) -> None:
        assert stream is self.cupy.current[-1]
        self.cupy.log.append("in")
        stream.waiting.append(lambda: self.data.__setitem__(slice(None), arr))

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
        assert stream is self.cupy.current[-1] and blocking
        self.cupy.log.append("out")
        stream.synchronize()
        out[:] = self.data
        return out


class FakeFunction:
    max_threads_per_block = 32

    def __init__(self, cupy: FakeCupy, code: str, name: str) -> None:
        self.cupy, self.code, self.name = cupy, code, name
        self.max_dynamic_shared_size_bytes = 48 << 10

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
        values = [a.data if isinstance(a, FakeArray) else a for a in args]
        self.cupy.current[-1].waiting.append(lambda: self.cupy.kernels[self.name](grid, block, *values))
