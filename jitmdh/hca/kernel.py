"""Kernels as the execution wing sees them: a text, its entry, and how its arguments are used (thesis 6.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jitmdh.hca.buffer import Buffer


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel in the language of its devices: "llvm", "opencl" or "cuda". options: for its compiler."""

    text: str
    entry: str
    language: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """The execution configuration: global and local size (OpenCL's words), bytes of local memory.

    Kernels for CPUs start their own threads and ignore it.
    """

    global_size: tuple[int, ...] = (1,)
    local_size: tuple[int, ...] = (1,)
    local_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """A buffer as an argument, and what the kernel does with it: a tag of the thesis."""

    buffer: Buffer
    reads: bool
    writes: bool


def read(buffer: Buffer) -> Use:
    """The kernel reads the buffer."""
    return Use(buffer, True, False)


def write(buffer: Buffer) -> Use:
    """The kernel writes all of the buffer, and does not read it: nothing is copied to the device."""
    return Use(buffer, False, True)


def read_write(buffer: Buffer) -> Use:
    """The kernel reads the buffer and writes to it."""
    return Use(buffer, True, True)


KernelArgument = Use | bool | int | float | complex
"""NumPy scalars count as what they derive from or are converted to; see the driver of the device."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A kernel that was started. device_seconds: what the device says it took, None where it does not say."""

    status: int
    seconds: float
    device_seconds: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)
