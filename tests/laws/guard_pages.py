"""Kernels without the checks of their calls, on data that are no subscripts at all, in arrays between guard pages.

    python -m tests.laws.guard_pages tensors 0 4         random kernels of index notation
    python -m tests.laws.guard_pages wild spmv gather    ends by a signal where a load or store leaves its array

What a check has found of data need not hold any more when they are used, since another thread may write to them.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, JitWarning, NotAnMdhError
from jitmdh.jit.tensor import Kernel, zeros
from jitmdh.mdh import compile
from jitmdh.mdh.codegen import runtime_checks
from tests.compiled_once import compiled_once
from tests.laws import indirect_programs as ip
from tests.laws.tensor_programs import programs

Array = np.ndarray[Any, Any]
_PAGE = mmap.PAGESIZE
_FAR = 64 * _PAGE
_NOT_AT_ALL, _kept = 0, []


def guarded(array: Array, at_end: bool) -> Array:
    """A copy that begins where a page begins, or ends where one ends; what is before and behind cannot be touched."""
    room = max(1, -(-array.nbytes // _PAGE)) * _PAGE
    memory = mmap.mmap(-1, room + 2 * _FAR)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    for begin in (start, start + _FAR + room):
        if libc.mprotect(ctypes.c_void_p(begin), ctypes.c_size_t(_FAR), _NOT_AT_ALL):
            raise OSError(ctypes.get_errno(), "mprotect")
    _kept.append(memory)
    made = np.ndarray(array.shape, array.dtype, memory, _FAR + (room - array.nbytes if at_end else 0))
    made[...] = array
    return made


def wild(array: Array, r: np.random.Generator) -> Array:
    """Integers of which most are no subscripts of anything, and no bounds of ranges."""
    limits = np.iinfo(array.dtype)
    some = [limits.min, limits.max, limits.min // 2, limits.max // 2, ip.CELLS, -ip.CELLS - 1, -1, 0, 2**31, -(2**31)]
    some += [len(array), len(array) + 1, 2**40, 7, 3]
    fitting = np.array([n for n in some if limits.min <= n <= limits.max], array.dtype)
    return np.where(r.random(array.shape) < 0.7, r.choice(fitting, array.shape), array).astype(array.dtype)


def plain_range(y, x, first):
    for i in range(len(y)):
        for p in range(first[i], first[i] + 3):
            y[i] += x[p]


def every_other(y, x, first, last):
    for i in range(len(y)):
        for p in range(first[i], last[i]):
            y[i] += x[2 * p]


def grid(y, x, first, last):
    for i in range(len(y)):
        for p in range(first[i], last[i]):
            for q in range(x.shape[1]):
                y[i] += x[p, q]


def rows_of_rows(y, x, first, second):
    for i in range(len(y)):
        for p in range(first[i], first[i + 1]):
            for q in range(second[p], second[p + 1]):
                y[i] += x[q]


def marked(y, first, last):
    for i in range(len(first)):
        for p in range(first[i], last[i]):
            y[p] += 1


def chosen(y, x, b):
    y[:] = x[b]


def taken(y, x, b):
    y[:] = np.take(x, b, axis=0)


def added(h, b, w):
    np.add.at(h, b, w)


def products(y, x, b, c):
    for i in range(len(y)):
        y[i] = x[b[i], 2] * x[3, c[i]] + x[b[i], c[i]]


def searched(y, x, first, last):
    for i in range(len(y)):
        k = first[i]
        while k < last[i] and x[k] < 0.9:
            y[i] += x[k]
            k += 1


def walked(y, x, b):
    for i in range(len(y)):
        k = i
        for _ in range(4):
            k = b[k]
            if x[k] > 0.9:
                break
            y[k] += x[k]


def through_own_array(y, x, b):
    for i in range(len(y)):
        t = np.zeros(8)
        t[b[i]] = x[i]
        y[i] = t[b[i]] + t[-1]


PROCEDURES = (searched, walked, through_own_array)
"""Whose subscripts are looked at where they are used, and nowhere else."""
OWN = (plain_range, every_other, grid, rows_of_rows, marked, chosen, taken, added, products, *PROCEDURES)


def data(function: Callable[..., None], seed: int, index: type) -> list[Any]:
    r, n = np.random.default_rng(seed), 40
    if function not in OWN:
        return ip.data(function, seed, index)
    numbers = [r.integers(0, 8, n).astype(index) for _ in range(2)]
    x, y = r.random(100), r.random(n)
    if function is rows_of_rows:
        return [y[:-1], x, np.sort(numbers[0]), np.sort(r.integers(0, 90, n).astype(index))]
    made: dict[Any, list[Any]] = {
        plain_range: [y, x, numbers[0]], every_other: [y, x, numbers[0], numbers[0] + numbers[1]],
        grid: [y, x.reshape(20, 5), numbers[0], numbers[0] + numbers[1]],
        marked: [x, numbers[0], numbers[0] + numbers[1]], chosen: [y, x, numbers[0]],
        taken: [x.reshape(20, 5)[np.zeros(n, int)], x.reshape(20, 5), numbers[0]], added: [x, numbers[0], y],
        products: [y, x.reshape(10, 10), *numbers], searched: [y, x, numbers[0], numbers[0] + numbers[1]],
        walked: [y, x, numbers[0]], through_own_array: [y, x, numbers[0]],
    }  # fmt: skip
    return [a if a.dtype.kind == "f" else a.astype(index) for a in made[function]]


PROGRAMS = {f.__name__: f for f in (*ip.PROGRAMS, *OWN) if f not in (ip.halves, ip.bins_of_its_own)}


def calls(function: Callable[..., None], options: dict[str, Any]) -> Iterator[tuple[Callable[..., None], list[Any]]]:
    for index in (np.int64, np.int32, np.uint8, np.uint64):
        compiled = mdh.jit(cache=False, **options)(function)
        for seed in range(6):
            r = np.random.default_rng(seed)
            arguments = [
                guarded(wild(a, r) if a.dtype.kind in "iu" and n else a, bool(seed % 2))
                if isinstance(a, np.ndarray) else a
                for n, a in enumerate(data(function, seed, index))
            ]  # fmt: skip
            yield compiled, arguments


def without_checks(function: Callable[..., None]) -> None:
    runtime_checks.data_checks = lambda _: ()  # type: ignore[assignment]
    for module in (runtime_checks, compile):
        module.checkable_in_use = lambda _: ()  # type: ignore[attr-defined]
    warnings.simplefilter("error", JitWarning)  # of what is refused as a whole, and compiled loop by loop
    for options in ({}, {"reassociate": False}, {"deterministic": True}):
        for compiled, arguments in calls(function, options):
            in_order = function in PROCEDURES or not options.get("reassociate", True)
            if refused(compiled, arguments, in_order):
                break
        assert compiled.stats().compiles or function not in PROCEDURES


def refused(compiled: Callable[..., None], arguments: list[Any], in_order: bool) -> bool:
    """Calls with two threads and with one: the code is the same. What runs in order looks at each subscript itself."""
    for threads in (2, 1):
        mdh.config.num_threads = threads
        try:
            compiled(*arguments)
        except (NotAnMdhError, JitWarning):
            return True
        except IndexError:
            assert in_order
    return False


def long(function: Callable[..., None], index: type) -> list[Any]:
    """Arguments with which a call takes long enough for others to write meanwhile."""
    if function is not ip.spmv:
        return ip.data(function, 0, index, 200_000)
    r = np.random.default_rng(0)
    bounds = np.arange(0, 200_001, 10).astype(index)
    return [np.zeros(20_000), r.random(200_000), r.integers(0, 50, 200_000).astype(index), bounds, r.random(50)]


def in_a_race(function: Callable[..., None]) -> None:
    """Another thread puts good and wild numbers into the ends of arrays that decide subscripts, in turns."""
    for index in (np.int64, np.int32):
        arguments = [guarded(a, True) for a in long(function, index)]
        ends = [a[-8:] for n, a in enumerate(arguments) if a.dtype.kind in "iu" and n]
        good, bad = [e.copy() for e in ends], [np.full(8, np.iinfo(index).max // 2, index) for e in ends]
        over = threading.Event()
        other = threading.Thread(target=_disturb, args=(ends, (bad, good), over))
        compiled = mdh.jit(cache=False)(function)
        compiled(*arguments)
        other.start()
        for _ in range(300):
            with contextlib.suppress(IndexError):
                compiled(*arguments)
        over.set()
        other.join()


def tensors(numbers: range) -> None:
    """Random kernels of index notation: one element, and batches of them with and without a last block that is full."""
    for number in numbers:
        program = example_of(programs(type=np.float32 if number % 3 == 0 else np.float64), number)
        print(*program.assignments, sep="; ", flush=True)
        kernel = Kernel("program", program.assignments)
        kernel(**{n: guarded(a, bool(number % 2)) for n, a in program.arrays().items()})
        batch = kernel.batched()
        for elements in (0, 1, 9):
            arrays = {n: np.broadcast_to(a, (elements, *a.shape)) for n, a in program.arrays().items()}
            batch(**{n: guarded(a, bool(number % 2)) for n, a in arrays.items()})
            stored = {t.name: zeros(t, elements).pack(arrays[t.name]) for t in kernel.lowered.tensors}
            for one in stored.values():
                one.blocks = guarded(one.blocks, bool(number % 2))
            with contextlib.suppress(ArgumentTypeError):  # some step cannot be computed on blocks
                batch(**stored)


def example_of(strategy: st.SearchStrategy[Any], number: int) -> Any:
    """What a strategy draws with a number as its seed."""
    found: list[Any] = []

    @with_seed(number)
    @settings(
        max_examples=3, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(value=strategy)
    def draw(value: Any) -> None:
        found.append(value)

    draw()
    return found[-1]


def _disturb(ends: list[Array], contents: Sequence[list[Array]], over: threading.Event) -> None:
    while not over.is_set():
        for numbers in contents:
            for end, some in zip(ends, numbers):
                end[:] = some


if __name__ == "__main__":
    way = in_a_race if sys.argv[1] == "race" else without_checks
    if sys.argv[1] == "tensors":
        tensors(range(*map(int, sys.argv[2:])))
        sys.argv[2:] = []
    with compiled_once():
        for name in sys.argv[2:]:
            print(name, flush=True)  # the last one that is named has left its arrays
            warnings.simplefilter("ignore")
            way(PROGRAMS[name])
    print("all of them inside")
