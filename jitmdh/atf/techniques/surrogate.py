"""Bayesian optimisation: a surrogate model predicts costs; where it expects most improvement is measured next."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, log

import numpy as np

from jitmdh.atf.regression.features import Features
from jitmdh.atf.regression.gaussian import MOST_MEASUREMENTS, Array, GaussianProcess
from jitmdh.atf.search.moves import spread_out, stepped
from jitmdh.atf.search.protocol import Moves, Search
from jitmdh.atf.space.path import mixed, path_to

_BEST, _NEAR = 5, 150  # how many of the best have their neighbours considered, and how many neighbours each
_POOL = 1200
_UNTIL, _EARLY, _LATE = 100, 8, 16
"""Below so many measurements a fit serves for so many proposals, later for more: then they lie further apart."""

_ENOUGH_OF_ITS_OWN = 40
"""From so many measurements on, those from elsewhere are left out: what is still to be found are differences of a few
percent, about which they are wrong more often than right."""

_HOPELESS = 3.0
"""Standard deviations that the best measured lies below what is expected of each candidate: where none comes nearer,
the tails of normal distributions decide what is measured next, and the model's tails are not those of the costs."""

_DRAWN = 3  # at a time, while there is too little to learn from
_TOLD_APART = 0.75  # the share of the measurements whose costs are told apart; the others are just bad


class Surrogate(Search):
    """Alternates between fitting a Gaussian process to the costs known and measuring several candidates.

    Candidates are neighbours and mixtures of the best ones, and random configurations, and those considered
    before, so that in time small spaces are known to the model as a whole. The candidate with the largest expected
    improvement is measured, then the one with the largest if the first turns out as predicted (kriging believer),
    and so on. Improvement counts from the best cost measured; where that seems out of reach of all candidates, for
    every other one from the least cost that is expected of any. Costs in the worst quarter count as equal: how bad they
    are says little about where the best ones lie. What is handed out and not yet told counts as measured with the
    result expected, so many evaluations may run at a time. Other acquisition functions (Thompson sampling, confidence
    bounds) did worse the more candidates there were.
    """

    waits = False

    def __init__(self, initial: int = 8, random_candidates: int = 60) -> None:
        self.initial, self.random_candidates = initial, random_candidates

    def begin(self, seed: int) -> None:
        """Restarts with a model that knows nothing."""
        self._features = Features(self.space)
        self._process = GaussianProcess()
        self._near: dict[int, list[int]] = {}
        self._pool: dict[int, None] = {}
        self._logarithmic = False

    def has_proposals(self) -> bool:
        """Whether the next proposal needs no fit: the initial sample, and what is left of a batch."""
        queue = self._queue
        while queue and (queue[-1] in self.known or queue[-1] in self._pending):
            queue.pop()
        return bool(queue) or self._moves is None

    def moves(self) -> Moves:
        """Never ends: the model only gets better."""
        start = [] if self.prior else spread_out(self.space, self.initial, self.random)
        self.ways = {path.position: path for path in start}
        yield [*self.best(1), *self.ways]
        while True:
            candidates = self._candidates()
            valid = sum(s < inf for s in self.known.values())
            if valid < 4 or not candidates or not self.space.choices:
                yield [self.fresh() for _ in range(_DRAWN)]
            else:
                yield self._chosen(candidates)

    def _chosen(self, candidates: list[int]) -> list[int]:
        """The candidates with the largest expected improvement."""
        seed = self.random.getrandbits(32)
        positions, targets = self._training()
        pending = sorted(self._pending)
        features, wanted = self._features.scaled(positions), self._features.scaled(candidates + pending)
        if self.prior and len(positions) < _ENOUGH_OF_ITS_OWN:
            features, targets, wanted = self._with_prior(positions, features, targets, wanted)
        targets = np.minimum(targets, np.quantile(targets, _TOLD_APART))
        spread, middle = targets.std(), targets.mean()
        targets = (targets - middle) / (spread if spread > 0 else 1.0)
        best = float(targets[: len(positions)].min())
        expected = self._process.fit(features, targets, seed).predict(wanted)
        aims = _aims(expected.mean[: len(candidates)], expected.deviation[: len(candidates)], best)
        taken = [*range(len(candidates), len(candidates) + len(pending))]
        for row in taken:
            expected.suppose(row)
        chosen: list[int] = []
        for n in range(min(_EARLY if len(positions) < _UNTIL else _LATE, len(candidates))):
            if chosen:
                expected.suppose(chosen[-1])
            merit = expected_improvement(expected.mean, expected.deviation, aims[n % len(aims)])
            merit[taken + chosen] = -inf
            chosen.append(int(np.argmax(merit)))
        return [candidates[k] for k in chosen]

    def _training(self) -> tuple[list[int], Array]:
        """The best and latest scores, invalid ones as the worst; their logarithms where all costs are positive."""
        positions = list(self.known)
        if len(positions) > MOST_MEASUREMENTS:
            half = MOST_MEASUREMENTS // 2
            kept = set(self.best(half)) | set(positions[-half:])
            positions = [p for p in positions if p in kept]
        scores = np.array([self.known[p] for p in positions])
        finite = scores[np.isfinite(scores)]
        scores = np.where(np.isfinite(scores), scores, finite.max())
        self._logarithmic = finite.min() > 0 and all(s > 0 for source in self.prior for s in source.values())
        return positions, np.log(scores) if self._logarithmic else scores

    def _with_prior(
        self, positions: list[int], features: Array, targets: Array, wanted: Array
    ) -> tuple[Array, Array, Array]:
        """Adds measurements from elsewhere, moved by the typical difference, and a feature that tells them apart.

        The scale of that feature is learned like all others: it says how far elsewhere is.
        """
        rows, costs = [features], [targets]
        room = (MOST_MEASUREMENTS - len(positions)) // len(self.prior)
        for source in self.prior if room > 0 else ():
            chosen = _typical([p for p in source if source[p] < inf], source, room)
            scores = np.array([source[p] for p in chosen])
            if not len(scores):
                continue
            if self._logarithmic:
                scores = np.log(scores)
            here = {p: t for p, t in zip(positions, targets)}
            both = [here[p] - s for p, s in zip(chosen, scores) if p in here]
            moved = np.median(both) if both else targets.mean() - scores.mean()
            rows.append(self._features.scaled(chosen))
            costs.append(scores + moved)
        elsewhere = [np.full((len(part), 1), float(k > 0)) for k, part in enumerate(rows)]
        return (
            np.hstack([np.vstack(rows), np.vstack(elsewhere)]),
            np.concatenate(costs),
            np.hstack([wanted, np.zeros((len(wanted), 1))]),
        )

    def _around(self, position: int) -> list[int]:
        """The configurations that differ in one parameter: all, or a sample where they are many."""
        rng, path = self.random, path_to(self.space.root, position)
        if sum(node.size for node in path.nodes) <= 4 * _NEAR:
            near = list(self.space.neighbour_indices(position))
            return near if len(near) <= _NEAR else rng.sample(near, _NEAR)
        return [stepped(path, self.space.choices, rng).position for _ in range(_NEAR)]

    def _candidates(self) -> list[int]:
        rng, draw, levels = self.random, self.random.random, self.space.choices
        best = self.best(8)
        found = self._pool
        for position in best[:_BEST]:
            if position not in self._near:
                self._near[position] = self._around(position)
            found.update(dict.fromkeys(self._near[position]))
        paths = [path_to(self.space.root, position) for position in best]
        if paths and levels:
            for k in range(60):
                path = paths[min(len(best) - 1, int(-2.0 * log(1.0 - draw())))]
                for _ in range(1 + k % 3):
                    path = stepped(path, levels, rng)
                found[path.position] = None
            for _ in range(30):
                path = mixed(paths[int(draw() * len(paths))], paths[int(draw() * len(paths))], rng)
                found[path.position] = None
        for _ in range(self.random_candidates):
            found[rng.randrange(self.space.size)] = None
        left = [p for p in found if p not in self.known and p not in self._pending]
        self._pool = dict.fromkeys(left[-_POOL:])
        return left[-_POOL:]


def _aims(mean: Array, deviation: Array, best: float) -> tuple[float, ...]:
    """The costs that improvement is counted from, in turn. mean, deviation: what is expected of candidates.

    A best cost that stands alone, far below all that the model expects, tells nothing about where another such is: by
    it those candidates come first about which least is known, however bad. By the least that is expected, the best do.
    """
    if float(np.max((best - mean) / deviation)) >= -_HOPELESS:
        return (best,)
    return float(mean.min()), best


def _typical(positions: list[int], scores: Mapping[int, float], count: int) -> list[int]:
    """At most `count` positions: the best third of them, and others over the whole range of scores."""
    ranked = sorted(positions, key=scores.__getitem__)
    if len(ranked) <= count:
        return ranked
    best, rest = ranked[: count // 3], ranked[count // 3 :]
    left = count - len(best)
    return best + [rest[k * len(rest) // left] for k in range(left)]


def expected_improvement(mean: Array, deviation: Array, best: float) -> Array:
    """The logarithm of the expected improvement on `best`: of E[max(best - cost, 0)].

    With x = |z|, z = (best - mean) / deviation, and Mills' ratio m(x), that is deviation * (max(z, 0) +
    phi(x) (1 - x m(x))); m(x) ~ 4 / (3 x + sqrt(x^2 + 8)) (Birnbaum) keeps it positive and in order far out, where
    all candidates are hopeless but some are more so.
    """
    z = (best - mean) / deviation
    x = np.abs(z)
    root = np.sqrt(x * x + 8.0)
    rest = (root - x) / (3.0 * x + root)  # 1 - x m(x), without cancellation
    far = -0.5 * x * x + np.log(0.3989422804 * rest)
    result: Array = np.log(deviation) + np.where(z > 0.0, np.log(x + np.exp(far)), far)
    return result
