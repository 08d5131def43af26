"""Direct search on coordinates: Nelder-Mead, Torczon's multi-directional search, pattern search."""

from __future__ import annotations

from bisect import insort

import numpy as np

from jitmdh.atf.regression.gaussian import Array
from jitmdh.atf.search.coordinates import LARGEST, Point, inside, simplex, start
from jitmdh.atf.search.protocol import Moves, Search
from jitmdh.atf.space.path import Path, path_to, point_of, position_of, walked, with_place

_KNOWN = 0.5


def _between(a: float, first: Point, b: float, second: Point) -> Point:
    """a * first - b * second, moved into [0, 1)^L."""
    return [y if 0.0 <= (y := a * x - b * z) < 1.0 else 0.0 if y < 0.0 else LARGEST for x, z in zip(first, second)]


def _middle(first: Point, second: Point) -> Point:
    return [0.5 * (x + y) for x, y in zip(first, second)]


class NelderMead(Search):
    """The downhill simplex: reflect, expand, contract, shrink."""

    def __init__(self, edge: float = 0.25, iterations: int = 80) -> None:
        self.edge, self.iterations = edge, iterations

    def moves(self) -> Moves:
        """One simplex until shrinking it brings hardly any new configuration."""
        points, levels = simplex(self, self.edge)
        corners = sorted(zip((yield self.located(points, points[0], levels)), points))
        total = [sum(column) for column in zip(*points)]
        others = len(points) - 1
        for _ in range(self.iterations if others else 0):
            worst_cost, worst = corners.pop()
            point = self._mirrored(total, worst, others, 1.0)
            (cost,) = yield self._place
            if cost < corners[0][0]:
                further = self._mirrored(total, worst, others, 2.0)
                (found,) = yield self._place
                if found < cost:
                    cost, point = found, further
            elif cost >= corners[-1][0]:
                bound = min(cost, worst_cost)
                point = self._mirrored(total, worst, others, 0.5 if cost < worst_cost else -0.5)
                (cost,) = yield self._place
                if cost >= bound:
                    best = corners[0]
                    points = [_middle(best[1], corner) for _, corner in corners[1:]]
                    points.append(_middle(best[1], worst))
                    places = self.located(points)
                    if sum(map(self.known.__contains__, places)) >= _KNOWN * len(places):
                        return
                    corners = sorted([best, *zip((yield places), points)])
                    total = [sum(column) for column in zip(*points, best[1])]
                    continue
            total = [t - x + y for t, x, y in zip(total, worst, point)]
            insort(corners, (cost, point))

    def _mirrored(self, total: Point, worst: Point, others: int, factor: float) -> Point:
        """The worst vertex reflected through the centroid of the others, `factor` times as far; `_place` is where."""
        share = (1.0 + factor) / others
        point = _between(share, total, share + factor, worst)
        place, found = walked(self.space.root, point)
        self._place, self.ways = (place,), {place: found}
        return point


class Torczon(Search):
    """Multi-directional search: reflects, expands or contracts the whole simplex about its best vertex."""

    def __init__(self, edge: float = 0.3, iterations: int = 40) -> None:
        self.edge, self.iterations = edge, iterations

    def moves(self) -> Moves:
        """One simplex until contracting it brings hardly any new configuration."""
        points, levels = simplex(self, self.edge)
        costs = list((yield self.located(points, points[0], levels)))
        corners = np.array(points)
        for _ in range(self.iterations if len(costs) > 1 else 0):
            k = costs.index(min(costs))
            best, cost = corners[k], costs[k]
            moved, places = self._mirrored(corners, k, 1.0)
            found = yield places
            if min(found) < cost:
                wider, places = self._mirrored(corners, k, 2.0)
                further = yield places
                if min(further) < min(found):
                    moved, found = wider, further
            else:
                moved, places = self._mirrored(corners, k, -0.5)
                if sum(map(self.known.__contains__, places)) >= _KNOWN * len(places):
                    return
                found = yield places
            moved[k] = best
            corners, costs = moved, [*found[:k], cost, *found[k:]]

    def _mirrored(self, corners: Array, k: int, factor: float) -> tuple[Array, list[int]]:
        """All vertices reflected through vertex k, `factor` times as far, and the positions of all but k itself."""
        centre = corners[k]
        moved = inside(centre + factor * (centre - corners))
        points: list[Point] = moved.tolist()
        levels: list[int] = (moved != centre).argmax(axis=1).tolist()
        point = points.pop(k)
        del levels[k]
        return moved, self.located(points, point, levels)


class PatternSearch(Search):
    """Hooke and Jeeves: probe each coordinate both ways, go on where it helped, else halve the step."""

    def __init__(self, step: float = 0.3, smallest: float = 0.02) -> None:
        self.step, self.smallest = step, smallest

    def moves(self) -> Moves:
        """From one start to a configuration that no step along one coordinate improves."""
        root, rng, step = self.space.root, self.random, self.step
        base = path_to(root, position_of(root, start(self)))
        (cost,) = yield (base.position,)
        levels = list(self.space.choices)
        while levels:
            point, found, far = base, cost, False
            rng.shuffle(levels)
            for k in levels:
                last, place = point.nodes[k].size - 1, point.places[k]
                reach = round(step * (last + 1)) or 1
                far = far or reach > 1
                above, below = place + reach, place - reach
                for other in (above if above < last else last, below if below > 0 else 0):
                    if other != place:
                        probe = with_place(point, k, other, rng)
                        self.ways = {probe.position: probe}
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
    return _between(2.0, point_of(point), 1.0, point_of(base))
