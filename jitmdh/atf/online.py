"""One step of program-guided tuning: run the user's real call, and learn from it (thesis 5.6.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from jitmdh.atf.outcome import Invalid, InvalidConfiguration, Measured
from jitmdh.base.errors import ConfigurationError

if TYPE_CHECKING:
    from jitmdh.atf.tuning import Tuner

_MOST_REJECTED = 1000


class Budget:
    """Bounded regret: the time lost in candidates slower than the best stays below a share of all time."""

    __slots__ = ("_excess", "lost", "share", "total", "trials")

    def __init__(self, share: float) -> None:
        self.share, self.total, self.lost, self.trials = share, 0.0, 0.0, 0
        self._excess = 0.0

    @classmethod
    def checked(cls, share: float) -> Budget:
        """Raises `ConfigurationError` unless the share is positive."""
        if not share > 0:
            raise ConfigurationError(f"tuning_overhead: the share must be positive, not {share}")
        return cls(share)

    def allows(self) -> bool:
        """Whether another trial, as expensive as the dearest of late, would stay within the budget."""
        return self.trials < 1 or self.lost + self._excess <= self.share * self.total

    def used(self, seconds: float, best: float, trial: bool) -> None:
        """Accounts for one call; `best` is the best time known before it."""
        self.total += seconds
        if trial:
            self.trials += 1
            excess = max(0.0, seconds - best)
            self.lost += excess
            self._excess = max(excess, 0.9 * self._excess)


def unwrapped(value: Any) -> Any:
    """What the call computed; raises `InvalidConfiguration` if the best configuration rejected the call."""
    if isinstance(value, Invalid):
        raise InvalidConfiguration(f"the best configuration rejected the call: {value.reason}")
    return value.value if isinstance(value, Measured) else value


def step(
    tuner: Tuner,
    budget: Budget | None,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """See `Tuner.make_step`."""
    best = tuner.best_configuration
    if best is not None and budget is not None and (tuner.exploiting or not budget.allows()):
        start = perf_counter()
        value = function(best, *args, **kwargs)
        budget.used(perf_counter() - start, 0.0, trial=False)
        return unwrapped(value)
    for _ in range(_MOST_REJECTED):
        configuration = tuner.ask()
        start = perf_counter()
        try:
            value = function(configuration, *args, **kwargs)
        except InvalidConfiguration as error:
            tuner.tell(configuration, Invalid(error.message))
            continue
        except Exception as error:
            tuner.tell(configuration, Invalid(f"{type(error).__name__}: {error}"))
            raise
        seconds = perf_counter() - start
        if isinstance(value, Invalid):
            tuner.tell(configuration, value)
            continue
        best_seconds = tuner.best_score
        cost: Any = seconds
        if isinstance(value, Measured):
            value, cost = value.value, value.cost
        tuner.tell(configuration, cost)
        if budget is not None:
            known = best_seconds if best_seconds < float("inf") else seconds
            budget.used(seconds, known, trial=True)
        if not tuner.exploiting and tuner.best_configuration is not None and tuner.finished():
            tuner.exploit()
        return value
    raise InvalidConfiguration(
        f"make_step: {_MOST_REJECTED} configurations in a row rejected the call",
        hint="make the constraints of the space exclude them.",
    )
