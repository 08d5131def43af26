"""The default technique: models where they pay, simulated annealing where evaluations are cheap."""

from __future__ import annotations

from collections import deque

from jitmdh.atf.space import SearchSpace
from jitmdh.atf.techniques.annealing import SimulatedAnnealing
from jitmdh.atf.techniques.protocol import Memory, Search
from jitmdh.atf.techniques.surrogate import Surrogate

_NEGLIGIBLE_S = 50e-6
_FIRST_FIT_S = 2e-3


class Default(Search):
    """A Gaussian process, a forest (twice), and no model, in turns, as far as their thinking is paid for by measuring.

    The rule, by the tuner's clock: a model is fitted (for the next three proposals) only if all fits so far
    and this one, taken to last as long as the longest of the last three, stay within `share` of the time
    spent in evaluations. In between, simulated annealing proposes, on the same memory. So thinking never
    costs more than `share` of measuring, evaluations of microseconds never wait for a model, and those of
    tens of milliseconds always profit from one. A Latin-hypercube sample of twelve comes first.

    An evaluation counts with the median of the last five, so that a pause does not; below 50 us, with
    nothing. In between, where timing decides whether a fit is due, equal seeds may give different runs; use
    `surrogate` or another technique if that matters, or a `Tuner` with a clock of your own.

    Models and turns were chosen, among some twenty variants that differ little, by `best / optimum` after 50
    to 200 evaluations on made-up spaces (`synthetic.SHAPES`, and one of them made more rugged); the figures
    of the one recorded space were seen during the choice, so it is no independent witness. The held-out
    spaces of `benchmarks/atf_spaces.py` took no part.
    """

    def __init__(self, share: float = 0.25) -> None:
        self.share = share

    def initialize(
        self,
        space: SearchSpace,
        seed: int,
        known: dict[int, float] | None = None,
        memory: Memory | None = None,
    ) -> None:
        """Begins anew; nothing is measured yet."""
        super().initialize(space, seed, known, memory)
        self.model = Surrogate(("none", "gaussian", "forest", "forest"), initial=12, batch=3, boldness=1.6)
        self.quick = SimulatedAnnealing()
        for member, offset in ((self.model, 0), (self.quick, 7919)):
            member.initialize(space, seed + offset, None, self.memory)
        self.thought_s = 0.0
        self.measured_s = 0.0
        self._fits: deque[float] = deque([_FIRST_FIT_S], maxlen=3)
        self._evaluations: deque[float] = deque([0.0] * 5, maxlen=5)
        self._since = self.clock()

    def propose(self) -> int:
        """The model's proposal, if it has one or may think about one; else a neighbour of a good one."""
        clock, paid_s = self.clock, self.share * self.measured_s
        if self.model.has_proposals():
            position = self.model.propose()
        elif paid_s > 0.0 and self.thought_s + max(self._fits) <= paid_s:
            start = clock()
            position = self.model.propose()
            self._fits.append(clock() - start)
            self.thought_s += self._fits[-1]
        else:
            position = self.quick.propose()
            self.ways = self.quick.ways
        self._since = clock()
        return position

    def report(self, position: int, score: float) -> None:
        """Remembers the score, and how long it took to measure."""
        Search.report(self, position, score)
        now = self.clock()
        elapsed, self._since = now - self._since, now
        self._evaluations.append(elapsed)
        if elapsed > _NEGLIGIBLE_S:
            self.measured_s += sorted(self._evaluations)[2]
