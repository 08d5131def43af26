"""Loops that data end, and that end soon whatever the data are: each round takes a bit from an integer.

    while v != 0:          while v > 0:           while v > 0:
        v &= v - 1             v >>= 1                digits += v % 10
        count += 1             length += 1            v //= 10

The number of rounds is the number of bits at most. For negative numbers a shift and a floor division end at -1, and not
at 0: a loop until a signed number is 0 may go on for ever with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jitmdh.mdh.kernel.ir import Apply, Assign, Let, Literal, Name, Statement, Value, While
from jitmdh.mdh.kernel.rewrite import statements

_AS_GREATER = {"lt": "gt", "le": "ge", "ne": "ne"}
"""What a comparison with the literal in front is with the literal behind."""


def most_rounds(loop: While) -> int | None:
    """How many rounds a loop has at most, because of what its body does to one integer; None: nothing is known."""
    places = {s.name.name: n for n, s in enumerate(loop.body) if isinstance(s, Assign)}
    assigned = [s.name.name for s in statements(loop.body) if isinstance(s, Assign)]
    lets = {s.name.name: (n, s.value) for n, s in enumerate(loop.body) if isinstance(s, Let)}
    active = loop.condition
    if not isinstance(active, Name) or active.lanes > 1 or assigned.count(active.name) != 1:
        return None
    if active.name not in places:
        return None
    again = loop.body[places[active.name]]
    assert isinstance(again, Assign)
    for name, test in _tests(again.value, lets):
        at, variable = lets.get(name.name, (0, name))
        if not isinstance(variable, Name) or assigned.count(variable.name) != 1 or variable.name not in places:
            continue
        changed = places[variable.name]
        if changed < at and _shrinks(loop.body, changed, variable, test, lets):
            return 1 + variable.type.numpy.itemsize * 8
    return None


def _tests(value: Value, lets: Mapping[str, tuple[int, Value]]) -> Iterator[tuple[Name, str]]:
    """The names that are greater than 0 ("gt") or not 0 ("ne") where a condition holds."""
    match value:
        case Name() if value.name in lets:
            yield from _tests(lets[value.name][1], lets)
        case Apply("and", operands):
            for one in operands:
                yield from _tests(one, lets)
        case Apply(("gt" | "ge" | "ne") as op, (Name() as name, Literal() as bound)):
            yield from _test(op, name, bound)
        case Apply(("lt" | "le" | "ne") as op, (Literal() as bound, Name() as name)):
            yield from _test(_AS_GREATER[op], name, bound)


def _test(op: str, name: Name, bound: Literal) -> Iterator[tuple[Name, str]]:
    if name.type.numpy.kind in "iu" and bound.value == (1 if op == "ge" else 0):
        yield name, "ne" if op == "ne" else "gt"


def _shrinks(
    body: tuple[Statement, ...], changed: int, variable: Name, test: str, lets: Mapping[str, tuple[int, Value]]
) -> bool:
    """Whether what is assigned at `changed` has fewer bits, as long as the test holds."""
    node = body[changed]
    assert isinstance(node, Assign)

    def is_before(value: Value) -> bool:
        """Whether it is what the variable was when the round began."""
        if not isinstance(value, Name):
            return False
        at, meant = lets.get(value.name, (changed, value))
        return meant == variable and at <= changed

    value: Value = node.value
    while isinstance(value, Name) and value.name in lets and not is_before(value):
        value = lets[value.name][1]
    match value:
        case Apply("and", (old, Apply("sub", (same, Literal(1))))):
            return is_before(old) and is_before(same)
        case Apply("and", (Apply("sub", (same, Literal(1))), old)):
            return is_before(old) and is_before(same)
        case Apply("rshift", (old, Literal(by))) if isinstance(by, int) and by >= 1:
            return is_before(old) and (test == "gt" or variable.type.numpy.kind == "u")
        case Apply("floordiv", (old, Literal(by))) if isinstance(by, int) and by >= 2:
            return is_before(old) and (test == "gt" or variable.type.numpy.kind == "u")
    return False
