"""Blocks of threads as layers of a machine (the thesis's Example 11: CUDA with warps), by the names of its figures."""

from __future__ import annotations

GRIDS, WARPS, THREADS = "BLK", "WRP", "THR"
CORES = (GRIDS, WARPS, THREADS)
"""Layers whose parts are taken at the same time: blocks of a grid, warps of a block, threads (of a warp, if there are
levels of warps)."""
LOOPS = ("DEV", "SHR", "REG")
"""Layers whose parts a thread takes one after the other; those of REG without a loop."""
SHARED = "SM"
"""The region that the threads of a block share."""
MOST_TILES = 4
"""Copies of one input that a block holds at a time: one is read while the others are on their way."""
ZEROS = "DM zeros"
"""Of the device: working memory of integers that are zero when a call begins, and have to be when it ends."""
DEVICE, REGISTERS = "DM", "RM"
"""The regions outside and inside of it."""
MOST_THREADS = 1024
"""Of a block."""
SHARED_BYTES = 48 << 10
"""Of a block: what every GPU has without being asked for more."""
VECTOR_BYTES = 16
"""That a thread loads or stores at once, at most."""
AHEAD_BYTES = (4, 8, 16)
"""That a thread copies at once from global to shared memory while it goes on."""


def shared_region(tiles: int) -> str:
    """The region with room for so many copies of an input: those of the next parts of a loop are on their way.

    >>> shared_region(1), shared_region(3)
    ('SM', 'SM*3')
    """
    return SHARED if tiles == 1 else f"{SHARED}*{tiles}"


def tiles_of(region: str) -> int:
    """For how many copies of an input a region has room; 0: it is none that the threads of a block share.

    >>> tiles_of("SM"), tiles_of("SM*3"), tiles_of("SM*9"), tiles_of("DM")
    (1, 3, 0, 0)
    """
    return next((n for n in range(1, MOST_TILES + 1) if shared_region(n) == region), 0)
