"""What single changes gain is measured, and the table is made of it."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from benchmarks.atf import single_changes
from benchmarks.atf.single_changes import Change
from jitmdh.jit.search import prior


def test_the_table_of_gains() -> None:
    rows = [
        Change("a 0", "copies", 1, "A", 0.8), Change("a 0", "copies", 1, "B", 1.5),
        Change("a 0", "copies", 1, "C", None),
        Change("a 0", "tile", 0, "4x4", 0.1, 0.2), Change("a 0", "tile", 0, "4x8", 0.9, 0.45),
        Change("b 0", "copies none", 1, "none", 0.01),
    ]  # fmt: skip
    found = single_changes.gains(rows)
    assert found == {"copies": pytest.approx(-math.log(0.8) / 3), "copies none": 0.5}
    assert single_changes.spread(rows, True) == pytest.approx(math.log(4) / 2)
    assert single_changes.spread(rows, False) is None
    assert single_changes.after(rows[:3], 1, lambda r: r.ratio or 9.0) == pytest.approx(-math.log(0.8))
    assert single_changes.after(rows[:3], 1, lambda r: -(r.ratio or 0.0)) == 0.0
    assert single_changes.expected(rows[5], {"copies": 0.3}) == 0.3  # it has no mean of its own


@pytest.mark.skipif(sys.platform != "linux", reason="candidates run in processes of Linux")
def test_changes_of_a_computation_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "changes.json"
    kinds = f"{single_changes.CONTRACTION},stencil"
    assert not single_changes.main(["--seeds", "0:1", "--kinds", kinds, "--most", "3", "--json", str(file)])
    printed = capsys.readouterr()
    assert "6 changes of 2 computations" in printed.out, printed
    rows = [Change(**row) for row in json.loads(file.read_text())]
    assert all(row.ratio is None or row.ratio > 0 for row in rows) and any(row.ratio for row in rows)
    assert {row.group for row in rows} <= {"tile", *prior.GAINS}
    assert not single_changes.main(["--from", str(file)]) and capsys.readouterr().out == printed.out
