"""Records spaces: small C kernels, compiled and timed in every configuration, as JSON for `atf.recorded_space`.

    python -m benchmarks.atf.record_spaces DIRECTORY [KERNEL ...]      gzipped JSON, one file per kernel
    python -m benchmarks.atf.record_spaces DIRECTORY --loops [LOOP ...] --evaluations 300      jitmdh's own kernels

All configurations are compiled beforehand (`gcc -O2 -march=native`, many to a file), and each result is checked
against NumPy's. The cost is the least of several calls in three rounds over the whole space, so that what
disturbs the machine for a while disturbs no configuration for good. A configuration that needs more scratch
memory or registers than the kernel allows for is recorded as invalid.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import json
import math
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.atf.kernels_c import KERNELS_C, PROLOGUE, SCRATCH_BYTES, Array, Kernel
from benchmarks.atf.reserved.kernels_c import RESERVED_C
from jitmdh import atf

_TO_A_FILE, _ROUNDS, _CALLS = 48, 3, 4
_FLAGS = ("-O2", "-march=native", "-mprefer-vector-width=512", "-fno-math-errno", "-shared", "-fPIC", "-w")

_TIMER = """
#include <time.h>
typedef void (*Kernel)(const float *, const float *, float *, char *);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}
double least_us(Kernel kernel, const float *a, const float *b, float *out, char *scratch, int calls,
                double enough_us) {
  double least = 1e30, spent = 0;
  kernel(a, b, out, scratch);
  for (int k = 0; k < calls || (k < 4 * calls && spent < enough_us); k++) {
    double start = now();
    kernel(a, b, out, scratch);
    double took = now() - start;
    spent += took;
    if (took < least) least = took;
  }
  return least;
}
"""


def compiled(kernel: Kernel, chosen: Sequence[atf.Configuration], directory: Path, workers: int) -> list[ctypes.CDLL]:
    """Libraries of `_TO_A_FILE` configurations each, functions `f0`, `f1`, ... by place in `chosen`."""
    (directory / "kernel.h").write_text(kernel.source)

    def build(begin: int) -> ctypes.CDLL:
        text = PROLOGUE
        for place in range(begin, min(begin + _TO_A_FILE, len(chosen))):
            macros = {**chosen[place], "NAME": f"f{place}"}
            text += "".join(f"#define {name} {value}\n" for name, value in macros.items())
            text += '#include "kernel.h"\n' + "".join(f"#undef {name}\n" for name in macros)
        return library(text, directory / f"part{begin}")

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(build, range(0, len(chosen), _TO_A_FILE)))


def library(text: str, path: Path) -> ctypes.CDLL:
    """The text compiled and loaded."""
    path.with_suffix(".c").write_text(text)
    made = path.with_suffix(".so")
    subprocess.run(["gcc", *_FLAGS, str(path.with_suffix(".c")), "-o", str(made)], check=True)
    return ctypes.CDLL(str(made))


def aligned(count: int) -> Array:
    """So many zeros, single precision, on a cache line's boundary."""
    raw = np.zeros(count + 64, np.float32)
    return raw[(-raw.ctypes.data % 256) // 4 :][:count]


def record(kernel: Kernel, workers: int, ready: Callable[[], None] = lambda: None) -> dict[str, object]:
    """All configurations of a kernel, compiled, checked, and timed. ready: called in between, to wait until nothing
    else runs."""
    space = kernel.space
    chosen = [c for c in space if kernel.scratch_bytes(c) <= kernel.limit_bytes]
    with tempfile.TemporaryDirectory() as name:
        timer = library(_TIMER, Path(name) / "timer").least_us
        timer.restype = ctypes.c_double
        libraries = compiled(kernel, chosen, Path(name), workers)
        print(f"{kernel.name}: {len(chosen)} of {space.size} compiled", file=sys.stderr, flush=True)
        ready()
        a, b = (aligned(array.size) for array in kernel.inputs)
        a[:], b[:] = (array.ravel() for array in kernel.inputs)
        out, scratch = aligned(max(a.size, b.size)), aligned(SCRATCH_BYTES // 4)
        places = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, out, scratch)]
        costs = [math.inf] * len(chosen)
        for turn in range(_ROUNDS):
            for place, c in enumerate(chosen):
                function = getattr(libraries[place // _TO_A_FILE], f"f{place}")
                if not turn:
                    out[:] = np.nan
                found = timer(function, *places, _CALLS, ctypes.c_double(400.0))
                if not turn:
                    check(kernel, c, out)
                costs[place] = min(costs[place], found)
    cost_of = {c.index: round(cost, 2) for c, cost in zip(chosen, costs)}
    return {
        "name": f"{kernel.name} on a processor",
        "source": f"benchmarks/atf/record_spaces.py, {platform.machine()}, gcc {' '.join(_FLAGS[:2])}",
        "time_unit": "us",
        "columns": [*space.names, "time_us"],
        "rows": [[*c.values(), cost_of.get(c.index)] for c in space],
    }


def check(kernel: Kernel, c: atf.Configuration, out: Array) -> None:
    """Raises `ValueError` if the result is wrong; rows of the result lie as far apart as those of the input."""
    expected = kernel.expected
    pitch = kernel.inputs[0].shape[-1]
    lines = out[: len(expected) * pitch].reshape(len(expected), pitch) if expected.ndim > 1 else out
    found = lines[..., : expected.shape[-1]]
    if not np.allclose(found, expected, rtol=1e-3, atol=1e-2):
        raise ValueError(f"{kernel.name}: wrong result with {dict(c)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--loops", action="store_true", help="see benchmarks/atf/record_loops.py")
    parser.add_argument("--evaluations", type=int, default=300, help="configurations of each loop")
    options = parser.parse_intermixed_args()
    if options.loops:
        from benchmarks.atf.record_loops import RECORDED
        from benchmarks.atf.record_loops import record as record_loop

        for name in options.kernels or RECORDED:
            data = json.dumps(record_loop(name, options.evaluations), separators=(",", ":"))
            (options.directory / f"loop_{name}.json.gz").write_bytes(gzip.compress(data.encode(), mtime=0))
        return
    known = KERNELS_C | RESERVED_C
    for name in options.kernels or known:
        data = json.dumps(record(known[name](), options.workers), separators=(",", ":"))
        (options.directory / f"{name}.json.gz").write_bytes(gzip.compress(data.encode(), mtime=0))


if __name__ == "__main__":
    main()
