"""Loop unswitching of faults: what is wrong in each round of a loop, or in none, is looked at once, before the loop.

Before:   for (i = 0; i < n; i += 8) {         after:   if (0 < n) {
              const bool fault.1 = h == 0.0;                if (any(h == 0.0)) status = 7;
              store8(&y[i], x / h);                     }
              if (any(fault.1)) status = 7;             for (i = 0; i < n; i += 8) {
          }                                                 store8(&y[i], x / h);
                                                        }

So is a quotient of Python's numbers, or an exponential, that `invariant_functions` has moved out of a loop.

Requires: nothing.
Ensures: a kernel ends with the fault that it ended with: what is looked at behind something that may fail in some
rounds only stays there, and so does what leaves at once. Where a loop has no round, nothing is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import compare
from jitmdh.mdh.kernel.ir import Apply, Fail, For, If, Kernel, Let, Literal, Name, Return, Splat, Statement, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Rewriter, bound, kinds, map_bodies, map_children, statements, values

_MOST_PARTS = 64
"""Of a condition: values share parts, and are written out."""


def hoist_faults(kernel: Kernel) -> Kernel:
    return _FaultsBefore().kernel(kernel) if {Fail, For} <= kinds(kernel.body) else kernel


class _FaultsBefore(Rewriter):
    kinds = NESTED

    def statement(self, node: Statement) -> Sequence[Statement]:
        node = map_bodies(node, self.body)
        if not isinstance(node, For) or not {type(s) for s in node.body} & {Fail, If}:
            return (node,)
        before, inside = _Invariants(node).apart()
        if not before:
            return (node,)
        return If(compare("lt", node.begin, node.end), tuple(before)), replace(node, body=tuple(inside))


class _Invariants:
    """What the rounds of a loop have in common. changing: names that have other values in other rounds; fixed: names
    that do not, by what they are."""

    def __init__(self, node: For) -> None:
        self.node = node
        self.changing = {name.name for s in statements(node.body) if (name := bound(s)) is not None}
        self.changing.add(node.name.name)
        self.fixed: dict[str, Value] = {}

    def apart(self) -> tuple[list[Statement], list[Statement]]:
        """Faults that are the same in each round, up to the first that is not; and what stays."""
        before, inside = list[Statement](), list[Statement]()
        for position, statement in enumerate(self.node.body):
            moved = self.moved(statement)
            if moved is not None:
                before.append(moved)
                continue
            if not {Fail, Return}.isdisjoint(kinds((statement,))):
                inside += self.node.body[position:]
                break
            inside.append(statement)
            if isinstance(statement, Let) and (value := self.invariant(statement.value)) is not None:
                self.fixed[statement.name.name] = value
        return before, _needed(inside, set(self.fixed))

    def moved(self, statement: Statement) -> Statement | None:
        """The statement before the loop, if it only looks at faults that are the same in each round."""
        match statement:
            case Fail(condition, code, leaves=False) if code >= Status.FIRST_FAULT:
                found = self.invariant(condition)
                return None if found is None else replace(statement, condition=found)
            case If(condition, then, ()):
                found, faults = self.invariant(condition), [self.moved(s) for s in then]
                inside = tuple(s for s in faults if s is not None)
                return (
                    None
                    if found is None or len(inside) < len(then)
                    else replace(statement, condition=found, then=inside)
                )
        return None

    def invariant(self, value: Value) -> Value | None:
        """What it is, from names that are known before the loop; None: it may change, or is long."""
        parts = list(values(value))
        if len(parts) > _MOST_PARTS or not all(isinstance(p, Apply | Literal | Splat | Name) for p in parts):
            return None
        if any(isinstance(p, Name) and p.name in self.changing and p.name not in self.fixed for p in parts):
            return None
        found = self.written(value)
        return found if len(list(values(found))) <= _MOST_PARTS else None

    def written(self, value: Value) -> Value:
        if isinstance(value, Name):
            return self.fixed.get(value.name, value)
        return map_children(value, self.written)


def _needed(body: Sequence[Statement], fixed: set[str]) -> list[Statement]:
    """Without what only the faults were computed from."""
    read: set[str] = set()
    kept: list[Statement] = []
    for statement in reversed(body):
        if not isinstance(statement, Let) or statement.name.name not in fixed or statement.name.name in read:
            kept.append(statement)
            read.update(v.name for s in statements((statement,)) for v in values(s) if isinstance(v, Name))
    return kept[::-1]
