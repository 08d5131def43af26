"""Direct search on coordinates: Nelder-Mead, Torczon's multi-directional search, pattern search."""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence

from jitmdh.atf.path import Path, path_to, point_of, position_of, turned
from jitmdh.atf.space import SearchSpace
from jitmdh.atf.techniques.protocol import Moves, Search

Point = list[float]
Corner = tuple[Point, int, float]
_LARGEST = 0.999999


def random_point(space: SearchSpace, rng: random.Random) -> Point:
    """Uniform coordinates in [0, 1)^L, by level."""
    return [rng.random() for _ in space.order]


def _start(search: Search) -> Point:
    """Somewhere new, or near the best known one."""
    memory = search.memory
    if memory.best >= 0 and search.random.random() < 0.5:
        return point_of(path_to(search.space.root, memory.best))
    return random_point(search.space, search.random)


def _simplex(search: Search, edge: float) -> list[Point]:
    start = _start(search)
    corners = [start]
    for k in search.space.choices:
        corner = start.copy()
        corner[k] += edge if corner[k] + edge < 1.0 else -edge
        corners.append(corner)
    return corners


def _blend(center: Point, corner: Point, factor: float) -> Point:
    """center + factor * (center - corner), moved into [0, 1)^L."""
    one = 1.0 + factor
    return [
        y if 0.0 <= (y := one * c - factor * x) < 1.0 else 0.0 if y < 0.0 else _LARGEST for c, x in zip(center, corner)
    ]


class NelderMead(Search):
    """The downhill simplex: reflect, expand, contract, shrink."""

    def __init__(self, edge: float = 0.25, iterations: int = 80) -> None:
        self.edge, self.iterations = edge, iterations

    def moves(self) -> Moves:
        """One simplex until it lies within a single configuration."""
        root = self.space.root
        points = _simplex(self, self.edge)
        places = [position_of(root, p) for p in points]
        corners = sorted(zip((yield places), places, points))
        total = [sum(column) for column in zip(*points)]
        share = 1.0 / max(1, len(points) - 1)
        for _ in range(self.iterations):
            worst_cost, worst_place, worst = corners[-1]
            if corners[0][1] == worst_place and len({c[1] for c in corners}) == 1:
                return
            center = [share * (t - x) for t, x in zip(total, worst)]
            point = _blend(center, worst, 1.0)
            place = position_of(root, point)
            (cost,) = yield (place,)
            if cost < corners[0][0]:
                point, place, cost = yield from self._expanded(center, worst, (point, place, cost))
            elif cost >= corners[-2][0]:
                point = _blend(center, worst, 0.5 if cost < worst_cost else -0.5)
                place, bound = position_of(root, point), min(cost, worst_cost)
                (cost,) = yield (place,)
                if cost >= bound:
                    points = [corners[0][2], *(_blend(corners[0][2], c[2], -0.5) for c in corners[1:])]
                    places = [corners[0][1], *(position_of(root, p) for p in points[1:])]
                    corners = sorted(zip((yield places), places, points))
                    total = [sum(column) for column in zip(*points)]
                    continue
            total = [t - x + y for t, x, y in zip(total, worst, point)]
            corners[-1] = (cost, place, point)
            corners.sort()

    def _expanded(
        self, center: Point, worst: Point, reflected: Corner
    ) -> Generator[Sequence[int], Sequence[float], Corner]:
        """The reflected corner, or one twice as far out if that is better still."""
        point = _blend(center, worst, 2.0)
        place = position_of(self.space.root, point)
        (cost,) = yield (place,)
        return (point, place, cost) if cost < reflected[2] else reflected


class Torczon(Search):
    """Multi-directional search: reflects, expands or contracts the whole simplex about its best corner."""

    def __init__(self, edge: float = 0.3, iterations: int = 40) -> None:
        self.edge, self.iterations = edge, iterations

    def moves(self) -> Moves:
        """One simplex until half of its corners are the same configuration."""
        root = self.space.root
        corners = _simplex(self, self.edge)
        places = [position_of(root, c) for c in corners]
        costs = list((yield places))
        for _ in range(self.iterations):
            if 2 * len(set(places)) <= len(places):
                return
            k = costs.index(min(costs))
            best, place, cost = corners[k], places[k], costs[k]
            others = corners[:k] + corners[k + 1 :]
            moved = [_blend(best, c, 1.0) for c in others]
            went = [position_of(root, c) for c in moved]
            found = yield went
            if min(found) < cost:
                expanded = [_blend(best, c, 2.0) for c in others]
                wider = [position_of(root, c) for c in expanded]
                further = yield wider
                if min(further) < min(found):
                    moved, went, found = expanded, wider, further
            else:
                moved = [_blend(best, c, -0.5) for c in others]
                went = [position_of(root, c) for c in moved]
                found = yield went
            corners, places, costs = [best, *moved], [place, *went], [cost, *found]


class PatternSearch(Search):
    """Hooke and Jeeves: probe each coordinate both ways, go on where it helped, else halve the step."""

    def __init__(self, step: float = 0.3, smallest: float = 0.02) -> None:
        self.step, self.smallest = step, smallest

    def moves(self) -> Moves:
        """From one start to a configuration that no step along one coordinate improves."""
        root, rng, step = self.space.root, self.random, self.step
        base = path_to(root, position_of(root, _start(self)))
        (cost,) = yield (base.position,)
        levels = list(self.space.choices)
        while levels:
            point, found, far = base, cost, False
            rng.shuffle(levels)
            for k in levels:
                size, place = point.nodes[k].size, point.places[k]
                reach = max(1, round(step * size))
                far = far or reach > 1
                for other in (min(place + reach, size - 1), max(place - reach, 0)):
                    if other != place:
                        probe = turned(point, k, other, rng)
                        self.memory.paths = {probe.position: probe}
                        (score,) = yield (probe.position,)
                        if score < found:
                            point, found = probe, score
                            break
            if found < cost:
                leap = path_to(root, position_of(root, _leap(base, point)))
                base, cost = point, found
                (score,) = yield (leap.position,)
                if score < cost:
                    base, cost = leap, score
            elif far:
                step = max(step / 2, self.smallest) if step > self.smallest else 0.0
            else:
                return


def _leap(base: Path, point: Path) -> Point:
    """As far beyond `point` as that lies from `base`."""
    return [2.0 * y - x for x, y in zip(point_of(base), point_of(point))]
