"""The tuner: tune, ask and tell, make_step, abort, history, warm start, interruption, threads."""

from __future__ import annotations

import json
import math
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import pytest

from jitmdh import atf
from jitmdh.atf.recorded.spaces import RecordedSpace, SimulatedClock
from jitmdh.base.errors import ConfigurationError
from tests.atf.examples import distance, square_space

DATA = Path(__file__).parents[1] / "data"


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


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda t: t.tune(distance, atf.evaluations(9) and atf.evaluations(3)), ConfigurationError, "by & and |"),
        (lambda t: t.tune(42), TypeError, "tune: 42 cannot be called"),
        (lambda t: t.make_step(None), TypeError, "make_step: None cannot be called"),
        (lambda t: atf.run_time("f"), ConfigurationError, "run_time: 'f' cannot be called"),
        (lambda t: t.ask(0), ConfigurationError, "ask: the number of configurations must be positive, not 0"),
        (lambda t: t.ask(2.5), TypeError, "ask: 2.5 is no whole number"),
        (lambda t: t.seed("x"), TypeError, "seed: 'x' is no whole number"),
        (lambda t: t.repeats(2.5), ConfigurationError, "repeats: 2.5"),
        (lambda t: t.result(), ConfigurationError, "no configuration has been evaluated yet"),
        (lambda t: t.exploit(), ConfigurationError, "make some steps first"),
        (lambda t: t.tell(5, 1.0), TypeError, "5 is no configuration"),
        (lambda t: t.warm_start({"Q": 3}), ConfigurationError, "the parameters here are A, B"),
        (lambda t: t.warm_start("missing.jsonl"), ConfigurationError, "missing.jsonl: no tuning history can be read"),
        (lambda t: t.history("no/such/folder/t.jsonl"), ConfigurationError, "no tuning history can be kept there"),
        (lambda t: t.tune(distance, 10), ConfigurationError, "10 is no abort condition"),
        (lambda t: t.tune(lambda c: c["C"]), KeyError, "there is no parameter 'C'; the configuration has A, B"),
        (lambda t: atf.duration("5"), ConfigurationError, "'5' is no time"),
        (lambda t: atf.cost((1, 2)), ConfigurationError, "must be a number"),
        (lambda t: atf.fraction("half"), ConfigurationError, "not 'half'"),
        (lambda t: atf.evaluations(2.5), ConfigurationError, "positive integer, not 2.5"),
        (lambda t: atf.speedup("2", seconds=1), ConfigurationError, "must be numbers"),
        (lambda t: atf.recorded_space({"columns": ["A", "t"], "rows": [[1]]}), ConfigurationError, "2 values"),
        (
            lambda t: atf.recorded_space({"columns": ["A", "t"], "rows": [[1, 2]]}, cost="s"),
            ConfigurationError,
            "no column 's'",
        ),
    ],
)
def test_mistakes_are_told(use: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        use(atf.tuner(square_space()))
    assert message in str(caught.value)


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


def test_what_a_call_says_about_itself_counts_more_than_its_time() -> None:
    """A step written for `make_step` may be tuned as it is; what it refuses is not taken for fast."""

    def call(c: Any, offset: float) -> Any:
        return atf.invalid("odd") if c["A"] % 2 else atf.Measured([c["A"]], offset + c["A"] + c["B"])

    for cost in (lambda c: call(c, 1.0), atf.run_time(call, 1.0, warmup=1)):
        result = atf.tuner(square_space()).tune(cost)
        assert result.best_configuration == {"A": 2, "B": 1} and result.best_cost == 4.0
        assert {e.reason for e in result.history} == {"", "odd"}
    calls: list[Any] = []
    timed = atf.run_time(lambda c: calls.append(c) or time.sleep(0.001), repeats=3, warmup=2)
    assert 0.001 <= timed(square_space()[0]) < 1.0 and len(calls) == 5  # type: ignore[operator]


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


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Python's own handler, as in any program that is not started in the background, where signals are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_a_real_signal_returns_the_best_so_far_and_the_handler_stays() -> None:
    before = signal.getsignal(signal.SIGINT)

    def cost(c: Any) -> float:
        calls.append(c)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return distance(c)

    calls: list[Any] = []
    result = atf.tuner(square_space()).tune(cost)
    assert result.interrupted and result.stopped == "interrupted" and len(result.history) == 4
    assert signal.getsignal(signal.SIGINT) is before


def test_tuning_in_a_thread_that_is_not_the_main_one() -> None:
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(atf.tuner(square_space(), seed=k).progress().tune, distance) for k in range(3)]
        assert [run.result().best_configuration for run in runs] == [{"A": 4, "B": 3}] * 3


def test_told_to_exploit() -> None:
    tuner = atf.tuner(square_space())
    for _ in range(5):
        tuner.make_step(lambda c: atf.Measured(None, distance(c)))
    best = tuner.best_configuration
    assert tuner.exploit().ask() is best and tuner.make_step(lambda c: c) is best
    assert tuner.evaluation_count == 5
    assert tuner.exploit(False).ask() is not best


def test_a_recorded_space_stands_for_measuring() -> None:
    rows = [[a, b, None if a == b else abs(a - 5) + b] for a in range(8) for b in range(4)]
    recorded = atf.recorded_space({"name": "made up", "columns": ["A", "B", "ms"], "rows": rows, "time_unit": "ms"})
    assert recorded.space.size == 32 and recorded.optimum == 0 and recorded.unit_s == 1e-3
    result = atf.tuner(recorded.space).tune(recorded)
    assert result.best_configuration == {"A": 5, "B": 0}
    assert sum(e.cost is None for e in result.history) == 4


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
    for nonsense in (b"not json\n", b"\xff\xfe\n", b"[1, 2]\n"):
        (tmp_path / "bad.jsonl").write_bytes(nonsense)
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


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("name", ["forces", "product"])
def test_a_similar_machine_helps_at_first_and_does_no_harm_later(name: str) -> None:
    """There each value of each parameter costs a few percent more or less, and each configuration beside."""
    here = atf.recorded_space(DATA / f"{name}.json.gz")
    budgets = (10, 50, 100)

    def best(recorded: RecordedSpace, seed: int, source: object = None) -> tuple[list[float], object]:
        clock, found = SimulatedClock(), []
        tuner = atf.Tuner(recorded.space, seed=seed, clock=clock)
        tuner = tuner if source is None else tuner.warm_start(source)
        for budget in budgets:
            while tuner.evaluation_count < budget:
                c = tuner.ask()
                clock.advance(1.0)
                tuner.tell(c, recorded.costs[c.index])
            found.append(tuner.best_score / recorded.optimum)
        return found, tuner.result()

    cold, warm = [], []
    for seed in range(4):
        there = similar_machine(here, random.Random(seed))
        cold.append(best(here, seed)[0])
        warm.append(best(here, seed, best(there, seed + 50)[1])[0])
    for budget, without, with_source in zip(budgets, zip(*cold), zip(*warm)):
        limit = 0.99 if budget == 10 else 1.015
        assert geometric_mean(with_source) <= limit * geometric_mean(without), budget


def similar_machine(recorded: RecordedSpace, rng: random.Random) -> RecordedSpace:
    effects: dict[Any, float] = {}
    costs = dict(recorded.costs)
    for position, cost in costs.items():
        if not isinstance(cost, atf.Invalid | tuple):
            own = [effects.setdefault(item, rng.gauss(0, 0.1)) for item in recorded.space[position].items()]
            costs[position] = cost * math.exp(sum(own) + rng.gauss(0, 0.03))
    return RecordedSpace("a similar machine", recorded.space, costs)


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


def test_the_default_finds_more_of_a_pareto_front_than_chance() -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(0, 9)) for n in "PQRS"))

    def area(technique: str, seed: int) -> float:
        """What the front leaves between itself and (100, 100)."""
        tuner = atf.Tuner(space, pareto=True, seed=seed, clock=SimulatedClock()).search_technique(technique)
        cost = lambda c: tuple(sum((v - best) ** 2 for v in c.values()) + 1.0 for best in (2, 7))  # noqa: E731
        front = tuner.tune(cost, atf.evaluations(150)).pareto_front
        found, level = 0.0, 100.0
        for first, second in sorted(cost for _, cost in front):  # type: ignore[misc]
            found += max(0.0, 100.0 - first) * max(0.0, level - second)
            level = min(level, second)
        return found

    areas = {name: sum(area(name, seed) for seed in range(4)) for name in ("default", "random")}
    assert areas["default"] > 1.05 * areas["random"]


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
        "foreign = {'numba', 'llvmlite', 'islpy', 'rich', 'pyopencl', 'cupy', 'torch', 'jax', 'scipy', 'sklearn',\n"
        "    'jitmdh.mdh', 'jitmdh.hca', 'jitmdh.jit', 'jitmdh.kernels'}\n"
        "from jitmdh import atf\n"
        "atf.tuner(atf.tuning_parameter('T', atf.interval(1, 9))).tune(lambda c: c['T'])\n"
        "bad = foreign & set(sys.modules)\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_progress_is_shown_with_rich(capfd: pytest.CaptureFixture[str]) -> None:
    tag = atf.tuning_parameter("T", atf.values("[red]", "x"))
    atf.tuner(tag, *square_space().parameters).progress().tune(distance, atf.evaluations(30) | atf.duration(hours=1))
    shown = "".join(capfd.readouterr())
    assert "30 evaluations, best 1: T = '" in shown and "B = 3" in shown
    atf.tuner(square_space()).progress().tune(lambda c: distance(c) if c["A"] > 2 else atf.invalid("no"))
    assert "evaluations, best 1: A = 4, B = 3" in "".join(capfd.readouterr())
