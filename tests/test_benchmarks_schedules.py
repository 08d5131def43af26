"""The suite `schedules`: TeML's loops in C and ours."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bench import main
from benchmarks.suites import exo_rows, halide_rows, schedules
from jitmdh import schedule as s


def test_the_suite_of_schedules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Results are right, and all figures are written; where there is no gcc, a line."""
    small = [
        dataclasses.replace(row, kernel=dataclasses.replace(row.kernel, sizes=row.kernel.small))
        for row in schedules.ROWS
    ]
    monkeypatch.setattr(schedules, "ROWS", small)
    page, file = tmp_path / "page.md", tmp_path / "rows.json"
    monkeypatch.setattr(schedules, "costs", lambda: {"draw": (1.0, 100.0)})
    options = ["--suite", "schedules", "--rows", "coars;bmm, B", "--rounds", "1", "--budget", "0", "--threads", "1"]
    assert main.main([*options, "--markdown", str(page), "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert [row["name"] for row in found] == ["coars", "bmm, B transposed"]
    gcc = {"b"} if shutil.which("gcc") else set()
    assert all(row["milliseconds"].keys() == {"a", "d"} | gcc and not row["wrong"] for row in found)
    text = page.read_text()
    assert all(f"| {row['name']} |" in text for row in found) and "| draw |" in text
    assert main.main([*options, "--json", str(tmp_path / "none.json"), "--stop-after", "0"]) == 3
    monkeypatch.setattr("shutil.which", lambda name: None)
    tuned = ["--suite", "schedules", "--rows", "coars", "--rounds", "1", "--budget", "0", "--tune", "0.1"]
    assert main.main([*tuned, "--json", str(tmp_path / "tuned.json")]) == 0
    (row,) = json.loads((tmp_path / "tuned.json").read_text())
    assert row["milliseconds"].keys() == {*"adefo"} and not row["wrong"]
    monkeypatch.setattr(schedules, "measured", lambda row, *_: schedules.Result(row.name))
    capsys.readouterr()
    assert main.main([*options, "--json", str(file), "--resume"]) == 0
    assert "–" not in capsys.readouterr().out.splitlines()[0].split("|")[2]  # it is what was measured before
    assert main.main([*options[:3], "bmm, B", *options[4:]]) == 0
    assert "there is no gcc" in capsys.readouterr().err
    assert main.main([*options[:3], "nothing has this name", *options[4:]]) == 2


def test_rows_beside_halide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Halide's results and ours are right, and have a table of their own."""
    pytest.importorskip("halide", reason="Halide is not installed: the extra `peers`")
    small = [
        dataclasses.replace(row, kernel=dataclasses.replace(row.kernel, sizes=row.kernel.small))
        for row in halide_rows.ROWS
    ]
    monkeypatch.setattr(halide_rows, "ROWS", tuple(small))
    monkeypatch.setattr(schedules, "ROWS", ())
    monkeypatch.setattr(schedules, "costs", dict)
    page, file = tmp_path / "page.md", tmp_path / "rows.json"
    options = ["--suite", "schedules", "--rounds", "1", "--budget", "0", "--threads", "2"]
    assert main.main([*options, "--markdown", str(page), "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert [row["name"] for row in found] == ["matmul", "conv2d 5x5", "blur"]
    assert all(row["milliseconds"].keys() - {"x"} == {*"adh"} and not row["wrong"] for row in found)
    head, *rows = page.read_text().partition("| beside Halide")[2].splitlines()[0:5]
    assert "(h) Halide" in head and all(row.count("|") == 12 for row in rows[1:4])


@pytest.mark.parametrize("name", ["matmul", "conv2d 5x5", "blur"])
def test_exo_is_right(name: str, tmp_path: Path) -> None:
    if not exo_rows.available():
        pytest.skip("Exo, gcc or vectors of 8 doubles are not there: the extra `peers`")
    kernel = next(row.kernel for row in halide_rows.ROWS if row.name == name)
    arrays, wanted = kernel.data({"i": 64, "j": 96, "k": 256})
    call = exo_rows.call(name, arrays, tmp_path)
    assert call is not None
    arrays[0][:] = 0
    call()
    np.testing.assert_allclose(arrays[0], wanted, rtol=1e-10)
    odd, _ = kernel.data({"i": 63, "j": 96, "k": 256})
    assert exo_rows.call(name, odd, tmp_path) is None


def test_loops_of_a_script_in_c() -> None:
    row = next(row for row in schedules.ROWS if row.name == "bmm")
    arguments, _ = row.kernel.data(row.kernel.small)
    nests = s.build(row.kernel.function, *arguments)
    text = schedules.source(row, nests, row.made(nests), row.kernel.small)
    order = ["omp parallel for", "b_32 = 0", "i_32 = 0", "j_32 = 0", "k_32 = 0", "b = b_32", "i = i_32", "k = k_32",
             "omp simd", "j = j_32; j < MIN(j_32 + 32, 41)", "C[b][i][j] +="]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)
