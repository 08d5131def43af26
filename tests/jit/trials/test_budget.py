"""What tuning may cost: never more than the share, at any moment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.jit.trials import budget
from jitmdh.jit.trials.budget import LEAST_SECONDS, Budget, Intrusion, Slowdown

events = st.lists(st.tuples(st.sampled_from(["run", "try"]), st.floats(0, 10)), max_size=60)


@given(st.floats(0, 1), events)
def test_what_is_lost_stays_below_the_share_at_every_moment(share: float, events: list[tuple[str, float]]) -> None:
    """If whoever asks loses no more than the dearest that was asked for."""
    present = Budget(share)
    for kind, seconds in events:
        if kind == "run":
            present.ran(seconds, 0.5 if seconds > 5 else 1.0)
        elif present.allows(seconds):
            present.lose("trials", seconds)
            assert present.run_seconds >= LEAST_SECONDS and share > 0
        assert present.lost_seconds <= share * present.run_seconds + 1e-9


def test_a_function_that_has_hardly_run_pays_nothing() -> None:
    present = Budget(1.0)
    present.ran(0.19)
    assert not present.allows(0.0)
    present.ran(0.02)
    assert present.allows(0.2) and not present.allows(0.22)
    present.lose("copies", 0.1)
    present.lose("trials", -5.0)  # what was faster gives nothing back
    assert present.left_seconds == pytest.approx(0.11)


def test_what_another_process_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float | None] = [1.0]
    monkeypatch.setattr(budget, "waited_seconds", lambda *_: waited[0])
    seen = Intrusion(lambda: True)
    waited[0] = 1.5
    assert seen.cost(0.2) == pytest.approx(0.2), "no more than it ran"
    assert seen.cost(0.5) == 0.0, "nobody had to wait"
    waited[0] = 1.6
    assert seen.cost(3.0) == pytest.approx(0.1)
    waited[0] = 2.0
    assert seen.cost(3.0) == 0.0, "it has not run"
    seen.goes_on()
    waited[0] = 2.25
    assert seen.cost(4.0) == pytest.approx(0.25), "what was waited for before it went on was for others"


@pytest.mark.parametrize("saturated", [True, False])
def test_where_the_system_does_not_say(monkeypatch: pytest.MonkeyPatch, saturated: bool) -> None:
    monkeypatch.setattr(budget, "waited_seconds", lambda *_: None)
    assert Intrusion(lambda: saturated).cost(0.25) == (0.25 if saturated else 0.0)


def test_how_much_longer_calls_take_beside_another_process() -> None:
    seen = Slowdown()
    seen.looked(1.0, 1000, at_work=False)
    assert seen.share == 0.0, "nothing to compare with"
    seen.looked(0.3, 250, at_work=True)
    assert seen.share == 0.0, "not enough"
    seen.looked(0.3, 250, at_work=True)
    assert seen.share == pytest.approx(1 / 6, rel=0.02), "1.2 ms instead of 1 ms"
    for _ in range(100):
        seen.looked(1.0, 500, at_work=False)
    assert seen.share == 0.0, "they are slow without it, too"
    for _ in range(100):
        seen.looked(1.0, 400, at_work=True)
    assert seen.share == pytest.approx(0.2, rel=0.02), "what was long ago has been forgotten"
