"""Tune saxpy (thesis, Listings 23 to 29): as an OpenCL kernel where a driver is installed, else in C.

python examples/20_atf_saxpy.py [N [evaluations [either|c]]]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from jitmdh import atf, errors
from jitmdh.kernels import buffer, opencl_kernel, scalar

OPENCL = """
__kernel void saxpy(const int N, const float a, const __global float* x, __global float* y)
{
    for (int w = 0; w < WPT; ++w) {
        const int index = w * get_global_size(0) + get_global_id(0);
        y[index] += a * x[index];
    }
}
"""

# The same loops in C; ATF replaces the names WPT and LS by the values of a configuration.
C = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void) {
    const int n = N, global_size = N / WPT;
    float *x = calloc(n, sizeof(float)), *y = calloc(n, sizeof(float)), a = 2.0f;
    for (int i = 0; i < n; ++i) x[i] = i % 1000;
    struct timespec s, e;
    double best = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
        clock_gettime(CLOCK_MONOTONIC, &s);
        for (int group = 0; group < global_size / LS; ++group)
            for (int w = 0; w < WPT; ++w)
                for (int local = 0; local < LS; ++local) {
                    const int index = w * global_size + group * LS + local;
                    y[index] += a * x[index];
                }
        clock_gettime(CLOCK_MONOTONIC, &e);
        double ms = (e.tv_sec - s.tv_sec) * 1e3 + (e.tv_nsec - s.tv_nsec) * 1e-6;
        if (ms < best) best = ms;
    }
    for (int i = 0; i < n; ++i) if (y[i] != 5 * a * x[i]) return 1;   /* wrong results are invalid */
    FILE *f = fopen("saxpy.cost", "w");
    fprintf(f, "%f\\n", best);
    return fclose(f);
}
"""


def opencl_cost(n: int, WPT: atf.TuningParameter, LS: atf.TuningParameter) -> Any:
    """The kernel's run time in seconds on random data, its result checked; None without an OpenCL driver."""
    try:
        return opencl_kernel(
            OPENCL, "saxpy",
            n,                       # N
            scalar("float32"),       # a, random as x and y
            buffer("float32", n),
            buffer("float32", n),
            global_size=n // WPT,
            local_size=LS,
            expected={"y": lambda a, x, y: a * x + y},
        )  # fmt: skip
    except errors.DeviceError as error:
        print(f"no OpenCL here: {error.message}; tuning the C version")
        return None


def c_cost(n: int, directory: Path) -> Any:
    """The generic cost function (thesis 5.6.1): any source, a compile script, and a file with the cost."""
    if shutil.which("cc") is None:
        raise SystemExit("there is neither an OpenCL device nor a C compiler (cc)")
    source = directory / "saxpy.c"
    source.write_text(f"#define N {n}\n" + C)
    compiled = 'cc -O3 "$ATF_SOURCE" -o "$ATF_BINARY"'
    return atf.program(source, compile_script=compiled, cost_file="saxpy.cost", timeout_s=60)


def main(n: int = 2**20, evaluations: int = 30, language: str = "either") -> atf.TuningResult:
    # Step 1: the search space. N // WPT on a parameter is understood symbolically.
    WPT = atf.tuning_parameter("WPT", atf.interval(1, n), atf.divides(n))
    LS = atf.tuning_parameter("LS", atf.interval(1, n), atf.divides(n // WPT))

    # Step 2: the cost function.
    with tempfile.TemporaryDirectory() as directory:
        cost = opencl_cost(n, WPT, LS) if language != "c" else None
        if cost is None:
            cost = c_cost(n, Path(directory))

        # Step 3: the search.
        result = (
            atf.tuner(WPT, LS)
            .search_technique("auc_bandit")
            .tune(cost, atf.duration(minutes=10) | atf.evaluations(evaluations))
        )
    print(result)
    return result


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
