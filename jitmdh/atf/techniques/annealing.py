"""Simulated annealing."""

from __future__ import annotations

from math import exp, inf

from jitmdh.atf.search.moves import stepped
from jitmdh.atf.search.protocol import Moves, Search
from jitmdh.atf.space.path import path_to


class SimulatedAnnealing(Search):
    """A random neighbour is taken if it is better, or with probability exp(-(t' - t) / T) (thesis 5.5).

    Here T falls, and it is relative to the current cost, so that the unit of the cost does not matter.
    """

    def __init__(self, temperature: float = 0.5, cooling: float = 0.95, idle: int = 60) -> None:
        self.temperature, self.cooling, self.idle = temperature, cooling, idle
        self.patience = idle  # batches are of one configuration

    def moves(self) -> Moves:
        """One descent from a random start, until nothing was accepted for a while."""
        rng, levels = self.random, self.space.choices
        current = path_to(self.space.root, self.fresh())
        (cost,) = yield (current.position,)
        temperature, idle = self.temperature, 0
        while idle < self.idle and levels:
            candidate = stepped(current, levels, rng)
            self.ways = {candidate.position: candidate}
            (found,) = yield (candidate.position,)
            idle += 1
            if candidate is not current and (found < cost or self._accepts(cost, found, temperature)):
                if found < cost:
                    idle = 0
                current, cost = candidate, found
            temperature *= self.cooling
            if temperature < 1e-3:
                temperature = 1e-3

    def _accepts(self, cost: float, found: float, temperature: float) -> bool:
        if cost == inf:
            return True
        if found == inf:
            return False
        scale = abs(cost) or 1.0
        return self.random.random() < exp(-min(700.0, (found - cost) / scale / temperature))
