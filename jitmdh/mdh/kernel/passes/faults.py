"""Faults of a block are looked at together: neighbouring vectors need not wait for a branch on each.

Before:   if (any(a < b)) status = 7;       after:   const bool8 fault.1 = a < b;
          y[0] = c;                                  y[0] = c;
          if (any(c < b)) status = 7;                const bool8 fault.2 = c < b;
                                                     if (any(fault.1 | fault.2)) status = 7;

Requires: nothing.
Ensures: a `Fail` with the code of a fault stands at the end of its block or before what may return, once for each code
and number of lanes there. Nothing in a kernel depends on a fault, and it ends with one exactly where it did; of several
faults, the one that is looked at first is the status.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from jitmdh.base.dtype import bool_
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.ir import Apply, Fail, Kernel, Let, Name, Return, Statement, Value
from jitmdh.mdh.kernel.rewrite import Body, Rewriter, map_bodies, same, statements


def gather_faults(kernel: Kernel) -> Kernel:
    return _Gathered().kernel(kernel)


class _Gathered(Rewriter):
    def __init__(self) -> None:
        self.count = 0

    def body(self, body: Body) -> Body:
        new = tuple(self.gathered(body))
        return body if same(new, body) else new

    def gathered(self, body: Body) -> Iterator[Statement]:
        found: dict[tuple[int, int], list[Value]] = {}
        for statement in body:
            if isinstance(statement, Fail) and statement.code >= Status.FIRST_FAULT:
                self.count += 1
                condition = statement.condition
                name = Name(f"fault.{self.count}", bool_, condition.lanes)
                found.setdefault((statement.code, condition.lanes), []).append(name)
                yield Let(name, condition)
                continue
            if found and any(isinstance(inner, Return) for inner in statements((statement,))):
                yield from _looked_at(found)
                found = {}
            yield map_bodies(statement, self.body)
        yield from _looked_at(found)


def _looked_at(found: dict[tuple[int, int], list[Value]]) -> Iterator[Statement]:
    for (code, lanes), conditions in found.items():
        yield Fail(reduce(lambda a, b: Apply("or", (a, b), bool_, lanes), conditions), code)
