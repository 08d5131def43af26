"""What keeps a call from the machine's limit: where its time goes by the model, and what was left out.

Time "by the model" is the least that a part of the machine is busy: its work by the configuration, at the speed that
was measured for that part. The part that is busy longest is what holds a call back; where none is busy for most of
the time, that is said, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from jitmdh.base.text import amount, duration
from jitmdh.jit.explanation.report import Explanation, ReportRow, Section

if TYPE_CHECKING:
    from jitmdh.hca.roofline import Limits
    from jitmdh.jit.compilation.options import Options
    from jitmdh.jit.execution.launch import Specialisation
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.lowering.configuration.data_movement import Movement
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
    from jitmdh.mdh.lowering.problem.op_costs import ExpressionRun, Work
    from jitmdh.mdh.lowering.problem.traffic import Problem
    from jitmdh.mdh.machine.model import Machine

_GOOD_SHARE = 0.6
_BUSY = 0.5  # of the time: a part that is named as what holds back
_WORTH_SAYING = 0.02
_CALL_SECONDS, _SHORT_SECONDS = 0.1e-6, 1e-6
_WAKING_SECONDS = 50e-6  # shorter calls feel that other threads have to be woken


class GeneratedComputation(NamedTuple):
    """A computation that code was generated for."""

    name: str
    run: ExpressionRun
    problem: Problem
    machine: Machine
    configuration: Configuration


class Fused(NamedTuple):
    """Computations under one loop, and the bytes that they move less than one after the other."""

    names: tuple[str, ...]
    dims: tuple[str, ...]
    saved_bytes: float


class Busy(NamedTuple):
    """A part of the machine, what it does, and how long that takes at least."""

    part: str
    work: str
    seconds: float


def limits_of(options: Options) -> Limits:
    """What the machine that code is for can do at most: measured, or of a GPU as its maker says."""
    from jitmdh.base.cores import usable_cores
    from jitmdh.base.settings import config
    from jitmdh.hca import roofline
    from jitmdh.jit.compilation.pipeline import machine_of

    gpu = machine_of(options).gpu
    if gpu is None:
        return roofline.measure(min(config.num_threads, usable_cores()))
    each = 2 * gpu.multiprocessors * gpu.clock_hz / 1e9
    peaks = {"float32": each * gpu.lanes32, "float64": each * gpu.lanes64}
    return roofline.StatedLimits(gpu.multiprocessors, peaks, {}, {}, "multiprocessor", gpu.memory_bytes)


def remarks(
    specialisation: Specialisation,
    program: Program,
    sizes: Mapping[str, int],
    done: Work,
    options: Options,
    found: Explanation | None = None,
    limits: Limits | None = None,
) -> Iterator[Section]:
    """Where time goes, what holds the call back where it is slow, and what was left out."""
    from jitmdh.jit.compilation.pipeline import machine_of
    from jitmdh.mdh.lowering.configuration.remarks import held_back, left_out

    if machine_of(options).gpu is not None:
        return  # the model's expectations are among the reasons of the configuration
    computations = list(_computations(specialisation, program, sizes))
    fused = _fused(specialisation, program, sizes, options) if len(computations) > 1 else []
    if fused:
        yield Section("under one loop", tuple(map(_row_of, fused)))
    if found is not None and limits is not None and found.seconds is not None:
        busy = _busy(computations, done, limits, sum(f.saved_bytes for f in fused))
        shown = [b for b in busy if b.seconds >= _WORTH_SAYING * found.seconds]
        if shown:
            rows = (ReportRow(b.part, f"{_of(b.seconds, found.seconds)}: {b.work}") for b in shown)
            yield Section("busy at least, by the model", tuple(rows))
        if found.share is not None and found.share < _GOOD_SHARE:
            back = [ReportRow("", line) for line in _whole_call(program, sizes, found, limits, busy, fused)]
            for c in computations:
                back += [ReportRow(c.name, line) for line in held_back(c.problem, c.machine, c.configuration)]
            yield Section("held back by", tuple(back))
    left = [ReportRow(c.name, line) for c in computations for line in left_out(c.problem, c.machine, c.configuration)]
    if left:
        yield Section("left out", tuple(left))


def _row_of(fused: Fused) -> ReportRow:
    saved = amount(fused.saved_bytes, "B")
    text = (
        f"over {', '.join(fused.dims)}: {saved} stay near a core that would come from farther away, one after the other"
    )
    return ReportRow(", ".join(fused.names), text)


def _of(seconds: float, whole_seconds: float) -> str:
    return f"{duration(seconds)}, {min(1.0, seconds / max(whole_seconds, 1e-12)):.0%} of the time"


def _busy(computations: list[GeneratedComputation], done: Work, limits: Limits, saved_bytes: float) -> list[Busy]:
    """The parts of the machine, the one that is busy longest first. saved_bytes: that do not leave a core's caches."""
    from jitmdh.mdh.lowering.configuration.data_movement import movement

    every: list[tuple[float, Machine, Movement]] = []
    for c in computations:
        if c.problem.points:
            every.append((c.run.times, c.machine, movement(c.problem, c.machine, c.configuration)))
    work = f"{amount(done.steps, 'operations')} on elements"
    if done.instructions > done.steps:
        work += f", as long as {amount(done.instructions, ' simple ones')} at least"
    parts = [Busy("arithmetic units", work, limits.seconds(done.instructions, 0, 0, done.type.name, done.products))]
    if every:
        machine = every[0][1]
        loads = sum(times * moved.loads for times, _, moved in every)
        crossing = sum(times * moved.crossing for times, _, moved in every)
        near = limits.bandwidth("read", limits.threads * machine.capacity_bytes("L1") // 2)
        lines = f", {crossing / loads:.0%} across two cache lines" if crossing else ""
        seconds = (loads + crossing) * machine.vector_bits / 8 / near
        parts.append(Busy("L1 cache", f"{amount(loads, 'vector loads')}{lines}", seconds))
        for layer, name in (("L2", "L2 cache"), ("L3", "L3 cache"), ("MM", "memory")):
            moved_bytes = sum(times * moved.handed_out[layer] for times, _, moved in every)
            moved_bytes = max(0.0, moved_bytes - (0 if layer == "L2" else saved_bytes))
            speed = limits.bandwidth("read", _area(machine, layer, limits.threads))
            work = f"{amount(moved_bytes, 'B')} from there or back, at {amount(speed, 'B/s')}"
            parts.append(Busy(name, work, moved_bytes / speed))
    return sorted(parts, key=lambda part: -part.seconds)


def _area(machine: Machine, layer: str, threads: int) -> int:
    """Bytes that are at home in a layer: half of a cache; for memory, much more than caches hold."""
    if layer == "MM":
        return 1 << 28
    return (threads if layer == "L2" else 1) * machine.capacity_bytes(layer) // 2


def _whole_call(
    program: Program, sizes: Mapping[str, int], found: Explanation, limits: Limits, busy: list[Busy], fused: list[Fused]
) -> Iterator[str]:
    """What holds back all computations of a call together."""
    from jitmdh.mdh.algebra.expr import Sequential
    from jitmdh.mdh.codegen.loops.decomposition.core_parts import WORK_PER_THREAD, work_per_point
    from jitmdh.mdh.lowering.problem.op_costs import moved, runs

    assert found.seconds is not None and found.flops is not None and found.bytes is not None
    first = busy[0]
    if first.seconds >= _BUSY * found.seconds:
        yield f"{first.part}: busy for at least {_of(first.seconds, found.seconds)}"
    else:
        share = first.seconds / max(found.seconds, 1e-12)
        yield (
            f"no part of the machine for most of the time, by the model ({first.part} for {share:.0%}): latency, "
            "conflicts in caches, or other programs on the same cores"
        )
    executed = runs(program, sizes)
    most = max((run.points * work_per_point(run.expression) for run in executed), default=0)
    if found.seconds < _SHORT_SECONDS:
        yield f"the call itself, which costs about {duration(_CALL_SECONDS)} whatever it computes"
    elif executed and all(run.points <= 1 for run in executed) and any(run.times > 1 for run in executed):
        yield "one element after the other, or few at a time: iterations of all loops depend on one another"
    elif limits.threads > 1 and most < WORK_PER_THREAD:
        yield "one thread: there is too little to do at a time to be shared"
    elif limits.threads > 1 and found.seconds < _WAKING_SECONDS:
        yield "threads: waking the others takes some microseconds of so short a call"
    for step in program.steps:
        if isinstance(step, Sequential) and step.dim.extent.evaluate(sizes) > 1:
            yield f"{step.dim.extent.evaluate(sizes)} iterations of {step.dim.name}, one after the other"
    passes = [run for run in executed if run.points > 1]
    total = sum(moved(run) for run in passes) - sum(f.saved_bytes for f in fused)
    if total > 1.5 * found.bytes:
        times = sum(run.times for run in passes) - sum(len(f.names) - 1 for f in fused)
        yield f"{times:.0f} passes over arrays move {amount(total, 'B')} in all, if the caches keep nothing"


def _fused(
    specialisation: Specialisation, program: Program, sizes: Mapping[str, int], options: Options
) -> list[Fused]:  # fmt: skip
    """What is under one loop: as a search has found, the schedule says, or the model."""
    from jitmdh.base.cores import usable_cores
    from jitmdh.base.settings import config
    from jitmdh.hca.drivers.native_code.cpu_compile import features_named
    from jitmdh.jit.compilation.pipeline import unit_axes_of
    from jitmdh.mdh.lowering.joins import joined
    from jitmdh.mdh.lowering.problem.op_costs import moved, moved_together, runs
    from jitmdh.mdh.lowering.schedule import TOGETHER, expression_names, parse
    from jitmdh.mdh.machine.host import host
    from jitmdh.mdh.targets import registry

    entries, threads = specialisation.compiled.configuration, min(config.num_threads, usable_cores())
    if not registry.find(options.target_name).runs_together:
        return []
    said = None if options.schedule is None else parse(options.schedule).together
    if TOGETHER in entries:
        said = parse({TOGETHER: entries[TOGETHER]}).together
    known = {} if options.deterministic else sizes
    axes = unit_axes_of(program, specialisation.signature)
    made = joined(program, known, host(features_named(), threads), threads, said, axes)
    near = {a.name for a in program.allocations} - {a.name for a in made.program.allocations}
    of = dict(zip(expression_names(program)[1], runs(program, sizes)))
    found = []
    for join in made.joins:
        mine = [of[name] for name in join.names]
        found.append(
            Fused(join.names, tuple(dict.fromkeys(join.dims)), sum(map(moved, mine)) - moved_together(mine, near))
        )
    return found


def _computations(
    specialisation: Specialisation, program: Program, sizes: Mapping[str, int]
) -> Iterator[GeneratedComputation]:
    from jitmdh.base.cores import usable_cores
    from jitmdh.base.settings import config
    from jitmdh.hca.drivers.native_code.cpu_compile import features_named
    from jitmdh.jit.compilation.pipeline import unit_axes_of
    from jitmdh.mdh.algebra.rewrites.dimensions.joined_dimensions import (
        axes_of_views,
        with_joined_dimensions,
        with_products,
    )
    from jitmdh.mdh.lowering.configuration.lower import prepared
    from jitmdh.mdh.lowering.problem.op_costs import runs
    from jitmdh.mdh.lowering.problem.traffic import near_axes, problem
    from jitmdh.mdh.lowering.schedule import PARAMETERS, configuration_of, expression_names
    from jitmdh.mdh.machine.host import host

    threads = min(config.num_threads, usable_cores())
    machine = host(features_named(), threads)
    axes = unit_axes_of(program, specialisation.signature)
    program = with_joined_dimensions(program, axes)
    sizes, axes = with_products(sizes, program), near_axes(program, axes_of_views(program, axes))
    _, names = expression_names(program)
    for name, run in zip(names, runs(program, sizes)):
        entry = specialisation.compiled.configuration.get(name)
        if isinstance(entry, Mapping) and set(PARAMETERS) <= set(entry):
            facts = problem(prepared(run.expression), run.sizes, axes, threads)
            yield GeneratedComputation(name, run, facts, machine, configuration_of(entry))
