"""Fifteen computations for `asv`: the time of a call, and what a first call takes longer.

    pip install asv
    asv run HEAD^!            # this commit; `asv run main~200..main --steps 20` for twenty of the last 200
    asv compare main HEAD     # or `asv publish && asv preview` for curves

The nests are those of this clone, the compiler is that of the commit. Run nothing else on the machine meanwhile.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # `asv` knows this folder only

import jitmdh as mdh
from benchmarks.computations.cases import CASES, Case
from benchmarks.peers.ours import compile_seconds

CHOSEN = (
    "matmul 1024,1024,1024", "matmul 10,500,64", "matmul 16,1000,2048", "matmul_transposed 10,500,64",
    "matmul_batched 16,10,500,64", "matvec 4096,4096", "dot 10000000", "jacobi3d 256,256,256", "conv2d 224,224,5,5",
    "conv2d 4096,4096,5,5", "mcc 1,7,7,512,512,3,3", "ccsdt_gdab 24,16,16,24,16,16,24", "mttkrp 250,250,250,250",
    "softmax 2048,4096", "histogram 1000000,1000",
)  # fmt: skip


def case_of(name: str) -> Case:
    """The computation of a name, of whatever suite it is."""
    return next(case for case in CASES if case.name == name)


class Call:
    """Seconds of a call with the model's choice, code being there."""

    params, param_names = CHOSEN, ("computation",)
    timeout = 300

    def setup(self, name: str) -> None:
        outputs, inputs = case_of(name).data()
        self.arguments = (*outputs, *inputs)
        self.function = mdh.jit(tune="off")(case_of(name).nest)
        self.function(*self.arguments)

    def time_call(self, name: str) -> None:
        self.function(*self.arguments)


class FirstCall:
    """Seconds that a first call takes longer than the next one, with nothing in any cache."""

    params, param_names = CHOSEN, ("computation",)
    timeout, unit = 300, "s"

    def track_first_call(self, name: str) -> float:
        return compile_seconds(case_of(name), *case_of(name).data())
