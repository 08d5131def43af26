"""Loop unswitching: updates under a condition that a loop does not change are looked at once, before it.

Before:   for (k = 0; k < n; k += 8) {                 after:   if (0 < n) {
              const double8 old = load8(&r[k]);                     const bool updated.1 = w[j] != a;
              const double b = w[j];                                if (updated.1)
              const bool where = b != a;                                for (k = 0; k < n; k += 8) {
              const double8 new =                                           const double8 old = load8(&r[k]);
                  splat8(where) ? old * c : old;                            const double b = w[j];
              store8(&r[k], new);                                           const bool where = b != a;
          }                                                                 const double8 new = old * c;
                                                                            store8(&r[k], new);
                                                                        }
                                                                }

So are the conditions that all masks of single elements have in common and the loop does not change, such as whether
there is a next row.

Requires: no two statements bind the same name.
Ensures: what is stored where it is not already stays what it was. What a loop without rounds does not read is not read
before it either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitmdh.base.dtype import bool_
from jitmdh.mdh.kernel.arithmetic import both, compare, negated
from jitmdh.mdh.kernel.free_variables import memories
from jitmdh.mdh.kernel.ir import Apply, For, If, Kernel, Let, Literal, Load, Name, Splat, Statement, Store, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, kinds, map_bodies, map_children

_LARGEST = 256
"""Nodes of a condition that is computed before a loop."""


def unswitch(kernel: Kernel) -> Kernel:
    return _Unswitching(kernel).kernel(kernel) if {For, Store} <= kinds(kernel.body) else kernel


class _Unswitching(Rewriter):
    """memories: by the names of buffers."""

    kinds = NESTED

    def __init__(self, kernel: Kernel) -> None:
        self.memories = memories(kernel)
        self.count = 0

    def statement(self, node: Statement) -> Sequence[Statement]:
        node = map_bodies(node, self.body)
        if not isinstance(node, For) or not all(isinstance(s, Let | Store) for s in node.body):
            return (node,)
        update = _Update(node, self.memories)
        condition = update.condition()
        if condition is None:
            return (node,)
        self.count += 1
        name = Name(f"updated.{self.count}", bool_)
        inside = replace(node, body=update.body())
        return (If(compare("lt", node.begin, node.end), (Let(name, condition), If(name, (inside,)))),)


class _TooLargeError(Exception):
    """Of a condition."""


class _Update:
    """A loop of values and stores. made: its values by their names; written: the memories that it writes; new: the
    values, by their names, that are other than what is there already; holding: what masks need not ask for."""

    def __init__(self, node: For, memories: dict[str, str]) -> None:
        self.node = node
        self.memories = memories
        self.made = {s.name.name: s.value for s in node.body if isinstance(s, Let)}
        self.written = {memories.get(s.buffer, s.buffer) for s in node.body if isinstance(s, Store)}
        self.new: dict[str, Value] = {}
        self.holding: set[Value] = set()
        self.nodes = 0

    def condition(self) -> Value | None:
        """Where the loop changes anything at all; None: as far as is known, it always may."""
        if (masks := self.masks()) is not None:
            return masks
        found: Value | None = None
        for statement in self.node.body:
            if not isinstance(statement, Store):
                continue
            condition = self.of(statement)
            if condition is None or (found is not None and condition != found):
                return None
            found = condition
        return found

    def masks(self) -> Value | None:
        """The conditions under which each of its elements is stored, if there are any that the loop does not change."""
        stores = [s for s in self.node.body if isinstance(s, Store)]
        if any(s.mask is None or s.mask.lanes > 1 for s in stores):
            return None
        try:
            found = [{c: None for v in self.parts(s.mask) if (c := self.told(v)) is not None} for s in stores]
        except _TooLargeError:
            return None
        common = [c for c in found[0] if all(c in one for one in found)] if found else []
        if not common:
            return None
        self.holding = set(common)
        whole = common[0]
        for one in common[1:]:
            whole = Apply("and", (whole, one), bool_)
        return whole

    def parts(self, mask: Value | None) -> Iterator[Value]:
        """The conditions that a mask consists of."""
        meant = self.made.get(mask.name, mask) if isinstance(mask, Name) else mask
        if isinstance(meant, Apply) and meant.op == "and":
            for one in meant.operands:
                yield from self.parts(one)
        elif mask is not None:
            yield mask

    def told(self, condition: Value) -> Value | None:
        self.nodes = 0
        return self.before(condition)

    def of(self, node: Store) -> Value | None:
        """The condition under which a store changes anything."""
        chosen = self.made.get(node.value.name) if isinstance(node.value, Name) else None
        if not isinstance(chosen, Apply) or chosen.op != "select":
            return None
        where, then, otherwise = chosen.operands
        while isinstance(where, Name | Splat):
            inner = where.value if isinstance(where, Splat) else self.made.get(where.name)
            if inner is None:
                break
            where = inner
        if where.lanes > 1 or where.type != bool_:
            return None
        self.nodes = 0
        try:
            whole = self.before(where)
        except _TooLargeError:
            return None
        if whole is None:
            return None
        for value, other, condition in ((then, otherwise, whole), (otherwise, then, negated(whole))):
            if self.is_there(other, node):
                assert isinstance(node.value, Name)
                self.new[node.value.name] = value
                return condition
        return None

    def is_there(self, value: Value, node: Store) -> bool:
        """Whether `value` is what is in the place where it is stored, before the loop changes it."""
        found = self.made.get(value.name) if isinstance(value, Name) else value
        place = node.buffer, node.offset, node.stride, node.mask
        return isinstance(found, Load) and (found.buffer, found.offset, found.stride, found.mask) == place

    def before(self, value: Value) -> Value | None:
        """`value` by what is known before the loop; None where that does not tell it."""
        self.nodes += 1
        if self.nodes > _LARGEST:
            raise _TooLargeError
        if isinstance(value, Name):
            if value.name in self.made:
                return self.before(self.made[value.name])
            return None if value.name == self.node.name.name else value
        if isinstance(value, Load) and (
            value.lanes > 1 or value.mask is not None or self.memories.get(value.buffer, value.buffer) in self.written
        ):
            return None
        if not isinstance(value, Load | Apply | Literal):
            return None
        stays = True

        def child(part: Value) -> Value:
            nonlocal stays
            found = self.before(part)
            stays &= found is not None
            return part if found is None else found

        new = map_children(value, child)
        return new if stays else None

    def body(self) -> Body:
        """Of the loop where it changes something."""
        if self.holding:
            return tuple(map_children(self.stored(s), self.loaded) for s in self.node.body)
        return tuple(
            replace(s, value=self.new[s.name.name]) if isinstance(s, Let) and s.name.name in self.new else s
            for s in self.node.body
        )

    def stored(self, node: Statement) -> Statement:
        return replace(node, mask=self.left(node.mask)) if isinstance(node, Store) else node

    def loaded(self, node: Value) -> Value:
        node = map_children(node, self.loaded)
        return replace(node, mask=self.left(node.mask)) if isinstance(node, Load) and node.lanes == 1 else node

    def left(self, mask: Value | None) -> Value | None:
        """What is left of a mask where the conditions hold that have been looked at before the loop."""
        left: Value | None = None
        for one in self.parts(mask):
            if self.told(one) not in self.holding:
                left = both(left, one)
        return left
