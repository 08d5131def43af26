"""Simulated annealing."""

from __future__ import annotations

from math import exp, inf

from jitmdh.atf.techniques.moves import mutated
from jitmdh.atf.techniques.protocol import Moves, Search


class SimulatedAnnealing(Search):
    """A random neighbour is taken if it is better, or with probability exp(-(t' - t) / T) (thesis 5.5).

    Here T falls, and it is relative to the current cost, so that the unit of the cost does not matter.
    """

    def __init__(self, temperature: float = 0.5, cooling: float = 0.95, patience: int = 60) -> None:
        self.temperature, self.cooling, self.patience = temperature, cooling, patience

    def moves(self) -> Moves:
        """One descent from a random start, until nothing was accepted for a while."""
        current = self.fresh()
        (cost,) = yield [current]
        temperature, idle = self.temperature, 0
        while idle < self.patience:
            candidate = mutated(self.space, current, self.random)
            (found,) = yield [candidate]
            if candidate != current and self._accepts(cost, found, temperature):
                idle = idle + 1 if found >= cost else 0
                current, cost = candidate, found
            else:
                idle += 1
            temperature = max(1e-3, temperature * self.cooling)

    def _accepts(self, cost: float, found: float, temperature: float) -> bool:
        if found < cost or cost == inf:
            return True
        if found == inf:
            return False
        scale = abs(cost) or 1.0
        return self.random.random() < exp(-min(700.0, (found - cost) / scale / temperature))
