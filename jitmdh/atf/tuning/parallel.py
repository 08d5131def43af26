"""Tuning with several evaluations at a time: nobody waits for the slowest one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, TypedDict

from jitmdh.atf.results.outcome import Cost, Invalid
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.abort import Condition, satisfied
from jitmdh.atf.tuning.protocol import Steered
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError
from jitmdh.base.records import dataclass

_GIVE_UP_AFTER = 20


class Where(TypedDict, total=False):
    """The keywords of `Tuner.tune` that say where evaluations run, and where that is shown."""

    workers: int
    """Processes on this machine (or, with an executor or a client, how many evaluations at a time)."""
    executor: Any
    """A `concurrent.futures.Executor`."""
    client: Any
    """A `distributed.Client`."""
    exclusive: bool
    """Each of the `workers` gets cores of its own."""
    timeout_s: float | None
    """An evaluation that takes longer is given up, and its process ended."""
    prune: float | None
    """The same after so many times the duration of the best one's evaluation."""
    live: str | Path | None
    """The report is written there again and again while tuning goes on, as a page that refreshes itself."""


@dataclass(frozen=True, slots=True)
class Ended:
    """An evaluation that is over. error: what the cost function raised, if that was no refusal."""

    configuration: Configuration
    outcome: Cost | Invalid
    error: Exception | None = None


class Pool(Protocol):
    """Who evaluates."""

    @property
    def slots(self) -> int:
        """How many evaluations run at a time."""

    def start(self, configuration: Configuration) -> None:
        """Begins an evaluation; at most `slots` run."""

    def wait(self, limit_s: float) -> Iterable[Ended]:
        """The evaluations that are over, at least one; those that ran longer than the limit are given up."""

    def stop(self) -> None:
        """Ends everything, whatever still runs."""


class _Planned:
    """The tuner, as if what is running were told: so no more evaluations begin than are wanted."""

    def __init__(self, tuner: Steered, running: int) -> None:
        self._tuner, self._running = tuner, running

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tuner, name)

    @property
    def evaluation_count(self) -> int:
        """Told and running ones."""
        return self._tuner.evaluation_count + self._running


def evaluate_in(
    tuner: Steered, pool: Pool, condition: Condition, limits: Where, update: Callable[[], None] = lambda: None
) -> str:
    """Keeps all slots of the pool busy until the condition holds or nothing is left; returns which: "" or why not."""
    began: dict[int, float] = {}
    failures, longest_s, best_s = 0, 0.0, 0.0
    while True:
        holds = satisfied(condition, tuner)
        while not holds and len(began) < pool.slots and not satisfied(condition, _Planned(tuner, len(began))):
            configuration = tuner.propose()
            if configuration is None:
                break
            began[configuration.index] = tuner.clock()
            pool.start(configuration)
        if not began and not holds and not pool.slots:
            raise ConfigurationError("tune: no worker is left", reason="all of them hang in evaluations given up.")
        if holds or not began:
            return "" if holds else "space exhausted"
        for ended in pool.wait(_limit_s(limits, longest_s, best_s)):
            seconds = tuner.clock() - began.pop(ended.configuration.index)
            failures = failures + 1 if ended.error is not None else 0
            if isinstance(ended.error, ArgumentTypeError):
                raise ended.error
            before = tuner.best_score
            tuner.tell(ended.configuration, ended.outcome)
            if not isinstance(ended.outcome, Invalid):
                longest_s = max(longest_s, seconds)
                best_s = seconds if tuner.best_score < before else best_s
            none_yet = tuner.best_configuration is None
            if ended.error is not None and none_yet and failures >= min(_GIVE_UP_AFTER, tuner.space_size):
                raise ended.error
            update()


_PATIENCE, _LEAST_S = 20.0, 60.0
"""Without a limit of the user's, an evaluation hangs after so many times the longest one, and so many seconds."""


def _limit_s(limits: Where, longest_s: float, best_s: float) -> float:
    limit_s, prune = limits.get("timeout_s"), limits.get("prune")
    found = max(_LEAST_S, _PATIENCE * longest_s) if limit_s is None else limit_s
    return min(found, prune * best_s) if prune is not None and best_s > 0 else found
