"""Whether a process was kept from running, and what is compared then."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jitmdh.base.process import disturbance
from jitmdh.base.process.disturbance import CallTime, Disturbance

ONE, OTHER = CallTime(3.0, 4.0), CallTime(1.0, 2.0)


def after(monkeypatch: pytest.MonkeyPatch, passed: float, worked: float, waited: float | None) -> Disturbance:
    """What has been seen after `passed` seconds in which threads worked and waited for so long."""
    now: Any = SimpleNamespace(passed=10.0, worked=20.0, waited=30.0)
    monkeypatch.setattr(disturbance, "time", SimpleNamespace(perf_counter=lambda: now.passed))
    monkeypatch.setattr(disturbance, "worked_seconds", lambda: now.worked)
    monkeypatch.setattr(disturbance, "waited_seconds", lambda: now.waited)
    found = Disturbance()
    now.passed, now.worked = now.passed + passed, now.worked + worked
    now.waited = None if waited is None else now.waited + waited
    return found


def test_undisturbed_calls_are_compared_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for worked, waited in ((2.0, 0.0), (1.0, 0.05)):  # two threads, or one
        assert after(monkeypatch, 1.0, worked, waited).comparable(ONE, OTHER) == (3.0, 1.0, False)


@pytest.mark.parametrize(
    ("passed", "worked", "waited", "spent"),
    [
        (1.0, 1.0, 0.9, 1.0),  # one of two threads had no processor
        (5.0, 2.0, 0.0, 2.0),  # the process was stopped
        (1.0, 0.7, None, 0.7),  # the system does not say who waits
    ],
)
def test_else_by_processor_time(
    monkeypatch: pytest.MonkeyPatch, passed: float, worked: float, waited: float | None, spent: float
) -> None:
    found = after(monkeypatch, passed, worked, waited)
    assert found.comparable(ONE, OTHER) == (4.0, 2.0, True)
    assert found.spent_seconds == pytest.approx(spent)


def test_the_least_of_several_calls() -> None:
    assert CallTime().least(CallTime(2.0, 5.0), CallTime(3.0, 4.0)) == CallTime(2.0, 4.0)
    assert CallTime().least(ONE, OTHER).bound == 1.0
