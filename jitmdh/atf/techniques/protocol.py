"""The one protocol of all search techniques, and the base of those shipped here.

A technique is written as a generator: `scores = yield positions`. The base runs it: hands its positions out
one by one, never twice, answers from memory what is known already, and begins anew when the generator ends.
"""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from jitmdh.atf.space import SearchSpace

Proposal: TypeAlias = int | Sequence[float] | Mapping[str, Any]
"""A position in the space, coordinates in (0, 1]^L (thesis 5.5), or a configuration."""

Moves: TypeAlias = Generator[Sequence[int], Sequence[float], None]
"""Yields positions to evaluate, receives their scores (infinity where invalid)."""

_PATIENCE = 60


@runtime_checkable
class Technique(Protocol):
    """What a technique has to offer (thesis 5.5: initialize, get_next_config, report_cost, finalize)."""

    def initialize(self, space: SearchSpace, seed: int) -> None:
        """Begins anew on a space."""

    def propose(self) -> Proposal:
        """What to evaluate next. May be called again before a report: a batch."""

    def report(self, position: int, score: float) -> None:
        """The score of a position, whoever proposed it; less is better, infinity is invalid."""


class Search:
    """Base of the shipped techniques: subclasses write `moves`."""

    space: SearchSpace
    random: random.Random

    def initialize(self, space: SearchSpace, seed: int, known: dict[int, float] | None = None) -> None:
        """Begins anew; `known` may be shared with other techniques."""
        self.space, self.random = space, random.Random(seed)
        self.known: dict[int, float] = {} if known is None else known
        self._pending: set[int] = set()
        self._queue: list[int] = []
        self._batch: Sequence[int] = ()
        self._moves: Moves | None = None
        self._unseen: list[int] | None = None

    def moves(self) -> Moves:
        """The technique itself, from a fresh start to convergence."""
        raise NotImplementedError

    def propose(self) -> int:
        """A position not known yet, as long as there is one."""
        for _ in range(_PATIENCE):
            while self._queue:
                position = self._queue.pop()
                if position not in self.known and position not in self._pending:
                    self._pending.add(position)
                    return position
            if not all(map(self.known.__contains__, self._batch)):
                break  # the generator waits for reports: fill in
            self._advance()
        position = self.fresh()
        self._pending.add(position)
        return position

    def report(self, position: int, score: float) -> None:
        """Remembers a score."""
        self.known[position] = score
        self._pending.discard(position)

    def _advance(self) -> None:
        if self._moves is None:
            self._moves, self._batch = self.moves(), ()
            answer = None
        else:
            answer = [self.known[position] for position in self._batch]
        try:
            self._batch = self._moves.send(answer) if answer is not None else next(self._moves)
            self._queue = list(reversed(self._batch))
        except StopIteration:
            self._moves, self._batch = None, ()

    def fresh(self) -> int:
        """A random position nobody has seen, or any position once all are seen."""
        size = self.space.size
        if self._unseen is None:
            for _ in range(24):
                position = self.random.randrange(size)
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
        return [p for _, p in sorted(valid)[:count]]
