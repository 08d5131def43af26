"""No load and no store leaves its array, whatever the data: see `guard_pages`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.days import today
from tests.laws.guard_pages import PROGRAMS
from tests.waiting import PATIENCE
from tests.warm_start import warm_python

PARTS = [[*PROGRAMS][part::4] for part in range(4)]  # of programs for one process


def runs(way: str, names: list[str]) -> None:
    arguments = [way, *names]
    command = [*warm_python(), "-m", "tests.laws.guard_pages", *arguments]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, f"{done.stdout}ended by {done.returncode}\n{done.stderr}"
    assert "inside" in done.stdout


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("names", PARTS, ids="first second third fourth".split())
def test_whatever_the_data_when_they_are_used(names: list[str]) -> None:
    runs("wild", names)


def test_while_another_thread_writes_to_them() -> None:
    runs("race", ["gather", "histogram", "spmv", "permuted"])


def test_kernels_of_index_notation() -> None:
    first = 4 * today()
    runs("tensors", [str(first), str(first + 4)])
