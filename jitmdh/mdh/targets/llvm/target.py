"""The processor as a target: kernel IR to LLVM IR, for the features that the code may use."""

from __future__ import annotations

from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Pass
from jitmdh.mdh.kernel.passes.address_chains import chain_addresses
from jitmdh.mdh.kernel.passes.faults import gather_faults
from jitmdh.mdh.kernel.passes.multiply_add import fuse_multiply_adds
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.host import host
from jitmdh.mdh.machine.model import Machine, Place
from jitmdh.mdh.targets.llvm import emitter

PASSES = (
    Pass("faults", gather_faults),
    Pass("fma", fuse_multiply_adds),
    Pass("address_chains", chain_addresses),
)
"""What is done to kernel IR before the LLVM emitter spells it, in this order."""


class Llvm:
    passes = PASSES
    fits_multiples = True

    def machines(self, place: Place) -> tuple[Machine, ...]:
        return (host(place.features, place.cores),)

    def require(self, program: Program) -> None:
        """Every program has code."""

    def emit(self, kernel: Kernel, guard: Kernel, machine: Machine) -> str:
        features = machine.features.split(",")
        x86 = "+sse2" in features
        return emitter.emit((kernel, guard), machine.vector_bits, x86, not x86 or "+f16c" in features)

    def simpler(self, configuration: Configuration) -> Configuration:
        return configuration


TARGET = Llvm()
