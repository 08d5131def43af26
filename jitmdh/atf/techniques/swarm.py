"""Particle swarm."""

from __future__ import annotations

from jitmdh.atf.techniques.protocol import Moves, Search
from jitmdh.atf.techniques.simplex import clipped, random_point


class ParticleSwarm(Search):
    """Particles drawn to their own best point and to the best one of all."""

    def __init__(
        self, particles: int = 12, inertia: float = 0.6, own: float = 1.4, common: float = 1.4
    ) -> None:
        self.particles, self.inertia, self.own, self.common = particles, inertia, own, common

    def moves(self) -> Moves:
        """Rounds until all particles have met."""
        rng, at = self.random, self.space.index_at
        points = [random_point(self.space, rng) for _ in range(self.particles)]
        speeds = [[0.4 * (rng.random() - 0.5) for _ in p] for p in points]
        costs = list((yield [at(p) for p in points]))
        bests = list(points)
        for _ in range(60):
            leader = bests[min(range(len(costs)), key=lambda k: costs[k])]
            for k, point in enumerate(points):
                speeds[k] = [
                    max(
                        -0.5,
                        min(
                            0.5,
                            self.inertia * v
                            + self.own * rng.random() * (b - x)
                            + self.common * rng.random() * (g - x),
                        ),
                    )
                    for v, x, b, g in zip(speeds[k], point, bests[k], leader)
                ]
                points[k] = clipped([x + v for x, v in zip(point, speeds[k])])
            positions = [at(p) for p in points]
            found = yield positions
            for k, cost in enumerate(found):
                if cost < costs[k]:
                    bests[k], costs[k] = points[k], cost
            if len(set(positions)) == 1:
                return
