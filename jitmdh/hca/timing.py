"""Time measurements that survive a noisy machine: repeated, interleaved by the caller, summarised by the median."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """Seconds of each run, in order."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def least(self) -> float:
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """Half the distance of the quartiles, relative to the median."""
        if len(self.seconds) < 4 or self.median == 0:
            return 0.0
        low, _, high = statistics.quantiles(self.seconds, n=4)
        return (high - low) / 2 / self.median


def measure(
    call: Callable[[], object], *, least_runs: int = 3, most_runs: int = 1000, least_seconds: float = 0.02,
    most_seconds: float = 1.0, warm_up: int = 1,
) -> Measurement:  # fmt: skip
    """Runs `call` until there are `least_runs` and `least_seconds`; stops early at `most_runs` or `most_seconds`."""
    for _ in range(warm_up):
        call()
    seconds: list[float] = []
    total = 0.0
    while len(seconds) < most_runs and (len(seconds) < least_runs or total < least_seconds):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
        total += seconds[-1]
        if total > most_seconds and seconds:
            break
    return Measurement(tuple(seconds))
