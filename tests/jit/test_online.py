"""Tuning while a program runs: results stay right, each update is done once, and what wins takes over."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.jit import tuned_codes
from jitmdh.jit.trials import worker
from tests.jit.programs import native_matvec
from tests.jit.trials.stand_in import InProcess, hurried, is_done, switching, until
from tests.waiting import PATIENCE

__all__ = ["hurried", "switching"]
Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.skipif(native_call_path() is None, reason="no native call path on this Python")


def matvec(w, A, v):
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            w[i] += A[i, k] * v[k]


def jacobi(x, y):
    for i in range(1, x.shape[0] - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    for i in range(1, x.shape[0] - 1):
        x[i] = y[i]


def running_sum(x):
    for i in range(1, x.shape[0]):
        x[i] += x[i - 1]


def row_sums(x):
    s = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            s[i] += x[i, k]
    return s


def moments(x):
    s = np.zeros(x.shape[0], x.dtype)
    q = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            s[i] += x[i, k]
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            q[i] += x[i, k] * x[i, k]
    return s, q


def integers(*shape: int) -> Array:
    return np.random.default_rng(7).integers(-9, 9, shape)


def check_matvec(f: Any, calls: int) -> None:
    A, v, w = integers(60, 70), integers(70), integers(60)
    expected = w + calls * (A @ v)
    for _ in range(calls):
        f(w, A, v)
    assert np.array_equal(w, expected)


def check_jacobi(f: Any, calls: int) -> None:
    x, y = np.linspace(0.0, 1.0, 200) ** 2, np.zeros(200)
    expected = x.copy()
    for _ in range(calls):
        expected[1:-1] = (expected[:-2] + expected[1:-1] + expected[2:]) / 3
    for _ in range(calls):
        f(x, y)
    assert np.array_equal(x, expected), "without a reduction, to the bit"


def check_running_sum(f: Any, calls: int) -> None:
    x = integers(100)
    expected = x.copy()
    for _ in range(calls):
        expected = expected.cumsum()
    for _ in range(calls):
        f(x)
    assert np.array_equal(x, expected), "wrapping around as NumPy does"


def check_row_sums(f: Any, calls: int) -> None:
    x = integers(50, 60)
    expected = x.sum(1)
    assert all(np.array_equal(f(x), expected) for _ in range(calls))


def check_moments(f: Any, calls: int) -> None:
    x = np.random.default_rng(7).standard_normal((40, 50))
    expected = x.sum(1), (x * x).sum(1)
    bounds = [2 * x.shape[1] * np.finfo(x.dtype).eps * sizes.sum(1) for sizes in (abs(x), x * x)]
    for _ in range(calls):
        found = f(x)
        assert isinstance(found, tuple)
        assert all((abs(a - b) <= bound).all() for a, b, bound in zip(found, expected, bounds))


CASES: list[tuple[Callable[..., Any], Callable[[Any, int], None]]] = [
    (matvec, check_matvec), (jacobi, check_jacobi), (running_sum, check_running_sum), (row_sums, check_row_sums),
    (moments, check_moments),
]  # fmt: skip


@pytest.mark.usefixtures("hurried", "switching")
@pytest.mark.parametrize(("function", "check"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_every_call_does_its_work_once(function: Any, check: Any) -> None:
    """Ten thousand calls, many of them trials, with a switch after every comparison."""
    f = mdh.jit(cache=False)(function)
    check(f, 10_000)
    deadline = time.monotonic() + PATIENCE
    while not (f.stats().switches >= 3 or is_done(f)):
        check(f, 200)
        assert time.monotonic() < deadline, f.record
    assert f.stats().slow_calls == 1 and f.stats().fallbacks == 0
    assert (f.stats().trials > 0) is (function is not running_sum), "which has no parameters"


@pytest.mark.usefixtures("hurried", "switching")
def test_what_has_won_is_in_force_and_a_later_process_begins_with_it(tmp_path: Path) -> None:
    with config(cache=True, cache_dir=tmp_path):
        f = mdh.jit(matvec)
        A, v, w = integers(60, 70), integers(70), integers(60)
        before = f.config(w, A, v)
        until(f, lambda: f(w, A, v), lambda: is_done(f))
        stats, found = f.stats(), f.config(w, A, v)
        assert stats.switches >= 1 and stats.background_compiles >= 1 and found == f.config()
        assert found["matvec"]["part_size"] != before["matvec"]["part_size"] or stats.switches > 1
        assert "tuned while it ran" in found["matvec"]["reasons"][0]
        other = np.zeros(61, np.int64), integers(61, 71), integers(71)
        assert f.config(*other)["matvec"]["reasons"] == before["matvec"]["reasons"], "other sizes keep what they had"
        text = str(f.explain(w, A, v, measure=False))
        assert "tuning while it runs" in text and "done" in text and "faster" in text and "switch" in text

        later = mdh.jit(matvec)
        for _ in range(3000):
            later(w, A, v)
        later.wait(1.0)
        stats = later.stats()
        assert (stats.trials, stats.compiles, stats.background_compiles, stats.cache_hits) == (0, 0, 0, 1)
        assert later.config(w, A, v) == found


@pytest.mark.in_turns(2)
@pytest.mark.usefixtures("hurried", "switching")
def test_a_deterministic_function_keeps_its_bits() -> None:
    f = mdh.jit(cache=False, deterministic=True)(matvec)
    random = np.random.default_rng(3)
    A, v = random.standard_normal((60, 700)), random.standard_normal(700)
    first = np.zeros(60)
    f(first, A, v)

    def call() -> None:
        w = np.zeros(60)
        f(w, A, v)
        assert w.tobytes() == first.tobytes()

    until(f, call, lambda: is_done(f))
    for _ in range(100):
        call()


@pytest.mark.usefixtures("hurried", "switching")
def test_threads_that_call_while_codes_are_tried() -> None:
    import sys

    functions = [mdh.jit(cache=False)(f) for f in (matvec, row_sums)]
    A, v = integers(60, 70), integers(70)
    before, failures = sys.getswitchinterval(), list[str]()
    sys.setswitchinterval(1e-6)

    def work() -> None:
        w = np.zeros(60, np.int64)
        for _ in range(1500):
            functions[0](w, A, v)
            if not np.array_equal(functions[1](A), A.sum(1)):
                failures.append("row_sums")
        if not np.array_equal(w, 1500 * (A @ v)):
            failures.append("matvec")

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: work(), range(4)))
    finally:
        sys.setswitchinterval(before)
    assert not failures and worker.worker().off is None
    assert sum(f.stats().calls for f in functions) == 12_000


@pytest.mark.usefixtures("hurried")
def test_candidates_that_are_no_good_never_run_in_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    from jitmdh.jit.online.candidate import Outcome, Verdict

    bad = [Outcome(0, v, reason="made so") for v in Verdict if v is not Verdict.RIGHT]
    turn = iter(bad * 10)
    slow = [lambda compiled: Outcome(0, Verdict.RIGHT, compiled, seconds=2.0, incumbent_seconds=1.0)]
    monkeypatch.setattr(InProcess, "outcome_of", staticmethod(lambda compiled: next(turn, None) or slow[0](compiled)))
    monkeypatch.setattr(InProcess, "most", 14)
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), lambda: is_done(f))
    stats = f.stats()
    assert stats.trials == stats.switches == 0 and stats.background_compiles == 14
    assert "made so" in str(f.explain(w, A, v, measure=False))


@pytest.mark.usefixtures("hurried")
def test_equal_codes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from jitmdh.jit.online.candidate import Outcome, Verdict

    monkeypatch.setattr(
        InProcess, "outcome_of",
        staticmethod(lambda compiled: Outcome(0, Verdict.RIGHT, None, seconds=1.0, incumbent_seconds=1.0)),
    )  # fmt: skip
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), lambda: is_done(f))
    assert f.stats().switches == 0 and f.config() == mdh.jit(cache=False, tune="off")(matvec).config(w, A, v)


@pytest.mark.usefixtures("hurried")
def test_an_error_in_a_trial_is_the_same_error() -> None:
    @mdh.jit(cache=False)
    def gather(y, x, index):
        for i in range(y.shape[0]):
            y[i] = x[index[i]] * 2.0

    y, x, index = np.zeros(500), np.arange(600.0), np.arange(500)
    trying = lambda: any(s.trying for s in worker.worker().sessions)  # noqa: E731
    until(gather, lambda: gather(y, x, index), lambda: trying() or is_done(gather))
    wrong, before = index.copy(), y.copy()
    wrong[250] = 600
    for _ in range(20):
        with pytest.raises(IndexError):
            gather(y, x, wrong)
        assert np.array_equal(y, before), "before anything is written"
    gather(y, x, index)
    assert np.array_equal(y, 2 * x[:500])


# ------------------------------------------------------------------------------------------------ what is not done


def test_without_tuning_there_is_no_trial_at_all() -> None:
    f = mdh.jit(cache=False, tune="off")(matvec)
    check_matvec(f, 5)
    assert [plan.trial for plan in f.codes.table.plans] == [None]
    assert 'tune="off"' in str(f.explain(measure=False))


def test_only_what_can_be_tuned_is_timed() -> None:
    here, device = mdh.jit(row_sums).codes, mdh.jit(target="opencl")(row_sums).codes
    assert here.tunable and here.tunable_online and not native_matvec().codes.tunable
    assert device.tunable and not device.tunable_online, "where somebody asks for it only: `f.tune`"


def test_short_programs_start_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than 0.2 s in a function: no thread, no process, whatever the share."""
    monkeypatch.setattr(worker, "_share", [1.0])
    monkeypatch.setattr(worker, "_present", [])
    threads = threading.active_count()
    f = mdh.jit(cache=False)(matvec)

    def spent() -> float:
        return sum(plan.trial.spent_seconds for plan in f.codes.table.plans if plan.trial is not None)

    check_matvec(f, 10)
    while spent() < 0.02:
        check_matvec(f, 10)
    started = threading.active_count() != threads or worker._present or f.record.states
    assert not started or spent() >= 0.2, "the machine was busy"


@pytest.mark.usefixtures("hurried")
def test_a_share_of_zero_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    monkeypatch.setattr(InProcess, "most", 10**6)
    until(f, lambda: f(w, A, v), lambda: any(s.trying for s in worker.worker().sessions))
    with config(tuning_overhead=0.0):
        assert not any(s.trying for s in worker.worker().sessions)
        time.sleep(0.05)
        before = f.stats().trials
        for _ in range(300):
            f(w, A, v)
        time.sleep(0.05)
        assert f.stats().trials == before and "tuning_overhead is 0" in str(f.explain(w, A, v, measure=False))
    until(f, lambda: f(w, A, v), lambda: f.stats().trials > before)


@pytest.mark.usefixtures("hurried")
def test_no_call_waits_for_a_lock() -> None:
    """Of ours: for compiling, for the store, for LLVM; held by another thread for as long as calls are made."""
    from jitmdh.base.storage.store import default_store
    from jitmdh.hca.drivers.native_code import cpu_compile
    from jitmdh.jit.compilation.pipeline import compile_lock

    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    f(w, A, v)
    locks = [compile_lock, default_store()._lock, cpu_compile._lock]
    for lock in locks:
        held, release = threading.Event(), threading.Event()

        def hold(lock: Any = lock, held: threading.Event = held, release: threading.Event = release) -> None:
            with lock:
                held.set()
                release.wait(PATIENCE)

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(PATIENCE)
        done = threading.Event()
        caller = threading.Thread(target=lambda done=done: (check_matvec(f, 2000), done.set()))
        caller.start()
        assert done.wait(PATIENCE), f"a call waits for {lock.rank.name}"
        release.set()
        holder.join()
        caller.join()


@pytest.mark.usefixtures("hurried", "switching")
def test_wait_returns_with_and_without_calls() -> None:
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    f.wait()
    until(f, lambda: f(w, A, v), lambda: bool(worker.worker().sessions))
    f.wait()
    f.wait(0.0)


@pytest.mark.in_turns(2)
@pytest.mark.usefixtures("hurried", "switching")
def test_another_number_of_threads_is_another_search(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tuned_codes, cpu_runtime):
        monkeypatch.setattr(module, "usable_cores", lambda: 2)
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    with config(num_threads=2):
        until(f, lambda: f(w, A, v), lambda: is_done(f))
    with config(num_threads=1):
        until(f, lambda: f(w, A, v), lambda: len(f.record.states) == 2 and is_done(f))
    assert {state.rpartition(" ")[2] for state in f.record.states} == {"1", "2"}


@mdh.jit(cache=False)
def travelling(w, A, v):
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            w[i] += A[i, k] * v[k]


def right(seed: int) -> bool:
    """Whether calls in this thread, in this process, are what NumPy gives."""
    random = np.random.default_rng(seed)
    A, v, w = random.integers(-9, 9, (60, 70)), random.integers(-9, 9, 70), np.zeros(60, np.int64)
    for _ in range(300):
        travelling(w, A, v)
    return np.array_equal(w, 300 * (A @ v))


@pytest.mark.in_turns(2)
@pytest.mark.usefixtures("hurried", "switching")
def test_tasks_in_threads_and_in_other_processes_while_codes_are_tried() -> None:
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(travelling, lambda: travelling(w, A, v), lambda: travelling.stats().switches > 0)
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(right, range(20)))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        assert processes.submit(right, 1).result() and right(2)
    assert pickle.loads(pickle.dumps(travelling)) is travelling


@pytest.mark.usefixtures("hurried", "switching")
def test_threads_of_dask_while_codes_are_tried() -> None:
    dask = pytest.importorskip("dask")
    assert all(dask.compute(*map(dask.delayed(right), range(20)), scheduler="threads"))


@pytest.mark.usefixtures("hurried", "switching")
def test_pickling_and_copies_are_not_affected() -> None:
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), lambda: f.stats().switches > 0)
    again = pickle.loads(pickle.dumps(mdh.jit(fallback="python")(os.path.basename)))
    assert again.py_func is os.path.basename
