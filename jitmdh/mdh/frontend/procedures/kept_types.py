"""States that begin as NumPy's numbers of another type than a loop gives them: which of both they are is a state, too.

s = x32[i]                         loop (s: float64, taken):              behind it: s if taken else x32[i],
while s < 1:               ->          s is a choice, `s if taken             each in its own type
    s = s * y64[i]                     else x32[i]`; then taken is true

Only operations whose result depends on the type ask whether it is `taken`; for all others nothing is computed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from jitmdh.base.dtype import bool_
from jitmdh.mdh.algebra.scalar import Scalar, Variable
from jitmdh.mdh.frontend.procedures.recorder import Recorder
from jitmdh.mdh.frontend.python.tracer import Tracer


class Kept:
    """Of one loop. starts: what its states are before it, in the types that they have there."""

    def __init__(
        self, t: Tracer, recorder: Recorder, node: ast.AST, starts: Mapping[str, Sequence[Scalar]],
        states: Mapping[str, Sequence[Variable]],
    ) -> None:  # fmt: skip
        self.t, self.node, self.starts, self.states = t, node, starts, states
        self._flags: dict[tuple[str, int], Variable] = {}
        for name, values in starts.items():
            for n, (value, state) in enumerate(zip(values, states[name])):
                if any(not v.type.is_weak and v.type != state.type for v in t.trace.graph.kept(value)):
                    flag = self._flags[name, n] = recorder.variable("taken", bool_)
                    t.trace.graph.alternative(state, flag, state, value)

    @property
    def flags(self) -> list[Variable]:
        """The states that are added."""
        return list(self._flags.values())

    def taken(self, name: str, ends: Sequence[Scalar]) -> list[Scalar]:
        """What the flags of a name are after an iteration."""
        return [self._taken(name, n, ends[n]) for name_, n in self._flags if name_ == name]

    def _taken(self, name: str, n: int, end: Scalar) -> Scalar:
        t, state = self.t, self.states[name][n]
        if end is state:
            return self._flags[name, n]
        arms = t.trace.graph.choices.get(id(end))
        if end is not self.starts[name][n] and arms is None:
            if not end.type.is_weak and end.type != state.type:
                reason = f"it is {end.type} or {state.type}, depending on the data"
                t.error(self.node, f"the type of `{name}` changes in the loop", reason, "convert it before the loop")
            return t.arithmetic.cast(t.arithmetic.literal(True), bool_)
        if end is self.starts[name][n] or arms is None:
            return t.arithmetic.cast(t.arithmetic.literal(False), bool_)
        then, otherwise = (self._taken(name, n, arm) for arm in arms[1:])
        first = t.arithmetic.both(arms[0], then)
        second = t.arithmetic.both(t.arithmetic.negated(arms[0]), otherwise)
        return t.arithmetic.cast(t.arithmetic.either(first, second), bool_)

    def behind(self, after: Mapping[str, Sequence[Variable]], flags: Sequence[Scalar]) -> None:
        """What the states are behind the loop, where the flags are `flags`."""
        for (name, n), flag in zip(self._flags, flags):
            self.t.trace.graph.alternative(after[name][n], flag, after[name][n], self.starts[name][n])
