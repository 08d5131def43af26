"""Particle swarm."""

from __future__ import annotations

import numpy as np

from jitmdh.atf.search.coordinates import inside
from jitmdh.atf.search.protocol import Moves, Search


class ParticleSwarm(Search):
    """Particles drawn to their own best point and to the best one of all; walls stop them."""

    def __init__(self, particles: int = 12, inertia: float = 0.6, own: float = 1.4, common: float = 1.4) -> None:
        self.particles, self.inertia, self.own, self.common = particles, inertia, own, common

    def moves(self) -> Moves:
        """Rounds until most particles have met."""
        rng = np.random.default_rng(self.random.getrandbits(64))
        shape = (self.particles, len(self.space.order))
        points, speeds = rng.random(shape), 0.4 * (rng.random(shape) - 0.5)
        costs = list((yield self.located(points.tolist())))
        bests = points
        for _ in range(60):
            leader = bests[costs.index(min(costs))]
            drawn = rng.random((2, *shape))
            pull = self.own * drawn[0] * (bests - points) + self.common * drawn[1] * (leader - points)
            speeds = self.inertia * speeds + pull
            points = inside(points + speeds)
            positions = self.located(points.tolist())
            found = yield positions
            better = [cost < best for cost, best in zip(found, costs)]
            if any(better):
                bests = np.where(np.array(better)[:, None], points, bests)
                costs = [min(cost, best) for cost, best in zip(found, costs)]
            if 3 * len(set(positions)) <= len(positions):
                return
