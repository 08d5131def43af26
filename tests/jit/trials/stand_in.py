"""Tuning while a program runs, hurried: functions earn trials at once, and candidates come from this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jitmdh.atf.tuning.batches import Contest, Decision
from jitmdh.base.settings import config
from jitmdh.jit import specialisations
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.pipeline import artifact_of, conditions_of, facts, unit_axes_of
from jitmdh.jit.online import helper_main
from jitmdh.jit.online.candidate import EXHAUSTED, Candidate, CodeRequest, Outcome, Task, Verdict
from jitmdh.jit.trials import budget, observe, proposals, session, worker
from jitmdh.jit.trials.helper_search import Search
from tests.waiting import PATIENCE

Array = np.ndarray[Any, Any]


class InProcess:
    """Proposes and compiles here, and says of each candidate what `outcome_of` does (its fields but for `number`)."""

    most = 6
    """Candidates of a task."""
    outcome_of: Callable[[Any], Outcome] = staticmethod(
        lambda compiled: Outcome(0, Verdict.RIGHT, compiled, seconds=0.9, incumbent_seconds=1.0)
    )
    process_id = None
    waiting = 0
    alive = True

    def __init__(self) -> None:
        self.numbers = 0
        self.searches: dict[Task, Search] = {}
        self.counts: dict[Task, int] = {}
        self.done: list[Outcome] = []
        self.paused = 0

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def submit(self, candidate: Candidate | CodeRequest) -> int:
        self.numbers += 1
        if isinstance(candidate, CodeRequest):
            self.done.append(Outcome(self.numbers, Verdict.RIGHT, helper_main.asked(candidate)))
            return self.numbers
        task = candidate.task
        self.counts[task] = self.counts.get(task, 0) + 1
        if task not in self.searches:
            self.searches[task] = Search(task)
        proposed = self.searches[task].proposed() if self.counts[task] <= self.most else None
        if proposed is None:
            outcome = Outcome(self.numbers, Verdict.ILLEGAL, reason=EXHAUSTED)
        else:
            axes, found = unit_axes_of(task.program, task.signature), proposed[1]
            given = (task.program, task.sizes, axes, task.options, task.ranges)
            made = artifact_of(*given, found.configurations, found.joined)
            code = backend_of("cpu").compiled(made.text)
            compiled = facts(made.program, made.configuration(), code, conditions_of(task.ranges))
            outcome = replace(type(self).outcome_of(compiled), number=self.numbers)
            self.searches[task].learned(proposed[0], outcome)
        self.done.append(outcome)
        return self.numbers

    def poll(self) -> list[Outcome]:
        found, self.done = self.done, []
        return found

    def tried(self, task: Task, number: int, ratio: float) -> None:
        pass

    def won(self, task: Task, number: int, ratio: float) -> None:
        pass

    def forget(self, task: Task) -> None:
        self.searches.pop(task, None)

    def pause(self) -> None:
        self.paused += 1

    def resume(self) -> None:
        self.paused -= 1

    def cpu_seconds(self) -> float:
        return 0.0


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Trials begin after a millisecond of calls, with all of the time as budget, and the worker hardly sleeps."""
    for module in (budget, observe, worker):
        monkeypatch.setattr(module, "LEAST_SECONDS", 1e-4)
    monkeypatch.setattr(specialisations, "EARNED_SECONDS", 1e-4)
    monkeypatch.setattr(worker, "_WAKES_PER_SECOND", 1000)
    monkeypatch.setattr(session, "_BEFORE_SECOND_THOUGHTS_SECONDS", 1e-4)
    monkeypatch.setattr(worker, "_SLICE_SECONDS", 0.0)
    monkeypatch.setattr(observe, "_COPY_SECONDS", 0.0)
    monkeypatch.setattr(observe, "_COPY_BYTES_PER_SECOND", 1e15)
    monkeypatch.setattr(proposals, "Proposals", InProcess)
    monkeypatch.setattr(worker, "_present", [])
    monkeypatch.setattr(worker, "_share", [])
    with config(tuning_overhead=1.0):
        worker._share[:] = [1.0]
        worker.worker().budget._earned_seconds = 1e6  # as if much had been run before
        worker.worker().budget.run_seconds = 1e6
        yield
        worker._share[:] = [0.0]
        ended(worker.worker())


@pytest.fixture
def switching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every challenger wins as soon as it has run, but code that was in force before."""
    honest = Contest.told

    def told(self: Contest, pairs: Any) -> Decision:
        present = self._present
        if not pairs or present is None:
            return honest(self, pairs)
        self._present = None
        if present.configuration.former:  # type: ignore[attr-defined]
            self._over(present)
            return Decision.KEEP
        present.ratios.append(0.5)
        self._switch(present)
        return Decision.SWITCH

    monkeypatch.setattr(Contest, "told", told)


def ended(found: worker.Worker) -> None:
    """Waits until the worker's thread has ended, calls or no calls."""
    for running in list(found.sessions):
        running.site.function.codes.tuned.forget(running.site.specialisation.signature)
    found.off = "the test is over"
    deadline = time.monotonic() + PATIENCE
    while found.runs:
        for running in list(found.sessions):
            running.ended = running.ended or "the test is over"
        assert time.monotonic() < deadline, "the worker's thread does not end"
        time.sleep(0.002)


def until(function: Any, call: Callable[[], object], condition: Callable[[], bool], seconds: float = PATIENCE) -> int:
    """Calls until a condition holds; how often."""
    deadline, calls = time.monotonic() + seconds, 0
    while not condition():
        call()
        calls += 1
        assert time.monotonic() < deadline, (function.record, worker.worker().off)
    return calls


def is_done(function: Any) -> bool:
    """Whether the search has ended for every call that was searched."""
    states = function.record.states
    broken = [state for state in states.values() if "Error: " in state]  # a fault ends the search, not the program
    assert not broken, broken
    return bool(states) and all(state == "done" for state in states.values())


__all__ = ["InProcess", "hurried", "is_done", "session", "switching", "until"]
