"""Genetic algorithm."""

from __future__ import annotations

from jitmdh.atf.techniques.moves import crossed, mutated, spread_out
from jitmdh.atf.techniques.protocol import Moves, Search


class Genetic(Search):
    """Tournament selection, uniform crossover repaired to valid configurations, mutation, survival."""

    def __init__(self, population: int = 16, mutation: float = 0.4, generations: int = 30) -> None:
        self.population, self.mutation, self.generations = population, mutation, generations

    def moves(self) -> Moves:
        """Generations until no new configuration appears."""
        people = list(dict.fromkeys(spread_out(self.space, self.population, self.random)))
        scores = dict(zip(people, (yield people)))
        for _ in range(self.generations):
            children: dict[int, None] = {}
            for _ in range(4 * self.population):
                child = crossed(self.space, self._parent(scores), self._parent(scores), self.random)
                if self.random.random() < self.mutation or child in scores:
                    child = mutated(self.space, child, self.random, 1 + (self.random.random() < 0.3))
                if child not in scores:
                    children[child] = None
                if len(children) == self.population // 2:
                    break
            if not children:
                return
            born = list(children)
            scores |= dict(zip(born, (yield born)))
            survivors = sorted(scores, key=lambda p: scores[p])[: self.population]
            scores = {p: scores[p] for p in survivors}

    def _parent(self, scores: dict[int, float]) -> int:
        """The best of three."""
        return min(self.random.choices(list(scores), k=3), key=lambda p: scores[p])
