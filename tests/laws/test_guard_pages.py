"""No load and no store leaves its array, whatever the data: see `guard_pages`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws.guard_pages import PROGRAMS


def runs(*arguments: str) -> None:
    command = [sys.executable, "-m", "tests.laws.guard_pages", *arguments]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{arguments}: ended by {done.returncode}\n{done.stderr}"
    assert "inside" in done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_the_data_when_they_are_used(name: str) -> None:
    runs(name)


@pytest.mark.parametrize("name", ["gather", "histogram", "spmv", "permuted"])
def test_while_another_thread_writes_to_them(name: str) -> None:
    runs(name, "race")
