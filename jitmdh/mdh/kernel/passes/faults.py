"""Faults of a block are looked at together: neighbouring vectors need not wait for a branch on each.

Before:   if (any(a < b)) status = 7;       after:   const bool8 fault.1 = a < b;
          y[0] = c;                                  y[0] = c;
          if (any(c < b)) status = 7;                const bool8 fault.2 = c < b;
                                                     if (any(fault.1 | fault.2)) status = 7;

Of a condition that is a conjunction, such as "the result is infinite and the operand is not", the first part alone is
looked at; the rest waits in the branch that hardly ever is taken:

Before:   if (any((t == inf) & (x < inf))) status = 7;
After:    const bool8 fault.1 = t == inf;
          if (any(fault.1)) {
              if (any(fault.1 & (x < inf))) status = 7;
          }

Requires: the first part of a conjunction holds rarely.
Ensures: a `Fail` with the code of a fault stands at the end of its block, or before what may return or asks whether
anything has failed, once for each code and number of lanes there. Nothing else in a kernel depends on a fault, and it
ends with one exactly where it did; of several faults, the one that is looked at first is the status.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from jitmdh.base.dtype import bool_
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import negated
from jitmdh.mdh.kernel.ir import Apply, Assign, Fail, Failed, If, Kernel, Let, Name, Return, Statement, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, kinds, map_bodies, same, statements

Fault = tuple[Name, Value | None]
"""What is looked at, and what has to hold besides (None: nothing)."""


def gather_faults(kernel: Kernel) -> Kernel:
    return _Gathered().kernel(kernel) if Fail in kinds(kernel.body) else kernel


class _Gathered(Rewriter):
    def __init__(self) -> None:
        self.count = 0

    def body(self, body: Body) -> Body:
        new = tuple(self.gathered(body))
        return body if same(new, body) else new

    def gathered(self, body: Body) -> Iterator[Statement]:
        found: dict[tuple[int, int], list[Fault]] = {}
        named: dict[str, Value] = {}  # conditions whose parts are what they were when the condition was named
        for statement in body:
            if isinstance(statement, Fail) and statement.code >= Status.FIRST_FAULT and not statement.leaves:
                self.count += 1
                condition = statement.condition
                whole = named.get(condition.name, condition) if isinstance(condition, Name) else condition
                first, rest = _parts(whole)
                name = Name(f"fault.{self.count}", bool_, condition.lanes)
                found.setdefault((statement.code, condition.lanes), []).append((name, rest))
                yield Let(name, condition if rest is None else first)
                continue
            if isinstance(statement, Let):
                if isinstance(statement.value, Apply) and statement.value.op == "and" and statement.name.type == bool_:
                    named[statement.name.name] = statement.value
            elif isinstance(statement, Assign):
                named.clear()
            if found and any(map(_depends, statements((statement,)))):
                yield from _looked_at(found)
                found = {}
            yield map_bodies(statement, self.body) if type(statement) in NESTED else statement
        yield from _looked_at(found)


def _depends(statement: Statement) -> bool:
    """Whether it matters to a statement that there has been a fault."""
    if isinstance(statement, If):
        return statement.condition in (Failed(), negated(Failed()))
    return isinstance(statement, Return)


def _parts(condition: Value) -> tuple[Value, Value | None]:
    """The first part of a conjunction, and the others."""
    if not isinstance(condition, Apply) or condition.op != "and":
        return condition, None
    first, rest = condition.operands
    inner, more = _parts(first)
    return inner, rest if more is None else Apply("and", (more, rest), bool_, condition.lanes)


def _looked_at(found: dict[tuple[int, int], list[Fault]]) -> Iterator[Statement]:
    for (code, lanes), faults in found.items():
        seen = _any([name for name, _ in faults], lanes)
        if all(rest is None for _, rest in faults):
            yield Fail(seen, code)
            continue
        whole = [name if rest is None else Apply("and", (name, rest), bool_, lanes) for name, rest in faults]
        yield If(seen, (Fail(_any(whole, lanes), code),), rare=True)


def _any(conditions: Sequence[Value], lanes: int) -> Value:
    return reduce(lambda a, b: Apply("or", (a, b), bool_, lanes), conditions)
