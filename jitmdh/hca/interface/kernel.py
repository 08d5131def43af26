"""Kernels as the execution wing sees them: a text, its entry, and how its arguments are used (thesis 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from time import perf_counter_ns
from typing import Any, Protocol

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.records import dataclass, record
from jitmdh.hca.interface.buffer import Buffer


class Found(Protocol):
    """What a search has found."""

    @property
    def best_configuration(self) -> Mapping[str, Any]: ...


class KernelTuner(Protocol):
    """What finds values for names in a kernel, such as `atf.tuner(space)`.

    space: what it chooses from, as a container of configurations whose `repr` says which.
    """

    @property
    def space(self) -> Any: ...

    def fresh(self) -> KernelTuner:
        """The same, with nothing measured yet."""

    def tune(self, cost: Callable[[Any], float], /) -> Found:
        """The best of many configurations. cost: the seconds that the kernel takes with one; raises where it cannot
        run."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel in the language of its devices: "llvm", "opencl" or "cuda".

    options: for its compiler; defines: names that the preprocessor replaces by a text; tune: what finds values for
    other names, where it is run (see `tuning`). Kernels given as source are best made by `hca.opencl_source` and
    `hca.cuda_source`.
    """

    text: str
    entry: str
    language: str
    options: tuple[str, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    tune: KernelTuner | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        return hash((self.text, self.entry, self.defines))

    def program_text(self) -> str:
        """What a compiler of source text gets: `defines`, then the text, which it calls by the name of the entry."""
        lines = [f"#define {name} {value}" for name, value in self.defines]
        return "\n".join([*lines, f'#line 1 "{self.entry}"', self.text])


@dataclass(frozen=True, slots=True)
class Launch:
    """The execution configuration: global and local size (OpenCL's words), bytes of local memory.

    local_size None: the device's driver chooses (OpenCL only). Kernels for CPUs start their own threads and ignore it.
    """

    global_size: tuple[int, ...] = (1,)
    local_size: tuple[int, ...] | None = (1,)
    local_bytes: int = 0

    def grid_size(self) -> tuple[int, ...] | None:
        """Groups in each dimension (CUDA's word); None where the local size does not divide the global size."""
        local = self.local_size
        if local is None or len(local) != len(self.global_size):
            return None
        if any(one <= 0 or whole % one for whole, one in zip(self.global_size, local)):
            return None
        return tuple(whole // one for whole, one in zip(self.global_size, local))


@entry
def nd_range(global_size: tuple[int, ...], local_size: tuple[int, ...] | None = None, local_bytes: int = 0) -> Launch:
    """OpenCL's way to say how many: work-items in all, and in a group.

    >>> nd_range((1024,), (64,)).grid_size()
    (16,)
    """
    return Launch(global_size, local_size, local_bytes)


@entry
def dim3(grid_size: tuple[int, ...], block_size: tuple[int, ...], local_bytes: int = 0) -> Launch:
    """CUDA's way to say how many: blocks in the grid, and threads in a block.

    >>> dim3((16, 2), (64, 1)) == nd_range((1024, 2), (64, 1))
    True
    """
    return Launch(tuple(g * b for g, b in zip(grid_size, block_size)), block_size, local_bytes)


@record(frozen=True, slots=True)
class Use:
    """A buffer as an argument, and what the kernel does with it: a tag of the thesis."""

    buffer: Buffer
    reads: bool
    writes: bool

    def __getitem__(self, rows: slice) -> Use:
        """Of some rows alone: `write(out)[a:b]` is `write(out.part(a, b))`. ArgumentTypeError for what is no range of
        rows that follow each other."""
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            raise ArgumentTypeError(f"{rows!r} are no rows of a buffer that follow each other", hint="write b[i:j]")
        begin, end, _ = rows.indices(len(self.buffer))
        return Use(self.buffer.part(begin, max(begin, end)), self.reads, self.writes)


def read(buffer: Buffer) -> Use:
    """The kernel reads the buffer. ArgumentTypeError for what is none."""
    return Use(_required(buffer, "read"), True, False)


def write(buffer: Buffer) -> Use:
    """The kernel writes all of the buffer, and does not read it: nothing is copied to the device.

    ArgumentTypeError for what is none, or is one of a read-only array."""
    return Use(_required(buffer, "write"), False, True)


def read_write(buffer: Buffer) -> Use:
    """The kernel reads the buffer and writes to it. ArgumentTypeError for what is none, or one of a read-only array."""
    return Use(_required(buffer, "read_write"), True, True)


def _required(buffer: Any, tag: str) -> Buffer:
    if not isinstance(buffer, Buffer):
        hint = f"{tag}(Buffer(array)), or {tag}(b.part(i, j)) for rows of a buffer"
        raise ArgumentTypeError(f"{tag}() takes a Buffer, not {type(buffer).__name__}", hint=hint)
    if tag != "read" and not buffer.is_writeable:
        raise ArgumentTypeError(f"{tag}() takes a Buffer of an array that can be written; this one's is read-only")
    return buffer


@dataclass(frozen=True, slots=True)
class Local:
    """A `__local` pointer of an OpenCL kernel: bytes of local memory for each group."""

    size_bytes: int


KernelArgument = (
    Use | Local | bool | int | float | complex | np.generic | tuple[Any, ...] | list[Any] | np.ndarray[Any, Any]
)
"""Numbers are converted to the type that a kernel given as source declares; NumPy scalars must have that type. Tuples,
lists and arrays of numbers are vectors: (1, 2, 3, 4) for a `float4`."""


class Running(Protocol):
    """A kernel that a driver has started.

    It may have `finish()`, which only waits for its end, and `times()`: when it was queued, began and ended, by the
    device's clock in nanoseconds.
    """

    def wait(self) -> tuple[int, int]:
        """Blocks until its end: (status, nanoseconds by the device's clock). DeviceError if it failed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A kernel that had ended when its launch returned: that of a processor that runs it in the calling thread."""

    status: int
    nanoseconds: int

    def wait(self) -> tuple[int, int]:
        return self.status, self.nanoseconds


def run_now(call: Callable[[], int]) -> Ended:
    """Runs `call`, a kernel in the calling thread, and takes its time."""
    begin = perf_counter_ns()
    status = call()
    return Ended(status, perf_counter_ns() - begin)


class Execution:
    """A kernel that was started. Its properties block until it has ended; so does `Buffer.host` of what it writes.

    status: what the kernel returned (0 where kernels return nothing); nanoseconds: by the device's own clock.
    """

    __slots__ = ("_result", "_running")

    def __init__(self, running: Running) -> None:
        self._running: Running = running
        self._result: tuple[int, int] | None = None

    def wait(self) -> Execution:
        """Blocks until the kernel has ended. DeviceError if it failed."""
        if self._result is None:
            finish = getattr(self._running, "finish", self._ended)
            finish()  # how long it took is asked for when somebody wants to know
        return self

    def _ended(self) -> tuple[int, int]:
        if self._result is None:
            self._result = self._running.wait()
        return self._result

    @property
    def status(self) -> int:
        """What the kernel returned; waits for its end."""
        return self._ended()[0]

    @property
    def nanoseconds(self) -> int:
        """Run time of the kernel; waits for its end."""
        return self._ended()[1]

    @property
    def seconds(self) -> float:
        """Run time of the kernel; waits for its end."""
        return self._ended()[1] * 1e-9

    def span(self, launched: int) -> tuple[int, int] | None:
        """When it ran, if the driver says: begin and end by the clock in which `launched` is when it was launched."""
        self._ended()
        times = getattr(self._running, "times", None)
        if times is None:
            return None
        queued, begin, end = times()
        return launched + begin - queued, launched + end - queued

    def __repr__(self) -> str:
        if self._result is None:
            return "Execution(running)"
        return f"Execution(status={self._result[0]}, nanoseconds={self._result[1]})"
