"""One process of `python -m benchmarks.online --drift`: a loop while the machine and its settings change.

    python -m benchmarks.online.drift NAME online|off|tuned SECONDS

So many seconds in each state: alone; beside a process that occupies one core; alone; with one thread; with all of them.
Prints for each state what a call took in its second half, and how often code was exchanged. tuned: `f.tune` in each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.online.loops import LOOPS

STATES = ("alone", "a busy core", "alone again", "one thread", "all threads")
_OCCUPIES = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"


@contextmanager
def _in_state(state: str) -> Iterator[None]:
    threads = mdh.get_num_threads()
    busy = subprocess.Popen([sys.executable, "-c", _OCCUPIES]) if state == "a busy core" else None
    if state == "one thread":
        mdh.set_num_threads(1)
    try:
        yield
    finally:
        mdh.set_num_threads(threads)
        if busy is not None:
            busy.kill()
            busy.wait()


def run(name: str, way: str, seconds: float) -> list[dict[str, Any]]:
    """By state: the median time of a call in its second half, and switches."""
    loop = LOOPS[name]
    call, function, check = loop.made("off" if way == "off" else "online")
    found, switches = [], 0
    for state in STATES:
        with _in_state(state):
            if way == "tuned":
                function.tune(*loop.arrays(np.random.default_rng(0)), seconds=seconds / 2, progress=False)
            times: list[tuple[float, float]] = []
            begin = time.perf_counter()
            while (start := time.perf_counter()) - begin < seconds:
                call()
                times.append((start - begin, time.perf_counter() - start))
        late = [t for at, t in times if at >= seconds / 2]
        now = function.stats().switches
        found.append({"state": state, "us": 1e6 * median(late), "switches": now - switches})
        switches = now
    check()
    return found


if __name__ == "__main__":
    if sys.argv[2] == "tuned":
        os.environ["MDH_TUNING_OVERHEAD"] = "0"
        mdh.config.tuning_overhead = 0.0
    print(json.dumps(run(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
