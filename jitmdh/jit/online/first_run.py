"""The first run of a candidate, on copies of a call's arguments, in a process that may die of it."""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np

from jitmdh.base.errors import MdhError, OutOfMemoryError
from jitmdh.base.process.disturbance import CallTime, Disturbance
from jitmdh.base.process.processor_time import worked_seconds
from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.compiled import Compiled, from_bytes
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.agreement import Expected
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.execution.trial import Trial, least_time, on_copies
from jitmdh.jit.online.candidate import Task, Verdict
from jitmdh.jit.online.channel import Channel

SLOWEST, ALLOWANCE_SECONDS = 3.0, 0.05
"""A candidate may take so many times the incumbent's time, and so much on top."""

_MEMORY_BYTES, _MEMORY_TIMES = 512 << 20, 4
_ROUNDS, _SAMPLING_SECONDS = 3, 0.0003
_LONG_SECONDS, _VERY_LONG_SECONDS = 0.002, 0.05  # calls whose first run says enough; beside which none is measured anew
_HOPELESS, _FRESH = 1.3, 8  # times the incumbent's time of late, of so many candidates: it is not measured once more
_FAR, _COLD_SECONDS = 8.0, 2e-3  # times the incumbent's time, and what a first run waits for: not timed at all
_LOST = 1.3, 1.15  # times the incumbent's time after one round, after two: no further ones
_ENOUGH_SECONDS = 0.004  # of measuring a candidate: no further rounds, which cost more than a trial in calls
_RUNS = 32  # candidates in one process: what they have loaded stays there
_SLICE_SECONDS, _IDLE_SLICES = 0.02, 100
_DEATHS = {
    signal.SIGPROF: (Verdict.HUNG, "it ran for more than {0:g} times the incumbent's time"),
    signal.SIGSEGV: (Verdict.CRASHED, "it touched memory that is not its own (SIGSEGV)"),
    signal.SIGBUS: (Verdict.CRASHED, "it touched memory that is not there (SIGBUS)"),
    signal.SIGILL: (Verdict.CRASHED, "it met an instruction that this processor lacks (SIGILL)"),
}


class Runner:
    """A process that runs the candidates of one task, one after the other, until one of them is its end.

    So what they have in common is done once: the fork, the pages of the arguments, the expected results. A candidate
    that does not come off well in a process where others have run is run once more, in a new one: only that counts.
    present: the code in force, which is loaded in this process, but runs in the other one.
    """

    def __init__(self, task: Task, present: Specialisation, arguments: tuple[Any, ...]) -> None:
        self.task, self.present, self.arguments = task, present, arguments
        self._process: int | None = None
        self._channel: Channel | None = None
        self._runs = 0
        _runners.add(self)

    def run(self, candidate: Compiled, terms: int) -> dict[str, Any]:
        """A dictionary with the fields of an `Outcome` that the run of a candidate decides.

        terms: how many are combined at most, which bounds how far results may differ.
        """
        if self._runs >= _RUNS:
            self.close()
        earlier = self._runs
        found = self._run(candidate, terms)
        if found["verdict"] is not Verdict.RIGHT:
            self.close()
            if earlier:
                found = self._run(candidate, terms)
                if found["verdict"] is not Verdict.RIGHT:
                    self.close()
        return found

    def compare_with(self, present: Specialisation) -> None:
        """Other code is in force from now on; what results are expected was found with the code before."""
        self.present = present
        if self._channel is not None:
            self._channel.send((present.compiled.to_bytes(), None))

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._process is not None:
            os.kill(self._process, signal.SIGKILL)
            self._ended()

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the process that runs now; what earlier ones took, the system counts for this process."""
        return 0.0 if self._process is None else _cpu_seconds(self._process)

    def _run(self, candidate: Compiled, terms: int) -> dict[str, Any]:
        if self._process is None:
            self._start()
        assert self._process is not None and self._channel is not None
        self._runs += 1
        self._channel.send((candidate.to_bytes(), terms))
        found, killed = _heard(self._channel, self._process)
        if found is None:
            return _death(self._ended(), killed)
        return {**found, "verdict": Verdict(found["verdict"])}

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        process = os.fork()
        if not process:
            _child(ours, lambda: _serve(Channel(theirs, blocking=True), self.task, self.present, self.arguments))
        theirs.close()
        self._process, self._channel, self._runs = process, Channel(ours, blocking=True), 0

    def _ended(self) -> int:
        """Waits for the end, which is near; the status."""
        assert self._process is not None and self._channel is not None
        self._channel.end.close()
        self._channel.close()
        process, self._process, self._channel, self._runs = self._process, None, None, 0
        return os.waitpid(process, 0)[1]


class RunnerHere:
    """As `Runner`, in this process: for devices whose drivers cannot be used in the child of a fork.

    Whoever has asked this process finds out if a candidate ends it, and starts another one.
    """

    def __init__(self, task: Task, present: Specialisation, arguments: tuple[Any, ...]) -> None:
        self._runs = _Runs(task, present, arguments)

    def run(self, candidate: Compiled, terms: int) -> dict[str, Any]:
        """As `Runner.run`."""
        found = self._runs.run(candidate, terms)
        return {**found, "verdict": Verdict(found["verdict"])}

    def compare_with(self, present: Specialisation) -> None:
        """As `Runner.compare_with`."""
        self._runs.compare_with(present)

    def close(self) -> None:
        """There is no other process to end."""


_runners: weakref.WeakSet[Runner] = weakref.WeakSet()


def running_seconds() -> float:
    """Processor time of the processes that run candidates now."""
    return sum(runner.cpu_seconds for runner in _runners)


def _death(status: int, killed: bool) -> dict[str, Any]:
    """What the end of its process says about a candidate."""
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if number == signal.SIGKILL:
        verdict, why = (Verdict.HUNG, "it stood still") if killed else (Verdict.MEMORY, "the system ended it")
    else:
        ended = f"it ended its process (signal {number})" if number else "it ended its process"
        verdict, why = _DEATHS.get(number, (Verdict.CRASHED, ended))  # type: ignore[call-overload]
    return {"verdict": verdict, "reason": why.format(SLOWEST)}


def _child(other_end: socket.socket, action: Callable[[], None]) -> None:
    """Does its work, and ends without anything else that the parent would do at its end."""
    status = 1
    try:
        other_end.close()
        for number in (signal.SIGPROF, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGABRT, signal.SIGFPE):
            signal.signal(number, signal.SIG_DFL)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        action()
        status = 0
    finally:
        os._exit(status)


def _heard(channel: Channel, process: int) -> tuple[dict[str, Any] | None, bool]:
    """What the child answers, None if it ends before; and whether it had to be killed, since it stood still.

    It stands still if it gets no processor time in many moments in which this process gets some: so neither a machine
    that is busy nor a pause of both makes it look so.
    """
    idle, before = 0, -1.0
    while True:
        _rank_alike(process)
        if select.select([channel.end], [], [], _SLICE_SECONDS)[0]:
            received = channel.receive()
            return (None if received is None else received[0]), False
        now = _cpu_seconds(process)
        idle = idle + 1 if now == before else 0
        before = now
        if idle > _IDLE_SLICES:
            os.kill(process, signal.SIGKILL)
            return None, True


def _rank_alike(process: int) -> None:
    """Gives another process the scheduling policy of this one, which its owner may have changed since it was forked:
    what has been paid for is for the run, too, and what has not is for neither."""
    if not hasattr(os, "SCHED_IDLE"):
        return
    with suppress(OSError):
        policy = os.sched_getscheduler(0)
        if os.sched_getscheduler(process) != policy:
            threads = map(int, os.listdir(f"/proc/{process}/task"))
            for thread in sorted(threads, key=lambda thread: thread == process):  # last the one that is looked at
                os.sched_setscheduler(thread, policy, os.sched_param(0))


def _cpu_seconds(process: int) -> float:
    """Processor time of another process so far; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0.0
    try:
        return time.clock_gettime((~process << 3) | 2)
    except OSError:
        return 0.0


# ------------------------------------------------------------------------------------------------ in the child


@dataclass
class _Comparison:
    """What candidates have in common: the call on copies, what it is expected to give, the least it has taken.

    lately: what it took when it was measured last, so many (`age`) candidates ago.
    """

    task: Task
    present: Specialisation
    trial: Trial
    expected: list[Expected]
    usual: CallTime
    lately: CallTime = CallTime()
    age: int = _FRESH


def _serve(channel: Channel, task: Task, present: Specialisation, arguments: tuple[Any, ...]) -> None:
    """Runs what it is given, until the other end is closed."""
    runs = _Runs(task, present, arguments)
    while (received := channel.receive()) is not None:
        code, terms = received[0]
        found = from_bytes(code)
        assert found is not None, "both processes are of one version"
        if terms is None:
            runs.compare_with(launch.load(task.signature, found))
        else:
            channel.send(runs.run(found, terms))


class _Runs:
    """Candidates of one task, run in this process."""

    def __init__(self, task: Task, present: Specialisation, arguments: tuple[Any, ...]) -> None:
        self.task, self.present, self.arguments = task, present, arguments
        self.place: _Comparison | None = None
        self.bytes = sum(a.nbytes for a in arguments if isinstance(a, np.ndarray))

    def run(self, candidate: Compiled, terms: int) -> dict[str, Any]:
        """As `Runner.run`, verdicts by their values."""
        try:
            self.place = self.place or self._compared()
        except Exception as error:
            reason = f"the code in force fails on the copies: {_line(error)}"
            return {"verdict": Verdict.UNKNOWN.value, "reason": reason}
        with _limited_memory(self.bytes):
            return _examined(self.place, candidate, terms)

    def compare_with(self, present: Specialisation) -> None:
        """As `Runner.compare_with`."""
        self.present, place = present, self.place
        if place is not None:
            took = _results(present, place.trial, self.task.disjoint, self.task.threads)[1]
            self.place = replace(place, present=present, usual=took, lately=CallTime(), age=_FRESH)

    def _compared(self) -> _Comparison:
        task, present = self.task, self.present
        trial = on_copies(present, Prepared(self.arguments, task.signature))
        expected, first = _results(present, trial, task.disjoint, task.threads)
        kept = [Expected(np.copy(a)) for a in expected]
        _, second = _results(present, trial, task.disjoint, task.threads)  # the first one also waits for pages
        return _Comparison(task, present, trial, kept, first.least(second))


def _examined(place: _Comparison, candidate: Compiled, terms: int) -> dict[str, Any]:
    task, trial = place.task, place.trial
    limit = task.threads * (SLOWEST * place.usual.bound + ALLOWANCE_SECONDS)
    disturbance = Disturbance()
    try:
        found = launch.load(task.signature, for_the_class(candidate))
        if compiling := backend_of(task.options.target_name).first_launch_seconds:
            _arm(limit + compiling)
            _results(found, trial, task.disjoint, task.threads)
            _disarm()
        _arm(limit)
        results, first = _results(found, trial, task.disjoint, task.threads)
        _disarm()
    except (MemoryError, OutOfMemoryError):
        return {"verdict": Verdict.MEMORY.value, "reason": "there is no room for its working memory"}
    except MdhError as error:
        return {"verdict": Verdict.WRONG.value, "reason": f"it fails where the code in force does not: {_line(error)}"}
    finally:
        _disarm()
    expected = place.expected
    if len(results) != len(expected) or not all(b.agrees(a, terms) for a, b in zip(results, expected)):
        return {"verdict": Verdict.WRONG.value, "reason": "its result is not that of the code in force"}
    seconds, usual, disturbed = _timed(found, place, first, limit, disturbance)
    return {
        "verdict": Verdict.RIGHT.value, "seconds": seconds, "incumbent_seconds": usual, "disturbed": disturbed,
    }  # fmt: skip


def for_the_class(compiled: Compiled) -> Compiled:
    """Code that is used for some sizes only is right for all of its class: the copies may be of another size."""
    return replace(compiled, conditions=())


def _results(specialisation: Specialisation, trial: Trial, disjoint: bool, threads: int) -> tuple[list[Any], CallTime]:
    """All that a call writes and returns, and how long it took."""
    trial.reset()
    begin, worked = time.perf_counter(), worked_seconds()
    returned = launch.run(specialisation, trial.prepared, disjoint)
    took = CallTime(time.perf_counter() - begin, worked_seconds() - worked).shared(_sharing(specialisation, threads))
    returned = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    return [*(copy for copy, _ in trial.copies), *map(np.asarray, returned)], took


def _timed(
    found: Specialisation, place: _Comparison, first: CallTime, limit: float, disturbance: Disturbance
) -> tuple[float, float, bool]:
    """The least time of each, measured in turns; of what is long or clearly slower, little is measured.

    The code in force is measured anew beside each candidate: how fast the machine is changes from one to the next; but
    not beside one of long calls that is far slower than it was a few candidates ago. Where this process was disturbed
    meanwhile, both are processor time, of each of the threads that share a call; one run says little of that (a
    contraction of 10 ms took 0.9 or 2.2 times the incumbent's, and half of it in calls), so what seems slower has two.
    It was disturbed, too, where the code in force has taken far less at other times: beside calls that took three times
    as long, by chance, a product seemed to take 0.64 of the time, and all that followed were changes of it.
    """
    if place.usual.bound > _VERY_LONG_SECONDS:
        return disturbance.comparable(first, place.usual)
    place.age += 1
    if place.age <= _FRESH and place.lately.bound > _LONG_SECONDS:
        seconds, other, disturbed = disturbance.comparable(first, place.lately)
        if disturbed and _HOPELESS * other < seconds < _FAR * other:
            first = _again(found, place, first, limit)
            seconds, other, disturbed = disturbance.comparable(first, place.lately)
        if seconds > _HOPELESS * other:
            return seconds, other, disturbed
    here, usual = first, CallTime()
    for turn in range(_ROUNDS):
        if turn:
            seconds, other, _ = disturbance.comparable(here, usual)
            if seconds > _LOST[turn - 1] * other or disturbance.spent_seconds > _ENOUGH_SECONDS:
                break
        usual = usual.least(_least(place.present, place))
        if usual.bound > _LOST[0] * place.usual.bound:  # by chance, or from now on: as if the candidate were fast
            usual = usual.least(_least(place.present, place))
        place.usual, place.lately, place.age = place.usual.least(usual), usual, 0
        if not turn:
            seconds, other, disturbed = disturbance.comparable(here, usual)
            doubtful = disturbed and seconds > _LOST[1] * other
            if seconds > _FAR * other + _COLD_SECONDS or (other > _LONG_SECONDS and not doubtful):
                break
        here = _again(found, place, here, limit)
    seconds, other, disturbed = disturbance.comparable(here, usual)
    return seconds, other, disturbed or usual.bound > _LOST[0] * place.usual.bound


def _again(found: Specialisation, place: _Comparison, before: CallTime, limit: float) -> CallTime:
    """The least of what a candidate takes now and of what it took before."""
    _arm(limit + 1)
    took = before.least(_least(found, place))
    _disarm()
    return took


def _least(specialisation: Specialisation, place: _Comparison) -> CallTime:
    found = least_time(specialisation, place.trial, place.task.disjoint, _SAMPLING_SECONDS, _SAMPLING_SECONDS)
    return found.shared(_sharing(specialisation, place.task.threads))


def _sharing(specialisation: Specialisation, threads: int) -> int:
    """How many threads share a call: all, unless no level of any computation is for cores."""
    entries = [e for e in specialisation.compiled.configuration.values() if isinstance(e, Mapping)]
    levels = [str(e.get(part)) for e in entries for part in ("decomposition_order", "decomposition_assignment")]
    return threads if any("COR" in text for text in levels) else 1


@contextmanager
def _limited_memory(argument_bytes: int) -> Iterator[None]:
    """Meanwhile this process may take so much more than it has."""
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", "rb") as file:
            present = int(file.read().split()[0]) * resource.getpagesize()
        limit = present + max(_MEMORY_BYTES, _MEMORY_TIMES * argument_bytes)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _arm(cpu_seconds: float) -> None:
    """Ends this process after so much processor time of all its threads, whatever they are doing."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)


def _disarm() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0.0)


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
