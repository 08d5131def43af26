"""What has been tried for a function while it ran, for `f.stats()` and `f.explain(…)`."""

from __future__ import annotations

from collections import deque
from dataclasses import field
from typing import TYPE_CHECKING

from jitmdh.base.records import dataclass

if TYPE_CHECKING:
    from jitmdh.jit.online.knowledge import Subject

_MOST_TRIED, _MOST_TIMES = 256, 2048


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate and what became of it. ratio: of the incumbent's time; None: it never ran in a call."""

    what: str
    verdict: str
    ratio: float | None = None


@dataclass(slots=True)
class Gain:
    """What a switch has brought: `ratio` of the time before, with its interval of 90 %, and the time of a call then."""

    ratio: float
    low: float
    high: float
    spent_before_seconds: float


@dataclass(slots=True)
class Record:
    """Of one decorated function. state: "still searching", "done" or "off: …", by call.

    The worker's thread adds to it at any time: who goes through a dictionary takes a copy first.
    """

    trials: int = 0
    compiles: int = 0
    lost: dict[str, float] = field(default_factory=dict)
    """Seconds by kind, as in the budget: this function's share of what tuning has cost the process."""
    tried: deque[Tried] = field(default_factory=lambda: deque(maxlen=_MOST_TRIED))
    states: dict[str, str] = field(default_factory=dict)
    gains: dict[str, list[Gain]] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds in calls, by call, since they are watched."""
    subjects: dict[str, Subject] = field(default_factory=dict)
    """By call: what its evaluations are written down under."""
    times: dict[str, deque[tuple[float, float]]] = field(default_factory=dict)
    """By call: what one took of late (in seconds), each after so many seconds in such calls."""

    def took(self, call: str, seconds: float) -> None:
        """Of late, such a call takes so long."""
        own = self.times.setdefault(call, deque(maxlen=_MOST_TIMES))
        own.append((self.spent.get(call, 0.0), seconds))

    def lose(self, kind: str, seconds: float) -> None:
        self.lost[kind] = self.lost.get(kind, 0.0) + max(0.0, seconds)

    @property
    def lost_seconds(self) -> float:
        return sum(list(self.lost.values()), 0.0)

    @property
    def switches(self) -> int:
        return sum(map(len, list(self.gains.values())))

    def gained_seconds(self) -> tuple[float, float, float]:
        """Estimated: what calls since the switches would have taken longer; with the interval of 90 %."""
        return tuple(self._gained(name) for name in ("ratio", "high", "low"))  # type: ignore[return-value]

    def _gained(self, name: str) -> float:
        """Between one switch and the next, time was spent at the product of all ratios so far."""
        total = 0.0
        for call, gains in list(self.gains.items()):
            factor = 1.0
            ends = [*(g.spent_before_seconds for g in gains[1:]), self.spent.get(call, 0.0)]
            for gain, end in zip(gains, ends):
                factor *= max(getattr(gain, name), 1e-3)
                total += (end - gain.spent_before_seconds) * (1 / factor - 1)
        return total
