"""CUDA devices, through CuPy: kernels are CUDA C++, compiled by NVRTC; buffers lie in the device's memory.

Copies are in one stream, kernels in several (see `interface/graph.py`). CuPy keeps compiled kernels on disk; it is
loaded by `devices()`, and everything else here is given it as `cupy`.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jitmdh.base.errors import ConfigurationError, DeviceError, OutOfMemoryError
from jitmdh.base.records import dataclass
from jitmdh.base.storage import foreign_caches
from jitmdh.hca.drivers.cuda_program import CudaQueue
from jitmdh.hca.drivers.opencl_program import FrameArray, LoadedProgram, Program, Returns
from jitmdh.hca.interface.buffer import Buffer, DeviceMemory, SeenArray
from jitmdh.hca.interface.device import Device, not_after_fork
from jitmdh.hca.interface.graph import MAIN, Accesses, DependencyGraph
from jitmdh.hca.interface.kernel import Kernel, Launch, Local
from jitmdh.hca.interface.source import compile_error

_LANES = 32  # streams for kernels that do not wait for one another (thesis 6.2.1)
_DEFAULT = (0, 1)  # CUDA's default stream, by both of its names
_PLAIN_SHARED_BYTES = 48 << 10  # a kernel that wants more has to ask for it


def _failures(cupy: Any) -> tuple[type[Exception], ...]:
    return (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError)


class _Timed:
    """A kernel in a stream, between two events. lane: which."""

    def __init__(self, cupy: Any, begin: Any, end: Any, what: str, lane: int) -> None:
        self._cupy, self._begin, self._end, self._what, self.lane = cupy, begin, end, what, lane

    def wait(self) -> tuple[int, int]:
        try:
            self._end.synchronize()
            milliseconds: float = self._cupy.cuda.get_elapsed_time(self._begin, self._end)
        except _failures(self._cupy) as error:
            raise DeviceError(f"{self._what} failed", reason=str(error)) from None
        return 0, round(milliseconds * 1e6)


@dataclass(frozen=True, slots=True)
class _Code:
    function: Any
    entry: str


class ArraysOfLibraries:
    """What a CUDA device does for programs on arrays where callers have them."""

    has_addresses = True
    maps_arrays = False

    def __init__(self, cupy: Any, number: int) -> None:
        self._cupy, self._number = cupy, number

    @contextlib.contextmanager
    def _current(self) -> Iterator[Any]:
        """This device and its stream are CuPy's current ones in the block."""
        raise NotImplementedError
        yield

    def running(self, stream: int | None) -> contextlib.AbstractContextManager[None]:
        """In the block, programs run in this stream, by its address as CUDA knows it; None: the one of copies."""
        raise NotImplementedError

    def address(self, handle: Any) -> int:
        """Of memory that `allocate` made, on the device."""
        found: int = handle.data.ptr
        return found

    def lends(self, arguments: Sequence[Any]) -> bool:
        """Whether programs can be given the memory of all arrays."""
        return True

    def settle(self, loaded: LoadedProgram) -> int:
        """As `LoadedProgram.settle`."""
        with self.running(None):
            return loaded.settle()

    def finish(self, stream: int) -> None:
        """Returns when all that was started in a stream has ended."""
        with self._current():
            self._cupy.cuda.ExternalStream(stream).synchronize()

    def given(self, array: Any) -> tuple[dict[str, Any], int, set[Any]]:
        """An array of any library on this device: its `__cuda_array_interface__`, its address, and the streams that its
        library computes in now, or has made it in, by their addresses. TypeError or the like if it has none."""
        stream: int = self._cupy.cuda.get_current_stream().ptr
        if type(array).__module__.startswith("torch"):
            import torch  # type: ignore[import-not-found, unused-ignore]

            stream = torch.cuda.current_stream(self._number).cuda_stream
        if not hasattr(type(array), "__cuda_array_interface__"):
            array = self._cupy.from_dlpack(array)
        interface: dict[str, Any] = array.__cuda_array_interface__
        streams, other = {0 if stream in _DEFAULT else stream}, interface.get("stream")
        if other is not None and other not in (stream, *_DEFAULT):
            streams.add(other)
        return interface, interface["data"][0] or 0, streams

    def seen(self, array: Any) -> SeenArray | None:
        """None where calls are to look closer."""
        interface, place, streams = self.given(array)
        if len(streams) != 1 or interface["data"][1] or not place:
            return None
        asked = getattr(array, "__dlpack_device__", None)
        shape, strides = tuple(interface["shape"]), interface.get("strides")
        facts = *streams, interface["typestr"], shape, strides, place % 256, None if asked is None else asked()
        return SeenArray(facts, place, place)

    def content(self, array: Any) -> np.ndarray[Any, Any]:
        """A copy in main memory of an array of any library on this device, or of a buffer."""
        if isinstance(array, Buffer):
            return np.copy(array.host, order="K")
        if not hasattr(type(array), "get"):
            array = self._cupy.from_dlpack(array)
        found: np.ndarray[Any, Any] = array.get(order="A")
        return found

    def new(self, shape: tuple[int, ...], dtype: np.dtype[Any], stream: int | None) -> tuple[Any, int]:
        """An array of CuPy's, in its current stream, which is this one, and its address."""
        made = self._cupy.empty(shape, dtype=dtype)
        return made, self.address(made)

    def like(self, array: Any, given: Any) -> Any:
        """An array of CuPy's as one of the library of `given`: torch's as such, others' as CuPy's."""
        if type(given).__module__.startswith("torch"):
            import torch  # type: ignore[import-not-found, unused-ignore]

            return torch.from_dlpack(array)  # type: ignore[attr-defined, unused-ignore]
        return array


class CudaDriver(ArraysOfLibraries):
    """One CUDA device with its stream, which is made when first used."""

    language = "cuda"

    def __init__(self, cupy: Any, number: int, properties: dict[str, Any]) -> None:
        super().__init__(cupy, number)
        self._failures, self._properties = _failures(cupy), properties
        self._stream: Any = None
        self._lanes: dict[int, Any] = {}
        self._in_flight: deque[tuple[Any, tuple[Any, ...]]] = deque()  # memory is of the stream that it was made in
        self._handed_out: set[int] = set()  # addresses of buffers that others use in the stream
        self.graph = DependencyGraph(_LANES, lambda event: bool(event.done))
        self._native: CudaQueue | None = None
        self._lock, self._calls = threading.Lock(), threading.RLock()
        self._process = os.getpid()

    @property
    def identity_of_device(self) -> object:
        """What tells it from other devices of this process."""
        return self._number

    @contextlib.contextmanager
    def _current(self) -> Iterator[Any]:
        """This device and its stream are CuPy's current ones in the block."""
        if os.getpid() != self._process:
            raise not_after_fork("CUDA")
        with self._cupy.cuda.Device(self._number):
            with self._lock:
                if self._stream is None:
                    self._stream = self._cupy.cuda.Stream(non_blocking=True)
            with self._stream:
                yield self._stream

    # ------------------------------------------------------------------------------------------ memory

    def in_place(self, array: np.ndarray[Any, Any]) -> None:
        """The device has memory of its own."""

    def allocate(self, size_bytes: int) -> Any:
        with self._current():
            self._forget_ended()
            try:
                made = self._cupy.empty(max(1, size_bytes), dtype=np.uint8)
                self._handed_out.discard(self.address(made))
                return made
            except self._cupy.cuda.memory.OutOfMemoryError as error:
                raise OutOfMemoryError(
                    f"no memory for a buffer of {size_bytes} bytes on {self._name}", reason=str(error)
                ) from None

    def free(self, handle: Any) -> None:
        """Memory goes when the last reference does, behind the kernels that use it."""
        self._forget_ended()

    def _forget_ended(self) -> None:
        """Memory that kernels in other streams have used goes when they have ended: the stream that it was made in
        knows nothing of them."""
        with self.graph.lock:
            while self._in_flight and self._in_flight[0][0].done:
                self._in_flight.popleft()

    def _uses(self, uses: Sequence[tuple[Any, bool]]) -> Accesses:
        return [(self.address(handle), writes) for handle, writes in uses]

    def pinned(self, size_bytes: int) -> np.ndarray[Any, Any]:
        with self._current():
            try:
                memory = self._cupy.cuda.alloc_pinned_memory(size_bytes)
            except self._failures as error:
                raise OutOfMemoryError(f"no {size_bytes} bytes of pinned memory", reason=str(error)) from None
            return np.frombuffer(memory, np.uint8, size_bytes)

    def unified(self, size_bytes: int) -> tuple[np.ndarray[Any, Any], Any]:
        """Managed memory."""
        with self._current():
            try:
                memory = self._cupy.cuda.malloc_managed(size_bytes)
            except (*self._failures, self._cupy.cuda.memory.OutOfMemoryError) as error:
                raise OutOfMemoryError(f"no {size_bytes} bytes of unified memory", reason=str(error)) from None
            handle = self._cupy.ndarray((size_bytes,), np.uint8, memory)
        return np.asarray(_Managed(handle, memory.ptr, size_bytes)), handle

    def lent(self, handle: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, None]:
        """The copy as an array of CuPy's; results are fetched in the stream, behind what was started in it."""
        with self._current() as stream, self.graph.lock:
            for event in self.graph.before_main(self._uses(((handle, True),))):
                stream.wait_event(event)
            self._handed_out.add(self.address(handle))
            return handle[: int(np.prod(shape)) * dtype.itemsize].view(dtype).reshape(shape), None

    def copy_in(self, handle: Any, array: np.ndarray[Any, Any]) -> Any:
        with self._current() as stream:
            if array.nbytes == 0:
                return None
            uses = self._uses(((handle, True),))
            try:
                with self.graph.lock:
                    for event in self.graph.before_main(uses):
                        stream.wait_event(event)
                    handle.set(array.reshape(-1).view(np.uint8), stream=stream)
                    copied = self._cupy.cuda.Event(disable_timing=True)
                    copied.record(stream)
                    self.graph.note(uses, MAIN, copied)
            except self._failures as error:
                raise DeviceError(f"{array.nbytes} bytes could not be copied to {self._name}",
                                  reason=str(error)) from None  # fmt: skip
            return _Copied(self._cupy, copied)

    def copy_out(self, handle: Any, array: np.ndarray[Any, Any]) -> None:
        with self._current() as stream:
            try:
                with self.graph.lock:
                    for event in self.graph.before_main(self._uses(((handle, False),))):
                        stream.wait_event(event)
                if array.nbytes == 0:
                    stream.synchronize()
                else:
                    handle.get(stream=stream, out=array.reshape(-1).view(np.uint8), blocking=True)
            except self._failures as error:
                raise DeviceError(f"{array.nbytes} bytes could not be copied from {self._name}",
                                  reason=str(error)) from None  # fmt: skip

    def copy_from(self, handle: Any, other: DeviceMemory, source: Any, size_bytes: int) -> Any:
        """From another CUDA device: the driver takes the way that there is between them."""
        if not isinstance(other, CudaDriver) or not size_bytes:
            return None
        reads, writes = other._uses(((source, False),)), self._uses(((handle, True),))
        first, second = sorted((self.graph, other.graph), key=id)
        try:
            with first.lock, second.lock:
                with other._current() as there:
                    for event in other.graph.before_main(reads):
                        there.wait_event(event)
                    ready = self._cupy.cuda.Event(disable_timing=True)
                    ready.record(there)
                with self._current() as here:
                    for event in (ready, *self.graph.before_main(writes)):
                        here.wait_event(event)
                    self._cupy.cuda.runtime.memcpyPeerAsync(
                        self.address(handle), self._number, self.address(source), other._number, size_bytes, here.ptr
                    )
                    copied = self._cupy.cuda.Event(disable_timing=True)
                    copied.record(here)
                self.graph.note(writes, MAIN, copied)
                other.graph.note(reads, other.graph.lane_of(self), copied)
                other._in_flight.append((copied, (source,)))
                if self.address(source) in other._handed_out:  # see `lent`
                    there.wait_event(copied)
        except self._failures as error:
            raise DeviceError(f"{size_bytes} bytes could not be copied from {other._name} to {self._name}",
                              reason=str(error)) from None  # fmt: skip
        return copied

    # ------------------------------------------------------------------------------------------ kernels

    def compile(self, kernel: Kernel) -> _Code:
        with self._current():
            try:
                module = self._cupy.RawModule(code=kernel.program_text(), options=nvrtc_options(kernel),
                                              backend="nvrtc", name_expressions=(kernel.entry,))  # fmt: skip
                function = module.get_function(kernel.entry)
                _ = function.kernel  # compiles and loads it now, not at the first launch
            except self._cupy.cuda.compiler.CompileException as error:
                raise compile_error(kernel.entry, self._name, str(error)) from None
            except self._failures as error:
                raise DeviceError(
                    f"the kernel {kernel.entry} cannot be loaded on {self._name}", reason=str(error)
                ) from None
            return _Code(function, kernel.entry)

    def launch(
        self, code: _Code, arguments: tuple[Any, ...], launch: Launch, uses: Sequence[tuple[Any, bool]] = ()
    ) -> _Timed:
        if any(isinstance(argument, Local) for argument in arguments):
            raise ConfigurationError(
                f"{code.entry}: CUDA kernels have no arguments in local memory",
                hint="declare extern __shared__ memory in the kernel, and give the launch local_bytes",
            )
        why = illegal(self._properties, code.function.max_threads_per_block, launch)
        grid = launch.grid_size()
        if why or grid is None or launch.local_size is None:
            raise DeviceError(f"{code.entry} cannot be launched", reason=why)
        with self._current() as main, self.graph.lock:
            lane, stream = self._placed(self._uses(uses), main)
            begin, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
            try:
                if launch.local_bytes > _PLAIN_SHARED_BYTES:
                    code.function.max_dynamic_shared_size_bytes = launch.local_bytes
                with stream:
                    begin.record(stream)
                    code.function(grid, launch.local_size, arguments, shared_mem=launch.local_bytes)
                    end.record(stream)
            except self._failures as error:
                raise DeviceError(f"{code.entry} cannot be launched", reason=str(error)) from None
            self.graph.note(self._uses(uses), lane, end)
            self._in_flight.append((end, arguments))
            self._forget_ended()
            return _Timed(self._cupy, begin, end, code.entry, lane)

    def _placed(self, uses: Accesses, main: Any) -> tuple[int, Any]:
        """The lane for a kernel and its stream, which waits for what uses the same memory in others."""
        if self._handed_out and any(address in self._handed_out for address, _ in uses):  # see `lent`
            lane, stream, before = MAIN, main, self.graph.before_main(uses)
        else:
            lane, before = self.graph.lane_for(uses)
            stream = self._lanes.get(lane)
            if stream is None:
                stream = self._lanes[lane] = self._cupy.cuda.Stream(non_blocking=True)
        for event in before:
            stream.wait_event(event)
        return lane, stream

    # ------------------------------------------------------------------------------------------ generated programs

    shares_host_memory = False

    @property
    def architecture(self) -> str:
        """Such as "sm_90"."""
        return f"sm_{self._properties['major']}{self._properties['minor']}"

    @property
    def facts(self) -> tuple[int, int, int]:
        """How many multiprocessors there are, bytes of the L2 cache, bytes of shared memory of a multiprocessor."""
        found = self._properties
        return found["multiProcessorCount"], found["l2CacheSize"], found["sharedMemPerMultiprocessor"]

    @property
    def identity(self) -> str:
        """All that compiled code depends on."""
        runtime = self._cupy.cuda.runtime
        return f"{self.architecture}|{self._name}|{runtime.driverGetVersion()}|{self._cupy.__version__}"

    def load(self, program: Program, arrays: Sequence[FrameArray], takes_handles: bool) -> LoadedProgram:
        """The program on the device; NVRTC compiles what CuPy does not have on disk. arrays: what is in its frame."""
        assert takes_handles, "arrays come as addresses of the device"
        names = tuple(name for name, _ in program.kernels)
        with self._current():
            kernels = {name: code.function.kernel.ptr for name, code in self._module(program, names).items()}
            returns = Returns.WAITS if program.reports else Returns.SILENT
            return LoadedProgram(self.queue(), kernels, program, arrays, True, 0, returns)

    def load_for(self, loaded: LoadedProgram, arrays: Sequence[FrameArray], returns: Returns) -> LoadedProgram:
        """The same program once more, for calls that return at another time."""
        return LoadedProgram(self.queue(), loaded.kernels, loaded.program, arrays, True, 0, returns)

    def _module(self, program: Program, names: tuple[str, ...]) -> dict[str, _Code]:
        if not names:
            return {}
        try:
            module = self._cupy.RawModule(code=program.source, options=program.options, backend="nvrtc",
                                          name_expressions=names)  # fmt: skip
            found = {name: _Code(module.get_function(name), name) for name in names}
            for code in found.values():
                _ = code.function.kernel  # compiles and loads it
        except self._cupy.cuda.compiler.CompileException as error:
            raise compile_error(names[0], self._name, str(error)) from None
        except self._failures as error:
            raise DeviceError(f"the kernel {names[0]} cannot be loaded on {self._name}", reason=str(error)) from None
        return found

    def queue(self) -> CudaQueue:
        """The one that generated programs run on."""
        with self._current(), self._lock:
            if self._native is None:
                self._native = CudaQueue(self._number)
            return self._native

    @contextlib.contextmanager
    def running(self, stream: int | None) -> Iterator[None]:
        """In the block, programs run in this stream, by its address as CUDA knows it; None: the one of copies.

        It is CuPy's current one there: it owns the arrays that are made in it.
        """
        with self._current() as own, self._calls:
            queue = self.queue()
            queue.stream = own.ptr if stream is None else stream
            if stream is not None:
                with self._cupy.cuda.ExternalStream(stream):
                    yield
                return
            with self.graph.lock:  # buffers may be in use by kernels in other streams, and be used by others later
                for event in self.graph.all():
                    own.wait_event(event)
                yield
                behind = self._cupy.cuda.Event(disable_timing=True)
                behind.record(own)
                self.graph.fence(lambda: behind)

    def synchronize(self) -> None:
        """Returns when all that was started in the device's own stream has ended."""
        with self._current() as stream:
            stream.synchronize()

    @property
    def _name(self) -> str:
        return _name_of(self._properties)


class _Managed:
    """Memory of the device, as the host sees it; it lives as long as arrays of NumPy on it."""

    def __init__(self, handle: Any, address: int, size_bytes: int) -> None:
        self._handle = handle
        self.__array_interface__ = {"data": (address, False), "shape": (size_bytes,), "typestr": "|u1", "version": 3}


class _Copied:
    """A copy in the stream."""

    def __init__(self, cupy: Any, event: Any) -> None:
        self._cupy, self._event = cupy, event

    def wait(self) -> None:
        try:
            self._event.synchronize()
        except _failures(self._cupy) as error:
            raise DeviceError("a copy to the device failed", reason=str(error)) from None


def nvrtc_options(kernel: Kernel) -> tuple[str, ...]:
    """Options of the compiler, with the C++ standard that CuPy needs to look up a kernel by its name in C++.

    >>> nvrtc_options(Kernel("__global__ void f() {}", "f", "cuda", ("--use_fast_math",)))
    ('--use_fast_math', '--std=c++17')
    """
    given = any(re.match(r"--?std=", option) for option in kernel.options)
    return kernel.options if given else (*kernel.options, "--std=c++17")


def illegal(properties: dict[str, Any], most_threads: int, launch: Launch) -> str:
    """What about the sizes a device with these properties cannot run; empty if nothing is known to be.

    most_threads: in a block of this kernel, by the registers it needs.
    """
    block, grid = launch.local_size, launch.grid_size()
    if block is None:
        return "CUDA needs the size of a block."
    if not launch.global_size or min(launch.global_size) <= 0:
        return f"the global size {launch.global_size} is not positive."
    if grid is None:
        return f"the block size {block} does not divide the global size {launch.global_size}."
    threads = int(np.prod(block))
    most = min(most_threads, properties["maxThreadsPerBlock"])
    if threads > most:
        return f"a block of {threads} threads; for this kernel the device has at most {most}."
    if any(one > limit for one, limit in zip(block, properties["maxThreadsDim"])):
        return f"the block size {block} is beyond the device's {tuple(properties['maxThreadsDim'])}."
    if any(one > limit for one, limit in zip(grid, properties["maxGridSize"])):
        return f"the grid size {grid} is beyond the device's {tuple(properties['maxGridSize'])}."
    return ""


def _name_of(properties: dict[str, Any]) -> str:
    name = properties["name"]
    return name.decode() if isinstance(name, bytes) else str(name)


def devices() -> tuple[Device, ...]:
    """All CUDA devices. ImportError without CuPy, DeviceError if there is no driver."""
    foreign_caches.for_cupy()
    import cupy

    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise DeviceError("there is no CUDA driver", reason=str(error)) from None
    return tuple(device(cupy, number) for number in range(count))


def device(cupy: Any, number: int) -> Device:
    """The CUDA device of this number."""
    properties = cupy.cuda.runtime.getDeviceProperties(number)
    return Device(_name_of(properties), "cuda", "gpu", properties["multiProcessorCount"],
                  properties["totalGlobalMem"], CudaDriver(cupy, number, properties), "NVIDIA",
                  vendor="NVIDIA")  # fmt: skip
