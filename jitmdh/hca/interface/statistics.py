"""What devices were asked to do: bytes copied each way, memory allocated, kernels launched.

>>> before = statistics()
>>> _ = before.launches, (statistics() - before).bytes_to_devices
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import weakref
from collections.abc import Iterator
from dataclasses import astuple
from typing import Protocol

from jitmdh.base.process.forks import ProcessLock, Rank
from jitmdh.base.records import dataclass


@dataclass(slots=True)
class Statistics:
    """bytes_to_devices, bytes_from_devices: copied from and to main memory; allocations: pieces of memory that devices
    were asked for; bytes_between_devices: copied from one to another."""

    bytes_to_devices: int = 0
    bytes_from_devices: int = 0
    allocations: int = 0
    launches: int = 0
    bytes_between_devices: int = 0

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(*(a + b for a, b in zip(astuple(self), astuple(other))))

    def __sub__(self, other: Statistics) -> Statistics:
        return Statistics(*(a - b for a, b in zip(astuple(self), astuple(other))))


class Counting(Protocol):
    """What counts for itself, such as native code."""

    @property
    def launches(self) -> int: ...

    @property
    def allocations(self) -> int: ...


class _Now(threading.local):
    def __init__(self) -> None:
        self.collecting: list[Statistics] = []


_total = Statistics()
_launches = itertools.count()
"""What comes next is how many launches of `count_launch` there were, and how often somebody has looked: a step of this
is one of the interpreter's, and needs no lock."""
_looks = 0
_lock = ProcessLock(Rank.STATISTICS)
_now = _Now()
_native: weakref.WeakSet[Counting] = weakref.WeakSet()


def statistics() -> Statistics:
    """Of all devices, since this process began."""
    global _looks
    with _lock:
        found = Statistics(*astuple(_total))
        found.launches += next(_launches) - _looks
        _looks += 1
        for one in _native:
            found += Statistics(allocations=one.allocations, launches=one.launches)
    return found


def count(what: Statistics) -> None:
    """Adds to the counts, and to those of whoever collects in this thread."""
    with _lock:
        _add(_total, what)
    for collected in _now.collecting:
        _add(collected, what)


def count_launch() -> None:
    """As `count` of one launch, which is counted most often."""
    next(_launches)
    for collected in _now.collecting:
        collected.launches += 1


def count_natively(one: Counting) -> None:
    """From now on the counts of `one` are among those of all devices; so they stay as long as it lives."""
    with _lock:
        _native.add(one)


@contextlib.contextmanager
def collected(into: Statistics) -> Iterator[None]:
    """Whatever is counted in the block, by this thread, is added to `into`, too."""
    _now.collecting.append(into)
    try:
        yield
    finally:
        _now.collecting.pop()


def _add(to: Statistics, what: Statistics) -> None:
    to.bytes_to_devices += what.bytes_to_devices
    to.bytes_from_devices += what.bytes_from_devices
    to.allocations += what.allocations
    to.launches += what.launches
    to.bytes_between_devices += what.bytes_between_devices
