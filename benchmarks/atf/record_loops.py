"""Records spaces of jitmdh's own kernels: the loops of `benchmarks.online.loops`, in the order of the search.

A recorded loop is a recorded space (see `atf.recorded_space`) and, beside its rows, `compile_ms` of each, `model`, the
row of the model's configuration, and `noise`: many calls of one code, as multiples of their median. Rows come in the
order in which the search around the model's configuration asked for them. Needs a quiet machine: each configuration is
timed once in every round over all of them, and its least time counts.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Mapping, Sequence
from math import inf
from statistics import median
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.online.loops import LOOPS, SETTLED, WEAK
from jitmdh.base.settings import config
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.execution.trial import sampled
from jitmdh.jit.tuning.candidates import Candidates
from jitmdh.jit.tuning.job import Job
from jitmdh.jit.tuning.report import TuningReport

RECORDED = (*WEAK, *SETTLED[:2])
_ROUNDS, _SAMPLING_SECONDS, _CALLS = 3, 0.01, 2000
_WALK_SECONDS = 3600.0


def record(name: str, evaluations: int, rounds: int = _ROUNDS) -> dict[str, Any]:
    """The first so many configurations that the search of a loop asks for, each with its time and that of compiling."""
    loop = LOOPS[name]
    f, arguments = mdh.jit(cache=False)(loop.function), loop.arrays(np.random.default_rng(0))
    with config(cache=False):
        report, found = walked(f, arguments, seconds=_WALK_SECONDS, evaluations=evaluations)
    print(f"{name}: {report.evaluations} of {report.space_size:,} tried", file=sys.stderr, flush=True)
    names = list(found.space.parameters)
    rows, codes, compile_ms = [], [], []
    for step in report.history:
        made, spent = made_again(found, step.values) if step.seconds is not None else (None, 0.0)
        rows.append([step.values[n] for n in names])
        codes.append(made)
        compile_ms.append(round(1e3 * spent, 2))
    times = timed_in_turns(found, codes, rounds)
    return {
        "name": f"{name} on a processor",
        "source": f"benchmarks/atf/record_spaces.py, {platform.machine()}, {found.job.subject.threads} threads",
        "time_unit": "us",
        "columns": [*names, "time_us"],
        "rows": [[*row, None if t == inf else round(1e6 * t, 3)] for row, t in zip(rows, times)],
        "compile_ms": compile_ms,
        "model": 0,
        "noise": _noise(found, codes[0]),
    }


def walked(f: Any, arguments: Sequence[Any], **limits: Any) -> tuple[TuningReport, Candidates]:
    """What `f.tune` reports, and the candidates that it has looked at, which can be made and timed once more."""
    candidates: list[Candidates] = []

    class Kept(Candidates):
        def __init__(self, job: Job) -> None:
            super().__init__(job)
            candidates.append(self)

    from jitmdh.jit.tuning import tune

    before, tune.Candidates = tune.Candidates, Kept  # type: ignore[misc]
    try:
        report = f.tune(*arguments, progress=False, **limits)
    finally:
        tune.Candidates = before  # type: ignore[misc]
    return report, candidates[0]


def made_again(found: Candidates, values: Mapping[str, Any]) -> tuple[Specialisation, float]:
    """The code that values stand for, and the processor time that it took to make it."""
    proposal = found.space.configurations(dict(values))
    assert not isinstance(proposal, str), "it has been timed"
    begin = time.process_time()
    made = found.job.loaded(found.job.artifact(proposal))
    return made, time.process_time() - begin


def timed_in_turns(found: Candidates, codes: Sequence[Specialisation | None], rounds: int) -> list[float]:
    """The least time of each; of what is more than five times as slow as the model's, that of the first round."""
    times = [inf] * len(codes)
    for turn in range(rounds):
        for number, code in enumerate(codes):
            if code is not None and (not turn or times[number] < 5 * times[0]):
                samples = sampled(code, found.trial, found.job.disjoint, _SAMPLING_SECONDS, 5 * times[0])
                times[number] = min(times[number], *samples)
    return times


def _noise(found: Candidates, code: Specialisation | None) -> list[float]:
    """Calls of one code after the other, as multiples of their median."""
    assert code is not None, "the model's configuration has code"
    call, times = found.trial.prepared.arguments, []
    from jitmdh.hca.drivers.cpu_entry import native_call_path

    native, plan = native_call_path(), code.plan
    if native is None or plan is None:
        return []
    for _ in range(_CALLS):
        begin = time.perf_counter_ns()
        native.call(plan, call)
        times.append(time.perf_counter_ns() - begin)
    usual = median(times)
    return [round(t / usual, 3) for t in times]
