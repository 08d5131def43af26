"""Online tuning by the clock: 20,000 calls of a program on a recorded space, noise, and warm starts."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from jitmdh import atf
from jitmdh.atf.recorded.spaces import RecordedSpace, SimulatedClock
from jitmdh.atf.recorded.synthetic import SHAPES

Line = Callable[[str, str, str, "bool | None"], None]
CALLS = 20_000


def calls_of_a_program(
    recorded: RecordedSpace, first: int, seed: int, noise: float = 0.0
) -> tuple[float, float, float]:
    """(total / oracle, worst prefix / always the first one, 99th percentile of calls / the first one).

    `noise`: relative deviation of each call; then one in a hundred also takes ten times as long.
    """
    rng, clock, default_s = random.Random(seed), SimulatedClock(), _seconds(recorded, first)
    tuner = atf.Tuner(recorded.space, seed=seed, clock=clock).warm_start(recorded.space[first])
    tuner.tuning_overhead(0.05)

    def program(c: atf.Configuration) -> Any:
        cost = recorded.costs[c.index]
        if not isinstance(cost, float):
            return atf.invalid("recorded as invalid")
        seconds = cost * recorded.unit_s
        if noise:
            seconds *= max(0.5, rng.gauss(1, noise)) * (10 if rng.random() < 0.01 else 1)
        if seconds > tuner.time_limit_s:
            clock.advance(tuner.time_limit_s)
            return atf.invalid("slower than the limit")
        clock.advance(seconds)
        return None

    worst, times = 0.0, []
    for number in range(1, CALLS + 1):
        before = clock()
        tuner.make_step(program)
        times.append(clock() - before)
        worst = max(worst, clock() / (number * default_s))
    total = clock() / (CALLS * recorded.optimum * recorded.unit_s)
    return total, worst, sorted(times)[int(0.99 * CALLS)] / default_s


def _seconds(recorded: RecordedSpace, position: int) -> float:
    cost = recorded.costs[position]
    assert isinstance(cost, float), "the first configuration is valid"
    return cost * recorded.unit_s


def online(line: Line, source: Path, seeds: int) -> None:
    """B10, the second half of B11, B12 and B13."""
    recorded = atf.recorded_space(source)
    valid = sorted((c, p) for p, c in recorded.costs.items() if isinstance(c, float))
    runs = min(seeds, 11)
    for share in (0.1, 0.5):
        cost, first = valid[int(share * len(valid))]
        found = [calls_of_a_program(recorded, first, seed) for seed in range(runs)]
        total, prefix, late = ([row[k] for row in found] for k in range(3))
        what = f"first configuration {cost / recorded.optimum:.2f} x optimum"
        shown = f"{median(total):.3f} [{min(total):.3f} to {max(total):.3f}]"
        line("B10", f"{what}: total / oracle (wanted 1.05)", shown, max(total) <= 1.05)
        line("B10", "worst prefix / always the first (wanted 1.05)", f"{max(prefix):.3f}", max(prefix) <= 1.05)
        line("B10", "99th percentile / the first (wanted 1.1)", f"{max(late):.3f}", max(late) <= 1.1)
    _identical(line)
    _second_process(line, recorded)
    _warm(line)


def _identical(line: Line, runs: int = 100) -> None:
    tests = switches = 0
    for seed in range(runs):
        rng, clock = random.Random(seed), SimulatedClock()
        space = atf.search_space(atf.tuning_parameter("T", atf.interval(1, 100)))
        tuner = atf.Tuner(space, seed=seed, clock=clock).search_technique("random").tuning_overhead(0.2)

        def program(c: atf.Configuration, rng: random.Random = rng, clock: SimulatedClock = clock) -> None:
            clock.advance(1e-3 * max(0.5, rng.gauss(1, 0.02)) * (10 if rng.random() < 0.01 else 1))

        before = None
        for _ in range(3000):
            tuner.make_step(program)
            if before is not None and tuner.best_configuration is not before:
                switches += 1
            before = tuner.best_configuration
        tests += tuner.evaluation_count - 1
    share = switches / tests
    line("B11", f"identical candidates: switches in {tests} tests (wanted 1 %)", f"{share:.2%}", share <= 0.01)


def _second_process(line: Line, recorded: RecordedSpace) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "runs.jsonl"
        atf.tuner(recorded.space).history(file).search_technique("genetic").tune(recorded, atf.evaluations(200))
        start = time.perf_counter()
        tuner = atf.tuner(recorded.space).history(file).abort_condition(atf.evaluations(200))
        loaded = time.perf_counter() - start
        used: list[int] = []
        for _ in range(3):
            tuner.make_step(lambda c: used.append(c.index))
    trials = sum(position != tuner.best_configuration.index for position in used)
    line("B12", "second process: trials (wanted 0)", str(trials), trials == 0)
    line("B12", "loading 200 evaluations (wanted 5 ms)", f"{1e3 * loaded:.2f} ms", loaded <= 5e-3)


def _warm(line: Line, count: int = 20) -> None:
    """From a loop nest on one machine to one on another: evaluations until 1.05 x optimum."""
    cold, warm = [], []
    for seed in range(count):
        old, new = SHAPES["interacting"](3000 + seed), SHAPES["interacting"](4000 + seed)
        source = atf.tuner(old.space, seed=seed).search_technique("surrogate").tune(old, atf.evaluations(100))
        for found, sources in ((cold, []), (warm, [source])):
            tuner = atf.tuner(new.space, seed=seed).search_technique("surrogate").warm_start(*sources)
            result = tuner.tune(new, atf.cost(1.05 * new.optimum) | atf.evaluations(300))
            found.append(len(result.history))
    ratio = median(warm) / median(cold)
    what = f"evaluations to 1.05 x optimum: cold {median(cold):.0f}, warm {median(warm):.0f} (wanted a third)"
    line("B13", what, f"{ratio:.2f}", ratio <= 1 / 3)
