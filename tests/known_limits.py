"""Limits of a machine that nobody measures."""

from __future__ import annotations

from jitmdh.hca.roofline import Limits, measured_area


def known_limits(threads: int, gflops: dict[str, float], bytes_per_second: float = 1e10) -> Limits:
    """Of memory and caches all the same."""
    areas = {measured_area(round(2 ** (n / 4))) for n in range(4 * 12, 4 * 30)}
    kinds = "read", "write", "copy", "lines"
    return Limits(threads, gflops, {(kind, area): bytes_per_second for kind in kinds for area in areas})
