"""The thread that decides: what the helper gets, when it stands still, and when all is over or begins anew."""

from __future__ import annotations

import math
import threading
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.atf.tuning.batches import Batch, Contest, Decision
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.jit.trials import session, worker
from jitmdh.jit.trials.budget import Budget, Intrusion
from jitmdh.jit.trials.paired_samples import gain_of
from jitmdh.jit.trials.record import Record
from tests.jit.test_online import integers, matvec
from tests.jit.trials.stand_in import InProcess, hurried, is_done, switching, until
from tests.waiting import wait_until

__all__ = ["hurried", "switching"]
pytestmark = pytest.mark.skipif(native_call_path() is None, reason="no native call path on this Python")


def test_the_share_that_holds_where_tuning_begins_holds_for_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings for a block are of the thread that runs it; those of before are to bound what is done for it, too."""
    monkeypatch.setattr(worker, "_present", [])
    monkeypatch.setattr(worker, "_share", [])
    with mdh.config(tuning_overhead=0.25):
        worker.worker()
        seen: list[float] = []
        thread = threading.Thread(target=lambda: seen.append(worker.present_share()))
        thread.start()
        thread.join()
        assert seen == [0.25]
    assert worker.present_share() == mdh.config.tuning_overhead


@pytest.mark.parametrize("hurried_now", [False, True])
@pytest.mark.parametrize("trying", [False, True])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("rate", [None, 0.0, 0.5, 64.0])
@pytest.mark.parametrize("lost", [0.0, 1e6])
def test_it_wakes_twenty_times_a_second_at_most(
    hurried_now: bool, trying: bool, held: bool, rate: float | None, lost: float
) -> None:
    """Whatever it waits for, and however much the helper does meanwhile."""
    found = worker.Worker()
    found._hurried, found.sessions = hurried_now, [cast(Any, SimpleNamespace(trying=trying))]
    if held:
        found._holding.add(1)
    if rate is not None:
        found.helper, found._rate = cast(Any, InProcess()), rate
    found.budget.ran(1e3)
    found.budget.lose("compiling", lost)
    assert 1 / 20 <= found._sleep_seconds() <= 0.5


def test_whose_calls_take_the_most_time_is_tried_first() -> None:
    """Until it has been looked at in vain more often than others."""
    found = worker.Worker()
    often, seldom, searched = (
        cast(Any, SimpleNamespace(share=share, examined=examined, trying=0))
        for share, examined in ((0.6, 0), (0.1, 0), (0.3, 40))
    )
    found.sessions = [seldom, searched, often]
    assert found._by_expected_gain() == [often, seldom, searched]
    often.examined = 20
    assert found._by_expected_gain() == [seldom, often, searched]


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


@pytest.mark.usefixtures("hurried")
def test_the_helper_is_dear_where_the_program_loses_what_it_runs() -> None:
    found: Any = worker.Worker()
    found.helper = Busy()
    assert not found._price.dear, "nothing is known"
    for cost, dear in ((0.0, False), (0.05, True), (0.05, True), (0.0, False)):
        for _ in range(9):
            found.helper.cpu += 0.05
            charged(found, cost)
        assert found._price.dear is dear, cost


@pytest.mark.parametrize(
    ("undecided", "dear", "most"), [(False, False, 2), (True, False, 2), (False, True, 1), (True, True, 0)]
)
def test_where_candidates_are_dear_each_is_proposed_by_what_calls_said_of_those_before(
    undecided: bool, dear: bool, most: int
) -> None:
    submitted: list[Any] = []
    search: Any = SimpleNamespace(
        contest=SimpleNamespace(next=lambda: Batch(None, 4) if undecided else None),  # type: ignore[arg-type]
        asked=set[int](), task=lambda: None, exhausted=False, examined=0, _may_ask=lambda: True, _usual=1e5,
        _watch=SimpleNamespace(recent_ns=lambda: 1e5), _took=lambda _: None, _try=lambda *_: True,
        site=SimpleNamespace(specialisation=SimpleNamespace(compiled=None)),
    )  # fmt: skip
    helper: Any = SimpleNamespace(submit=lambda candidate: submitted.append(candidate) or len(submitted))
    for _ in range(4):
        session.Session._next(search, helper, False, dear)
    assert len(submitted) == most


@pytest.mark.usefixtures("hurried", "switching")
def test_at_the_end_the_thread_is_gone_and_calls_are_watched_only() -> None:
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    until(f, lambda: f(w, A, v), lambda: is_done(f))
    until(f, lambda: f(w, A, v), lambda: not worker.worker().runs)
    wait_until(lambda: not any(t.name == "jitmdh tuning" for t in threading.enumerate()))  # which is about to end
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
    until(f, lambda: f(w, A, v), lambda: f.stats().trials > before)


@pytest.mark.in_turns(2)
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


@pytest.mark.usefixtures("hurried")
def test_code_that_has_lost_its_place_is_tried_once_more_where_the_new_one_runs_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first challenger wins while codes take turns, and what it has replaced wins against it afterwards: once."""
    outcomes: list[tuple[bool, bool]] = []

    def told(self: Contest, pairs: Any) -> Decision:
        present: Any = self._present
        if not pairs or present is None:
            return Decision.MORE
        self._present = None
        won = present.configuration.former or not outcomes
        outcomes.append((present.configuration.former, won))
        present.ratios.append(0.9)
        if not won:
            self._over(present)
            return Decision.KEEP
        self._switch(present)
        return Decision.SWITCH

    monkeypatch.setattr(Contest, "told", told)
    monkeypatch.setattr(session, "_DOUBTFUL", math.inf)  # however much faster the first challenger is
    f = mdh.jit(cache=False)(matvec)
    A, v, w = integers(60, 70), integers(70), integers(60)
    f(w, A, v)
    first = f.config()
    until(f, lambda: f(w, A, v), lambda: is_done(f))
    assert outcomes[0] == (False, True) and outcomes.count((True, True)) == 1
    assert [former for former, _ in outcomes].count(True) == 1, "what has come back is not challenged by its successor"
    assert f.stats().switches == 2 and f.stats().seconds_gained is not None
    registers = [[entry["part_size"] for entry in c.values()] for c in (first, f.config())]
    assert registers[0] == registers[1]


@pytest.mark.parametrize("candidate_seconds", [0.03, 0.1, 0.3])
@pytest.mark.parametrize(("promises", "most"), [((0.06,), 0.03), ((0.06, 0.055, 0.045, 0.04, 0.03, 0.02), 0.026)])
def test_where_nothing_is_gained_ever_less_is_lost(
    candidate_seconds: float, promises: tuple[float, ...], most: float
) -> None:
    """A minute of calls, by simulation: 0.5 s until the first candidate and as given for others, all in vain; the less
    is to be expected of what comes, the less is lost for it."""
    budget, record = Budget(0.05), Record()
    site: Any = SimpleNamespace(function=SimpleNamespace(record=record))
    search: Any = SimpleNamespace(site=site, _in_vain=0, _lost_before=0.0, _promise=promises[0])
    lost_at = []
    for _ in range(600):
        budget.ran(0.1, session.Session._faded(search))
        cost = candidate_seconds if search._in_vain else 0.5
        if budget.allows(cost):
            budget.lose("compiling", cost)
            record.lose("compiling", cost)
            search._promise = promises[min(search._in_vain, len(promises) - 1)]
            session.Session._failed(search)
            assert search._in_vain > 1 or session.Session._faded(search) > 0.9, "what it takes to begin is not in vain"
        lost_at.append(budget.lost_seconds)
    assert search._in_vain >= 3 and lost_at[-1] <= most * 60
    # nothing is taken back from an improvement, but of what follows it is all there again
    assert session.Session._faded(search) < 0.4
    search._in_vain, search._lost_before = 0, record.lost_seconds
    assert session.Session._faded(search) == 1.0
    late = (lost_at[-1] - lost_at[299]) / 30
    assert late <= 0.02 + 1e-9, f"{late:.3f} of the time of the second half"


def test_one_slow_pair_among_fast_ones_does_not_hold_up_the_search() -> None:
    """What pairs may cost is told by the median of those before; who has no budget for them asks for no candidates."""
    asked: list[float] = []

    def dearest(pairs: int, ratio: float, settled: bool) -> float:
        asked.append(ratio)
        return 1.0

    plan: Any = SimpleNamespace()
    challenger: Any = SimpleNamespace(ratios=[1.0, 1.01, 0.99, 25.0], pairs=SimpleNamespace(dearest_seconds=dearest))
    search: Any = SimpleNamespace(
        budget=Budget(0.05), _usual=1e5, site=SimpleNamespace(specialisation=SimpleNamespace(plan=plan))
    )
    assert session.Session._try(search, Batch(challenger, 12, True), InProcess()) is False  # type: ignore[arg-type]
    assert asked == [pytest.approx(1.005)]
