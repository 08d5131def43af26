"""The one protocol of all search techniques, and the base of those shipped here.

A technique is written as a generator: `scores = yield positions`. The base runs it: hands its positions out
one by one, never twice, answers from memory what is known already, and restarts it when the generator ends.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from heapq import nsmallest
from math import trunc
from time import perf_counter
from typing import Any, Protocol, TypeAlias, runtime_checkable

from jitmdh.atf.space.path import Path, walked, walked_around
from jitmdh.atf.space.space import SearchSpace

Proposal: TypeAlias = int | Sequence[float] | Mapping[str, Any]
"""A position in the space, coordinates in (0, 1]^L (thesis 5.5), or a configuration."""

Moves: TypeAlias = Generator[Sequence[int], Sequence[float], None]
"""Yields positions to evaluate, receives their scores (infinity where invalid)."""

_PATIENCE = range(60)
_STALE = 5
_DRAWN_BELOW = 1 << 48  # a float has bits enough to draw any position below


@runtime_checkable
class Technique(Protocol):
    """What a technique has to offer (thesis 5.5: initialize, get_next_config, report_cost, finalize)."""

    def initialize(self, space: SearchSpace, seed: int) -> None:
        """Restarts, on a space."""

    def propose(self) -> Proposal:
        """What to evaluate next. May be called again before a report: a batch."""

    def report(self, position: int, score: float) -> None:
        """The score of a position, whoever proposed it; less is better, infinity is invalid."""


class SearchMemory:
    """What techniques that work together share: the scores, what is handed out, and the best so far."""

    __slots__ = ("best", "best_score", "pending", "scores")

    def __init__(self, scores: dict[int, float]) -> None:
        self.scores = scores
        self.pending: set[int] = set()
        self.best = min(scores, key=lambda p: scores[p], default=-1)
        self.best_score = scores.get(self.best, math.inf)


class Search:
    """Base of the shipped techniques: subclasses write `moves`."""

    space: SearchSpace
    random: random.Random
    clock: Callable[[], float] = staticmethod(perf_counter)
    """The tuner's, in seconds; for techniques that weigh their own time against that of evaluations."""
    prior: Sequence[Mapping[int, float]] = ()
    """Scores from elsewhere (another input size, another machine), by position here: hints, for models."""
    patience: int = _STALE
    """After how many batches without anything new `moves` is restarted."""
    waits: bool = True
    """Whether `moves` needs the scores of a batch before it can go on; if not, unknown ones are infinity."""
    ways: Mapping[int, Path | list[Any]]
    """The paths or values (in generation order) of positions yielded last, as far as known; saves walking again."""

    def initialize(
        self,
        space: SearchSpace,
        seed: int,
        known: dict[int, float] | None = None,
        memory: SearchMemory | None = None,
    ) -> None:
        """Restarts; `known` are scores from before, `memory` is shared with other techniques."""
        self.space, self.random = space, random.Random(seed)
        self.memory = memory or SearchMemory({} if known is None else known)
        self.known, self._pending = self.memory.scores, self.memory.pending
        self._queue: list[int] = []
        self._batch: Sequence[int] = ()
        self._moves: Moves | None = None
        self._unseen: list[int] | None = None
        self._stale = 0
        self.ways = {}
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """What a technique does besides when it is restarted: nothing has been proposed yet."""

    def moves(self) -> Moves:
        """The technique itself, from a fresh start to convergence."""
        raise NotImplementedError

    def propose(self) -> int:
        """A position not known yet, as long as there is one."""
        known, pending, queue = self.known, self._pending, self._queue
        for _ in _PATIENCE:
            while queue:
                position = queue.pop()
                if position not in known and position not in pending:
                    pending.add(position)
                    self._stale = 0
                    return position
            if self.waits and any(position not in known for position in self._batch):
                break  # the generator waits for reports: fill in
            queue = self._advance()
        position = self.fresh()
        pending.add(position)
        return position

    def report(self, position: int, score: float) -> None:
        """Remembers a score."""
        self.known[position] = score
        self._pending.discard(position)
        memory = self.memory
        if score < memory.best_score:
            memory.best, memory.best_score = position, score

    def _advance(self) -> list[int]:
        """The generator's next batch; it restarts at its end, or when for long it has asked only for what is known."""
        known, moves, batch = self.known, self._moves, self._batch
        self._stale += 1
        try:
            if moves is None or self._stale > self.patience:
                self._stale = 0
                moves = self._moves = self.moves()
                batch = next(moves)
            elif len(batch) == 1:
                batch = moves.send((known.get(batch[0], math.inf),))
            else:
                batch = moves.send([known.get(position, math.inf) for position in batch])
        except StopIteration:
            self._moves, batch = None, ()
        self._batch = batch
        queue = self._queue = [*batch]
        if len(queue) > 1:
            queue.reverse()
        return queue

    def located(
        self, points: Iterable[Sequence[float]], centre: Sequence[float] = (), levels: Iterable[int] = ()
    ) -> list[int]:
        """The positions at coordinates in [0, 1)^L, one per level, which are remembered with their values.

        levels: for each point the first level at which it differs from `centre`; saves walking.
        """
        root = self.space.root
        places = walked_around(root, centre, points, levels) if centre else [walked(root, point) for point in points]
        self.ways = dict(places)
        return [position for position, _ in places]

    def fresh(self) -> int:
        """A random position nobody has seen, or any position once all are seen."""
        size = self.space.size
        if self._unseen is None:
            draw = self.random.random
            for _ in range(24):
                position = trunc(draw() * size) if size < _DRAWN_BELOW else self.random.randrange(size)
                if position not in self.known and position not in self._pending:
                    return position
            if size > 1 << 20:
                return position
            self._unseen = [i for i in range(size) if i not in self.known]
            self.random.shuffle(self._unseen)
        while self._unseen:
            position = self._unseen.pop()
            if position not in self.known and position not in self._pending:
                return position
        return self.random.randrange(size)

    def best(self, count: int) -> list[int]:
        """The best known valid positions, best first."""
        valid = [(s, p) for p, s in self.known.items() if s < math.inf]
        return [p for _, p in nsmallest(count, valid)]
