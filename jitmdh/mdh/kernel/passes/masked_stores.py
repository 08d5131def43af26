"""Stores under one mask of first lanes become one statement: one jump serves all where a target has no masks.

Before:   store8(&y[i], a ? there);       after:   together {  // the first lanes
          store8(&z[i], b ? there);                    store8(&y[i], a ? there);
                                                       store8(&z[i], b ? there);
                                                   }

Behind a jump for each, results that wait in registers would be moved about before every one.

Requires: `cse`, so that equal masks have one name.
Ensures: nothing is read between the stores of a group, which keep their order; how many lanes there are is known at run
time only. Other stores stay as they are: those of one lane, or that have lanes apart, take no jump, or need their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from jitmdh.mdh.kernel.ir import Apply, Declare, Kernel, Let, Literal, Load, MaskedStores, Name, Statement, Store, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, kinds, map_bodies, same, values


def group_masked_stores(kernel: Kernel, has_masks: bool) -> Kernel:
    """has_masks: the target stores the first lanes of a vector by one instruction."""
    return kernel if has_masks or Store not in kinds(kernel.body) else _Grouping().kernel(kernel)


class _Grouping(Rewriter):
    """masks: which one each name of a mask of first lanes is, by the identity of the statement that named it first."""

    def __init__(self) -> None:
        self.masks: dict[str, int] = {}

    def body(self, body: Body) -> Body:
        outside = self.masks.copy()
        new = tuple(self.grouped(body))
        self.masks = outside
        return body if same(new, body) else new

    def grouped(self, body: Body) -> Iterator[Statement]:
        for mask, run in groupby(self.walked(body), self.shared):
            together = tuple(run)
            if mask is None or len(together) == 1:
                yield from together
            else:
                yield MaskedStores(together)

    def walked(self, body: Body) -> Iterator[Statement]:
        """One after the other: masks have their names before what is inside of a later statement is looked at."""
        for node in body:
            yield map_bodies(node, self.body) if type(node) in NESTED else node

    def shared(self, node: Statement) -> int | None:
        """What stores have in common that one jump serves: the mask."""
        if isinstance(node, Let | Declare):
            self.note(node)
        if not isinstance(node, Store) or not isinstance(node.mask, Name) or node.mask.name not in self.masks:
            return None
        lanes = node.value.lanes
        apart = node.offset.lanes > 1 or not _is_one(node.stride)
        if lanes == 1 or lanes & (lanes - 1) or apart or any(isinstance(value, Load) for value in values(node)):
            return None
        return self.masks[node.mask.name]

    def note(self, node: Let | Declare) -> None:
        """What masks are called. A name that is given again is another's."""
        name, value = node.name.name, node.value
        self.masks.pop(name, None)
        if isinstance(node, Declare):
            return
        if isinstance(value, Name) and value.name in self.masks:
            self.masks[name] = self.masks[value.name]
        elif isinstance(value, Apply) and value.op == "first_lanes" and not isinstance(value.operands[0], Literal):
            self.masks[name] = id(node)


def _is_one(value: Value) -> bool:
    return isinstance(value, Literal) and value.value == 1
