"""The processor as a target: kernel IR to LLVM IR, for the features that the code may use."""

from __future__ import annotations

from jitmdh.base.settings import config
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Pass
from jitmdh.mdh.kernel.passes.as_written.branches import find_branches
from jitmdh.mdh.kernel.passes.as_written.counted_loops import count_rounds
from jitmdh.mdh.kernel.passes.as_written.independent_rounds import find_independent_rounds
from jitmdh.mdh.kernel.passes.as_written.range_checks import eliminate_range_checks
from jitmdh.mdh.kernel.passes.as_written.several_rounds import repeat_rounds
from jitmdh.mdh.kernel.passes.as_written.unrolling import unroll
from jitmdh.mdh.kernel.passes.chosen_rows import load_chosen_rows
from jitmdh.mdh.kernel.passes.cse import share
from jitmdh.mdh.kernel.passes.faults import gather_faults
from jitmdh.mdh.kernel.passes.functions.invariant_functions import hoist_functions
from jitmdh.mdh.kernel.passes.functions.needed_functions import compute_where_needed
from jitmdh.mdh.kernel.passes.loops.copy_elimination import eliminate_copies
from jitmdh.mdh.kernel.passes.loops.early_exits import leave_early
from jitmdh.mdh.kernel.passes.loops.index_set_splitting import split_index_sets
from jitmdh.mdh.kernel.passes.loops.invariant_faults import hoist_faults
from jitmdh.mdh.kernel.passes.loops.licm import hoist_invariants
from jitmdh.mdh.kernel.passes.loops.polling import poll
from jitmdh.mdh.kernel.passes.loops.recurrences import reduce_height
from jitmdh.mdh.kernel.passes.loops.strength_reduction import reduce_strength
from jitmdh.mdh.kernel.passes.masked_stores import group_masked_stores
from jitmdh.mdh.kernel.passes.memory.address_chains import chain_addresses
from jitmdh.mdh.kernel.passes.memory.coalesced_stores import coalesce_stores
from jitmdh.mdh.kernel.passes.memory.conditional_updates import unswitch
from jitmdh.mdh.kernel.passes.memory.invariant_copies import hoist_copies
from jitmdh.mdh.kernel.passes.memory.joint_updates import store_together
from jitmdh.mdh.kernel.passes.memory.nontemporal_stores import stream_aligned
from jitmdh.mdh.kernel.passes.memory.prefetch import prefetch
from jitmdh.mdh.kernel.passes.memory.scalar_replacement import replace_scalars
from jitmdh.mdh.kernel.passes.memory.strided_loads import strided_loads
from jitmdh.mdh.kernel.passes.memory.subscripts_from_end import look_once
from jitmdh.mdh.kernel.passes.memory.write_combining import combine_writes
from jitmdh.mdh.kernel.passes.memory_checks import check_memory
from jitmdh.mdh.kernel.passes.multiply_add import fuse_multiply_adds
from jitmdh.mdh.kernel.passes.scheduling import schedule_sums
from jitmdh.mdh.kernel.passes.value_ranges import narrow
from jitmdh.mdh.kernel.passes.zero_lanes import leave_zero_lanes
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.host import host
from jitmdh.mdh.machine.model import Machine, Place
from jitmdh.mdh.targets.llvm import emitter

_LINE_BYTES = 64
_LOADED_ALONE = 1.2
"""Cycles an element of gathers, from which on single loads and shuffles take less: seven instructions for four. Only
looked at for vectors of 256 bits and less (with longer ones: not measured)."""


def is_x86(machine: Machine) -> bool:
    return "+sse2" in machine.features.split(",")


def line_bytes(machine: Machine) -> int:
    """How many bytes of vectors are whole cache lines, two of which one instruction permutes; 0: there are none."""
    return _LINE_BYTES if is_x86(machine) and machine.vector_bits == 8 * _LINE_BYTES else 0


def has_masks(machine: Machine) -> bool:
    """Whether the first lanes of a vector are stored by one instruction, whatever they are (AVX-512)."""
    return line_bytes(machine) > 0


def masked_bytes(machine: Machine) -> int:
    """Of the smallest elements that one instruction loads under a mask; 0: there is none."""
    if not is_x86(machine) or machine.vector_bits < 256:
        return 0
    return 1 if machine.vector_bits == 8 * _LINE_BYTES else 4


def gathers(machine: Machine) -> bool:
    """Whether elements that lie apart come sooner by an instruction than by as many loads."""
    slow = machine.figures.wide(machine.vector_bits).gather > _LOADED_ALONE
    return machine.vector_bits == 8 * _LINE_BYTES or not (machine.vector_bits < 256 or slow)


def registers(machine: Machine) -> tuple[int, bool]:
    """How many vectors they hold, and whether what is the same for all lanes needs one: multiply-adds of AVX-512 take
    it from memory."""
    return machine.registers, is_x86(machine) and machine.vector_bits < 8 * _LINE_BYTES


PASSES = (
    Pass("prefetch", prefetch),
    Pass("conditional_updates", unswitch),
    Pass("index_set_splitting", split_index_sets),
    Pass("early_exits", leave_early),
    Pass("value_ranges", narrow),
    Pass("scalar_replacement", replace_scalars),
    Pass("recurrences", reduce_height),
    Pass("joint_updates", store_together),
    Pass("faults", gather_faults),
    Pass("invariant_functions", hoist_functions),
    Pass("invariant_faults", hoist_faults),
    Pass("copy_elimination", eliminate_copies),
    Pass("zero_lanes", leave_zero_lanes),
    Pass("fma", fuse_multiply_adds),
    Pass("scheduling", schedule_sums, registers),
    Pass("chosen_rows", load_chosen_rows, masked_bytes),
    Pass("strided_loads", strided_loads, masked_bytes),
    Pass("address_chains", chain_addresses),
    Pass("write_combining", combine_writes, line_bytes),
    Pass("coalesced_stores", coalesce_stores, line_bytes),
    Pass("nontemporal_stores", stream_aligned),
    Pass("invariant_copies", hoist_copies),
    Pass("subscripts_from_end", look_once),
    Pass("needed_functions", compute_where_needed),
    Pass("branches", find_branches),
    Pass("counted_loops", count_rounds),
    Pass("range_checks", eliminate_range_checks),
    Pass("independent_rounds", find_independent_rounds),
    Pass("several_rounds", repeat_rounds),
    Pass("polling", poll),
    Pass("unrolling", unroll),
    Pass("licm", hoist_invariants),
    Pass("strength_reduction", reduce_strength),
    Pass("cse", share),
    Pass("memory_checks", check_memory, wanted=lambda: config.check_memory),
    Pass("masked_stores", group_masked_stores, has_masks),
)
"""What is done to kernel IR before the LLVM emitter spells it, in this order."""


class Llvm:
    passes: tuple[Pass, ...] = PASSES
    fits_multiples = True
    runs_together = True

    def machines(self, place: Place) -> tuple[Machine, ...]:
        return (host(place.features, place.cores, place.figures),)

    def require(self, program: Program) -> None:
        """Every program has code."""

    def emit(self, kernel: Kernel, guard: Kernel, machine: Machine) -> str:
        x86 = is_x86(machine)
        converts_half = not x86 or "+f16c" in machine.features.split(",")
        return emitter.emit(
            (kernel, guard), machine.vector_bits, x86, converts_half, config.line_tables, gathers(machine)
        )

    def simpler(self, configuration: Configuration) -> Configuration:
        return configuration


TARGET = Llvm()
