"""Runs a program as kernel IR, by its interpreter, with a configuration of one's choice."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from jitmdh.mdh.kernel.interp import run_kernel
from tests.mdh.codegen.native import Built, Frame


class Interpreted(Built):
    """The same program, carried out by the interpreter.

    passed: after all passes, else as built. seed: decides the order of tasks (None: theirs).
    """

    passed: bool = True
    seed: int | None = None
    threads: int = 2

    def order(self, count: int) -> Iterable[int]:
        tasks = list(range(count))
        if self.seed is not None:
            Random(self.seed).shuffle(tasks)
        return tasks

    def run(self, which: int, frame: Frame, arrays: dict[int, Frame]) -> int:
        kernel = (self.kernels if self.passed else self.built)[which]
        return run_kernel(kernel, frame, arrays, threads=self.threads, order=self.order)
