"""Program-guided tuning: run the user's real calls, and learn from them (thesis 5.6.4).

`step` explores plainly. A `Policy` makes it safe for a program in use: the time lost is bounded at every
moment, slow candidates are asked to stop, and the configuration in use changes only for a proven better one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf, log
from statistics import median
from typing import Any

from jitmdh.atf.results.outcome import Cost, Invalid, InvalidConfiguration, Measured, score
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.protocol import Steered
from jitmdh.base.errors import ConfigurationError

_MOST_REJECTED = 1000

Function = Callable[..., Any]


def unwrapped(value: Any) -> Any:
    """What the call computed; raises `InvalidConfiguration` if the best configuration rejected the call."""
    if isinstance(value, Invalid):
        raise InvalidConfiguration(f"the best configuration rejected the call: {value.reason}")
    return value.value if isinstance(value, Measured) else value


class Call:
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
        call = Call(tuner, configuration, function, args, kwargs)
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


class Duel:
    """A sequential test whether a challenger is faster than the incumbent, on calls in turns.

    Wald's test on which of two neighbouring calls was faster: chance one half against three quarters. Equal
    candidates win with probability below `_MISTAKE`, and noise of any distribution changes nothing about that.
    """

    __slots__ = ("challenger", "evidence", "pairs", "times", "waiting")

    _MISTAKE, _MISSED, _MOST = 0.002, 0.05, 60
    _WON, _LOST = log(0.75 / 0.5), log(0.25 / 0.5)

    def __init__(self, challenger: Configuration, first: float) -> None:
        self.challenger = challenger
        self.times = [first]
        self.evidence, self.pairs = 0.0, 0
        self.waiting: float | None = None
        """The challenger's time that still lacks one of the incumbent to compare with."""

    def compared(self, incumbent: float) -> bool | None:
        """Takes in the incumbent's time: True if the challenger has won, False if not, None: go on."""
        assert self.waiting is not None, "the challenger's call comes first"
        self.evidence += self._WON if self.waiting < incumbent else self._LOST
        self.waiting, self.pairs = None, self.pairs + 1
        if self.evidence >= -log(self._MISTAKE):
            return True
        return False if self.evidence <= log(self._MISSED) or self.pairs >= self._MOST else None


class Policy:
    """Bounded regret and proven choices; see `Tuner.tuning_overhead`.

    The incumbent is the configuration in use. Time lost is what candidates took beyond the incumbent's median
    (all of it where they gave up). At every moment it stays below `share` of the time of the other calls:
    a trial starts only if the dearest outcome to be expected fits: giving up after `cut` times the
    incumbent's time, or the dearest trial of late for functions that do not give up. The share fades while
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
        self.calls = self.slow = self.idle = self.switches = 0
        self.limit_s = inf
        self._dearest_s = 0.0
        self._first_s = 0.0
        self._times: deque[float] = deque(maxlen=15)
        self._costs: deque[float] = deque(maxlen=15)
        self._incumbent: Configuration | None = None
        self._duel: Duel | None = None

    @property
    def usual_s(self) -> float:
        """The incumbent's median time of late."""
        return median(self._times)

    def allows(self) -> bool:
        """Whether the dearest outcome to be expected of a trial still fits."""
        if self.slow >= self._SLOW_FIRST + self._SLOW_SHARE * self.calls:
            return False
        return self.lost_s + max(self.cut * self.usual_s, self._dearest_s) <= self.earned_s

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
        duel = self._duel
        if self._times and self.allows():
            if duel is not None and duel.waiting is None:
                call = self._tried(tuner, duel.challenger, function, args, kwargs)
                if not isinstance(call.cost, Invalid):
                    duel.waiting = score(call.cost)
                    duel.times.append(duel.waiting)
                    return call.value
                self._decided(tuner, False)
            elif duel is None:
                if tuner.finished():
                    tuner.exploit()
                candidate = tuner.ask()
                if candidate is not incumbent:
                    call = self._tried(tuner, candidate, function, args, kwargs)
                    if self._admitted(tuner, candidate, call):
                        return call.value
        return self._used(tuner, incumbent, function, args, kwargs)

    def _first(self, tuner: Steered, function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        value = step(tuner, function, args, kwargs)
        tuner.choose(tuner.best_configuration)
        return value

    def _tried(
        self,
        tuner: Steered,
        candidate: Configuration,
        function: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Call:
        """A call with a candidate, its time above the incumbent's being lost."""
        usual = self.usual_s
        self.limit_s = self.cut * usual
        try:
            call = Call(tuner, candidate, function, args, kwargs)
        finally:
            self.limit_s = inf
        invalid = isinstance(call.cost, Invalid)
        lost = call.seconds if invalid else max(0.0, call.seconds - usual)
        self.lost_s += lost
        self._dearest_s = max(lost, 0.95 * self._dearest_s)
        self.slow += call.seconds + usual * invalid > self._SLOW * self._first_s
        return call

    def _admitted(self, tuner: Steered, candidate: Configuration, call: Call) -> bool:
        """Whether the call has a value; a candidate that may be better gets its duel, others are told."""
        self.idle += 1
        if isinstance(call.cost, Invalid):
            tuner.tell(candidate, call.cost)
            return False
        first = score(call.cost)
        if first < 1.02 * median(self._costs):
            self._duel = Duel(candidate, first)
        else:
            tuner.tell(candidate, call.cost)
        return True

    def _used(
        self,
        tuner: Steered,
        incumbent: Configuration,
        function: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        call = Call(tuner, incumbent, function, args, kwargs)
        if isinstance(call.cost, Invalid):
            return unwrapped(call.cost)
        if self._first_s == 0.0:
            self._first_s = call.seconds
        self._times.append(call.seconds)
        self._costs.append(score(call.cost))
        usual = min(call.seconds, self.usual_s)
        self.earned_s += self.share * usual * self._PATIENCE / (self._PATIENCE + self.idle)
        if self._duel is not None and self._duel.waiting is not None:
            verdict = self._duel.compared(score(call.cost))
            if verdict is not None:
                self._decided(tuner, verdict)
        return call.value

    def _decided(self, tuner: Steered, won: bool) -> None:
        duel, self._duel = self._duel, None
        assert duel is not None, "only a duel is decided"
        if won:
            self.idle = 0
            self.switches += 1
            tuner.choose(duel.challenger)
            self._times.clear()
            self._costs.clear()
        tuner.tell(duel.challenger, median(duel.times))
