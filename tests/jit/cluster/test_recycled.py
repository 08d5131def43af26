"""Memory of arrays that nobody holds any more serves for others; what somebody holds never does."""

from __future__ import annotations

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from jitmdh.jit.cluster.recycled import Recycled

LARGE = 1 << 17
F8 = np.dtype(float)


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def of(limit: int = 1 << 30) -> Recycled:
    memory = Recycled()
    memory.may_keep(limit)
    return memory


def test_what_is_free_serves_again() -> None:
    memory = of()
    array = memory.empty((4, LARGE), F8)
    before = address(array)
    assert array.shape == (4, LARGE) and array.dtype == F8 and array.flags.c_contiguous and array.flags.writeable
    del array
    assert address(memory.empty((LARGE, 4), np.dtype(np.int64))) == before


def test_a_view_keeps_memory() -> None:
    memory = of()
    array = memory.empty((4, LARGE), F8)
    view = array[1:, ::2].T
    array[...] = 3
    del array
    gc.collect()
    other = memory.empty((4, LARGE), F8)
    other[...] = 5
    assert (view == 3).all()


def test_other_sizes_get_memory_of_their_own() -> None:
    memory = of()
    before = address(memory.empty((4, LARGE), F8))
    small = memory.empty((2, LARGE), F8)
    large = memory.empty((5, LARGE), F8)
    assert address(memory.empty((4, LARGE), F8)) == before
    assert small.nbytes + large.nbytes == 7 * 8 * LARGE and memory.empty((0, 3), F8).shape == (0, 3)


def test_no_more_than_a_part_of_memory_waits() -> None:
    memory = of(8 * 8 * LARGE)  # of which an eighth is one array
    arrays = [memory.empty((LARGE,), F8) for _ in range(4)]
    arrays.clear()
    kept = sum(m.nbytes for m in (*memory.returned, *memory.waiting))
    assert kept == 8 * LARGE  # though nobody asks for an array again
    memory.empty((LARGE,), F8)
    assert sum(m.nbytes for m in memory.waiting) <= 8 * LARGE
    nothing = Recycled()
    for _ in range(2):
        nothing.empty((LARGE,), F8)
    assert nothing.waiting == []


def test_copies_travel() -> None:
    array = of().empty((LARGE,), F8)
    array[...] = 7
    assert (pickle.loads(pickle.dumps(array, protocol=5)) == 7).all()


def test_threads_get_memory_of_their_own() -> None:
    memory = of()

    def use(number: int) -> bool:
        for _ in range(50):
            array = memory.empty((LARGE,), F8)
            array[...] = number
            if not (array == number).all():
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(use, range(4)))
