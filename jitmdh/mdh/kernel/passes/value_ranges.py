"""Value ranges: conditions on integers that always hold, or never do, are not looked at.

Before:   while (active) {                              after:   while (active) {
              const bool outside = (j < 0) | (j >= n);
              if (outside) { faulty = true; }
              else { s = x[j]; }                                     s = x[j];
              j = j + 1;                                             j = j + 1;
              active = (j < n) & !faulty;                            active = j < n;
          }                                                      }

Requires: nothing. Kernels without a `While` are left alone, since the other loops are made without needless conditions:
all but short ones in which numbers are remainders.
Ensures: every value that is used, and all that is stored, stay what they were. Neighbours on a ring, such as
`(j + 1) % n`, are found without a division. Bounds of differences of integers are
found from what they are computed from, from loop bounds, conditions around, and what variables keep from one round of a
loop to the next (the greatest set of facts found at its beginning that each round leaves true); of vectors, the same in
each lane. Where that would take long, nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from jitmdh.base.capacity import LARGEST
from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.kernel.arithmetic import spread
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    Assume,
    Declare,
    Fail,
    For,
    If,
    Iota,
    Kernel,
    Let,
    Literal,
    Name,
    Parallel,
    Splat,
    Statement,
    Value,
    While,
)
from jitmdh.mdh.kernel.ranges.arithmetic import Abstract, Integer, RangeArithmetic, constant
from jitmdh.mdh.kernel.ranges.carried import Carried, State, Variables
from jitmdh.mdh.kernel.ranges.conditions import Condition, Facts, Known, both, contrary, either
from jitmdh.mdh.kernel.ranges.differences import Bounds
from jitmdh.mdh.kernel.rewrite import Body, kinds, map_bodies, map_children, same, statements

_LONGEST = 4000
"""Statements that are gone through before the pass gives up: some tens of milliseconds."""

_SHORT = 800
"""Statements of a kernel without data-dependent loops that may be looked at, where there are remainders."""

_ROUNDS = 6
"""How often a loop is gone through until bounds that still move are given up."""


def narrow(kernel: Kernel) -> Kernel:
    all_of_it = While in kinds(kernel.body)
    if not all_of_it and not _has_remainders(kernel.body):
        return kernel
    try:
        body = _Narrowing(all_of_it).body(kernel.body)
    except _TooLongError:
        return kernel
    return kernel if body is kernel.body else replace(kernel, body=body)


def _has_remainders(body: Body) -> bool:
    """Whether statements divide for the remainder of a number, no vector; of many, nobody looks."""
    found = False
    for count, node in enumerate(statements(body)):
        if count > _SHORT:
            return False
        value = node.value if type(node) is Let else None
        found |= type(value) is Apply and value.op == "mod" and value.lanes == 1 and value.type == int64
    return found


class _TooLongError(Exception):
    """Of a kernel."""


class _Narrowing(State):
    """Goes through a kernel in the order in which it is executed.

    known: what names stand for, at this place; exploring: whether loops are gone through only once, with nothing known
    of their variables; hidden: what the names that the present body binds stood for before; begun: how many integers
    there were when the present rounds of the loops around began; last: of loops by their bodies, what turned out to be
    true of their variables the last time, and what was begun then; all_of_it: whether loops without remainders are
    gone through, too.
    """

    def __init__(self, all_of_it: bool = True) -> None:
        super().__init__(RangeArithmetic(Facts()))
        self.all_of_it = all_of_it
        self.seen = 0
        self.exploring = False
        self.hidden: list[tuple[str, bool, Abstract]] = []
        self.begun: list[int] = []
        self.last: dict[int, tuple[list[int], dict[str, Carried]]] = {}

    # --------------------------------------------------------------------------------------- statements

    def body(self, body: Body) -> Body:
        around, self.hidden = self.hidden, []
        new = [done for node in body for done in self.statement(node)]
        for name, there, value in reversed(self.hidden):
            if there:
                self.known[name] = value
            else:
                del self.known[name]
        self.hidden = around
        return body if same(new, body) else tuple(new)

    def statement(self, node: Statement) -> Sequence[Statement]:
        self.seen += 1
        if self.seen > _LONGEST:
            raise _TooLongError
        match node:
            case Let(name, value) | Declare(name, value) | Assign(name, value):
                if not isinstance(node, Assign):
                    self.hidden.append((name.name, name.name in self.known, self.known.get(name.name)))
                new, self.known[name.name] = self.value(value)
                self.types[name.name] = name
                return (node if new is value else replace(node, value=new),)
            case If():
                return self.branch(node)
            case While():
                return (self.loop(node),)
            case For():
                return (self.counted(node),)
            case Parallel():
                node = map_children(node, self.rewritten)
                with self.facts.scope():
                    self.known[node.name.name] = self.between(constant(0), self.value(node.count)[1])
                    return (map_bodies(node, self.body),)
            case Assume():
                _, found = self.value(node.condition)
                assert isinstance(found, Condition)
                self.facts.assume(found)
                return ()
            case Fail(condition, _):
                new, found = self.value(condition)
                if found == Known(False):
                    return ()
                return (node if new is condition else replace(node, condition=new),)
            case _:
                return (map_bodies(map_children(node, self.rewritten), self.body),)

    def between(self, begin: Abstract, end: Abstract, natural: bool = True) -> Abstract:
        """The index of a loop from `begin` to before `end`."""
        least, greatest = int64.limits()
        index = self.arithmetic.number(int64, 0 if natural else least, greatest)
        if isinstance(begin, Integer):
            self.facts.suppose(self.arithmetic.at_most(begin, index))
        if isinstance(end, Integer):
            self.facts.suppose(self.arithmetic.at_most(index, end, -1))
        return index

    def counted(self, node: For) -> Statement:
        if not self.all_of_it and not _has_remainders(node.body):
            for name in self.variables((node.body,)):
                self.known[name] = self.arithmetic.unknown(self.types[name].type)
            return node
        node = map_children(node, self.rewritten)
        begin, end = (self.value(v)[1] for v in (node.begin, node.end))

        def round() -> Statement:
            self.known[node.name.name] = self.between(begin, end, node.natural)
            self.facts.revisit()
            return map_bodies(node, self.body)

        return self.carried(node.body, round)

    def loop(self, node: While) -> Statement:
        def round() -> Statement:
            condition, found = self.value(node.condition)
            if node.condition.lanes == 1:
                assert isinstance(found, Condition)
                self.facts.suppose(found)
            self.facts.revisit()
            body = self.body(node.body)
            unchanged = condition is node.condition and body is node.body
            return node if unchanged else replace(node, condition=condition, body=body)

        condition = node.condition.name if isinstance(node.condition, Name) else None
        new = self.carried(node.body, round, condition)
        _, found = self.value(node.condition)
        assert isinstance(found, Condition)
        self.facts.suppose(contrary(found))
        return new

    def branch(self, node: If) -> Sequence[Statement]:
        condition, found = self.value(node.condition)
        assert isinstance(found, Condition)
        decided = self.facts.decided(found)
        if decided is not None:
            taken = node.then if decided else node.otherwise
            if not any(isinstance(s, (Let, Declare)) and s.name.name in self.known for s in taken):
                return self.inlined(taken)
        scalar = node.condition.lanes == 1
        before, mark = self.variables((node.then, node.otherwise)), self.facts.differences.count
        ends: list[tuple[Variables, dict[str, tuple[Bounds, Bounds]]]] = []
        new: list[Body] = []
        for body, where in ((node.then, found if scalar else Known(True)), (node.otherwise, contrary(found))):
            self.known.update(before)
            with self.facts.scope(where):
                new.append(self.body(body))
                after = {name: self.known[name] for name in before}
                integers = {n: v for n, v in after.items() if isinstance(v, Integer)}
                ends.append((after, {n: self.arithmetic.bounds(v, mark) for n, v in integers.items()}))
        for name in before:
            values = [end[0][name] for end in ends]
            self.known[name] = self.merged(name, found if scalar else None, values, [end[1].get(name) for end in ends])
        if condition is node.condition and new[0] is node.then and new[1] is node.otherwise:
            return (node,)
        return (replace(node, condition=condition, then=new[0], otherwise=new[1]),)

    def inlined(self, body: Body) -> Sequence[Statement]:
        """The statements of a branch that is always taken."""
        return [new for node in body for new in self.statement(node)]

    def merged(
        self, name: str, where: Condition | None, values: list[Abstract], bounds: list[tuple[Bounds, Bounds] | None]
    ) -> Abstract:
        """A variable after a branch. where: the condition of a single lane, None for several."""
        then, otherwise = values
        if then == otherwise:
            return then
        type = self.types[name].type
        if isinstance(then, Integer) and isinstance(otherwise, Integer):
            return self.arithmetic.joined(type, [b for b in bounds if b is not None])
        if isinstance(then, Condition) and isinstance(otherwise, Condition) and where is not None:
            return self.facts.short(either(both(where, then), both(contrary(where), otherwise)))
        return self.arithmetic.unknown(type)

    # -------------------------------------------------------------------------------------------- loops

    def variables(self, inside: Sequence[Body]) -> Variables:
        """The variables from around that some statements assign to, and what they are before."""
        assigned = dict.fromkeys(s.name.name for body in inside for s in statements(body) if isinstance(s, Assign))
        return {name: self.known[name] for name in assigned if name in self.known}

    def carried(self, body: Body, round: Callable[[], Statement], condition: str | None = None) -> Statement:
        """What `round`, which goes through a loop's body once, makes of the loop; variables are as after the loop.

        condition: the variable that decides whether there is another round.
        """
        before, mark = self.variables((body,)), self.facts.differences.count
        taken = {name: self.at_entry(name, value) for name, value in before.items()}
        if self.exploring:
            taken = {name: c.unknown() for name, c in taken.items()}
        else:
            again = self.last.get(id(body))
            if again is not None:
                taken = {n: c.without(again[1][n], _moved(again[0], self.begun), mark) for n, c in taken.items()}
            elif condition in taken:
                taken = self.explored(condition, taken, round, mark)
                self.known.update(before)
            if condition in taken:
                taken[condition] = self.held_at_entry(taken[condition], before)
        for number in range(_ROUNDS):
            with self.facts.scope():
                self.enter(taken)
                self.begun.append(self.facts.differences.count)
                new = round()
                self.begun.pop()
                after = {name: self.known[name] for name in before}
                kept = taken
                if not self.exploring:
                    kept = {name: self.kept(c, after, mark, number) for name, c in taken.items()}
            self.known.update(before)
            if kept == taken:
                if not self.exploring:
                    self.last[id(body)] = list(self.begun), taken
                self.enter(taken)
                return new
            taken = kept
        raise _TooLongError

    def explored(
        self, condition: str, taken: dict[str, Carried], round: Callable[[], Statement], mark: int
    ) -> dict[str, Carried]:
        """`taken`, after one round in which nothing is known of it: with what may hold since `condition` does, and
        without bounds that counters leave behind."""
        self.exploring = True
        with self.facts.scope():
            settled = {name: c for name, c in taken.items() if c.always is not None and name != condition}
            self.enter({name: settled.get(name, c.unknown()) for name, c in taken.items()})
            begin = {name: self.known[name] for name in taken}
            round()
            found, after = self.known[condition], {name: self.known[name] for name in taken}
            relations = self.relations(found, after, mark) if isinstance(found, Condition) else ()
            taken = {**taken, condition: Carried(self.types[condition], implied=frozenset(relations))}
        self.exploring = False
        for name, value in after.items():
            first = begin[name]
            if not isinstance(value, Integer) or not isinstance(first, Integer) or value.base != first.base:
                continue
            if value.offset > first.offset:
                taken[name] = replace(taken[name], most={})
        return taken

    # ------------------------------------------------------------------------------------------- values

    def rewritten(self, node: Value) -> Value:
        return self.value(node)[0]

    def value(self, node: Value) -> tuple[Value, Abstract]:
        """What becomes of a value, and what is known of it."""
        match node:
            case Literal(value, type):
                if type.kind == "b":
                    return node, Known(bool(value))
                return node, constant(int(value)) if type.kind in "iu" and isinstance(value, int) else None
            case Name(name, type):
                found = self.known.get(name)
                if found is None and type.kind in "biu":
                    found = self.known[name] = self.arithmetic.unknown(type)
                return self.decided(node, found)
            case Argument():
                size = node.size and node.type == int64
                return node, self.arithmetic.number(int64, 0, LARGEST) if size else self.arithmetic.unknown(node.type)
            case Apply():
                return self.apply(node)
            case Splat():
                new, found = self.value(node.value)
                return node if new is node.value else replace(node, value=new), found
            case Iota():
                return node, self.arithmetic.number(node.type, 0, node.lanes - 1)
            case _:
                return map_children(node, self.rewritten), self.arithmetic.unknown(node.type)

    def apply(self, node: Apply) -> tuple[Value, Abstract]:
        pairs = [self.value(o) for o in node.operands]
        operands, found = [new for new, _ in pairs], [known for _, known in pairs]
        if node.op in ("and", "or") and node.type.kind == "b":
            for n in (0, 1):
                neutral = found[n] == Known(node.op == "and")
                if neutral:
                    return operands[1 - n], found[1 - n]
        if node.op == "select":
            where = found[0]
            holds = self.facts.decided(where) if isinstance(where, Condition) else None
            if holds is not None:
                return pairs[1 if holds else 2]
        new: Value = node if same(operands, node.operands) else replace(node, operands=tuple(operands))
        if node.op == "mod" and node.type == int64:
            new = self.remainder(new, found)
        if node.op == "first_lanes":
            return new, self.facts.new_fact()
        return self.decided(new, self.arithmetic.apply(node.op, found, node.type))

    def remainder(self, node: Value, found: Sequence[Abstract]) -> Value:
        """Of a number that is at most one step beside those from 0 to before the divisor: without a division."""
        assert isinstance(node, Apply)
        number, divisor = found
        if not isinstance(number, Integer) or not isinstance(divisor, Integer):
            return node
        least, (left, right) = self.arithmetic.range(number)[0], node.operands
        zero = spread(Literal(0, int64), node.lanes)
        if self.arithmetic.range(divisor)[0] < 1 or not self.facts.decided(self.arithmetic.at_most(number, divisor)):
            return node
        below = self.facts.decided(self.arithmetic.at_most(number, divisor, -1))
        if least >= 0 and below:
            return left
        if least >= 0:
            behind = Apply("eq", (left, right), bool_, node.lanes)
            return Apply("select", (behind, zero, left), int64, node.lanes)
        if least == -1 and below:
            before, last = Apply("lt", (left, zero), bool_, node.lanes), Apply("add", (left, right), int64, node.lanes)
            return Apply("select", (before, last, left), int64, node.lanes)
        return node

    def decided(self, node: Value, found: Abstract) -> tuple[Value, Abstract]:
        """`node`, or what it always is."""
        if node.type.kind != "b" or not isinstance(found, Condition):
            return node, found
        holds = self.facts.decided(found)
        if holds is None:
            return node, found
        return spread(Literal(holds, bool_), node.lanes), Known(holds)


def _moved(before: Sequence[int], now: Sequence[int]) -> Callable[[int], int]:
    """The integer that now comes up at the place of one of another round of the loops around, as far as places say."""

    def moved(number: int) -> int:
        by = next((b - a for a, b in zip(reversed(before), reversed(now)) if a <= number), 0)
        return number + by

    return moved
