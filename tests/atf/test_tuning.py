"""The tuner: tune, ask and tell, make_step, abort, history, warm start, interruption, threads."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from jitmdh import atf
from jitmdh.atf.recorded import SimulatedClock
from jitmdh.base.errors import ConfigurationError


def square_space() -> atf.SearchSpace:
    A = atf.tuning_parameter("A", atf.interval(1, 24), atf.divides(24))
    B = atf.tuning_parameter("B", atf.interval(1, 24), atf.divides(24 // A))
    return atf.search_space(A, B)


def distance(c: Any) -> float:
    return abs(c["A"] - 4) + abs(c["B"] - 3) + 1.0


@pytest.mark.parametrize("name", atf.technique_names())
def test_every_technique_exhausts_a_small_space_without_repetition(name: str) -> None:
    space = square_space()
    seen = []
    result = atf.tuner(space).search_technique(name).tune(lambda c: seen.append(c.index) or distance(c))
    assert sorted(seen) == list(range(space.size))
    assert result.best_configuration == {"A": 4, "B": 3}
    assert result.best_cost == 1.0
    assert len(result.history) == space.size


@pytest.mark.parametrize("name", atf.technique_names())
def test_same_seed_same_run_and_distinct_proposals(name: str) -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(1, 30)) for n in "ABC"))

    def run(seed: int) -> list[int]:
        tuner = atf.tuner(space, seed=seed).search_technique(name)
        for _ in range(60):
            c = tuner.ask()
            tuner.tell(c, (c["A"] - 7) ** 2 + abs(c["B"] - c["C"]) + 1)
        return [space.index(e.configuration) for e in tuner.result().history]

    first = run(3)
    assert first == run(3)
    assert len(set(first)) == len(first)
    if name != "exhaustive":
        assert first != run(4)


@pytest.mark.parametrize("name", atf.technique_names())
def test_batches_and_invalid_configurations(name: str) -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(1, 12)) for n in "AB"))
    tuner = atf.tuner(space).search_technique(name)
    for _ in range(9):
        batch = tuner.ask(8)
        assert len({c.index for c in batch}) == 8
        for c in random.Random(1).sample(batch, 8):
            tuner.tell(c, atf.invalid("odd") if c["A"] % 2 else c["A"] + c["B"])
    result = tuner.result()
    assert result.best_configuration["A"] % 2 == 0
    assert sum(e.cost is None and e.reason == "odd" for e in result.history) > 10


def test_a_technique_of_ones_own() -> None:
    class Corner:
        def initialize(self, space: atf.SearchSpace, seed: int) -> None:
            self.reported: list[float] = []

        def propose(self) -> list[float]:
            return [1.0, 1.0]

        def report(self, position: int, score: float) -> None:
            self.reported.append(score)

    technique = Corner()
    result = atf.tuner(square_space()).search_technique(technique).tune(distance, atf.evaluations(12))
    assert result.history[0].configuration == {"A": 24, "B": 1}
    assert len(result.history) == len({e.configuration for e in result.history}) == 12
    assert len(technique.reported) > 12
    with pytest.raises(ConfigurationError, match="did you mean 'simulated_annealing'"):
        atf.tuner(square_space()).search_technique("simulated_anealing")


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


def test_failures_are_values_and_a_broken_cost_function_is_not() -> None:
    def cost(c: Any) -> Any:
        if c["A"] == 1:
            raise RuntimeError("register spill")
        if c["A"] == 2:
            return float("nan")
        if c["A"] == 3:
            raise atf.InvalidConfiguration("too large")
        return c["A"]

    result = atf.tuner(square_space()).tune(cost)
    reasons = {e.reason for e in result.history}
    assert reasons == {"", "RuntimeError: register spill", "its cost is nan", "too large"}
    with pytest.raises(NameError):
        atf.tuner(square_space()).tune(lambda c: undefined_name)  # noqa: F821
    with pytest.raises(TypeError, match="returned None"):
        atf.tuner(square_space()).tune(lambda c: None)
    with pytest.raises(atf.InvalidConfiguration, match="none of the"):
        atf.tuner(square_space()).tune(lambda c: atf.invalid("never"))


def test_interruption_returns_the_best_so_far() -> None:
    def cost(c: Any) -> float:
        calls.append(c)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return distance(c)

    calls: list[Any] = []
    result = atf.tuner(square_space()).tune(cost)
    assert result.interrupted
    assert len(result.history) == 8
    calls = [0] * 8
    with pytest.raises(KeyboardInterrupt):
        atf.tuner(square_space()).tune(cost)


def test_make_step_returns_what_the_call_computed_and_then_exploits() -> None:
    T = atf.tuning_parameter("T", atf.values(1, 2, 3))
    tuner = atf.tuner(T)
    used = []

    def work(configuration: Any, x: int, *, y: int = 0) -> Any:
        used.append(configuration["T"])
        return atf.Measured(x + y, cost=abs(configuration["T"] - 2))

    assert [tuner.make_step(work, k, y=1) for k in range(4)] == [1, 2, 3, 4]
    assert tuner.exploiting
    assert sorted(used[:3]) == [1, 2, 3]
    for _ in range(5):
        tuner.make_step(work, 1)
    assert used[3:] == [2] * 6
    tuner = atf.tuner(T).abort_condition(atf.evaluations(1))
    tuner.make_step(lambda c: time.sleep(0.001))
    assert tuner.exploiting


def test_make_step_rejections_and_exceptions() -> None:
    tuner = atf.tuner(atf.tuning_parameter("T", atf.interval(1, 6)))

    def call(c: Any) -> Any:
        if c["T"] % 2:
            raise atf.InvalidConfiguration("odd")
        if c["T"] == 4:
            raise ZeroDivisionError("boom")
        return c["T"]

    seen = []
    for _ in range(4):
        try:
            seen.append(tuner.make_step(call))
        except ZeroDivisionError:
            seen.append("raised")
    assert seen.count("raised") == 1
    assert {2, 6} <= set(seen)


def test_bounded_overhead() -> None:
    rng = random.Random(5)
    space = atf.search_space(atf.tuning_parameter("T", atf.interval(1, 200)))
    times = [0.0002 * (1 + 4 * rng.random()) for _ in range(200)]
    clock = SimulatedClock()
    tuner = atf.Tuner(space, clock=clock).search_technique("random").tuning_overhead(0.2)
    for _ in range(150):
        tuner.make_step(lambda c: clock.advance(times[c["T"] - 1]))
    assert 3 <= tuner.evaluation_count < 120


def test_history_resume_and_changed_space(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    calls: list[Any] = []

    def cost(c: Any) -> float:
        calls.append(c)
        return distance(c)

    atf.tuner(square_space()).history(file).tune(cost, atf.evaluations(10))
    assert len(calls) == 10
    with file.open("a") as f:
        f.write('{"configuration": {"A": 1')  # killed while writing
    result = atf.tuner(square_space()).history(file).tune(cost)
    assert len(calls) == square_space().size == len(result.history)
    A = atf.tuning_parameter("A", atf.interval(1, 25), lambda A: 24 % A == 0 or A == 25)
    B = atf.tuning_parameter("B", atf.interval(1, 24), lambda A, B: (24 // A) % B == 0 if A <= 24 else B == 1)
    before = len(calls)
    result = atf.tuner(A, B).history(file).tune(cost)
    assert [c for c in calls[before:]] == [{"A": 25, "B": 1}]
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["atf_history"] == 1
    assert len(lines) == 2 + square_space().size


def test_history_keeps_values_of_any_type(tmp_path: Path) -> None:
    P = atf.tuning_parameter("P", atf.values((1, 2), "text", None, 2.5, frozenset({1})))
    file = tmp_path / "h.jsonl"
    atf.tuner(P).history(file).tune(lambda c: len(str(c["P"])))
    resumed = atf.tuner(P).history(file).tune(lambda c: pytest.fail("measured already"))
    assert resumed.best_configuration["P"] == 2.5
    (tmp_path / "bad.jsonl").write_text("not json\n")
    with pytest.raises(ConfigurationError, match="line 1: not a line of a tuning history"):
        atf.tuner(P).history(tmp_path / "bad.jsonl")


def test_warm_start_from_another_space() -> None:
    def space(n: int) -> atf.SearchSpace:
        return atf.search_space(atf.tuning_parameter("T", atf.interval(1, n), atf.divides(n)))

    small = atf.tuner(space(64)).tune(lambda c: abs(c["T"] - 16) + 1)
    tuner = atf.tuner(space(96)).warm_start(small, {"T": 31})
    tuner_first = [tuner.ask()["T"] for _ in range(3)]
    assert tuner_first[0] == 16
    assert tuner.ask()["T"] != 16


def test_multiple_objectives() -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(0, 9)) for n in "AB"))

    def cost(c: Any) -> tuple[float, float]:
        return (c["A"] // 5, c["B"] + (9 - c["A"]))

    assert atf.tuner(space).tune(cost).best_configuration == {"A": 4, "B": 0}
    front = atf.tuner(space, pareto=True).tune(cost).pareto_front
    assert {c for _, c in front} == {(0, 5), (1, 0)}
    with pytest.raises(ConfigurationError, match="one objective"):
        atf.tuner(space, pareto=True).tune(lambda c: 1.0)
    with pytest.raises(ConfigurationError, match="earlier costs"):
        atf.tuner(space).tune(lambda c: 1.0 if c["A"] > 4 else (1.0, 2.0))


def test_racing_chooses_well_under_noise_and_saves_measurements() -> None:
    space = atf.search_space(atf.tuning_parameter("T", atf.interval(1, 40)))
    good, measured, full = 0, 0, 0
    for seed in range(40):
        rng = random.Random(seed)
        true = [1 + 0.05 * abs(k - 25) for k in range(1, 41)]

        def noisy(c: Any, rng: random.Random = rng, true: list[float] = true) -> float:
            nonlocal measured
            measured += 1
            outlier = 10 if rng.random() < 0.01 else 1
            return true[c["T"] - 1] * max(0.5, rng.gauss(1, 0.02)) * outlier

        tuner = atf.tuner(space, seed=seed).search_technique("random").repeats(7)
        best = tuner.tune(noisy).best_configuration["T"]
        good += true[best - 1] <= 1.02 or true[best - 1] <= 1.0 + 0.051
        full += 40 * 7
    assert good >= 38
    assert measured < 0.6 * full


def test_configurations_of_another_space_are_not_confused() -> None:
    wide = atf.search_space(atf.tuning_parameter("T", atf.interval(1, 9)))
    tuner = atf.tuner(atf.tuning_parameter("T", atf.interval(5, 9)))
    tuner.tell(wide[6], 1.0)
    assert tuner.best_configuration == {"T": 7}
    with pytest.raises(ConfigurationError, match="T cannot be 1"):
        tuner.tell(wide[0], 1.0)
    assert len(tuner.ask(9)) == 4


def test_told_twice_counts_by_the_median() -> None:
    tuner = atf.tuner(atf.tuning_parameter("T", atf.values(1, 2)))
    tuner.tell({"T": 1}, 1.0)
    tuner.tell({"T": 2}, 2.0)
    tuner.tell({"T": 1}, 5.0)
    tuner.tell({"T": 1}, 5.0)
    assert tuner.best_configuration == {"T": 2}
    assert tuner.best_cost == 2.0


def test_usable_from_threads() -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(1, 20)) for n in "AB"))
    tuner = atf.tuner(space)
    asked: list[int] = []

    def work() -> None:
        for _ in range(30):
            c = tuner.ask()
            asked.append(c.index)
            tuner.tell(c, distance(c))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(asked)) == 120
    assert tuner.evaluation_count == 120


def test_import_loads_no_compiler_and_no_signal_handler() -> None:
    code = (
        "import signal, sys, threading; before = signal.getsignal(signal.SIGINT)\n"
        "t = threading.Thread(target=__import__, args=('jitmdh.atf',)); t.start(); t.join()\n"
        "assert 'jitmdh.atf' in sys.modules and signal.getsignal(signal.SIGINT) is before\n"
        "foreign = {'numba', 'llvmlite', 'islpy', 'rich', 'jitmdh.mdh', 'jitmdh.hca', 'jitmdh.jit'}\n"
        "bad = foreign & set(sys.modules)\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_pictures_and_report(tmp_path: Path) -> None:
    space = square_space()
    result = atf.tuner(space).tune(lambda c: atf.invalid("<odd>") if c["A"] == 3 else distance(c))
    ElementTree.fromstring(result.plot(tmp_path / "cost.svg"))
    page = result.report(tmp_path / "report.html")
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(svg)
    assert page.count("<svg") == 3
    assert "&lt;odd&gt;" in page
    assert (tmp_path / "cost.svg").read_text().startswith("<svg")
    assert set(result.importance()) == {"A", "B"}


def test_importance_finds_the_parameter_that_matters() -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(1, 12)) for n in "ABC"))
    rng = random.Random(3)
    result = (
        atf.tuner(space)
        .search_technique("random")
        .tune(lambda c: 10.0 * c["B"] + c["A"] + rng.random(), atf.evaluations(150))
    )
    shares = result.importance()
    assert next(iter(shares)) == "B"
    assert shares["B"] > 0.8 and shares["C"] < 0.1


def test_progress_is_shown_with_rich(capfd: pytest.CaptureFixture[str]) -> None:
    atf.tuner(square_space()).progress().tune(distance)
    assert "evaluations, best" in "".join(capfd.readouterr())
