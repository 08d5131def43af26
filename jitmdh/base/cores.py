"""How many processors this process may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

_QUOTA_FILE = Path("/sys/fs/cgroup/cpu.max")

_ASKED = os.environ.get("OMP_NUM_THREADS", "")
"""When this is loaded, as OpenMP and BLAS do: `distributed.LocalCluster` writes 1 there for the processes that it
starts, and leaves it to the one that started them."""


def usable_cores(quota_file: Path = _QUOTA_FILE) -> int:
    """Processors this process may run on: its affinity mask, lowered to a container's quota; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    quota = _quota(quota_file)
    return max(1, cores if quota is None else min(cores, math.ceil(quota)))


def default_threads() -> int:
    """Threads that one call may use unless told otherwise: one per usable core, at most what `OMP_NUM_THREADS` was
    when the first function was decorated.

    Whoever starts several processes that share the cores (joblib, dask) sets this variable for what runs in them.

    >>> 1 <= default_threads() <= usable_cores()
    True
    """
    most = _ASKED.split(",")[0].strip()  # a list: one number for each level of nesting
    cores = usable_cores()
    return min(cores, int(most)) if most.isdecimal() and int(most) > 0 else cores


def _quota(file: Path) -> float | None:
    """Processors granted by the control group, from its text `quota period` in microseconds; None = no limit."""
    try:
        words = file.read_text().split()
    except OSError as error:
        if error.errno is None:  # not of the system: a time-out of the program's own, from a signal's handler
            raise
        return None  # no control group
    if len(words) != 2 or not all(w.isdecimal() for w in words) or not int(words[1]):
        return None  # "max", or a format of another system
    return int(words[0]) / int(words[1])
