"""What is known so far: one score per configuration, the best one, the improvements, the Pareto front."""

from __future__ import annotations

import math
import random

from jitmdh.atf.results.history import History
from jitmdh.atf.results.measure import combined
from jitmdh.atf.results.outcome import Cost, Invalid, dominates, score
from jitmdh.atf.space.space import SearchSpace
from jitmdh.base.errors import ConfigurationError


class Knowledge:
    """Collects outcomes. Told twice for the same configuration, costs count by their median."""

    def __init__(self, space: SearchSpace, pareto: bool, seed: int) -> None:
        self.history = History(space)
        self.rows = self.history.rows()
        self.scores: dict[int, float] = {}
        self.best_position = -1
        self.best_cost: Cost | None = None
        self.best_score = math.inf
        self.improvements: list[tuple[int, float, float]] = []
        self.front: list[tuple[int, tuple[float, ...]]] = []
        self._weights = _Weights(seed) if pareto else None
        self._repeated: dict[int, list[Cost]] = {}
        self._shape: int | None = None

    def add(self, position: int, outcome: Cost | Invalid, seconds: float) -> float:
        """Takes in one outcome; returns the score that search techniques see."""
        if type(outcome) is not float or self._shape != 0 or position in self.scores:
            return self._add_unusual(position, outcome, seconds)
        self.rows.append((position, outcome, seconds))
        self.scores[position] = outcome
        if outcome < self.best_score:
            self.best_position, self.best_cost, self.best_score = position, outcome, outcome
            self.improvements.append((len(self.rows), seconds, outcome))
        return outcome

    def _add_unusual(self, position: int, outcome: Cost | Invalid, seconds: float) -> float:
        """What is not simply one more number."""
        if isinstance(outcome, Invalid):
            self.rows.append((position, outcome, seconds))
            return self.scores.setdefault(position, math.inf)
        self._check_shape(outcome)
        self.rows.append((position, outcome, seconds))
        if position in self.scores:
            outcome = self._again(position, outcome)
        found = score(outcome)
        if position == self.best_position and found > self.best_score:
            self.best_score, self.best_cost = found, outcome
            self.scores[position] = found
            self._choose_again()
        elif self.best_cost is None or outcome < self.best_cost:  # type: ignore[operator]
            self.best_position, self.best_cost, self.best_score = position, outcome, found
            self.improvements.append((len(self.history), seconds, found))
        if self._weights is not None and isinstance(outcome, tuple):
            self._extend_front(position, outcome)
            found = self._weights.score(outcome)
        self.scores[position] = found
        return found

    def cost_of(self, position: int) -> Cost | None:
        """The cost told for a configuration, the median if several; None if there is none."""
        told = [o for p, o, _ in self.history.rows() if p == position and not isinstance(o, Invalid)]
        return combined(told) if told else None

    def reseed(self, seed: int) -> None:
        """Another seed for the weights of several objectives."""
        if self._weights is not None:
            self._weights = _Weights(seed)

    def _check_shape(self, outcome: Cost) -> None:
        shape = len(outcome) if isinstance(outcome, tuple) else 0
        if self._shape is None:
            self._shape = shape
            if self._weights is not None and shape < 2:
                raise ConfigurationError(
                    f"pareto: the cost {outcome!r} has one objective", hint="return a tuple: (time, energy)"
                )
        elif shape != self._shape:
            before = f"{self._shape} components" if self._shape else "a single number"
            raise ConfigurationError(f"the cost {outcome!r} cannot be compared: earlier costs were {before}")

    def _again(self, position: int, outcome: Cost) -> Cost:
        told = self._repeated.get(position)
        if told is None:
            told = [o for p, o, _ in self.history.rows()[:-1] if p == position and not isinstance(o, Invalid)]
            self._repeated[position] = told
        told.append(outcome)
        return combined(told)

    def _choose_again(self) -> None:
        """The best one turned out worse: another may be best now."""
        costs = {p: o for p, o, _ in self.history.rows() if not isinstance(o, Invalid)}
        costs |= {position: combined(told) for position, told in self._repeated.items()}
        position = min(costs, key=lambda p: costs[p])
        self.best_position, self.best_cost, self.best_score = (
            position,
            costs[position],
            score(costs[position]),
        )

    def _extend_front(self, position: int, outcome: tuple[float, ...]) -> None:
        others = [(p, o) for p, o in self.front if p != position]
        if not any(dominates(o, outcome) or o == outcome for _, o in others):
            others = [(p, o) for p, o in others if not dominates(outcome, o)]
            others.append((position, outcome))
        self.front = others


class _Weights:
    """Turns objectives into one score by weights that change every few evaluations, so that a search
    spreads along the front (augmented Chebyshev distance, as in ParEGO)."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._low: list[float] = []
        self._high: list[float] = []
        self._weights: list[float] = []
        self._age = 0

    def score(self, outcome: tuple[float, ...]) -> float:
        if not self._low:
            self._low, self._high = list(outcome), list(outcome)
        self._low = [min(a, b) for a, b in zip(self._low, outcome)]
        self._high = [max(a, b) for a, b in zip(self._high, outcome)]
        if self._age % 8 == 0:
            raw = [self._random.expovariate(1.0) for _ in outcome]
            self._weights = [w / sum(raw) for w in raw]
        self._age += 1
        terms = [
            w * (o - low) / ((high - low) or 1.0)
            for w, o, low, high in zip(self._weights, outcome, self._low, self._high)
        ]
        return max(terms) + 0.05 * sum(terms)
