"""Between tuner and technique: no position twice, whatever the technique proposes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from jitmdh.atf.results.shared_history import SharedHistory, Told
from jitmdh.atf.search.protocol import Proposal, Search, Technique
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.path import Path
from jitmdh.atf.space.space import SearchSpace
from jitmdh.base.errors import ArgumentTypeError

_TRIES = 50


class Proposer:
    """Asks the technique; answers repeated proposals from memory; fills in when it has nothing new."""

    def __init__(
        self,
        space: SearchSpace,
        technique: Technique,
        seed: int,
        known: dict[int, float],
        first: Sequence[int],
        clock: Callable[[], float] = perf_counter,
        prior: Sequence[Mapping[int, float]] = (),
    ) -> None:
        self.space, self.technique, self.known = space, technique, known
        self._first = [p for p in reversed(list(dict.fromkeys(first))) if p not in known]
        self._size = space.size
        self._propose = technique.propose
        self.report: Callable[[int, float], None] = self._passed_on
        """Passes a score on."""
        if isinstance(technique, Search):
            technique.clock, technique.prior = clock, prior
            technique.initialize(space, seed, known)
            self._fresh: Search = technique
            self.report = technique.report
        else:
            technique.initialize(space, seed)
            for position, score in known.items():
                technique.report(position, score)
            self._fresh = Search()
            self._fresh.initialize(space, random.Random(seed).getrandbits(32), known)
        self.pending = self._fresh.memory.pending
        self._left: set[int] = set()

    def exhausted(self) -> bool:
        """Whether every configuration is known."""
        return len(self.known) >= self._size

    def configuration(self) -> Configuration | None:
        """One that is neither known nor handed out; None if there is none."""
        pending = self.pending
        handed_out = len(pending)
        if len(self.known) + handed_out >= self._size and self._none_left():
            return None
        if self._first and (wanted := self._next_first()) >= 0:
            return self.space.configuration(wanted)
        proposal = self._propose()
        # The shipped techniques check and note what they propose.
        position: int = proposal if len(pending) > handed_out else self._checked(proposal)  # type: ignore[assignment]
        way = self._fresh.ways.get(position)
        if way is None:
            return self.space.configuration(position)
        return self.space.configuration_of(way.values if type(way) is Path else way, position)

    def shared(self, history: SharedHistory, told: Told) -> Configuration | None:
        """The same where other processes propose, too, and write what they do to one file: one that none of them is
        known to measure or to have measured."""
        while True:
            self._leave(history.hear(told))
            found = self.configuration()
            if found is None and self._left:
                history.forget_begun()
                self._leave(set())
                found = self.configuration()
            if found is None or (history.begin(found.index, told) and found.index not in self.known):
                return found

    def _leave(self, others: set[int]) -> None:
        """To other processes, what they measure now."""
        self.pending -= self._left - others
        self.pending |= others
        self._left = others

    def hear(self, position: int, score: float) -> None:
        """Passes on what was measured elsewhere: it took no time here."""
        if isinstance(self.technique, Search):
            Search.report(self.technique, position, score)
        else:
            self.report(position, score)

    def _none_left(self) -> bool:
        return len(self.known.keys() | self.pending) >= self._size

    def _next_first(self) -> int:
        """What the user wants to begin with; -1 once that is done."""
        while self._first:
            position = self._first.pop()
            if position not in self.known and position not in self.pending:
                self.pending.add(position)
                return position
        return -1

    def _checked(self, proposal: Proposal) -> int:
        """The proposal's position if it is new; else what the technique proposes after it has heard its score."""
        handed_out = len(self.pending)
        for _ in range(_TRIES):
            position = self._position(proposal)
            if position not in self.pending:
                if position not in self.known:
                    break
                self.technique.report(position, self.known[position])
            proposal = self._propose()
            if len(self.pending) > handed_out:
                return proposal  # type: ignore[return-value]
        else:
            position = self._fresh.fresh()
        self.pending.add(position)
        return position

    def _passed_on(self, position: int, score: float) -> None:
        self.pending.discard(position)
        self.technique.report(position, score)

    def _position(self, proposal: Proposal) -> int:
        if isinstance(proposal, int):
            if 0 <= proposal < self.space.size:
                return proposal
        elif isinstance(proposal, Mapping):
            return self.space.index(proposal)
        elif isinstance(proposal, Sequence) and len(proposal) == len(self.space.names):
            return self.space.index_at(proposal)
        raise ArgumentTypeError(
            f"the search technique {type(self.technique).__name__} proposed {proposal!r}",
            hint=f"propose a position below {self.space.size}, {len(self.space.names)} coordinates "
            "in (0, 1], or a configuration",
        )
