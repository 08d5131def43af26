"""The last measurements of `f.tune` fit into its time, or what has been measured decides."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from jitmdh.jit.tuning import final_comparison
from jitmdh.jit.tuning.candidates import Timed
from jitmdh.jit.tuning.final_comparison import decide


def code(threads: int | None = None) -> Any:
    return SimpleNamespace(threads=threads)


class Stand:
    """Candidates whose calls take as long as they say."""

    def __init__(self, before: Any, *finalists: Timed) -> None:
        self.job, self.finalists, self.measured = SimpleNamespace(specialisation=before), list(finalists), 0.0

    def best(self) -> list[Timed]:
        return self.finalists

    def sampled(self, specialisation: Any, cut_seconds: float, budget_seconds: float) -> list[float]:
        seconds = next(t.seconds for t in self.finalists if t.specialisation is specialisation)
        self.measured += max(seconds, budget_seconds)
        return [seconds]


@pytest.fixture(autouse=True)
def reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(final_comparison, "_with_reason", lambda found, reason: found)
    monkeypatch.setattr(final_comparison, "_MOST_ROUNDS", 5)
    monkeypatch.setattr(final_comparison, "_FIRST_ROUNDS", 3)


@pytest.mark.parametrize("call_seconds", [1e-4, 0.01, 0.1, 1.0, 20.0])
@pytest.mark.parametrize("left", [-1.0, 0.0, 1.0, 30.0])
def test_the_least_that_is_measured_fits(call_seconds: float, left: float) -> None:
    others = [Timed(call_seconds * (0.5 + 0.1 * n), code(), {"tile": n}) for n in range(8)]
    model = Timed(call_seconds, code(), {})
    stand = Stand(code(), model, *others)
    winner = decide(stand, time.perf_counter() + left, False)  # type: ignore[arg-type]
    assert winner.found is others[0].specialisation and winner.changes == {"tile": 0}
    assert winner.seconds == pytest.approx(0.5 * winner.model_seconds)
    rounds = 3 + 5  # time stands still here: all rounds there may be
    assert stand.measured <= rounds / 3 * max(0.0, left) + rounds / 3 * 0.5 + 1e-9


def test_code_in_force_stays_where_nobody_has_time_to_measure_it() -> None:
    before = code(threads=2)
    model, tuned = Timed(10.0, code(), {}), Timed(float("inf"), before, None)
    assert decide(Stand(before, model, tuned), time.perf_counter(), False).found is before  # type: ignore[arg-type]
    assert decide(Stand(before, model, tuned), None, True).found is before  # type: ignore[arg-type]


def test_what_was_tuned_before_has_to_win_again() -> None:
    before = code(threads=2)
    model, tuned = Timed(1e-3, code(), {}), Timed(2e-3, before, None)
    assert decide(Stand(before, model, tuned), None, False).found is model.specialisation  # type: ignore[arg-type]
    assert decide(Stand(before, model, Timed(5e-4, before, None)), None, False).found is before  # type: ignore[arg-type]
