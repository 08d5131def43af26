"""Recorded loops of jitmdh's own kernels: recording one, and simulating a program that tunes itself on it."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.atf import record_loops
from benchmarks.atf.loops import Program, RecordedLoop, as_recorded, loaded, loops, outliers, quiet
from jitmdh import atf


def made_up(rows: int = 120, seed: int = 1) -> dict[str, Any]:
    """A loop whose model is a third slower than the best, which the search finds after a while."""
    rng = random.Random(seed)
    times = [100.0, *(rng.choice((90.0, 110.0, 130.0, 200.0, 900.0)) * rng.uniform(0.95, 1.05) for _ in range(rows))]
    times[rows // 3] = 75.0
    return {
        "name": "made up", "source": "a test", "time_unit": "us", "columns": ["tile", "block", "time_us"],
        "rows": [[n % 11, n // 11, t if n % 17 != 5 else None] for n, t in enumerate(times)],
        "compile_ms": [50.0] * len(times), "model": 0, "noise": [rng.gauss(1, 0.02) for _ in range(300)],
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "loop_made_up.json.gz").write_bytes(gzip.compress(json.dumps(made_up()).encode()))
    return tmp_path


@pytest.fixture
def loop(folder: Path) -> RecordedLoop:
    return loaded(folder / "loop_made_up.json.gz")


@pytest.mark.parametrize("charged", [False, True])
def test_time_lost_is_bounded_and_the_best_is_found(loop: RecordedLoop, charged: bool) -> None:
    program = Program(loop, 3, charged, quiet)
    program.run(seconds=600.0)
    assert program.worst <= 1.05 and program.lost_s <= 0.05 * program.now_s
    assert program.choice == 1.0 and program.present_s == pytest.approx(75e-6)
    assert program.over_oracle < 1.03
    short = Program(loop, 3, charged, quiet)
    short.run(seconds=0.1)
    assert short.lost_s == 0.0 and len(short.tried) == 1  # nothing before it is worth it


def test_noise_does_not_lead_astray(loop: RecordedLoop) -> None:
    for noise in (outliers, as_recorded(loop.noise)):
        programs = [Program(loop, seed, True, noise) for seed in range(20)]
        for program in programs:
            program.run(seconds=600.0)
        assert sum(p.choice <= 1.02 for p in programs) >= 19


def test_lines_are_printed_for_each_loop(folder: Path, tmp_path: Path) -> None:
    told: list[tuple[str, str, str, bool | None]] = []
    loops(lambda *given: told.append(given), folder, 3)
    assert len(told) == 6 and all("loop_made_up" in what for _, what, _, _ in told)
    loops(lambda *given: told.append(given), folder / "empty", 3)
    assert len(told) == 7 and told[-1][3] is None


@pytest.mark.in_turns(3)
def test_a_loop_is_recorded() -> None:
    data = record_loops.record("mm_60", evaluations=4, rounds=1)
    recorded = atf.recorded_space(data)
    assert len(data["rows"]) == 4 == len(data["compile_ms"]) and data["rows"][0][-1] is not None
    assert 0 < recorded.optimum < 1e6 and recorded.unit_s == 1e-6 and len(data["noise"]) > 100
