"""Several processes on one history: nobody measures what another one has measured or is measuring."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
from pathlib import Path
from typing import Any

import pytest

from jitmdh import atf
from jitmdh.atf.tuning.tuner import Tuner
from tests.waiting import PATIENCE

SPACE = atf.search_space(*(atf.tuning_parameter(n, atf.interval(1, 20)) for n in "AB"))


def cost(c: Any) -> float:
    return float((c["A"] - 7) ** 2 + (c["B"] - 13) ** 2 + 1)


def measured(file: Path) -> list[dict[str, int]]:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line["configuration"] for line in lines if "configuration" in line]


def begun_by(process: int, number: int = 10**6, **configuration: int) -> str:
    return json.dumps({"begun": configuration, "by": [platform.node(), process, number]}) + "\n"


def tuners(file: Path, count: int) -> list[Tuner]:
    """With the same seed: each by itself, they all would propose the same."""
    return [atf.tuner(SPACE).history(file) for _ in range(count)]


@pytest.mark.parametrize("technique", ["default", "surrogate", "genetic", "random"])
def test_what_one_measures_all_know(tmp_path: Path, technique: str) -> None:
    """Each asks while the others measure."""
    file = tmp_path / "runs.jsonl"
    several = [t.search_technique(technique) for t in tuners(file, 3)]
    for round_ in range(20):
        asked = [t.ask() for t in several]
        assert round_ == 0 or len({c.index for c in asked}) == 3
        for t, c in zip(several, asked):
            t.tell(c, cost(c))
    assert len(measured(file)) == 60 and len({str(c) for c in measured(file)}) >= 58
    for t in several:
        t.finished()
        assert t.evaluation_count == 60
        assert t.best_cost == min(map(cost, measured(file)))
    assert atf.tuner(SPACE).history(file).evaluation_count == 60


def _tune(file: Path, barrier: Any) -> None:
    barrier.wait()
    atf.tuner(SPACE).history(file).tune(cost, atf.evaluations(90))


def test_by_processes(tmp_path: Path) -> None:
    """All begin the file at once, and no line is lost."""
    file, fork = tmp_path / "runs.jsonl", multiprocessing.get_context("fork")
    barrier = fork.Barrier(3)
    processes = [fork.Process(target=_tune, args=(file, barrier)) for _ in range(3)]
    for p in processes:
        p.start()
    for p in processes:
        p.join(PATIENCE)
        assert p.exitcode == 0
    found = measured(file)
    assert 90 <= len(found) <= 93
    assert len({str(c) for c in found}) >= 85  # the first ones know nothing of each other
    assert len(atf.tuner(SPACE).history(file).result().history) == len(found)


def test_what_others_have_begun_is_theirs_as_long_as_they_run(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    tuner = atf.tuner(atf.tuning_parameter("T", atf.values(1, 2, 3))).history(file)
    ended = multiprocessing.get_context("fork").Process(target=int)
    ended.start()
    ended.join()
    with file.open("a") as f:
        f.write(begun_by(os.getpid(), T=1) + begun_by(ended.pid or 0, T=2) + begun_by(1, T=4) + '{"begun": 3}\n')
    first, second = tuner.ask(), tuner.ask()
    assert {first["T"], second["T"]} == {2, 3}
    tuner.tell(first, 2.0)
    tuner.tell(second, 3.0)
    assert tuner.ask() == {"T": 1}  # nothing else is left: whoever has begun it may never end
    with file.open("a") as f:
        f.write('{"configuration": {"T": 1}, "cost": 1.0, "seconds": 9.0}\n')
    assert tuner.finished()
    assert tuner.best_configuration == {"T": 1} and tuner.evaluation_count == 3


def test_a_line_that_is_being_written_is_read_when_it_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    tuner = atf.tuner(SPACE).history(file)
    line = '{"configuration": {"A": 7, "B": 13}, "cost": 1.0, "seconds": 9.0}\n'
    for part, count in ((line[:30], 0), (line[30:], 1)):
        with file.open("a") as f:
            f.write(part)
        assert not tuner.finished() and tuner.evaluation_count == count
    file.unlink()
    assert not tuner.finished()
    tuner.tell({"A": 1, "B": 1}, 9.0)
    assert measured(file) == [{"A": 1, "B": 1}]


def test_what_others_measure_takes_the_model_no_time() -> None:
    """By the clock of `default`, evaluations last as long as those here do, however many are heard of."""
    from jitmdh.atf.recorded.spaces import SimulatedClock
    from jitmdh.atf.techniques.default import Default

    clock, technique = SimulatedClock(), Default()
    tuner = Tuner(SPACE, clock=clock).search_technique(technique)
    for k in range(60):
        c = tuner.ask()
        clock.advance(0.5)
        tuner.tell(c, cost(c))
        for other in range(3):
            tuner._heard((7 * k + other) % SPACE.size, 500.0)
    assert technique.measured_s == pytest.approx(30.0, abs=2.0)
