"""Pairs of samples from the user's calls: a challenger's and the incumbent's, side by side in time.

Samples of many calls drift and have heavy tails; what is to be compared is therefore taken from neighbouring calls.
But code that has just taken over finds the caches as other code has left them: an arg-max of 8 MB took 72 or 82 us for
seconds on end, but 82 wherever its calls took turns with those of another code, and code of 78 won. So samples that
decide are *settled*: as many calls of the same code go before them and do not count.
"""

from __future__ import annotations

import gc
from math import ceil, exp, log, sqrt
from typing import TYPE_CHECKING

from jitmdh.atf.tuning.batches import median
from jitmdh.hca.drivers.cpu_trial import Sample, Trial
from jitmdh.jit.trials.record import Gain

if TYPE_CHECKING:
    from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode

_BURST_NS, _MOST_IN_BURST = 20_000, 4096
_PATTERN = (True, False, False, True)  # both orders of a pair in turn: what comes first may gain or lose by it
_SETTLED_PATTERN = (True, True, False, False, False, False, True, True)  # the first of two only settles
# Reads caches of 32 MB anew, with as much for the mean that counts: calls of 0.35 ms differ by a tenth, and a code
# that takes 0.96 of the time was not told from the other one by 60 pairs of half as much. Long calls do by themselves.
_SETTLING_NS, _SETTLED_BY_ONE_NS = 2_000_000, 8_000_000
ALONE_NS = 25_000_000
"""Of calls, after which code runs as if it had always done."""
_LEAST_LOSS = 0.05  # of a sample: what is reserved even for a challenger that is thought to be fast
_SLOWER = 1.25  # than it is thought to be: what a challenger may turn out to be
SLOWER_THAN_BEFORE = 1.05
"""The same, of code that was in force before: it was compared for long."""


class PairedSamples:
    """Takes pairs for one challenger of an incumbent whose calls take `usual_ns`.

    refusals: address of the pool's count of calls that found it in use. settling_ns: of calls that only settle. slower:
    how many times as slow as it is thought to be it may turn out to be.
    """

    def __init__(
        self,
        code: LoadedCode,
        usual_ns: float,
        refusals: int,
        settling_ns: float = _SETTLING_NS,
        slower: float = _SLOWER,
    ) -> None:
        self.trial, self._settling_ns, self._slower = Trial(refusals), settling_ns, slower
        self.code, self.usual_ns = code, usual_ns
        self.burst = self._burst(_BURST_NS)
        """Calls of a sample."""
        self.calls = 0
        """That have been trials so far, of both codes."""
        self.lost_seconds = 0.0
        """What the challenger's calls took beyond the incumbent's usual time, since it was asked last."""
        self.disturbed = 0
        """Pairs that were not comparable."""
        self._half: Sample | None = None
        self._collections = 0
        self._settling = False
        self._settles = False
        """Whether the next sample only settles."""

    def _burst(self, ns: float) -> int:
        return min(max(1, ceil(ns / max(self.usual_ns, 1.0))), _MOST_IN_BURST)

    def _settled(self, settled: bool) -> bool:
        """Whether samples that only settle are taken."""
        return settled and self.usual_ns < _SETTLED_BY_ONE_NS

    def dearest_seconds(self, pairs: int, ratio: float, settled: bool = False) -> float:
        """What so many pairs may lose, if the challenger is thought to take `ratio` of the incumbent's time."""
        calls = 2 * self._burst(self._settling_ns) if self._settled(settled) else self._burst(_BURST_NS)
        return pairs * calls * self.usual_ns * 1e-9 * max(_LEAST_LOSS, self._slower * ratio - 1)

    def take(self, pairs: int, settled: bool = False) -> None:
        """From the next call on, until so many pairs are complete."""
        self._half, self._collections = None, _full_collections()
        self._settling = self._settles = self._settled(settled)
        self.burst = self._burst(self._settling_ns if self._settling else _BURST_NS)
        pattern, samples = (_SETTLED_PATTERN, 4 * pairs) if self._settling else (_PATTERN, 2 * pairs)
        self.trial.compare(self.code, pattern, self.burst, samples)

    @property
    def waiting(self) -> bool:
        """Whether calls are still to come."""
        return self.trial.left > 0

    def stop(self) -> None:
        self.trial.stop()

    def read(self) -> list[tuple[float, float]]:
        """Pairs (challenger's, incumbent's nanoseconds) that are complete by now and were not disturbed."""
        found: list[tuple[float, float]] = []
        own_calls = 0
        collected = _full_collections() != self._collections
        for sample in self.trial.samples():
            self.calls += self.burst
            if sample.of_challenger:
                own_calls += self.burst
            settles, self._settles = self._settles, self._settling and not self._settles
            if settles:
                continue
            first, self._half = self._half, None
            if first is None:
                self._half = sample
            elif collected or first.disturbed or sample.disturbed:
                self.disturbed += 1
            else:
                challenger, incumbent = (first, sample) if first.of_challenger else (sample, first)
                found.append((challenger.ns, incumbent.ns))
        lost = self.trial.newly_by_challenger_seconds() - own_calls * self.usual_ns * 1e-9
        self.lost_seconds += max(0.0, lost)
        return found


def gain_of(ratios: list[float], spent_before_seconds: float) -> Gain:
    """From the ratios of the pairs that decided: their median, and by their logarithms where it lies with 90 %."""
    from statistics import stdev

    logs = [log(r) for r in ratios if r > 0]
    middle = median(logs)
    spread = 1.645 * 1.2533 * stdev(logs) / sqrt(len(logs)) if len(logs) > 1 else 0.0
    return Gain(exp(middle), exp(middle - spread), exp(middle + spread), spent_before_seconds)


def _full_collections() -> int:
    """How many full garbage collections there have been."""
    return int(gc.get_stats()[-1]["collections"])


__all__ = ["PairedSamples", "gain_of"]
