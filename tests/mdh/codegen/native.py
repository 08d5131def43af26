"""Runs a program through build, passes, emitter and compiler, with a configuration of one's choice, without jit."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import lcm
from typing import Any

import numpy as np

from jitmdh.base.errors import BoundsError, DivisionError
from jitmdh.base.status import Status
from jitmdh.hca.drivers.cpu_runtime import load_kernel
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.algebra.bounds import data_checks
from jitmdh.mdh.algebra.expr import ArrayParameter, Expression, Program, Return
from jitmdh.mdh.algebra.rewrites.specialise import specialise
from jitmdh.mdh.algebra.semantics.argument_binding import FAULTS, FallbackSignal
from jitmdh.mdh.algebra.semantics.returned_views import result_of
from jitmdh.mdh.codegen.guard import build_guard
from jitmdh.mdh.codegen.program import build
from jitmdh.mdh.kernel.argument_frame import frame_layout
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import run_passes
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.shape_class import multiples as multiples_of_tiles
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.host import host as model
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.targets.llvm.emitter import emit
from jitmdh.mdh.targets.llvm.target import PASSES

Choose = Callable[[Expression, Machine], Configuration]
Frame = np.ndarray[Any, Any]


def host(features: str | None = None) -> Machine:
    return replace(model(cpu_compile.features_named(features), 2), cores=2)


def build_kernels(
    program: Program, choose: Choose, machine: Machine, unit_axes: dict[str, int | None], sizes: dict[str, int],
    multiples: dict[str, int], after: Callable[[LowLevel], LowLevel] = lambda low: low, any_order: bool = False,
    typical: dict[str, int] | None = None,
) -> tuple[Kernel, Kernel]:  # fmt: skip
    """The kernel and its guard. multiples: what the tiles cut `sizes` into whole ones by, filled in here; after: what
    is done to low-level expressions; typical: sizes that most calls have, which may have others."""

    def lowering(expression: Expression) -> Any:
        whole = prepared(expression)
        low = after(lower(whole, choose(whole, machine)))
        for name, multiple in multiples_of_tiles(low, sizes, sizes).items():
            multiples[name] = lcm(multiple, multiples.get(name, 1))
        return low

    kernel = build(program, lowering, machine, unit_axes, multiples=multiples, any_order=any_order, sizes=typical)
    return kernel, build_guard(program, machine)


class Built:
    """A program as kernel IR; call it with NumPy arrays and scalars like the undecorated function.

    sizes: it is only for multiples of tiles where these are some; multiples: which. Empty: for any sizes. typical:
    sizes that it is made for, among others.
    """

    def __init__(
        self,
        program: Program,
        choose: Choose,
        *,
        features: str | None = None,
        unit_axes: dict[str, int | None] | None = None,
        constants: dict[str, int] | None = None,
        sizes: dict[str, int] | None = None,
        typical: dict[str, int] | None = None,
    ) -> None:
        if constants:
            program = specialise(program, constants)
        self.program, self.machine, self.layout = program, host(features), frame_layout(program)
        arrays = [p for p in program.parameters if isinstance(p, ArrayParameter)]
        units = {p.name: p.rank - 1 if p.rank else None for p in arrays} if unit_axes is None else unit_axes
        self.multiples: dict[str, int] = {}
        self.built = build_kernels(program, choose, self.machine, units, sizes or {}, self.multiples, typical=typical)
        self.kernels = run_passes(PASSES, self.built, self.machine)[-1].kernels
        self.prepare(features)

    def prepare(self, features: str | None) -> None:
        """Make the kernels ready to run."""

    def run(self, which: int, frame: Frame, arrays: dict[int, Frame]) -> int:
        """The status of the kernel (0) or the guard (1). arrays: what lies at the addresses in slots of the frame."""
        raise NotImplementedError

    def frame(self, *args: Any) -> Frame:
        frame = np.zeros(self.layout.size + 1, np.int64)
        for p, value in zip(self.program.parameters, args, strict=True):
            if isinstance(p, ArrayParameter):
                self._describe(frame, p.name, value)
            else:
                raw = np.array([value], p.type.numpy).view(np.uint8)
                frame.view(np.uint8)[8 * self.layout.first[p.name] :][: raw.size] = raw
        return frame

    def _describe(self, frame: Frame, name: str, array: Frame) -> None:
        frame[self.layout.address(name)] = array.ctypes.data
        for axis in range(array.ndim):
            frame[self.layout.shape(name, axis)] = array.shape[axis]
            frame[self.layout.stride(name, axis)] = array.strides[axis]

    def __call__(self, *args: Any) -> Any:
        frame = self.frame(*args)
        arrays = {
            self.layout.address(p.name): a
            for p, a in zip(self.program.parameters, args, strict=True) if isinstance(p, ArrayParameter)
        }  # fmt: skip
        failed = self.run(1, frame, arrays)
        if failed > len(self.program.checks):
            raise FallbackSignal("numbers are too large for the kernel")
        if failed:
            check = self.program.checks[failed - 1]
            raise FallbackSignal(check.message) if check.kind == "fallback" else BoundsError(check.message)
        made = {}
        for a in self.program.allocations:
            shape = [int(frame[self.layout.shape(a.name, axis)]) for axis in range(len(a.shape))]
            made[a.name] = np.empty(shape, a.type.numpy, order="F" if a.fortran else "C")
            self._describe(frame, a.name, made[a.name])
            arrays[self.layout.address(a.name)] = made[a.name]
        status = self.run(0, frame, arrays)
        if status >= Status.FIRST_FAULT:
            fault = self.program.faults[status - Status.FIRST_FAULT]
            if fault.kind == "raise":
                raise FallbackSignal(fault.message)  # Python says what
            raise FAULTS[fault.kind](fault.message)
        if status == Status.DIVISION_BY_ZERO:
            raise DivisionError("integer division or remainder by zero")
        for first in (Status.FIRST_LATE, Status.FIRST_EARLY):
            if status >= first:
                found = data_checks(self.program)[status - first]
                raise FallbackSignal(found.message) if found.kind == "fallback" else BoundsError(found.message)
        assert status == 0, status
        if self.program.returns is None:
            return None
        return result_of(self.program, [_returned(made, r) for r in self.program.returns])


def _returned(made: Mapping[str, Frame], result: Return) -> Any:
    """A number for an allocation of rank 0; of an array all, or as many rows as another one says."""
    array = made[result.name]
    if array.ndim == 0:
        return array[()]
    return array[: int(made[result.length])] if result.length else array


class Native(Built):
    """The same as machine code of this processor."""

    @classmethod
    def of(cls, built: Built, features: str | None = None) -> Native:
        """Of kernels that are there already."""
        code = cls.__new__(cls)
        vars(code).update(vars(built))
        code.prepare(features)
        return code

    def prepare(self, features: str | None) -> None:
        named = self.machine.features.split(",")
        x86 = "+sse2" in named
        self.text = emit(self.kernels, self.machine.vector_bits, x86, not x86 or "+f16c" in named)
        self.code = load_kernel(cpu_compile.compile_ir(self.text, features))
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
        self.entries = kind(self.code.address_of("kernel")), kind(self.code.address_of("guard"))

    def run(self, which: int, frame: Frame, arrays: dict[int, Frame]) -> int:
        return int(self.entries[which](frame.ctypes.data))
