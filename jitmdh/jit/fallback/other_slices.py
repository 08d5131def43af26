"""Calls whose slices do what compiled code does not expect: run beyond the end, count from it, or are empty.

    x[0:n]      with n ≤ x.shape[0], as code assumes     ->     for n > x.shape[0], code for x[0:x.shape[0]]

That a slice is so in a call is part of the signature of the code for such calls (`Signature.otherwise`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jitmdh.base.errors import MdhError
from jitmdh.jit.compilation.fault import CompilerFault
from jitmdh.jit.compilation.signature import Detour, Prepared, Signature
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal, failing, sizes_of

_MOST_ROUNDS = 8  # what one slice does, another may follow from
_MOST_PROGRAMS = 16


class OtherSlices:
    """Of one function. trace: the program of such calls."""

    def __init__(self, trace: Callable[[Prepared], Program]) -> None:
        self._trace = trace
        self._programs: dict[Signature, Program | None] = {}
        self.any = False

    def found(self, prepared: Prepared) -> Prepared | None:
        """A call that code does not cover, with what its slices do known; None where that is not why, or no help."""
        known = set(prepared.signature.otherwise)
        for _ in range(_MOST_ROUNDS):
            try:
                program = self._program(prepared)
                sizes = {} if program is None else sizes_of(program, prepared.arguments)
            except (FallbackSignal, MdhError):
                return None
            if program is None:
                return None
            places = {c.place for c in failing(program, sizes) if c.place}
            if not places:
                break
            known |= places
            prepared = replace(prepared, signature=replace(prepared.signature, otherwise=tuple(sorted(known))))
        self.any = self.any or bool(known)
        return prepared

    def forget(self) -> None:
        self._programs.clear()

    def _program(self, prepared: Prepared) -> Program | None:
        """The program of such calls, if any check of it is about a slice. Errors as of tracing."""
        signature = prepared.signature
        if signature not in self._programs:
            if len(self._programs) >= _MOST_PROGRAMS:
                self._programs.pop(next(iter(self._programs)))
            self._programs[signature] = None
            try:
                program = self._trace(prepared)
            except (MdhError, Detour, CompilerFault):
                return None
            self._programs[signature] = program if any(c.place for c in program.checks) or signature.otherwise else None
        return self._programs[signature]
