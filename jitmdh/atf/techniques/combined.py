"""Techniques made of techniques: round robin, and the AUC bandit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from math import inf, log2, sqrt

from jitmdh.atf.search.protocol import Search
from jitmdh.atf.techniques.annealing import SimulatedAnnealing
from jitmdh.atf.techniques.evolution import DifferentialEvolution
from jitmdh.atf.techniques.genetic import Genetic
from jitmdh.atf.techniques.simplex import NelderMead, PatternSearch, Torczon

_MEMBERS: tuple[Callable[[], Search], ...] = (
    Genetic,
    PatternSearch,
    SimulatedAnnealing,
    DifferentialEvolution,
    Torczon,
    NelderMead,
)


_UNUSED, _OWING = 1e3, 1e-9
"""More than any score; and less than any difference of scores that matters."""


@cache
def _terms(window: int) -> tuple[list[float], list[float]]:
    """2 / (n (n + 1)) and 1 / sqrt(n) for n outcomes of a member; members without any come first."""
    counts = range(1, window + 1)
    return [0.0] + [2.0 / (n * (n + 1)) for n in counts], [_UNUSED] + [1.0 / sqrt(n) for n in counts]


class Combination(Search):
    """Several techniques that share what they know; subclasses choose whose turn it is."""

    def __init__(self, members: Sequence[Callable[[], Search]] = _MEMBERS) -> None:
        self.members = [member() for member in members]

    def begin(self, seed: int) -> None:
        """Restarts all members."""
        for number, member in enumerate(self.members):
            member.initialize(self.space, seed + 7919 * (number + 1), None, self.memory)

    def choose(self) -> int:
        """Whose turn it is."""
        raise NotImplementedError

    def propose(self) -> int:
        """The chosen member's proposal."""
        chosen = self.members[self.choose()]
        position = chosen.propose()
        self.ways = chosen.ways
        return position


class RoundRobin(Combination):
    """One proposal of each member in turn."""

    _turn = -1

    def choose(self) -> int:
        """The next one."""
        self._turn = (self._turn + 1) % len(self.members)
        return self._turn


class AucBandit(Combination):
    """OpenTuner's multi-armed bandit: exploits members that found new bests recently (area under the curve),
    explores those seldom used.

    A member's score is AUC + C sqrt(2 log2 |H| / |H_t|); the AUC of its last outcomes V_1..V_n (oldest first,
    1 for a new best) is 2 / (n (n + 1)) * sum of i V_i.
    """

    def __init__(
        self, members: Sequence[Callable[[], Search]] = _MEMBERS, window: int = 100, exploration: float = 0.05
    ) -> None:
        super().__init__(members)
        self.window, self.exploration = window, exploration

    def begin(self, seed: int) -> None:
        """Restarts with an empty window."""
        super().begin(seed)
        count = len(self.members)
        self._author: dict[int, int] = {}
        self._outcomes: deque[tuple[int, bool]] = deque()
        self._used, self._hits, self._weighted = ([0] * count for _ in range(3))
        self._shares, self._roots = _terms(self.window)
        self._reach = 1.0
        self._ranks = [_UNUSED] * count

    def choose(self) -> int:
        """The member of the best score, of equal ones the first that owes no outcome; each one once at first."""
        ranks = self._ranks
        best = max(ranks)
        chosen = ranks.index(best)
        ranks[chosen] = best - _OWING
        return chosen

    def propose(self) -> int:
        """The chosen member's proposal."""
        chosen = self.choose()
        member = self.members[chosen]
        position = member.propose()
        self.ways = member.ways
        self._author[position] = chosen
        return position

    def report(self, position: int, score: float) -> None:
        """Remembers the score for all, and credits the author."""
        author = self._author.pop(position, None)
        if author is not None:
            self.credit(author, score < self.memory.best_score)
        Search.report(self, position, score)

    def scores(self) -> list[float]:
        """The current score of each member."""
        shares, roots, reach = self._shares, self._roots, self._reach
        return [w * shares[n] + reach * roots[n] if n else inf for w, n in zip(self._weighted, self._used)]

    def credit(self, member: int, improved: bool) -> None:
        """Adds an outcome to the window; sums over the window are kept, not taken anew."""
        outcomes, used, weighted = self._outcomes, self._used, self._weighted
        shares, roots, reach = self._shares, self._roots, self._reach
        if full := len(outcomes) == self.window:
            oldest, hit = outcomes.popleft()
            if hits := self._hits[oldest]:
                weighted[oldest] -= hits  # all its outcomes move up by one
                self._hits[oldest] = hits - hit
            n = used[oldest] = used[oldest] - 1
            self._ranks[oldest] = weighted[oldest] * shares[n] + reach * roots[n]
        outcomes.append((member, improved))
        n = used[member] = used[member] + 1
        if improved:
            self._hits[member] += 1
            weighted[member] += n
        if full:
            self._ranks[member] = weighted[member] * shares[n] + reach * roots[n]
        else:  # how far exploration reaches depends on how many outcomes there are
            reach = self._reach = self.exploration * sqrt(2 * log2(max(2, len(outcomes))))
            self._ranks = [w * shares[n] + reach * roots[n] for w, n in zip(weighted, used)]
