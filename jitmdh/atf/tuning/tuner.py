"""The tuner: `tune`, `ask` and `tell`, `make_step`. Usable from any thread; installs no signal handler."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from math import inf
from operator import index
from pathlib import Path
from time import perf_counter
from typing import Any, Unpack, overload

from jitmdh.atf.results import history as histories
from jitmdh.atf.results.best import Knowledge
from jitmdh.atf.results.measure import Racer, Repetition, repetition
from jitmdh.atf.results.outcome import Cost, Invalid, InvalidConfiguration, Measured, as_outcome, score
from jitmdh.atf.results.result import TuningResult
from jitmdh.atf.results.shared_history import SharedHistory, opened
from jitmdh.atf.search.protocol import Technique
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.parameter import TuningParameter
from jitmdh.atf.space.space import SearchSpace, search_space
from jitmdh.atf.techniques.registry import technique as technique_named
from jitmdh.atf.tuning.abort import Condition, as_condition, evaluations, satisfied
from jitmdh.atf.tuning.online import Policy, step, unwrapped
from jitmdh.atf.tuning.parallel import Where
from jitmdh.atf.tuning.proposer import Proposer
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError

_WRAPPED = (Measured, Invalid)


class Tuner:
    """Searches a space for the configuration of least cost; see `tuner`.

    The setters return the tuner, so they chain. Everything random follows from `seed`. `clock` (in seconds)
    is what durations, budgets and the default technique go by; replays put a simulated one here.
    """

    def __init__(
        self, space: SearchSpace, *, pareto: bool = False, seed: int = 0, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.space, self.clock = space, clock
        self._seed, self._pareto = _whole("seed", seed), pareto
        self._technique: Technique = technique_named("default")
        self._condition: Condition | None = None
        self._repetition = Repetition()
        self._policy: Policy | None = None
        self._chosen = self._progress = self._exploiting = False
        self._lock = threading.RLock()
        self._best: Configuration | None = None
        self._best_position = -1
        self._shared: SharedHistory | None = None
        self._first: list[int] = []
        self._prior: list[dict[int, float]] = []
        self._proposer: Proposer | None = None
        self._knowledge = Knowledge(space, pareto, seed)
        self._began = self._before = 0.0

    def fresh(self) -> Tuner:
        """One with the same settings that has measured nothing, and keeps no file."""
        made = Tuner(self.space, pareto=self._pareto, seed=self._seed, clock=self.clock)
        made._technique, made._condition, made._repetition = self._technique, self._condition, self._repetition
        made._first, made._prior, made._progress = self._first, self._prior, self._progress
        return made

    def search_technique(self, given: str | Technique | type) -> Tuner:
        """By name (see `technique_names`), or your own object or class with the `Technique` protocol."""
        self._unstarted("search_technique")
        self._technique = technique_named(given)
        return self

    def abort_condition(self, condition: object) -> Tuner:
        """When `tune` stops and `make_step` turns to the best known; by default, once all is measured."""
        self._condition = as_condition(condition)
        return self

    def seed(self, seed: int) -> Tuner:
        """Another seed gives another, equally reproducible run."""
        self._unstarted("seed")
        self._seed = _whole("seed", seed)
        self._knowledge.reseed(self._seed)
        return self

    def repeats(self, times: int, *, racing: bool = True, finalists: int = 3) -> Tuner:
        """For noisy costs: the median of `times` measurements decides, clear losers are dropped after two
        (`racing`), and the `finalists` best are measured again in turns at the end."""
        self._repetition = repetition(times, racing, finalists)
        return self

    def tuning_overhead(self, share: float, *, cut: float = 3.0) -> Tuner:
        """Makes `make_step` safe for a program in use.

        The time lost to slow candidates stays at every moment below this share of the time of the other
        calls, if candidates that exceed `time_limit_s` (`cut` times the usual time) give up by returning
        `atf.invalid(...)`; the call is then served by the best configuration. If they cannot, the most expensive
        recent one stands for the next. And another configuration is used only once it has won a sequential test
        against the present one, so noise decides nothing: equal ones win in less than 1 % of tests.
        """
        self._policy = Policy(share, cut)
        return self

    @property
    def time_limit_s(self) -> float:
        """How long the call now running may take before it should give up; infinity if it need not."""
        return self._policy.limit_s if self._policy is not None else inf

    def progress(self, shown: bool = True) -> Tuner:
        """Shows a progress line with `rich` during `tune`."""
        self._progress = shown
        return self

    def history(self, path: str | Path, *, resume: bool = True) -> Tuner:
        """Keeps every evaluation in a file of JSON lines. `resume`: what stands there already counts as
        measured, also if ranges have changed since; otherwise the file is overwritten. Several processes of one
        machine may keep the same file at a time: what one has measured all know, and it counts for all."""
        self._unstarted("history")
        self._shared, known = opened(self.space, path, resume)
        for position, outcome, seconds in known:
            self._knowledge.add(position, outcome, seconds)
            self._before = max(self._before, seconds)
        if known and self._knowledge.best_position >= 0:
            self._turn_to(self._knowledge.best_position)
        return self

    def warm_start(self, *sources: object, count: int = 5) -> Tuner:
        """Begins with the `count` best configurations of each source: a result, a history, or a history file,
        possibly of another space (an earlier input size), moved to the nearest valid ones; or with a
        configuration itself. Techniques with a model also learn from all other costs of a source, as far as
        they turn out to resemble those here, until they have forty of their own."""
        self._unstarted("warm_start")
        for source in sources:
            moved = _moved(source, self.space)
            self._first += [position for position, _ in moved[:count]]
            if len(moved) > count:
                self._prior.append({position: score(cost) for position, cost in reversed(moved)})
        return self

    def _unstarted(self, setting: str) -> None:
        if self._proposer is not None:
            raise ConfigurationError(f"{setting}: tuning has begun already", hint="make a new atf.tuner(space)")

    def _start(self) -> Proposer:
        if self._proposer is None:
            self._began = self.clock() - self._before
            known = self._knowledge.scores
            self._proposer = Proposer(
                self.space, self._technique, self._seed, known, self._first, self.clock, self._prior
            )
        return self._proposer

    # What abort conditions look at.

    @property
    def evaluation_count(self) -> int:
        """How many evaluations were told, including those resumed from a history."""
        return len(self._knowledge.history)

    @property
    def seconds(self) -> float:
        """The time since tuning began, plus that of a resumed history."""
        return self.clock() - self._began if self._proposer is not None else self._before

    @property
    def best_score(self) -> float:
        """The best cost, its first component if it is a tuple; infinity if there is none."""
        return self._knowledge.best_score

    @property
    def space_size(self) -> int:
        """The number of configurations."""
        return self.space.size

    @property
    def improvements(self) -> list[tuple[int, float, float]]:
        """(evaluation count, seconds, cost) of each new best."""
        return self._knowledge.improvements

    @property
    def best_configuration(self) -> Configuration | None:
        """The best configuration so far, None if none is valid yet."""
        return self._best

    @property
    def best_cost(self) -> Cost | None:
        """The cost of the best configuration, None if none is valid yet."""
        if self._chosen and self._best is not None:
            return self._knowledge.cost_of(self._best.index)
        return self._knowledge.best_cost

    @overload
    def ask(self) -> Configuration: ...
    @overload
    def ask(self, count: int) -> list[Configuration]: ...
    def ask(self, count: int | None = None) -> Configuration | list[Configuration]:
        """The next configuration to evaluate, or a batch of distinct ones; `tell` each of them, in any order.

        When told to exploit, or when the space is exhausted, the best known one; a batch is then shorter.
        """
        if count is not None:
            return self._ask_several(count)
        if self._exploiting and self._best is not None:
            return self._best
        with self._lock:
            return self._new() or self._nothing_new()

    def propose(self) -> Configuration | None:
        """The next configuration that is new; None if all are known or handed out."""
        with self._lock:
            return self._new()

    def _new(self) -> Configuration | None:
        proposer = self._proposer or self._start()
        return proposer.configuration() if self._shared is None else proposer.shared(self._shared, self._heard)

    def _ask_several(self, count: int) -> list[Configuration]:
        if _whole("ask", count) < 1:
            raise ConfigurationError(f"ask: the number of configurations must be positive, not {count}")
        with self._lock:
            batch = [] if self._exploiting else [self.propose() for _ in range(count)]
            return [c for c in batch if c is not None] or [self._nothing_new()]

    def _nothing_new(self) -> Configuration:
        """The best configuration, once all are handed out; from then on always, if all are told as well."""
        if self._best is None:
            raise _none_valid(self._knowledge.history)
        self._exploiting = self._proposer is not None and not self._proposer.pending
        return self._best

    def tell(self, configuration: Mapping[str, Any], cost: Any) -> None:
        """The cost of a configuration: a number, a tuple, or `atf.invalid(reason)`; asked for or not."""
        if self._exploiting and configuration is self._best:
            return
        if type(configuration) is Configuration and configuration.space is self.space:
            position = configuration.index
        else:  # the user's own mapping
            position = self.space.index(configuration)
        outcome = cost if type(cost) is float and cost - cost == 0.0 else as_outcome(cost)
        with self._lock:
            seconds = self._learn(position, outcome, (self._proposer or self._start()).report)
            if self._shared is not None:
                self._shared.write(position, outcome, seconds)

    def _heard(self, position: int, outcome: Cost | Invalid) -> None:
        """What another process has measured."""
        self._learn(position, outcome, (self._proposer or self._start()).hear)

    def _learn(self, position: int, outcome: Cost | Invalid, passed_on: Callable[[int, float], None]) -> float:
        knowledge, seconds = self._knowledge, self.clock() - self._began
        passed_on(position, knowledge.add(position, outcome, seconds))
        if knowledge.best_position != self._best_position:
            self._turn_to(knowledge.best_position)
        return seconds

    def _turn_to(self, position: int) -> None:
        self._best_position = position
        if not self._chosen:
            self._best = self.space.configuration(position)

    def exploit(self, on: bool = True) -> Tuner:
        """From now on `ask` and `make_step` use the best known configuration (`on=False`: explore again)."""
        if on and self._best is None:
            raise ConfigurationError("exploit: no valid configuration is known yet", hint="make some steps first")
        self._exploiting = on
        return self

    @property
    def exploiting(self) -> bool:
        """Whether `ask` and `make_step` use the best known configuration."""
        return self._exploiting

    def make_step(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Runs `function(configuration, *args, **kwargs)` as one tuning step and returns what it computed.

        Program-guided online tuning (thesis 5.6.4): the cost is the run time of the call, or that of
        `atf.Measured(value, cost)`. Once the abort condition holds, the best configuration is used. If the
        call raises `atf.InvalidConfiguration` or returns `atf.invalid(...)`, the next configuration is
        tried; any other exception is recorded and raised.
        """
        if self._exploiting:
            value = function(self._best, *args, **kwargs)
            return value if type(value) not in _WRAPPED else unwrapped(value)
        _called("make_step", function)
        if self._policy is not None:
            return self._policy.step(self, function, args, kwargs)
        return step(self, function, args, kwargs)

    def choose(self, configuration: Configuration | None) -> None:
        """Makes this the best configuration, whatever costs are told, until another one is chosen."""
        self._best, self._chosen = configuration, True

    def finished(self) -> bool:
        """Whether the abort condition holds, or everything is measured."""
        proposer = self._proposer or self._start()
        if self._shared is not None:
            with self._lock:
                self._shared.hear(self._heard)
        return (self._condition is not None and satisfied(self._condition, self)) or proposer.exhausted()

    def tune(
        self, cost_function: Callable[[Configuration], Any], abort: object = None, **where: Unpack[Where]
    ) -> TuningResult:
        """Evaluates configurations until the abort condition holds, and returns the best.

        Exceptions of the cost function make a configuration invalid; if the first 20 all raise, the last
        one is raised. Ctrl-C ends tuning with the best so far (and is raised if there is none).

        `workers=8` evaluates in so many processes at a time (`exclusive=True`: on cores of their own), `executor=` and
        `client=` (of Dask) by theirs; the next configuration is chosen as soon as one of them is free. An evaluation
        whose process ends, or that takes longer than `timeout_s` seconds or `prune` times as long as that of the best
        configuration, is invalid; by default 20 times the longest one and a minute are too long. `live`: see `report`.
        """
        from jitmdh.atf.tuning.loop import run

        _called("tune", cost_function)
        if abort is not None:
            self._condition = as_condition(abort)
        if self._condition is None:
            self._condition = evaluations(self.space.size)
        self._exploiting = False
        self._start()
        return run(self, cost_function, self._condition, Racer(self._repetition), self._progress, where)

    def result(self, stopped: str = "asked", interrupted: bool = False) -> TuningResult:
        """What is known so far; raises `ConfigurationError` if no valid configuration was found."""
        knowledge, best, cost = self._knowledge, self._best, self.best_cost
        if best is None or cost is None:
            raise _none_valid(self._knowledge.history)
        front: list[tuple[Configuration, Cost]] = [(best, cost)]
        if self._pareto:
            front = [(self.space.configuration(p), c) for p, c in sorted(knowledge.front, key=lambda f: f[1])]
        return TuningResult(best, cost, knowledge.history, tuple(front), stopped, interrupted)


def _none_valid(history: histories.History) -> InvalidConfiguration:
    """What is raised where a best configuration is wanted and there is none."""
    if not len(history):
        return InvalidConfiguration("no configuration has been evaluated yet", hint="tune, tell or make_step first")
    reasons = Counter(outcome.reason for _, outcome, _ in history.rows() if isinstance(outcome, Invalid))
    return InvalidConfiguration(
        f"none of the {len(history)} configurations tried has a cost",
        reason="; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(3)),
    )


def _whole(setting: str, given: Any) -> int:
    try:
        return index(given)
    except TypeError:
        raise ArgumentTypeError(f"{setting}: {given!r} is no whole number") from None


def _called(what: str, function: object) -> None:
    if not callable(function):
        raise ArgumentTypeError(
            f"{what}: {function!r} cannot be called", hint="a function of a configuration: lambda c: c['WPT'] * 0.1"
        )


def _moved(source: object, space: SearchSpace) -> list[tuple[int, Cost]]:
    """What a source has told of the nearest valid configurations here, best first."""
    told = _told(source, space)
    if told and not any(name in space.names for wanted, _ in told for name in wanted):
        raise ConfigurationError(
            f"warm_start: no parameter of the source is one of this space: {', '.join(told[0][0])}",
            reason=f"the parameters here are {', '.join(space.names)}.",
        )
    return [(space.index(space.nearest(wanted)), cost) for wanted, cost in told]


def _told(source: object, space: SearchSpace) -> list[tuple[Mapping[str, Any], Cost]]:
    """The valid configurations of a source of a warm start and their costs, best first."""
    if isinstance(source, Mapping):
        return [(source, 0.0)]
    if isinstance(source, TuningResult):
        source = source.history
    told: list[tuple[Mapping[str, Any], Cost]]
    if isinstance(source, histories.History):
        told = [(source.space.configuration(p), o) for p, o, _ in source.rows() if not isinstance(o, Invalid)]
    elif isinstance(source, str | Path):
        read = histories.records(source, space)
        told = [(configuration, cost) for configuration, cost, _ in read if not isinstance(cost, Invalid)]
    else:
        raise ConfigurationError(
            f"warm_start: {source!r} is neither a result, a history, a history file nor a configuration"
        )
    return sorted(told, key=lambda item: item[1])


def tuner(*given: SearchSpace | TuningParameter, pareto: bool = False, seed: int = 0) -> Tuner:
    """A tuner for a space, or for parameters (their space is generated).

    `pareto`: costs are tuples and the result has their Pareto front.

    >>> from jitmdh import atf
    >>> T = atf.tuning_parameter("T", atf.interval(1, 64))
    >>> atf.tuner(T).tune(lambda c: (c["T"] - 40) ** 2).best_configuration
    {'T': 40}
    """
    if len(given) == 1 and isinstance(given[0], SearchSpace):
        return Tuner(given[0], pareto=pareto, seed=seed)
    return Tuner(search_space(*given), pareto=pareto, seed=seed)  # type: ignore[arg-type]
