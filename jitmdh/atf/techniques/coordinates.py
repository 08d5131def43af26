"""Points in [0, 1)^L, one coordinate per level: what direct search, swarms and differential evolution move."""

from __future__ import annotations

import numpy as np

from jitmdh.atf.path import path_to, point_of
from jitmdh.atf.techniques.gaussian import Array
from jitmdh.atf.techniques.protocol import Search

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


def simplex(search: Search, edge: float) -> list[Point]:
    """A start, and one corner more for each parameter that has a choice, an edge away along it."""
    first = start(search)
    corners = [first]
    for k in search.space.choices:
        corner = first.copy()
        corner[k] += edge if corner[k] + edge < 1.0 else -edge
        corners.append(corner)
    return corners
