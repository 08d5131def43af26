"""What calls take in a process that others may keep from running: by the clock, or else in processor time.

A helper gets what a busy program leaves over. Where one of its threads waits for a processor, a parallel call takes
any time at all by the clock, tens of times as long as it should or, beside an unlucky other one, a tenth of it. What
all of its threads work in a call changes little by that; by their number it is what the call takes undisturbed.
"""

from __future__ import annotations

import time
from math import inf
from typing import NamedTuple

from jitmdh.base.process.processor_time import waited_seconds, worked_seconds

_WAITED_SHARE = 0.1  # of the time that has gone by, in which some thread waited for a processor
_LEAST_WORK_SHARE = 0.8  # of it, in which some thread ran


class CallTime(NamedTuple):
    """Seconds of a call, by the clock and of processors: of all together, or, after `shared`, of each.

    Each is the least that was seen.
    """

    clock: float = inf
    processors: float = inf

    def least(self, *others: CallTime) -> CallTime:
        """The least of each."""
        both = zip(*(self, *others))
        return CallTime(*map(min, both))

    def shared(self, threads: int) -> CallTime:
        """With the processor time that each of so many threads works: code for one thread works less in all, and takes
        longer."""
        return CallTime(self.clock, self.processors / threads)

    @property
    def bound(self) -> float:
        """At least what a call of all threads takes if nothing disturbs it, and not much more."""
        return min(self)


class Disturbance:
    """Whether this process has been kept from running since this was made."""

    def __init__(self) -> None:
        self._waited = waited_seconds() or 0.0
        self._began, self._worked = time.perf_counter(), worked_seconds()

    @property
    def spent_seconds(self) -> float:
        """By the clock, but not while this process stood still."""
        return min(time.perf_counter() - self._began, worked_seconds() - self._worked)

    @property
    def seen(self) -> bool:
        """A thread has waited for a processor for long, or the process was stopped."""
        passed = time.perf_counter() - self._began
        waited = (waited_seconds() or 0.0) - self._waited
        return waited > _WAITED_SHARE * passed or worked_seconds() - self._worked < _LEAST_WORK_SHARE * passed

    def comparable(self, one: CallTime, other: CallTime) -> tuple[float, float, bool]:
        """Two times that may be compared, and whether they are processor time."""
        disturbed = self.seen
        which = 1 if disturbed else 0
        return one[which], other[which], disturbed
