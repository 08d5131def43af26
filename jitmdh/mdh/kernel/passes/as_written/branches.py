"""Branches: what is chosen by a condition that guards memory, too, is found in the branch, as the source had it.

Before:   if (t) {                            after:   double next = 0.0;
              a = x[i];                                if (t) {
          }                                                a = x[i];
          const double a_now = a;                          const double a_now = a;
          const double next = t ? a_now : s;               next = a_now;
          s = next;                                    } else {
                                                           next = s;
                                                       }
                                                       s = next;

Requires: functions that only a branch needs are in it already.
Ensures: the same accesses in the same order, under conditions that hold in the same cases. Only bodies of loops of one
lane that data may end are changed. What stands between, and does not depend on the branch, comes before it.

A processor that guesses a jump goes on at once; what is chosen waits for the condition and for both values, in each
round of a recurrence. Where there is a jump anyway, code generation does not undo the choice, nor where one condition
chooses three numbers or more: two indices that go towards each other, and what has been found on the way; or two with
a float among them: the smallest number so far, and where it is. A comparison that excludes another one of the same
numbers stands for the other branch: `a > b` behind `a <= b`. Jumps, too, are three distances or more that a place of
loads may go on by, which is all that the next round waits for: the length of a character in UTF-8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.kernel.arithmetic import FALSE, TRUE, integer, spread
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Statement,
    Store,
    Value,
    While,
)
from jitmdh.mdh.kernel.rewrite import Body, children, kinds, map_bodies, map_children, same, statements, values

_LONGEST = 60  # statements between a branch and what is chosen by its condition
_DEEPEST = 6  # branches in each other
_DISTANCES = 3  # that a position may go on by: code generation makes a choice of a jump for two
_TOGETHER = 3  # numbers chosen by one condition: code generation makes no choices of a jump for so many
_TOGETHER_WITH_FLOATS = 2  # the choice of a float takes several times as long as that of an integer

_CASES = {"lt": {"<"}, "le": {*"<="}, "gt": {">"}, "ge": {*">="}, "eq": {"="}, "ne": {*"<>?"}}
"""In which cases a comparison holds. `?`: one of two floats is NaN."""


def find_branches(kernel: Kernel) -> Kernel:
    if While not in kinds(kernel.body):
        return kernel
    body = _Branches().outside(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Branches:
    def __init__(self) -> None:
        self.count = 0
        self.places: set[str] = set()  # names that say where the present loop loads

    def outside(self, body: Body) -> Body:
        new = [self.loop(s) if isinstance(s, While) else map_bodies(s, self.outside) for s in body]
        return body if same(new, body) else tuple(new)

    def loop(self, node: While) -> Statement:
        node = map_bodies(node, self.outside)
        if node.condition.lanes > 1:
            return node
        self.places = _places(node.body)
        body = self.body(node.body, {}, _DEEPEST)
        return node if body is node.body else replace(node, body=body)

    def body(self, body: Body, around: Mapping[str, Value], depth: int) -> Body:
        """around: conditions that have names."""
        known = {**around, **_conditions(body)}
        new, place = list(body), 0
        while depth and place < len(new):
            if (steps := _taken(new[place], self.places)) is not None:
                new[place : place + 1] = steps
                place += len(steps)
                continue
            end = self.chosen(new, place, known)
            end = _chosen_together(new, place) if end is None else end
            if end is None:
                place += 1
                continue
            condition = _chooses(new[end])
            assert condition is not None
            made = self.branch(new[place : end + 1], condition, new[end + 1 :], known, depth)
            new[place : end + 1] = made
            place += len(made)
        return body if same(new, body) else tuple(new)

    def chosen(self, body: Sequence[Statement], place: int, known: Mapping[str, Value]) -> int | None:
        """The last statement that chooses by a condition that decides about the branch at `place`, if that is one."""
        first = body[place]
        if not isinstance(first, If) or not _is_of_memory(first):
            return None
        found: int | None = None
        by: Name | None = None
        inside: list[If] = []
        for n in range(place, min(len(body), place + _LONGEST)):
            node = body[n]
            if isinstance(node, Let):
                condition = _chooses(node)
                if condition is None or condition != (by or condition):
                    continue
                if all(_decides(condition, branch, known) for branch in inside):
                    found, by = n, condition
            elif isinstance(node, If) and not node.rare and While not in kinds((node,)):
                inside.append(node)
            elif not (isinstance(node, Declare) and isinstance(node.value, Literal)):
                break
        return found

    def branch(
        self,
        inside: Sequence[Statement],
        condition: Name,
        behind: Sequence[Statement],
        known: Mapping[str, Value],
        depth: int,
    ) -> list[Statement]:
        """The branch that `inside` is; names that it gives are there behind it."""
        before, rest = _hoisted(inside, condition)
        used = {v.name for s in statements(tuple(behind)) for v in values(s) if isinstance(v, Name)}
        given = [s.name for s in rest if isinstance(s, Let) and s.name.name in used]
        self.count += 1
        variables = {name: replace(name, name=f"{name.name}.either{self.count}") for name in given}
        ends = tuple(Assign(variable, name) for name, variable in variables.items())
        sides = [
            self.body((*_UnderCondition(condition, holds, known).body(tuple(rest)), *ends), known, depth - 1)
            for holds in (True, False)
        ]
        zeros = (Literal(v.type.numpy.type(0).item(), v.type) for v in variables.values())
        declared = [Declare(v, spread(zero, v.lanes)) for v, zero in zip(variables.values(), zeros)]
        names = [Let(name, variable) for name, variable in variables.items()]
        return [*before, *declared, If(condition, sides[0], sides[1]), *names]


def _conditions(body: Body) -> dict[str, Value]:
    """What names of conditions stand for, without those of variables, which change."""
    found: dict[str, Value] = {}
    variables = {s.name.name for s in statements(body) if isinstance(s, Assign | Declare)}
    for node in body:
        if not isinstance(node, Let) or node.name.type != bool_ or node.name.lanes > 1:
            continue
        if not any(isinstance(v, Name) and v.name in variables for v in values(node.value)):
            found[node.name.name] = node.value
    return found


def _chooses(node: Statement) -> Name | None:
    """The name of the condition by which a number is chosen."""
    if isinstance(node, Let) and isinstance(node.value, Apply) and node.value.op == "select" and node.value.lanes == 1:
        condition = node.value.operands[0]
        return condition if isinstance(condition, Name) else None
    return None


def _chosen_together(body: Sequence[Statement], place: int) -> int | None:
    """The last of several numbers that are chosen by one condition, from `place` on, if they are enough for a jump."""
    condition, found = _chooses(body[place]), list[int]()
    for n in range(place, min(len(body), place + _LONGEST)) if condition is not None else ():
        node = body[n]
        if not isinstance(node, Let):
            break
        if _chooses(node) == condition:
            found.append(n)
    floats = any(body[n].name.type.is_floating for n in found)  # type: ignore[union-attr]
    return found[-1] if len(found) >= (_TOGETHER_WITH_FLOATS if floats else _TOGETHER) else None


def _places(body: Body) -> set[str]:
    """The names in offsets of loads, and in what these come from."""
    found: set[str] = set()
    for node in reversed(list(statements(body))):
        parts = list(values(node))
        if isinstance(node, Let) and node.name.name in found:
            found |= {v.name for v in parts if isinstance(v, Name)}
        offsets = [v for load in parts if isinstance(load, Load) for v in values(load.offset)]
        found |= {v.name for v in offsets if isinstance(v, Name)}
    return found


def _taken(node: Statement, places: Set[str]) -> list[Statement] | None:
    """How far a place of loads goes on, as data say: a jump for each of three distances or more, all to one point.

    The next round's load is on its way before this one's has come; a choice would wait for it.
    """
    if not isinstance(node, Let) or node.value.lanes > 1 or node.name.type != int64:
        return None
    conditions, distances, value = list[Value](), list[Value](), node.value
    while isinstance(value, Apply) and value.op == "select":
        condition, chosen, value = value.operands
        conditions.append(condition)
        distances.append(chosen)
    distances.append(value)
    origins = set(map(_from, distances))
    if len(distances) < _DISTANCES or len(origins) > 1 or origins.isdisjoint(places):
        return None
    variable = replace(node.name, name=f"{node.name.name}.taken")
    body: Body = (Assign(variable, distances[-1]),)
    for condition, distance in zip(reversed(conditions), reversed(distances[:-1])):
        body = (If(condition, (Assign(variable, distance),), body),)
    return [Declare(variable, integer(0)), *body, Let(node.name, variable)]


def _from(value: Value) -> str:
    """The name that a known number is added to; "" where there is none."""
    match value:
        case Name(name) | Apply("add" | "sub", (Name(name), Literal())):
            return name
    return ""


def _is_of_memory(node: If) -> bool:
    """Whether there are accesses in it: otherwise, code generation may choose as well."""
    return any(isinstance(p, Load | Store) for s in statements((node,)) for p in (s, *values(s)))


def _decides(condition: Name, node: If, known: Mapping[str, Value]) -> bool:
    return any(_under(node.condition, condition, holds, known) is not None for holds in (True, False))


def _under(value: Value, condition: Name, holds: bool, known: Mapping[str, Value]) -> Value | None:
    """What a condition is where `condition` holds, or does not; None: it says nothing."""
    if isinstance(value, Name):
        if value == condition:
            return TRUE if holds else FALSE
        meant = known.get(value.name)
        return None if meant is None else _under(meant, condition, holds, known)
    if (said := _compared(value, known.get(condition.name), holds)) is not None:
        return TRUE if said else FALSE
    if not isinstance(value, Apply) or value.op not in ("and", "or", "not"):
        return None
    parts = [_under(v, condition, holds, known) for v in value.operands]
    if all(part is None for part in parts):
        return None
    new = [v if part is None else part for v, part in zip(value.operands, parts)]
    if value.op == "not":
        return FALSE if new[0] == TRUE else TRUE if new[0] == FALSE else Apply("not", (new[0],), bool_)
    neutral, strong = (TRUE, FALSE) if value.op == "and" else (FALSE, TRUE)
    if strong in new:
        return strong
    left = [v for v in new if v != neutral]
    return Apply(value.op, tuple(left), bool_) if len(left) > 1 else left[0] if left else neutral


def _compared(value: Value, known: Value | None, holds: bool) -> bool | None:
    """Whether a comparison holds where another one of the same numbers holds, or does not; None: it may, or may not.

    Elements are no such numbers: they may have changed between.
    """
    match value, known:
        case Apply(op, (*numbers,)), Apply(other, (*same_numbers,)) if op in _CASES and other in _CASES:
            if numbers != same_numbers or any(isinstance(part, Load) for part in values(value)):
                return None
            left = _CASES[other] if holds else {*"<=>?"} - _CASES[other]
            if not numbers[0].type.is_floating:
                left = left - {"?"}
            return True if left <= _CASES[op] else False if left.isdisjoint(_CASES[op]) else None
    return None


def _hoisted(inside: Sequence[Statement], condition: Name) -> tuple[list[Statement], list[Statement]]:
    """What can be computed before the branch, and what cannot."""
    moving = {s.name.name for s in statements(tuple(inside)) if isinstance(s, Assign)}
    before: list[Statement] = []
    rest: list[Statement] = []
    for node in inside:
        if isinstance(node, Declare):
            before.append(node)
            continue
        parts = list(values(node)) if isinstance(node, Let) else []
        stays = not isinstance(node, Let) or condition in parts or any(isinstance(p, Load) for p in parts)
        if stays or any(isinstance(p, Name) and p.name in moving for p in parts):
            rest.append(node)
            if isinstance(node, Let):
                moving.add(node.name.name)
        else:
            before.append(node)
    return before, rest


class _UnderCondition:
    """Statements where a condition is known to hold, or not to hold."""

    def __init__(self, condition: Name, holds: bool, known: Mapping[str, Value]) -> None:
        self.condition, self.holds, self.known = condition, holds, known

    def body(self, body: Body) -> Body:
        return tuple(new for node in body for new in self.statement(node))

    def statement(self, node: Statement) -> Sequence[Statement]:
        if isinstance(node, If):
            under = _under(node.condition, self.condition, self.holds, self.known)
            if under in (TRUE, FALSE):
                return self.body(node.then if under == TRUE else node.otherwise)
            if under is not None:
                node = replace(node, condition=under)
        return (map_bodies(map_children(node, self.value), self.body),)

    def value(self, node: Value) -> Value:
        if isinstance(node, Name) and node.type == bool_ and node.lanes == 1:
            under = _under(node, self.condition, self.holds, self.known)
            return node if under is None else under
        if not children(node):
            return node
        node = map_children(node, self.value)
        if isinstance(node, Apply) and node.op == "select" and node.operands[0] in (TRUE, FALSE):
            return node.operands[1 if node.operands[0] == TRUE else 2]
        return node
