"""CUDA devices as a target: kernel IR to CUDA C++, with warps for vectors."""

from __future__ import annotations

from functools import partial

from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Pass
from jitmdh.mdh.kernel.passes.multiply_add import fuse_multiply_adds
from jitmdh.mdh.kernel.passes.offloading.outline import outline
from jitmdh.mdh.kernel.passes.offloading.single_uses import leave_out_single_uses
from jitmdh.mdh.kernel.passes.offloading.wide_loads import wide_loads
from jitmdh.mdh.kernel.passes.warps import to_warps
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, without_copies
from jitmdh.mdh.machine.gpu import machines
from jitmdh.mdh.machine.model import Machine, Place
from jitmdh.mdh.targets.c_dialects.program import DeviceText
from jitmdh.mdh.targets.cuda import emitter
from jitmdh.mdh.targets.cuda.emitter import refused

PASSES = (
    Pass("fma", fuse_multiply_adds),
    Pass("outline", partial(outline, refuse=refused)),
    Pass("warps", partial(to_warps, refuse=refused), lambda machine: machine.warps),
    Pass("wide_loads", wide_loads),
    Pass("single_uses", leave_out_single_uses),
)
"""What is done to kernel IR before it is spelled in CUDA C++, in this order."""


class Cuda:
    """Blocks of threads where the model has them; else warps for vectors, without copies."""

    passes = PASSES
    fits_multiples = True
    runs_together = False

    def machines(self, place: Place) -> tuple[Machine, ...]:
        return machines(place.features)

    def require(self, program: Program) -> None:
        """Every program has code."""

    def emit(self, kernel: Kernel, guard: Kernel, machine: Machine) -> DeviceText:
        return emitter.emit(kernel, guard, machine.cores)

    def simpler(self, configuration: Configuration) -> Configuration:
        return without_copies(configuration)


TARGET = Cuda()
