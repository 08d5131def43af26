"""The candidates of `f.tune`: made and run for the first time by helpers, then timed here, on copies."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.process.signals import from_handler
from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.pipeline import compile_lock, conditions_at
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.agreement import Expected
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.execution.trial import on_copies, sampled
from jitmdh.jit.online.candidate import Outcome, Verdict
from jitmdh.jit.online.warm_start import WarmStart
from jitmdh.jit.search.spaces import SAME, Proposal, Spaces
from jitmdh.jit.tuning.first_runs import FirstRuns, first_runs
from jitmdh.jit.tuning.job import Job
from jitmdh.jit.tuning.report import TriedConfiguration

if TYPE_CHECKING:
    from jitmdh import atf
    from jitmdh.jit.online.helper_process import Helper
    from jitmdh.mdh.lowering.nest.space import Value

_SAMPLING_SECONDS = 0.1
_SLOWEST, _COLD_SECONDS = 2.0, 5e-3  # times the best, and what cold caches and fresh memory cost: not measured again
_NOT_RUN_HERE = 3.0  # times the model's time in the helper, where other helpers may disturb
_LOST = 1.2  # times the best, twice in a row: no further samples
_FINALISTS = 8
_PATIENCE_SECONDS = 0.1  # how long after the end of the search a first run that is under way is waited for


@dataclass(frozen=True, slots=True)
class Timed:
    """A candidate that ran and was right. changes: values that are not the model's; None: tuned before."""

    seconds: float
    specialisation: Specialisation
    changes: Mapping[str, Value] | None


class Candidates:
    """The cost of the points of a program's search space, and what has been found so far."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.history: list[TriedConfiguration] = []
        model = job.artifact()
        self.space = Spaces(job.choices(model), job.options)
        self.trial = on_copies(job.specialisation, job.prepared)
        self.terms = max((prod(p.extents[d] for d in p.collapsed) for p in model.problems), default=1)
        with compile_lock:
            specialisation = job.loaded(model)
        self.expected = [Expected(np.copy(a)) for a in self._results(specialisation)]
        self.model = Timed(min(self.sampled(specialisation, inf)), specialisation, {})
        self.finalists = [self.model]
        self.known: dict[bytes | None, float] = {specialisation.compiled.code: self.model.seconds}
        known = specialisation.compiled.configuration
        self.past = WarmStart(job.knowledge, job.subject, job.sizes, self.space, known)
        self.first_runs: FirstRuns | None = None
        self.deadline = inf

    def employ(self, helpers: list[Helper], deadline: float) -> None:
        """From now on candidates are made by helpers. deadline: when the search ends, by `time.perf_counter`."""
        self.first_runs = first_runs(self.job, helpers, self.model.specialisation.compiled)
        self.deadline = deadline + _PATIENCE_SECONDS

    def prepare(self, points: Sequence[Mapping[str, Any]]) -> None:
        """Has what points stand for made by the helpers, before `cost` asks for the first of them."""
        for values in map(self.space.values, points):
            proposal = self.space.configurations(values)
            if self.first_runs is not None and not isinstance(proposal, str):
                self.first_runs.ask(proposal)

    def resume(self, tuner: atf.Tuner) -> int:
        """Tells the tuner the model's time, and what earlier runs have found for such calls; how much that is."""
        self.history.append(TriedConfiguration(self.space.values(self.space.first), self.model.seconds))
        tuner.tell(self.space.first, self.model.seconds)
        return self.past.tell(tuner, self.model.seconds)

    # ------------------------------------------------------------------------------------------ the cost

    def cost(self, point: Mapping[str, Any]) -> atf.Invalid | float:
        """Seconds of a call with the configurations that a point stands for, or why there are none."""
        from jitmdh import atf

        values = self.space.values(point)
        proposal = self.space.configurations(values)
        if proposal == SAME:
            return atf.invalid(SAME)
        if isinstance(proposal, str):
            self.history.append(TriedConfiguration(values, None, proposal))
            return atf.invalid(proposal)
        outcome = self._first_run(proposal)
        if outcome is None:
            return atf.invalid("the time was over")
        seconds, reason = self._seconds(outcome, self.space.changes(values))
        self.past.remember(values, outcome, seconds, self.model.seconds, "tune", reason)
        wrong = outcome.verdict is Verdict.WRONG or (outcome.verdict is Verdict.RIGHT and seconds is None)
        self.history.append(TriedConfiguration(values, seconds, reason, wrong))
        return atf.invalid(reason) if seconds is None else seconds

    def _first_run(self, proposal: Proposal) -> Outcome | None:
        """By a helper; where there is none, only its code, which runs here for the first time. None: not in time."""
        if self.first_runs is not None:
            return self.first_runs.outcome(proposal, self.deadline)
        try:
            with compile_lock:
                return Outcome(0, Verdict.RIGHT, self.job.loaded(self.job.artifact(proposal)).compiled)
        except Exception as error:  # whatever a compiler fails with is no business of the caller
            if from_handler(error):
                raise
            return Outcome(0, Verdict.ILLEGAL, reason=_line(error))

    def _seconds(self, outcome: Outcome, changes: Mapping[str, Value]) -> tuple[float | None, str]:
        """Seconds of a call, or None and why not."""
        if outcome.compiled is None:
            return None, outcome.reason
        code = outcome.compiled.code
        if code in self.known:
            return self.known[code], ""
        if outcome.seconds and outcome.incumbent_seconds:
            ratio = outcome.seconds / outcome.incumbent_seconds
            if ratio > _NOT_RUN_HERE:
                return ratio * self.model.seconds, ""
        try:
            conditions = conditions_at(self.job.program, self.job.sizes)
            compiled = replace(outcome.compiled, conditions=conditions)
            with compile_lock:
                specialisation = launch.load(self.job.specialisation.signature, compiled)
            with self._quiet():
                seconds = self._measured(specialisation, changes)
        except Exception as error:  # nor is what a candidate fails with
            if from_handler(error):
                raise
            return None, _line(error)
        if seconds is None:
            return None, "wrong result"
        self.known[code] = seconds
        return seconds, ""

    def _quiet(self) -> AbstractContextManager[None]:
        """Helpers stand still while something is measured."""
        return nullcontext() if self.first_runs is None else self.first_runs.paused()

    def _measured(self, specialisation: Specialisation, changes: Mapping[str, Value]) -> float | None:
        """Seconds of a call; None if its result is not that of the model's configuration."""
        if backend_of(specialisation.compiled.target).first_launch_seconds:
            self._results(specialisation)
        begin = time.perf_counter()
        results = self._results(specialisation)
        seconds = time.perf_counter() - begin
        if len(results) != len(self.expected) or not all(map(self._agree, results, self.expected)):
            return None
        best = min(t.seconds for t in self.finalists)
        slow = _SLOWEST * best + _COLD_SECONDS
        if slow < seconds <= _SAMPLING_SECONDS:  # once more: it may have been the machine
            seconds = min(self.sampled(specialisation, 0.0))
        if seconds <= slow:
            seconds = min(self.sampled(specialisation, _LOST * best))
        ranked = sorted([*self.finalists, Timed(seconds, specialisation, changes)], key=lambda t: t.seconds)
        self.finalists = ranked[: _FINALISTS + 1]
        return seconds

    def _results(self, specialisation: Specialisation) -> list[Any]:
        """All that a call writes and returns."""
        self.trial.reset()
        returned = launch.run(specialisation, self.trial.prepared, self.job.disjoint)
        returned = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
        return [*(copy for copy, _ in self.trial.copies), *map(np.asarray, returned)]

    def sampled(
        self, specialisation: Specialisation, cut_seconds: float, budget_seconds: float = _SAMPLING_SECONDS
    ) -> list[float]:
        """Seconds of a call on copies, several times; see `execution.trial`."""
        return sampled(specialisation, self.trial, self.job.disjoint, budget_seconds, cut_seconds)

    def _agree(self, result: Any, expected: Expected) -> bool:
        return expected.agrees(result, 1 if self.job.options.deterministic else self.terms)

    def best(self) -> list[Timed]:
        """The model's, the fastest others, and the code in force where that is yet another."""
        found = [self.model, *(t for t in self.finalists if t is not self.model)][: _FINALISTS + 1]
        before = self.job.specialisation
        known = any(before.compiled.code == t.specialisation.compiled.code for t in found)
        return found if known or before.plan is None else [*found, Timed(inf, before, None)]


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
