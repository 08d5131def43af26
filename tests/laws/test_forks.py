"""Forks at random points while other threads compile, store, load and compute: nobody ever waits for a lost lock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.days import today
from tests.waiting import PATIENCE

FORKS = 70
"""At other points each day."""

PROGRAM = """
import os, random, signal, sys, threading, time, warnings

import numpy as np
import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir

forks, seed = int(sys.argv[1]), int(sys.argv[2])
warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
sys.setswitchinterval(1e-4)
config.num_threads = 2
stop, failures = threading.Event(), []


def axpy(number):
    def one(y, x):
        for i in range(x.shape[0]):
            y[i] += number * x[i]
    return one


def checked(number, compiled, n=1000):
    y, x = np.ones(n), np.arange(n, dtype=np.float64)
    compiled(y, x)
    assert np.array_equal(y, 1 + number * x)


def compiling(me):  # each number is another function: traced, looked up in the store, compiled, stored
    number = 0
    while not stop.is_set():
        number += 1
        try:
            checked(10_000 * me + number, mdh.jit(axpy(10_000 * me + number)), 1000 + number)
            if number % 5 == 0:
                mdh.cache.info()
            if number % 7 == 0:  # a compilation that no function asks for
                compile_ir("define i64 @one() {\\n  ret i64 1\\n}")
        except BaseException as error:
            failures.append(repr(error))
            raise


def child(number):
    status = 1
    try:
        signal.alarm(600)
        checked(3, known)
        if number % 20 == 0:
            checked(-number, mdh.jit(axpy(-number)))
            compile_ir("define i64 @one() {\\n  ret i64 1\\n}")
        if number % 40 == 0:
            inner = os.fork()
            if inner == 0:
                checked(3, known)
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1]) == 0
        status = 0
    finally:
        os._exit(status)


known = mdh.jit(axpy(3))
checked(3, known)
threads = [threading.Thread(target=compiling, args=(me,), daemon=True) for me in (1, 2)]
for thread in threads:
    thread.start()
draw = random.Random(seed)
for number in range(forks):
    time.sleep(draw.random() * 0.02)
    pid = os.fork()
    if pid == 0:
        child(number)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        sys.exit(f"child {number} ended with {status}")
stop.set()
for thread in threads:
    thread.join()
sys.exit(failures[0] if failures else 0)
"""


@pytest.mark.in_turns(3)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forks_while_others_compile(tmp_path: Path) -> None:
    """Hung at the first or second fork when each module had fork hooks of its own, run in another order than locks."""
    program = tmp_path / "forks.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "MDH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONFAULTHANDLER": "1"}
    command = [sys.executable, str(program), str(FORKS), str(today())]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
