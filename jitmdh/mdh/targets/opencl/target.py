"""OpenCL devices as a target: kernel IR to OpenCL C, and LLVM IR for what stays on the host."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Pass
from jitmdh.mdh.kernel.passes.cse import share
from jitmdh.mdh.kernel.passes.memory.coalesced_stores import coalesce_stores
from jitmdh.mdh.kernel.passes.memory.nontemporal_stores import stream_aligned
from jitmdh.mdh.kernel.passes.memory.prefetch import prefetch
from jitmdh.mdh.kernel.passes.memory.write_combining import combine_writes
from jitmdh.mdh.kernel.passes.multiply_add import fuse_multiply_adds
from jitmdh.mdh.kernel.passes.offloading.outline import outline
from jitmdh.mdh.kernel.passes.offloading.single_uses import leave_out_single_uses
from jitmdh.mdh.kernel.passes.offloading.wide_loads import wide_loads
from jitmdh.mdh.kernel.passes.warps import to_warps
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, without_copies
from jitmdh.mdh.machine.gpu import machines as gpus
from jitmdh.mdh.machine.model import Machine, Place
from jitmdh.mdh.machine.opencl import machines
from jitmdh.mdh.targets.c_dialects.program import DeviceText
from jitmdh.mdh.targets.c_dialects.write_combining import LINE_BYTES
from jitmdh.mdh.targets.opencl import emitter
from jitmdh.mdh.targets.opencl.emitter import refused


def _prefetched(kernel: Kernel, on_gpu: bool) -> Kernel:
    """Processors have prefetches; the lanes of GPUs ask for their own lines."""
    return kernel if on_gpu else prefetch(kernel)


def _shared(kernel: Kernel, on_gpu: bool) -> Kernel:
    """Processors' compilers look longer than at anything else at addresses that are written out for each access, and
    pointers are shorter; on GPUs some lie in local memory."""
    return kernel if on_gpu else share(kernel)


def _line_bytes(machine: Machine) -> int:
    """How many bytes of vectors are whole cache lines; 0: there are none."""
    whole = not machine.warps and machine.masked and machine.vector_bits == 8 * LINE_BYTES
    return LINE_BYTES if whole else 0


PASSES = (
    Pass("prefetch", _prefetched, lambda machine: machine.warps > 0),
    Pass("fma", fuse_multiply_adds),
    Pass("outline", partial(outline, refuse=refused)),
    Pass("write_combining", combine_writes, _line_bytes),
    Pass("coalesced_stores", coalesce_stores, _line_bytes),
    Pass("nontemporal_stores", stream_aligned),
    Pass("warps", partial(to_warps, refuse=refused), lambda machine: machine.warps),
    Pass("wide_loads", wide_loads),
    Pass("cse", _shared, lambda machine: machine.warps > 0),
    Pass("single_uses", leave_out_single_uses),
)
"""What is done to kernel IR before it is spelled in OpenCL C, in this order."""


def _for_opencl(machine: Machine) -> Machine:
    """OpenCL C has no copies ahead for single threads: nothing is gained by room for several. Where the first of eight
    work-items has nothing to do, PoCL 3.1 (LLVM 14) loses the results of the others, or crashes. OpenCL 1.2 does not
    promise that one group of work-items sees what another has stored."""
    if machine.gpu is None:
        return machine
    return replace(machine, gpu=replace(machine.gpu, copies_ahead=False, begins_early=False, tells_blocks=False))


class OpenCl:
    """On processors, with the widest vectors for which OpenCL has types; with the copies that the model chose, if
    work-items can have such, else without. On GPUs, with groups of work-items: each is a warp, since OpenCL has no
    barrier for less than a group."""

    passes = PASSES
    fits_multiples = True
    runs_together = False

    def machines(self, place: Place) -> tuple[Machine, ...]:
        if not place.features:
            return machines(place.cores, place.vector_bits)
        return tuple(_for_opencl(machine) for machine in gpus(place.features, warps=1))

    def require(self, program: Program) -> None:
        pass

    def emit(self, kernel: Kernel, guard: Kernel, machine: Machine) -> DeviceText:
        return emitter.emit(kernel, guard, machine.cores)

    def simpler(self, configuration: Configuration) -> Configuration:
        return without_copies(configuration)


TARGET = OpenCl()
