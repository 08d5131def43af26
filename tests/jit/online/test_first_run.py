"""What the first run of a candidate says of its speed."""

from __future__ import annotations

import os
import socket
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from jitmdh.base.process.disturbance import CallTime, Disturbance
from jitmdh.jit.online import first_run
from jitmdh.jit.online.channel import Channel
from tests.waiting import PATIENCE


class Seen:
    """Whether there was a disturbance; all time is spent on what is measured."""

    spent_seconds = 0.0

    def __init__(self, seen: bool) -> None:
        self.seen = seen

    comparable = Disturbance.comparable


def timed(
    monkeypatch: pytest.MonkeyPatch,
    usual: CallTime,
    first: CallTime,
    later: CallTime,
    disturbed: bool = False,
    lately: tuple[CallTime, int] = (CallTime(), 100),
) -> tuple[float, float, bool]:
    """The times of a candidate and of the code in force, of which a call takes `usual`; `lately`, so many candidates
    ago, it took another time."""
    present, candidate = object(), object()
    monkeypatch.setattr(first_run, "_least", lambda code, _: usual if code is present else later)
    monkeypatch.setattr(first_run, "_arm", lambda _: None)
    monkeypatch.setattr(first_run, "_disarm", lambda: None)
    task: Any = SimpleNamespace(disjoint=False)
    place: Any = SimpleNamespace(present=present, trial=None, task=task, usual=usual, lately=lately[0], age=lately[1])
    code: Any = candidate
    seen: Any = Seen(disturbed)
    return first_run._timed(code, place, first, 1.0, seen)


def of_two(seconds: float) -> CallTime:
    """A call in which two threads work all the time."""
    return CallTime(seconds, 2 * seconds)


def test_a_cold_run_of_a_short_call_is_no_reason_to_drop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(monkeypatch, of_two(2e-6), of_two(4e-5), of_two(1e-6)) == (1e-6, 2e-6, False)


def test_what_is_far_slower_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(monkeypatch, of_two(1e-3), of_two(2e-2), of_two(1e-3)) == (2e-2, 1e-3, False)


def test_where_a_busy_program_leaves_little_processor_time_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock, a call of two threads takes any time there: 35 times as long was seen of what was faster."""
    waiting, unlucky = CallTime(70e-3, 1.6e-3), CallTime(2e-3, 2e-3)
    assert timed(monkeypatch, unlucky, waiting, waiting, disturbed=True) == (1.6e-3, 2e-3, True)


def test_the_first_run_of_a_long_call_says_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(monkeypatch, of_two(8e-3), of_two(9e-3), of_two(1e-3)) == (9e-3, 8e-3, False)


@pytest.mark.parametrize("age", [3, 50])
def test_what_seems_slower_beside_a_busy_program_has_a_second_run(monkeypatch: pytest.MonkeyPatch, age: int) -> None:
    """Code that took half of the time in calls was ruled out by one run in which it took 2.2 times as long."""
    slow, fast, usual = of_two(17e-3), of_two(5e-3), of_two(8e-3)
    found = timed(monkeypatch, usual, slow, fast, disturbed=True, lately=(usual, age))
    assert found == (fast.processors, usual.processors, True)
    assert timed(monkeypatch, usual, slow, slow, True, (usual, age))[0] == slow.processors


@pytest.mark.parametrize(("lately", "age", "measured"), [(5e-3, 3, False), (5e-3, 50, True), (1e-3, 3, True)])
def test_beside_what_is_far_slower_a_long_call_is_not_measured_again_and_again(
    monkeypatch: pytest.MonkeyPatch, lately: float, age: int, measured: bool
) -> None:
    found = timed(monkeypatch, of_two(8e-3), of_two(9e-3), of_two(9e-3), lately=(of_two(lately), age))
    assert found == (9e-3, 8e-3 if measured else lately, False)


def test_one_slow_run_of_the_code_in_force_does_not_make_a_candidate_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tile of a sum seemed to take 0.05 of the time."""
    present, times = object(), iter([of_two(60e-3), of_two(3.1e-3)])
    monkeypatch.setattr(first_run, "_least", lambda *_: next(times))
    task: Any = SimpleNamespace(disjoint=False)
    place: Any = SimpleNamespace(present=present, trial=None, task=task, usual=of_two(3e-3), lately=CallTime(), age=100)
    found = first_run._timed(object(), place, of_two(3e-3), 1.0, Seen(False))  # type: ignore[arg-type]
    assert found == (3e-3, 3.1e-3, False)


def test_times_beside_slow_runs_of_the_code_in_force_are_uncertain(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has taken a third of that before: whatever slows it down may not have met the candidate."""
    monkeypatch.setattr(first_run, "_least", lambda *_: of_two(6e-3))
    task: Any = SimpleNamespace(disjoint=False)
    place: Any = SimpleNamespace(
        present=object(), trial=None, task=task, usual=of_two(2e-3), lately=CallTime(), age=100
    )
    found = first_run._timed(object(), place, of_two(4e-3), 1.0, Seen(False))  # type: ignore[arg-type]
    assert found == (4e-3, 6e-3, True)


def test_processor_time_counts_by_the_threads_that_share_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code for one thread works less in all than code for two, and takes longer: by all processor time it seemed
    faster, and searches beside busy programs went on from there."""
    shared = SimpleNamespace(decomposition_order=["(COR,i)", "(L1,i)"], decomposition_assignment={})
    alone = SimpleNamespace(decomposition_order=["(L1,i)"], decomposition_assignment={})
    codes: Any = [SimpleNamespace(compiled=SimpleNamespace(configuration={"f": vars(e)})) for e in (shared, alone)]
    place: Any = SimpleNamespace(trial=None, task=SimpleNamespace(disjoint=False, threads=2))
    worked = {id(codes[0]): 2.2e-3, id(codes[1]): 1.8e-3}
    monkeypatch.setattr(first_run, "least_time", lambda code, *_: CallTime(9e-3, worked[id(code)]))
    two, one = (first_run._least(code, place) for code in codes)
    assert two == CallTime(9e-3, 1.1e-3) and one == CallTime(9e-3, 1.8e-3)


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="there is one policy")
def test_a_run_gets_the_processors_that_its_helper_gets() -> None:
    """The worker pays for a helper that has starved; a run that was forked before gave way for ever."""

    def policies() -> set[int]:
        return {os.sched_getscheduler(int(thread)) for thread in os.listdir("/proc/self/task")}

    def starved() -> None:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        threading.Thread(target=time.sleep, args=(PATIENCE,), daemon=True).start()  # of the same policy
        end, channel = time.monotonic() + PATIENCE, Channel(theirs, blocking=True)
        while os.SCHED_IDLE in policies() and time.monotonic() < end:
            time.sleep(0.005)
        channel.send({"policies": policies()})

    ours, theirs = socket.socketpair()
    process = os.fork()
    if not process:
        first_run._child(ours, starved)
    theirs.close()
    found, killed = first_run._heard(Channel(ours, blocking=True), process)
    os.waitpid(process, 0)
    assert found == {"policies": {os.sched_getscheduler(0)}} and not killed
    ours.close()
