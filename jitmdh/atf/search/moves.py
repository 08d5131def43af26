"""Steps in a constrained space: change one parameter and stay valid; a sample that covers all of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import trunc

import numpy as np

from jitmdh.atf.space.path import Path, another, path_at, with_place
from jitmdh.atf.space.space import SearchSpace


def stepped(path: Path, levels: Sequence[int], rng: random.Random) -> Path:
    """The path with one of these levels set anew, near or far, and the others kept where possible."""
    level = levels[trunc(rng.random() * len(levels))]
    place = path.places[level]
    other = another(path.nodes[level].size, place, rng)
    return path if other == place else with_place(path, level, other, rng)


def spread_out(space: SearchSpace, count: int, rng: random.Random) -> list[Path]:
    """A Latin-hypercube sample: along every coordinate, each of `count` equal slices is hit once."""
    drawn = np.random.default_rng(rng.getrandbits(64)).random((2, count, len(space.order)))
    slices = drawn[0].argsort(axis=0)
    return [path_at(space.root, point) for point in ((slices + drawn[1]) / count).tolist()]
