"""GPUs: warps as cores, and the threads of a warp as the lanes of a vector.

One model for each width of the widest elements of a computation: 32 lanes of them are a warp.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.machine.model import Machine, MemoryLayer
from jitmdh.mdh.machine.multiprocessors import found_gpu
from jitmdh.mdh.machine.processors.figures import SERVER_512, Figures

WARP = 32
"""Threads that go through a program, and access memory, together."""
WARPS_OF_A_BLOCK = 4
"""Enough of them hide the latency of memory, few of them share registers."""
_VALUES = 72  # of 32 bits, of the 255 registers of a thread: offsets of 64 bits and what waits for memory take the rest
_WARPS = 4  # of a multiprocessor: one for each of its schedulers; work is shared in more where there is more of it


def machines(name: str, warps: int = WARPS_OF_A_BLOCK) -> tuple[Machine, ...]:
    """The models to try: for elements of 64 bits first, of which 32 lanes are a warp. Raises ConfigurationError.

    warps: of a block.
    """
    return tuple(gpu(name, bits * WARP, warps) for bits in (64, 32, 16, 8))


def gpu(name: str, vector_bits: int, warps_of_a_block: int = WARPS_OF_A_BLOCK) -> Machine:
    """vector_bits: of the lanes of a warp together. Raises ConfigurationError."""
    found = found_gpu(name)
    warps = found.multiprocessors * _WARPS
    per_warp = found.l1_bytes // _WARPS
    return Machine(
        name=f"{name.partition(':')[0]}-{vector_bits // WARP}",
        memory=(
            MemoryLayer("MM", 0),
            MemoryLayer("L3", found.l2_bytes),
            MemoryLayer("L2", found.l2_bytes // warps),
            MemoryLayer("L1", per_warp),
            MemoryLayer("REG", 128 * WARP * 4),
        ),
        core_layers=("COR", "SIMD"),
        cores=warps,
        vector_bits=vector_bits,
        registers=_VALUES if vector_bits <= 32 * WARP else _VALUES // 2,
        masked=True,
        fused_multiply_add=True,
        figures=_figures(vector_bits),
        warps=warps_of_a_block,
        gpu=found,
    )


def _figures(vector_bits: int) -> Figures:
    """Not measured: a warp is taken for a core whose registers are that wide."""
    return replace(SERVER_512, vectors=(replace(SERVER_512.vectors[-1], bits=vector_bits),))
