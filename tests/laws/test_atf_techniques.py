"""Whatever a technique proposes is a configuration of the space, under its right position, and never twice."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from jitmdh import atf
from jitmdh.atf.recorded.spaces import SimulatedClock
from jitmdh.atf.search.protocol import Search
from jitmdh.base.errors import ConfigurationError
from tests.laws.test_atf_space import specifications


@pytest.mark.parametrize("name", atf.technique_names())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(specification=specifications())
def test_proposals_are_configurations_and_distinct(name: str, specification: tuple[list[Any], Any]) -> None:
    (declared, extra), _ = specification
    try:
        space = atf.search_space(*declared, constraints=extra)
    except ConfigurationError:
        return
    rng, clock = random.Random(space.size), SimulatedClock()
    tuner = atf.Tuner(space, seed=space.size, clock=clock).search_technique(name)
    seen: set[int] = set()
    while len(seen) < min(space.size, 60):
        for c in tuner.ask(3) if rng.random() < 0.1 else [tuner.ask()]:
            if c.index in seen and len(seen) >= space.size - 3:
                continue  # a batch longer than what is left
            assert c.index not in seen
            assert c == space[c.index] and list(c) == list(space.names)
            seen.add(c.index)
            clock.advance(0.1)  # evaluations dear enough for a model
            tuner.tell(c, atf.invalid("at random") if rng.random() < 0.2 else rng.gauss(0.0, 1.0))


@pytest.mark.parametrize("name", atf.technique_names())
def test_a_space_of_one_and_a_space_of_many(name: str) -> None:
    one = atf.tuner(atf.tuning_parameter("T", atf.values(7))).search_technique(name)
    assert one.tune(lambda c: c["T"]).best_cost == 7
    wide = [atf.tuning_parameter(n, atf.interval(1, 10**9)) for n in "AB"]
    tuner = atf.tuner(*wide).search_technique(name)
    result = tuner.tune(lambda c: abs(c["A"] - 5e8) + c["B"], atf.evaluations(40))
    assert all(e.configuration in tuner.space for e in result.history)


def test_every_shipped_technique_knows_the_values_of_what_it_yields() -> None:
    A = atf.tuning_parameter("A", atf.interval(1, 48), atf.divides(48))
    B = atf.tuning_parameter("B", atf.interval(1, 48), atf.divides(48 // A))
    space = atf.search_space(B, A, atf.tuning_parameter("C", atf.values("x", "y", "z")))
    for name in ("torczon", "nelder_mead", "particle_swarm", "differential_evolution", "genetic", "pattern_search"):
        technique = atf.Tuner(space).search_technique(name)._technique
        assert isinstance(technique, Search)
        technique.initialize(space, 1)
        known = 0
        for step in range(30):
            position = technique.propose()
            way = technique.ways.get(position)
            if way is not None:
                known += 1
                assert space.values_at(position) == (way if isinstance(way, list) else way.values)
            technique.report(position, float(step % 7))
        assert known > 10, name
