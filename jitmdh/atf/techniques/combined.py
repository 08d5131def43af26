"""Techniques made of techniques: round robin, and the AUC bandit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import inf, log2, sqrt

from jitmdh.atf.space import SearchSpace
from jitmdh.atf.techniques.annealing import SimulatedAnnealing
from jitmdh.atf.techniques.evolution import DifferentialEvolution
from jitmdh.atf.techniques.genetic import Genetic
from jitmdh.atf.techniques.protocol import Search
from jitmdh.atf.techniques.simplex import NelderMead, PatternSearch, Torczon

_MEMBERS: tuple[Callable[[], Search], ...] = (
    Genetic,
    PatternSearch,
    SimulatedAnnealing,
    DifferentialEvolution,
    Torczon,
    NelderMead,
)


class Combination(Search):
    """Several techniques that share what they know; subclasses choose whose turn it is."""

    def __init__(self, members: Sequence[Callable[[], Search]] = _MEMBERS) -> None:
        self.members = [member() for member in members]

    def initialize(self, space: SearchSpace, seed: int, known: dict[int, float] | None = None) -> None:
        """Begins anew with all members."""
        super().initialize(space, seed, known)
        for number, member in enumerate(self.members):
            member.initialize(space, seed + 7919 * (number + 1), self.known)
            member._pending = self._pending
        self._author: dict[int, int] = {}
        self._best = min(self.known.values(), default=inf)

    def choose(self) -> int:
        """Whose turn it is."""
        raise NotImplementedError

    def credit(self, member: int, improved: bool) -> None:
        """Learns whether a member's proposal was a new best."""

    def propose(self) -> int:
        """The chosen member's proposal."""
        member = self.choose()
        position = self.members[member].propose()
        self._author[position] = member
        return position

    def report(self, position: int, score: float) -> None:
        """Remembers the score for all, and credits the author."""
        super().report(position, score)
        improved = score < self._best
        self._best = min(self._best, score)
        author = self._author.pop(position, None)
        if author is not None:
            self.credit(author, improved)


class RoundRobin(Combination):
    """One proposal of each member in turn."""

    _turn = -1

    def choose(self) -> int:
        """The next one."""
        self._turn = (self._turn + 1) % len(self.members)
        return self._turn


class AucBandit(Combination):
    """OpenTuner's multi-armed bandit: exploits members that found new bests of late (area under the curve),
    explores those seldom used.

    A member's score is AUC + C sqrt(2 log2 |H| / |H_t|); the AUC of its last outcomes V_1..V_n (oldest first,
    1 for a new best) is 2 / (n (n + 1)) * sum of i V_i.
    """

    def __init__(
        self, members: Sequence[Callable[[], Search]] = _MEMBERS, window: int = 100, exploration: float = 0.05
    ) -> None:
        super().__init__(members)
        self.window, self.exploration = window, exploration

    def initialize(self, space: SearchSpace, seed: int, known: dict[int, float] | None = None) -> None:
        """Begins anew with an empty window."""
        super().initialize(space, seed, known)
        self._outcomes: deque[tuple[int, bool]] = deque(maxlen=self.window)
        self._uses = [0] * len(self.members)

    def choose(self) -> int:
        """The member of the best score; each one once at first."""
        for member, uses in enumerate(self._uses):
            if uses == 0:
                self._uses[member] += 1
                return member
        scores = self.scores()
        chosen = max(range(len(scores)), key=lambda m: (scores[m], -self._uses[m]))
        self._uses[chosen] += 1
        return chosen

    def scores(self) -> list[float]:
        """The current score of each member."""
        weighted, used = [0] * len(self.members), [0] * len(self.members)
        for member, improved in self._outcomes:
            used[member] += 1
            weighted[member] += used[member] * improved
        total = max(2, len(self._outcomes))
        return [
            inf if n == 0 else 2 * w / (n * (n + 1)) + self.exploration * sqrt(2 * log2(total) / n)
            for w, n in zip(weighted, used)
        ]

    def credit(self, member: int, improved: bool) -> None:
        """Adds an outcome to the window."""
        self._outcomes.append((member, improved))
