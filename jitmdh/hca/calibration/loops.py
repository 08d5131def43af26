"""Loops as LLVM IR: compiled, loaded, and run on one or several threads at once, each on a processor of its own.

A loop is a function `run(area, count, groups)`: what they mean is the loop's own matter.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from jitmdh.base.process.signals import start_thread

ROUNDS, _MOST_ROUNDS = 7, 40
_AGREE = 1.03  # times the least, below which the one next to it is said to be as long


@functools.cache
def compiled(text: str) -> tuple[Callable[[Any, int, int], None], object]:
    from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
    from jitmdh.hca.drivers.native_code.elf_loader import load_object

    loaded = load_object(compile_ir(text))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(loaded.address_of("run"))
    return function, loaded  # a call through ctypes releases Python's lock


def vector_bytes() -> int:
    from jitmdh.hca.drivers.native_code.cpu_compile import vector_bits

    return vector_bits() // 8


def best(threads: int, work: Callable[[int], None]) -> float:
    """Seconds that `work(thread)` takes on all threads at once: the least of a few rounds, and of more until another
    one has taken as long, since where other programs run hardly any round is left alone."""
    found = sorted(together(threads, work) for _ in range(ROUNDS))
    while found[1] > _AGREE * found[0] and len(found) < _MOST_ROUNDS:
        found = sorted([*found, together(threads, work)])
    return found[0]


def together(threads: int, work: Callable[[int], None]) -> float:
    if threads == 1:
        begin = time.perf_counter()
        work(0)
        return time.perf_counter() - begin
    begins, ends = [0.0] * threads, [0.0] * threads
    barrier = threading.Barrier(threads)

    def timed(thread: int) -> None:
        _stay_apart(thread)
        barrier.wait()
        begins[thread] = time.perf_counter()
        work(thread)
        ends[thread] = time.perf_counter()

    running = [threading.Thread(target=timed, args=(thread,)) for thread in range(threads)]
    for thread in running:
        start_thread(thread)
    for thread in running:
        thread.join()
    return max(ends) - min(begins)


def _stay_apart(thread: int) -> None:
    """Gives the thread that calls a processor of its own: a young one may share its parent's for milliseconds."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[thread % len(processors)]})


def aligned_area(size: int, fill: int) -> np.ndarray[Any, Any]:
    block = np.full(size // 4 + 16, fill, np.float32)
    start = (-block.ctypes.data % 64) // 4
    return block[start : start + size // 4]
