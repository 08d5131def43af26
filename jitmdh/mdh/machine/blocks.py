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
DEVICE, REGISTERS = "DM", "RM"
"""The regions outside and inside of it."""
MOST_THREADS = 1024
"""Of a block."""
SHARED_BYTES = 48 << 10
"""Of a block: what every GPU has without being asked for more."""
VECTOR_BYTES = 16
"""That a thread loads or stores at once, at most."""
