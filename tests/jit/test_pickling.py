"""Decorated functions of a main program in other processes: multiprocessing, joblib, cloudpickle, plain pickle."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.waiting import PATIENCE

PROGRAM = """
import math
import pickle
import sys

import numpy as np

import jitmdh as mdh

FACTOR = 2.0


def plain(x):
    return FACTOR * math.sqrt(x)


@mdh.jit
def even(n):
    return n + 0 * len(str(odd))


@mdh.jit(fallback="python")
def odd(n):
    return n + 1 if even is not None else n


@mdh.jit
def total(x):
    result = 0.0
    for i in range(x.shape[0]):
        result += plain(x[i])
    return result


def made(scale):
    @mdh.jit
    def scaled(x):
        return scale * x.sum()

    return scaled


if __name__ == "__main__":
    x = np.full(4, 9.0)
    how = sys.argv[1]
    if how == "pickle":
        assert pickle.loads(pickle.dumps(total)) is total
        assert pickle.loads(pickle.dumps(made(3.0)))(x) == 108.0
        data = pickle.dumps([total, odd, made(3.0)])
        import subprocess

        code = (
            "import sys, pickle, numpy as np; f, g, h = pickle.load(sys.stdin.buffer); x = np.full(4, 9.0);"
            "print(f(x), f.compiled(), g(1), h(x))"
        )
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], input=data, capture_output=True)
        print(done.stdout.decode(), done.stderr.decode())
    elif how == "joblib":
        from joblib import Parallel, delayed

        print(*Parallel(n_jobs=2)(delayed(total)(x) for _ in range(2)))
    else:
        import multiprocessing

        with multiprocessing.get_context(how).Pool(2) as pool:
            print(*pool.map(total, [x, x]))
"""
ROOT = Path(__file__).parents[2]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("how", ["pickle", "joblib", "spawn", "fork"])
def test_other_processes(how: str, tmp_path: Path) -> None:
    if how == "joblib":
        pytest.importorskip("joblib")
    program = tmp_path / "main_program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", str(program), how]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False)
    expected = "24.0 True 2 108.0" if how == "pickle" else "24.0 24.0"
    assert done.stdout.strip() == expected, done.stdout + done.stderr


def scaling(scale: float) -> Any:
    @mdh.jit
    def scaled(x):
        return scale * x.sum()

    return scaled


def test_a_function_of_a_function_goes_by_value_wherever_it_is_written() -> None:
    again = pickle.loads(pickle.dumps(scaling(3.0)))
    assert again(np.ones(4)) == 12.0
    assert again.options == scaling(3.0).options


def undecorated(x):
    return x.sum()


decorated = mdh.jit(undecorated)


def test_a_function_that_its_name_finds_undecorated_goes_by_name() -> None:
    assert pickle.loads(pickle.dumps(decorated)).py_func is undecorated
