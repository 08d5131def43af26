"""No memory for working buffers (fault catalogue 44): a MemoryError, and the next call works."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import OutOfMemoryError
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from tests.laws.agreement import native, threads, traced

_ACQUIRE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Code loaded from now on gets no working memory while the flag is set."""
    state = {"none": True}
    real = _ACQUIRE(cpu_runtime.symbols()["jitmdh_scratch_acquire"])
    fake = _ACQUIRE(lambda size: None if state["none"] else real(size))
    addresses = {**cpu_runtime.symbols(), "jitmdh_scratch_acquire": ctypes.cast(fake, ctypes.c_void_p).value}
    monkeypatch.setattr(cpu_runtime, "symbols", lambda: addresses)
    yield state
    del fake


def through_a_temporary(y, x):
    """Each number of it is used twice: what is used once would be computed where it is used."""
    t = np.zeros((x.shape[0], x.shape[0]))
    for i in range(x.shape[0]):
        t[i, 0] = x[i]
    for i in range(x.shape[0]):
        y[i] = t[i, 0] + 2 * t[x.shape[0] - 1 - i, 0]


def test_nothing_is_written_without_memory_for_an_array(no_memory: Any) -> None:
    f = mdh.jit(cache=False)(through_a_temporary)
    y, x = np.zeros(5), np.arange(5.0)
    for _ in range(2):
        with pytest.raises(OutOfMemoryError):
            f(y, x)
        assert not y.any()
    no_memory["none"] = False
    f(y, x)
    assert y.tolist() == [8, 7, 6, 5, 4]


def product(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(B.shape[0]):
                C[i, j] += A[i, k] * B[k, j]


def configurations() -> dict[str, Configuration]:
    inside = (Level("L2", "k"), Level("L1", "i"), Level("L1", "j"), Level("L1", "k"))
    return {
        "copies": Configuration(
            part_size=((Level("L2", "k"), 4),),
            decomposition_order=inside,
            input_region=((1, Level("L2", "k"), "L2"),),
            input_layout=((1, ((0, 1), (1, 1))),),
        ),
        "reduction over cores": Configuration(
            part_size=((Level("COR", "k"), 2),),
            decomposition_order=(Level("COR", "k"), Level("L1", "i"), Level("L1", "j"), Level("L1", "k")),
        ),
    }


@pytest.mark.parametrize("name", configurations())
def test_copies_and_partial_results_say_so(name: str, no_memory: Any) -> None:
    A, B = np.arange(42.0).reshape(6, 7), np.arange(35.0).reshape(7, 5)
    arguments = (np.zeros((6, 5)), A, B)
    code = native(traced(product, arguments), lambda *_: configurations()[name], {"C": 1, "A": 1, "B": 1})
    for count in (1, 2):
        with threads(count), pytest.raises(AssertionError, match="2"):
            code(*arguments)
    no_memory["none"] = False
    arguments[0][:] = 0
    code(*arguments)
    np.testing.assert_array_equal(arguments[0], A @ B)


def huge_temporary(y, x, n):
    t = np.zeros((n, n))
    for i in range(x.shape[0]):
        t[i, i] = x[i]
    for i in range(x.shape[0]):
        y[i] = t[i, i]


@pytest.mark.parametrize("n", [10**7, 2**31, 2**32, 2**33])
def test_sizes_that_no_memory_has(n: int) -> None:
    """The product of the extents may not even fit 64 bits."""
    f = mdh.jit(cache=False)(huge_temporary)
    y, x = np.zeros(3), np.arange(3.0)
    f(y, x, 4)
    y[:] = 0
    with pytest.raises(MemoryError):
        f(y, x, n)
    assert not y.any()


def huge_result(x, n):
    t = np.empty((n, n))
    for i in range(x.shape[0]):
        t[i, i] = x[i]
    return t


@pytest.mark.parametrize("n", [2**31, 2**32, 2**33])
def test_results_that_no_memory_has(n: int) -> None:
    f = mdh.jit(cache=False)(huge_result)
    assert f(np.arange(3.0), 4)[1, 1] == 1
    with pytest.raises((MemoryError, ValueError)):
        f(np.arange(3.0), n)
