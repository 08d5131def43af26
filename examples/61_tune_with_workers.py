"""Tunes compiler flags with several evaluations at a time: each in a process of its own.

A candidate that crashes, hangs or is far slower than the best one costs nothing but itself. By default the candidates
are simulated (a cost, and a short pause); `--cc` compiles and runs a C program with GCC instead.

    python examples/61_tune_with_workers.py [--workers 4] [--cc]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jitmdh import atf

SOURCE = """
int main(void) {
    static double a[1 << 16];
    for (int r = 0; r < 200; ++r)
        for (int i = 1; i < 1 << 16; ++i) a[i] = a[i] * 0.5 + a[i - 1];
    return a[9] > 1.0;
}
"""


def simulated(c: atf.Configuration) -> float | atf.Invalid:
    """Seconds that a program compiled so might take."""
    if c["OPT"] == "-Ofast" and c["UNROLL"] == 8:
        os.abort()  # a miscompiled program: its process ends, tuning goes on
    time.sleep(0.005)
    return 1.0 / (1 + ["-O0", "-O1", "-O2", "-O3", "-Ofast"].index(c["OPT"])) + abs(c["UNROLL"] - 4) / 50


def compiled(c: atf.Configuration) -> float | atf.Invalid:
    """Seconds that the C program takes; invalid if it cannot be compiled."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder, "a.c"), Path(folder, "a")
        source.write_text(SOURCE)
        flags = [c["OPT"], "-funroll-loops", f"--param=max-unroll-times={c['UNROLL']}"]
        if subprocess.run(["gcc", *flags, str(source), "-o", str(binary)]).returncode:
            return atf.invalid("does not compile")
        start = time.perf_counter()
        subprocess.run([str(binary)], check=True)
        return time.perf_counter() - start


def main(workers: int = 4, cost: Callable[[atf.Configuration], Any] = simulated) -> atf.TuningResult:
    OPT = atf.tuning_parameter("OPT", atf.values("-O0", "-O1", "-O2", "-O3", "-Ofast"))
    UNROLL = atf.tuning_parameter("UNROLL", [1, 2, 4, 8])
    result = atf.tuner(OPT, UNROLL).tune(cost, atf.evaluations(20), workers=workers, timeout_s=30, prune=50)
    print(result)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--cc", action="store_true")
    options = parser.parse_args()
    main(options.workers, compiled if options.cc else simulated)
