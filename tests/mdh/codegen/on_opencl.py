"""Runs a program through build and the OpenCL emitter on a device, with a configuration of one's choice."""

from __future__ import annotations

from typing import Any

from jitmdh.base.errors import BoundsError, DivisionError
from jitmdh.base.status import Status
from jitmdh.hca.registry import find_device
from jitmdh.jit.compilation.backend import Loaded
from jitmdh.jit.compilation.pipeline import facts
from jitmdh.jit.compilation.signature import Signature, prepare
from jitmdh.jit.execution.device_call import compiled, load
from jitmdh.jit.execution.launch import copy_back
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.semantics.argument_binding import FAULTS, FallbackSignal
from jitmdh.mdh.codegen.guard import build_guard
from jitmdh.mdh.codegen.program import build
from jitmdh.mdh.kernel.pass_manager import run_passes
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.machine.opencl import opencl
from jitmdh.mdh.targets.opencl.emitter import emit
from jitmdh.mdh.targets.opencl.target import PASSES
from tests.mdh.codegen.native import Choose


class OnOpenCl:
    """A compiled program; call it with NumPy arrays and scalars like the undecorated function."""

    def __init__(self, program: Program, choose: Choose, unit_axes: dict[str, int | None], bits: int = 256,
                 machine: Machine | None = None) -> None:  # fmt: skip
        machine = machine or opencl(2, bits)

        def lowering(expression: Expression) -> Any:
            whole = prepared(expression)
            return lower(whole, choose(whole, machine))

        self.program = program
        kernels = build(program, lowering, machine, unit_axes), build_guard(program, machine)
        self.text = emit(*run_passes(PASSES, kernels, machine)[-1].kernels, cores=2)
        self.device = find_device("opencl")
        self.code = compiled(self.text, self.device)
        self.facts = facts(program, {}, self.code.to_bytes())
        self.loaded: dict[Signature, Loaded] = {}

    def __call__(self, *args: Any) -> Any:
        made = prepare([p.name for p in self.program.parameters], args)
        signature = made.signature
        if signature not in self.loaded:
            self.loaded[signature] = load(signature, self.facts, self.code, self.device)
        failed, status, result = self.loaded[signature].run(made.arguments, True)
        copy_back(made, frozenset(n for n, p in enumerate(self.facts.parameters) if p.written))
        if failed:
            check = self.program.checks[failed - 1]
            raise FallbackSignal(check.message) if check.kind == "fallback" else BoundsError(check.message)
        if Status.of_fault(status) is not None:
            fault = self.program.faults[status - Status.FIRST_FAULT]
            raise FAULTS[fault.kind](fault.message)
        if status == Status.DIVISION_BY_ZERO:
            raise DivisionError("integer division or remainder by zero")
        assert status == 0, status
        return result
