"""Many sizes, many threads, forks: the same results, and few compilations."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.cores import usable_cores
from jitmdh.hca.drivers import cpu_runtime
from tests.laws.agreement import threads
from tests.waiting import PATIENCE


def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def matmul(C, A, B):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def blur(y, x, w):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            acc = 0.0
            for r in range(w.shape[0]):
                for s in range(w.shape[1]):
                    acc += w[r, s] * x[i + r, j + s]
            y[i, j] = acc


def dot(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


def running(y, x):
    acc = 0.0
    for i in range(x.shape[0]):
        acc += x[i]
        y[i] = acc


def whole(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    return rng.integers(-4, 5, shape).astype("f8")


CASES: dict[Callable[..., Any], Callable[..., tuple[Any, ...]]] = {
    matvec: lambda r, n, m, l: (np.zeros(n), whole(r, n, m), whole(r, m)),
    matmul: lambda r, n, m, l: (np.zeros((n, m)), whole(r, n, l), whole(r, l, m)),
    blur: lambda r, n, m, l: (np.zeros((n, m)), whole(r, n + l % 6, m + l % 5), whole(r, l % 6, l % 5)),
    dot: lambda r, n, m, l: (whole(r, n), whole(r, n)),
    running: lambda r, n, m, l: (np.zeros(n), whole(r, n)),
}


def by_numpy(function: Callable[..., Any], a: tuple[Any, ...]) -> Any:
    if function is matvec:
        return a[1] @ a[2]
    if function is matmul:
        return a[1] @ a[2]
    if function is dot:
        return a[0] @ a[1]
    if function is running:
        return np.cumsum(a[1])
    n, m = a[0].shape
    places = [(r, s) for r in range(a[2].shape[0]) for s in range(a[2].shape[1])]
    return sum((a[2][r, s] * a[1][r : r + n, s : s + m] for r, s in places), np.zeros((n, m)))


def check(function: Callable[..., Any], compiled: Callable[..., Any], sizes: Any, seed: int) -> None:
    arguments = CASES[function](np.random.default_rng(seed), *(int(s) for s in sizes))
    expected = by_numpy(function, arguments)
    result = compiled(*arguments)
    np.testing.assert_array_equal(arguments[0] if result is None else result, expected, err_msg=f"for {sizes}")


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_few_compilations_over_a_hundred_sizes(function: Callable[..., Any]) -> None:
    compiled = mdh.jit(cache=False)(function)
    rng = np.random.default_rng(7)
    for n in range(100):
        most = (4, 20, 90, 300)[n % 4]
        check(function, compiled, rng.integers(0, most, 3, endpoint=True), n)
    # However wild the sizes: sixteen classes, eight wide ranges, one for the rest, and a few for multiples of tiles.
    assert compiled.stats().compiles <= 30, compiled.stats()
    before = compiled.stats().compiles
    for n in range(20):
        check(function, compiled, rng.integers(20, 90, 3, endpoint=True), n)
    assert compiled.stats().compiles <= before + 2, "by then calls run what is there"


@pytest.mark.in_turns(2)
def test_threads_that_call_the_same_and_other_functions() -> None:
    compiled = {f: mdh.jit(cache=False)(f) for f in CASES}
    barrier, failures = threading.Barrier(6), []

    def work(number: int) -> None:
        rng = np.random.default_rng(number)
        functions = list(CASES)
        barrier.wait()
        try:
            for n in range(40):
                function = functions[(n + number * (number % 2)) % len(functions)]
                check(function, compiled[function], rng.integers(0, 120, 3), n)
        except BaseException as error:
            failures.append(error)

    started = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with threads(2):
            for thread in started:
                thread.start()
            for thread in started:
                thread.join(PATIENCE)
    finally:
        sys.setswitchinterval(interval)
    assert not failures, failures[0]
    assert not any(t.is_alive() for t in started)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_after_a_parallel_call() -> None:
    """The child computes with threads of its own, old functions and new ones."""
    compiled = mdh.jit(cache=False)(matmul)
    with threads(2):
        check(matmul, compiled, (257, 263, 251), 1)
        wanted = min(1, usable_cores() - 1)  # where there is one core, calls run on the caller's thread
        assert cpu_runtime.runtime().num_workers >= wanted, "others may have asked for more before"
        child = os.fork()
        if child == 0:
            try:
                check(matmul, compiled, (257, 263, 251), 2)
                check(dot, mdh.jit(cache=False)(dot), (100_003, 0, 0), 3)
                os._exit(0 if wanted <= cpu_runtime.runtime().num_workers <= 1 else 2)
            except BaseException:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        check(matmul, compiled, (257, 263, 251), 4)
