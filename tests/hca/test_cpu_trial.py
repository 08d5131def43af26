"""Timed calls: each runs one code, once; what a call may still be inside of is not freed, and all else is."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.base.dtype import float64
from jitmdh.hca.drivers import cpu_entry, cpu_runtime
from jitmdh.hca.drivers.cpu_entry import ArrayArgument, CallDescription, CallTable, Plan, SizeCondition, make_plan
from jitmdh.hca.drivers.cpu_runtime import load_kernel
from jitmdh.hca.drivers.cpu_trial import Trial, pool_refusals
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode
from tests.waiting import wait_until

NATIVE = cpu_entry.native_call_path()
pytestmark = pytest.mark.skipif(NATIVE is None, reason="no native call path on this Python")

# Adds one to element 0, sleeps for as many microseconds as stand in `pause` and as long as `gate` is not 0, returns
# `status`.
TEXT = """
@pause = global i64 0
@gate = global i64 0
@status = global i64 0
declare i32 @usleep(i32)
define i64 @kernel(ptr %frame) {
  %data = load ptr, ptr %frame
  %old = load double, ptr %data
  %new = fadd double %old, 1.0
  store double %new, ptr %data
  %long = load i64, ptr @pause
  %short = trunc i64 %long to i32
  %pauses = icmp ne i64 %long, 0
  br i1 %pauses, label %pausing, label %look
pausing:
  %unused = call i32 @usleep(i32 %short)
  br label %look
look:
  %closed = load atomic i64, ptr @gate monotonic, align 8
  %asleep = icmp ne i64 %closed, 0
  br i1 %asleep, label %sleep, label %done
sleep:
  %ignored = call i32 @usleep(i32 500)
  br label %look
done:
  %s = load i64, ptr @status
  ret i64 %s
}
"""
VECTOR = CallDescription((ArrayArgument(float64, 1, 0, True, 0),))


@functools.cache
def _object() -> bytes:
    return compile_ir(TEXT)


def code() -> LoadedCode:
    return load_kernel(_object())


def cell(owner: LoadedCode, name: str, value: int) -> None:
    ctypes.c_int64.from_address(owner.address_of(name)).value = value


def open_late(owner: LoadedCode, *reached: np.ndarray[Any, Any]) -> None:
    """The gate, when calls with these arrays have stood at it for long enough not to be short ones."""
    wait_until(lambda: all(x[0] for x in reached))
    time.sleep(0.001)
    cell(owner, "gate", 0)


class Called:
    """A builtin over one plan, or several, that counts: plan's code adds to the first element of an array."""

    def __init__(self, *plans: Plan, observe: Any = None) -> None:
        assert NATIVE is not None
        self.seen: list[Any] = []
        self.table = CallTable(lambda *_: "slow", self.fail, observe or (lambda *_: None))
        self.table.replace(plans)
        self.call = NATIVE.builtin(self.table, None)

    def fail(self, status: int, owner: object) -> None:
        self.seen.append((status, owner))
        raise ArithmeticError(status)


@given(st.lists(st.booleans(), min_size=1, max_size=64), st.integers(1, 5), st.integers(0, 200), st.integers(0, 70))
@settings(max_examples=60, deadline=None)
def test_samples_in_turns(pattern: list[bool], burst: int, samples: int, later: int) -> None:
    """Each call does its work once; samples say of which code they are; afterwards the plan's own code runs."""
    own, other = code(), code()
    plan, trial = make_plan(VECTOR, own), Trial()
    plan.observe(trial)
    f, x = Called(plan), np.zeros(3)
    trial.compare(other, pattern, burst, samples)
    cell(other, "status", 1)  # a call that fails is no sample: so the next one has its place
    expected = [pattern[n % len(pattern)] for n in range(samples)]
    for of_challenger in (kind for kind in expected for _ in range(burst)):
        if of_challenger:
            with pytest.raises(ArithmeticError):
                f.call(x)
            cell(other, "status", 0)
            f.call(x)
            cell(other, "status", 1)
        else:
            f.call(x)
    failed = burst * sum(expected)
    assert trial.left == 0 and x[0] == burst * samples + failed and len(f.seen) == failed
    assert [s.of_challenger for s in trial.samples()] == expected and not list(trial.samples())
    for _ in range(later):
        f.call(x)
    assert x[0] == burst * samples + failed + later and not list(trial.samples())


def test_short_calls_are_timed_now_and_then_and_long_ones_always() -> None:
    own = code()
    plan, trial = make_plan(VECTOR, own), Trial(period=9)
    plan.observe(trial)
    f, x = Called(plan), np.zeros(1)
    for _ in range(101):
        f.call(x)
    assert len(list(trial.samples())) in (10, 11, 12)  # a call that is interrupted is a long one
    cell(own, "pause", 100)
    before = trial.spent_seconds
    for _ in range(19):
        f.call(x)
    found = list(trial.samples())
    assert 9 <= len(found) <= 19 and all(s.ns >= 1e5 and not s.of_challenger and not s.disturbed for s in found)
    assert trial.spent_seconds - before >= 19 * 1e-4
    plan.observe(None)
    f.call(x)
    assert plan.trial is None and not list(trial.samples())


def test_how_many_calls_there_were_lately() -> None:
    """By the mean of those that were timed; whoever reads samples misses none by it."""
    own = code()
    plan, trial = make_plan(VECTOR, own), Trial(period=9)
    plan.observe(trial)
    f, x = Called(plan), np.zeros(1)
    assert trial.lately() == (0.0, 0.0)
    for pause, count in ((500, 40), (1000, 20)):
        cell(own, "pause", pause)
        for _ in range(count):
            f.call(x)
        seconds, calls = trial.lately()
        assert seconds >= pause * count * 1e-6 and calls == pytest.approx(count)
    assert trial.lately() == (0.0, 0.0) and len(list(trial.samples())) == 60


def test_somebody_is_told_when_enough_time_is_spent() -> None:
    own = code()
    cell(own, "pause", 1000)
    plan, trial, told = make_plan(VECTOR, own), Trial(), []
    plan.observe(trial)

    def observe(x: Any) -> None:
        told.append(x[0])
        if x[0] > 90:
            raise KeyError("observe")

    f, x = Called(plan, observe=observe), np.zeros(1)
    trial.notice_at(0.005)
    for _ in range(20):
        assert f.call(x) is None
    assert len(told) == 1 and told[0] <= 6 and x[0] == 20
    x[0] = 90
    trial.notice_at(0.0)
    with pytest.raises(KeyError):
        f.call(x)
    assert x[0] == 91, "the call was done"
    assert plan.trial is trial and trial.notice_seconds > trial.spent_seconds + 0.9, "it asks again, a second later"


def test_the_status_of_a_kernel_comes_with_the_owner_of_its_plan() -> None:
    owners = ["one", "other"]
    plans = []
    for number, owner in enumerate(owners):
        own = code()
        cell(own, "status", 7 + number)
        description = CallDescription(VECTOR.arguments, conditions=(SizeCondition(1, number, number),))
        plans.append(make_plan(description, own, owner))
    f = Called(*plans)
    for size in (1, 0, 1):
        x = np.zeros(size) if size else np.zeros(1)[:0]
        with pytest.raises(ArithmeticError):
            f.call(x)
    assert f.seen == [(8, "other"), (7, "one"), (8, "other")]
    count = sys.getrefcount(owners[0])
    for _ in range(50):
        with pytest.raises(ArithmeticError):
            f.call(np.zeros(1)[:0])
        assert NATIVE is not None and NATIVE.call(plans[0], (np.zeros(1)[:0],)) == (4 | 7 << 8, None)
    f.seen.clear()
    assert sys.getrefcount(owners[0]) <= count + 1


@pytest.fixture
def busy_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_thread(action: Any) -> threading.Thread:
    thread = threading.Thread(target=action)
    thread.start()
    return thread


@pytest.mark.parametrize("kind", ["plan", "challenger"])
def test_what_a_call_is_inside_of_is_not_freed(kind: str) -> None:
    first, second, last = code(), code(), make_plan(VECTOR, code())
    plan = make_plan(VECTOR, first)
    slow = first if kind == "plan" else second
    cell(slow, "gate", 1)
    opened = slow.address_of("gate")
    f, x = Called(plan), np.zeros(1)
    trial = Trial()
    plan.observe(trial)
    trial.compare(second, [kind == "challenger"], 1, 1)
    gone = [weakref.ref(slow), weakref.ref(trial)]
    thread = in_thread(lambda: f.call(x))
    wait_until(lambda: plan.inside and x[0] == 1)
    if kind == "plan":
        f.table.exchange(plan, last)
        del plan
    else:
        plan.observe(None)
        trial.stop()
    del first, second, slow, trial
    gc.collect()
    assert all(found() is not None for found in gone)
    assert f.call(x) is None and x[0] == 2
    ctypes.c_int64.from_address(opened).value = 0
    thread.join()
    if kind == "plan":
        f.table.exchange(last, make_plan(VECTOR, code()))
    else:
        plan.observe(None)
    gc.collect()
    assert all(found() is None for found in gone), "nothing keeps them"


def test_calls_at_the_same_time_are_disturbed() -> None:
    own = code()
    plan, trial = make_plan(VECTOR, own), Trial()
    plan.observe(trial)
    f = Called(plan)
    cell(own, "gate", 1)
    arrays = np.zeros((2, 1))
    threads = [in_thread(functools.partial(f.call, x)) for x in arrays]
    open_late(own, *arrays)
    for thread in threads:
        thread.join()
    f.call(np.zeros(1))
    found = list(trial.samples())
    assert [s.disturbed for s in found] == [True, False], "one sample of both, and the last"


def test_calls_that_found_the_pool_in_use_are_disturbed() -> None:
    count = ctypes.c_int64.from_address(pool_refusals(cpu_runtime.runtime().code))
    own = code()
    cell(own, "gate", 1)
    plan, trial = make_plan(VECTOR, own), Trial(ctypes.addressof(count))
    plan.observe(trial)
    f, before = Called(plan), count.value
    x = np.zeros(1)
    thread = in_thread(lambda: f.call(x))
    wait_until(lambda: x[0])
    count.value += 1
    open_late(own, x)
    thread.join()
    count.value = before
    f.call(np.zeros(1))
    assert [s.disturbed for s in trial.samples()] == [True, False]


@pytest.mark.usefixtures("busy_switching")
def test_threads_that_call_while_codes_are_exchanged() -> None:
    """No call meets the slow path, none is lost, and plans in a chain stay in their order."""
    small = CallDescription(VECTOR.arguments, conditions=(SizeCondition(1, 0, 4),))
    plans = [make_plan(small, code()), make_plan(VECTOR, code())]
    f, stop = Called(*plans), threading.Event()
    counts: list[tuple[float, int]] = []

    def work() -> None:
        short, long, calls = np.zeros(2), np.zeros(9), 0
        while not stop.is_set():
            assert f.call(short) is None and f.call(long) is None
            calls += 1
        counts.append((short[0] + long[0], 2 * calls))

    threads = [in_thread(work) for _ in range(4)]
    for _ in range(300):
        for number, description in enumerate((small, VECTOR)):
            new = make_plan(description, code())
            trial = Trial()
            new.observe(trial)
            trial.compare(code(), [True, False, False, True], 2, 8)
            f.table.exchange(plans[number], new)
            plans[number] = new
        assert [p is q for p, q in zip(f.table.plans, plans)] == [True, True]
    stop.set()
    for thread in threads:
        thread.join()
    assert len(counts) == 4 and all(done == calls for done, calls in counts)


@pytest.mark.in_turns(2)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_a_hundred_thousand_switches_take_no_memory() -> None:
    def resident_mib() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    codes = [code(), code()]
    f, x = Called(make_plan(VECTOR, codes[0])), np.zeros(1)
    for number in range(100_000):
        if number == 1000:
            before = resident_mib()
        f.table.exchange(f.table.plans[0], make_plan(VECTOR, codes[number % 2]))
        if number % 100 == 0:
            f.call(x)
    assert x[0] == 1000 and resident_mib() - before <= 5


def test_sizes_of_timed_calls_are_kept() -> None:
    plan, trial = make_plan(VECTOR, code()), Trial(period=0)
    trial.keep_sizes({"x.shape[0]": 1})
    f = Called(plan)
    f.call(np.zeros(7))
    assert not list(trial.calls()), "from then on"
    plan.observe(trial)
    for size in (3, 5, 5):
        f.call(np.zeros(size))
    found = list(trial.calls())
    assert [call for _, call in found] == [{"x.shape[0]": 3}, {"x.shape[0]": 5}, {"x.shape[0]": 5}]
    assert sum(seconds for seconds, _ in found) == pytest.approx(trial.spent_seconds)
    assert not list(trial.calls()), "once"
    for size in range(1000):
        f.call(np.zeros(size))
    sizes = [call["x.shape[0]"] for _, call in trial.calls()]
    assert sizes == list(range(1000 - len(sizes), 1000)) and len(sizes) > 100


def test_a_trial_that_is_looked_at_a_second_later_asks_for_nothing() -> None:
    trial = Trial()
    trial.notice_at(trial.spent_seconds + 1.0)
    assert not trial.asks
