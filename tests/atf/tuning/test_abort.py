"""When tuning stops: conditions, their joins, what they say, and how far tuning has come."""

from __future__ import annotations

import time
from typing import Any

import pytest

from jitmdh import atf
from jitmdh.atf.recorded.spaces import SimulatedClock
from jitmdh.atf.tuning.abort import share_done
from jitmdh.base.errors import ConfigurationError
from tests.atf.examples import distance, square_space


def test_abort_conditions() -> None:
    space = atf.search_space(atf.tuning_parameter("A", atf.interval(1, 1000)))

    def evaluated(condition: object, cost: Any = lambda c: 1000.0 - c["A"]) -> int:
        return len(atf.tuner(space).search_technique("exhaustive").tune(cost, condition).history)

    assert evaluated(atf.evaluations(17)) == 17
    assert evaluated(atf.fraction(0.05)) == 50
    assert evaluated(atf.cost(900)) == 100
    assert evaluated(atf.evaluations(30) & atf.cost(900)) == 100
    assert evaluated(atf.evaluations(30) | atf.cost(900)) == 30
    assert evaluated(lambda progress: progress.evaluation_count == 7) == 7
    assert evaluated(atf.evaluations(5) | (lambda progress: progress.best_score < 10)) == 5
    falling = evaluated(atf.speedup(1.5, evaluations=10), lambda c: max(1.0, 64.0 / 2 ** (c["A"] / 5)))
    assert falling in range(30, 50)
    flat = atf.speedup(1.1, seconds=0.05) | atf.evaluations(900)
    assert evaluated(flat, lambda c: time.sleep(0.002) or 1.0) < 60
    assert evaluated(atf.duration(milliseconds=50), lambda c: time.sleep(0.005) or 1.0) <= 11
    for wrong in (lambda: atf.fraction(0), lambda: atf.speedup(0.9, evaluations=3), lambda: atf.speedup(2.0)):
        with pytest.raises(ConfigurationError):
            wrong()


def test_abort_conditions_by_the_clock() -> None:
    """Costs halve every 10 s until 60 s, then stay; an evaluation takes one second."""
    space = atf.search_space(atf.tuning_parameter("A", atf.interval(0, 999)))

    def stopped_at(condition: object) -> float:
        clock = SimulatedClock()

        def cost(c: Any) -> float:
            clock.advance(1.0)
            return 2.0 ** -min(clock() / 10, 6)

        tuner = atf.Tuner(space, clock=clock).search_technique("exhaustive")
        tuner.tune(cost, condition)
        return clock()

    assert stopped_at(atf.duration(seconds=25)) == 25
    assert stopped_at(atf.duration(minutes=2)) == 120
    assert stopped_at(atf.speedup(1.9, seconds=10)) == 61  # by 1.87 in the ten seconds before
    assert stopped_at(atf.speedup(1.9, minutes=1)) == 111
    assert stopped_at(atf.speedup(2.1, seconds=10)) == 11  # never by so much
    assert stopped_at(atf.duration(50) & atf.evaluations(70)) == 70
    assert stopped_at((lambda p: p.seconds > 33) | atf.duration(50)) == 34


def test_results_say_what_stopped_them() -> None:
    def stopped(condition: object) -> str:
        return atf.tuner(square_space()).tune(distance, condition).stopped

    assert stopped(None) == "space exhausted"
    assert stopped(atf.evaluations(3) | atf.duration(hours=1)) == "evaluations(3)"
    assert stopped(atf.cost(1.0) & atf.evaluations(2)) == "(cost(1) & evaluations(2))"
    assert stopped(atf.duration(hours=1)) == "space exhausted"


def test_share_of_an_abort_condition() -> None:
    tuner = atf.Tuner(square_space(), clock=SimulatedClock())
    for _ in range(5):
        tuner.tell(tuner.ask(), 1.0)
    tuner.clock.advance(30.0)  # type: ignore[attr-defined]
    size = square_space().size
    for condition, share in (
        (atf.evaluations(20), 0.25),
        (atf.duration(minutes=1), 0.5),
        (atf.fraction(0.5), 10 / size),
        (atf.evaluations(20) | atf.duration(minutes=1), 0.5),
        (atf.evaluations(20) & atf.duration(minutes=1), 0.25),
        (atf.evaluations(20) | atf.cost(0.5), 0.25),
        (atf.evaluations(20) & atf.cost(0.5), None),
        (atf.speedup(2.0, evaluations=9), None),
        (atf.evaluations(2), 1.0),
    ):
        assert share_done(condition, tuner) == share
