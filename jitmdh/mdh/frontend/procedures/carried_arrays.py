"""Loops of procedures in whose iterations names get new arrays.

for _ in range(n):                     kept[:] = u
    new = step(u)                      loop:
    if abs(new - u).max() < eps:   ->      new = step(kept)
        break                              left = abs(new - kept).max() < eps
    u = new                                kept[:] = kept if left else new

As outside of procedures (`python/iteration/new_arrays.py`), this is the same where nobody can tell the arrays from each
other; what a name stands for at the end of an iteration is copied.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from jitmdh.mdh.algebra.scalar import Instruction, Put, instructions
from jitmdh.mdh.frontend.procedures.recorder import Recorder
from jitmdh.mdh.frontend.python.array_expressions import is_array, lazy, materialised, once, store
from jitmdh.mdh.frontend.python.iteration.new_arrays import after_loop, is_known, require_apart
from jitmdh.mdh.frontend.python.tracer import Joined, Lazy, Poison, SymbolicValue, Tracer
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect


class Carrier:
    """Of one loop.

    names: those that stand for other arrays after an iteration; kept: the arrays that these have instead; before: what
    they stood for before the loop; known: the buffers that were there; others: those of them that a name may stand for
    after an iteration.
    """

    def __init__(self, t: Tracer, recorder: Recorder, node: ast.For | ast.While) -> None:
        self.t, self.recorder, self.node = t, recorder, node
        self.names: set[str] = set()
        self.kept: dict[str, SymbolicValue] = {}
        self.before: dict[str, SymbolicValue] = {}
        self.known: set[str] = set()
        self.others: dict[str, frozenset[str]] = {}

    def begin(self) -> None:
        """In front of the loop."""
        t = self.t
        self.before = {name: t.env[name] for name in sorted(self.names)}
        self.kept = {n: materialised(t, self.node, lazy(t, self.node, v), n) for n, v in self.before.items()}
        t.env.update(self.kept)
        self.known = set(t.trace.buffers)

    def end(self, body: Sequence[Instruction]) -> None:
        """At the end of an iteration, whose instructions these are."""
        t = self.t
        own = {name: self._view(array) for name, array in self.kept.items()}
        written = {i.buffer for i in instructions(tuple(body)) if isinstance(i, Put)}
        new: dict[str, Lazy] = {}
        for name, array in self.kept.items():
            value = t.env[name]
            if value is array or value == array:
                continue
            if isinstance(value, Poison):
                t.poisoned(self.node, value)
            if not is_array(t, value):
                t.error(self.node, f"`{name}` is an array, and a number after an iteration", hint="use another name")
            new[name] = self._fitting(name, lazy(t, self.node, value), lazy(t, self.node, array))
        for name in new:
            if own[name] in written or not written.isdisjoint(lazy(t, self.node, self.before[name]).seen_through):
                self._refuse(name, "the one of before is written, too")
            self.others[name] = new[name].seen_through & self.known - set(own.values())
            if any(own[n] in new[name].seen_through for n in own.keys() - {name}):  # they pass arrays on
                every = (b for v in self.before.values() for b in lazy(t, self.node, v).seen_through)
                self.others[name] |= {b for b in every if is_known(t, self.node, b)}
            if not written.isdisjoint(self.others[name]):
                self._refuse(name, "it is one that others know, and that is written")
        require_apart(t, self.node, new)
        values = {n: once(t, self.node, v) for n, v in new.items()} if len(new) > 1 else new
        for name, value in values.items():
            store(t, self.node, lazy(t, self.node, self.kept[name]), value)
        t.env.update(self.kept)

    def _fitting(self, name: str, new: Lazy, before: Lazy) -> Lazy:
        if isinstance(new, Joined):
            self._refuse(name, "it is one that others know, too")
        if len(new.shape) != len(before.shape):
            self._refuse(name, f"it has {len(before.shape)} axes before, and {len(new.shape)} then")
        if new.type != before.type:
            self._refuse(name, f"it is of {before.type} before, and of {new.type} then")
        if any(a != b and has_indirect(a, b) for a, b in zip(new.shape, before.shape)):
            self._refuse(name, "it may have another length then")
        return new

    def behind(self) -> None:
        """What the names stand for behind the loop."""
        for name, array in self.kept.items():
            self.t.env[name] = after_loop(
                self.t, self.node, self.before[name], array, None, self.others.get(name, frozenset())
            )  # fmt: skip

    def _view(self, array: SymbolicValue) -> str:
        view = lazy(self.t, self.node, array).view
        assert view is not None
        return view.buffer

    def _refuse(self, name: str, reason: str) -> NoReturn:
        hint = "copy elements instead of names"
        self.t.error(self.node, f"`{name}` stands for another array after an iteration", reason, hint)
