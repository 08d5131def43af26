"""Steps in a constrained space: change one parameter, or mix two configurations, and stay valid."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import exp, log, log1p
from typing import Any

from jitmdh.atf.node import Node
from jitmdh.atf.space import SearchSpace


def walk(space: SearchSpace, choose: Callable[[int, Node], int]) -> int:
    """The position reached by choosing a place at each level of the DAG."""
    node, position = space.root, 0
    for level in range(len(space.order)):
        place = choose(level, node)
        position += node.before(place)
        node = node.behind(place)
    return position


def kept(node: Node, value: Any, rng: random.Random) -> int:
    """The place of a value, of the nearest remaining one, or of a random one if it is no number."""
    place = node.place_of(value)
    if place >= 0:
        return place
    remaining = node.values
    if isinstance(value, int | float) and not isinstance(value, bool):
        best, found = None, 0
        for k in range(len(remaining)) if len(remaining) <= 64 else rng.sample(range(len(remaining)), 64):
            other = remaining[k]
            if isinstance(other, int | float):
                distance = _distance(value, other)
                if best is None or distance < best:
                    best, found = distance, k
        if best is not None:
            return found
    return rng.randrange(len(remaining))


def _distance(a: float, b: float) -> float:
    """In orders of magnitude for positive numbers, since tile sizes and the like are chosen so."""
    return abs(log(a) - log(b)) if a > 0 and b > 0 else abs(a - b) + 1e-9


def mutated(space: SearchSpace, position: int, rng: random.Random, changes: int = 1) -> int:
    """The position with `changes` parameters set anew, near or far, and the others kept where possible."""
    wanted, choices = space.values_at(position), space.choices
    if not choices:
        return position
    changed = {rng.choice(choices)} if changes == 1 else set(rng.sample(choices, min(changes, len(choices))))

    def choose(level: int, node: Node) -> int:
        if level not in changed:
            return kept(node, wanted[level], rng)
        return another(node, wanted[level], rng)

    return walk(space, choose)


def another(node: Node, value: Any, rng: random.Random) -> int:
    """A place with another value where there is one: half of the time the next one, else any."""
    count = len(node.values)
    if count == 1:
        return 0
    place = node.place_of(value)
    if place < 0:
        return rng.randrange(count)
    if rng.random() < 0.5:
        reach = max(1, round(exp(rng.random() * log1p(count / 8)))) if count > 16 else 1
        near = place + rng.choice((-reach, reach))
        if 0 <= near < count:
            return near
    other = rng.randrange(count - 1)
    return other + (other >= place)


def crossed(space: SearchSpace, a: int, b: int, rng: random.Random) -> int:
    """Each parameter from one of two configurations, repaired where the mixture is invalid."""
    first, second = space.values_at(a), space.values_at(b)

    def choose(level: int, node: Node) -> int:
        return kept(node, first[level] if rng.random() < 0.5 else second[level], rng)

    return walk(space, choose)


def spread_out(space: SearchSpace, count: int, rng: random.Random) -> list[int]:
    """A Latin-hypercube sample: along every coordinate, each of `count` equal slices is hit once."""
    columns: list[Sequence[float]] = []
    for _ in space.order:
        slices = [(k + 1 - rng.random()) / count for k in range(count)]
        rng.shuffle(slices)
        columns.append(slices)
    return [space.index_at([column[k] for column in columns]) for k in range(count)]
