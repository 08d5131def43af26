"""If-conversion undone: elements of one lane that change together, or stay, are stored behind one jump.

Before:   const double best_1 = best[0];           after:   const double best_1 = best[0];
          const long i_1 = at[0];                           const long i_1 = at[0];
          const long j_1 = to[0];                           const long j_1 = to[0];
          best[0] = c ? v : best_1;                         if (c) {
          at[0] = c ? i : i_1;                                  best[0] = v;
          to[0] = c ? j : j_1;                                  at[0] = i;
                                                                to[0] = j;
                                                            }

Each choice waits for what it chooses from; a jump, which processors guess, for nothing. One or two are left as they
are: a wrong guess takes longer than so few choices. It does not where an exponential or the like of other elements of
the same array decides: the next rounds of a recurrence would wait for the exponentials of all before them.

Requires: nothing.
Ensures: what is stored where it is not already stays what it was. In loops in which nothing is to be chosen by jumps,
nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitmdh.mdh.kernel.arithmetic import negated
from jitmdh.mdh.kernel.ir import Apply, For, If, Kernel, Let, Load, Name, Statement, Store, Value
from jitmdh.mdh.kernel.passes.functions.calls import functions_from
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, kinds, map_bodies, same, values

_FEWEST = 3
"""Stores for which there is a jump."""

_LONG = functions_from(10)
"""What takes longer than a wrong guess."""

_MOST = 64
"""Named values that are looked at, to find what decides."""

Condition = tuple[tuple[Value, bool], ...]
"""What holds, and what does not, where an element changes."""


def store_together(kernel: Kernel) -> Kernel:
    return _Joining().kernel(kernel) if {Let, Store} <= kinds(kernel.body) else kernel


class _Joining(Rewriter):
    """made: values by their names, as far as the present body has named them; fresh: loads among them behind which
    nothing has been stored."""

    def __init__(self) -> None:
        self.made: dict[str, Value] = {}
        self.fresh: set[str] = set()

    def body(self, body: Body) -> Body:
        outside, self.fresh = self.fresh, set()
        new: list[Statement] = []
        run: list[Store] = []
        for node in body:
            if isinstance(node, Store):
                run.append(node)
                continue
            if run:
                new += self.joined(run)
                run = []
            if isinstance(node, Let):
                self.made[node.name.name] = node.value
                if isinstance(node.value, Load):
                    self.fresh.add(node.name.name)
            elif type(node) in NESTED:
                self.fresh = set()
                if not (isinstance(node, For) and node.branchless):
                    node = map_bodies(node, self.body)
            new.append(node)
        if run:
            new += self.joined(run)
        self.fresh = outside
        return body if same(new, body) else tuple(new)

    def joined(self, run: Sequence[Store]) -> Iterator[Statement]:
        """Stores behind each other: no element that one of them changes is another's."""
        if len(run) < _FEWEST:
            for node in run:
                alone = self.change(node)
                waits = alone is not None and any(self.waits(where, node) for where, _ in alone[0])
                yield _jumps(alone[0], (replace(node, value=alone[1]),)) if alone is not None and waits else node
            self.fresh = set()
            return
        found = [self.change(node) for node in run]
        together: dict[Condition, list[Store]] = {}
        for node, change in zip(run, found):
            if change is not None:
                together.setdefault(change[0], []).append(replace(node, value=change[1]))
        apart = len({node.buffer for node in run}) == len(run)
        for node, change in zip(run, found):
            stores = together.get(change[0], []) if change is not None and apart else []
            if len(stores) < _FEWEST:
                yield node
            elif stores[0].buffer == node.buffer:
                assert change is not None
                yield _jumps(change[0], tuple(stores))
        self.fresh = set()

    def change(self, node: Store) -> tuple[Condition, Value] | None:
        """When a store changes what is there, and to what; None: as far as is known, it always may."""
        if node.value.lanes > 1 or node.mask is not None:
            return None
        condition, value = self.chosen(node.value, node)
        if not condition or any(isinstance(part, Load) for part in values(value)):
            return None
        return condition, value

    def waits(self, condition: Value, node: Store) -> bool:
        """Whether a condition takes long, and other elements of the array that `node` stores to decide it."""
        takes_long = recurs = False
        waiting, seen = [condition], {""}
        while waiting and len(seen) < _MOST:
            for part in values(waiting.pop()):
                takes_long |= isinstance(part, Apply) and part.op in _LONG and part.type.kind == "f"
                recurs |= isinstance(part, Load) and part.buffer == node.buffer and part.offset != node.offset
                if isinstance(part, Name) and part.name not in seen and part.name in self.made:
                    seen.add(part.name)
                    waiting.append(self.made[part.name])
        return takes_long and recurs

    def chosen(self, value: Value, node: Store) -> tuple[Condition, Value]:
        chosen = self.made.get(value.name) if isinstance(value, Name) else value
        if isinstance(chosen, Apply) and chosen.op == "select" and chosen.lanes == 1:
            where, then, otherwise = chosen.operands
            for other, part, holds in ((otherwise, then, True), (then, otherwise, False)):
                if self.is_there(other, node):
                    condition, new = self.chosen(part, node)
                    return ((where, holds), *condition), new
        return (), value

    def is_there(self, value: Value, node: Store) -> bool:
        if not isinstance(value, Name) or value.name not in self.fresh:
            return False
        found = self.made[value.name]
        return isinstance(found, Load) and (found.buffer, found.offset, found.mask) == (node.buffer, node.offset, None)


def _jumps(condition: Condition, stores: Body) -> Statement:
    """One jump for each part of a condition. The last is hardly ever taken: else it would be choices again."""
    *before, (where, holds) = condition
    node = If(where if holds else negated(where), stores, rare=True)
    for where, holds in reversed(before):
        node = If(where, (node,)) if holds else If(where, (), (node,))
    return node
