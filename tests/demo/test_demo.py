"""The demonstration on small data, its measuring tools, and (slow) the whole of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jitmdh import cli
from jitmdh.demo import linkage, main, photograph, report, ridge, timing
from jitmdh.demo.measure import NUMBA, NUMPY, OURS, TaskOutcome
from jitmdh.demo.measure import measure as measure_task
from jitmdh.demo.numba_twin import numba_twin
from jitmdh.demo.ridge import Digits
from jitmdh.demo.task import Check, Task
from tests.known_limits import known_limits

LIMITS = known_limits(1, {"float32": 100.0})


def some_digits() -> Digits:
    random = np.random.default_rng(0)
    pixels = random.integers(0, 17, (60, 64)).astype(np.float32)
    return Digits(pixels[:45], random.integers(0, 10, 45), pixels[45:], random.integers(0, 10, 15))


def tasks() -> list[Task]:
    data = some_digits()
    work = ridge.regression(data)
    image = np.random.default_rng(1).random((33, 41)).astype(np.float32)
    return [photograph.task(image, "blur"), ridge.gram_task(work), ridge.moments_task(work), linkage.task(data)]


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.title)
def test_results(task: Task) -> None:
    for output in task.outputs:
        output.fill(-1)
    assert not task.check().passed
    task.function(*task.arguments)
    assert task.check().passed
    for output in task.outputs:
        output.flat[0] += 1
    assert not task.check().passed


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("task", [t for t in tasks() if t.title in ("blur", "record linkage")], ids=lambda t: t.title)
def test_undecorated_and_numba_mean_the_same(task: Task) -> None:
    task.function.py_func(*task.arguments)
    assert task.check().passed
    for output in task.outputs:
        output.fill(-1)
    numba_twin(task.function)(*task.arguments)
    assert task.check().passed


def test_an_outcome_and_its_table() -> None:
    outcome = measure_task(tasks()[0], LIMITS, with_numba=False, budget_seconds=0.05)
    assert outcome.check.passed and outcome.timings.keys() == {OURS, NUMPY} and outcome.python_seconds > 0
    table = report.table([outcome])
    assert [column.header for column in table.columns][-2:] == ["Python *", "limit †"]
    cells = [next(column.cells) for column in table.columns]
    assert "right" in str(cells[1]) and cells[5] == "–"
    assert NUMBA not in outcome.timings
    assert "extrapolated" in report.notes([outcome], LIMITS)


def test_a_wrong_result_is_shown_and_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outcome = measure_task(tasks()[0], LIMITS, with_numba=False, budget_seconds=0.05)
    wrong = TaskOutcome(outcome.task, Check(1.0, 1e-6), *(getattr(outcome, name) for name in TaskOutcome.__slots__[2:]))
    monkeypatch.setattr(main, "_outcomes", lambda *_: ([wrong], []))
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    assert main.run(tmp_path) == 1


def test_nan_is_not_right() -> None:
    assert not Check.of(np.array([np.nan, 0.0]), np.zeros(2), 1.0).passed
    assert Check.of(np.array([1.0, 2.0]), np.array([1.0, 2.0]), 0.0).passed


def test_timing_takes_turns() -> None:
    calls: list[str] = []
    both = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    found = timing.interleaved(both, rounds=3, sample_seconds=0.0, warm_seconds=0.0)
    assert "".join(calls[-6:]) == "ababab"
    assert found["a"].rounds == 3 and found["a"].seconds >= 0


def test_calls_are_made_untimed_before_a_sample() -> None:
    calls: list[str] = []
    both = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    found = timing.interleaved(both, 2, 0.0, warm_seconds=0.002, before_each=lambda name: calls.append(name.upper()))
    last = "".join(calls).rpartition("B")[2]
    assert found["a"].rounds == found["b"].rounds == 2 and len(last) > 1 and set(last) == {"b"}


def test_what_is_slow_is_not_repeated() -> None:
    import time

    found = timing.interleaved({"slow": lambda: time.sleep(0.03)}, rounds=9, budget_seconds=0.01)
    assert found["slow"].rounds == 1


@pytest.mark.slow
def test_the_whole_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    monkeypatch.setattr(main, "MOSAIC", 2)
    assert cli.main(["demo", "--without-numba", "--output", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("right") >= 5 and "All 5 results checked, all right." in shown
    from PIL import Image

    with Image.open(tmp_path / "blur.png") as picture:
        assert picture.size == (1288, 755)
