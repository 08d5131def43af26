"""`f.explain(…)`: what the compiler made of a function, and how near it comes to what the machine can do."""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jitmdh.base.errors import MdhError
from jitmdh.base.text import amount, duration
from jitmdh.jit.explanation.limits import limits_of, remarks
from jitmdh.jit.explanation.report import Explanation, ReportRow, Roof, Section

if TYPE_CHECKING:
    from jitmdh.base.source import Loc
    from jitmdh.hca.roofline import Limits
    from jitmdh.jit.compilation.options import Options
    from jitmdh.jit.compilation.pipeline import Pipeline
    from jitmdh.jit.compilation.signature import Prepared
    from jitmdh.jit.execution.launch import Specialisation
    from jitmdh.mdh.algebra.combine import CombineOperator
    from jitmdh.mdh.algebra.expr import Dim, Expression, Program, Step
    from jitmdh.mdh.lowering.problem.op_costs import Work

_BUDGET_SECONDS = 0.2
_LONGEST_SOURCE = 60
_STAGES = ("mdh", "lowlevel", "kernel", "llvm")
_UPDATE = re.compile(r"[-+*/|&^]=|\b(?:max|min|maximum|minimum)\(|\bif\b")


def explain(
    specialisation: Specialisation,
    program: Program,
    options: Options,
    prepared: Prepared | None = None,
    disjoint: bool = False,
    measure: bool = False,
) -> Explanation:
    """The report; without `prepared`, the arguments of a call, nothing about sizes."""
    sizes = None if prepared is None else _sizes(program, prepared)
    title = f"{program.name}({specialisation.signature})"
    sections = [
        Section("loops", tuple(_loops(program.steps, options, sizes))),
        Section("configuration", tuple(_configuration(specialisation, program.name))),
    ]
    if sizes is None or prepared is None:
        return Explanation(title, (*sections, *_origin(specialisation)))
    from jitmdh.mdh.lowering.problem.op_costs import work

    done = work(program, sizes)
    rows = [ReportRow("operations", _operations(done)), ReportRow("compulsory traffic", _traffic(done))]
    if not measure:
        sections.append(Section("work", tuple(rows)))
        sections += remarks(specialisation, program, sizes, done, options)
        return Explanation(title, (*sections, *_origin(specialisation)), done.flops, done.bytes)
    seconds, failure = _seconds(specialisation, prepared, disjoint)
    if seconds is None:
        sections.append(Section("work", (*rows, ReportRow("measured", f"not, because the call fails: {failure}"))))
        sections += remarks(specialisation, program, sizes, done, options)
        return Explanation(title, (*sections, *_origin(specialisation)), done.flops, done.bytes)
    limits = limits_of(options)
    all_of_it = (done.instructions, done.bytes_read, done.bytes_written, done.type.name, done.products)
    least, limit = limits.seconds(*all_of_it), limits.binding(*all_of_it)
    found = Explanation(title, (), done.flops, done.bytes, seconds, least, limit)
    sections.append(
        Section("work", (*rows, ReportRow("measured", _rate(found)), ReportRow("limit", _limit(found, done, limits))))
    )
    sections += remarks(specialisation, program, sizes, done, options, found, limits)
    kind = "read" if done.bytes_read else "write"
    roof = Roof(limits.peak(done.type.name) * 1e9, limits.bandwidth(kind, max(1, done.bytes)))
    return replace(found, sections=(*sections, *_origin(specialisation)), roof=roof)


def with_source(
    found: Explanation, function: Any, pipeline: Pipeline, specialisation: Specialisation, prepared: Prepared | None
) -> Explanation:
    """The report with the function's source, loops marked, and with a way to its stages."""
    from jitmdh.jit.explanation.drawing import of_prepared, picture
    from jitmdh.jit.explanation.listing import listing

    signature, options = specialisation.signature, function.options
    program = pipeline.program(function, signature, options)
    arguments = None if prepared is None else [_hollow(a) for a in prepared.arguments]
    call = None if prepared is None else of_prepared(program, prepared, options)

    def stages() -> tuple[tuple[str, str], ...]:
        return tuple((stage, pipeline.text(function, signature, options, stage, arguments)) for stage in _STAGES)

    configurations = specialisation.compiled.configuration

    def drawing() -> str:
        return (
            ""
            if call is None or not any(map(_drawable, configurations.values()))
            else str(picture(call, configurations, options))
        )

    lines = listing(
        function.py_func, program, configurations, lambda step, dim, combine: _why(step, dim, combine, options)
    )
    return replace(found, listing=lines, stages=stages, drawing=drawing)


def _hollow(argument: Any) -> Any:
    """An array of the same shape and type that takes no memory: stages depend on no element."""
    import numpy as np

    return (
        np.broadcast_to(np.zeros((), argument.dtype), argument.shape) if isinstance(argument, np.ndarray) else argument
    )


def with_compile_times(
    found: Explanation, function: Any, pipeline: Pipeline, specialisation: Specialisation, prepared: Prepared | None
) -> Explanation:
    """The report with what each step of compiling takes, done once more for this."""
    arguments = None if prepared is None else prepared.arguments
    times = pipeline.seconds(function, specialisation.signature, function.options, arguments)
    rows = tuple(ReportRow(step, duration(seconds)) for step, seconds in times.items())
    return replace(found, sections=(*found.sections, Section("compile times", rows)))


def _sizes(program: Program, prepared: Prepared) -> Mapping[str, int]:
    from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of

    return sizes_of(program, prepared.arguments)


# --------------------------------------------------------------------------------------------------- loops


def _loops(
    steps: tuple[Step, ...], options: Options, sizes: Mapping[str, int] | None, depth: int = 0
) -> Iterator[ReportRow]:
    from jitmdh.mdh.algebra.expr import Expression, Sequential
    from jitmdh.mdh.codegen.wavefront import lag

    for step in steps:
        if not isinstance(step, Expression):
            reason = f", because {step.reason}" if isinstance(step, Sequential) and step.reason else ""
            order = "one iteration after the other" if isinstance(step, Sequential) else "iterations at once"
            if isinstance(step, Sequential) and (behind := lag(step)) is not None:
                order, reason = f"several iterations side by side, each {behind} behind the one before (wavefront)", ""
            yield ReportRow(_at(step.dim.name, step.dim.loc), f"{order}{reason}", depth)
            yield from _loops(step.body, options, sizes, depth + 1)
            continue
        extents = ", ".join(f"{d.name} < {_extent(d, sizes)}" for d in step.md_hom.dims)
        statement = _source(step.loc) or f"writes {', '.join(dict.fromkeys(a.buffer for a in step.out_view))}"
        yield ReportRow(_at(step.name, step.loc), f"{statement}{f'   for {extents}' if extents else ''}", depth)
        for dim, combine in zip(step.md_hom.dims, step.md_hom.combine):
            yield ReportRow(
                _at(dim.name, dim.loc), f"{combine}, because {_why(step, dim, combine, options)}", depth + 1
            )
        yield from _loops_at_points(step, depth + 1)


def _loops_at_points(expression: Expression, depth: int) -> Iterator[ReportRow]:
    from jitmdh.mdh.algebra.scalar import Iterate, instructions

    for procedure in expression.procedures:
        for part in instructions(procedure.body):
            if isinstance(part, Iterate):
                names = (v.name.partition("'")[0] for v in part.states)
                states = ", ".join(f"`{name}`" for name in names)
                yield ReportRow(
                    "a loop at each point", f"one iteration after the other, with {states} in registers", depth
                )


def _why(expression: Expression, dim: Dim, combine: CombineOperator, options: Options) -> str:
    from jitmdh.mdh.algebra.combine import Concatenation, PrefixSum, Scatter

    if dim.name in options.combine:
        return "the option `combine` says so"
    if isinstance(combine, Concatenation):
        return "its iterations are proved independent"
    statement = _update(expression)
    update = f"`{statement}`" if statement else "it"
    kind = "recognised" if combine.operator.is_elementary else "recognised or declared"
    if isinstance(combine, Scatter):
        return f"{update} is a {kind} update of elements that data choose; each core updates copies of its own"
    if isinstance(combine, PrefixSum):
        return f"{update} keeps every state of a {kind} associative update"
    return f"{update} is a {kind} associative update"


def _update(expression: Expression) -> str:
    """The statement that combines: where the expression stands, or where its inputs are read into a local variable."""
    places = [expression.loc, *(a.loc for a in expression.inp_view)]
    lines = [line for line in map(_source, places) if line]
    return next((line for line in lines if _UPDATE.search(line)), lines[0] if lines else "")


def _at(name: str, loc: Loc | None) -> str:
    return name if loc is None else f"{name} ({os.path.basename(loc.filename)}:{loc.line})"


def _source(loc: Loc | None) -> str:
    """The statement there, shortened; empty where there is no source."""
    if loc is None:
        return ""
    text = linecache.getline(loc.filename, loc.line).strip()
    return text if len(text) <= _LONGEST_SOURCE else f"{text[: _LONGEST_SOURCE - 2]} …"


def _extent(dim: Dim, sizes: Mapping[str, int] | None) -> str:
    if sizes is None or dim.extent.is_constant or not all(n in sizes for n in dim.extent.names):
        return str(dim.extent)
    return f"{dim.extent} = {dim.extent.evaluate(sizes)}"


# ------------------------------------------------------------------------------------------- configuration


def _drawable(entry: Any) -> bool:
    """Whether an entry of a configuration is that of a computation, with all parameters."""
    from jitmdh.mdh.lowering.schedule import PARAMETERS

    return isinstance(entry, Mapping) and set(PARAMETERS) <= set(entry)


def _configuration(specialisation: Specialisation, name_of_function: str) -> Iterator[ReportRow]:
    entries = specialisation.compiled.configuration
    for name, entry in entries.items():
        if not _drawable(entry):
            yield ReportRow(name, str(entry))
            continue
        yield ReportRow(name, "; ".join(entry.get("reasons", ())))
        sizes = ", ".join(f"{level} {size}" for level, size in entry["part_size"].items())
        yield ReportRow("part sizes", sizes or "nothing is split", 1)
        yield ReportRow("loops, outermost first", " ".join(_nesting(entry)) or "one for each dimension", 1)
        split = [level for level in entry["recomposition_order"] if level.startswith("(REG,")]
        if split:
            yield ReportRow("split accumulators", " ".join(split), 1)
    if any(map(_drawable, entries.values())):
        yield ReportRow("as a picture", f"{name_of_function}.draw(…)")


def _nesting(entry: Mapping[str, Any]) -> list[str]:
    """The order of the loops: that of D1, unless S1 or R1 say another."""
    from jitmdh.mdh.lowering.configuration.tuning_parameters import fused_order
    from jitmdh.mdh.lowering.schedule import PARAMETERS, configuration_of

    given = {name: entry[name] for name in PARAMETERS}
    return [str(level) for level in fused_order(configuration_of(given))]


def _origin(specialisation: Specialisation) -> Iterator[Section]:
    compiled = specialisation.compiled
    if compiled.checks:
        checks = tuple(ReportRow("", message) for message in dict.fromkeys(c.message for c in compiled.checks))
        yield Section("checked before anything is written", checks)
    where = "from the cache on disk" if specialisation.remembered else "compiled in this process"
    if specialisation.plan is None:
        where = "there is none: the program is interpreted"
    rows = [ReportRow("code", where)]
    if compiled.conditions:
        ranges = [
            f"{c.size} = {c.least}" if c.least == c.most else
            f"{c.size} ≤ {c.most}" if c.least < 0 else
            f"{c.size} ≥ {c.least}" if c.most >= 1 << 62 else f"{c.least} ≤ {c.size} ≤ {c.most}"
            for c in compiled.conditions
        ]  # fmt: skip
        ranges += [f"{c.size} a multiple of {c.multiple}" for c in compiled.conditions if c.multiple > 1]
        rows.append(ReportRow("for calls with", ", ".join(ranges)))
    yield Section("origin", tuple(rows))


# ------------------------------------------------------------------------------------------ work and limits


def _operations(done: Work) -> str:
    about = "" if done.exact else "about "
    return f"{about}{amount(done.flops, 'flop')} at {done.points:,.0f} points"


def _traffic(done: Work) -> str:
    read, written = amount(done.bytes_read, "B"), amount(done.bytes_written, "B")
    return f"{read} read, {written} written, if each array moves once"


def _seconds(specialisation: Specialisation, prepared: Prepared, disjoint: bool) -> tuple[float | None, str]:
    """Seconds of a call, or None and why it cannot be measured."""
    from jitmdh.jit.compilation.pipeline import Uncovered
    from jitmdh.jit.execution.trial import seconds_of

    try:
        return seconds_of(specialisation, prepared, disjoint, _BUDGET_SECONDS), ""
    except (MdhError, Uncovered, MemoryError) as error:
        lines = str(error).splitlines()
        return None, lines[0] if lines else type(error).__name__


def _rate(found: Explanation) -> str:
    assert found.seconds is not None and found.flops is not None and found.bytes is not None
    seconds = max(found.seconds, 1e-12)
    return (
        f"{duration(seconds)} a call on copies: "
        f"{amount(found.flops / seconds, 'flop/s')}, {amount(found.bytes / seconds, 'B/s')}"
    )


def _limit(found: Explanation, done: Work, limits: Limits) -> str:
    threads = f"{limits.threads} {limits.unit}{'s' * (limits.threads > 1)}"
    if found.limit == "memory":
        speed = limits.bandwidth("read" if done.bytes_read else "write", done.bytes)
        what = f"memory traffic, {amount(speed, 'B/s')} for {amount(done.bytes, 'B')}"
    elif 2 * done.products >= done.steps:
        what = f"arithmetic, {limits.peak(done.type.name):.0f} Gflop/s of {done.type}"
    else:
        what = f"arithmetic, {limits.rate(done.type.name):.0f} · 10⁹ operations/s on {done.type}"
    least = duration(found.limit_seconds or 0.0)
    return f"{found.share or 0.0:.0%} reached; {least} is the least ({what}, {threads})"
