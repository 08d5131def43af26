"""The first run of a candidate, on copies of a call's arguments, in a process that may die of it."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from jitmdh.base.errors import MdhError, OutOfMemoryError
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.agreement import agree
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.execution.trial import Trial, on_copies, sampled
from jitmdh.jit.online.candidate import Task, Verdict

SLOWEST, ALLOWANCE_SECONDS = 3.0, 0.05
"""A candidate may take so many times the incumbent's time, and so much on top."""

_MEMORY_BYTES, _MEMORY_TIMES = 512 << 20, 4
_ROUNDS, _SAMPLING_SECONDS, _LONG_SECONDS = 3, 0.0003, 0.05
_FAR = 8.0  # times the incumbent's time, in its first run: it is not timed at all
_LOST = 1.3  # times the incumbent's time, in a round: no further ones
_SLICE_SECONDS, _IDLE_SLICES = 0.02, 100
_DEATHS = {
    signal.SIGPROF: (Verdict.HUNG, "it ran for more than {0:g} times the incumbent's time"),
    signal.SIGSEGV: (Verdict.CRASHED, "it touched memory that is not its own (SIGSEGV)"),
    signal.SIGBUS: (Verdict.CRASHED, "it touched memory that is not there (SIGBUS)"),
    signal.SIGILL: (Verdict.CRASHED, "it met an instruction that this processor lacks (SIGILL)"),
}


def first_run(task: Task, present: Specialisation, candidate: Compiled, arguments: tuple[Any, ...], terms: int) -> Any:
    """A dictionary with the fields of an `Outcome` that the run of a candidate decides.

    present: the code in force, which is loaded in this process, but runs in the other one. terms: how many are combined
    at most, which bounds how far results may differ.
    """
    reader, writer = os.pipe()
    process = os.fork()
    if not process:
        _child(reader, writer, lambda: _examined(task, present, candidate, arguments, terms))
    os.close(writer)
    try:
        text, killed = _heard(reader, process)
    finally:
        os.close(reader)
        _, status = os.waitpid(process, 0)
    if os.WIFEXITED(status) and not os.WEXITSTATUS(status):
        return {**json.loads(text), "verdict": Verdict(json.loads(text)["verdict"])}
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if number == signal.SIGKILL:
        verdict, why = (Verdict.HUNG, "it stood still") if killed else (Verdict.MEMORY, "the system ended it")
    else:
        ended = f"it ended its process (signal {number})" if number else "it ended its process"
        verdict, why = _DEATHS.get(number, (Verdict.CRASHED, ended))  # type: ignore[call-overload]
    return {"verdict": verdict, "reason": why.format(SLOWEST)}


def _child(reader: int, writer: int, action: Callable[[], Mapping[str, Any]]) -> None:
    """Writes what `action` gives, and ends without anything else that the parent would do at its end."""
    status = 1
    try:
        os.close(reader)
        for number in (signal.SIGPROF, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGABRT, signal.SIGFPE):
            signal.signal(number, signal.SIG_DFL)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            found = action()
        except (MemoryError, OutOfMemoryError):
            found = {"verdict": Verdict.MEMORY.value, "reason": "there is no room for its working memory"}
        _disarm()
        os.write(writer, json.dumps(found).encode())
        status = 0
    finally:
        os._exit(status)


def _heard(reader: int, process: int) -> tuple[bytes, bool]:
    """What the child writes until it ends; whether it had to be killed, since it stood still.

    It stands still if it gets no processor time in many moments in which this process gets some: so neither a machine
    that is busy nor a pause of both makes it look so.
    """
    text, idle, before = b"", 0, -1.0
    while True:
        if select.select([reader], [], [], _SLICE_SECONDS)[0]:
            piece = os.read(reader, 65536)
            if not piece:
                return text, False
            text += piece
            continue
        now = _cpu_seconds(process)
        idle = idle + 1 if now == before else 0
        before = now
        if idle > _IDLE_SLICES:
            os.kill(process, signal.SIGKILL)
            return text, True


def _cpu_seconds(process: int) -> float:
    """Processor time of another process so far; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0.0
    try:
        return time.clock_gettime((~process << 3) | 2)
    except OSError:
        return 0.0


# ------------------------------------------------------------------------------------------------ in the child


def _examined(
    task: Task, present: Specialisation, candidate: Compiled, arguments: tuple[Any, ...], terms: int
) -> Mapping[str, Any]:
    prepared = Prepared(arguments, task.signature)
    try:
        trial = on_copies(present, prepared)
        expected, usual = _results(present, trial, task.disjoint)
        expected = [np.copy(a) for a in expected]
    except Exception as error:
        return {"verdict": Verdict.UNKNOWN.value, "reason": f"the code in force fails on the copies: {_line(error)}"}
    _limit_memory(sum(a.nbytes for a in arguments if isinstance(a, np.ndarray)))
    limit = task.threads * (SLOWEST * usual + ALLOWANCE_SECONDS)
    try:
        found = launch.load(task.signature, for_the_class(candidate))
        _arm(limit)
        results, seconds = _results(found, trial, task.disjoint)
        _disarm()
    except MdhError as error:
        if isinstance(error, OutOfMemoryError):
            raise
        return {"verdict": Verdict.WRONG.value, "reason": f"it fails where the code in force does not: {_line(error)}"}
    if len(results) != len(expected) or not all(agree(a, b, terms) for a, b in zip(results, expected)):
        return {"verdict": Verdict.WRONG.value, "reason": "its result is not that of the code in force"}
    seconds, usual = _timed(found, present, trial, task.disjoint, seconds, usual, limit)
    return {"verdict": Verdict.RIGHT.value, "seconds": seconds, "incumbent_seconds": usual}


def for_the_class(compiled: Compiled) -> Compiled:
    """Code that is used for some sizes only is right for all of its class: the copies may be of another size."""
    return replace(compiled, conditions=())


def _results(specialisation: Specialisation, trial: Trial, disjoint: bool) -> tuple[list[Any], float]:
    """All that a call writes and returns, and how long it took."""
    trial.reset()
    begin = time.perf_counter()
    returned = launch.run(specialisation, trial.prepared, disjoint)
    seconds = time.perf_counter() - begin
    returned = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    return [*(copy for copy, _ in trial.copies), *map(np.asarray, returned)], seconds


def _timed(
    found: Specialisation,
    present: Specialisation,
    trial: Trial,
    disjoint: bool,
    seconds: float,
    usual: float,
    limit: float,
) -> tuple[float, float]:
    """The least time of each, measured in turns; of what is long or clearly slower, little is measured."""
    for turn in range(_ROUNDS):
        if usual > _LONG_SECONDS or (turn and seconds > _LOST * usual):
            break
        usual = min(usual, *_samples(present, trial, disjoint))
        if seconds > _FAR * usual:
            break
        _arm(limit + 1)
        seconds = min(seconds, *_samples(found, trial, disjoint))
        _disarm()
    return seconds, usual


def _samples(specialisation: Specialisation, trial: Trial, disjoint: bool) -> list[float]:
    return sampled(specialisation, trial, disjoint, _SAMPLING_SECONDS, sample_seconds=_SAMPLING_SECONDS)


def _limit_memory(argument_bytes: int) -> None:
    """From now on this process may take so much more."""
    if sys.platform != "linux":
        return
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", "rb") as file:
            present = int(file.read().split()[0]) * resource.getpagesize()
        limit = present + max(_MEMORY_BYTES, _MEMORY_TIMES * argument_bytes)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _arm(cpu_seconds: float) -> None:
    """Ends this process after so much processor time of all its threads, whatever they are doing."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)


def _disarm() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0.0)


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
