"""Model-based search: models predict costs, the most promising configurations are measured next."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Literal, TypeAlias

import numpy as np

from jitmdh.atf.space import SearchSpace
from jitmdh.atf.techniques.features import Features
from jitmdh.atf.techniques.forest import Forest
from jitmdh.atf.techniques.gaussian import MOST_MEASUREMENTS, Array, GaussianProcess
from jitmdh.atf.techniques.moves import crossed, mutated, spread_out
from jitmdh.atf.techniques.protocol import Memory, Moves, Search

Model: TypeAlias = Literal["forest", "gaussian", "none"]


class Surrogate(Search):
    """Alternates between fitting a model to the costs known and measuring the `batch` best candidates.

    `models` take turns: a Gaussian process is right early where the cost varies smoothly, a forest copes
    with cliffs and interactions. Candidates are neighbours and mixtures of the best ones, and random
    configurations. The forest ranks them by mean - `boldness` x deviation, the Gaussian process by expected
    improvement. In a turn of "none", mixtures and neighbours of the best ones are measured without asking a
    model, which finds what all models overlook.
    """

    def __init__(
        self,
        models: Sequence[Model] = ("forest",),
        initial: int = 16,
        batch: int = 4,
        boldness: float = 1.0,
        most: int = 300,
        trees: int = 16,
        random_candidates: int = 60,
    ) -> None:
        self.models, self.initial, self.batch, self.boldness = tuple(models), initial, batch, boldness
        self.most, self.trees, self.random_candidates = most, trees, random_candidates

    def initialize(
        self,
        space: SearchSpace,
        seed: int,
        known: dict[int, float] | None = None,
        memory: Memory | None = None,
    ) -> None:
        """Begins anew with models that know nothing."""
        super().initialize(space, seed, known, memory)
        self._features = Features(space)
        self._gaussian = GaussianProcess()

    def has_proposals(self) -> bool:
        """Whether the next proposal needs no thinking: the first ones, and what is left of a batch."""
        queue = self._queue
        while queue and (queue[-1] in self.known or queue[-1] in self._pending):
            queue.pop()
        return bool(queue) or self._moves is None

    def moves(self) -> Moves:
        """Never ends: the models only get better."""
        start = list(dict.fromkeys(spread_out(self.space, self.initial, self.random)))
        yield [*self.best(1), *start]
        turn = 0
        while True:
            turn += 1
            model = self.models[turn % len(self.models)]
            if model == "none" and (offspring := self._offspring()):
                yield offspring
                continue
            candidates = self._candidates()
            valid = sum(s < inf for s in self.known.values())
            if valid < 4 or not candidates or not self.space.choices:
                yield [self.fresh() for _ in range(self.batch)]
                continue
            merit = self._merit(model, candidates)
            yield [candidates[k] for k in np.argsort(-merit, kind="stable")[: self.batch]]

    def _offspring(self) -> list[int]:
        """A batch of new mixtures of the best ones, most of them changed in one parameter as well."""
        rng, space, best = self.random, self.space, self.best(12)
        found: dict[int, None] = {}
        for _ in range(50 if best and space.choices else 0):
            mother = best[int(min(rng.random(), rng.random()) * len(best))]
            child = crossed(space, mother, best[int(rng.random() * len(best))], rng)
            if rng.random() < 0.6 or child in self.known:
                child = mutated(space, child, rng)
            if child not in self.known and child not in self._pending:
                found[child] = None
                if len(found) == self.batch:
                    break
        return list(found)

    def _merit(self, model: Model, candidates: list[int]) -> Array:
        seed = self.random.getrandbits(32)
        if model == "forest":
            positions, targets = self._training(self.most)
            forest = Forest(self.trees).fit(self._features.ranked(positions), targets, seed)
            mean, deviation = forest.predict(self._features.ranked(candidates))
            return self.boldness * deviation - mean
        positions, targets = self._training(min(self.most, MOST_MEASUREMENTS))
        process = self._gaussian.fit(self._features.scaled(positions), targets, seed)
        mean, deviation = process.predict(self._features.scaled(candidates))
        return expected_improvement(mean, deviation, float(targets.min()))

    def _training(self, most: int) -> tuple[list[int], Array]:
        """The best and latest scores; logarithms where costs are positive; invalid ones as the worst."""
        positions = list(self.known)
        if len(positions) > most:
            kept = set(self.best(most // 2)) | set(positions[-(most // 2) :])
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
        for k in range(60 if best else 0):
            parent = best[min(len(best) - 1, int(rng.expovariate(0.5)))]
            found[mutated(space, parent, rng, 1 + k % 3)] = None
        for _ in range(30 if best else 0):
            found[crossed(space, rng.choice(best), rng.choice(best), rng)] = None
        for _ in range(self.random_candidates):
            found[rng.randrange(space.size)] = None
        return [p for p in found if p not in self.known and p not in self._pending]


def expected_improvement(mean: Array, deviation: Array, best: float) -> Array:
    """How far below `best` a measurement is expected to lie, counting only what lies below.

    The normal distribution function is approximated by a logistic one: the order of candidates is all
    that counts.
    """
    z = (best - mean) / deviation
    below = 1.0 / (1.0 + np.exp(-np.clip(1.702 * z, -30.0, 30.0)))
    density = 0.3989 * np.exp(-0.5 * z * z)
    result: Array = (best - mean) * below + deviation * density
    return result
