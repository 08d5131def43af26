from __future__ import annotations

import os
from pathlib import Path

import pytest

from jitmdh.base.cores import usable_cores


@pytest.fixture
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


@pytest.mark.usefixtures("eight_cores")
@pytest.mark.parametrize(
    ("quota", "cores"),
    [("max 100000", 8), ("200000 100000", 2), ("150000 100000", 2), ("5000 100000", 1), ("9900000 100000", 8),
     ("", 8), ("100 0", 8), ("nonsense", 8)],
)  # fmt: skip
def test_a_containers_quota_lowers_the_number(tmp_path: Path, quota: str, cores: int) -> None:
    file = tmp_path / "cpu.max"
    file.write_text(f"{quota}\n")
    assert usable_cores(file) == cores


@pytest.mark.usefixtures("eight_cores")
def test_without_control_groups(tmp_path: Path) -> None:
    assert usable_cores(tmp_path / "none") == 8


def test_here() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
