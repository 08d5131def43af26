"""Gathers from a row, or from two that a condition chooses from: neighbours in memory come by one load of each.

Before:   const long8 row = c ? splat8(u) : 0;            after:   const double8 w = c ? load8(&w[u*m + j] ? c)
          const long8 at = row*splat8(m)                                             : load8(&w[j] ? !c);
                         + (splat8(j) + iota8);
          const double8 w = gather8(w, at);

A subscript that only some iterations need is 0 in the others: their lanes are read from the first row.

Requires: no two statements bind the same name, or these names are not looked into.
Ensures: a named gather whose lanes are neighbours, or neighbours in one of two places, has become a load, or two under
masks that exclude each other. The same elements are read, and every value stays what it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, both, integer, multiply, negated, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Declare,
    Iota,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Splat,
    Statement,
    Value,
)
from jitmdh.mdh.kernel.rewrite import NESTED, Rewriter, statements, values

_PURE = (Literal, Argument, Apply, Splat)
_ARITHMETIC = frozenset({"add", "sub", "mul", "minimum", "maximum", "cast", "neg"})


def load_chosen_rows(kernel: Kernel, masked_bytes: int) -> Kernel:
    """masked_bytes: of the smallest elements that the machine loads under a mask; 0: it has no such loads."""
    found = list(statements(kernel.body))
    if not any(isinstance(s, Let) and _is_gather(s.value) for s in found):
        return kernel
    return _ChosenRows(found, masked_bytes).kernel(kernel)


@dataclass(frozen=True, slots=True)
class _Line:
    """Lane n is `base + n*step`."""

    base: Value
    step: int


@dataclass(frozen=True, slots=True)
class _Choice:
    """Lanes of one line where a condition holds, and of another one where it does not."""

    condition: Value
    one: _Line
    other: _Line


class _ChosenRows(Rewriter):
    """named: vectors by their names, as far as these are bound once; unsteady: names whose value may change."""

    kinds = frozenset({Let, *NESTED})

    def __init__(self, found: Sequence[Statement], masked_bytes: int) -> None:
        lets = [s for s in found if isinstance(s, Let)]
        bound = Counter(let.name.name for let in lets)
        variables = {s.name.name for s in found if isinstance(s, Declare)}
        self.masked_bytes = masked_bytes
        self.unsteady = variables | {name for name, times in bound.items() if times > 1}
        self.named = {s.name.name: s.value for s in lets if s.name.lanes > 1 and s.name.name not in self.unsteady}

    def statement(self, node: Statement) -> Sequence[Statement]:
        if isinstance(node, Let):
            new = self.loaded(node.value) if _is_gather(node.value) else None
            return (node if new is None else replace(node, value=new),)
        return super().statement(node)

    def loaded(self, load: Value) -> Value | None:
        assert isinstance(load, Load)
        found = self.lanes(load.offset)
        if isinstance(found, _Line):
            return self.neighbours(load, found, load.mask) if found.step == 1 else None
        if found is None or {found.one.step, found.other.step} != {1}:
            return None
        if not 0 < self.masked_bytes <= load.type.size_bytes:
            return None
        masks = both(load.mask, found.condition), both(load.mask, negated(found.condition))
        sides = (self.neighbours(load, line, mask) for line, mask in zip((found.one, found.other), masks))
        return Apply("select", (found.condition, *sides), load.type, load.lanes)

    def neighbours(self, load: Load, line: _Line, mask: Value | None) -> Load:
        return replace(load, offset=line.base, stride=integer(1), mask=mask)

    def lanes(self, value: Value) -> _Line | _Choice | None:
        match value:
            case Literal(number, type):
                return _Line(Literal(number, type), 0)
            case Iota():
                return _Line(integer(0), 1)
            case Splat(one):
                return _Line(one, 0) if self.is_steady(one) else None
            case Name(name) if name in self.named:
                return self.lanes(self.named[name])
            case Apply("select", (condition, one, other)):
                left, right = self.lanes(one), self.lanes(other)
                if isinstance(left, _Line) and isinstance(right, _Line) and self.is_steady(condition):
                    return _Choice(condition, left, right)
            case Apply(op, operands) if op in _ARITHMETIC:
                return self.computed(value, [self.lanes(v) for v in operands])
        return None

    def computed(self, value: Apply, operands: Sequence[_Line | _Choice | None]) -> _Line | _Choice | None:
        choices = [v for v in operands if isinstance(v, _Choice)]
        if not choices:
            return _combined(value, operands)
        if any(v.condition != choices[0].condition for v in choices):
            return None
        one, other = (
            _combined(value, [getattr(v, side) if isinstance(v, _Choice) else v for v in operands])
            for side in ("one", "other")
        )
        return None if one is None or other is None else _Choice(choices[0].condition, one, other)

    def is_steady(self, value: Value) -> bool:
        """Whether it is the same where it is looked at as where it was written."""
        return not any(
            (isinstance(v, Name) and v.name in self.unsteady)
            or not isinstance(v, Name | Literal | Argument | Apply | Splat)
            for v in values(value)
        )


def _is_gather(value: Value) -> bool:
    return isinstance(value, Load) and value.lanes > 1 and value.offset.lanes > 1


def _combined(value: Apply, operands: Sequence[_Line | _Choice | None]) -> _Line | None:
    """An operation on lines, if its result is one."""
    lines = [v for v in operands if isinstance(v, _Line)]
    if len(lines) < len(operands):
        return None
    if not any(line.step for line in lines):
        return _Line(Apply(value.op, tuple(line.base for line in lines), value.type), 0)
    match value.op, lines:
        case "add", (left, right):
            return _Line(add(left.base, right.base), left.step + right.step)
        case "sub", (left, right):
            return _Line(subtract(left.base, right.base), left.step - right.step)
        case ("mul", (_Line(base, step), _Line(Literal(int(by)), 0))) | (
            "mul",
            (_Line(Literal(int(by)), 0), _Line(base, step)),
        ):
            return _Line(multiply(base, integer(by)), step * by)
    return None
