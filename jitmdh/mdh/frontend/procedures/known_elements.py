"""Elements that have been read or written already where they are read: they have a value, and no access is recorded.

    if h[l] < h[r]:                      t = h[l]                    with t in place of the other two: a recurrence
        if h[l] >= most:        ->       if t < h[r]:                through memory would wait for each store, and each
            most = h[l]                      if t >= most: most = t  access looks at its bounds

What was recorded under a condition is known where that condition holds: the condition of the later access implies it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import field

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.scalar import Constant, Fetch, Instruction, Iterate, Operation, Put, Scalar
from jitmdh.mdh.frontend.trace_ir.trace import Trace

_LOOKED_BACK = 64
"""Instructions of a body among which one is looked for."""


@dataclass(slots=True, eq=False)
class Conditions:
    """What conditions are made of. Values of a trace are interned: they are known by identity, and kept for that."""

    around: dict[int, tuple[Scalar, Scalar]] = field(default_factory=dict)
    known: dict[int, tuple[Scalar, dict[int, Scalar]]] = field(default_factory=dict)

    def enter(self, active: Scalar, where: Scalar) -> None:
        """A loop is entered where `where` holds; in it `active` is whether a point is still in it."""
        self.around[id(active)] = active, where

    def parts(self, condition: Scalar) -> dict[int, Scalar]:
        """What all holds where `condition` does."""
        found = self.known.get(id(condition))
        if found is None:
            found = self.known[id(condition)] = condition, dict(self._parts(condition))
        return found[1]

    def _parts(self, condition: Scalar) -> list[tuple[int, Scalar]]:
        match condition:
            case Constant(value) if value:
                return []
            case Operation("and", operands):
                return [part for o in operands for part in self.parts(o).items()]
            case Operation("cast", (operand,)) if operand.type.kind == "b":
                return list(self.parts(operand).items())
        outside = self.around.get(id(condition))
        own = (id(condition), condition)
        return [own] if outside is None else [own, *self.parts(outside[1]).items()]

    def imply(self, one: Scalar, other: Scalar) -> bool:
        """Whether `other` is known to hold where `one` does."""
        return one is other or self.parts(other).keys() <= self.parts(one).keys()


def known_element(
    trace: Trace, bodies: Sequence[list[Instruction]], conditions: Conditions, written: bool, buffer: str,
    index: tuple[Scalar, ...], where: Scalar,
) -> Scalar | None:  # fmt: skip
    """The value of `buffer[index]` where `where` holds, if it has been read or written, and nothing of its array since.

    bodies: of the loops that are being recorded, the innermost last; written: whether the procedure writes the array.
    Then what was known before a loop is not known in it, and behind it.
    """
    if not _has_one_name(trace, buffer):
        return None
    for body in reversed(bodies[-1:] if written else bodies):
        for instruction in reversed(body[-_LOOKED_BACK:]):
            match instruction:
                case Iterate() if written:
                    return None
                case Fetch(variable, other, its, _, condition) if other == buffer and _same(its, index):
                    if conditions.imply(where, condition):
                        return variable
                case Put(other, its, _, value, condition) if other == buffer:
                    known = _same(its, index) and conditions.imply(where, condition)
                    return value if known else None
                case Put(other) if not _has_one_name(trace, other):
                    return None
    return None


def _same(one: tuple[Scalar, ...], other: tuple[Scalar, ...]) -> bool:
    return all(map(operator.is_, one, other))


def _has_one_name(trace: Trace, buffer: str) -> bool:
    """Whether no other buffer has elements of this one: a field of records may, rows are all that is read of theirs."""
    return trace.buffers[buffer].of is None or any(buffer == view for view, _ in trace.rows.values())
