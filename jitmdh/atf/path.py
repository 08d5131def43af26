"""A configuration as the way through the DAG that leads to it; and the ways next to it.

Search techniques move on paths: a change at one level walks only from there to where the old and the new way
meet again in a shared subspace, and the position follows from the counts on the part walked.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from jitmdh.atf.node import LEAF, Node


class Path:
    """`nodes[k]` is the node at level k, `places[k]` the place chosen there; never changed once made."""

    __slots__ = ("nodes", "places", "position")

    def __init__(self, nodes: list[Node], places: list[int], position: int) -> None:
        self.nodes, self.places, self.position = nodes, places, position

    def values(self) -> list[Any]:
        """The values chosen, in generation order."""
        return [node.values[place] for node, place in zip(self.nodes, self.places)]


def path_to(root: Node, position: int) -> Path:
    """The path to a position of the space below `root`."""
    node, rest = root, position
    nodes: list[Node] = []
    places: list[int] = []
    while node is not LEAF:
        nodes.append(node)
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
    return Path(nodes, places, position)


def walked(root: Node, point: Iterable[float]) -> tuple[int, list[Any]]:
    """The position and the values at coordinates in [0, 1)^L, one per level."""
    node, position = root, 0
    found: list[Any] = []
    for x in point:
        before, value, node = (node.steps or node.opened())[int(x * node.size)]
        position += before
        found.append(value)
    return position, found


def position_of(root: Node, point: Iterable[float]) -> int:
    """The position at coordinates in [0, 1)^L, one per level."""
    return walked(root, point)[0]


def point_of(path: Path) -> list[float]:
    """The middle of the coordinates that `position_of` maps to the path's position."""
    return [(place + 0.5) / node.size for node, place in zip(path.nodes, path.places)]


def turned(path: Path, level: int, place: int, rng: random.Random) -> Path:
    """The path with another place at one level; the values after it are kept, or the nearest ones taken."""
    nodes, places = path.nodes, path.places
    node, old_place = nodes[level], places[level]
    ways = places.copy()
    ways[level] = place
    child = node.child
    if child is not None:
        return Path(nodes, ways, path.position + (place - old_place) * child.count)
    steps = node.steps or node.opened()
    before, _, new = steps[place]
    before_old, _, old = steps[old_place]
    shift = before - before_old
    visited = nodes[: level + 1]
    while new is not old:
        level += 1
        old_place = places[level]
        place = new.closest(old.values[old_place])
        if place < 0:
            place = int(rng.random() * new.size)
        ways[level] = place
        visited.append(new)
        before, _, new = (new.steps or new.opened())[place]
        before_old, _, old = (old.steps or old.opened())[old_place]
        shift += before - before_old
    return Path(visited + nodes[level + 1 :], ways, path.position + shift)


def mixed(first: Path, second: Path, rng: random.Random) -> Path:
    """Each value from one of two paths, as a coin decides; or the nearest one that remains."""
    coins = rng.getrandbits(len(first.nodes))
    node, position = first.nodes[0], 0
    visited: list[Node] = []
    ways: list[int] = []
    for source, place, other, other_place in zip(first.nodes, first.places, second.nodes, second.places):
        if coins & 1:
            source, place = other, other_place
        coins >>= 1
        if source is not node:
            place = node.closest(source.values[place])
            if place < 0:
                place = int(rng.random() * node.size)
        visited.append(node)
        ways.append(place)
        before, _, node = (node.steps or node.opened())[place]
        position += before
    return Path(visited, ways, position)


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
    other = int(rng.random() * (size - 1))
    return other + (other >= place)
