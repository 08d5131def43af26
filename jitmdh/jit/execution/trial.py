"""A trial: how long a call takes, on copies of what it writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import inf
from statistics import median

import numpy as np

from jitmdh.base.process.disturbance import CallTime
from jitmdh.base.process.processor_time import worked_seconds
from jitmdh.base.records import dataclass
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.jit.compilation.signature import Array, Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.execution.replica import replica

_SAMPLES = 15
_SAMPLE_SECONDS = 0.001


@dataclass(frozen=True, slots=True)
class Trial:
    """A call on copies. copies: (copy, the user's array) of what the call writes."""

    prepared: Prepared
    copies: tuple[tuple[Array, Array], ...]

    def reset(self) -> None:
        """As before the call: what is updated again and again would drift to where numbers are slow."""
        for copy, original in self.copies:
            np.copyto(copy, original)


def on_copies(specialisation: Specialisation, prepared: Prepared) -> Trial:
    """The call with what it writes replaced by copies; what is only read is not copied."""
    copies: dict[int, Array] = {}
    originals: list[tuple[Array, Array]] = []
    arguments = list(prepared.arguments)
    for position in sorted(specialisation.written):
        array = arguments[position]
        address = array.ctypes.data
        same = next((c for p, c in copies.items() if arguments[p].ctypes.data == address), None)
        if same is None or same.shape != array.shape or same.strides != array.strides:
            same = replica(array)
            originals.append((same, array))
        copies[position] = same
    for position, array in enumerate(arguments):
        if isinstance(array, np.ndarray) and position not in copies:  # the same array, given twice
            key = specialisation.signature.keys[position]
            alias = getattr(key, "alias", None)
            arguments[position] = copies.get(alias, array) if alias is not None else array
    for position, copy in copies.items():
        arguments[position] = copy
    return Trial(Prepared(tuple(arguments), prepared.signature), tuple(originals))


def results_of(specialisation: Specialisation, prepared: Prepared, disjoint: bool) -> list[Array]:
    """What the call writes, in copies: the user's arrays are left as they are. Raises what the call raises."""
    trial = on_copies(specialisation, prepared)
    launch.run(specialisation, trial.prepared, disjoint)
    return [copy for copy, _ in trial.copies]


def seconds_of(specialisation: Specialisation, prepared: Prepared, disjoint: bool, budget_seconds: float) -> float:
    """The median of a few samples, each of one call or, of short ones, about a millisecond of them.

    Raises what the call raises. The user's arrays are left as they are.
    """
    trial = on_copies(specialisation, prepared)
    begin = time.perf_counter()
    launch.run(specialisation, trial.prepared, disjoint)
    first = time.perf_counter() - begin
    if first > budget_seconds:
        return first
    samples = sampled(specialisation, trial, disjoint, budget_seconds)
    return median(samples[1:] or samples)


def sampled(
    specialisation: Specialisation,
    trial: Trial,
    disjoint: bool,
    budget_seconds: float,
    cut_seconds: float = inf,
    sample_seconds: float = _SAMPLE_SECONDS,
) -> list[float]:
    """Seconds of a call, several times. cut_seconds: no more samples once two in a row took longer.

    sample_seconds: of short calls, a sample is as many as take so long.
    """
    times: list[float] = []
    for found in _samples(specialisation, trial, disjoint, budget_seconds, sample_seconds, time.perf_counter):
        times.append(found.clock)
        if min(times[-2:]) >= cut_seconds:
            break
    return times


def least_time(
    specialisation: Specialisation, trial: Trial, disjoint: bool, budget_seconds: float, sample_seconds: float
) -> CallTime:
    """The least that a call takes in several samples, for so long in all; see `sampled`."""
    found = _samples(specialisation, trial, disjoint, budget_seconds, sample_seconds, worked_seconds)
    return CallTime().least(*found)


def _samples(
    specialisation: Specialisation,
    trial: Trial,
    disjoint: bool,
    budget_seconds: float,
    sample_seconds: float,
    work: Callable[[], float],
) -> Iterator[CallTime]:
    """work: the clock of what processors do."""
    call = _call(specialisation, trial.prepared, disjoint)
    repeats, count, spent = 1, 0, 0.0
    while not count or (count <= _SAMPLES and spent < budget_seconds):
        trial.reset()
        begin, worked = time.perf_counter(), work()
        for _ in range(repeats):
            call()
        found = CallTime(time.perf_counter() - begin, work() - worked)
        count, spent = count + 1, spent + found.bound
        yield CallTime(found.clock / repeats, found.processors / repeats)
        if found.clock <= 0.0 and repeats > 1:
            break  # so many calls take time: the clock stands still
        if count == 1:
            repeats = max(1, round(sample_seconds / max(found.clock, 1e-7)))


def _call(specialisation: Specialisation, trial: Prepared, disjoint: bool) -> Callable[[], object]:
    native, plan = native_call_path(), specialisation.plan
    if native is None or plan is None or disjoint:
        return lambda: launch.run(specialisation, trial, disjoint)
    return lambda: native.call(plan, trial.arguments)
