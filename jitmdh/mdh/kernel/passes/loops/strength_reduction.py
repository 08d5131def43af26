"""Strength reduction: what an innermost loop multiplies its index by is added in each round instead.

Before:   for (k = 0; k < n; k += 1)          after:   long k.times1 = i;
            acc = acc + (A[(k * s) + i] * b[k * 32]);  long k.times2 = 0;
                                                       for (k = 0; k < n; k += 1) {
                                                         acc = acc + (A[k.times1] * b[k.times2]);
                                                         k.times1 = k.times1 + s;
                                                         k.times2 = k.times2 + 32;
                                                       }

Requires: what stays the same in a loop has a name before it (`licm`).
Ensures: in innermost loops, at most `_MOST` variables in place of integers that grow by the same amount in each round,
but by no factor that an address has for nothing. Every value stays what it was.

A product, or a shift, and a sum take places in which multiply-adds of vectors could begin. LLVM's own pass on the
variables of loops would do it, and is off (`address_chains`).
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    Grid,
    Kernel,
    Let,
    Literal,
    Name,
    Parallel,
    Statement,
    Value,
    While,
)
from jitmdh.mdh.kernel.rewrite import Body, bound, children, is_flat, kinds, map_bodies, map_children, same, statements

_SCALES = frozenset({-1, 0, 1, 2})
_SHIFTS = frozenset({4, 8})
"""Amounts per round that are not worth a variable: addresses multiply by the first few anyhow, or have the index alone
shifted, which takes no longer than to add."""

_MOST = 4  # variables of a loop: each one is kept in a register
_MOST_ALIKE = 2  # of these that grow by the same amount

_LINEAR = {"add": add, "sub": subtract, "mul": multiply}

_LOOPS = frozenset({For, While, Parallel, Grid})


def reduce_strength(kernel: Kernel) -> Kernel:
    body = _Reducing().body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Reducing:
    def __init__(self) -> None:
        self.count = 0

    def body(self, body: Body) -> Body:
        new: list[Statement] = []
        for node in body:
            if isinstance(node, For) and not node.as_written and kinds(node.body).isdisjoint(_LOOPS):
                new += self.loop(node)
            else:
                new.append(map_bodies(node, self.body))
        return body if same(new, body) else tuple(new)

    def loop(self, node: For) -> list[Statement]:
        loop = _Loop(node.name, frozenset(name.name for s in statements(node.body) if (name := bound(s)) is not None))
        names: dict[Value, Name] = {}
        before: list[Statement] = []
        after: list[Statement] = []
        for value, amount in loop.chosen(node.body).items():
            self.count += 1
            name = names[value] = Name(f"{node.name.name}.times{self.count}", int64)
            before.append(Declare(name, _at(value, node.name, node.begin)))
            step = multiply(amount, node.step)
            if isinstance(step, Apply):
                by = Name(f"{name.name}.step", int64)
                before.append(Let(by, step))
                step = by
            after.append(Assign(name, add(name, step)))
        if not names:
            return [node]

        def reduced(old: Value) -> Value:
            name = names.get(old) if type(old) is Apply else None
            return map_children(old, reduced) if name is None else name

        def each(old: Body) -> Body:
            return tuple(map_bodies(map_children(s, reduced), each) for s in old)

        return [*before, replace(node, body=(*each(node.body), *after))]


@dataclass(slots=True)
class _Loop:
    """index: of a loop; inside: names that get values in it."""

    index: Name
    inside: frozenset[str]

    def chosen(self, body: Body) -> dict[Value, Value]:
        """What to make variables of, with the amount by which each grows while the index grows by one."""
        if self.index.name in self.inside:
            return {}
        found: dict[Value, Value] = {}
        for statement in body:  # what is under a condition is not needed in each round
            for value in children(statement):
                self.find(value, found)
        by_amount: dict[Value, list[Value]] = {}
        for value, amount in found.items():
            by_amount.setdefault(amount, []).append(value)
        chosen: dict[Value, Value] = {}
        for amount, alike in by_amount.items():
            if len(alike) > _MOST_ALIKE:  # what they have in common
                alike = list({product: None for value in alike for product in self.products(value)})
            if len(alike) <= _MOST_ALIKE and len(chosen) + len(alike) <= _MOST:
                chosen |= dict.fromkeys(alike, amount)
        return chosen

    def find(self, value: Value, found: dict[Value, Value]) -> None:
        if type(value) is Apply and (amount := self.amount(value)) is not None:
            for_nothing = _SCALES if value.operands[0] != self.index else _SCALES | _SHIFTS
            if not (isinstance(amount, Literal) and amount.value in for_nothing):
                found[value] = amount
            return
        if type(value) is not Apply or not is_flat(value):
            for part in children(value):
                self.find(part, found)

    def products(self, value: Value) -> list[Value]:
        """The products of the index that a sum has."""
        if not isinstance(value, Apply):
            return []
        return [value] if value.op == "mul" else [p for operand in value.operands for p in self.products(operand)]

    def amount(self, value: Value) -> Value | None:
        """By how much a value grows while the index grows by one; None: by no amount that stays the same."""
        if value == self.index:
            return integer(1)
        if not isinstance(value, Apply) or value.lanes > 1 or value.type != int64 or value.op not in _LINEAR:
            return None
        left, right = value.operands
        if value.op != "sub" and self.stays(left):
            left, right = right, left
        if not self.stays(right) or (value.op != "mul" and isinstance(right, Literal)):  # constants are for nothing
            return None
        amount = self.amount(left)
        return amount if amount is None or value.op != "mul" else _product(amount, right)

    def stays(self, value: Value) -> bool:
        if isinstance(value, Name):
            return value.name not in self.inside and value != self.index
        return isinstance(value, Literal)


def _product(amount: Value, factor: Value) -> Value | None:
    """None: it would have to be computed."""
    product = multiply(amount, factor)
    return None if isinstance(product, Apply) else product


def _at(value: Value, index: Name, begin: Value) -> Value:
    """What `value` is where the index is `begin`."""
    if value == index:
        return begin
    if not isinstance(value, Apply):
        return value
    left, right = (_at(operand, index, begin) for operand in value.operands)
    return _LINEAR[value.op](left, right)
