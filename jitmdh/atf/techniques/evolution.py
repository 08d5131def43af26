"""Differential evolution."""

from __future__ import annotations

from jitmdh.atf.techniques.protocol import Moves, Search
from jitmdh.atf.techniques.simplex import clipped, random_point


class DifferentialEvolution(Search):
    """rand/1/bin on coordinates: a + F (b - c), mixed with the parent."""

    def __init__(
        self, population: int = 15, weight: float = 0.7, mixing: float = 0.7, rounds: int = 60
    ) -> None:
        self.population, self.weight, self.mixing, self.rounds = population, weight, mixing, rounds

    def moves(self) -> Moves:
        """Rounds of one trial per member."""
        rng, at = self.random, self.space.index_at
        points = [random_point(self.space, rng) for _ in range(self.population)]
        costs = list((yield [at(p) for p in points]))
        for _ in range(self.rounds):
            trials = []
            for parent in points:
                a, b, c = rng.sample(points, 3)
                forced = rng.randrange(len(parent))
                trials.append(
                    clipped(
                        [
                            x + self.weight * (y - z) if rng.random() < self.mixing or k == forced else old
                            for k, (x, y, z, old) in enumerate(zip(a, b, c, parent))
                        ]
                    )
                )
            found = yield [at(t) for t in trials]
            for k, cost in enumerate(found):
                if cost <= costs[k]:
                    points[k], costs[k] = trials[k], cost
            if len({at(p) for p in points}) < 4:
                return
