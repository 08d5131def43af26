"""Model-based search: a forest predicts costs, the most promising configurations are measured next."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from jitmdh.atf.space import SearchSpace
from jitmdh.atf.techniques.forest import Array, Forest
from jitmdh.atf.techniques.moves import crossed, mutated, spread_out
from jitmdh.atf.techniques.protocol import Moves, Search


class Features:
    """Configurations as rows of numbers: the rank of each value in its range."""

    def __init__(self, space: SearchSpace) -> None:
        self.space = space
        self._rows: dict[int, list[float]] = {}
        self._ranks: list[tuple[str, dict[Any, int] | None]] = []
        for p in space.parameters:
            values = p.range.sequence()
            plain = isinstance(values, range)
            self._ranks.append((p.name, None if plain else _ranks(values)))

    def rows(self, positions: Iterable[int]) -> Array:
        """One row per position."""
        return np.array([self._row(p) for p in positions])

    def _row(self, position: int) -> list[float]:
        row = self._rows.get(position)
        if row is None:
            c = self.space.configuration(position)
            row = [c[name] if ranks is None else ranks[_key(c[name])] for name, ranks in self._ranks]
            self._rows[position] = row
        return row


def _key(value: Any) -> Any:
    try:
        hash(value)
        return value
    except TypeError:
        return id(value)


def _ranks(values: Iterable[Any]) -> dict[Any, int]:
    return {_key(v): rank for rank, v in enumerate(values)}


class Surrogate(Search):
    """Alternates between fitting a forest to all costs known and measuring a few promising candidates.

    Candidates are neighbours of the best ones, mixtures of them, and random configurations; they are ranked
    by the predicted cost less `boldness` times the trees' disagreement.
    """

    def __init__(self, initial: int = 16, batch: int = 4, boldness: float = 1.0, most: int = 400) -> None:
        self.initial, self.batch, self.boldness, self.most = initial, batch, boldness, most

    def moves(self) -> Moves:
        """Never ends: the model only gets better."""
        features = Features(self.space)
        start = list(dict.fromkeys(spread_out(self.space, self.initial, self.random)))
        yield [*self.best(1), *start]
        round_number = 0
        while True:
            round_number += 1
            valid = sum(s < inf for s in self.known.values())
            if valid < 4:
                yield [self.fresh() for _ in range(self.batch)]
                continue
            yield self._promising(features, round_number)

    def _promising(self, features: Features, round_number: int) -> list[int]:
        candidates = self._candidates()
        if not candidates:
            return [self.fresh() for _ in range(self.batch)]
        positions, targets = self._training()
        seed = self.random.getrandbits(32)
        model = Forest().fit(features.rows(positions), targets, seed)
        mean, deviation = model.predict(features.rows(candidates))
        order = np.argsort(mean - self.boldness * deviation, kind="stable")
        chosen = [candidates[k] for k in order[: self.batch]]
        if round_number % 4 == 0:
            chosen[-1] = self.fresh()
        return chosen

    def _training(self) -> tuple[list[int], Array]:
        """The latest and best scores; logarithms where costs are positive; invalid ones as the worst."""
        positions = list(self.known)
        if len(positions) > self.most:
            kept = set(self.best(self.most // 2)) | set(positions[-self.most // 2 :])
            positions = [p for p in positions if p in kept]
        scores = np.array([self.known[p] for p in positions])
        finite = scores[np.isfinite(scores)]
        scores = np.where(np.isfinite(scores), scores, finite.max())
        if finite.min() > 0:
            scores = np.log(scores)
        spread = scores.std()
        return positions, (scores - scores.mean()) / (spread if spread > 0 else 1.0)

    def _candidates(self) -> list[int]:
        rng, space = self.random, self.space
        best = self.best(8)
        found: dict[int, None] = {}
        for position in best[:3]:
            for count, neighbour in enumerate(space.neighbour_indices(position)):
                found[neighbour] = None
                if count == 60:
                    break
        for k in range(60):
            found[mutated(space, best[min(len(best) - 1, int(rng.expovariate(0.5)))], rng, 1 + k % 3)] = None
        for _ in range(30):
            found[crossed(space, rng.choice(best), rng.choice(best), rng)] = None
        for _ in range(60):
            found[rng.randrange(space.size)] = None
        return [p for p in found if p not in self.known and p not in self._pending]
