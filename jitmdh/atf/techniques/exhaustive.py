"""All configurations, in order."""

from __future__ import annotations

from jitmdh.atf.search.protocol import Search


class Exhaustive(Search):
    """Finds the provably best configuration, if time allows (thesis 5.5)."""

    def begin(self, seed: int) -> None:
        """Begins at the first configuration."""
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
