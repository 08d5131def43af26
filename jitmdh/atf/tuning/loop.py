"""The loop of `Tuner.tune`: propose, measure, tell, until a condition holds or Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from math import inf
from typing import Any

from jitmdh.atf.results.measure import Maximised, Racer
from jitmdh.atf.results.outcome import Invalid, InvalidConfiguration
from jitmdh.atf.results.result import TuningResult
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.abort import Condition, Evaluations, has_duration, maximising, met, satisfied
from jitmdh.atf.tuning.parallel import Pool, Where, evaluate_in
from jitmdh.atf.tuning.pools import pool_of
from jitmdh.atf.tuning.protocol import Steered
from jitmdh.atf.tuning.watched import Watched
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError
from jitmdh.base.process.signals import from_handler
from jitmdh.base.records import dataclass

CostFunction = Callable[[Configuration], Any]
_GIVE_UP_AFTER = 20
_STANDING = 8
"""Evaluations without any time: whoever asked for a duration has a clock that stands still."""


def run(
    tuner: Steered, cost_function: CostFunction, condition: Condition, racer: Racer, shown: bool, where: Where
) -> TuningResult:
    """Tunes; returns the best so far when interrupted, unless nothing is known yet."""
    more = isinstance(cost_function, Maximised)
    condition = maximising(condition) if more else condition
    watched = Watched(tuner, condition, more, shown, where.pop("live", None))
    evaluate = _run_in_pool if where else _run_here
    result = evaluate(tuner, cost_function, condition, racer, watched, where)
    result = result.as_maximised() if more else result
    watched.ended(result)
    return result


def _run_here(
    tuner: Steered, cost_function: CostFunction, condition: Condition, racer: Racer, watched: Watched, where: Where
) -> TuningResult:
    everything = Evaluations(tuner.space_size)
    stopped, interrupted, failures = "", False, 0
    standing, timed, latest = 0, has_duration(condition), tuner.seconds
    with watched.updates() as update:
        try:
            while not stopped:
                if condition != everything and satisfied(condition, tuner):
                    stopped = met(condition, tuner, watched.maximised)
                elif tuner.finished():
                    stopped = "space exhausted"
                elif timed and standing >= _STANDING:
                    stopped = "the clock stands still"
                else:
                    failures = _evaluate(tuner, cost_function, racer, failures)
                    standing = 0 if tuner.seconds > latest else standing + 1
                    latest = max(latest, tuner.seconds)
                    update()
            _final(tuner, cost_function, racer)
        except KeyboardInterrupt:
            if tuner.best_configuration is None:
                raise
            stopped, interrupted = "interrupted", True
    return tuner.result(stopped, interrupted)


def _run_in_pool(
    tuner: Steered, cost_function: CostFunction, condition: Condition, racer: Racer, watched: Watched, where: Where
) -> TuningResult:
    """The same with several evaluations at a time, which end with tuning however it ends."""
    pool, interrupted = pool_of(tuner, Repeated(cost_function, racer), where), False
    if pool.slots > 1 and (reason := getattr(cost_function, "one_at_a_time", "")):
        pool.stop()
        raise ConfigurationError("tune: these evaluations cannot run several at a time", reason=f"{reason}.",
                                 hint="workers=1, or without a cost file: then the run time is the cost")  # fmt: skip
    try:
        with watched.updates() as update:
            stopped = evaluate_in(tuner, pool, condition, where, update)
        if stopped == "" and condition != Evaluations(tuner.space_size):
            stopped = met(condition, tuner, watched.maximised)
        if racer.settings.times < 2:
            return tuner.result(stopped or "space exhausted")
        pool.stop()
        pool = pool_of(tuner, cost_function, where)
        _final(tuner, lambda configuration: _alone(pool, configuration), racer)
    except (KeyboardInterrupt, BrokenExecutor) as error:
        if tuner.best_configuration is None:
            raise
        interrupted = isinstance(error, KeyboardInterrupt)
        stopped = "interrupted" if interrupted else f"the executor is broken: {error}"
    finally:
        pool.stop()
    return tuner.result(stopped or "space exhausted", interrupted)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A cost function with its repetitions and races, as a value that can be sent to a worker."""

    cost_function: CostFunction
    racer: Racer

    def __call__(self, configuration: Configuration) -> Any:
        """The cost of a configuration."""
        return self.racer.measure(lambda: self.cost_function(configuration))


def _alone(pool: Pool, configuration: Configuration) -> Any:
    """An evaluation while no other one runs."""
    pool.start(configuration)
    while True:
        for ended in pool.wait(inf):
            if ended.configuration == configuration:
                return ended.outcome


def _evaluate(tuner: Steered, cost_function: CostFunction, racer: Racer, failures: int) -> int:
    """One evaluation; returns how many in a row have raised."""
    configuration = tuner.ask()
    try:
        outcome = racer.measure(lambda: cost_function(configuration))
    except ArgumentTypeError:
        raise
    except InvalidConfiguration as error:
        tuner.tell(configuration, Invalid(error.message))
        return failures
    except Exception as error:
        if from_handler(error):
            raise
        tuner.tell(configuration, Invalid(f"{type(error).__name__}: {error}"))
        if tuner.best_configuration is None and failures + 1 >= min(_GIVE_UP_AFTER, tuner.space_size):
            raise
        return failures + 1
    tuner.tell(configuration, outcome)
    return 0


def _final(tuner: Steered, cost_function: CostFunction, racer: Racer) -> None:
    """With repeated measurement: the best few once more, in turns, so that drift hits all alike."""
    settings = racer.settings
    if settings.times < 2 or settings.finalists < 2:
        return
    latest = {p: o for p, o, _ in tuner.result().history.rows() if not isinstance(o, Invalid)}
    chosen = sorted(latest, key=lambda p: latest[p])[: settings.finalists]
    if len(chosen) < 2:
        return
    for _ in range(settings.times):
        for position in chosen:
            configuration = tuner.space.configuration(position)
            try:
                tuner.tell(configuration, cost_function(configuration))
            except (KeyboardInterrupt, ArgumentTypeError):
                raise
            except Exception as error:  # it ran before; the earlier costs stay
                if from_handler(error):
                    raise
                tuner.tell(configuration, Invalid(f"{type(error).__name__}: {error}"))
