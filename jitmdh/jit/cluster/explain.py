"""What a call with arrays in blocks would do: its parts, what they send to each other, and how long it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType
from jitmdh.base.text import amount, duration
from jitmdh.jit.cluster.call import Traced, one_piece, traced
from jitmdh.jit.cluster.cluster_nodes import Demand, client, nodes, seconds_of
from jitmdh.jit.explanation.report import Explanation, ReportRow, Section
from jitmdh.mdh.algebra.expr import ArrayParameter
from jitmdh.mdh.algebra.semantics import argument_binding
from jitmdh.mdh.lowering.problem.op_costs import Work, work
from jitmdh.mdh.partition.grids import extents
from jitmdh.mdh.partition.nodes import Nodes, Timeline, simulated
from jitmdh.mdh.partition.plan import (
    Combine,
    Fold,
    Indivisible,
    Mosaic,
    Plan,
    ProgramCall,
    Task,
    gathers,
    programs,
)

_LEAST_EFFICIENCY = 0.5
_MOST_WORKERS = 1024
_MOST_SIMULATED = 20_000  # parts: more workers are not looked at where that would take seconds


def explain(function: Any, arguments: Sequence[Any]) -> Explanation:
    """Nothing is computed; a cluster that was not measured yet is, which takes some tenths of a second."""
    known = traced(function, arguments)
    cluster = client()
    there = nodes(cluster)
    about = Section("workers", tuple(_workers(there)))
    parts = sum(a.array.npartitions for a in known.found.values())
    title = f"{function.name}, on arrays in {parts} blocks"
    try:
        forecast = Forecast(known, cluster)
    except Indivisible as reason:
        return Explanation(title, (Section("parts", (ReportRow("", one_piece(known.found, reason)),)), about))
    limit = forecast.at_once / there.slots
    sections = [Section("parts", tuple(_parts(forecast.plan))), about]
    sections.append(Section("expected", tuple(_expected(forecast.on(there), limit))))
    if there.workers > 1 and len(forecast.plan.tasks) <= _MOST_SIMULATED and (rows := tuple(_scaled(forecast, there))):
        sections.append(Section("with more workers, simulated", rows))
    return Explanation(title, tuple(sections), forecast.work.flops, forecast.work.bytes, limit_seconds=limit)


class Forecast:
    """What a call takes on any workers, if each of its parts runs at the limit of a thread of those that are there.

    at_once: seconds of all its work in one piece on one thread. Raises Indivisible.
    """

    def __init__(self, known: Traced, cluster: Any) -> None:
        self.plan = known.plan()
        self.work = work(known.program, known.sizes)
        demands = [_demand(task) for task in self.plan.tasks]
        every = list(dict.fromkeys(demands))
        *times, self.at_once = seconds_of(cluster, [*every, _least(self.work)])
        of_demand = dict(zip(every, times, strict=True))
        self.seconds = [of_demand[d] for d in demands]
        self.grids = {n: a.grid if a.chosen else None for n, a in known.found.items()}
        self.size_of = {n: a.array.dtype.itemsize for n, a in known.found.items()}

    def on(self, workers: Nodes) -> Timeline:
        return simulated(self.plan, workers, self.grids, self.size_of, self.seconds)


def _workers(there: Nodes) -> Iterator[ReportRow]:
    threads = f"{there.threads} thread{'s' * (there.threads > 1)}"
    if there.bandwidth == float("inf"):
        yield ReportRow("", f"this process, {threads}" if there.workers == 1 else f"{there.workers} of {threads}")
    else:
        yield ReportRow("", f"{there.workers} of {threads}")
        sent = f"{amount(there.bandwidth, 'B/s')} into a worker, {duration(there.latency)} for each transfer besides"
        yield ReportRow("between them", sent)
    yield ReportRow("each task", f"{duration(there.overhead)} of the scheduler")


def _parts(plan: Plan) -> Iterator[ReportRow]:
    kinds = Counter(type(task) for task in plan.tasks)
    compiled = len({program for task in plan.tasks for program in programs(task)})
    combining = kinds[Combine] + kinds[Fold]
    combined = f", {combining} of them combine partial results" if combining else ""
    yield ReportRow("", f"{len(plan.tasks)}{combined}; {compiled} programs to compile")
    for chosen in plan.choices:
        gain = f"{duration(chosen.after)} instead of {duration(chosen.before)}, by the figures of the workers"
        yield ReportRow("chosen", f"{chosen.what}: {gain}")
    if (together := max(map(_steps, plan.tasks), default=1)) > 1:
        yield ReportRow("steps of loops", f"up to {together} in one part, on a larger block each")
    largest = max((sum(g.bytes for g in gathers(t)) for t in plan.tasks), default=0)
    yield ReportRow("the largest takes", amount(largest, "B"))
    for name, moved in plan.whole_reads.items():
        yield ReportRow(f"data decide where `{name}` is read", f"{amount(moved, 'B')} are sent for it")


def _steps(task: Task) -> int:
    """How many iterations of loops in order a part is of."""
    return len({call.origin.around for _, call in task.calls}) if isinstance(task, Mosaic) else 1


def _expected(line: Timeline, limit: float) -> Iterator[ReportRow]:
    share = f", {line.efficiency:.0%} of it computing" if line.seconds else ""
    yield ReportRow("time", f"{duration(line.seconds)}{share}, if each part runs at the limit of the processor")
    moved = f"{amount(line.moved_bytes, 'B')} in {line.transfers} transfers" if line.transfers else "nothing"
    yield ReportRow("sent between workers", moved)
    yield ReportRow("limit", f"{duration(limit)}: each array moved once, all operations, on all workers")


def _scaled(forecast: Forecast, there: Nodes) -> Iterator[ReportRow]:
    """As many as still compute half of the time."""
    workers = 2 * there.workers
    while workers <= _MOST_WORKERS:
        line = forecast.on(replace(there, workers=workers))
        if line.efficiency < _LEAST_EFFICIENCY:
            break
        yield ReportRow(str(workers), f"{duration(line.seconds)}, {line.efficiency:.0%} of it computing")
        workers *= 2


# ------------------------------------------------------------------------------------------------ work of a part


def _demand(task: Task) -> Demand:
    """What a part does at least. Copies, and partial results that are combined, are read and written once."""
    match task:
        case Mosaic():
            updated = [[(extents(box), task.arrays[n][1]) for n, box in places] for places, _ in task.calls]
            copied = sum(gather.bytes for *_, gather in task.kept)
            copies = (0.0, copied, copied, "float64", 0.0)
            return _sum([copies, *(_of_call(call, own) for (_, call), own in zip(task.calls, updated))])
        case Fold():
            return _sum([_of_call(call, [(g.shape, g.type) for g in call.given]) for call in task.calls])
        case ProgramCall():
            return _of_call(task, [(g.shape, g.type) for g in task.given])
    moved = sum(g.bytes for g in gathers(task))
    return 0.0, moved, moved, "float64", 0.0


def _sum(demands: Sequence[Demand]) -> Demand:
    operations, read, written, types, products = zip(*demands)
    return sum(operations), sum(read), sum(written), types[-1], sum(products)


def _of_call(call: ProgramCall, updated: Sequence[tuple[tuple[int, ...], ScalarType]]) -> Demand:
    """updated: shapes and types of what its program updates."""
    arrays = [_stand_in(g.shape, g.type) for g in call.reads] + [_stand_in(*u) for u in updated]
    pairs = zip(call.program.parameters, [*arrays, *call.numbers])
    taken = [a if isinstance(p, ArrayParameter) or not isinstance(a, np.ndarray) else a[()] for p, a in pairs]
    return _least(work(call.program, argument_binding.sizes_of(call.program, taken)))


def _least(done: Work) -> Demand:
    return done.instructions, done.bytes_read, done.bytes_written, done.type.name, done.products


def _stand_in(shape: tuple[int, ...], type: ScalarType) -> np.ndarray[Any, Any]:
    """An array of that shape, without memory."""
    return np.broadcast_to(np.zeros((), type.numpy), shape)
