"""Trials: calls of a plan that are timed, some of them with the code of a challenger. The words of `Trial` in `plan.h`.

The call path does it natively and writes what it measures into a ring; whoever decides reads the ring later, and asks
for so many samples more. The plan's own code, the incumbent, is what all other calls run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode

_CAPACITY = 1024  # samples; a power of two
_CALLS = 512  # with their sizes; a power of two
_NEVER = 2**62
_AGAIN_NS = 10**9  # `NOTICE_AGAIN_NS` of trials.c
_RECENT, _FEWEST, _AVERAGED = 63, 3, 256
_WORDS = (
    "inside", "challenger", "pattern", "length", "burst", "left", "taken", "short_ns", "period", "skip", "skipped",
    "ns", "calls", "kind", "spent_ns", "notice_ns", "lost_ns", "refusals", "kept_at",
    "capacity",
)  # fmt: skip
_AT = {name: place for place, name in enumerate(_WORDS)}
_OF_CHALLENGER, _DISTURBED = 1, 2
MOST_IN_PATTERN = 64
SHORT_NS, PERIOD = 20_000, 126
"""Between calls shorter than this, so many are not timed; of longer ones, each is. One in 127 is timed, a prime number:
calls of several sizes in turns are all met."""


@dataclass(frozen=True, slots=True)
class Sample:
    """ns: of one call, the mean of a burst. disturbed: other threads called meanwhile, so it is not to be compared."""

    ns: float
    of_challenger: bool
    disturbed: bool


class Trial:
    """What `Plan.observe` takes. Lives until no call uses it any more.

    refusals: address of the pool's count of calls that found it in use (0: there is none).
    """

    def __init__(self, refusals: int = 0, period: int = PERIOD) -> None:
        self._words = (ctypes.c_int64 * (len(_WORDS) + 2 * _CAPACITY))()
        self._read = 0
        self._accounted = self._looked = self._by_challenger = 0.0
        self._averaged = 0
        self._code: LoadedCode | None = None
        self._calls: ctypes.Array[ctypes.c_int64] | None = None
        self._names: tuple[str, ...] = ()
        self._calls_read = 0
        for name, value in {
            "length": 1, "burst": 1, "left": _NEVER, "short_ns": SHORT_NS, "period": period, "notice_ns": _NEVER,
            "refusals": refusals, "capacity": _CAPACITY,
        }.items():  # fmt: skip
            self._set(name, value)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._words)

    def _get(self, name: str) -> int:
        return int(self._words[_AT[name]])

    def _set(self, name: str, value: int) -> None:
        self._words[_AT[name]] = value

    @property
    def inside(self) -> int:
        """Timed calls that have not returned."""
        return self._get("inside")

    @property
    def left(self) -> int:
        """Samples that are still to be taken."""
        return self._get("left")

    @property
    def spent_seconds(self) -> float:
        """In all calls since this trial was set: those that were timed, and as much for those between."""
        return self._get("spent_ns") * 1e-9

    def newly_spent_seconds(self) -> float:
        """What has been spent since this was asked last."""
        before, self._accounted = self._accounted, self.spent_seconds
        return self._accounted - before

    def keep_sizes(self, slots: Mapping[str, int]) -> None:
        """From now on keeps what stands in these slots of the frame in each timed call, for `calls`."""
        header = len(slots), _CALLS, 0, *slots.values()
        self._names, self._calls = tuple(slots), (ctypes.c_int64 * (len(header) + _CALLS * (1 + len(slots))))(*header)
        self._set("kept_at", ctypes.addressof(self._calls))

    def calls(self) -> Iterator[tuple[float, Mapping[str, int]]]:
        """The timed calls since this was asked last, oldest first: the seconds that each stands for, and its sizes.
        What the ring has no room for is forgotten."""
        if (words := self._calls) is None:
            return
        taken, row = words[2], 1 + words[0]
        first, self._calls_read = max(self._calls_read, taken - _CALLS), taken
        for number in range(first, taken):
            at = 3 + words[0] + number % _CALLS * row
            yield words[at] * 1e-9, dict(zip(self._names, words[at + 1 : at + row]))

    def newly_by_challenger_seconds(self) -> float:
        """What calls of the challenger have taken since this was asked last, those of unfinished samples, too."""
        before, self._by_challenger = self._by_challenger, self._get("lost_ns") * 1e-9
        return self._by_challenger - before

    def lately(self) -> tuple[float, float]:
        """Seconds that calls have taken since this was asked last, and about how many calls: by the mean of the last
        of those that were timed. It reads no sample for others."""
        spent, taken = self.spent_seconds, self._get("taken")
        seconds, self._looked = spent - self._looked, spent
        first, self._averaged = max(self._averaged, taken - _AVERAGED), taken
        found = [self._words[len(_WORDS) + 2 * (number % _CAPACITY)] for number in range(first, taken)]
        total = sum(found) * 1e-9 / max(1, self._get("burst"))
        return (seconds, seconds * len(found) / total) if total else (0.0, 0.0)

    @property
    def notice_seconds(self) -> float:
        """When `observe` is called next, in time that has been spent."""
        return self._get("notice_ns") * 1e-9

    @property
    def asks(self) -> bool:
        """Whether `observe` is called after one of its calls just now, and has not said when it is called next."""
        return self._get("notice_ns") - self._get("spent_ns") == _AGAIN_NS

    def notice_at(self, spent_seconds: float | None) -> None:
        """Calls the table's `observe` after the first call by which so much has been spent, then a second later again
        unless told otherwise; None: never."""
        at = _NEVER if spent_seconds is None else int(spent_seconds * 1e9)
        self._set("notice_ns", at + (at - self._get("spent_ns") == _AGAIN_NS))  # a second later is said, not unsaid

    def compare(self, code: LoadedCode, pattern: Sequence[bool], burst: int, samples: int) -> None:
        """From the next call on takes samples in turns, of `burst` calls each: True in the pattern is the challenger.

        code: of the challenger, which must take the same frame. One comparison for each trial.
        """
        if self._code is not None and self._code is not code:
            raise ValueError("a trial has one challenger")
        if not 0 < len(pattern) <= MOST_IN_PATTERN:
            raise ValueError(f"a pattern has 1 to {MOST_IN_PATTERN} samples, not {len(pattern)}")
        self._code = code
        self._set("left", 0)
        self._read = self._get("taken")  # what was measured before is of other bursts
        bits = sum(1 << (self._read + place) % len(pattern) for place, own in enumerate(pattern) if own)
        words = {
            "challenger": code.address_of("kernel"),
            "pattern": bits - ((bits >> 63) << 64),
            "length": len(pattern),
        }
        for name, value in {**words, "burst": burst, "ns": 0, "calls": 0, "kind": 0, "skip": 0, "skipped": 0}.items():
            self._set(name, value)
        self._set("left", samples)

    def stop(self) -> None:
        """Takes no more samples: all calls run the plan's own code."""
        self._set("left", 0)

    def recent_ns(self) -> float | None:
        """The median of a call by the last few samples that have not been read, if these were not disturbed; and no
        sample so far will be read again. None: there are too few.
        """
        taken = self._get("taken")
        first = max(self._read, taken - _RECENT)
        self._read = taken
        places = (len(_WORDS) + 2 * (number % _CAPACITY) for number in range(first, taken))
        found = sorted(self._words[at] for at in places if not self._words[at + 1])
        return found[len(found) // 2] / max(1, self._get("burst")) if len(found) >= _FEWEST else None

    def samples(self) -> Iterator[Sample]:
        """Those that have not been read, oldest first; what the ring has no room for is forgotten."""
        taken, burst = self._get("taken"), max(1, self._get("burst"))
        for number in range(max(self._read, taken - _CAPACITY), taken):
            at = len(_WORDS) + 2 * (number % _CAPACITY)
            ns, kind = self._words[at], self._words[at + 1]
            yield Sample(ns / burst, bool(kind & _OF_CHALLENGER), bool(kind & _DISTURBED))
        self._read = taken


def pool_refusals(code: Any) -> int:
    """The address of the count, in the code of the thread pool."""
    return int(code.address_of("jitmdh_pool_refusals"))
