"""Fault 42: Ctrl-C while a kernel runs. It ends soon, and with it the call; the next call works.

Each of these programs would run for hours. They are in a process of their own, which is ended if nothing else ends it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.hca.drivers import cpu_entry
from tests import days
from tests.alarms import Rang, alarm, ring
from tests.waiting import PATIENCE
from tests.warm_start import warm_python

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")

FOREVER = 10**14


@mdh.jit(tune="off")
def parallel(y, x, n):
    for i in range(y.shape[0]):
        for t in range(n):
            y[i] += x[i] * t


@mdh.jit(tune="off")
def one_long_row(y, n):
    for t in range(n):
        y[0] += t % 7


@mdh.jit(tune="off")
def total(n):
    s = 0.0
    for i in range(n):
        s += np.sqrt(i)
    return s


@mdh.jit(tune="off", combine={"t": mdh.sequential})
def recurrence(y, n):
    for t in range(n):
        y[0] = y[0] * 0.5 + t


@mdh.jit(tune="off")
def steps(u, v, n):
    for _t in range(n):
        for i in range(1, u.shape[0] - 1):
            v[i] = u[i - 1] + u[i + 1]
        for i in range(1, u.shape[0] - 1):
            u[i] = v[i] * 0.3


@mdh.jit(tune="off")
def product(C, A, B, n):
    for _t in range(n):
        for i in range(A.shape[0]):
            for j in range(B.shape[1]):
                for k in range(A.shape[1]):
                    C[i, j] += A[i, k] * B[k, j]


@mdh.jit(tune="off")
def triangle(y, n):
    for i in range(n):
        for j in range(i, n):
            y[0] += i * j


@mdh.jit(tune="off")
def histogram(h, x, n):
    for t in range(n):
        for i in range(x.shape[0]):
            h[x[i]] += t


def calls() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    vector, matrix = np.ones(1000), np.ones((200, 200))
    return {
        "parallel": (parallel, (np.zeros(1000), vector, 10**11)),
        "one long row": (one_long_row, (np.zeros(1), FOREVER)),
        "total": (total, (FOREVER,)),
        "recurrence": (recurrence, (np.zeros(1), FOREVER)),
        "steps": (steps, (np.ones(1000), np.zeros(1000), 10**11)),
        "product": (product, (np.zeros((200, 200)), matrix, matrix, 10**7)),
        "triangle": (triangle, (np.zeros(1), 1 << 27)),
        "histogram": (histogram, (np.zeros(10), np.arange(1000) % 10, 10**11)),
    }


def end_all(threads: int) -> None:
    """In a process of its own."""
    mdh.set_num_threads(threads)
    for name, (function, arguments) in calls().items():
        short = *arguments[:-1], 3
        for _ in range(2):  # the first may ring while it is compiled
            try:
                with alarm(ring):
                    function(*arguments)
            except Rang:
                pass
        print(name, flush=True)
        function(*short)


def apart(program: str) -> str:
    """What it prints; an error where it does not end."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    text = f"from tests.faults.test_42_ctrl_c import *\n{textwrap.dedent(program)}"
    done = subprocess.run(
        [*warm_python(), "-c", text], capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("threads", [1, 2])
def test_a_kernel_ends_soon(threads: int) -> None:
    assert apart(f"end_all({threads})").split("\n")[:-1] == list(calls())


def test_keyboard_interrupt() -> None:
    """The signal itself, sent by another thread, with Python's own handler."""
    program = """
        import threading, time
        def send():
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sender = threading.Thread(target=send)
        total(10)
        try:
            sender.start()
            total(FOREVER)
        except KeyboardInterrupt:
            print("interrupted")
    """
    assert apart(program) == "interrupted\n"


def test_a_handler_that_does_not_raise_changes_nothing() -> None:
    seen: list[float] = []

    def handler(*_: object) -> None:
        seen.append(total(1000))  # a call inside the call

    x = np.arange(1000.0)
    y = np.zeros(1000)
    total(1000), parallel(np.zeros(1000), x, 2)  # compiled
    while not seen:
        y[:] = 0
        with alarm(handler, 0.01, 0.01):
            parallel(y, x, 400_000)
    assert set(seen) == {total(1000)}
    assert np.array_equal(y, x * (400_000 * 399_999 // 2))


def test_other_threads_go_on() -> None:
    program = """
        import threading
        results = []
        x = np.arange(1000.0)
        def other():
            y = np.zeros(1000)
            parallel(y, x, 300_000)
            results.append(y)
        total(10), parallel(np.zeros(1000), x, 3)
        for _ in range(3):
            thread = threading.Thread(target=other)
            thread.start()
            try:
                with alarm(ring):
                    parallel(np.zeros(1000), x, 10**11)
            except Rang:
                print("rang", flush=True)
            thread.join()
        assert all(np.array_equal(y, x * (300_000 * 299_999 // 2)) for y in results)
        print(len(results))
    """
    assert apart(program) == "rang\nrang\nrang\n3\n"


def test_working_memory_is_given_back() -> None:
    """Blocks that calls work in are few; they would run out if calls that end early kept theirs."""
    program = """
        import gc, traceback
        A = np.ones((300, 300))
        product(np.zeros((300, 300)), A, A, 70)  # compiles for the sizes below, multiples of these
        gc.disable()  # no array waits for a collection: an error of a call is in no circle of references
        def status():
            return int(open('/proc/self/statm').read().split()[0])
        quiet = 0
        while quiet < 120:
            try:
                with alarm(ring, 0.02):
                    product(np.zeros((300, 300)), A, A, 70 * 10**6)
            except Rang as error:
                frames = traceback.walk_tb(error.__traceback__)
                compiling = any("llvmlite" in frame.f_code.co_filename for frame, _ in frames)
                frames = None
            quiet = 0 if compiling else quiet + 1
            if quiet == 20:  # what compiling keeps is there by then
                before = status()
        assert status() - before < 10_000, (status(), before)
    """
    apart(program)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_handler_that_forks() -> None:
    """The child has no workers: what they were at is left undone, and the call says so. The parent's call is whole."""
    program = """
        mdh.set_num_threads(2)
        x, y = np.arange(1000.0), np.zeros(1000)
        parallel(y, x, 3)
        y[:] = 0
        children = []
        def handler(*_):
            if not children:
                children.append(os.fork())
        try:
            with alarm(handler):
                parallel(y, x, 4_000_000)
        except RuntimeError as error:
            assert "forked" in str(error)
        if children[0] == 0:
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
        assert np.array_equal(y, x * (4_000_000 * 3_999_999 // 2))
        print("whole")
    """
    assert apart(program) == "whole\n"


# llvmlite's objects that an exception leaves half made have no `_ptr`, and files that an import was reading are open:
# both say so as they go
@pytest.mark.filterwarnings("ignore:Exception ignored in. <function .*__del__:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:Exception ignored in. <_io.FileIO:pytest.PytestUnraisableExceptionWarning")
def test_a_time_out_while_compiling() -> None:
    """What the handler raises is for the caller, even if it looks like a fault of the system or the compiler."""

    for error in (TimeoutError, ValueError, KeyError):

        def handler(*_: object, error: type[Exception] = error) -> None:
            raise error

        @mdh.jit(tune="off", cache=False)
        def fresh(y, x):
            for i in range(y.shape[0]):
                y[i] = np.sin(x[i]) + np.exp(x[i]) * np.log(x[i] + 1)

        y = np.zeros(10)
        for seconds in np.geomspace(1e-4, 1e-1, 12):
            with pytest.raises(error), alarm(handler, seconds):
                fresh(y, np.ones(10))
                while True:  # compiled before it rang
                    pass
        fresh(y, np.ones(10))
        assert y.all()


class _Rings:
    """A handler's exception at one of the calls of Python functions of ours, or at none: where they are counted."""

    def __init__(self, error: type[Exception], at: int = 0) -> None:
        self.error, self.at, self.calls, self.rang, self.dropped = error, at, 0, False, False

    def _ring(self, *_: object) -> None:
        raise self.error

    def _look(self, frame: FrameType, _event: str, _argument: object) -> None:
        if f"{os.sep}jitmdh{os.sep}" in frame.f_code.co_filename:
            self.calls += 1
            if self.calls == self.at:
                self.rang = True
                sys.settrace(None)
                signal.raise_signal(signal.SIGALRM)

    def reaches(self, call: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> bool:
        """Whether what it raises comes out of `call`; or Python drops it, as where it deletes an object."""
        with monkeypatch.context() as patch:
            patch.setattr(
                sys, "unraisablehook", lambda what: setattr(self, "dropped", isinstance(what.exc_value, self.error))
            )
            before = signal.signal(signal.SIGALRM, self._ring)
            sys.settrace(self._look)
            try:
                call()
            except self.error:
                return True
            finally:
                sys.settrace(None)
                signal.signal(signal.SIGALRM, before)
        return self.dropped


@pytest.mark.parametrize("cache, times", [(False, 12), (True, 60)], ids=["compiled", "from the store"])
def test_no_time_out_is_lost(cache: bool, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a handler raises in a first call, and whatever: the caller gets it, and the next call is as fast."""
    x, y = np.ones(10), np.zeros(10)

    def first_call() -> None:
        @mdh.jit(tune="off", cache=cache)
        def fresh(y, x):
            for i in range(y.shape[0]):
                y[i] = x[i] + 1

        fresh(y, x)

    first_call()
    counted = _Rings(TimeoutError)
    counted.reaches(first_call, monkeypatch)
    chance = random.Random(days.today())
    for n in range(times):
        rings = _Rings((TimeoutError, KeyError, ValueError)[n % 3], chance.randrange(1, counted.calls))
        assert rings.reaches(first_call, monkeypatch) or not rings.rang, rings.at
        first_call()


def test_what_is_found_out_once_is_not_decided_by_a_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time-out while the native call path is loaded leaves no process that calls through Python from then on."""
    there = cpu_entry.native_call_path()
    if there is None:
        pytest.skip("calls go through Python here")
    counted = _Rings(KeyError)
    asked = cpu_entry.native_call_path.__wrapped__
    counted.reaches(asked, monkeypatch)
    for at in range(1, counted.calls, max(1, counted.calls // 20)):
        rings = _Rings(KeyError, at)
        assert rings.reaches(asked, monkeypatch) or not rings.rang, at  # symbols are looked up once
