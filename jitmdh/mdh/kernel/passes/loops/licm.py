"""Loop-invariant code motion: integers that stay the same in a loop are computed before it.

Before:   for (i = 0; i < n; i += 1)          after:   for (i = 0; i < n; i += 1) {
            for (k = 0; k < m; k += 1)                     const long invariant.1 = i * s;
              y[(i * s) + k] = a;                          for (k = 0; k < m; k += 1)
                                                             y[invariant.1 + k] = a;
                                                       }

In an innermost loop that only moves data, what its addresses have in common with each other in all rounds is a pointer:

Before:   for (p = 0; p < n; p += 8) {        after:   auto *x.row1 = &x[(i * s) + b];
            const float8 a = load8(&x[(i * s) + (p + b)]);   for (p = 0; p < n; p += 8) {   (`opaque`)
            …                                                const float8 a = load8(&x.row1[p]);

Requires: nothing.
Ensures: no sum, difference, product, minimum or maximum of 64-bit integers, no quotient or remainder by a constant,
and no mask of first lanes is computed in a loop in which its operands stay the same: it has a name before the outermost
such loop. All these may be computed where nobody needs them. Every value stays what it was; equal ones before a loop
have one name.

LLVM's own pass for invariants is not run: it would have to analyse what is known here. Code generation then leaves in
a loop what depends on names of outer loops alone, where these are many, and computes it in each round. Its strength
reduction leaves an opaque loop alone: it looks at every way to compute n rows of addresses from each other, and for a
block that is transposed on its way that took longer than all other passes together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TypeVar

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add
from jitmdh.mdh.kernel.ir import (
    Apply,
    Declare,
    For,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Statement,
    Store,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.rewrite import FIELDS, Body, is_flat, map_bodies, map_children, same, values, with_fields

_ALWAYS = frozenset({"add", "sub", "mul", "minimum", "maximum"})
_BY_CONSTANTS = frozenset({"udiv", "urem"})
N = TypeVar("N", Load, Store)

_CHANGING = 1 << 30
"""Loops in which a variable is made."""


def hoist_invariants(kernel: Kernel) -> Kernel:
    body = _Hoisting().body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


@dataclass(slots=True)
class _HoistingLoop:
    """before: what is computed in front of it; names: of that, by what it is; rows: pointers, by buffer and offset."""

    before: list[Statement] = field(default_factory=list)
    names: dict[Value, Name] = field(default_factory=dict)
    rows: dict[tuple[str, Value], str] = field(default_factory=dict)


class _Hoisting:
    """loops: those around, of the present function; made: in how many of them each name gets its value, and what this
    is called in front of the others (None: the same); hoisted: names of what is computed in front of loops, and in how
    many others this is; moving: whether the present loop only moves data; sums: what its names stand for then.
    """

    def __init__(self) -> None:
        self.loops: list[_HoistingLoop] = []
        self.made: dict[str, tuple[int, Value | None]] = {}
        self.hoisted: dict[str, int] = {}
        self.moving = False
        self.sums: dict[str, Value] = {}
        self.count = 0

    # --------------------------------------------------------------------------------------- statements

    def body(self, body: Body) -> Body:
        around = self.made.copy()
        new: list[Statement] = []
        for node in body:
            kind = type(node)
            if kind is Let:
                new.append(self.let(node))  # type: ignore[arg-type]
            elif kind is For:
                new += self.loop(node)  # type: ignore[arg-type]
            else:
                new += self.statement(node)
        self.made = around
        return body if same(new, body) else tuple(new)

    def let(self, node: Let) -> Let:
        value, name, depth = self.value(node.value), node.name.name, len(self.loops)
        if self.moving:
            if name in self.sums:
                self.sums.clear()  # one of them may rest on the earlier value
            if isinstance(value, Apply):
                self.sums[name] = value
        hoisted = isinstance(value, Literal) or (isinstance(value, Name) and value.name in self.hoisted)
        self.made[name] = self.known(value) if hoisted else (depth, None)
        return node if value is node.value else Let(node.name, value)

    def statement(self, node: Statement) -> Sequence[Statement]:
        if isinstance(node, While):
            return self.repeated(node)
        if isinstance(node, Parallel):
            return (self.parallel(node),)
        if self.moving and isinstance(node, Store):
            node = self.from_row(node)
        node = map_children(node, self.value)
        if isinstance(node, Declare):
            self.made[node.name.name] = _CHANGING, None
        return (map_bodies(node, self.body) if FIELDS[type(node)].bodies else node,)

    def loop(self, node: For) -> list[Statement]:
        node = map_children(node, self.value)
        loop = self.enter()
        self.made[node.name.name] = len(self.loops), None
        self.moving = opaque = _only_moves(node)
        self.sums = {}
        body = self.body(node.body)
        self.moving = False
        self.loops.pop()
        if body is not node.body or opaque:
            node = replace(node, body=body, opaque=opaque)
        return [*loop.before, node]

    def repeated(self, node: While) -> list[Statement]:
        loop = self.enter()
        condition = self.value(node.condition)
        body = self.body(node.body)
        self.loops.pop()
        if condition is not node.condition or body is not node.body:
            node = replace(node, condition=condition, body=body)
        return [*loop.before, node]

    def parallel(self, node: Parallel) -> Parallel:
        """A function of its own: all that comes from outside is there at its beginning."""
        node = map_children(node, self.value)
        loops, made, hoisted = self.loops, self.made, self.hoisted
        self.loops, self.hoisted = [], dict.fromkeys(hoisted, 0)
        self.made = {name: (depth if depth == _CHANGING else 0, value) for name, (depth, value) in made.items()}
        node = map_bodies(node, self.body)
        self.loops, self.made, self.hoisted = loops, made, hoisted
        return node

    def enter(self) -> _HoistingLoop:
        loop = _HoistingLoop()
        self.loops.append(loop)
        return loop

    # ------------------------------------------------------------------------------------------- values

    def value(self, node: Value) -> Value:
        kind = type(node)
        if kind is Name or kind is Literal:
            return node
        if kind is Apply and node.lanes == 1 and _is_number(node):  # type: ignore[arg-type]
            new, depth = self.number(node)  # type: ignore[arg-type]
            return self.before(new, depth)
        if kind is Apply and node.op == "first_lanes" and type(node.operands[0]) is not Literal:  # type: ignore[union-attr]
            depth, count = self.part(node.operands[0])  # type: ignore[union-attr]
            return self.before(Apply("first_lanes", (count,), node.type, node.lanes), depth)
        if kind is Apply and is_flat(node):  # type: ignore[arg-type]
            return node
        if isinstance(node, Load) and self.moving:
            node = self.from_row(node)
        return map_children(node, self.value)

    def known(self, node: Value) -> tuple[int, Value]:
        """In how many loops the value of a name or a number is made, and what it is called there."""
        if type(node) is Literal:
            return 0, node
        if (hoisted := self.hoisted.get(node.name)) is not None:  # type: ignore[union-attr]
            return hoisted, node
        depth, outside = self.made.get(node.name, (0, None))  # type: ignore[union-attr]
        return depth, node if outside is None else outside

    def number(self, node: Apply) -> tuple[Value, int]:
        """The same from what is made outside, and in how many loops it can be computed at least."""
        left, right = node.operands
        depth, one = self.part(left)
        made, other = self.part(right)
        if made > depth:
            if type(one) is Apply:
                one = self.before(one, depth)
            depth = made
        elif made < depth and type(other) is Apply:
            other = self.before(other, made)
        return (node if one is left and other is right else Apply(node.op, (one, other), node.type)), depth

    def part(self, operand: Value) -> tuple[int, Value]:
        """As `known`, of any operand of a number."""
        kind = type(operand)
        if kind is Name or kind is Literal:
            return self.known(operand)
        if kind is Apply and operand.lanes == 1 and _is_number(operand):  # type: ignore[arg-type]
            new, made = self.number(operand)  # type: ignore[arg-type]
            return made, new
        return len(self.loops), self.value(operand)

    def before(self, node: Value, depth: int) -> Value:
        """The name of a value in front of the outermost loop in which it stays the same."""
        if depth >= len(self.loops) or type(node) is not Apply:
            return node
        loop = self.loops[depth]
        name = loop.names.get(node)
        if name is None:
            self.count += 1
            name = loop.names[node] = Name(f"invariant.{self.count}", node.type, node.lanes)
            loop.before.append(Let(name, node))
            self.hoisted[name.name] = depth
        return name

    # ---------------------------------------------------------------------------------------- addresses

    def from_row(self, node: N) -> N:
        """An access from a pointer that stays the same in the present loop."""
        if node.offset.lanes > 1:
            return node
        same_here: list[Value] = []
        changing: list[Value] = []
        for term in self.terms(node.offset):
            inside = type(term) is not Literal and any(self.moves(v) for v in values(term))
            (changing if inside or type(term) is Literal else same_here).append(term)
        if not same_here or not changing:
            return node
        loop, base = self.loops[-1], _total(same_here)
        base = self.value(base) if type(base) is Apply else self.known(base)[1]
        key = node.buffer, base
        row = loop.rows.get(key)
        if row is None:
            self.count += 1
            row = loop.rows[key] = f"{node.buffer.partition('.')[0]}.row{self.count}"
            loop.before.append(View(row, node.buffer, base))
        return with_fields(node, {"buffer": row, "offset": _total(changing)})

    def terms(self, offset: Value) -> list[Value]:
        """What a sum is the sum of, also by way of names of the present loop."""
        if type(offset) is Name:
            offset = self.sums.get(offset.name, offset)
        if isinstance(offset, Apply) and offset.op == "add" and offset.lanes == 1:
            return [term for operand in offset.operands for term in self.terms(operand)]
        return [offset]

    def moves(self, value: Value) -> bool:
        """Whether a value in an address may be another one in each round."""
        if type(value) is Name:
            return self.known(value)[0] >= len(self.loops)
        return type(value) is not Literal and not (type(value) is Apply and value.lanes == 1 and _is_number(value))


def _is_number(node: Apply) -> bool:
    """Whether `node` is an integer (of an address or a bound) that can be computed wherever its operands are known."""
    if node.lanes > 1 or node.type.name != "int64":
        return False
    if node.op in _BY_CONSTANTS:
        divisor = node.operands[1]
        return isinstance(divisor, Literal) and divisor.value != 0
    return node.op in _ALWAYS


def _only_moves(node: For) -> bool:
    """Whether a loop loads, rearranges and stores, and there is no other inside."""
    for statement in node.body:
        if isinstance(statement, Let):
            waiting: list[Value] = [statement.value]
        elif isinstance(statement, Store):
            waiting = [statement.value]
        else:
            return False
        while waiting:
            value = waiting.pop()
            if isinstance(value, Apply) and value.type.kind not in "iub":
                return False
            if not isinstance(value, Load):
                waiting += [v for v in FIELDS[type(value)].all_values(value) if v is not None]
                for name in FIELDS[type(value)].many:
                    waiting += getattr(value, name)
    return True


def _total(terms: Sequence[Value]) -> Value:
    total = terms[0]
    for term in terms[1:]:
        total = add(total, term)
    return total
