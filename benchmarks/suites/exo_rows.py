"""Exo's side of the rows that have it (the extra `peers`): a product, a convolution and a blur.

The algorithms and schedules are written anew, in the manner of Exo's own tutorials: a memory and instructions for the
machine's vectors, loops divided, reordered and replaced by these, copies staged, loops shared among threads by OpenMP.
The C that Exo makes is compiled by gcc -O3 -march=native -fopenmp. Sizes are those of the suite: all loops are whole.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-w")
_LANES = 8


def available() -> bool:
    """Whether Exo is installed, gcc is there, and this processor has vectors of 8 doubles."""
    try:
        wide = "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        wide = False
    return wide and importlib.util.find_spec("exo") is not None and shutil.which("gcc") is not None


def call(name: str, arrays: Sequence[Any], folder: Path) -> Callable[[], None] | None:
    """The row's algorithm under Exo's schedule as a call on these arrays, the result first; None: there is none."""
    i, j = arrays[0].shape
    if i % 32 or j % (2 * _LANES) or (name == "matmul" and arrays[1].shape[1] % 256):
        return None
    from benchmarks.suites.exo_procedures import SCHEDULED

    procedure = SCHEDULED[name](i, j, *arrays[1].shape[1:])
    file, library = folder / "row_exo.c", folder / "row_exo.so"
    file.write_text(procedure.c_code_str(), encoding="utf-8")
    subprocess.run(["gcc", *FLAGS, str(file), "-o", str(library)], check=True)
    entry = getattr(ctypes.CDLL(str(library)), name.split(" ", maxsplit=1)[0])
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    return lambda alive=tuple(arrays): entry(None, *pointers)
