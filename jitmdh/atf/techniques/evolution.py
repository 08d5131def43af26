"""Differential evolution."""

from __future__ import annotations

from jitmdh.atf.path import position_of
from jitmdh.atf.techniques.protocol import Moves, Search
from jitmdh.atf.techniques.simplex import Point, random_point


class DifferentialEvolution(Search):
    """rand/1/bin on coordinates: a + F (b - c), mixed with the parent."""

    def __init__(self, population: int = 15, weight: float = 0.7, mixing: float = 0.7, rounds: int = 60) -> None:
        self.population, self.weight, self.mixing, self.rounds = population, weight, mixing, rounds

    def moves(self) -> Moves:
        """Rounds of one trial per member."""
        root = self.space.root
        points = [random_point(self.space, self.random) for _ in range(self.population)]
        positions = [position_of(root, p) for p in points]
        costs = list((yield positions))
        for _ in range(self.rounds):
            trials = [self._trial(points, parent) for parent in points]
            tried = [position_of(root, t) for t in trials]
            for k, cost in enumerate((yield tried)):
                if cost <= costs[k]:
                    points[k], positions[k], costs[k] = trials[k], tried[k], cost
            if 3 * len(set(positions)) <= len(positions):
                return

    def _trial(self, points: list[Point], parent: Point) -> Point:
        draw, weight, mixing, count = self.random.random, self.weight, self.mixing, len(points)
        first = int(draw() * count)
        second = (first + 1 + int(draw() * (count - 1))) % count
        a, b, c = points[int(draw() * count)], points[first], points[second]
        trial = [x + weight * (y - z) if draw() < mixing else old for old, x, y, z in zip(parent, a, b, c)]
        for k, x in enumerate(trial):
            if not 0.0 <= x < 1.0:
                trial[k] = min(max(x, 0.0), 0.999999)
        return trial
