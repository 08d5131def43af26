"""What the warps of grids load, store and share, as the interpreter counts it: coalescing is tested without a GPU."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import on_cuda


def test_sectors_and_conflicts(golden: Callable[[str, str], None]) -> None:
    """In the model's configurations for an sm_90; results are right, too."""
    golden("kernel/sectors", on_cuda.counts())
