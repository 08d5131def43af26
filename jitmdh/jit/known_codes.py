"""Which codes of a function there are in memory, and which of them a call runs."""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.jit.compilation.compiled import within
from jitmdh.jit.compilation.signature import Signature
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.tuned_codes import serves_now


class KnownCodes:
    """By signature. Codes of one signature differ in the sizes they are for; those for the fewest calls come first.

    changes: how often what serves some calls has become another.
    """

    def __init__(self) -> None:
        self.by_signature: dict[Signature, tuple[Specialisation, ...]] = {}
        self.changes = 0

    def every(self) -> list[Specialisation]:
        """All codes there are; where there is one for all calls and one that is tuned, the latter."""
        every = [s for known in self.by_signature.values() for s in known if serves_now(s)]
        wide, tuned = ([s for s in every if (s.threads is None) is kind] for kind in (True, False))
        return tuned if len(tuned) == 1 and len(wide) <= 1 else wide or tuned

    def in_force(self, signature: Signature, sizes: Mapping[str, int]) -> Specialisation | None:
        """The code that a call of these sizes runs, if there is any."""
        for known in self.by_signature.get(signature, ()):
            if serves_now(known) and within(known.compiled.conditions, sizes):
                return known
        return None

    def of(self, signature: Signature) -> tuple[Specialisation, ...]:
        """The codes of a signature, those for the fewest calls first."""
        return self.by_signature.get(signature, ())

    def signatures(self) -> list[Signature]:
        return list(self.by_signature)

    def keep(self, found: Specialisation) -> None:
        """Puts a code among those of its signature, in place of one that is for the same calls."""
        calls = found.compiled.conditions, found.threads
        others = (s for s in self.of(found.signature) if (s.compiled.conditions, s.threads) != calls)
        self.by_signature[found.signature] = launch.placed(found, tuple(others))
        self.changes += 1

    def drop(self, found: Specialisation) -> None:
        """Takes a code away: what it served, others do."""
        self.by_signature[found.signature] = tuple(s for s in self.of(found.signature) if s is not found)
        self.changes += 1

    def exchanged(self, old: Specialisation, new: Specialisation) -> None:
        """Puts a code into the place of another."""
        self.by_signature[old.signature] = tuple(new if s is old else s for s in self.of(old.signature))
        self.changes += 1


__all__ = ["KnownCodes"]
