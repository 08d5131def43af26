"""What asks for a search: one site for each code, whichever threads ask for it at the same time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.trials import observe
from jitmdh.jit.trials.observe import site_of
from jitmdh.jit.trials.record import Gain, Record
from jitmdh.jit.trials.worker import Worker
from tests.jit.test_online import matvec
from tests.waiting import wait_until


class LookedAtTooEarly(dict[Any, Any]):
    """Nothing is found by who looks, as if another thread put it there just afterwards."""

    def get(self, key: Any, default: Any = None) -> Any:
        return default


def test_threads_that_ask_at_the_same_time_get_one_site() -> None:
    """Two of them had two searches; the one that lost the code settled the site of the other, which ended all."""
    f = mdh.jit(cache=False)(matvec)
    A, v, w = np.ones((6, 7)), np.ones(7), np.zeros(6)
    f(w, A, v)
    (specialisation, *_) = f.select(f.prepared((w, A, v)))
    f.codes.sites = LookedAtTooEarly()
    site = site_of(f, specialisation)
    assert site_of(f, specialisation) is site and len(f.codes.sites) == 1


def test_other_code_is_open_again_but_not_while_it_is_searched() -> None:
    f = mdh.jit(cache=False)(matvec)
    A, v, w = np.ones((6, 7)), np.ones(7), np.zeros(6)
    f(w, A, v)
    (before, *_) = f.select(f.prepared((w, A, v)))
    site, after = site_of(f, before), replace(before)
    site.settle()
    assert site_of(f, before).done
    assert not site_of(f, after).done and site.specialisation is after
    assert site.claim("somebody")
    assert site_of(f, before) is site and site.specialisation is after


def test_a_record_is_read_while_it_grows() -> None:
    record = Record()

    class Growing(list[Gain]):
        """Another call gets its first gain while those of this one are counted."""

        def __len__(self) -> int:
            record.gains[str(len(record.gains))] = []
            return 1

        def __iter__(self) -> Iterator[Gain]:
            record.gains[str(len(record.gains))] = []
            return super().__iter__()

    record.gains["first"] = Growing([Gain(0.5, 0.4, 0.6, 1.0)])
    record.gains["second"] = []
    record.spent["first"] = 2.0
    assert record.switches == 1
    assert record.gained_seconds()[0] == 1.0


def test_a_claim_is_released_by_who_has_it_only() -> None:
    """A call that a signal ends does not know how far it came; the thread that searches may have taken over."""
    f = mdh.jit(cache=False)(matvec)
    A, v, w = np.ones((6, 7)), np.ones(7), np.zeros(6)
    f(w, A, v)
    (code, *_) = f.select(f.prepared((w, A, v)))
    site, call, search = site_of(f, code), object(), object()
    assert site.claim(call) and site.claim(call) and not site.claim(search)
    assert not site.release(search) and site.searching
    assert site.pass_on(call, search) and not site.pass_on(call, search)
    assert not site.release(call) and site.searching
    assert site.release(search) and not site.searching


def test_an_interrupted_start_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal's handler raises while the thread is started: the next job starts one, and both are done."""
    done: list[int] = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        monkeypatch.setattr(threading.Thread, "start", start)
        raise KeyboardInterrupt

    present = Worker()
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        present.post(lambda: done.append(1))
    present.post(lambda: done.append(2))
    wait_until(lambda: done == [1, 2] and not present.runs)


class Asked:
    """A trial that notes when it is to be looked at again."""

    spent_seconds = 1.0

    def __init__(self) -> None:
        self.at: list[float] = []

    def notice_at(self, seconds: float) -> None:
        self.at.append(seconds)


def test_a_copy_waits_until_the_budget_has_all_that_it_reads() -> None:
    """A view of every eighth number reads eight times what it copies: it was begun with an eighth of its cost."""
    f = mdh.jit(cache=False)(matvec)
    A, v, w = np.zeros((1000, 8000))[:, ::8], np.ones(1000), np.zeros(1000)
    f(w, A, v)
    prepared = f.prepared((w, A, v))
    (code, *_) = f.select(prepared)
    present, trial = Worker(), Asked()
    present.budget.share = 0.05
    present.budget.ran(1.0)  # 50 ms: enough for 8 MB, not for 64
    given: Any = trial
    observe._begin(site_of(f, code), f, prepared, given, present)
    assert present.budget.lost == {} and not present.runs
    assert 1.2 < trial.at[0] < 1.5


def test_the_call_that_begins_to_tune_imports_little() -> None:
    """It waits for that: 90 modules took 28 ms, at a time when the function has run for 200."""
    later = (
        "subprocess",
        "socket",
        "decimal",
        "jitmdh.jit.search",
        "jitmdh.atf.techniques",
        "jitmdh.mdh.lowering.nest",
    )
    program = f"import sys, jitmdh.jit.trials.observe; print([m for m in {later!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
