"""Repeated measurement with racing: bad candidates are dropped early, close ones are measured in turns."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from jitmdh.atf.results.outcome import Cost, Invalid, as_outcome
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Repetition:
    """Measure up to `times`; with `racing`, give up early on a candidate that clearly lost."""

    times: int = 1
    racing: bool = True
    finalists: int = 3


def repetition(times: int, racing: bool, finalists: int) -> Repetition:
    """Checked settings; raises `ConfigurationError`."""
    if not all(isinstance(given, int) and given >= 1 for given in (times, finalists)):
        raise ConfigurationError(
            f"repeats: {times} measurements of {finalists} finalists; both must be positive integers"
        )
    return Repetition(times, racing, finalists)


def spread(costs: list[float]) -> float:
    """A robust standard deviation (from the median absolute deviation)."""
    middle = median(costs)
    return 1.4826 * median(abs(c - middle) for c in costs)


def combined(costs: list[Cost]) -> Cost:
    """The median, per objective: one outlier of any size does not move it far."""
    if len(costs) == 1:
        return costs[0]
    rows = [c if isinstance(c, tuple) else (c,) for c in costs]
    middle = tuple(float(median(column)) for column in zip(*rows))
    return middle if isinstance(costs[0], tuple) else middle[0]


class Racer:
    """Measures one configuration after another against the best one so far."""

    def __init__(self, settings: Repetition) -> None:
        self.settings = settings
        self._incumbent: list[float] = []

    def measure(self, once: Callable[[], Any]) -> Cost | Invalid:
        """The median of the measurements, or the reason why the configuration is invalid."""
        costs: list[Cost] = []
        for _ in range(self.settings.times):
            outcome = as_outcome(once())
            if isinstance(outcome, Invalid):
                return outcome
            costs.append(outcome)
            if self.settings.racing and len(costs) >= 2 and self._lost(costs):
                return combined(costs)
        self._defend(costs)
        return combined(costs)

    def _lost(self, costs: list[Cost]) -> bool:
        """All measurements lie more than three spreads above the best one's median."""
        numbers = _numbers(costs)
        if not self._incumbent or not numbers:
            return False
        middle = median(self._incumbent)
        noise = max(spread(self._incumbent), 0.005 * abs(middle))
        return min(numbers) > middle + 3 * noise

    def _defend(self, costs: list[Cost]) -> None:
        numbers = _numbers(costs)
        if numbers and (not self._incumbent or median(numbers) < median(self._incumbent)):
            self._incumbent = numbers


def _numbers(costs: list[Cost]) -> list[float]:
    """The costs as numbers; empty if there are several objectives, which are not raced."""
    return [c for c in costs if not isinstance(c, tuple)]
