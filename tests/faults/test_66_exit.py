"""Fault 66: the interpreter ends while something is compiled, tuned or computed in another thread: it ends, quietly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

PROGRAM = """
import sys, threading, time
import numpy as np
import jitmdh as mdh

def source(n):
    @mdh.jit(tune="off")
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] * x[i]
        return s
    return total

@mdh.jit(tune="off")
def long(y, n):
    for i in range(y.shape[0]):
        for t in range(n):
            y[i] += t

@mdh.jit
def product(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]

def compiling():
    while True:
        source(1)(np.ones(7))

def computing():
    while True:
        long(np.zeros(100), 300_000)

def tuning():
    A = np.ones((30, 30))
    while True:
        product.tune(np.zeros((30, 30)), A, A, evaluations=5, progress=False)

threading.Thread(target={what}, daemon=True).start()
time.sleep({seconds})
print("done", flush=True)
"""


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("seconds", [0.3, 1.5])
@pytest.mark.parametrize("what", ["compiling", "computing", "tuning"])
def test_it_ends(tmp_path: Path, what: str, seconds: float) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.replace("{what}", what).replace("{seconds}", str(seconds)))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "MDH_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_it_waits_for_who_is_in_llvm(tmp_path: Path) -> None:
    """By chance, such a thread crashes in some of a hundred programs: LLVM's global data are destroyed meanwhile."""
    script = tmp_path / "program.py"
    script.write_text("""
import threading, time
import llvmlite.binding as llvm
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir

code = "define void @f() { ret void }"
compile_ir(code)
parse = llvm.parse_assembly
inside = threading.Event()

def parse_slowly(*given):
    with llvm.ffi.lib._lock:  # as each call of LLVM does
        inside.set()
        time.sleep(0.5)
        print("parsed", flush=True)
    return parse(*given)

llvm.parse_assembly = parse_slowly
threading.Thread(target=compile_ir, args=(code,), daemon=True).start()
inside.wait()
print("done", flush=True)
""")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "MDH_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\nparsed\n", "")
