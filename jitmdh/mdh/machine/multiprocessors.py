"""GPUs as their makers describe them: multiprocessors, what each holds and does in a clock, and the memories around."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass

_SHARED_BYTES = 100 << 10  # of a multiprocessor that nothing else is known of
_COPIES_AHEAD = 80  # the first architecture with asynchronous copies


@dataclass(frozen=True, slots=True)
class Gpu:
    """Facts from its maker.

    l2_bytes: of the chip; l1_bytes: of a multiprocessor, shared memory is a part of it; shared_bytes: as much of it as
    blocks can share; registers (of 32 bits), threads, blocks: that a multiprocessor holds at a time; clock_hz; lanes32,
    lanes64: multiply-adds of each width in a clock of a multiprocessor; memory_bytes, l2_clock_bytes: that memory moves
    in a second, and the second-level cache in a clock; copies_ahead: from global to shared memory, past registers;
    begins_early: whether blocks may begin before the first element, with threads that have nothing to do;
    tells_blocks: whether what a block stored before a fence is there for those that know of the fence by an atomic
    operation.
    """

    title: str
    multiprocessors: int
    l2_bytes: int
    l1_bytes: int
    shared_bytes: int = _SHARED_BYTES
    registers: int = 64 << 10
    threads: int = 1536
    blocks: int = 16
    clock_hz: float = 1.7e9
    lanes32: int = 128
    lanes64: int = 2
    memory_bytes: float = 0.6e12
    l2_clock_bytes: int = 2048
    copies_ahead: bool = False
    begins_early: bool = True
    tells_blocks: bool = True


GPUS = {
    "sm_80": Gpu(
        "NVIDIA A100", 108, 40 << 20, 192 << 10, 164 << 10, threads=2048, blocks=32, clock_hz=1.41e9, lanes32=64,
        lanes64=32, memory_bytes=1.555e12, l2_clock_bytes=5120, copies_ahead=True,
    ),
    "sm_90": Gpu(
        "NVIDIA H100, H200", 132, 50 << 20, 256 << 10, 228 << 10, threads=2048, blocks=32, clock_hz=1.98e9,
        lanes64=64, memory_bytes=4.8e12, l2_clock_bytes=5120, copies_ahead=True,
    ),
}  # fmt: skip
"""By architecture. The memory of sm_90 is that of an H200."""


def described(architecture: str, multiprocessors: int, l2_bytes: int, l1_bytes: int) -> str:
    """A GPU by its facts, as they are read from a device, in the form of a name that `found_gpu` takes.

    >>> found_gpu(described("sm_86", 84, 6 << 20, 100 << 10)).multiprocessors
    84
    """
    return f"{architecture}:{multiprocessors}:{l2_bytes}:{l1_bytes}"


def found_gpu(name: str) -> Gpu:
    """A GPU by name or by its facts, with the others of its architecture. Raises ConfigurationError."""
    title, *facts = name.split(":")
    if not facts and name in GPUS:
        return GPUS[name]
    if len(facts) != 3:
        raise ConfigurationError(f"there is no GPU `{name}`", hint=f"known ones are {', '.join(GPUS)}")
    multiprocessors, l2_bytes, l1_bytes = map(int, facts)
    ahead = title.removeprefix("sm_").isdigit() and int(title.removeprefix("sm_")) >= _COPIES_AHEAD
    other = Gpu(title, multiprocessors, l2_bytes, l1_bytes, min(_SHARED_BYTES, l1_bytes), copies_ahead=ahead)
    gpu = GPUS.get(title, other)
    return replace(gpu, multiprocessors=multiprocessors, l2_bytes=l2_bytes, l1_bytes=l1_bytes)
