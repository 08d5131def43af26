"""Tuning while a program runs, and what may happen to the program: forks, Ctrl-C, its end, its violent end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.base.storage.store import Store
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.trials import worker
from jitmdh.jit.tuned_codes import TunedCodes
from tests.alarms import alarm
from tests.days import today
from tests.jit.prepared_store import with_native_runtime
from tests.jit.test_online import check_matvec, integers, matvec, row_sums
from tests.jit.trials.stand_in import InProcess, hurried, switching, until
from tests.waiting import PATIENCE
from tests.warm_start import warm_python

__all__ = ["hurried", "switching"]
pytestmark = [
    pytest.mark.skipif(native_call_path() is None, reason="no native call path on this Python"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]


def trying() -> bool:
    return any(s.trying for s in worker.worker().sessions)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("moment", ["in a trial", "before", "while switching"])
def test_child_and_parent_go_on_after_a_fork(
    moment: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """In the child no thread tunes until the child earns one; nothing there waits for the parent's."""
    if moment == "while switching":
        request.getfixturevalue("switching")
    monkeypatch.setattr(InProcess, "most", 10**6)
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    f(w, A, v)
    if moment != "before":
        until(f, lambda: f(w, A, v), lambda: trying() or f.stats().switches > 3)
    children = []
    for _ in range(5):
        child = os.fork()
        if not child:
            status = 1
            try:
                assert not trying() and not worker.worker().runs and not worker.worker().sessions
                check_matvec(f, 500)
                worker.worker().budget.ran(1e6)
                until(f, lambda: f(w, A, v), lambda: worker.worker().runs)
                check_matvec(f, 500)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
        check_matvec(f, 300)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 5
    check_matvec(f, 300)
    assert worker.worker().off is None


@pytest.mark.usefixtures("hurried", "switching")
def test_a_fork_while_new_code_is_put_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls of the child run code that the search there does not know yet; they earn another search all the same."""
    monkeypatch.setattr(InProcess, "most", 10**6)
    put, forked, keep = threading.Event(), threading.Event(), TunedCodes._keep

    def kept_later(codes: TunedCodes, made: Specialisation) -> None:
        put.set()
        forked.wait(PATIENCE)
        keep(codes, made)

    monkeypatch.setattr(TunedCodes, "_keep", kept_later)
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), put.is_set)
    child = os.fork()
    if not child:
        status = 1
        try:
            worker.worker().budget.ran(1e6)
            until(f, lambda: f(w, A, v), lambda: worker.worker().runs)
            check_matvec(f, 300)
            status = 0
        finally:
            os._exit(status)
    forked.set()
    assert os.waitpid(child, 0)[1] == 0
    check_matvec(f, 300)
    assert worker.worker().off is None


@pytest.mark.usefixtures("hurried", "switching")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what Python drops, rings again
def test_ctrl_c_at_any_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InProcess, "most", 10**6)
    f, g = mdh.jit(cache=False)(row_sums), mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    expected = A.sum(1)
    f(A), g(w, A, v)
    chance = random.Random(1)
    for _ in range(200):
        with pytest.raises(KeyboardInterrupt), alarm(signal.default_int_handler, chance.uniform(1e-4, 5e-3)):
            while True:
                f(A), g(w, A, v)
        assert np.array_equal(f(A), expected)
        check_matvec(g, 3)
    assert worker.worker().off is None
    until(f, lambda: (f(A), g(w, A, v)), lambda: f.stats().trials + g.stats().trials > 0)


# ------------------------------------------------------------------------------------- with the helper, from outside

PROGRAM = """
import os, sys, time
import numpy as np
import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.jit.trials import observe, worker
from tests.waiting import PATIENCE
config.tuning_overhead = 1.0

@mdh.jit
def product(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]

random = np.random.default_rng(0)
A, B = random.integers(-9, 9, (400, 300)).astype("f4"), random.integers(-9, 9, (300, 20)).astype("f4")
C = np.zeros((400, 20), "f4")
once = A @ B

def calls(until):
    begin, n = time.monotonic(), 0
    while not until():
        C[:] = 0
        product(C, A, B)
        assert np.array_equal(C, once)
        n += 1
        assert time.monotonic() - begin < PATIENCE, (n, product.record, worker.worker().off)
    return n

def helper():
    found = worker.known_worker()
    return None if found is None or found.helper is None else found.helper.process_id

def settled():
    return any(site.done for site in product.codes.sites.values())
"""


def started(folder: Path, text: str) -> subprocess.Popen[str]:
    program = folder / "program.py"
    if not program.exists() or program.read_text() != PROGRAM + text:  # others that were started may be reading it
        program.write_text(PROGRAM + text)
    environment = {**os.environ, "MDH_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [*warm_python(), str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


@contextmanager
def killed(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """Whatever happens, it ends and leaves no pipe open."""
    with process:
        try:
            yield process
        finally:
            process.kill()


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_program_tunes_itself_and_the_next_one_begins_with_what_it_found(tmp_path: Path) -> None:
    """All of it: the thread, the helper process, its search, trials in calls, the store."""
    program = """
before = product.config(C, A, B)
calls(lambda: product.stats().background_compiles >= 4)
calls(lambda: product.stats().switches or product.stats().background_compiles >= 12)
stats = product.stats()
assert stats.background_compiles and stats.slow_calls <= 1
print(stats.switches, product.config(C, A, B)["product"]["reasons"][0], sep=";")
number = helper()
product.wait()
del stats
print(number)
"""
    with started(tmp_path, program) as first:
        out, err = first.communicate(timeout=PATIENCE)
    assert first.returncode == 0, err
    assert not err
    found, helper = out.split("\n")[:2]
    assert soon(lambda: gone(int(helper)))
    switches, _, reason = found.partition(";")
    with started(tmp_path, 'print(product.config(C, A, B)["product"]["reasons"][0])\ncalls(lambda: True)') as second:
        out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0 and not err
    assert (out.strip() == reason) if int(switches) else ("tuned" not in out)


@pytest.mark.parametrize("way", ["exit", "exception", "interrupt"])
def test_a_program_ends_as_it_would_without_tuning(tmp_path: Path, way: str) -> None:
    """While the helper is at work: the same exit status, nothing printed, nobody left."""
    ends = {"exit": "sys.exit(3)", "exception": "raise ValueError('own')", "interrupt": "calls(lambda: False)"}
    program = f"""
calls(lambda: worker.known_worker() and any(s.asked for s in worker.known_worker().sessions))
print(helper(), flush=True)
{ends[way]}
"""
    with started(tmp_path, program) as process:
        assert process.stdout is not None
        helper = int(process.stdout.readline())
        if way == "interrupt":
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    expected = {
        "exit": (3, ""),
        "exception": (1, "ValueError: own"),
        "interrupt": (-signal.SIGINT, "KeyboardInterrupt"),
    }
    assert process.returncode == expected[way][0]
    assert err.strip().split("\n")[-1] == expected[way][1] and "jitmdh tuning" not in err
    assert soon(lambda: gone(helper))


@pytest.mark.slow
def test_programs_that_are_killed_leave_a_store_and_no_process(tmp_path: Path) -> None:
    """At random moments, others each day, four at a time, on one store, which later ones go on with."""
    with_native_runtime(tmp_path / "cache")
    chance = random.Random(today())
    for _ in range(3):
        text = "calls(lambda: helper() or settled())\nprint(helper() or 0, flush=True)\n"
        text += "calls(lambda: time.sleep(0.005))"
        with ExitStack() as ended:
            processes = [ended.enter_context(killed(started(tmp_path, text))) for _ in range(4)]
            for process in processes:
                assert process.stdout is not None
                line = process.stdout.readline()
                assert line.strip().isdigit(), process.communicate(timeout=PATIENCE)[1][-3000:]
                time.sleep(chance.uniform(0.0, 0.7))
                process.kill()
                _, err = process.communicate(timeout=PATIENCE)
                assert not err and (line == "0\n" or soon(partial(gone, int(line))))
        store = Store(tmp_path / "cache")
        assert store.info().memory_only_reason is None


@pytest.mark.usefixtures("hurried")
def test_where_no_helper_can_be_started_nothing_is_tuned(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from jitmdh.base.errors import DeviceError

    def start(self: Any) -> None:
        raise DeviceError("no helper process can be started: made so")

    monkeypatch.setattr(InProcess, "start", start)
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    with config(log="info"):
        until(f, lambda: f(w, A, v), lambda: worker.worker().off is not None and not worker.worker().runs)
    check_matvec(f, 200)
    assert not worker.worker().sessions and f.stats().trials == 0
    assert "made so" in str(f.explain(w, A, v, measure=False))
