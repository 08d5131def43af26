"""Particle swarm."""

from __future__ import annotations

from jitmdh.atf.path import position_of
from jitmdh.atf.techniques.protocol import Moves, Search
from jitmdh.atf.techniques.simplex import Point, random_point


class ParticleSwarm(Search):
    """Particles drawn to their own best point and to the best one of all; walls stop them."""

    def __init__(self, particles: int = 12, inertia: float = 0.6, own: float = 1.4, common: float = 1.4) -> None:
        self.particles, self.inertia, self.own, self.common = particles, inertia, own, common

    def moves(self) -> Moves:
        """Rounds until most particles have met."""
        rng, root = self.random, self.space.root
        points = [random_point(self.space, rng) for _ in range(self.particles)]
        speeds = [[0.4 * (rng.random() - 0.5) for _ in p] for p in points]
        positions = [position_of(root, p) for p in points]
        costs = list((yield positions))
        bests = list(points)
        for _ in range(60):
            leader = bests[costs.index(min(costs))]
            for k, point in enumerate(points):
                speed = speeds[k] = self._speed(speeds[k], point, bests[k], leader)
                points[k] = [
                    y if 0.0 <= (y := x + v) < 1.0 else 0.0 if y < 0.0 else 0.999999 for x, v in zip(point, speed)
                ]
                positions[k] = position_of(root, points[k])
            found = yield list(positions)
            for k, cost in enumerate(found):
                if cost < costs[k]:
                    bests[k], costs[k] = points[k], cost
            if 3 * len(set(positions)) <= len(positions):
                return

    def _speed(self, speed: Point, point: Point, best: Point, leader: Point) -> Point:
        draw, inertia, own, common = self.random.random, self.inertia, self.own, self.common
        return [
            inertia * v + own * draw() * (b - x) + common * draw() * (g - x)
            for v, x, b, g in zip(speed, point, best, leader)
        ]
