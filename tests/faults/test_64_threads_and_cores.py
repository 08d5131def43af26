"""Fault 64: calls inside of joblib's processes and threads, and beside BLAS: there are no more threads than cores."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base import cores
from jitmdh.base.cores import default_threads, usable_cores
from tests.waiting import PATIENCE
from tests.warm_start import warm_python

pytest.importorskip("joblib")
IMPORTS = (
    "import joblib\n"
    "from jitmdh.hca.drivers import cpu_runtime\n"
    "from tests.faults.test_64_threads_and_cores import call, usable_cores\n"
)


@mdh.jit(tune="off")
def doubled(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i] * 2


def call(n: int) -> tuple[int, int, bool]:
    """Threads that a call may use here, processes' number, and whether it was right."""
    x, y = np.full(1 << 18, float(n)), np.zeros(1 << 18)
    doubled(y, x)
    return mdh.get_num_threads(), os.getpid(), bool((y == 2 * n).all())


@pytest.mark.parametrize(
    ("variable", "most"), [("1", 1), ("1,4", 1), ("", None), ("none", None), ("0", None), ("99999", None)]
)
def test_the_variable_that_says_so(monkeypatch: pytest.MonkeyPatch, variable: str, most: int | None) -> None:
    monkeypatch.setattr(cores, "_ASKED", variable)
    assert default_threads() == (most or usable_cores())


def test_a_variable_that_others_set_later_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """`LocalCluster` leaves OMP_NUM_THREADS=1 behind in the process that makes it."""
    before = default_threads()
    monkeypatch.setenv("OMP_NUM_THREADS", str(before + 1 if before == 1 else 1))
    assert default_threads() == before


def run(program: str, python: Sequence[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [*python, "-c", IMPORTS + program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.in_turns(2)
def test_processes_of_joblib_share_the_cores() -> None:
    run(
        "results = joblib.Parallel(n_jobs=usable_cores())(joblib.delayed(call)(n) for n in range(6))\n"
        "assert all(right for _, _, right in results)\n"
        "each = dict((process, threads) for threads, process, _ in results)\n"
        "assert sum(each.values()) <= max(usable_cores(), len(each)), each\n",
        [sys.executable],
    )


def test_threads_share_one_pool() -> None:
    """However many threads of Python call: beside them there are the workers of one call. In a process of its own: in
    this one another test may have asked for more."""
    run(
        "results = joblib.Parallel(n_jobs=6, backend='threading')(joblib.delayed(call)(n) for n in range(40))\n"
        "assert all(right for _, _, right in results)\n"
        "assert cpu_runtime.runtime().num_workers < max(2, usable_cores())\n",
        warm_python(),
    )


def test_inside_and_beside_a_product_of_numpy() -> None:
    """BLAS has a pool of its own; neither waits for the other."""
    square = np.ones((300, 300))
    wrong: list[int] = []

    def work(n: int) -> None:
        for _ in range(10):
            if not (square @ square == 300).all() or not call(n)[2]:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
