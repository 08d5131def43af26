"""What the first run of a candidate says of its speed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jitmdh.jit.online import first_run


def timed(monkeypatch: pytest.MonkeyPatch, usual: float, first: float, later: float) -> tuple[float, float]:
    """The times of a candidate and of the code in force, of which a call takes `usual` seconds."""
    present, candidate = object(), object()
    monkeypatch.setattr(first_run, "_samples", lambda code, *_: [usual if code is present else later])
    monkeypatch.setattr(first_run, "_arm", lambda _: None)
    monkeypatch.setattr(first_run, "_disarm", lambda: None)
    task: Any = SimpleNamespace(disjoint=False)
    place: Any = SimpleNamespace(present=present, trial=None, task=task, usual_seconds=usual)
    code: Any = candidate
    return first_run._timed(code, place, first, 1.0)


def test_a_cold_run_of_a_short_call_is_no_reason_to_drop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(monkeypatch, 2e-6, 4e-5, 1e-6) == (1e-6, 2e-6)


def test_what_is_far_slower_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(monkeypatch, 1e-3, 2e-2, 1e-3) == (2e-2, 1e-3)
