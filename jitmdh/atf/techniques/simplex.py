"""Direct search on coordinates: Nelder-Mead, Torczon's multi-directional search, pattern search."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf

from jitmdh.atf.space import SearchSpace
from jitmdh.atf.techniques.protocol import Moves, Search

Point = list[float]
_SMALLEST = 1e-9


def random_point(space: SearchSpace, rng: random.Random) -> Point:
    """Uniform coordinates in (0, 1]^L."""
    return [1.0 - rng.random() for _ in space.names]


def clipped(point: Sequence[float]) -> Point:
    """Moved into (0, 1]^L."""
    return [_SMALLEST if x < _SMALLEST else 1.0 if x > 1.0 else x for x in point]


def _start(search: Search) -> Point:
    """Somewhere new, or near the best known one."""
    best = search.best(1)
    if best and search.random.random() < 0.5:
        return list(search.space.coordinates(best[0]))
    return random_point(search.space, search.random)


def _simplex(search: Search, edge: float) -> list[Point]:
    start = _start(search)
    corners = [start]
    for k in range(len(start)):
        corner = list(start)
        corner[k] += edge if corner[k] + edge <= 1.0 else -edge
        corners.append(clipped(corner))
    return corners


def _blend(center: Point, corner: Point, factor: float) -> Point:
    """center + factor * (center - corner)."""
    return clipped([c + factor * (c - x) for c, x in zip(center, corner)])


class NelderMead(Search):
    """The downhill simplex: reflect, expand, contract, shrink."""

    def __init__(self, edge: float = 0.25, iterations: int = 80) -> None:
        self.edge, self.iterations = edge, iterations

    def moves(self) -> Moves:
        """One simplex until it lies within a single configuration."""
        at = self.space.index_at
        corners = _simplex(self, self.edge)
        costs = list((yield [at(c) for c in corners]))
        for _ in range(self.iterations):
            order = sorted(range(len(corners)), key=lambda k: costs[k])
            corners, costs = [corners[k] for k in order], [costs[k] for k in order]
            if len({at(c) for c in corners}) == 1:
                return
            center = [sum(column) / (len(corners) - 1) for column in zip(*corners[:-1])]
            reflected = _blend(center, corners[-1], 1.0)
            (cost,) = yield [at(reflected)]
            if cost < costs[0]:
                expanded = _blend(center, corners[-1], 2.0)
                (further,) = yield [at(expanded)]
                corners[-1], costs[-1] = (expanded, further) if further < cost else (reflected, cost)
                continue
            if cost < costs[-2]:
                corners[-1], costs[-1] = reflected, cost
                continue
            contracted = _blend(center, corners[-1], 0.5 if cost < costs[-1] else -0.5)
            (inner,) = yield [at(contracted)]
            if inner < min(cost, costs[-1]):
                corners[-1], costs[-1] = contracted, inner
                continue
            corners = [corners[0], *[_blend(corners[0], c, -0.5) for c in corners[1:]]]
            costs = [costs[0], *(yield [at(c) for c in corners[1:]])]


class Torczon(Search):
    """Multi-directional search: reflects, expands or contracts the whole simplex about its best corner."""

    def __init__(self, edge: float = 0.3, iterations: int = 40) -> None:
        self.edge, self.iterations = edge, iterations

    def moves(self) -> Moves:
        """One simplex until it lies within a single configuration."""
        at = self.space.index_at
        corners = _simplex(self, self.edge)
        costs = list((yield [at(c) for c in corners]))
        for _ in range(self.iterations):
            k = min(range(len(corners)), key=lambda i: costs[i])
            best, cost, others = corners[k], costs[k], corners[:k] + corners[k + 1 :]
            if len({at(c) for c in corners}) == 1:
                return
            reflected = [_blend(best, c, 1.0) for c in others]
            found = yield [at(c) for c in reflected]
            if min(found) < cost:
                expanded = [_blend(best, c, 2.0) for c in others]
                further = yield [at(c) for c in expanded]
                if min(further) < min(found):
                    reflected, found = expanded, further
            else:
                reflected = [_blend(best, c, -0.5) for c in others]
                found = yield [at(c) for c in reflected]
            corners, costs = [best, *reflected], [cost, *found]


class PatternSearch(Search):
    """Hooke and Jeeves: probe each coordinate both ways, go on where it helped, else halve the step."""

    def __init__(self, step: float = 0.3, smallest: float = 0.02) -> None:
        self.step, self.smallest = step, smallest

    def moves(self) -> Moves:
        """From one start to a step that changes nothing."""
        at, step = self.space.index_at, self.step
        base = _start(self)
        (cost,) = yield [at(base)]
        while step > self.smallest:
            point, found = base, cost
            levels = list(range(len(base)))
            self.random.shuffle(levels)
            for k in levels:
                for sign in (1.0, -1.0):
                    probe = clipped([x + sign * step * (i == k) for i, x in enumerate(point)])
                    score = inf
                    if at(probe) != at(point):
                        (score,) = yield [at(probe)]
                    if score < found:
                        point, found = probe, score
                        break
            if found < cost:
                leap = clipped([x + (x - old) for x, old in zip(point, base)])
                base, cost = point, found
                (score,) = yield [at(leap)]
                if score < cost:
                    base, cost = leap, score
            else:
                step /= 2
