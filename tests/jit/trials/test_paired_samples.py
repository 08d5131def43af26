"""Pairs of samples: what ran before does not decide, and what challengers cost is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from jitmdh.atf.tuning.batches import LATE, Challenge
from jitmdh.hca.drivers.cpu_trial import Sample
from jitmdh.jit.trials.paired_samples import PairedSamples


class Calls:
    """Instead of a `Trial`: each call takes what `ns` says of (is it the challenger's, how many of its code came before
    it in a row)."""

    def __init__(self, ns: Callable[[bool, int], float]) -> None:
        self.ns, self.left = ns, 0
        self.last, self.in_a_row, self.challenger_ns = False, 1000, 0.0
        self.found: list[Sample] = []

    def compare(self, code: Any, pattern: Sequence[bool], burst: int, samples: int) -> None:
        for number in range(samples):
            own = pattern[number % len(pattern)]
            total = sum(self._call(own) for _ in range(burst))
            self.challenger_ns += total if own else 0.0
            self.found.append(Sample(total / burst, own, False))

    def _call(self, own: bool) -> float:
        self.in_a_row = self.in_a_row + 1 if own == self.last else 0
        self.last = own
        return self.ns(own, self.in_a_row)

    def samples(self) -> Iterator[Sample]:
        found, self.found = self.found, []
        return iter(found)

    def newly_by_challenger_seconds(self) -> float:
        found, self.challenger_ns = self.challenger_ns, 0.0
        return found * 1e-9


def pairs_of(ns: Callable[[bool, int], float], usual_ns: float) -> PairedSamples:
    made = PairedSamples(None, usual_ns, 0)  # type: ignore[arg-type]
    made.trial = Calls(ns)  # type: ignore[assignment]
    return made


def verdict(pairs: PairedSamples, settled: bool) -> bool | None:
    challenge = Challenge(None, LATE)  # type: ignore[arg-type]
    for _ in range(4):
        pairs.take(16, settled)
        for pair in pairs.read():
            found = challenge.compared(*pair)
            if found is not None:
                return found
    return None


def test_code_that_is_faster_only_where_codes_take_turns_does_not_win() -> None:
    """The incumbent finds its data in the caches after some of its own calls: the arg-max of columns of 8 MB."""

    def ns(challenger: bool, before: int) -> float:
        return 78e3 if challenger else 72e3 if before > 8 else 82e3

    assert verdict(pairs_of(ns, 80e3), settled=False) is True, "what happened"
    assert verdict(pairs_of(ns, 80e3), settled=True) is False


@pytest.mark.parametrize("usual_ns", [1e3, 30e3, 0.7e6, 3e6, 20e6])
@pytest.mark.parametrize("settled", [False, True])
def test_code_that_is_faster_wins_and_one_that_is_not_does_not(usual_ns: float, settled: bool) -> None:
    assert verdict(pairs_of(lambda challenger, before: usual_ns * (0.9 if challenger else 1.0), usual_ns), settled)
    assert not verdict(pairs_of(lambda challenger, before: usual_ns, usual_ns), settled)


@pytest.mark.parametrize("settled", [False, True])
def test_all_that_a_challenger_takes_longer_is_lost(settled: bool) -> None:
    pairs = pairs_of(lambda challenger, before: 150e3 if challenger else 100e3, 100e3)
    pairs.take(8, settled)
    assert len(pairs.read()) == 8
    assert pairs.lost_seconds == pytest.approx(pairs.calls / 2 * 50e-6)
    assert pairs.lost_seconds <= pairs.dearest_seconds(8, 1.5, settled)
