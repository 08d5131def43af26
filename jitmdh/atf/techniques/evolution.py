"""Differential evolution."""

from __future__ import annotations

import numpy as np

from jitmdh.atf.regression.gaussian import Array
from jitmdh.atf.search.coordinates import inside
from jitmdh.atf.search.protocol import Moves, Search


class DifferentialEvolution(Search):
    """rand/1/bin on coordinates: a + F (b - c), mixed with the parent."""

    def __init__(self, population: int = 15, weight: float = 0.7, mixing: float = 0.7, rounds: int = 60) -> None:
        self.population, self.weight, self.mixing, self.rounds = population, weight, mixing, rounds

    def moves(self) -> Moves:
        """Rounds of one trial per member."""
        rng = np.random.default_rng(self.random.getrandbits(64))
        points = rng.random((self.population, len(self.space.order)))
        positions = self.located(points.tolist())
        costs = list((yield positions))
        for _ in range(self.rounds):
            trials = self._trials(points, rng)
            tried = self.located(trials.tolist())
            found = yield tried
            taken = [cost <= old for cost, old in zip(found, costs)]
            if any(taken):
                points = np.where(np.array(taken)[:, None], trials, points)
                positions = [new if yes else old for yes, new, old in zip(taken, tried, positions)]
                costs = [min(cost, old) for cost, old in zip(found, costs)]
            if 3 * len(set(positions)) <= len(positions):
                return

    def _trials(self, points: Array, rng: np.random.Generator) -> Array:
        """One per member: b and c are two different members, a is any."""
        count = len(points)
        a, b, apart = (rng.random((3, count)) * [[count], [count], [count - 1]]).astype(np.intp)
        c = (b + 1 + apart) % count
        mutants = points[a] + self.weight * (points[b] - points[c])
        return inside(np.where(rng.random(points.shape) < self.mixing, mutants, points))
