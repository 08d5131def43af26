"""What is known of a call's configurations, as a search sees it: points that have a cost, and points to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.code_cache import versions
from jitmdh.jit.online.candidate import Outcome
from jitmdh.jit.online.knowledge import Knowledge, Observation, Subject, digest_of, evaluated
from jitmdh.jit.search.spaces import Spaces

if TYPE_CHECKING:
    from jitmdh.atf.tuning.tuner import Tuner
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.mdh.lowering.nest.space import Value


_MOST_AGAIN = 8


@dataclass(frozen=True, slots=True)
class WarmStart:
    """model: the model's configuration of all computations, as plain data.

    moved: calls take a different time than before, so what was good is looked at again.
    """

    knowledge: Knowledge
    subject: Subject
    sizes: Mapping[str, int]
    space: Spaces
    model: Mapping[str, Any]
    moved: bool = False

    def tell(self, tuner: Tuner, unit: float) -> int:
        """Tells the tuner what earlier runs have found for calls of these sizes; of how many configurations.

        unit: the model's cost today, which others are multiples of. What another version of jitmdh has found is looked
        at again, but for what must not run; and so is what was promising when its process ended.
        """
        from jitmdh import atf

        bad, told, again = self.knowledge.quarantined(self.subject), 0, self._again()
        for e in self.knowledge.times(self.subject, self.sizes).values():
            point = self._point(e)
            if not e.values or point is None or e.digest in again or (e.code != versions() and e.digest not in bad):
                continue
            if e.digest in bad or e.ratio is None:
                tuner.tell(point, atf.invalid(e.reason or "it must not run"))
            else:
                tuner.tell(point, e.ratio * unit)
            told += 1
        return told

    def _again(self) -> set[str]:
        """What is to be looked at once more."""
        return {e.digest for e in (*self.knowledge.undecided(self.subject, self.sizes), *self.renewed())}

    def decided(self, values: Mapping[str, Value]) -> Observation | None:
        """What is known of a configuration at these sizes, if nothing asks for another look."""
        digest = digest_of(self._configuration(values))
        known = self.knowledge.times(self.subject, self.sizes).get(digest)
        return None if known is None or known.code != versions() or digest in self._again() else known

    def guesses(self) -> list[dict[str, Any]]:
        """Points to begin with: promising ones, then those that were good at other sizes, elsewhere, or otherwise."""
        found = [*self.renewed(), *self.knowledge.undecided(self.subject, self.sizes)[:_MOST_AGAIN]]
        found += self.knowledge.first_guesses(self.subject, self.sizes)
        return [point for e in found if (point := self._point(e)) is not None]

    def renewed(self) -> list[Observation]:
        """Where calls take a different time than before: the best of what is known, the fastest first."""
        if not self.moved:
            return []
        bad, chosen = self.knowledge.quarantined(self.subject), self.knowledge.chosen(self.subject, self.sizes)
        bad |= {chosen.digest} if chosen is not None else set()
        known = self.knowledge.times(self.subject, self.sizes).values()
        good = [(e.ratio, e) for e in known if e.ratio is not None and e.digest not in bad]
        return [e for _, e in sorted(good, key=lambda found: found[0])[:_MOST_AGAIN]]

    def _point(self, e: Observation) -> dict[str, Any] | None:
        """The point of the tuner's space at which an evaluation was made; None if there is no such point today."""
        if not set(e.values) <= set(self.space.parameters):
            return None
        point = dict(self.space.first)
        for name, value in e.values.items():
            parameter = self.space.parameters[name]
            if value not in parameter.values:
                return None
            point[name] = parameter.values.index(value) if parameter.ordered else value
        return point

    def remember(
        self,
        values: Mapping[str, Value],
        outcome: Outcome,
        seconds: float | None,
        reference_seconds: float | None,
        where: str,
        reason: str = "",
    ) -> None:
        """Writes down what has become of a candidate; of what is not legal, nothing.

        seconds: of a call; None: there are none for the reason given. reference_seconds: of the model's code.
        """
        changes = self.space.changes(values)
        if outcome.compiled is not None:
            found = evaluated(outcome.compiled, changes, self.sizes)
        elif outcome.verdict.quarantined:
            found = Observation(self._configuration(values), changes, dict(self.sizes))
        else:
            return
        bad = outcome.verdict.quarantined or seconds is None
        reference = None if seconds is None else reference_seconds
        self.knowledge.record(
            self.subject,
            replace(found, seconds=seconds, reference_seconds=reference, where=where, reason=reason, quarantined=bad),
        )

    def claim(self, values: Mapping[str, Value]) -> float | None:
        """None: a candidate is for this process. Else another is at it, or has been: its time.

        As a multiple of the model's; infinity: it is not known yet, or there is none.
        """
        configuration = self._configuration(values)
        known = self.knowledge.times(self.subject, self.sizes).get(digest_of(configuration))
        if known is not None and any(e.digest == known.digest for e in self.renewed()):
            return None
        if known is None and self.knowledge.claim(self.subject, configuration):
            return None
        return inf if known is None or known.ratio is None or known.quarantined else known.ratio

    def choose(self, values: Mapping[str, Value], compiled: Compiled | None, ratio: float) -> None:
        """Writes down that a candidate serves calls of these sizes from now on, in so many times the model's time.

        compiled: its code, if it was made for this search.
        """
        changes = self.space.changes(values)
        if compiled is not None:
            found = evaluated(compiled, changes, self.sizes)
        else:
            found = Observation(self._configuration(values), changes, dict(self.sizes))
        found = replace(found, seconds=ratio, reference_seconds=1.0, where="calls", chosen=True)
        self.knowledge.record(self.subject, found)

    def _configuration(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """The configuration of all computations that values stand for, as plain data, where there is no code of it."""
        from jitmdh.mdh.lowering.schedule import plain

        proposal = self.space.configurations(values)
        assert not isinstance(proposal, str), "what is not legal has not run"
        names = list(self.model)
        base = self.model if proposal.joined is None else self.space.chosen(values).configuration()
        return {**base, **{names[number]: plain(c) for number, c in proposal.configurations.items()}}


__all__ = ["WarmStart"]
