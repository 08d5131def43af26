"""Codes that tuning has found: each is for the very calls that it was measured in, and for their number of threads.

Other sizes keep what they had. The store remembers them by signature and number of threads.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import ConfigurationError, MdhError
from jitmdh.base.settings import config
from jitmdh.jit.cluster import peers
from jitmdh.jit.compilation import code_cache
from jitmdh.jit.compilation.code_cache import Key
from jitmdh.jit.compilation.compiled import Condition, narrower
from jitmdh.jit.compilation.pipeline import compile_lock, ranges_of
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation

if TYPE_CHECKING:
    from jitmdh.base.storage.store import Store
    from jitmdh.hca.drivers.cpu_entry import CallTable
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.jit.compilation.pipeline import Pipeline
    from jitmdh.jit.compilation.signature import Signature
    from jitmdh.mdh.algebra.expr import Program

_MOST = 16  # that are loaded for a signature, those found last


class CodesWithTable(Protocol):
    """What is needed of `Specialisations`."""

    table: CallTable | None

    @property
    def store(self) -> Store | None: ...
    @property
    def tunable(self) -> bool: ...
    @property
    def full_name(self) -> str: ...
    def of(self, signature: Signature) -> tuple[Specialisation, ...]: ...
    def signatures(self) -> list[Signature]: ...
    def key(self, signature: Signature) -> Key: ...
    def in_force(self, signature: Signature, sizes: Mapping[str, int]) -> Specialisation | None: ...
    def put(self, found: Specialisation) -> None: ...
    def drop(self, found: Specialisation) -> None: ...
    def exchange(self, old: Specialisation, new: Specialisation) -> None: ...
    def here(self, compiled: Compiled) -> Compiled: ...
    def remembered(self, signature: Signature, compiled: Compiled, key: Key) -> Specialisation: ...
    def reinstall(self) -> None: ...
    def program(self, found: Specialisation) -> Program: ...


class TunedCodes:
    """Of one function."""

    def __init__(self, codes: CodesWithTable) -> None:
        self._codes = codes
        self._brought: set[tuple[Signature, int]] = set()

    def adopt(self, found: Specialisation) -> None:
        """What `f.tune` has found serves the calls of its sizes from now on, here and in later processes."""
        codes = self._codes
        with compile_lock:
            if found in codes.of(found.signature):
                return  # it does already
            if any(c.least != c.most for c in found.compiled.conditions):
                raise ConfigurationError("code was tuned for one call, but is meant for others")
            found = replace(found, compiled=codes.here(found.compiled), threads=threads_now(), settled=True)
            self._keep(found)
            codes.put(found)
            _follow_threads(self)
            codes.reinstall()

    def _keep(self, found: Specialisation) -> None:
        assert found.threads is not None
        key = self._codes.key(found.signature).tuned(found.threads)
        code_cache.remember(self._codes.store, key, self._codes.full_name, found.compiled, found.settled)
        peers.offer(key, found.compiled)

    def bring(self, signature: Signature) -> None:
        """Loads what was found for other calls of a signature, here or by peers, once: those go by natively then."""
        codes, threads = self._codes, threads_now()
        if not codes.tunable or (signature, threads) in self._brought:
            return
        self._brought.add((signature, threads))
        key = codes.key(signature).tuned(threads)
        known = {s.compiled.conditions for s in codes.of(signature) if s.threads == threads}
        for compiled in (*code_cache.recall_all(codes.store, key, _MOST), *peers.known(key)):
            if compiled.conditions not in known:
                known.add(compiled.conditions)
                with suppress(MdhError, KeyError):
                    codes.put(codes.remembered(signature, compiled, key))
        _follow_threads(self)

    def remade(self, found: Specialisation, function: Any, pipeline: Pipeline, arguments: tuple[Any, ...]) -> bool:
        """Whether there is code now with the configuration that was chosen for such calls before code was forgotten.

        found: what was just made for this call.
        """
        codes = self._codes
        if found.remembered or found.compiled.code is None or not codes.tunable:
            return False
        from jitmdh.jit.online.remembered import remembered
        from jitmdh.jit.online.wisdom import knowledge_of

        key = codes.key(found.signature)
        compiled = remembered(knowledge_of(codes.store), key, function, pipeline, function.options, found, arguments)
        if compiled is not None:
            self.adopt(launch.load(found.signature, compiled))
        return compiled is not None

    def forget(self, signature: Signature) -> None:
        """The function has changed."""
        self._brought = {brought for brought in self._brought if brought[0] != signature}

    def threads_changed(self) -> None:
        """Codes tuned with another number of threads step back."""
        with compile_lock:
            for signature in self._codes.signatures():
                self.bring(signature)
            if any(s.threads is not None for signature in self._codes.signatures() for s in self._codes.of(signature)):
                self._codes.reinstall()

    # ------------------------------------------------------------------------------------------ while it runs

    def narrowed(self, wide: Specialisation, sizes: Mapping[str, int]) -> Specialisation | None:
        """The code of `wide` once more, for calls of these sizes: what is tried there concerns no others.

        None if other code serves these calls by now.
        """
        names = [c.size for c in wide.compiled.conditions if c.size in sizes]
        names = names or list(ranges_of(self._codes.program(wide), sizes))
        conditions = tuple(Condition(name, sizes[name], sizes[name]) for name in names)
        with compile_lock:
            if self._codes.in_force(wide.signature, sizes) is not wide:
                return None
            loaded = launch.load(wide.signature, replace(wide.compiled, conditions=conditions), wide.remembered)
            made = replace(loaded, threads=threads_now())
            self._codes.put(made)
            _follow_threads(self)
            self._codes.reinstall()
            return made

    def for_class(self, general: Specialisation, compiled: Compiled) -> bool:
        """Code for a class of sizes, made while `general` served it, is what such calls run, those too that have had
        the code of `general` for themselves and nothing better since; False if it comes too late."""
        codes = self._codes
        made = launch.load(general.signature, codes.here(compiled))
        with compile_lock:
            present = codes.of(general.signature)
            if general not in present:
                return False
            for known in present:
                copied = known.threads is not None and known.compiled.code == general.compiled.code
                if copied and narrower(known.compiled.conditions, made.compiled.conditions):
                    codes.drop(known)
            code_cache.remember(codes.store, codes.key(general.signature), codes.full_name, made.compiled)
            codes.put(made)
            codes.reinstall()
            return True

    def taken_over(self, old: Specialisation, compiled: Compiled, reason: str) -> Specialisation | None:
        """Puts code that has won into the place of `old`, and keeps it; None if `old` is not in force any more."""
        configuration = {
            name: {**entry, "reasons": [reason]} if isinstance(entry, Mapping) else entry
            for name, entry in compiled.configuration.items()
        }
        conditions = old.compiled.conditions
        own = replace(compiled, conditions=conditions, configuration=configuration, program=old.compiled.program)
        made = replace(launch.load(old.signature, own), threads=old.threads)
        with compile_lock:
            if old not in self._codes.of(old.signature):
                return None
            self._codes.exchange(old, made)
        self._keep(made)
        return made

    def settle(self, found: Specialisation) -> None:
        """A whole search has found nothing better: later processes need not search."""
        if found in self._codes.of(found.signature):
            self._keep(replace(found, settled=True))


# ---------------------------------------------------------------------------------------------- numbers of threads

_following: weakref.WeakSet[TunedCodes] = weakref.WeakSet()
_listening: list[Callable[[], Any]] = []


def threads_now() -> int:
    """Threads that a call may use."""
    return min(config.num_threads, usable_cores())


def serves_now(specialisation: Specialisation) -> bool:
    """Whether code is for as many threads as calls use."""
    return specialisation.threads is None or specialisation.threads == threads_now()


def _follow_threads(codes: TunedCodes) -> None:
    """From now on `codes` is told when the number of threads changes."""
    _following.add(codes)
    if not _listening:
        _listening.append(_tell)
        config.listen("num_threads", _tell)


def _tell() -> None:
    for codes in list(_following):
        codes.threads_changed()


__all__ = ["TunedCodes", "serves_now", "threads_now"]
