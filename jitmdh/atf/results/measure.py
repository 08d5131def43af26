"""Repeated measurement with racing: bad candidates are dropped early, close ones are measured in turns."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from jitmdh.atf.results.outcome import Cost, Invalid, as_outcome, negative
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Repetition:
    """Measure up to `times`; with `racing`, give up early on a candidate that clearly lost."""

    times: int = 1
    racing: bool = True
    finalists: int = 3


@dataclass(frozen=True, slots=True)
class Maximised:
    """A cost function of which more is better; see `maximise`."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Cost | Invalid:
        """The negative, of which less is better."""
        outcome = as_outcome(self.function(*arguments))
        return outcome if isinstance(outcome, Invalid) else negative(outcome)

    @property
    def one_at_a_time(self) -> str:
        """Why evaluations may not overlap; empty if they may."""
        return str(getattr(self.function, "one_at_a_time", ""))


def maximise(function: Callable[..., Any]) -> Maximised:
    """For `Tuner.tune`: more of what the function returns is better; of a tuple, more of each component.

    The result and abort conditions have what the function returns; a history file has its negative.

    >>> from jitmdh import atf
    >>> T = atf.tuning_parameter("T", atf.interval(1, 64))
    >>> print(atf.tuner(T).tune(atf.maximise(lambda c: 10 - abs(c["T"] - 40))).best_cost)
    10
    """
    if not callable(function):
        raise ArgumentTypeError(f"maximise: {function!r} cannot be called")
    return Maximised(function)


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
