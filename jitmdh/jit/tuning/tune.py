"""`f.tune(…)`: the lowering's parameters as a search space of the tuner; the cost is compile, run, check, time.

Every candidate runs on copies. Its first result is compared with that of the model's configuration: one that differs
by more than re-association may is recorded and never used. The model's configuration is tried first; at the end the
fastest few are measured in turns with it, until the time is over, and it stays unless another is clearly faster.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.frames import with_room
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import (
    artifact_of,
    compile_lock,
    conditions_at,
    facts,
    ranges_of,
    sizes_of,
    unit_axes_of,
)
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.agreement import agree
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.execution.trial import on_copies, sampled
from jitmdh.jit.search.spaces import Spaces
from jitmdh.jit.tuning.report import Step, TuningReport

if TYPE_CHECKING:
    from jitmdh import atf
    from jitmdh.hca.devices.cpu_compilers import Compilers
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.compile import Artifact
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
    from jitmdh.mdh.lowering.space import Value

Configurations: TypeAlias = "tuple[tuple[int, Configuration], ...]"

DEFAULT_SECONDS = 30.0
_SAMPLING_SECONDS = 0.1
_SLOWEST, _COLD_SECONDS = 2.0, 5e-3  # times the best, and what cold caches and fresh memory cost: not measured again
_LOST = 1.2  # times the best, twice in a row: no further samples
_FINALISTS = 8
_LAST_FINALISTS = 3
_LEAST_ROUNDS, _FIRST_ROUNDS, _MOST_ROUNDS = 3, 7, 41
_FINAL_SECONDS = 2.5  # where no time is given
_FINAL_SAMPLING_SECONDS = 0.02
_SEARCHING = 0.85  # of the time; the rest is for the finalists
_CLEARLY, _MANY_ROUNDS, _CLEARLY_IN_MANY = 0.97, 15, 0.985
_WORTH_HELPERS_SECONDS, _MOST_HELPERS = 5.0, 7


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop, and how to search; see `JitFunction.tune`."""

    seconds: float | None = None
    evaluations: int | None = None
    technique: Any = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        number = isinstance(self.seconds, (int, float)) and not isinstance(self.seconds, bool)
        if self.seconds is not None and not (number and self.seconds > 0):
            raise ConfigurationError(f"tune: seconds is {self.seconds!r}", hint="give a positive number")

    def condition(self) -> Any:
        from jitmdh import atf

        parts: list[Any] = [] if self.total_seconds is None else [atf.duration(_SEARCHING * self.total_seconds)]
        if self.evaluations is not None:
            parts.append(atf.evaluations(self.evaluations))
        return parts[0] if len(parts) == 1 else parts[0] | parts[1]

    @property
    def total_seconds(self) -> float | None:
        """The time for all of it, None if only evaluations are limited."""
        return DEFAULT_SECONDS if self.seconds is None and self.evaluations is None else self.seconds

    @property
    def shows_progress(self) -> bool:
        return sys.stderr.isatty() and "CI" not in os.environ if self.progress is None else self.progress


@dataclass(frozen=True)
class Job:
    """A call to tune for. specialisation: the code in force."""

    program: Program
    specialisation: Specialisation
    prepared: Prepared
    disjoint: bool
    options: Options

    @cached_property
    def ranges(self) -> Mapping[str, tuple[int, int]]:
        return {} if self.options.deterministic else ranges_of(self.program, self._sizes)

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        return sizes_of(self.program, self.prepared.arguments)

    def artifact(self, configurations: Mapping[int, Configuration] | None = None) -> Artifact:
        """Generated code with these configurations; ConfigurationError if they are not legal."""
        axes = unit_axes_of(self.program, self.prepared.signature)
        return artifact_of(self.program, self._sizes, axes, self.options, self.ranges, configurations)

    def loaded(self, artifact: Artifact, code: bytes | None = None) -> Specialisation:
        """Generated code, ready to run for calls of these sizes. code: that of its module, if it is compiled already.

        It is right for its whole class, but how fast it is elsewhere nobody has measured.
        """
        signature, target = self.specialisation.signature, self.options.target_name
        code = backend_of(target).compiled(artifact.text) if code is None else code
        conditions = conditions_at(self.program, self._sizes)
        compiled = facts(artifact.program, artifact.configuration(), code, conditions)
        return launch.load(signature, replace(compiled, target=target))


@with_room
def tune(job: Job, budget: Budget) -> tuple[Specialisation, TuningReport]:
    """The best code found for a call, and how. Raises what the call raises."""
    from jitmdh import atf

    begin = time.perf_counter()
    condition = budget.condition()
    candidates = Candidates(job)
    parameters = candidates.space.of_tuner()
    if not parameters:
        raise ConfigurationError(f"{job.program.name}: there is nothing to tune: no loops, or the schedule says all")
    tuner = atf.tuner(atf.search_space(*parameters)).progress(budget.shows_progress).warm_start(candidates.space.first)
    tuner.search_technique(candidates.space.guide(candidates.prepare) if budget.technique is None else budget.technique)
    with candidates.compilers(budget):
        result = tuner.tune(candidates.cost, condition)
    return candidates.finish(begin, budget, tuner.space_size, result.interrupted)


@dataclass(frozen=True, slots=True)
class _Timed:
    """A candidate that ran and was right. changes: values that are not the model's; None: tuned before."""

    seconds: float
    specialisation: Specialisation
    changes: Mapping[str, Value] | None


class Candidates:
    """The search space of all computations of a program, and the cost of its points."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.history: list[Step] = []
        model = job.artifact()
        self.space = Spaces(model, job.options)
        self.trial = on_copies(job.specialisation, job.prepared)
        self.terms = max((prod(p.extents[d] for d in p.collapsed) for p in model.problems), default=1)
        specialisation = job.loaded(model)
        self.expected = [np.copy(a) for a in self._results(specialisation)]
        self.model = _Timed(min(self._sampled(specialisation, inf)), specialisation, {})
        self.finalists = [self.model]
        self.known: dict[str, atf.Invalid | float] = {model.text: self.model.seconds}
        self.texts: dict[Configurations, str] = {}  # the code of configurations that were generated
        self.ready: dict[str, tuple[Artifact, bytes]] = {}  # by that code
        self.together: Compilers | None = None

    # ------------------------------------------------------------------------------------------ compilation

    @contextmanager
    def compilers(self, budget: Budget) -> Iterator[None]:
        """Processes that compile beside this one, where there is time enough to make them worth their start."""
        from jitmdh.hca.devices.cpu_compilers import Compilers

        worth = budget.technique is None and (budget.total_seconds or 0.0) >= _WORTH_HELPERS_SECONDS
        self.together = Compilers(min(usable_cores() - 1, _MOST_HELPERS) if worth else 0)
        try:
            yield
        finally:
            self.together.close()

    def prepare(self, points: Sequence[Mapping[str, Any]]) -> None:
        """Compiles what points stand for, at the same time; nothing is compiled any more when `cost` measures them."""
        if self.together is None or self.together.count < 2:
            return
        made: dict[str, Artifact] = {}

        def texts() -> Iterator[str]:
            for values in map(self.space.values, points):
                configurations = self.space.configurations(values)
                if isinstance(configurations, str) or tuple(configurations.items()) in self.texts:
                    continue
                try:
                    artifact = self._generated(configurations)
                except Exception:  # `cost` meets it again, and says so
                    continue
                if artifact.text not in self.known and artifact.text not in made:
                    made[artifact.text] = artifact
                    yield artifact.text

        with compile_lock:
            found = self.together.compiled(texts())
        self.ready = {text: (made[text], code) for text, code in zip(made, found) if isinstance(code, bytes)}

    def _generated(self, configurations: Mapping[int, Configuration]) -> Artifact:
        artifact = self.job.artifact(configurations)
        self.texts[tuple(configurations.items())] = artifact.text
        return artifact

    # ------------------------------------------------------------------------------------------ the cost

    def cost(self, point: Mapping[str, Any]) -> atf.Invalid | float:
        """Seconds of a call with the configurations that a point stands for, or why there are none."""
        values = self.space.values(point)
        outcome, wrong = self._outcome(values)
        self.history.append(
            Step(values, outcome) if isinstance(outcome, float) else Step(values, None, outcome.reason, wrong)
        )
        return outcome

    def _outcome(self, values: Mapping[str, Value]) -> tuple[atf.Invalid | float, bool]:
        from jitmdh import atf

        changes = self.space.changes(values)
        configurations = self.space.configurations(values)
        if isinstance(configurations, str):
            return atf.invalid(configurations), False
        try:
            with compile_lock:
                text = self.texts.get(tuple(configurations.items()), "")
                if text in self.known:
                    return self.known[text], False
                artifact, code = self.ready.get(text) or (self._generated(configurations), None)
                if artifact.text in self.known:
                    return self.known[artifact.text], False
                specialisation = self.job.loaded(artifact, code)
            outcome = self._measured(specialisation, changes)
        except Exception as error:  # whatever a compiler or a candidate fails with is no business of the caller
            return atf.invalid(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"), False
        self.known[artifact.text] = atf.invalid("wrong result") if outcome is None else outcome
        return self.known[artifact.text], outcome is None

    def _measured(self, specialisation: Specialisation, changes: Mapping[str, Value]) -> float | None:
        """Seconds of a call; None if its result is not that of the model's configuration."""
        begin = time.perf_counter()
        results = self._results(specialisation)
        seconds = time.perf_counter() - begin
        if len(results) != len(self.expected) or not all(map(self._agree, results, self.expected)):
            return None
        best = min(t.seconds for t in self.finalists)
        if seconds <= _SLOWEST * best + _COLD_SECONDS:
            seconds = min(self._sampled(specialisation, _LOST * best))
        ranked = sorted([*self.finalists, _Timed(seconds, specialisation, changes)], key=lambda t: t.seconds)
        self.finalists = ranked[: _FINALISTS + 1]
        return seconds

    def _results(self, specialisation: Specialisation) -> list[Any]:
        """All that a call writes and returns."""
        self.trial.reset()
        returned = launch.run(specialisation, self.trial.prepared, self.job.disjoint)
        returned = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
        return [*(copy for copy, _ in self.trial.copies), *map(np.asarray, returned)]

    def _sampled(
        self, specialisation: Specialisation, cut_seconds: float, budget_seconds: float = _SAMPLING_SECONDS
    ) -> list[float]:
        return sampled(specialisation, self.trial, self.job.disjoint, budget_seconds, cut_seconds)

    def _agree(self, result: Any, expected: Any) -> bool:
        return agree(result, expected, self.terms)

    # ------------------------------------------------------------------------------------------ the end

    def finish(
        self, begin: float, budget: Budget, space_size: int, interrupted: bool
    ) -> tuple[Specialisation, TuningReport]:
        """The fastest candidates, the model's and the code in force measured in turns: which stays, and the report."""
        now, finalists = time.perf_counter(), self._finalists()
        left = _FINAL_SECONDS if budget.total_seconds is None else max(0.0, begin + budget.total_seconds - now)
        if interrupted:  # somebody waits: what has been measured decides, and code in force that was not
            rounds = [[t.seconds if t.seconds < inf else self._once(t) for t in finalists]]
        else:
            if len(finalists) > _LAST_FINALISTS + 1:
                finalists = self._last(finalists, self._in_turns(finalists, now + left / 2, _FIRST_ROUNDS))
            rounds = self._in_turns(finalists, now + left, _MOST_ROUNDS)
        typical = [_typical(own) for own in zip(*rounds)]
        able = [n for n in range(1, len(finalists)) if _clearly_faster(rounds, n)]
        winner = min(able, key=typical.__getitem__, default=0)
        chosen = finalists[winner]
        before = self.job.specialisation
        found = chosen.specialisation if winner or before.threads is not None else before
        if chosen.changes:
            found = _with_reason(found, f"tuned: {typical[0] / typical[winner]:.2f} times as fast as the model's")
        report = TuningReport(
            f"{self.job.program.name}({self.job.prepared.signature})",
            _plain(found.compiled.configuration), typical[winner], typical[0], chosen.changes or {},
            time.perf_counter() - begin, interrupted, space_size, tuple(self.history),
        )  # fmt: skip
        return found, report

    def _finalists(self) -> list[_Timed]:
        """The model's, the fastest others, and the code in force where that is yet another."""
        found = [self.model, *(t for t in self.finalists if t is not self.model)][: _FINALISTS + 1]
        before = self.job.specialisation
        known = any(before.compiled.code == t.specialisation.compiled.code for t in found)
        return found if known or before.plan is None else [*found, _Timed(inf, before, None)]

    def _last(self, finalists: list[_Timed], rounds: list[list[float]]) -> list[_Timed]:
        """The model's, the few that were fastest in turns, and the code in force."""
        typical = [_typical(own) for own in zip(*rounds)]
        fastest = sorted(range(1, len(finalists)), key=typical.__getitem__)[:_LAST_FINALISTS]
        return [t for n, t in enumerate(finalists) if n in (0, *fastest) or t.changes is None]

    def _once(self, finalist: _Timed) -> float:
        return min(self._sampled(finalist.specialisation, inf, _FINAL_SAMPLING_SECONDS))

    def _in_turns(self, finalists: list[_Timed], deadline: float, most: int) -> list[list[float]]:
        """Rounds of measurements, each with the seconds of all finalists."""
        rounds: list[list[float]] = []
        while len(rounds) < _LEAST_ROUNDS or (len(rounds) < most and time.perf_counter() < deadline):
            seconds = {}
            for t in finalists if len(rounds) % 2 else reversed(finalists):  # who comes first may gain or lose by it
                seconds[id(t)] = self._once(t)
            rounds.append([seconds[id(t)] for t in finalists])
        return rounds


def _typical(seconds: Sequence[float]) -> float:
    """The lower quartile: of calls that mostly were not disturbed."""
    return quantiles(seconds, n=4)[0] if len(seconds) > 2 else min(seconds)


def _clearly_faster(rounds: list[list[float]], number: int) -> bool:
    """Whether a finalist beats the first, the model's: mostly, round by round, and in few rounds also at its best.

    Other processes only ever make a call slower, but not each by as much: one figure alone is easily wrong.
    """
    own, model = [r[number] for r in rounds], [r[0] for r in rounds]
    if sum(a < b for a, b in zip(own, model)) < 3 / 4 * len(rounds):
        return False
    ratios = median(a / b for a, b in zip(own, model)), _typical(own) / _typical(model)
    if len(rounds) >= _MANY_ROUNDS:
        return max(ratios) < _CLEARLY_IN_MANY
    return max(*ratios, min(own) / min(model)) < _CLEARLY


def _with_reason(found: Specialisation, reason: str) -> Specialisation:
    configuration = {name: {**entry, "reasons": [reason]} for name, entry in found.compiled.configuration.items()}
    return replace(found, compiled=replace(found.compiled, configuration=configuration))


def _plain(configuration: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {k: v for k, v in entry.items() if k != "reasons"} for name, entry in configuration.items()}
