"""Neighbours on a ring: quotients and remainders of what goes around once while a loop runs, without a division.

for i in range(n):                   size steps = k % max(n, 1)
    … x[(i + 1) % n]         ->      … x[i + 1 - n if i + 1 >= n else i + 1]
    … x[(i + k) % n]                 … x[i + steps - n if i + steps >= n else i + steps]

A division of vectors is one of each lane, and elements whose numbers are remainders are gathered; these are two runs.
"""

from __future__ import annotations

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine, is_size
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation, size_expr
from jitmdh.mdh.frontend.loops.flat_indices import Ranges, certain, extreme, sum_of
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import Trace, has_indirect


def next_to(trace: Trace, op: str, a: Scalar, b: Scalar, variables: Ranges) -> Scalar | None:
    """`a // b` or `a % b` for an index or a counter on a ring of `b`: a choice of two; None: it is no such number.

    variables: of procedures, from where to where they go where they are looked at.
    """
    x, y = sum_of(a, variables) if a.type.concrete == int64 else affine(a), affine(b)
    if x is None or y is None or has_indirect(x, y) or y.is_constant or a.type != b.type:
        return None
    ring = _Ring(trace, x, y, {name: variables[name] for name in x.names if name in variables})
    return ring.quotient(op, a, b) if ring.proves(y - 1) else None


@dataclass(frozen=True, slots=True)
class _Ring:
    """`x` on a ring of `y`, which is positive."""

    trace: Trace
    x: Affine
    y: Affine
    variables: Ranges

    def proves(self, value: Affine) -> bool:
        return certain(self.trace, value, self.variables)

    def quotient(self, op: str, a: Scalar, b: Scalar) -> Scalar | None:
        arithmetic, x, y = self.trace.arithmetic, self.x, self.y
        zero, one = arithmetic.literal(0), arithmetic.literal(1)
        if self.proves(x) and self.proves(y - 1 - x):
            return a if op == "mod" else zero
        if self.proves(x + y) and self.proves(y - 1 - x):
            before = arithmetic.apply("lt", a, zero)
            if op == "mod":
                return arithmetic.select(before, arithmetic.apply("add", a, b), a)
            return arithmetic.select(before, arithmetic.literal(-1), zero)
        turns = zero
        if not (self.proves(x) and self.proves(y * 2 - 1 - x)):
            steps = self._steps()
            if steps is None or a.type.concrete != int64:  # others may wrap around on the way
                return None
            a = self._moved(a, self._size("mod", steps) - steps)
            if op == "floordiv":
                turns = self.trace.graph.index(self._size("floordiv", steps), b.type)
        behind = arithmetic.apply("ge", a, b)
        if op == "mod":
            return arithmetic.select(behind, arithmetic.apply("sub", a, b), a)
        return arithmetic.select(behind, arithmetic.apply("add", turns, one), turns)

    def _moved(self, a: Scalar, by: Affine) -> Scalar:
        graph = self.trace.graph
        if affine(a) is not None:
            return graph.index(self.x + by, a.type)
        return self.trace.arithmetic.apply("add", a, graph.index(by, a.type))

    def _steps(self) -> Affine | None:
        """How far `x` is ahead of what goes around once, from 0 to before `y`: with their remainder, which is computed
        once, it is less than `2 * y`. None: it is no such number, or they are not known before the call."""
        domain = self.trace.domain()
        moves = self.variables.keys() | {d.name for d in domain.dims}
        moving = Affine(tuple(term for term in self.x.terms if term[0] in moves))
        least = domain.least(extreme(moving, self.variables, least=True))
        if least is None or not moving.terms:
            return None
        steps, known = self.x - moving + least, {*self.trace.definitions, *(p.name for p in self.trace.parameters)}
        if not all(is_size(name) or name in known for name in (*steps.names, *self.y.names)):
            return None
        place = self.x - steps
        return steps if self.proves(place) and self.proves(self.y - 1 - place) else None

    def _size(self, op: str, steps: Affine) -> Affine:
        """By 1 where there is nothing to go around."""
        length = SizeOperation("max", size_expr(self.y), SizeConstant(1))
        name = "turns" if op == "floordiv" else "steps"
        return self.trace.define(name, SizeOperation(op, size_expr(steps), length))
