"""Nests of blocks of threads, as GPUs have them: grids, shared memory, barriers."""
