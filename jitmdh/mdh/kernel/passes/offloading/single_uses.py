"""Names that are looked at once are left out (copy coalescing, forward substitution): shorter texts.

Before:   const float next = acc + x;                        after:   acc = acc + x;
          const float next_1 = acc_1 + y;                             acc_1 = acc_1 + y;
          acc = next;                                                 total = total + (a * b);
          acc_1 = next_1;
          const float passed = a * b;
          total = total + passed;

Requires: nothing.
Ensures: in kernels of devices, what is computed only to become the value of a variable further down in the same body is
computed into it, unless the variable is looked at or assigned in between; an operation on names, not on integers of 64
bits, whose result is an operand of a sum, a difference or a product, an extreme or what is stored, is done there,
unless one of the names is assigned in between. Loads stay where they are. Every variable has the value that it had
wherever it is looked at. Compilers make the same of both: there is less for them to read, and for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.ir import Apply, Assign, Grid, Kernel, Let, Name, Parallel, Statement, Store, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, bound, map_bodies, of_leaves, same, statements, values

_OPERANDS_ONCE = ("add", "sub", "mul", "minimum", "maximum")  # in whose text an operand stands once


def leave_out_single_uses(kernel: Kernel) -> Kernel:
    return _Kernels().kernel(kernel)


class _Kernels(Rewriter):
    kinds = NESTED

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, Parallel | Grid):
            return (map_bodies(node, self.body),)
        looks = Counter(name for s in statements(node.body) for name in _looked_at(s))
        once = frozenset(name for name, times in looks.items() if times == 1)
        return (map_bodies(node, lambda body: _rewritten(body, once)),)


def _rewritten(body: Body, once: frozenset[str]) -> Body:
    """once: names that the kernel looks at once."""
    if not body:
        return body
    straight = _Straight([map_bodies(node, lambda inner: _rewritten(inner, once)) for node in body], once)
    for at in range(len(body)):
        straight.look(at)
    kept = tuple(node for node in straight.body if node is not None)
    return body if same(kept, body) else kept


class _Straight:
    """Statements of one body, in their order. read, given: names that each looks at, and gives a value to, inside."""

    def __init__(self, body: Sequence[Statement], once: frozenset[str]) -> None:
        self.body: list[Statement | None] = list(body)
        self.once = once
        self.read = [{name for inner in statements((node,)) for name in _looked_at(inner)} for node in body]
        self.given = [{b.name for inner in statements((node,)) if (b := bound(inner)) is not None} for node in body]
        self.made: dict[str, int] = {}

    def look(self, at: int) -> None:
        """Statements before this one are done."""
        node = self.body[at]
        if isinstance(node, Let | Assign | Store):
            node = self.body[at] = self._substituted(at, node)
        if isinstance(node, Let):
            self.made[node.name.name] = at
        if isinstance(node, Assign) and isinstance(node.value, Name):
            first = self._found(node.value)
            if first is not None and not self._between(first, at, {node.name.name}, self.read, self.given):
                let = self.body[first]
                assert isinstance(let, Let)
                self.body[first], self.body[at] = replace(node, value=let.value), None
                self.given[first], self.read[at], self.given[at] = {node.name.name}, set(), set()

    def _substituted(self, at: int, node: Let | Assign | Store) -> Statement:
        value = node.value
        if isinstance(node, Store):
            new = self._operation(at, value)
        elif isinstance(value, Apply) and value.op in _OPERANDS_ONCE:
            operands = tuple(self._operation(at, operand) for operand in value.operands)
            new = value if same(operands, value.operands) else replace(value, operands=operands)
        else:
            return node
        return node if new is value else replace(node, value=new)

    def _operation(self, at: int, value: Value) -> Value:
        """What is behind a name, if it can be computed here instead."""
        first = self._found(value) if isinstance(value, Name) else None
        let = self.body[first] if first is not None else None
        if first is None or not isinstance(let, Let) or not isinstance(let.value, Apply) or let.value.type == int64:
            return value
        if not of_leaves(let.value) or self._between(first, at, self.read[first], self.given):
            return value
        self.read[at] |= self.read[first]
        self.body[first], self.read[first], self.given[first] = None, set(), set()
        return let.value

    def _found(self, name: Name) -> int | None:
        return self.made.get(name.name) if name.name in self.once else None

    def _between(self, first: int, at: int, names: Iterable[str], *sets: list[set[str]]) -> bool:
        """Whether statements between the two do this to any of the names."""
        return any(not one[n].isdisjoint(names) for one in sets for n in range(first + 1, at))


def _looked_at(node: Statement) -> Iterator[str]:
    return (value.name for value in values(node) if isinstance(value, Name))
