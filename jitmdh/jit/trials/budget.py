"""What tuning may cost: a share of the time spent in functions so far, at every moment, for the whole process."""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.process.processor_time import waited_seconds

LEAST_SECONDS = 0.2
"""A function that has run for less in all pays nothing, and nothing is started for it."""


class Budget:
    """Time lost stays below `share` of the time that functions have run, as told by `ran` and `lose`.

    A share that fades (see `ran`) gives less for time in functions that have been searched for long.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.run_seconds = 0.0
        self._earned_seconds = 0.0
        self.lost: dict[str, float] = {}
        """Seconds by kind: trials, copies, compiling, deciding."""

    def ran(self, seconds: float, fading: float = 1.0) -> None:
        """Functions have run for so long; `fading` (0 to 1) of it counts."""
        self.run_seconds += seconds
        self._earned_seconds += seconds * fading

    def lose(self, kind: str, seconds: float) -> None:
        self.lost[kind] = self.lost.get(kind, 0.0) + max(0.0, seconds)

    @property
    def lost_seconds(self) -> float:
        return sum(self.lost.values())

    @property
    def left_seconds(self) -> float:
        """What may still be lost now; negative if something was dearer than expected."""
        return self.share * self._earned_seconds - self.lost_seconds

    def allows(self, dearest_seconds: float) -> bool:
        """Whether something may start that costs so much at most."""
        return self.run_seconds >= LEAST_SECONDS and self.share > 0 and dearest_seconds <= self.left_seconds


class Intrusion:
    """What another process, at work with low priority, costs the threads of this one.

    The time that these wait for a processor grows by no more than that process runs; where the system does not say how
    long they wait, all of its time counts if the program leaves no core idle, and none if it does.
    """

    def __init__(self, saturated: Callable[[], bool], except_thread: int | None = None) -> None:
        self._saturated, self._except = saturated, except_thread
        self._waited = waited_seconds(except_thread)
        self._ran = 0.0

    def cost(self, cpu_seconds: float) -> float:
        """Seconds lost since the last question; cpu_seconds: what the other process has used in all.

        A process that stands still is asked for nothing; what was waited for meanwhile counts against its next work,
        unless `goes_on` is told when that begins.
        """
        used, self._ran = max(0.0, cpu_seconds - self._ran), cpu_seconds
        if not used:
            return 0.0
        waited = waited_seconds(self._except)
        if waited is None or self._waited is None:
            self._waited = waited
            return used if self._saturated() else 0.0
        delay, self._waited = max(0.0, waited - self._waited), waited
        return min(used, delay)

    def goes_on(self) -> None:
        """The other process begins to work again: what threads have waited for so far was not its fault."""
        self._waited = waited_seconds(self._except)


class Price:
    """What a program loses of late by what another process runs: nearly as much where no processor is idle.

    At each look, what was before counts `_KEPT` of what it counted.
    """

    _DEAR, _KEPT = 0.5, 0.8

    def __init__(self) -> None:
        self._ran = self._lost = 0.0

    def looked(self, ran_seconds: float, lost_seconds: float) -> None:
        """Since the last look, that process has run for so long, and so much was lost by that."""
        self._ran = self._KEPT * self._ran + ran_seconds
        self._lost = self._KEPT * self._lost + lost_seconds

    @property
    def dear(self) -> bool:
        """Whether that process runs at the program's expense; where a processor is idle, it hardly does."""
        return self._lost > self._DEAR * self._ran


class Slowdown:
    """By what share calls take longer while another process is at work, measured in the calls themselves.

    That may be far more than the processor time it takes: a pool waits for its slowest thread, and caches are shared.
    Calls of the last `_REMEMBERED_SECONDS` count on either side; before there are enough on both, nothing is known.
    """

    _REMEMBERED_SECONDS, _LEAST_SECONDS, _LEAST_CALLS = 10.0, 0.5, 8.0

    def __init__(self) -> None:
        self._seconds, self._calls = [0.0, 0.0], [0.0, 0.0]

    def looked(self, seconds: float, calls: float, at_work: bool) -> None:
        """So many calls have taken so long since the last look, all of it with the other process at work or without."""
        kept = 0.5 ** (seconds / self._REMEMBERED_SECONDS)
        for found, new in ((self._seconds, seconds), (self._calls, calls)):
            found[at_work] = kept * found[at_work] + new

    @property
    def share(self) -> float:
        """Of the time of calls while the other process is at work: what they would not have taken without it."""
        if min(self._seconds) < self._LEAST_SECONDS or min(self._calls) < self._LEAST_CALLS:
            return 0.0
        alone, beside = (seconds / calls for seconds, calls in zip(self._seconds, self._calls))
        return max(0.0, 1 - alone / beside)
