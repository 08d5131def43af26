"""`f.tune(…)`: the lowering's parameters as a search space of the tuner; the cost is compile, run, check, time.

Every candidate runs on copies, for the first time in a helper process: one that is wrong there (by more than
re-association may explain), crashes or does not end is recorded and never used. The model's configuration is tried
first; at the end the fastest few are measured in turns with it, until the time is over, and it stays unless another is
clearly faster. Each evaluation is written down as it is made, and never made again.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.process.stack import with_room
from jitmdh.jit.compilation.code_cache import store_of
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.online.knowledge import Observation, evaluated, without_reasons
from jitmdh.jit.online.wisdom import knowledge_of
from jitmdh.jit.tuning.candidates import Candidates
from jitmdh.jit.tuning.final_comparison import Winner, decide
from jitmdh.jit.tuning.first_runs import team
from jitmdh.jit.tuning.job import Budget, Job
from jitmdh.jit.tuning.report import TuningReport

if TYPE_CHECKING:
    from jitmdh.mdh.algebra.expr import Program

_WORTH_HELPERS_SECONDS, _MOST_HELPERS = 5.0, 8  # what is shorter has one helper
_POINTS_EACH = 3  # at once: what is measured here is made meanwhile


def tuned(
    function: Any, program: Program, specialisation: Specialisation, prepared: Prepared, disjoint: bool, budget: Budget
) -> TuningReport:
    """As `tune`, for a call of a decorated function, which takes over what is found."""
    launch.check_outputs(function.parameters.names, prepared, specialisation.written)
    if specialisation.compiled.code is None:
        raise ConfigurationError(f"{program.name}.tune: nothing to tune: no code")
    known, key = knowledge_of(store_of(function.options)), function.codes.key(specialisation.signature)
    job = Job(program, specialisation, prepared, disjoint, function.options, known, key, function.full_name)
    found, report = tune(job, budget)
    function.codes.tuned.adopt(found)
    return report


@with_room
def tune(job: Job, budget: Budget) -> tuple[Specialisation, TuningReport]:
    """The best code found for a call, and how. Raises what the call raises."""
    from jitmdh import atf

    total = budget.total_seconds
    many = budget.technique is None and (total or 0.0) >= _WORTH_HELPERS_SECONDS
    helpers = team(job, min(usable_cores(), _MOST_HELPERS) if many else 1)
    try:
        candidates = Candidates(job)
        parameters = candidates.space.of_tuner()
        if not parameters:
            raise ConfigurationError(f"{job.program.name}: nothing to tune: no loops, or the schedule says all")
        tuner = atf.tuner(atf.search_space(*parameters)).progress(budget.shows_progress)
        tuner.warm_start(candidates.space.first, *candidates.past.guesses())
        guide = budget.technique is None
        at_once = _POINTS_EACH * max(1, len(helpers))
        tuner.search_technique(candidates.space.guide(candidates.prepare, at_once) if guide else budget.technique)
        candidates.employ(helpers, budget.search_end)
        known = candidates.resume(tuner)
        result = tuner.tune(candidates.cost, budget.condition(known))
    finally:
        for helper in helpers:
            helper.stop()
    candidates.first_runs = None
    winner = decide(candidates, None if total is None else budget.begin + total, result.interrupted)
    _remember(job, candidates, winner)
    seconds = time.perf_counter() - budget.begin
    report = TuningReport(
        f"{job.program.name}({job.prepared.signature})", without_reasons(winner.found.compiled.configuration),
        winner.seconds, winner.model_seconds, winner.changes or {}, seconds, result.interrupted,
        candidates.space.size, tuple(candidates.history), known,
    )  # fmt: skip
    return winner.found, report


def _remember(job: Job, candidates: Candidates, winner: Winner) -> None:
    """That this serves calls of these sizes from now on; nothing: that the model's configuration does, also where that
    is the code in force: a search without a verdict would look at what was promising once more."""
    times: dict[str, Any] = {"seconds": winner.seconds, "reference_seconds": winner.model_seconds, "chosen": True}
    if winner.changes:
        found = evaluated(winner.found.compiled, winner.changes, job.sizes, **times)
    else:
        before = job.knowledge.chosen(job.subject, job.sizes) if winner.changes is None else None
        found = replace(before or Observation({}, {}, job.sizes), **times)
    job.knowledge.record(job.subject, found)
