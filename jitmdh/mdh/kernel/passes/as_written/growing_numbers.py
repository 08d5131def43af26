"""Numbers that grow by the same amount in each round of a counted loop, whose body follows a source.

for (t = 0; t < trips; t += 1) {      known:  i: i + 2·t      (i: as it is before the loop)
    const long at = 3 * i + k;                at: (i·3 + k) + 6·t
    i = i + 2;                                i behind it: (i + 2) + 2·t
}
"""

from __future__ import annotations

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply, subtract
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Let, Literal, Name, Statement, Value
from jitmdh.mdh.kernel.rewrite import Body, statements, values

_LARGEST_STEP = 1 << 20
_LONGEST = 24
"""Values in a number that is computed before the loop."""

_ARITHMETIC = frozenset({"add", "sub", "mul"})


@dataclass(frozen=True, slots=True)
class Linear:
    """A number of a round: `first` in the first one, by `step` more in each one behind it, modulo 2⁶⁴."""

    first: Value
    step: int = 0

    def last(self, rounds: Value) -> Value:
        """In the last of so many rounds."""
        return add(self.first, multiply(subtract(rounds, integer(1)), integer(self.step))) if self.step else self.first


class GrowingNumbers:
    """What is known of numbers at a place of a loop's body that `see` moves on.

    counting: the variables that grow, which the body assigns to once; changed: names that get values in the loop;
    known: numbers of the present round, by their names.
    """

    def __init__(self, node: For) -> None:
        inside = list(statements(node.body))
        assigned = [s.name for s in inside if isinstance(s, Assign)]
        declared = {s.name.name for s in inside if isinstance(s, Declare | Let)}
        self.assigned = frozenset(assigned)
        self.changed = {node.name.name, *declared, *(name.name for name in assigned)}
        self.known: dict[str, Linear | None] = {}
        counting: dict[str, Linear | None] = {}
        for name in [s.name for s in node.body if isinstance(s, Assign)]:
            if name.type == int64 and name.lanes == 1 and assigned.count(name) == 1 and name.name not in declared:
                step = self._step(node.body, name)
                if step is not None:
                    counting[name.name] = Linear(name, step)
        self.known = counting
        self.counting = frozenset(counting)

    def _step(self, body: Body, variable: Name) -> int | None:
        """By how much a variable that is assigned to once grows in a round."""
        self.known = {variable.name: Linear(variable)}  # what holds up to there
        for node in body:
            if isinstance(node, Assign) and node.name == variable:
                after = self.linear(node.value)
                apart = None if after is None else subtract(after.first, variable)
                step = int(apart.value) if isinstance(apart, Literal) else 0  # type: ignore[arg-type]
                return step if 0 < abs(step) <= _LARGEST_STEP else None
            self.see(node)
        return None

    def see(self, node: Statement) -> None:
        """Go on behind a statement, not into others inside of it."""
        stays = isinstance(node, Let) or (isinstance(node, Declare) and node.name not in self.assigned)
        if stays or (isinstance(node, Assign) and self.known.get(node.name.name)):
            assert isinstance(node, Let | Declare | Assign)
            self.known[node.name.name] = self.linear(node.value)

    def linear(self, value: Value) -> Linear | None:
        if isinstance(value, Literal):
            return Linear(value) if value.type == int64 and value.lanes == 1 else None
        if isinstance(value, Name):
            if value.name in self.known:
                return self.known[value.name]
            return (
                Linear(value) if value.type == int64 and value.lanes == 1 and value.name not in self.changed else None
            )
        if not isinstance(value, Apply) or value.op not in _ARITHMETIC or value.type != int64 or value.lanes > 1:
            return None
        left, right = map(self.linear, value.operands)
        if left is None or right is None:
            return None
        if value.op == "mul":
            if isinstance(left.first, Literal):
                left, right = right, left
            by = int(right.first.value) if isinstance(right.first, Literal) else 0  # type: ignore[arg-type]
            if right.step or (left.step and not by):
                return None
            found = Linear(multiply(left.first, right.first), left.step * by)
        elif value.op == "add":
            found = Linear(add(left.first, right.first), left.step + right.step)
        else:
            found = Linear(subtract(left.first, right.first), left.step - right.step)
        return found if abs(found.step) <= _LARGEST_STEP and _is_short(found.first) else None


def _is_short(value: Value) -> bool:
    return sum(1 for _ in values(value)) <= _LONGEST
