"""Locks of the process: one order, and none is inherited held."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import jitmdh
from jitmdh.base.errors import InternalError
from jitmdh.base.process import forks
from jitmdh.base.process.forks import ProcessLock, Rank
from tests.waiting import PATIENCE

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
no_warning = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def test_the_order_is_kept() -> None:
    first, last = ProcessLock(Rank.COMPILE), ProcessLock(Rank.STORE)
    with first, last, first:  # one that is held already may be taken again
        pass
    with last, pytest.raises(InternalError, match="the lock COMPILE is taken by who holds the lock STORE"), first:
        pass
    with first, last:  # nothing is left held
        pass


def in_a_child(action: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if action() else 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def got(lock: ProcessLock) -> bool:
    """Whether another thread gets the lock."""
    found = []

    def take() -> None:
        if lock._lock.acquire(timeout=PATIENCE):
            lock._lock.release()
            found.append(True)

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return bool(found)


@needs_fork
@no_warning
def test_a_fork_waits_for_whoever_holds_a_lock_and_frees_it_on_both_sides() -> None:
    lock, half_done = ProcessLock(Rank.LLVM), []
    inside, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with lock:
            half_done.append(1)
            inside.set()
            go_on.wait(PATIENCE)
            half_done.clear()

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    threading.Timer(0.2, go_on.set).start()
    assert in_a_child(lambda: not half_done and got(lock))
    thread.join()
    assert got(lock)


@needs_fork
@no_warning
def test_a_fork_waits_for_whoever_is_in_a_call_of_another_library() -> None:
    """Who frees what that library has made is in such a call, and holds no lock of ours."""
    library = SimpleNamespace(_lock=threading.RLock())
    adopted = forks.AdoptedLock(library, Rank.LLVMLITE)
    inside, go_on = threading.Event(), threading.Event()

    def call() -> None:
        with library._lock:
            inside.set()
            go_on.wait(PATIENCE)

    thread = threading.Thread(target=call)
    thread.start()
    inside.wait()
    threading.Timer(0.2, go_on.set).start()
    assert in_a_child(lambda: go_on.is_set() and got(adopted))
    thread.join()
    assert got(adopted)
    with adopted:
        library._lock.acquire()
        adopted.give_back()
        assert not adopted.is_held()
        library._lock.acquire()
    assert not adopted.is_held()


@needs_fork
@no_warning
def test_who_forks_with_a_lock_in_hand_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "_SECONDS_IF_HOLDING", 0.1)
    first, last = ProcessLock(Rank.COMPILE), ProcessLock(Rank.STORE)
    inside, end = threading.Event(), threading.Event()

    def work() -> None:
        with first:
            inside.set()
            end.wait(PATIENCE)

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    with last:
        assert in_a_child(lambda: got(first) and not got_while_held(last))
    end.set()
    thread.join()
    assert got(first) and got(last)


def got_while_held(lock: ProcessLock) -> bool:
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(lock._lock.acquire(timeout=0.1)))
    thread.start()
    thread.join()
    return found[0]


@needs_fork
@no_warning
def test_a_fork_waits_for_the_import_of_a_module_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child would wait for a lock of Python's that only a thread of the parent can free."""
    (tmp_path / "slow_module.py").write_text(
        "import sys\nsys.entered.set()\nwhile not sys.waited_for:\n    pass\nvalue = 1\n"
    )
    monkeypatch.setattr(jitmdh, "__path__", [*jitmdh.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "entered", threading.Event(), raising=False)
    monkeypatch.setattr(sys, "waited_for", [], raising=False)
    monkeypatch.setattr(time, "sleep", sys.waited_for.append)  # type: ignore[attr-defined]
    thread = threading.Thread(target=importlib.import_module, args=("jitmdh.slow_module",))
    with ProcessLock(Rank.COMPILE):
        thread.start()
    sys.entered.wait(PATIENCE)  # type: ignore[attr-defined]

    def imports() -> bool:
        signal.alarm(int(PATIENCE))  # ends the child
        return bool(importlib.import_module("jitmdh.slow_module").value == 1)

    try:
        assert in_a_child(imports)
    finally:
        sys.waited_for.append(0)  # type: ignore[attr-defined]
        thread.join()
        sys.modules.pop("jitmdh.slow_module", None)
    assert len(sys.waited_for) > 1  # type: ignore[attr-defined]


@needs_fork
@no_warning
def test_what_is_done_in_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    monkeypatch.setattr(forks, "_in_child", [*forks._in_child])
    forks.in_child(lambda: begun.append(1))
    assert in_a_child(lambda: begun == [1])
    assert not begun


def test_importing_registers_no_hook() -> None:
    program = """
import os
hooks = []
os.register_at_fork = lambda **given: hooks.extend(given.values())
import jitmdh, jitmdh.jit.decorator
from jitmdh.base.process import forks
own = lambda: [hook for hook in hooks if (hook.__module__ or "").startswith("jitmdh")]
assert not own()
with forks.ProcessLock(forks.Rank.STORE):
    assert len(own()) == 3
"""
    subprocess.run([sys.executable, "-c", program], check=True)


class Interruption(Exception):
    pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what Python drops
def test_handlers_that_raise_leave_no_lock_held() -> None:
    """Wherever they come: while a lock is taken, and while it is given back."""
    locks = [ProcessLock(rank) for rank in (Rank.COMPILE, Rank.STORE)]

    def interrupt(*_: object) -> None:
        raise Interruption

    before = signal.signal(signal.SIGALRM, interrupt)
    came = 0
    try:
        for number in range(1000):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 * (1 + number % 40))
                for _ in range(100):
                    with locks[0], locks[1]:
                        pass
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                time.sleep(0)
            except Interruption:
                came += 1
            try:
                free = all(map(got, locks))
            except Interruption:  # which another thread was told of late
                free = all(map(got, locks))
            assert free, number
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert came > 10
