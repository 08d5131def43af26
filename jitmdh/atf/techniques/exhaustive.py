"""All configurations, in order."""

from __future__ import annotations

from jitmdh.atf.search.protocol import Memory, Search
from jitmdh.atf.space.space import SearchSpace


class Exhaustive(Search):
    """Finds the provably best configuration, if time allows (thesis 5.5)."""

    def initialize(
        self,
        space: SearchSpace,
        seed: int,
        known: dict[int, float] | None = None,
        memory: Memory | None = None,
    ) -> None:
        """Begins at the first configuration."""
        super().initialize(space, seed, known, memory)
        self._next = 0

    def propose(self) -> int:
        """The first position not known yet."""
        for _ in range(self.space.size):
            position = self._next
            self._next = (position + 1) % self.space.size
            if position not in self.known and position not in self._pending:
                break
        self._pending.add(position)
        return position
