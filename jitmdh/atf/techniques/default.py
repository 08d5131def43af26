"""The default technique: a model where it pays, pattern search where it does not or is at its end."""

from __future__ import annotations

import math
from collections import deque

from jitmdh.atf.regression.gaussian import MOST_MEASUREMENTS
from jitmdh.atf.search.protocol import Search
from jitmdh.atf.techniques.simplex import PatternSearch
from jitmdh.atf.techniques.surrogate import Surrogate

_NEGLIGIBLE_S = 50e-6
_FIT_S, _FEW, _FEW_PARAMETERS = 5e-3, 40, 16
_REMEMBERED = 8  # fits: among so many is one that looks for better scales, which lasts longer


def _fit_s(count: int, parameters: int) -> float:
    """How long a fit may take, with so many measurements to learn from: on the safe side, mostly."""
    many = max(1.0, min(count, MOST_MEASUREMENTS) / _FEW)
    wide = max(1.0, parameters / _FEW_PARAMETERS)
    return _FIT_S * many * math.sqrt(many) * wide * math.sqrt(wide)


class Default(Search):
    """`Surrogate` as far as evaluations pay for its fits; pattern search in between.

    The rule, by the tuner's clock: the model is fitted (for the next eight or sixteen proposals) only if all fits so
    far and this one stay within `share` of the time spent in evaluations. This one is taken to last as long as the
    longest of the last eight, and longer the more it has to learn from and the more parameters there are. In between,
    pattern search proposes, on the same memory. So fits cost at most `share` of measuring, but for fits that take
    longer than expected: evaluations of microseconds never wait for a model, those of tens of milliseconds always
    profit from one. A Latin-hypercube sample of eight comes first.

    Where the model can be afforded, nothing else is mixed in. Steps of pattern search when it finds nothing better for
    long, and children of the best configurations between its batches, were tried: fewer runs came within 5 % of the
    optimum of the space recorded on an A100, and no more on others.

    An evaluation counts with the median of the last five, so that a pause does not; below 50 us, with
    nothing. What counts is time that passes, however many evaluations run in it: where eight end at a time after a
    second, that second, once. In between, where timing decides whether a fit is due, equal seeds may give different
    runs; use `surrogate` or another technique if that matters, or a `Tuner` with a clock of your own.

    The parts were chosen by `best / optimum` after 50 to 200 evaluations on made-up spaces
    (`synthetic.SHAPES`, `synthetic_kernels.KERNELS`, and others where few configurations come near the best),
    among some ninety variants; the space recorded on an A100 was looked at on the way, so it is no independent
    witness.
    """

    def __init__(self, share: float = 0.25) -> None:
        self.share = share

    def begin(self, seed: int) -> None:
        """Restarts; nothing is measured yet."""
        self.model, self.quick = Surrogate(), PatternSearch()
        self.model.prior = self.prior
        for member, offset in ((self.model, 0), (self.quick, 7919)):
            member.initialize(self.space, seed + offset, None, self.memory)
        self.thought_s = 0.0
        self.measured_s = 0.0
        self._fits: deque[float] = deque(maxlen=_REMEMBERED)
        self._evaluations: deque[float] = deque([0.0] * 5, maxlen=5)
        self._since = self.clock()
        self._passed_s = 0.0  # since evaluations that are over were counted
        self._began: dict[int, float] = {}

    def propose(self) -> int:
        """The model's proposal, if it has one or may think about one; else one of the others'."""
        member: Search = self.model
        if self.model.has_proposals():
            position = member.propose()
        elif self.measured_s > 0.0 and (member := self._next()) is not self.quick:
            start = self.clock()
            position = member.propose()
            took = self.clock() - start
            self.thought_s += took
            if member is self.model:
                self._fits.append(took / self._expected_s())
        else:
            member = self.quick
            position = member.propose()
        self.ways = member.ways
        self._since = self._began[position] = self.clock()
        return position

    def _expected_s(self) -> float:
        return _fit_s(len(self.known), len(self.space.choices))

    def _next(self) -> Search:
        """Whose turn it is when a batch of the model is measured."""
        longest = max(self._fits, default=1.0) * self._expected_s()
        if self.thought_s + longest > self.share * self.measured_s:
            return self.quick
        return self.model

    def report(self, position: int, score: float) -> None:
        """Remembers the score, and how long it took to measure."""
        now = self.clock()
        elapsed, own = now - self._since, now - self._began.pop(position, self._since)
        self._since = now
        Search.report(self, position, score)
        passes = elapsed > _NEGLIGIBLE_S
        self._evaluations.append(elapsed if passes else own)  # of several that end at once, one took the time
        if passes:
            self._passed_s = min(self._passed_s + elapsed, max(self._evaluations))
        counted = min(self._passed_s, sorted(self._evaluations)[2])
        if counted > _NEGLIGIBLE_S:
            self._passed_s -= counted
            self.measured_s += counted
