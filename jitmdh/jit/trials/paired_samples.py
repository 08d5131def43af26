"""Pairs of samples from the user's calls: a challenger's and the incumbent's, side by side in time.

Samples of many calls drift and have heavy tails; what is to be compared is therefore taken from neighbouring calls.
"""

from __future__ import annotations

import gc
from math import ceil, exp, log, sqrt
from typing import TYPE_CHECKING

from jitmdh.atf.tuning.batches import median
from jitmdh.hca.devices.cpu_trial import Sample, Trial
from jitmdh.jit.trials.record import Gain

if TYPE_CHECKING:
    from jitmdh.hca.devices.native_code.elf_loader import LoadedCode

_BURST_NS, _MOST_IN_BURST = 20_000, 4096
_PATTERN = (True, False, False, True)  # both orders of a pair in turn: what comes first may gain or lose by it
_LEAST_LOSS = 0.05  # of a sample: what is reserved even for a challenger that is thought to be fast
_SLOWER = 1.25  # than it is thought to be: what a challenger may turn out to be


class PairedSamples:
    """Takes pairs for one challenger of an incumbent whose calls take `usual_ns`.

    refusals: address of the pool's count of calls that found it in use.
    """

    def __init__(self, code: LoadedCode, usual_ns: float, refusals: int) -> None:
        self.trial = Trial(refusals)
        self.code, self.usual_ns = code, usual_ns
        self.burst = min(max(1, ceil(_BURST_NS / max(usual_ns, 1.0))), _MOST_IN_BURST)
        self.lost_seconds = 0.0
        """What the challenger's samples took beyond the incumbent's usual time, since it was asked last."""
        self.disturbed = 0
        """Pairs that were not comparable."""
        self._half: Sample | None = None
        self._collections = 0

    def dearest_seconds(self, pairs: int, ratio: float) -> float:
        """What so many pairs may lose, if the challenger is thought to take `ratio` of the incumbent's time."""
        return pairs * self.burst * self.usual_ns * 1e-9 * max(_LEAST_LOSS, _SLOWER * ratio - 1)

    def take(self, pairs: int) -> None:
        """From the next call on, until so many pairs are complete."""
        self._half, self._collections = None, _full_collections()
        self.trial.compare(self.code, _PATTERN, self.burst, 2 * pairs)

    @property
    def waiting(self) -> bool:
        """Whether calls are still to come."""
        return self.trial.left > 0

    def stop(self) -> None:
        self.trial.stop()

    def read(self) -> list[tuple[float, float]]:
        """Pairs (challenger's, incumbent's nanoseconds) that are complete by now and were not disturbed."""
        found: list[tuple[float, float]] = []
        collected = _full_collections() != self._collections
        for sample in self.trial.samples():
            if sample.of_challenger:
                self.lost_seconds += self.burst * max(0.0, sample.ns - self.usual_ns) * 1e-9
            first, self._half = self._half, None
            if first is None:
                self._half = sample
            elif collected or first.disturbed or sample.disturbed:
                self.disturbed += 1
            else:
                challenger, incumbent = (first, sample) if first.of_challenger else (sample, first)
                found.append((challenger.ns, incumbent.ns))
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
