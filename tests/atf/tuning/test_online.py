"""Program-guided tuning made safe: bounded regret, proven choices, nothing tried twice. By simulated clocks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from jitmdh import atf
from jitmdh.atf.recorded.spaces import SimulatedClock
from jitmdh.atf.techniques.default import Default
from jitmdh.atf.techniques.surrogate import Surrogate
from jitmdh.base.errors import ConfigurationError

RECORDED = Path(__file__).parents[1] / "data" / "convolution_a100.json.gz"


def grid(*sizes: int) -> atf.SearchSpace:
    return atf.search_space(*(atf.tuning_parameter(f"P{k}", atf.interval(1, n)) for k, n in enumerate(sizes)))


class Program:
    """A made-up program: every call takes its configuration's time on a simulated clock."""

    def __init__(self, space: atf.SearchSpace, times: Any, seed: int = 0, stops: bool = True) -> None:
        self.clock, self.times, self.stops = SimulatedClock(), times, stops
        self.tuner = atf.Tuner(space, seed=seed, clock=self.clock).search_technique("random")
        self.random = random.Random(seed)
        self.used: list[int] = []

    def __call__(self, c: atf.Configuration) -> Any:
        seconds = self.times(c)
        if self.stops and seconds > self.tuner.time_limit_s:
            self.clock.advance(self.tuner.time_limit_s)
            return atf.invalid("too slow")
        self.clock.advance(seconds)
        self.used.append(c.index)
        return c.index

    def call_s(self) -> float:
        before = self.clock()
        assert self.tuner.make_step(self) == self.used[-1]
        return self.clock() - before


@pytest.mark.parametrize("seed", range(4))
def test_time_lost_is_bounded_at_every_prefix_of_a_recorded_space(seed: int) -> None:
    recorded = atf.recorded_space(RECORDED)
    valid = {p: cost for p, cost in recorded.costs.items() if isinstance(cost, float)}
    order = sorted(valid, key=valid.__getitem__)
    first = recorded.space[order[len(order) // 5 * (seed + 1)]]
    default_s = 1e-3 * recorded(first)

    def times(c: atf.Configuration) -> float:
        if c.index not in valid:
            raise atf.InvalidConfiguration("recorded as invalid")
        return 1e-3 * valid[c.index]

    program = Program(recorded.space, times, seed)
    program.tuner.search_technique("simulated_annealing").warm_start(first).tuning_overhead(0.05)
    times = []
    for calls in range(1, 20_001):
        times.append(program.call_s())
        assert program.clock() <= 1.05 * calls * default_s * (1 + 1e-9)
    assert sorted(times)[int(0.99 * len(times))] <= 1.1 * default_s
    assert program.clock() < 0.75 * len(times) * default_s
    assert len(program.used) == 20_000  # every call computed its result exactly once


def test_without_giving_up_the_dearest_trial_stands_for_the_next() -> None:
    program = Program(grid(40), lambda c: 1e-3 * (1 + c["P0"] % 7), stops=False)
    program.tuner.warm_start({"P0": 7}).tuning_overhead(0.1)
    default_s = 1e-3
    for calls in range(1, 3000):
        program.call_s()
        assert program.clock() <= 1.1 * calls * default_s + 6e-3
    assert program.tuner.evaluation_count > 8


def test_identical_candidates_switch_in_less_than_one_percent() -> None:
    duels = switches = 0
    for seed in range(30):
        rng = random.Random(seed)
        noisy = lambda c, rng=rng: 1e-3 * max(0.5, rng.gauss(1, 0.02)) * (10 if rng.random() < 0.01 else 1)  # noqa: E731
        program = Program(grid(60), noisy, seed)
        program.tuner.tuning_overhead(0.2)
        for _ in range(4000):
            program.call_s()
        policy = program.tuner._policy
        assert policy is not None
        switches += policy.switches
        duels += program.tuner.evaluation_count - 1
    assert duels > 500
    assert switches <= 0.01 * duels


def test_the_better_candidate_is_found_under_noise() -> None:
    good = 0
    for seed in range(20):
        rng = random.Random(seed)
        true = [1 + 0.02 * k for k in range(30)]
        rng.shuffle(true)
        noisy = lambda c, rng=rng, true=true: (  # noqa: E731
            1e-3 * true[c["P0"] - 1] * max(0.5, rng.gauss(1, 0.02)) * (10 if rng.random() < 0.01 else 1)
        )
        program = Program(grid(30), noisy, seed)
        program.tuner.tuning_overhead(0.1)
        for _ in range(6000):
            program.call_s()
        best = program.tuner.best_configuration
        assert best is not None
        good += true[best["P0"] - 1] <= 1.02 + 1e-9
    assert good >= 19


def test_exploiting_after_the_abort_condition_and_with_a_known_history(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    for known in (False, True):
        program = Program(grid(6), lambda c: 1e-3 * c["P0"])
        program.tuner.history(file).tuning_overhead(0.5)
        for _ in range(1 if known else 2000):
            program.call_s()
        assert program.tuner.exploiting
        assert program.tuner.best_configuration == {"P0": 1}
        assert program.tuner.result().best_cost == pytest.approx(1e-3)
        if known:
            assert program.used == [0]  # a second process: no trial at all
    for wrong in ({"share": 0.0}, {"share": 0.1, "cut": 1.0}):
        with pytest.raises(ConfigurationError, match="tuning_overhead"):
            atf.tuner(grid(3)).tuning_overhead(**wrong)


def test_a_failing_candidate_does_not_lose_the_call() -> None:
    def times(c: atf.Configuration) -> float:
        if c["P0"] % 2:
            raise atf.InvalidConfiguration("odd")
        return 1e-3 * c["P0"]

    program = Program(grid(20), times)
    program.tuner.tuning_overhead(0.2)
    for _ in range(3000):
        program.call_s()
    assert program.tuner.best_configuration == {"P0": 2}


@pytest.mark.parametrize("evaluation_s", [1e-5, 1e-3, 0.02, 1.0])
def test_the_default_thinks_only_as_far_as_measuring_pays(evaluation_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also as fits last longer the more there is to learn from."""
    clock, fits = SimulatedClock(), []

    def chosen(self: Surrogate, candidates: list[int]) -> list[int]:
        clock.advance(4e-3 * max(1.0, min(len(self.known), 192) / 40) ** 1.5)
        fits.append(clock())
        return candidates[:3]

    monkeypatch.setattr(Surrogate, "_chosen", chosen)
    technique = Default(share=0.25)
    tuner = atf.Tuner(grid(50, 50, 50), clock=clock).search_technique(technique)
    measured, asked = 0.0, 400
    for _ in range(asked):
        c = tuner.ask()
        assert technique.thought_s <= 0.25 * measured + 1e-9
        clock.advance(evaluation_s)
        measured += evaluation_s
        tuner.tell(c, float(sum(c.values())))
    least, most = {1e-5: (0, 0), 1e-3: (2, 10), 0.02: (40, 131), 1.0: (129, 131)}[evaluation_s]
    assert least <= len(fits) <= most  # 8 of a sample, then three per fit


@pytest.mark.parametrize(("evaluation_s", "least"), [(3e-3, 0), (0.01, 0), (0.1, 2)])
def test_many_parameters_take_the_default_no_longer(
    evaluation_s: float, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fit of 300 parameters took 0.4 s for the first fifteen measurements: also the first one has to pay."""
    clock, fits = SimulatedClock(), []

    def chosen(self: Surrogate, candidates: list[int]) -> list[int]:
        clock.advance(0.4 * max(1.0, min(len(self.known), 192) / 40))
        fits.append(clock())
        return candidates[:8]

    monkeypatch.setattr(Surrogate, "_chosen", chosen)
    technique = Default(share=0.25)
    tuner = atf.Tuner(grid(*(8 for _ in range(300))), clock=clock).search_technique(technique)
    for count in range(200):
        c = tuner.ask()
        assert technique.thought_s <= 0.25 * count * evaluation_s + 1e-9
        clock.advance(evaluation_s)
        tuner.tell(c, float(sum(c.values())))
    assert len(fits) >= least


def test_a_model_that_can_be_afforded_has_all_turns() -> None:
    """Also where it finds nothing better for long: what was mixed in cost runs, and gained none."""
    clock, technique = SimulatedClock(), Default()
    tuner = atf.Tuner(grid(50, 50, 50), clock=clock).search_technique(technique)
    for _ in range(200):
        c = tuner.ask()
        assert technique.ways is technique.model.ways
        clock.advance(1.0)
        tuner.tell(c, 5.0)


def test_the_default_is_not_led_astray_by_pauses() -> None:
    clock, technique = SimulatedClock(), Default()
    tuner = atf.Tuner(grid(50, 50), clock=clock).search_technique(technique)
    for k in range(300):
        c = tuner.ask()
        clock.advance(10.0 if k % 7 == 0 else 1e-5)
        tuner.tell(c, float(sum(c.values())))
    assert technique.thought_s == 0.0
    assert technique.measured_s < 0.01
