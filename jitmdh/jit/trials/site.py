"""A site: the calls of one function with the same types and sizes, and what is known of their time.

Trials are made for such calls only: code that wins there serves there, and other sizes keep what they have.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from jitmdh.hca.drivers.cpu_trial import Trial
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.signature import Prepared, Signature
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.trials.record import Record

if TYPE_CHECKING:
    from jitmdh.jit.compilation.code_cache import Key
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.mdh.algebra.expr import Program

_MOVED = 1.15
_REOPEN_SECONDS = 60.0
WATCHED_SECONDS = 1.0
"""Of calls, after which the time of a call is compared with what it was."""


class Tuned(Protocol):
    """The codes that tuning has found for a function: `jitmdh.jit.tuned_codes`."""

    def narrowed(self, wide: Specialisation, sizes: Mapping[str, int]) -> Specialisation | None: ...
    def taken_over(self, old: Specialisation, compiled: Compiled, reason: str) -> Specialisation | None: ...
    def settle(self, found: Specialisation) -> None: ...
    def for_class(self, general: Specialisation, compiled: Compiled) -> bool: ...


class TriedCodes(Protocol):
    """All codes of a function: `jitmdh.jit.specialisations`."""

    sites: dict[Any, Any]
    general: dict[Any, Any]

    @property
    def tuned(self) -> Tuned: ...
    def in_force(self, signature: Signature, sizes: Mapping[str, int]) -> Specialisation | None: ...
    def program(self, found: Specialisation) -> Program: ...
    def key(self, signature: Signature) -> Key: ...
    def of(self, signature: Signature) -> tuple[Specialisation, ...]: ...
    def signatures(self) -> list[Signature]: ...


class TriedFunction(Protocol):
    """A decorated function, as far as trials need it."""

    options: Options
    record: Record

    @property
    def codes(self) -> TriedCodes: ...
    @property
    def full_name(self) -> str: ...
    @property
    def parameter_names(self) -> tuple[str, ...]: ...
    def prepared(self, arguments: tuple[Any, ...]) -> Prepared: ...
    def select(self, prepared: Prepared) -> tuple[Specialisation, Prepared, bool]: ...


class Site:
    """`specialisation` is the code in force, for these calls alone. done: nothing is searched (any more)."""

    def __init__(self, function: TriedFunction, specialisation: Specialisation, done: bool = False) -> None:
        self.function, self.specialisation, self.done = function, specialisation, done
        self.name = call_name(specialisation)
        self._claims: dict[str, object] = {}
        self._usual: float | None = None
        self._reopened = float("-inf")
        self.spent_seconds = 0.0
        every.add(self)

    @property
    def searching(self) -> bool:
        """Whether somebody has claimed it."""
        return bool(self._claims)

    def claim(self, claimant: object) -> bool:
        """Whether the claimant, and nobody else, is to have it searched. A signal may come anywhere: it is known whose
        the claim is, so it can be released whether or not this has returned."""
        return self._claims.setdefault("by", claimant) is claimant

    def pass_on(self, claimant: object, heir: object) -> bool:
        """From now on the claim is another's. False: it is not the claimant's any more."""
        if self._claims.get("by") is not claimant:
            return False
        self._claims["by"] = heir
        return True

    def release(self, claimant: object = None) -> bool:
        """Whoever has claimed it; with a claimant, only if that one has. Whether it did."""
        if claimant is not None and self._claims.get("by") is not claimant:
            return False
        return self._claims.pop("by", None) is not None

    @property
    def watch(self) -> Trial | None:
        plan = self.specialisation.plan
        return None if plan is None else plan.trial

    @property
    def in_force(self) -> bool:
        """Whether calls still run this code: nobody has tuned, changed the function or the number of threads."""
        found = self.specialisation
        return self.function.codes.in_force(found.signature, sizes_of(found)) is found

    def follow(self) -> None:
        """The code that calls run now is that of the site. A thread that searched may have changed it, and been stopped
        before it said so: the parent's in the child of a fork."""
        known = self.specialisation
        self.specialisation = self.function.codes.in_force(known.signature, sizes_of(known)) or known

    def moved(self, now: float) -> bool:
        """Looks at what calls take: whether it is so different from what it was that all is open again."""
        watch = self.watch
        found = None if watch is None else watch.recent_ns()
        if found is None:
            return False
        before = self._usual
        if before is None:
            self._usual = found
            return False
        if max(found / before, before / found) <= _MOVED or now - self._reopened < _REOPEN_SECONDS:
            return False
        self._usual, self._reopened = None, now
        return True

    @property
    def reopened(self) -> bool:
        """Whether it is searched because its calls have moved, not for the first time."""
        return self._reopened > float("-inf")

    def start_again(self, seconds: float) -> None:
        """Nobody searches: after so much time in calls this may be worth looking at."""
        watch = self.watch
        self.release()
        if watch is not None:
            watch.notice_at(watch.spent_seconds + seconds)

    def settle(self) -> None:
        """From now on calls take what they take."""
        self.done, self._usual = True, None


every: weakref.WeakSet[Site] = weakref.WeakSet()
"""The sites of this process."""


def sizes_of(found: Specialisation) -> dict[str, int]:
    """The sizes that code for one call only is for."""
    return {c.size: c.least for c in found.compiled.conditions}


def call_name(found: Specialisation) -> str:
    """The calls that code serves, in words: types, sizes, threads."""
    sizes = ", ".join(f"{c.size} = {c.least}" for c in found.compiled.conditions if c.least == c.most)
    return f"{found.signature}{f' with {sizes}' if sizes else ''}, threads = {found.threads}"
