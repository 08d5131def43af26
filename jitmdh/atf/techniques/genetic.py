"""Genetic algorithm."""

from __future__ import annotations

from math import trunc

from jitmdh.atf.search.moves import spread_out, stepped
from jitmdh.atf.search.protocol import Moves, Search
from jitmdh.atf.space.path import Path, mixed


class Genetic(Search):
    """Tournament selection, uniform crossover repaired to valid configurations, mutation, survival."""

    def __init__(self, population: int = 16, mutation: float = 0.4, generations: int = 30) -> None:
        self.population, self.mutation, self.generations = population, mutation, generations

    def moves(self) -> Moves:
        """Generations until no new configuration appears."""
        start = {path.position: path for path in spread_out(self.space, self.population, self.random)}
        self.ways, people = start, [*start.values()]
        scores = list((yield [*start]))
        for _ in range(self.generations):
            ranked = sorted(range(len(people)), key=scores.__getitem__)[: self.population]
            people, scores = [people[k] for k in ranked], [scores[k] for k in ranked]
            born = self._children(people, self.population // 2)
            if not born:
                return
            self.ways = born
            scores += yield list(born)
            people += born.values()

    def _children(self, people: list[Path], wanted: int) -> dict[int, Path]:
        """At most so many new configurations, by position; the population is sorted, best first."""
        rng, draw, levels = self.random, self.random.random, self.space.choices
        count = len(people)
        known = self.known
        born: dict[int, Path] = {}
        for _ in range(8 * wanted if levels else 0):
            mother = people[trunc(min(draw(), draw(), draw()) * count)]  # the best of three
            father = people[trunc(min(draw(), draw(), draw()) * count)]
            child = mother if mother is father else mixed(mother, father, rng)
            if draw() < self.mutation or child.position in known:
                child = stepped(child, levels, rng)
                if draw() < 0.3:
                    child = stepped(child, levels, rng)
            if child.position not in known:
                born[child.position] = child
                if len(born) == wanted:
                    break
        return born
