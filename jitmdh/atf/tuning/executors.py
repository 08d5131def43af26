"""Evaluations by somebody else's workers: an executor of `concurrent.futures`, or a Dask cluster."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from math import inf
from time import monotonic
from typing import Any

from jitmdh.atf.results.outcome import Cost, Invalid
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.parallel import Ended
from jitmdh.atf.tuning.processes import Measure, evaluated, raised_by
from jitmdh.base.errors import ConfigurationError


class Executing:
    """Cost function and configurations (as dictionaries) are sent to the workers, so they must be picklable there.

    An evaluation that is given up keeps its worker until it ends by itself: only processes of `workers=` can be killed.
    """

    def __init__(self, executor: Any, measure: Measure, slots: int | None) -> None:
        found = slots or getattr(executor, "_max_workers", None)
        if not callable(getattr(executor, "submit", None)):
            hint = "concurrent.futures.ProcessPoolExecutor(8)"
            raise ConfigurationError(f"tune: {executor!r} is no executor", hint=hint)
        if found is None:
            raise ConfigurationError(
                "tune: how many evaluations may run at a time is not known of this executor", hint="workers=8 beside it"
            )
        self._slots: int = found
        self._given_up: list[Future[Any]] = []
        self._executor, self._measure = executor, measure
        self._running: dict[Future[tuple[Cost | Invalid, bytes]], tuple[Configuration, float]] = {}

    @classmethod
    def of_client(cls, client: Any, measure: Measure, slots: int | None) -> Executing:
        """For a `distributed.Client`: as many at a time as its workers have threads.

        A task that a worker died of is tried on others as often as `distributed.scheduler.allowed-failures` says.
        """
        if not callable(getattr(client, "get_executor", None)):
            raise ConfigurationError(f"tune: {client!r} is no client", hint="distributed.Client(...)")
        threads = sum(client.nthreads().values())
        if not (slots or threads):
            raise ConfigurationError("tune: the cluster has no workers", hint="client.wait_for_workers(1)")
        return cls(client.get_executor(pure=False, retries=0), measure, slots or threads)

    @property
    def slots(self) -> int:
        """How many evaluations run at a time: less than at first while some that were given up go on."""
        self._given_up = [task for task in self._given_up if not task.done()]
        return self._slots - len(self._given_up)

    def start(self, configuration: Configuration) -> None:
        """Submits an evaluation."""
        task = self._executor.submit(_evaluated, self._measure, dict(configuration))
        self._running[task] = (configuration, monotonic())

    def wait(self, limit_s: float) -> list[Ended]:
        """What is over, or too late."""
        while True:
            left_s = min(since for _, since in self._running.values()) + limit_s - monotonic()
            done, _ = wait(
                self._running, timeout=None if left_s == inf else max(0.0, left_s), return_when=FIRST_COMPLETED
            )
            ended = [_result(self._running.pop(task)[0], task) for task in done]
            for task, (configuration, since) in [*self._running.items()]:
                if monotonic() - since >= limit_s:
                    if not task.cancel():
                        self._given_up.append(task)
                    del self._running[task]
                    ended.append(Ended(configuration, Invalid(f"it was given up after {limit_s:.3g} s")))
            if ended:
                return ended

    def stop(self) -> None:
        """Cancels what has not begun."""
        for task in self._running:
            task.cancel()
        self._running.clear()


def _evaluated(measure: Measure, configuration: Mapping[str, Any]) -> tuple[Cost | Invalid, bytes]:
    return evaluated(measure, configuration)  # type: ignore[arg-type]


def _result(configuration: Configuration, task: Future[tuple[Cost | Invalid, bytes]]) -> Ended:
    try:
        outcome, raised = task.result()
    except BrokenExecutor:
        raise
    except (Exception, CancelledError) as error:  # of the transport, or of a worker that died
        return Ended(configuration, Invalid(f"{type(error).__name__}: {error}"))
    return Ended(configuration, outcome, raised_by(raised, outcome))
