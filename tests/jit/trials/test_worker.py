"""The thread that decides: what the helper gets, when it stands still, and when all is over or begins anew."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.hca.devices.cpu_entry import native_call_path
from jitmdh.jit.trials import session, worker
from jitmdh.jit.trials.budget import Intrusion
from jitmdh.jit.trials.paired_samples import gain_of
from jitmdh.jit.trials.record import Record
from tests.jit.test_online import integers, matvec
from tests.jit.trials.stand_in import InProcess, hurried, is_done, switching, until
from tests.waiting import wait_until

__all__ = ["hurried", "switching"]
pytestmark = pytest.mark.skipif(native_call_path() is None, reason="no native call path on this Python")


class Busy(InProcess):
    """A helper with work to do; `cpu` is what it says to have used."""

    def __init__(self, cpu: float = 0.0) -> None:
        super().__init__()
        self.cpu, self.waiting, self.asleep = cpu, 2, False

    def cpu_seconds(self) -> float:
        return self.cpu

    def pause(self) -> None:
        self.asleep = True

    def resume(self) -> None:
        self.asleep = False


def charged(found: Any, cost: float) -> None:
    intrusion = Intrusion(lambda: True)
    intrusion.cost = lambda used: cost  # type: ignore[method-assign]
    found._charge(intrusion, found._looked + 1 / 20)


@pytest.mark.usefixtures("hurried")
def test_the_helper_stands_still_while_nothing_is_left_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_SLICE_SECONDS", 0.05)
    found = worker.Worker()
    found.budget.share = 0.1
    helper: Any = Busy()
    found.helper = helper
    found.budget.ran(1.0)
    charged(found, 0.04)
    assert not helper.asleep
    charged(found, 0.08)
    assert helper.asleep and found.budget.left_seconds == pytest.approx(-0.02)
    found.budget.ran(0.5)
    charged(found, 0.0)
    assert helper.asleep, "no slice of it fits"
    found.budget.ran(0.5)
    charged(found, 0.0)
    assert not helper.asleep


@pytest.mark.usefixtures("hurried")
def test_who_waits_does_not_wait_for_a_helper_that_stands_still() -> None:
    found = worker.Worker()
    found.budget.share = 0.1
    helper: Any = Busy()
    found.helper = helper
    found.budget.ran(1.0)
    charged(found, 5.0)
    assert helper.asleep
    found._holding.add(1)
    charged(found, 0.0)
    assert not helper.asleep
    found._holding.clear()
    charged(found, 0.0)
    assert helper.asleep


@pytest.mark.usefixtures("hurried")
def test_a_helper_that_starves_gets_what_was_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def hurry(self: Any, helper: Any, wanted: bool) -> None:
        self._hurried = wanted and self.budget.allows(0.05)
        asked.append(self._hurried)

    monkeypatch.setattr(worker.Worker, "_hurry", hurry)
    monkeypatch.setattr(worker, "_WAKES_PER_SECOND", 20)
    found = worker.Worker()
    found.budget.share = 0.1
    helper: Any = Busy()
    found.helper = helper
    for _ in range(30):
        charged(found, 0.0)
    assert not any(asked), "nothing is paid for yet"
    found.budget.ran(2.0)
    charged(found, 0.0)
    assert asked[-1]
    helper.cpu += 0.12
    charged(found, 0.0)
    assert found.budget.lost["compiling"] == pytest.approx(0.12), "all of its time is lost now"
    helper.cpu += 0.1
    charged(found, 0.0)
    assert not asked[-1]


@pytest.mark.usefixtures("hurried")
def test_what_calls_lose_is_what_the_helper_costs() -> None:
    """Though it takes little: where its work slows calls by more than it takes, it gets less."""

    class Slowed:
        slowed = 0.0

        def slowed_seconds(self, at_work: bool) -> float:
            return self.slowed if at_work else 0.0

        asked: tuple[()] = ()
        trying = False
        site: Any = None

    found: Any = worker.Worker()
    found._lose = lambda kind, seconds, sessions: found.budget.lose(kind, seconds)
    calls = Slowed()
    found.helper, found.sessions = Busy(), [calls]
    found.budget.share = 0.1
    found.budget.ran(10.0)
    for used, slowed, lost in ((0.02, 0.01, 0.02), (0.02, 0.05, 0.05), (0.01, 10.0, 0.08), (0.0, 10.0, 0.0)):
        before = found.budget.lost_seconds
        found.helper.cpu, calls.slowed = found.helper.cpu + used, slowed
        charged(found, used)
        assert found.budget.lost_seconds - before == pytest.approx(lost)


@pytest.mark.usefixtures("hurried", "switching")
def test_at_the_end_the_thread_is_gone_and_calls_are_watched_only() -> None:
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), lambda: is_done(f))
    until(f, lambda: f(w, A, v), lambda: not worker.worker().runs)
    assert not any(t.name == "jitmdh tuning" for t in threading.enumerate())
    trials = [plan.trial for plan in f.codes.table.plans]
    before = f.stats().trials
    for _ in range(2000):
        f(w, A, v)
    assert f.stats().trials == before and worker.worker().helper is None
    lost = worker.worker().budget.lost
    assert {"trials", "copies", "deciding"} <= {*lost} and f.stats().lost_by == pytest.approx(lost)
    assert f.stats().seconds_lost == pytest.approx(worker.worker().budget.lost_seconds), "one account"
    assert all(len(plan.trials) <= 1 for plan in f.codes.table.plans) and len(trials) >= 2


@pytest.mark.usefixtures("hurried", "switching")
def test_a_search_that_nobody_calls_is_parked_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_PARKED_SECONDS", 0.05)
    monkeypatch.setattr(session, "_QUIET_SECONDS", 0.01)
    monkeypatch.setattr(session, "WATCHED_SECONDS", 1e-4)
    monkeypatch.setattr(InProcess, "most", 10**6)
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), lambda: f.stats().trials > 0)
    wait_until(lambda: not worker.worker().runs)
    before = f.stats().trials
    until(f, lambda: f(w, A, v), lambda: f.stats().trials > before, 60)


@pytest.mark.usefixtures("hurried", "switching")
def test_a_call_that_takes_much_longer_than_before_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from jitmdh.jit.trials import observe

    for module in (session, observe):
        monkeypatch.setattr(module, "WATCHED_SECONDS", 1e-3)
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), lambda: is_done(f))
    until(f, lambda: f(w, A, v), lambda: not worker.worker().runs)
    (known,) = f.codes.sites.values()
    until(f, lambda: f(w, A, v), lambda: known._usual is not None)
    candidates = f.stats().background_compiles
    known._usual /= 3.0  # as if calls had been three times as fast
    until(f, lambda: f(w, A, v), lambda: f.stats().background_compiles > candidates)
    until(f, lambda: f(w, A, v), lambda: not worker.worker().runs)
    until(f, lambda: f(w, A, v), lambda: known._usual is not None)
    candidates = f.stats().background_compiles
    known._usual /= 3.0
    for _ in range(3000):
        f(w, A, v)
    assert f.stats().background_compiles == candidates, "at most once a minute"


def test_what_is_gained() -> None:
    record = Record()
    assert record.gained_seconds() == (0.0, 0.0, 0.0)
    record.gains["call"] = [gain_of([0.5] * 9, 1.0), gain_of([0.8, 0.8, 0.8], 3.0)]
    record.spent["call"] = 7.0
    gained, least, most = record.gained_seconds()
    assert gained == pytest.approx(2.0 * (1 / 0.5 - 1) + 4.0 * (1 / 0.4 - 1)) and least <= gained <= most
    assert np.isfinite(most)
    wide = gain_of([0.2, 0.5, 1.2], 0.0)
    assert 0 < wide.low < 0.49 < wide.ratio < 0.51 < wide.high
