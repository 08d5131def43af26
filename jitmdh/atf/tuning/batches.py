"""The decision: which configuration gets how many samples next, and when it takes the place of the one in use.

Samples come in pairs, a call with the challenger beside one with the incumbent, so what disturbs or drifts hits both.
Successive halving picks who is worth more of them, Wald's sequential sign test (`Challenge`) who has won: only which
of two neighbouring calls was faster counts, so no outlier and no step of a clock weighs more than any other pair. Code
whose calls take one of several times (what lies in caches may settle in several ways) may win more than half of the
pairs and still be slower in all, so a winner has to be faster on average, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from math import ceil, inf, log
from typing import TYPE_CHECKING

from jitmdh.atf.results.outcome import Invalid
from jitmdh.base.records import dataclass

if TYPE_CHECKING:
    from jitmdh.atf.space.configuration import Configuration
    from jitmdh.atf.tuning.protocol import Steered

Pair = tuple[float, float]

DROPPED = ((1, 1.25), (2, 1.12), (4, 1.03), (16, 1.01))
"""After so many pairs, who takes more than so many times as long (the median; of two pairs, the least) is out."""

LATE = ((1, 3.0), (2, 1.5), (4, 1.1), (16, 1.02))
"""Where another candidate costs far more than some pairs: a pair that something else disturbed is no verdict."""

BEFORE = ((2, 1.05), (4, 1.02), (16, 1.01))
"""Of what has been the incumbent before and has lost already: what is slower again has lost for good."""


def median(values: Iterable[float]) -> float:
    """As of `statistics`, which imports decimals and fractions: a user's call may wait for those 5 ms.

    >>> median([3.0, 1.0, 2.0]), median([4.0, 1.0])
    (2.0, 2.5)
    """
    found = sorted(values)
    middle = len(found) // 2
    return found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2


class Decision(Enum):
    """What the samples of a batch have decided."""

    MORE = "nothing yet"
    KEEP = "the incumbent stays"
    SWITCH = "the challenger is the incumbent from now on"


@dataclass(frozen=True, slots=True)
class Batch:
    """What to run next: so many pairs of calls, with this configuration and with the incumbent, in turns.

    settled: those that may decide, each of calls that follow calls of the same code. What ran before leaves its data in
    the caches, so code may take another time in turns than when it runs alone.
    """

    configuration: Configuration
    pairs: int
    settled: bool = False


class Challenge:
    """A sequential test whether a challenger is faster than the incumbent, from its first pair of calls on.

    Wald's test on which of two neighbouring calls was faster: chance one half against three quarters. Equal ones win
    with probability below `_MISTAKE`, and noise of any distribution changes nothing about that. So that it pays to
    switch, the challenger has to be faster by `_MARGIN`, and by `_MARGIN_OF_MEANS` on average.
    """

    __slots__ = ("configuration", "dropped", "evidence", "ratios", "settled", "times")

    _MISTAKE, _MISSED, _MOST, _MARGIN = 0.002, 0.05, 60, 0.003
    _MARGIN_OF_MEANS = 0.01
    _OUTLIER = 2.0  # times the usual: what is more has other reasons
    _WON, _LOST = log(0.75 / 0.5), log(0.25 / 0.5)

    def __init__(
        self, configuration: Configuration, dropped: Sequence[tuple[int, float]] = DROPPED, settled: bool = False
    ) -> None:
        self.configuration, self.dropped, self.settled = configuration, dropped, settled
        self.evidence = 0.0
        self.ratios: list[float] = []
        self.times: list[Pair] = []

    @property
    def pairs(self) -> int:
        return len(self.ratios)

    @property
    def ratio(self) -> float:
        """How many times the incumbent's time it takes, by what is known."""
        return median(self.ratios) if self.ratios else inf

    def compared(self, challenger: float, incumbent: float) -> bool | None:
        """Takes in a pair: True if the challenger has won, False if not, None: go on. A pair without sense is none.

        challenger: infinity if it gave up.
        """
        if not (challenger > 0 and 0 < incumbent < inf):
            return None
        self.ratios.append(challenger / incumbent)
        self.times.append((challenger, incumbent))
        self.evidence += self._WON if challenger < (1 - self._MARGIN) * incumbent else self._LOST
        if self.evidence >= -log(self._MISTAKE) and self._faster_on_average():
            return True
        if self.evidence <= log(self._MISSED) or self.pairs >= self._MOST:
            return False
        typical = min(self.ratios) if self.pairs <= 2 else self.ratio
        return False if any(self.pairs == count and typical > limit for count, limit in self.dropped) else None

    def _faster_on_average(self) -> bool:
        most = self._OUTLIER * median(incumbent for _, incumbent in self.times)
        mine, others = (sum(min(pair[k], most) for pair in self.times) for k in (0, 1))
        return mine < (1 - self._MARGIN_OF_MEANS) * others


class Contest:
    """Challengers of the incumbent, which is the best configuration of `tuner`.

    Whoever runs the calls offers candidates, asks for `next` and tells the pairs. Each new one gets `_FIRST` pairs; the
    better half of those waiting get `_SECOND`; then the best of them goes on until it has won or lost. What candidates
    cost is told to the tuner in units of the first incumbent's cost, however fast the machine was at the time.

    patience: candidates decided without a switch after which there is no reason to go on. dropped: after how many pairs
    who is out; see `DROPPED`.
    """

    _FIRST, _SECOND, _BATCH = 4, 16, 8

    def __init__(self, tuner: Steered, patience: int = 200, dropped: Sequence[tuple[int, float]] = DROPPED) -> None:
        self.tuner, self.patience, self._dropped = tuner, patience, dropped
        self.idle = self.switches = self.decided = 0
        self._waiting: list[Challenge] = []
        self._present: Challenge | None = None
        self._cost = inf

    # ------------------------------------------------------------------------------------------ who

    def began(self, cost: float) -> None:
        """The incumbent's cost (of a call), which those of all others are relative to."""
        self._cost = cost

    def offer(
        self, configuration: Configuration, dropped: Sequence[tuple[int, float]] = (), settled: bool = False
    ) -> None:
        """A candidate that is ready to run. dropped: instead of what holds for others; settled: all of its pairs are,
        not only those that may decide."""
        self._waiting.append(Challenge(configuration, dropped or self._dropped, settled))

    @property
    def waiting(self) -> int:
        """How many candidates are neither decided nor running."""
        return len(self._waiting)

    @property
    def done(self) -> bool:
        """Whether there is no reason to look for more candidates."""
        return not self._waiting and self._present is None and (self.idle >= self.patience or self.tuner.finished())

    def next(self) -> Batch | None:
        """What to run; None if a candidate has to be offered first."""
        if self._present is None:
            self._present = self._chosen()
        present = self._present
        if present is None:
            return None
        done = present.pairs
        goal = self._FIRST if done < self._FIRST else self._SECOND if done < self._SECOND else done + self._BATCH
        return Batch(present.configuration, goal - done, present.settled or done >= self._FIRST)

    def _chosen(self) -> Challenge | None:
        fresh = next((c for c in self._waiting if c.pairs < self._FIRST), None)
        if fresh is not None:
            self._waiting.remove(fresh)
            return fresh
        second = [c for c in self._waiting if c.pairs < self._SECOND]
        if second:
            second.sort(key=lambda c: c.ratio)
            for lost in second[ceil(len(second) / 2) :]:
                self._waiting.remove(lost)
                self._over(lost)
            self._waiting.remove(second[0])
            return second[0]
        if not self._waiting:
            return None
        best = min(self._waiting, key=lambda c: c.ratio)
        self._waiting.remove(best)
        return best

    # ------------------------------------------------------------------------------------------ samples

    def told(self, pairs: Sequence[Pair]) -> Decision:
        """The costs (challenger's, incumbent's) of pairs of calls of the batch that was asked for."""
        present = self._present
        assert present is not None, "a batch is asked for before its samples are told"
        for challenger, incumbent in pairs:
            verdict = present.compared(challenger, incumbent)
            if verdict is not None:
                self._present = None
                if verdict:
                    self._switch(present)
                    return Decision.SWITCH
                self._over(present)
                return Decision.KEEP
        if pairs and present.pairs in (self._FIRST, self._SECOND) and self._waiting:
            self._present = None
            self._waiting.append(present)
        return Decision.MORE

    def failed(self, reason: str) -> None:
        """The configuration of the batch that was asked for did not serve the call, or gave up in it.

        The first time that is the end of it; later, when it is known to be able to, a pair that it has lost.
        """
        present = self._present
        assert present is not None, "a batch is asked for before it fails"
        if not present.pairs or present.compared(inf, 1.0) is False:
            self._present = None
            self._over(present, reason)

    def _over(self, lost: Challenge, reason: str = "") -> None:
        self.idle += 1
        self.decided += 1
        cost = lost.ratio * self._cost
        self.tuner.tell(lost.configuration, cost if cost < inf else Invalid(reason or "it gave up most of the time"))

    def _switch(self, winner: Challenge) -> None:
        """What others are worth is known relative to the incumbent of before: who may still be better starts anew."""
        self.idle = 0
        self.decided += 1
        self.switches += 1
        self._cost *= winner.ratio
        self.tuner.choose(winner.configuration)
        self.tuner.tell(winner.configuration, self._cost)
        waiting, self._waiting = self._waiting, []
        for other in waiting:
            if other.pairs >= self._FIRST and other.ratio > other.dropped[-1][1] * winner.ratio:
                other.ratios = [ratio / winner.ratio for ratio in other.ratios]
                self._over(other)
            else:
                self.offer(other.configuration, other.dropped, other.settled)
