"""A configuration as the way through the DAG that leads to it; and the ways next to it.

Search techniques move on paths: a change at one level walks only from there to where the old and the new way
meet again in a shared subspace, and the position follows from the counts on the part walked.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import trunc
from typing import Any, final

from jitmdh.atf.space.node import LEAF, Node


@final
class Path:
    """`nodes[k]` is the node at level k, `places[k]` the place and `values[k]` the value chosen there."""

    __slots__ = ("nodes", "places", "position", "values")

    def __init__(self, nodes: list[Node], places: list[int], values: list[Any], position: int) -> None:
        self.nodes = nodes
        self.places = places
        self.values = values
        self.position = position


def path_to(root: Node, position: int) -> Path:
    """The path to a position of the space below `root`."""
    node, rest = root, position
    nodes: list[Node] = []
    places: list[int] = []
    values: list[Any] = []
    while node is not LEAF:
        nodes.append(node)
        remaining = node.values
        child = node.child
        if child is not None:
            count = child.count
            place = rest // count
            rest -= place * count
            node = child
        else:
            cumulative = node.cumulative
            place = bisect_right(cumulative, rest)
            if place:
                rest -= cumulative[place - 1]
            node = node.children[place]
        places.append(place)
        values.append(remaining[place])
    return Path(nodes, places, values, position)


def path_at(root: Node, point: Iterable[float]) -> Path:
    """The path at coordinates in [0, 1)^L, one per level."""
    node, position = root, 0
    nodes: list[Node] = []
    places: list[int] = []
    values: list[Any] = []
    for x in point:
        nodes.append(node)
        place = trunc(x * node.size)
        places.append(place)
        before, value, node = node.steps[place]
        position += before
        values.append(value)
    return Path(nodes, places, values, position)


def walked(root: Node, point: Iterable[float]) -> tuple[int, list[Any]]:
    """The position and the values at coordinates in [0, 1)^L, one per level."""
    node, position = root, 0
    found: list[Any] = []
    for x in point:
        before, value, node = node.steps[trunc(x * node.size)]
        position += before
        found.append(value)
    return position, found


def walked_around(
    root: Node, centre: Sequence[float], points: Iterable[Sequence[float]], levels: Iterable[int]
) -> list[tuple[int, list[Any]]]:
    """The positions and values at points that agree with `centre` before one level each, which is walked once."""
    node, position = root, 0
    nodes: list[Node] = []
    positions: list[int] = []
    found: list[Any] = []
    for x in centre:
        nodes.append(node)
        positions.append(position)
        before, value, node = node.steps[trunc(x * node.size)]
        position += before
        found.append(value)
    result: list[tuple[int, list[Any]]] = []
    for point, level in zip(points, levels):
        node, position, chosen = nodes[level], positions[level], found[:level]
        for x in point[level:]:
            before, value, node = node.steps[trunc(x * node.size)]
            position += before
            chosen.append(value)
        result.append((position, chosen))
    return result


def position_of(root: Node, point: Iterable[float]) -> int:
    """The position at coordinates in [0, 1)^L, one per level."""
    return walked(root, point)[0]


def point_of(path: Path) -> list[float]:
    """The middle of the coordinates that `position_of` maps to the path's position."""
    return [(place + 0.5) / node.size for node, place in zip(path.nodes, path.places)]


def with_place(path: Path, level: int, place: int, rng: random.Random) -> Path:
    """The path with another place at one level; the values after it are kept, or the nearest ones taken."""
    nodes, places = path.nodes, path.places
    steps = nodes[level].steps
    ways, values = places.copy(), path.values.copy()
    before_old, _, old = steps[places[level]]
    before, value, new = steps[place]
    ways[level], values[level] = place, value
    position = path.position + before - before_old
    if new is old:
        return Path(nodes, ways, values, position)
    return _continued(nodes[: level + 1], ways, values, position, path, new, old, level + 1, rng)


def mixed(first: Path, second: Path, rng: random.Random) -> Path:
    """A stretch of levels from one path, the others from the other one; or the nearest values that remain.

    Neighbouring levels stay together, since dependent parameters are neighbours.
    """
    nodes, count = first.nodes, len(first.nodes)
    level = trunc(rng.random() * count)
    end = level + 1 + trunc(rng.random() * (count - 1))
    if end > count:  # the stretch goes on at the front: that is, the other path has the one in the middle
        first, second, nodes, level, end = second, first, second.nodes, end - count, level
    values = first.values.copy()
    values[level:end] = second.values[level:end]
    start = nodes[level]
    return _continued(nodes[:level], first.places.copy(), values, first.position, first, start, start, end, rng)


def _continued(
    visited: list[Node],
    ways: list[int],
    values: list[Any],
    position: int,
    path: Path,
    new: Node,
    old: Node,
    end: int,
    rng: random.Random,
) -> Path:
    """The path that begins with the nodes `visited` and goes on at `new`, where `path` goes on at `old`.

    It follows `values`, or the nearest ones that remain, at least up to level `end` and until both paths are
    at the same node again; `ways`, `values` and `position` are those of `path` where it has not been yet.
    """
    nodes, places = path.nodes, path.places
    level = len(visited)
    while level < end or new is not old:
        try:
            place = new.near[values[level]]
        except (KeyError, TypeError):
            place = new.closest(values[level])
        if place < 0:
            place = trunc(rng.random() * new.size)
        visited.append(new)
        before_old, _, old = old.steps[places[level]]
        before, value, new = new.steps[place]
        ways[level], values[level] = place, value
        position += before - before_old
        level += 1
    return Path(visited + nodes[level:], ways, values, position)


def another(size: int, place: int, rng: random.Random) -> int:
    """Another place below `size` where there is one: half of the time a near one, else any."""
    if size == 1:
        return 0
    draw = rng.random()
    if draw < 0.5:
        reach = 1
        if size > 16:
            reach = max(1, round((1 + size / 8) ** rng.random()))
        near = place + reach if draw < 0.25 else place - reach
        if 0 <= near < size:
            return near
    other = trunc(rng.random() * (size - 1))
    return other + (other >= place)
