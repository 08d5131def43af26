"""Counted loops: where a loop that asks before each round goes on for a number of rounds that is known, it counts.

Before:   while (active) {                    after:   const long trips.1 = active ? … (n - i) … : 0;
              const long i_now = i;                    for (long trip.1 = 0; trip.1 < trips.1; trip.1 += 1) {
              y[i_now] = a;                                const long i_now = i;
              i = i_now + 1;                               y[i_now] = a;
              const long i_now_1 = i;                      i = i_now + 1;
              active = i_now_1 < n;                    }
          }                                            active = false;

Requires: early exits and value ranges are done: they leave nothing in the condition but the comparison.
Ensures: as many rounds, with the same values in each and behind them. Whoever is in such a loop when it begins runs
one round, whatever the comparison says of it. Any numbers of 64 bits may be compared: they are subtracted as unsigned.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import FALSE, add, compare, divide, integer, subtract
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Kernel, Let, Literal, Name, Statement, Value, While
from jitmdh.mdh.kernel.rewrite import Body, bound, kinds, map_bodies, map_children, same, statements, values

_MOST = 1 << 62
"""Rounds: nobody waits for the end of more."""

_LARGEST_STEP = 1 << 20
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_UNKNOWN = "unknown"


def count_rounds(kernel: Kernel) -> Kernel:
    if While not in kinds(kernel.body):
        return kernel
    body = _Counting().body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


@dataclass(frozen=True, slots=True)
class _Counter:
    """A variable that grows by `step` (not 0) in each round, as long as `variable op end`."""

    variable: Name
    step: int
    op: str
    end: Value

    def rounds(self, active: Name) -> Value:
        """How many there are from now on."""
        first, last = (self.variable, self.end) if self.step > 0 else (self.end, self.variable)
        apart = subtract(last, first)  # unsigned
        if self.op in ("lt", "gt"):
            apart = subtract(apart, integer(1))
        more = divide(apart, abs(self.step))
        if abs(self.step) == 1:
            more = Apply("select", (compare("lt", more, integer(0)), integer(_MOST), more), int64)
        there = compare(self.op, self.variable, self.end)
        some = add(Apply("select", (there, more, integer(0)), int64), integer(1))
        return Apply("select", (active, some, integer(0)), int64)


class _Counting:
    def __init__(self) -> None:
        self.count = 0

    def body(self, body: Body) -> Body:
        new: list[Statement] = []
        for node in body:
            node = map_bodies(node, self.body)
            new += self.loop(node) if isinstance(node, While) else [node]
        return body if same(new, body) else tuple(new)

    def loop(self, node: While) -> list[Statement]:
        counter = _counter(node)
        if counter is None:
            return [node]
        assert isinstance(node.condition, Name)
        self.count += 1
        trips, trip = Name(f"trips.{self.count}", int64), Name(f"trip.{self.count}", int64)
        loop = For(trip, integer(0), trips, integer(1), node.body[:-1], node.comment, natural=True, as_written=True)
        return [Let(trips, counter.rounds(node.condition)), loop, Assign(node.condition, FALSE)]


def _counter(node: While) -> _Counter | None:
    """What tells, at the end of each round, whether there is another one."""
    last = node.body[-1] if node.body else None
    if not isinstance(last, Assign) or last.name != node.condition or node.condition.lanes > 1:
        return None
    if any(value == node.condition for s in statements(node.body) for value in values(s)):
        return None
    assigned = [s.name for s in statements(node.body) if isinstance(s, Assign)]
    made = {_UNKNOWN, *(name.name for s in statements(node.body) if (name := bound(s)) is not None)}
    declared = {s.name for s in statements(node.body) if isinstance(s, Declare)}
    found = _Straight(node.body)
    comparison = found.before(last.value, len(node.body) - 1)
    if assigned.count(last.name) > 1 or not isinstance(comparison, Apply) or comparison.op not in _MIRRORED:
        return None
    left, right = comparison.operands
    for op, variable, end in ((comparison.op, left, right), (_MIRRORED[comparison.op], right, left)):
        if not isinstance(variable, Name) or variable.type != int64 or variable in declared:
            continue
        if assigned.count(variable) != 1:
            continue
        step = found.step(variable)
        ends = all(isinstance(v, Literal | Apply) or (isinstance(v, Name) and v.name not in made) for v in values(end))
        if step is not None and ends and (step > 0) == (op in ("lt", "le")):
            return _Counter(variable, step, op, end)
    return None


class _Straight:
    """What names of a body stand for, as numbers from before the body and variables as they are at its end.

    Only of what is named by the body itself, not of what stands in branches and loops in it.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.at = {s.name.name: n for n, s in enumerate(body) if isinstance(s, Let)}
        several = [s.name.name for s in body if isinstance(s, Let | Declare)]
        self.unsure = {name for name in several if several.count(name) > 1}

    def before(self, value: Value, place: int) -> Value:
        """A value at `place`: names of variables in it mean what they are there."""
        if isinstance(value, Name):
            n = self.at.get(value.name)
            if n is None or n >= place or value.name in self.unsure:
                return value
            known = self.body[n]
            assert isinstance(known, Let)
            return self.settled(self.before(known.value, n), n, place)
        return map_children(value, lambda part: self.before(part, place)) if isinstance(value, Apply) else value

    def settled(self, value: Value, begin: int, end: int) -> Value:
        """`value` of place `begin`, if it is the same at `end`; else a name that nothing is known of."""
        between = {s.name.name for s in statements(self.body[begin:end]) if isinstance(s, Declare | Assign)}
        names = {v.name for v in values(value) if isinstance(v, Name)}
        return value if between.isdisjoint(names) else Name(_UNKNOWN, value.type, value.lanes)

    def step(self, variable: Name) -> int | None:
        """By how much a variable that is assigned to once grows in the body."""
        for place, node in enumerate(self.body):
            if isinstance(node, Assign) and node.name == variable:
                value = self.before(node.value, place)
                if isinstance(value, Apply) and value.op in ("add", "sub") and value.operands[0] == variable:
                    by = value.operands[1]
                    if isinstance(by, Literal) and 0 < abs(step := int(by.value)) <= _LARGEST_STEP:  # type: ignore[arg-type]
                        return step if value.op == "add" else -step
        return None
