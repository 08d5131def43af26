"""How long the threads of this process have run, and how long they have waited for a processor."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress


def waited_seconds(except_thread: int | None = None) -> float | None:
    """How long the threads of this process have waited for a processor so far; None where the system does not say."""
    total, found = 0, False
    with suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            if thread == str(except_thread):
                continue
            with suppress(OSError, ValueError, IndexError), open(f"/proc/self/task/{thread}/schedstat", "rb") as file:
                total += int(file.read().split()[1])
                found = True
    return total * 1e-9 if found else None


def worked_seconds() -> float:
    """Processor time of the threads that there are now.

    `time.process_time` is counted in ticks of milliseconds for threads that are running, and for all where a timer of
    such time is set; Linux has a precise clock of each thread.
    """
    if sys.platform != "linux":
        return time.process_time()
    total = 0.0
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError):
            total += time.clock_gettime((~int(thread) << 3) | 6)
    return total
