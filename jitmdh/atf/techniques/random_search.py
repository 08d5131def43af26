"""Uniform random sampling without repetition."""

from __future__ import annotations

from jitmdh.atf.search.protocol import Search


class RandomSearch(Search):
    """Every configuration not seen yet is equally likely."""

    def propose(self) -> int:
        """A position nobody has seen."""
        position = self.fresh()
        self._pending.add(position)
        return position
