"""Subscripts that count from the end are rare: one comparison tells that a subscript is neither one nor outside.

Before:   const long i = (k < 0) ? k + n : k;           after:   long i = k;
          const bool outside = (i < 0) | (i >= n);               if ((ulong)k >= (ulong)n) {
          if (outside) leave with 7;                                 i = k + ((k < 0) ? n : 0);
          else v = x[i];                                             if ((ulong)i >= (ulong)n) leave with 7;
          const long j = (k < 0) ? k + n : k;                    }
          const bool beyond = (j < 0) | (j >= n);                v = x[i];
          if (beyond) leave with 8;                              w = x[i];
          else w = x[j];

Requires: `n` is the length of an axis, which no negative number is.
Ensures: every element that is loaded or stored, and the first fault of a function, stay what they were. What has been
found inside of an axis is not looked at again in the same block, or in those inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from jitmdh.base.dtype import bool_, int64, uint64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, Fail, If, Kernel, Let, Literal, Name, Statement, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, kinds, map_bodies, same, statements, values

_DEEPEST = 8
"""Of the operations by which two subscripts are seen to be the same number."""


def look_once(kernel: Kernel) -> Kernel:
    if not {Fail, If, Let} <= kinds(kernel.body):
        return kernel
    variables = {s.name.name for s in statements(kernel.body) if isinstance(s, Declare)}
    return _Looking(variables).kernel(kernel)


@dataclass(frozen=True, slots=True)
class _Wrapped:
    """A subscript: `value`, counted from the end, of which `end` is the length, if it is negative.

    number, size: the same, by what they are computed from; at: the place of its statement in the present body.
    """

    index: Name
    value: Value
    end: Value
    number: Value
    size: Value
    at: int


class _Looking(Rewriter):
    """variables: names whose values change; made: the values of all others; waiting: subscripts behind which nothing
    has happened so far; found: the names of those that are inside of their axes, by their numbers and sizes; inside:
    all names for them."""

    def __init__(self, variables: set[str]) -> None:
        self.variables = variables
        self.made: dict[str, Value] = {}
        self.waiting: dict[str, _Wrapped] = {}
        self.found: dict[tuple[Value, Value], Name] = {}
        self.inside: set[str] = set()

    def body(self, body: Body) -> Body:
        found, self.waiting = self.found.copy(), {}
        new: list[Sequence[Statement]] = []
        for node in body:
            if isinstance(node, Let):
                new.append((self.bound(node, len(new)),))
                continue
            if isinstance(node, If) and _leaves(node):
                new.append(self.looked_at(node, new))
            else:
                new.append((map_bodies(node, self.body) if type(node) in NESTED else node,))
            if not isinstance(node, Declare):
                self.waiting = {}
        self.found, self.waiting = found, {}
        flat = [node for part in new for node in part]
        return body if same(flat, body) else tuple(flat)

    def bound(self, node: Let, at: int) -> Let:
        """A value under a name: of a subscript that is known to be inside, under its first one."""
        self.made[node.name.name] = node.value
        self.inside.discard(node.name.name)  # the same statements may stand in several places
        wrapped = self.wrapped(node, at)
        if wrapped is None:
            return node
        before = self.found.get((wrapped.number, wrapped.size))
        if before is None:
            self.waiting[node.name.name] = wrapped
            return node
        self.inside.add(node.name.name)
        return Let(node.name, before)

    def wrapped(self, node: Let, at: int) -> _Wrapped | None:
        value = node.value
        if node.name.type != int64 or not isinstance(value, Apply) or value.op != "select" or value.lanes > 1:
            return None
        negative, from_end, number = value.operands
        if self.known(negative) != compare("lt", number, integer(0)):
            return None
        if not isinstance(from_end, Apply) or from_end.op != "add" or from_end.operands[0] != number:
            return None
        end = from_end.operands[1]
        return _Wrapped(node.name, number, end, self.same(number), self.same(end), at)

    def looked_at(self, node: If, new: list[Sequence[Statement]]) -> Sequence[Statement]:
        """An access, or an error: an error of subscripts behind which nothing has happened is found where they are."""
        parts, rest = list(self.parts(node.condition)), list[Value]()
        for part in parts:
            index = part.operands[0] if isinstance(part, Apply) else None
            name = index.name if isinstance(index, Name) else ""
            wrapped = self.waiting.get(name)
            if wrapped is not None and self.is_outside(part, wrapped):
                del self.waiting[name]
                new[wrapped.at] = _once(wrapped, node.then)
                if self.stays(wrapped.number) and self.stays(wrapped.size):
                    self.found[wrapped.number, wrapped.size] = wrapped.index
                self.inside.add(name)
            if name not in self.inside:
                rest.append(part)
        self.waiting = {}
        if len(rest) == len(parts):
            return (map_bodies(node, self.body),)
        otherwise = self.body(node.otherwise)
        if not rest:
            return otherwise
        return (If(reduce(lambda a, b: Apply("or", (a, b), bool_), rest), node.then, otherwise, rare=True),)

    def parts(self, condition: Value) -> Iterator[Value]:
        """Of a disjunction, under their names where they are no comparisons of subscripts."""
        known = self.known(condition)
        if isinstance(known, Apply) and known.op == "or" and known.lanes == 1:
            for operand in known.operands:
                yield from self.parts(operand)
        else:
            yield known if isinstance(known, Apply) and known.op in ("lt", "ge") else condition

    def is_outside(self, part: Value, wrapped: _Wrapped) -> bool:
        """Whether a comparison tells that a subscript is not one of its axis."""
        assert isinstance(part, Apply)
        if part.op == "lt":
            return part.operands[1] == integer(0)
        return part.op == "ge" and self.same(part.operands[1]) == wrapped.size

    def stays(self, value: Value) -> bool:
        """Whether what a value is computed from is nothing that changes."""
        return all(
            part.name not in self.variables if isinstance(part, Name) else isinstance(part, _PLAIN)
            for part in values(value)
        )

    def known(self, value: Value) -> Value:
        return self.made.get(value.name, value) if isinstance(value, Name) else value

    def same(self, value: Value, depth: int = _DEEPEST) -> Value:
        """`value` by what it is computed from, such that equal ones are the same number."""
        made = self.known(value)
        if isinstance(made, Literal):
            return made
        if not isinstance(made, Apply) or not depth:
            return value
        operands = tuple([self.same(operand, depth - 1) for operand in made.operands])
        if any((isinstance(o, Name) and o.name in self.variables) or not isinstance(o, _PLAIN) for o in operands):
            return value
        return Apply(made.op, operands, made.type, made.lanes)


_PLAIN = Name, Literal, Apply


def _leaves(node: If) -> bool:
    """Whether a branch is an error, with which the function ends."""
    return node.rare and len(node.then) == 1 and isinstance(node.then[0], Fail) and node.then[0].leaves


def _once(wrapped: _Wrapped, fault: Body) -> Sequence[Statement]:
    """A subscript, looked at."""
    index, number, size = wrapped.index, wrapped.value, wrapped.end
    from_end = add(number, Apply("select", (compare("lt", number, integer(0)), size, integer(0)), int64))
    again = If(_beyond(index, size), fault, rare=True)
    return Declare(index, number), If(_beyond(number, size), (Assign(index, from_end), again), rare=True)


def _beyond(number: Value, size: Value) -> Value:
    """Seen without a sign, a negative number is a large one."""
    return Apply("ge", (Apply("cast", (number,), uint64), Apply("cast", (size,), uint64)), bool_)
