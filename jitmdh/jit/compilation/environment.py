"""What the compiled code of a function rests on: for each signature, the record of what its trace read.

Records are checked when a call takes the slow path; fast calls look at the same places natively. The store keeps for
each function where its traces read (a manifest): a later process, which has traced nothing, knows where to look:

    source of the function, signature, options  ->  [places read]  ->  what is there now  ->  code
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jitmdh.base.process.signals import pass_on
from jitmdh.base.storage.store import Store
from jitmdh.jit.compilation.code_cache import Key
from jitmdh.jit.compilation.signature import Signature

if TYPE_CHECKING:
    from jitmdh.jit.compilation.options import Options
    from jitmdh.jit.compilation.pipeline import Pipeline
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.frontend.source.environment import Environment, Lookup

_MANIFESTS_KEPT = 16  # sets of places for one signature: which are read depends on what is found
_MOST_PROGRAMS = 16


class Environments:
    """For each signature of a function what its trace read, until that changes."""

    def __init__(self) -> None:
        self._of: dict[Signature, Environment] = {}

    def __getitem__(self, signature: Signature) -> Environment | None:
        return self._of.get(signature)

    def keep(self, signature: Signature, environment: Environment | None) -> bool:
        """Sets the record for a signature. Whether there was another one: code made from that is not to be used."""
        before = self._of.get(signature)
        if environment is not None:
            self._of[signature] = environment
        return before is not None and environment is not None and before.digest != environment.digest

    def hold(self) -> bool:
        return all(environment.holds() for environment in list(self._of.values()))

    def changed(self) -> list[Signature]:
        """Signatures for which another value was read than would be now; forgotten.

        Another object that is no other value, such as an equal number, changes the place only.
        """
        gone = []
        for signature, before in list(self._of.items()):
            if not before.holds():
                now = before.replay(read.path for read in before.reads)
                self._of[signature] = now
                if now.digest != before.digest:
                    gone.append(signature)
                    del self._of[signature]
        return gone

    def clear(self) -> None:
        self._of.clear()

    def places(self) -> list[tuple[str, Any, str, object]]:
        """All that fast calls have to look at."""
        watches = (watch for environment in self._of.values() for watch in environment.watches)
        found = {(w.kind, id(w.place), w.name): (w.kind, w.place, w.name, w.value) for w in watches}
        return list(found.values())


class TracedPrograms:
    """Programs of one function's calls on arrays in blocks, until something that their traces read changes: such calls
    run no code of this process, and need their program each time."""

    def __init__(self, pipeline: Pipeline, options: Options) -> None:
        self._pipeline, self._options = pipeline, options
        self._known: dict[Signature, tuple[Program, Environment, object]] = {}
        """With what was read, and of which function."""

    def program(self, function: Any, signature: Signature) -> Program:
        """As `Pipeline.program`. Equal calls get the same object."""
        known = self._known.get(signature)
        if known is not None and known[2] is function.py_func and known[1].holds():
            return known[0]
        environment = self._pipeline.environment(function, signature, self._options)
        program = self._pipeline.program(function, signature, self._options, environment, blocks=True)
        if environment is not None:
            self._known[signature] = program, environment, function.py_func
            for old in list(self._known)[:-_MOST_PROGRAMS]:
                self._known.pop(old, None)
        return program


def absent() -> object:
    """What stands in places for nothing being there."""
    from jitmdh.mdh.frontend.source.environment import ABSENT

    return ABSENT


def remember(store: Store | None, key: Key, environment: Environment | None) -> None:
    """Keeps where the trace for `key`, the key of a function without what it reads, has read, and what (as digests)."""
    if store is None or environment is None:
        return
    paths = [read.path for read in environment.reads]
    others = [m for m in _manifests(store, key) if [read.path for read in m] != paths]
    kept = [environment.reads, *others[: _MANIFESTS_KEPT - 1]]
    plain = [[[r.owner, r.kind, r.name, r.digest, r.text] for r in manifest] for manifest in kept]
    store.put(_name(key), json.dumps(plain).encode())


def recall(store: Store | None, key: Key, fresh: Environment) -> Iterator[tuple[Environment, list[str]]]:
    """What a trace would read if it is as before; with what is not as it was then, in words."""
    if store is None:
        return
    for manifest in _manifests(store, key):
        now = fresh.replay(read.path for read in manifest)
        pairs = zip(manifest, now.reads)
        yield now, [then.text for then, read in pairs if then.digest != read.digest]


def _manifests(store: Store, key: Key) -> list[list[Lookup]]:
    from jitmdh.mdh.frontend.source.environment import Lookup

    value = store.get(_name(key))
    try:
        return [[Lookup(*read) for read in manifest] for manifest in json.loads(value)] if value is not None else []
    except (TypeError, ValueError) as error:
        pass_on(error)
        return []


def _name(key: Key) -> str:
    return f"reads|{key}"
