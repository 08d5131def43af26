"""Program-guided tuning: run the user's real calls, and learn from them (thesis 5.6.4).

`step` explores plainly. A `Policy` makes it safe for a program in use: the time lost is bounded at every
moment, slow candidates are asked to stop, and the configuration in use changes only for a proven better one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf
from statistics import median
from typing import Any

from jitmdh.atf.results.outcome import Cost, Invalid, InvalidConfiguration, Measured, score
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.batches import Batch, Contest, Decision
from jitmdh.atf.tuning.protocol import Steered
from jitmdh.base.errors import ConfigurationError

_MOST_REJECTED = 1000

Function = Callable[..., Any]


def unwrapped(value: Any) -> Any:
    """What the call computed; raises `InvalidConfiguration` if the best configuration rejected the call."""
    if isinstance(value, Invalid):
        raise InvalidConfiguration(f"the best configuration rejected the call: {value.reason}")
    return value.value if isinstance(value, Measured) else value


class TimedCall:
    """One call of the user's function with a configuration: value, cost, and how long it took.

    A configuration that rejects the call gives `Invalid` as its cost; any other exception is told to the tuner
    and raised.
    """

    __slots__ = ("cost", "seconds", "value")

    def __init__(
        self,
        tuner: Steered,
        configuration: Configuration,
        function: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        start = tuner.clock()
        try:
            self.value = function(configuration, *args, **kwargs)
        except InvalidConfiguration as error:
            self.value = Invalid(error.message)
        except Exception as error:
            tuner.tell(configuration, Invalid(f"{type(error).__name__}: {error}"))
            raise
        self.seconds = tuner.clock() - start
        self.cost: Cost | Invalid = self.seconds
        if isinstance(self.value, Invalid):
            self.cost = self.value
        elif isinstance(self.value, Measured):
            self.value, self.cost = self.value.value, self.value.cost


def step(tuner: Steered, function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """One step that explores, as `Tuner.make_step` does without a bound on the overhead."""
    if not tuner.exploiting and tuner.best_configuration is not None and tuner.finished():
        tuner.exploit()  # known from a history: no trial at all
        return unwrapped(function(tuner.best_configuration, *args, **kwargs))
    for _ in range(_MOST_REJECTED):
        configuration = tuner.ask()
        call = TimedCall(tuner, configuration, function, args, kwargs)
        tuner.tell(configuration, call.cost)
        if isinstance(call.cost, Invalid):
            continue
        if not tuner.exploiting and tuner.finished():
            tuner.exploit()
        return call.value
    raise InvalidConfiguration(
        f"make_step: {_MOST_REJECTED} configurations in a row rejected the call",
        hint="make the constraints of the space exclude them.",
    )


class Policy:
    """Bounded regret and proven choices; see `Tuner.tuning_overhead`.

    The incumbent is the configuration in use. Time lost is what candidates took beyond the incumbent's median
    (all of it where they gave up). At every moment it stays below `share` of the time of the other calls:
    a trial starts only if the most expensive outcome to be expected fits: giving up after `cut` times the
    incumbent's time, or the most expensive recent trial for functions that do not give up. The share fades while
    trials bring no improvement, and so does the overhead. Calls slower than 1.1 times the first incumbent
    are few: at most `_SLOW_FIRST` and `_SLOW_SHARE` of all.
    """

    _PATIENCE, _SLOW, _SLOW_FIRST, _SLOW_SHARE = 200, 1.1, 90, 0.0045

    def __init__(self, share: float, cut: float = 3.0) -> None:
        if not share > 0:
            raise ConfigurationError(f"tuning_overhead: the share must be positive, not {share}")
        if not cut > 1:
            raise ConfigurationError(f"tuning_overhead: cut must be greater than one, not {cut}")
        self.share, self.cut = share, cut
        self.lost_s = self.earned_s = 0.0
        self.calls = self.slow = 0
        self.limit_s = inf
        self._most_expensive_s = 0.0
        self._first_s = 0.0
        self._times: deque[float] = deque(maxlen=15)
        self._costs: deque[float] = deque(maxlen=15)
        self._contest: Contest | None = None
        self._waiting: float | None = None  # the challenger's cost that lacks one of the incumbent to compare with

    @property
    def switches(self) -> int:
        """How often another configuration has been proven better."""
        return 0 if self._contest is None else self._contest.switches

    @property
    def usual_s(self) -> float:
        """The incumbent's median time in recent calls."""
        return median(self._times)

    def allows(self) -> bool:
        """Whether the most expensive outcome to be expected of a trial still fits."""
        if self.slow >= self._SLOW_FIRST + self._SLOW_SHARE * self.calls:
            return False
        return self.lost_s + max(self.cut * self.usual_s, self._most_expensive_s) <= self.earned_s

    def step(self, tuner: Steered, function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """One call of the user's program."""
        self.calls += 1
        incumbent = tuner.best_configuration
        if incumbent is None:
            return self._first(tuner, function, args, kwargs)
        if self.calls == 1:  # known from a history
            tuner.choose(incumbent)
            if tuner.finished():
                tuner.exploit()
        if self._times and self._waiting is None and self.allows():
            contest = self._contest or self._begun(tuner)
            batch = contest.next() or self._offered(contest, tuner, incumbent)
            if batch is not None:
                call = self._tried(tuner, batch.configuration, function, args, kwargs)
                if not isinstance(call.cost, Invalid):
                    self._waiting = score(call.cost)
                    return call.value
                contest.failed(call.cost.reason)
        return self._used(tuner, incumbent, function, args, kwargs)

    def _first(self, tuner: Steered, function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        value = step(tuner, function, args, kwargs)
        tuner.choose(tuner.best_configuration)
        return value

    def _begun(self, tuner: Steered) -> Contest:
        self._contest = Contest(tuner, self._PATIENCE)
        self._contest.began(median(self._costs))
        return self._contest

    def _offered(self, contest: Contest, tuner: Steered, incumbent: Configuration) -> Batch | None:
        """What to run after one more candidate has been asked for, if there is any."""
        if tuner.finished():
            tuner.exploit()
        candidate = tuner.ask()
        if candidate is incumbent:
            return None
        contest.offer(candidate)
        return contest.next()

    def _tried(
        self,
        tuner: Steered,
        candidate: Configuration,
        function: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> TimedCall:
        """A call with a candidate, its time above the incumbent's being lost."""
        usual = self.usual_s
        self.limit_s = self.cut * usual
        try:
            call = TimedCall(tuner, candidate, function, args, kwargs)
        finally:
            self.limit_s = inf
        invalid = isinstance(call.cost, Invalid)
        lost = call.seconds if invalid else max(0.0, call.seconds - usual)
        self.lost_s += lost
        self._most_expensive_s = max(lost, 0.95 * self._most_expensive_s)
        self.slow += call.seconds + usual * invalid > self._SLOW * self._first_s
        return call

    def _used(
        self,
        tuner: Steered,
        incumbent: Configuration,
        function: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        call = TimedCall(tuner, incumbent, function, args, kwargs)
        if isinstance(call.cost, Invalid):
            return unwrapped(call.cost)
        if self._first_s == 0.0:
            self._first_s = call.seconds
        self._times.append(call.seconds)
        self._costs.append(score(call.cost))
        usual = min(call.seconds, self.usual_s)
        contest = self._contest
        idle = 0 if contest is None else contest.idle
        self.earned_s += self.share * usual * self._PATIENCE / (self._PATIENCE + idle)
        if contest is not None and self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            if contest.told([(waiting, score(call.cost))]) is Decision.SWITCH:
                self._times.clear()
                self._costs.clear()
        return call.value
