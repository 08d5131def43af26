"""Timing several implementations side by side: in turns (A B A B …), medians, with the spread."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median

from jitmdh.base.records import dataclass

Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds per call, one figure per round."""

    samples: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """The median."""
        return median(self.samples)

    @property
    def rounds(self) -> int:
        return len(self.samples)

    @property
    def spread(self) -> float:
        """(slowest − fastest) / median."""
        return (max(self.samples) - min(self.samples)) / self.seconds if self.seconds else 0.0


def settle(longest_seconds: float = 1.0) -> None:
    """Waits until this process's other threads sleep.

    Libraries on OpenMP, and OpenBLAS, leave threads spinning behind a call, for milliseconds up to a third of a second:
    they would take a core from whoever is timed next.
    """
    end = time.perf_counter() + longest_seconds
    while time.perf_counter() < end:
        before = time.process_time()
        time.sleep(_LOOK_SECONDS)
        if time.process_time() - before < 0.1 * _LOOK_SECONDS:
            return


_LOOK_SECONDS = 0.004


def once(call: Call) -> float:
    """Seconds of one call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def interleaved(
    calls: Mapping[str, Call],
    rounds: int = 7,
    sample_seconds: float = 0.002,
    budget_seconds: float = 10.0,
    warm_seconds: float = 0.01,
    before_each: Callable[[str], None] = lambda name: None,
) -> dict[str, Timing]:
    """Times `calls` in turns, `rounds` rounds; each sample repeats a short call until it lasts `sample_seconds`.

    Each sample starts when the threads of the one before have gone to sleep. Calls of less than a tenth of a second are
    made untimed before, for `warm_seconds`: until a thread that is woken after a pause runs on a processor of its own
    takes milliseconds, and is no part of a call. A call so slow that its rounds would take more than its part of
    `budget_seconds` gets fewer of them; one that alone takes more is not repeated: its warm-up is the only sample.
    before_each(name): what is done, untimed, before each call or sample of that name.
    """
    repeats, wanted, warmed = {}, {}, {}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    part = budget_seconds / max(1, len(calls))
    for name, call in calls.items():
        before_each(name)
        seconds = max(once(call), 1e-9)  # warms up
        if seconds > part:
            samples[name].append(seconds)
        elif seconds < _SHORT_SECONDS:
            seconds = _warm(call, warm_seconds)
        warmed[name] = warm_seconds > 0.0 and seconds < _SHORT_SECONDS
        repeats[name] = max(1, round(sample_seconds / seconds))
        once_around = seconds * repeats[name] + (max(seconds, warm_seconds) if warmed[name] else 0.0)
        wanted[name] = min(rounds, int(part / once_around))
    for turn in range(rounds):
        for name, call in calls.items():
            if turn < wanted[name] or (turn == 0 and not samples[name]):
                before_each(name)
                settle()
                if warmed[name]:
                    _warm(call, warm_seconds)
                samples[name].append(_sample(call, repeats[name]))
    return {name: Timing(tuple(found)) for name, found in samples.items()}


_SHORT_SECONDS = 0.1


def _warm(call: Call, warm_seconds: float) -> float:
    """Repeats a call for a while; seconds of the fastest."""
    end = time.perf_counter() + warm_seconds
    best = once(call)
    while time.perf_counter() < end:
        best = min(best, once(call))
    return max(best, 1e-9)


def _sample(call: Call, repeats: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats
