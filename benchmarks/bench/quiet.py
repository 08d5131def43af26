"""How much of the processors other programs used while something was measured (Linux)."""

from __future__ import annotations

import os
import time
from pathlib import Path

STAT = Path("/proc/stat")
TOLERATED = 0.05
_STANDS_STILL = 0.002  # seconds


class Watch:
    """From its creation on: the processor time of everybody else."""

    def __init__(self) -> None:
        self.begin, self.everybody, self.own = time.perf_counter(), _everybody(), _own()

    def foreign(self) -> float | None:
        """Processors that others kept busy since then, on average; None where the system does not say."""
        everybody, seconds = _everybody(), time.perf_counter() - self.begin
        if everybody is None or self.everybody is None or seconds <= 0:
            return None
        return max(0.0, (everybody - self.everybody) - (_own() - self.own)) / seconds


def _everybody() -> float | None:
    """Seconds that all processors together have been busy."""
    try:
        fields = [int(field) for field in STAT.read_text().split("\n", 1)[0].split()[1:]]
    except (OSError, ValueError):
        return None
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    times = os.times()
    return times.user + times.system


def wait_for_quiet(seconds: float = 30.0) -> None:
    """Returns when the machine has been idle for a second, or after `seconds`."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        watch = Watch()
        time.sleep(1.0)
        foreign = watch.foreign()
        if foreign is None or foreign < TOLERATED:
            return


def settle(seconds: float = 0.5) -> None:
    """Returns when no thread of this process works any more, or after `seconds`.

    Threads of OpenMP (gcc's for some milliseconds, those of NumPy's products for tens) keep spinning after a call, on
    the cores that whoever comes next wants.
    """
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        before = time.process_time()
        time.sleep(_STANDS_STILL)
        if time.process_time() - before < _STANDS_STILL / 5:
            return
