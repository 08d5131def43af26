"""A target whose text is printed kernel IR, and its back end: the interpreter of kernel IR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jitmdh.jit.compilation.backend import Loaded
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.signature import Signature
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.kernel.argument_frame import frame_layout
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Pass
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.machine.model import Machine, Place


@dataclass(frozen=True, slots=True)
class ToyText:
    kernel: Kernel
    guard: Kernel

    def __str__(self) -> str:
        return f"toy\n{show_kernel(self.kernel)}"


class Toy:
    passes: tuple[Pass, ...] = ()
    fits_multiples = False
    runs_together = False

    def machines(self, place: Place) -> tuple[Machine, ...]:
        return (known("avx2-desktop", place.cores),)

    def require(self, program: Program) -> None:
        """Every program has code."""

    def emit(self, kernel: Kernel, guard: Kernel, machine: Machine) -> ToyText:
        return ToyText(kernel, guard)

    def simpler(self, configuration: Configuration) -> Configuration:
        return configuration


class ToyBackend:
    errors = None
    on_device = None
    offers: frozenset[str] = frozenset()
    compiler = "none"

    def place(self) -> Place:
        return Place("", 2)

    def identity(self) -> str:
        return "any machine"

    def compiled(self, text: ToyText) -> None:
        """Nothing is compiled."""

    def shown(self, text: ToyText, stage: str) -> str:
        return str(text)

    def load(self, signature: Signature, compiled: Compiled) -> Loaded:
        layout, text = frame_layout(compiled.program), compiled.text

        def run(arguments: tuple[Any, ...], disjoint: bool) -> tuple[int, int, Any]:
            frame, arrays = np.zeros(layout.size, np.int64), {}
            for parameter, value in zip(compiled.parameters, arguments):
                arrays[layout.address(parameter.name)] = value
                frame[layout.address(parameter.name)] = value.ctypes.data
                for axis in range(value.ndim):
                    frame[layout.shape(parameter.name, axis)] = value.shape[axis]
                    frame[layout.stride(parameter.name, axis)] = value.strides[axis]
            failed = run_kernel(text.guard, frame, arrays)
            return (failed, 0, None) if failed else (0, run_kernel(text.kernel, frame, arrays), None)

        return Loaded(run)


TARGET, BACKEND = Toy(), ToyBackend()
