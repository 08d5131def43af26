"""Points in [0, 1)^L, one coordinate per level: what direct search, swarms and differential evolution move."""

from __future__ import annotations

from math import trunc

import numpy as np

from jitmdh.atf.regression.gaussian import Array
from jitmdh.atf.search.protocol import Search
from jitmdh.atf.space.path import path_to, point_of

Point = list[float]
LARGEST = 0.999999


def inside(points: Array) -> Array:
    """The points, moved into [0, 1)^L where they lie outside."""
    result: Array = np.maximum(np.minimum(points, LARGEST), 0.0)
    return result


def start(search: Search) -> Point:
    """Somewhere new, or near the best known configuration."""
    memory, draw = search.memory, search.random.random
    if memory.best >= 0 and draw() < 0.5:
        return point_of(path_to(search.space.root, memory.best))
    return [draw() for _ in search.space.order]


def simplex(search: Search, edge: float) -> tuple[list[Point], list[int]]:
    """A start, and one vertex more for each level with a choice there; and the level along which each lies.

    A vertex is an edge away from the start, and at least at the next value: vertices that coincide tell nothing.
    """
    first, node = start(search), search.space.root
    corners, levels = [first], [len(first) - 1]
    for level, x in enumerate(first):
        size = node.size
        if size > 1:
            away = max(edge, 1.0 / size)
            corner = first.copy()
            corner[level] = x + away if x + away < 1.0 else max(x - away, 0.0)
            corners.append(corner)
            levels.append(level)
        node = node.steps[trunc(x * size)][2]
    return corners, levels
