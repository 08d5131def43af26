"""The numbers that kernels return mean the same in Python and in the native runtime."""

from __future__ import annotations

import re
from pathlib import Path

import jitmdh.hca
from jitmdh.base.status import Status
from jitmdh.hca.drivers import cpu_frame

RUNTIME = Path(next(iter(jitmdh.hca.__path__))) / "runtime"


def test_native_runtime_knows_which_data_are_found_before_writing() -> None:
    found = re.search(
        r"found_before_writing\(.*?status >= (\d+) && status < 1 << (\d+)", (RUNTIME / "call.c").read_text()
    )
    assert found is not None
    assert (int(found[1]), 1 << int(found[2])) == (Status.FIRST_EARLY, Status.FIRST_LATE)


def test_outcomes_of_calls() -> None:
    found = re.search(r"enum Outcome \{ (.*?) \}", (RUNTIME / "plan.h").read_text())
    assert found is not None
    assert all(getattr(cpu_frame, name, number) == number for number, name in enumerate(found[1].split(", ")))
    assert found[1].split(", ").index("FAILED") == cpu_frame.FAILED


def test_ranges_do_not_overlap() -> None:
    single = [s for s in Status if not s.name.startswith("FIRST")]
    assert [s for s in single if Status.of_data(s) is not None] == [Status.ONLY_BY_COPIES]
    assert Status.ONLY_BY_COPIES == Status.FIRST_LATE - 1  # no program has so many conditions
    assert all(Status.of_fault(s) is None and Status.of_driver(s) is None for s in single)
    for n in range(3):
        assert Status.of_data(Status.FIRST_EARLY + n) == Status.of_data(Status.FIRST_LATE + n) == n
        assert Status.of_fault(Status.FIRST_FAULT + n) == n and Status.of_data(Status.FIRST_FAULT + n) is None
        driver = Status.FIRST_OF_DRIVER + n
        assert Status.of_driver(driver) == -n and Status.of_fault(driver) is None and Status.of_data(driver) is None
    assert Status.of_data(Status.NEGATIVE_POWER) is None and Status.of_fault(Status.FIRST_FAULT - 1) is None
