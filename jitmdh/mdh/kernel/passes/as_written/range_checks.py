"""Range check elimination: a counted loop whose subscripts are inside of their axes in its first and in its last round
does not look at them in between.

Before:   for (t = 0; t < trips; t += 1) {    after:   const bool checked.1 = (trips < 1099511627776) & !(i >= n)
              const bool out = i >= n;                                      & !(((i + trips) + -1) >= n);
              if (out) leave with 7;                   if (checked.1) {
              else y[i] = a;                               for (t = 0; t < trips; t += 1) {
              i = i + 1;                                       y[i] = a;
          }                                                    i = i + 1;
                                                           }
                                                       } else {
                                                           for (t = 0; t < trips; t += 1) …  // as before
                                                       }

Requires: counted loops are found. What is compared grows by the same amount in each round, and stays a number of 64
bits: amounts are small, and so are rounds, which is looked at.
Ensures: innermost loops stand there once without and once with their checks, which does what it did. A check under a
condition counts where data decide that: a condition of the subscript may be what keeps it inside.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import bool_, uint64
from jitmdh.mdh.kernel.arithmetic import both, compare, integer, negated
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Fail,
    For,
    Grid,
    If,
    Kernel,
    Let,
    Load,
    Name,
    Parallel,
    Statement,
    Value,
    While,
)
from jitmdh.mdh.kernel.passes.as_written.growing_numbers import GrowingNumbers
from jitmdh.mdh.kernel.rewrite import Body, kinds, map_bodies, same, values

_MOST_ROUNDS = 1 << 40  # by at most 2²⁰ each, no number that is inside of an axis at both ends has left 64 bits
_MOST_TESTS = 32
_LOOPS = frozenset({For, While, Parallel, Grid})


def eliminate_range_checks(kernel: Kernel) -> Kernel:
    if not {For, Fail} <= kinds(kernel.body):
        return kernel
    body = _Versions().body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Versions:
    def __init__(self) -> None:
        self.count = 0

    def body(self, body: Body) -> Body:
        new: list[Statement] = []
        for node in body:
            if isinstance(node, For) and node.as_written and kinds(node.body).isdisjoint(_LOOPS):
                new += self.loop(node)
            else:
                new.append(map_bodies(node, self.body))
        return body if same(new, body) else tuple(new)

    def loop(self, node: For) -> tuple[Statement, ...]:
        checks = _Checks(node)
        unchecked = checks.body(node.body)
        if not checks.inside:
            return (node,)
        self.count += 1
        fine = Name(f"checked.{self.count}", bool_)
        condition = compare("lt", node.end, integer(_MOST_ROUNDS))
        for test in dict.fromkeys(checks.inside):
            condition = both(condition, test) or condition
        return Let(fine, condition), If(fine, (replace(node, body=unchecked),), (replace(node, as_written=False),))


class _Checks:
    """The checks of a loop that can be made before it.

    made: what names of conditions stand for; inside: what holds before the loop where no check of it fails.
    """

    def __init__(self, node: For) -> None:
        self.rounds = node.end
        self.numbers = GrowingNumbers(node)
        self.made: dict[str, Value] = {}
        self.inside: list[Value] = []

    def body(self, body: Body) -> Body:
        """Without the checks that are made before the loop."""
        new: list[Statement] = []
        for node in body:
            if isinstance(node, If):
                new += self.branch(node)
                continue
            if isinstance(node, Let):
                self.made[node.name.name] = node.value
            self.numbers.see(node)
            new.append(node)
        return tuple(new)

    def branch(self, node: If) -> Body:
        tests = self.holds(node.condition) if _is_check(node) else None
        if tests is not None and len(self.inside) + len(tests) <= _MOST_TESTS:
            self.inside += tests
            first, condition = node.then[0], node.condition
            if isinstance(first, Assign) and isinstance(condition, Apply):  # a subscript from the end, which it is not
                self.numbers.known[first.name.name] = self.numbers.linear(_signed(condition.operands[0]))
            return self.body(node.otherwise)
        if not self.is_data(node.condition):
            return (node,)
        return (replace(node, then=self.body(node.then), otherwise=self.body(node.otherwise)),)

    def holds(self, condition: Value) -> list[Value] | None:
        """What holds before the loop where a condition holds in no round of it, if numbers that grow decide that."""
        condition = self.made.get(condition.name, condition) if isinstance(condition, Name) else condition
        if not isinstance(condition, Apply) or condition.lanes > 1:
            return None
        if condition.op == "or":
            parts = [self.holds(part) for part in condition.operands]
            return None if None in parts else [test for part in parts for test in part or ()]
        if condition.op not in ("lt", "ge"):
            return None
        number, end = map(_signed, condition.operands)
        unsigned = condition.operands[0].type == uint64
        value, limit = self.numbers.linear(number), self.numbers.linear(end)
        if value is None or limit is None or limit.step:
            return None
        ends = dict.fromkeys((value.first, value.last(self.rounds)))
        if condition.op == "ge" and unsigned:
            longest = compare("ge", limit.first, integer(0))
            return [longest, *(negated(compare("ge", _unsigned(n), _unsigned(limit.first))) for n in ends)]
        return None if unsigned else [negated(compare(condition.op, n, limit.first)) for n in ends]

    def is_data(self, condition: Value) -> bool:
        """Whether elements decide a condition."""
        waiting, seen = [condition], set[str]()
        while waiting:
            for part in values(waiting.pop()):
                if isinstance(part, Load):
                    return True
                if isinstance(part, Name) and part.name not in seen:
                    seen.add(part.name)
                    if part.name in self.made:
                        waiting.append(self.made[part.name])
                    elif part.name in self.numbers.changed and part.name not in self.numbers.known:
                        return True
        return False


def _is_check(node: If) -> bool:
    """Whether a branch ends the function, or looks at a subscript that may count from the end."""
    *before, last = node.then if node.rare and node.then else (None,)
    if not before:
        return isinstance(last, Fail) and last.leaves
    return len(before) == 1 and isinstance(before[0], Assign) and isinstance(last, If) and last.rare and _is_check(last)


def _signed(value: Value) -> Value:
    return value.operands[0] if isinstance(value, Apply) and value.op == "cast" and value.type == uint64 else value


def _unsigned(value: Value) -> Value:
    return Apply("cast", (value,), uint64)
