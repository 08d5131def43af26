"""What operations make of integers and conditions of which bounds are known.

An integer is a number of the analysis and a constant, `x + 3`. Sums wrap around at the ends of their type: one is
written so only where it is known not to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.records import record
from jitmdh.mdh.kernel.ranges.conditions import AtMost, Both, Condition, Facts, both, contrary, either
from jitmdh.mdh.kernel.ranges.differences import ZERO, Bounds

_CLOSEST = 10
"""To how many integers bounds are kept where several values become one."""


@record(frozen=True, slots=True)
class Integer:
    """Integer number `base` of the analysis, plus `offset`."""

    base: int
    offset: int = 0


Abstract = Integer | Condition | None
"""What is known of a value; None: it is a float, say."""


def constant(value: int) -> Integer:
    return Integer(ZERO, value)


class RangeArithmetic:
    """Operations on integers; `facts` are those of the place where they are. sums: of which two parts an integer is."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.differences = facts.differences
        self.sums: dict[int, tuple[str, Integer, Integer]] = {}

    def unknown(self, type: ScalarType) -> Abstract:
        """Anything of a type."""
        if type == bool_:
            return self.facts.new_fact()
        return self.number(type, *type.limits()) if type.kind in "iu" else None

    def number(self, type: ScalarType, least: int, greatest: int) -> Integer:
        """A new integer between two numbers, or any of its type where these are not in it."""
        low, high = type.limits()
        inside = low <= least and greatest <= high
        return Integer(self.differences.new(*((least, greatest) if inside else (low, high))))

    def range(self, x: Integer) -> tuple[int, int]:
        """The smallest and the greatest number that it can be."""
        least, greatest = self.differences.smallest(x.base), self.differences.greatest(x.base)
        return least + x.offset, greatest + x.offset

    def at_most(self, x: Integer, y: Integer, c: int = 0) -> Condition:
        """x - y ≤ c."""
        return AtMost(x.base, y.base, c - x.offset + y.offset)

    def bound(self, x: Integer, most: Bounds, least: Bounds) -> Integer:
        """`x`, with these bounds of its differences."""
        for y, c in most.items():
            self.differences.suppose(x.base, y, c - x.offset)
        for y, c in least.items():
            self.differences.suppose(y, x.base, x.offset - c)
        return x

    def bounds(self, x: Integer, before: int | None = None) -> tuple[Bounds, Bounds]:
        """The most and the least that its differences are, to the first integers, all with numbers less than `before`.

        Sizes come first: what is close to others is close to them.
        """
        found = []
        for bounds in (self.differences.most(x.base), self.differences.least(x.base)):
            first = sorted(y for y in bounds if before is None or y < before)[:_CLOSEST]
            found.append({y: bounds[y] + x.offset for y in first})
        return found[0], found[1]

    def joined(self, type: ScalarType, parts: Sequence[tuple[Bounds, Bounds]]) -> Integer:
        """One of several integers, of which bounds are given."""
        most, least = joined_bounds(parts)
        return self.bound(self.number(type, least[ZERO], most[ZERO]), most, least)

    # -------------------------------------------------------------------------------------------- operations

    def apply(self, op: str, operands: Sequence[Abstract], type: ScalarType) -> Abstract:
        """The result of an operation of the table on `operands`, of result type `type`."""
        numbers = [o for o in operands if isinstance(o, Integer)]
        if op in _COMPARED and len(numbers) == 2:
            return self.compared(op, *numbers)
        if type.kind == "b":
            return self._logical(op, operands)
        if type.kind not in "iu":
            return None
        if op == "select":
            return self._select(operands, type)
        rule = _RULES.get(op)
        if rule is None or len(numbers) != len(operands):
            return self.unknown(type)
        return rule(self, numbers, type)

    def compared(self, op: str, left: Integer, right: Integer) -> Condition:
        match op:
            case "lt":
                return self.at_most(left, right, -1)
            case "le":
                return self.at_most(left, right)
            case "gt":
                return self.at_most(right, left, -1)
            case "ge":
                return self.at_most(right, left)
            case "eq":
                return Both(self.at_most(left, right), self.at_most(right, left))
            case _:
                return contrary(self.compared("eq", left, right))

    def _logical(self, op: str, operands: Sequence[Abstract]) -> Condition:
        conditions = [o for o in operands if o is not None and not isinstance(o, Integer)]
        if len(conditions) == len(operands):
            match op:
                case "not":
                    return contrary(conditions[0])
                case "and":
                    return self.facts.short(both(*conditions))
                case "or":
                    return self.facts.short(either(*conditions))
                case "select":
                    where, then, otherwise = conditions
                    chosen = either(both(where, then), both(contrary(where), otherwise))
                    return self.facts.short(chosen)
        return self.facts.new_fact()

    def _select(self, operands: Sequence[Abstract], type: ScalarType) -> Abstract:
        where, then, otherwise = operands
        if isinstance(where, Integer) or where is None:
            return self.unknown(type)
        if not isinstance(then, Integer) or not isinstance(otherwise, Integer):
            return self.unknown(type)
        holds = self.facts.decided(where)
        if holds is not None or then == otherwise:
            return then if holds or then == otherwise else otherwise
        parts = []
        for condition, value in ((where, then), (contrary(where), otherwise)):
            with self.facts.scope(condition):
                parts.append(self.bounds(value))
        result = self.joined(type, parts)
        self.facts.choices[result.base] = where, (then.base, then.offset), (otherwise.base, otherwise.offset)
        return result

    def _add(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        left, right = operands
        if left.base == ZERO:
            left, right = right, left
        (a, b), (c, d) = self.range(left), self.range(right)
        total = self.number(type, a + c, b + d)
        low, high = type.limits()
        if a + c < low or b + d > high:
            return total
        if right.base == ZERO:
            return Integer(left.base, left.offset + right.offset)
        for one, (least, greatest) in ((left, (c, d)), (right, (a, b))):
            self.bound(total, {one.base: one.offset + greatest}, {one.base: one.offset + least})
        for part, other in ((left, right), (right, left)):  # part + (w - part), and what is less or more
            for way, bounds in enumerate(self.bounds(other)):
                for number, away in bounds.items():
                    made = self.sums.get(number)
                    if made is not None and made[0] == "sub" and made[2].base == part.base:
                        end = away + made[1].offset - made[2].offset + part.offset
                        self.bound(total, *(({made[1].base: end}, {}) if way == 0 else ({}, {made[1].base: end})))
        self.sums[total.base] = ("add", left, right)
        return total

    def _subtract(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        left, right = operands
        if right.base == ZERO:
            return self._add((left, constant(-right.offset)), type)
        most = self.differences.at_most(left.base, right.base) + left.offset - right.offset
        least = left.offset - right.offset - self.differences.at_most(right.base, left.base)
        low, high = type.limits()
        if least < low or most > high:
            return self.number(type, low, high)
        difference = self.number(type, least, most)
        c, d = self.range(right)
        self.bound(difference, {left.base: left.offset - c}, {left.base: left.offset - d})
        self.sums[difference.base] = ("sub", left, right)
        return difference

    def _negative(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        return self._subtract((constant(0), operands[0]), type)

    def _multiply(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        ends = [a * b for a in self.range(operands[0]) for b in self.range(operands[1])]
        return self.number(type, min(ends), max(ends))

    def _floor_divide(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        """By a positive number: rounded down, which for numbers from 0 on is what C and unsigned quotients do, too."""
        number, divisor = operands
        (a, b), (c, d) = self.range(number), self.range(divisor)
        if c <= 0:
            return self.number(type, *type.limits())
        result = self.number(type, min(a // c, a // d), max(b // c, b // d))
        if a >= 0:
            self.bound(result, {number.base: number.offset}, {})
            if a >= 1 and c >= 2:
                self.bound(result, {number.base: number.offset - 1}, {})
        made = self.sums.get(number.base)
        if divisor == constant(2) and made is not None and made[0] == "add":
            self._mean(result, made[1:], number.offset)
        return result

    def _mean(self, result: Integer, parts: tuple[Integer, Integer], extra: int) -> None:
        """`result` is (p + q + extra) // 2: between p and q, whichever is less."""
        for p, q in (parts, parts[::-1]):
            above = self.differences.at_most(p.base, q.base) + p.offset - q.offset  # p ≤ q + above
            below = self.differences.at_most(q.base, p.base) + q.offset - p.offset  # p ≥ q - below
            most, least = (above + extra) // 2, (extra - below) // 2
            self.bound(result, {q.base: q.offset + most}, {q.base: q.offset + least})

    def _modulo(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        number, divisor = operands
        (a, _), (c, d) = self.range(number), self.range(divisor)
        if c <= 0:
            return self.number(type, *type.limits())
        result = self.bound(self.number(type, 0, d - 1), {divisor.base: divisor.offset - 1}, {})
        return self.bound(result, {number.base: number.offset}, {}) if a >= 0 else result

    def _minimum(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        return self._extremum(operands, type, lesser=True)

    def _maximum(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        return self._extremum(operands, type, lesser=False)

    def _extremum(self, operands: Sequence[Integer], type: ScalarType, lesser: bool) -> Integer:
        left, right = operands
        for less, more in ((left, right), (right, left)):
            if self.facts.decided(self.at_most(less, more)):
                return less if lesser else more
        result = self.joined(type, [self.bounds(o) for o in operands])
        for o in operands:
            end = {o.base: o.offset}
            self.bound(result, *((end, {}) if lesser else ({}, end)))
        return result

    def _cast(self, operands: Sequence[Integer], type: ScalarType) -> Integer:
        (a, b), (low, high) = self.range(operands[0]), type.limits()
        return operands[0] if low <= a and b <= high else self.number(type, low, high)


def joined_bounds(parts: Sequence[tuple[Bounds, Bounds]]) -> tuple[Bounds, Bounds]:
    """What holds of the differences of each of several integers."""
    most, least = ([part[way] for part in parts] for way in (0, 1))
    return (
        {y: max(m[y] for m in most) for y in most[0] if all(y in m for m in most)},
        {y: min(m[y] for m in least) for y in least[0] if all(y in m for m in least)},
    )


Rule = Callable[[RangeArithmetic, Sequence[Integer], ScalarType], Integer]


def _from_zero_on(rule: Rule) -> Rule:
    """The rule, where no operand is negative: there quotients are the same whichever way they are rounded."""

    def apply(arithmetic: RangeArithmetic, operands: Sequence[Integer], type: ScalarType) -> Integer:
        if any(arithmetic.range(o)[0] < 0 for o in operands):
            return arithmetic.number(type, *type.limits())
        return rule(arithmetic, operands, type)

    return apply


_COMPARED = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_RULES: Mapping[str, Rule] = {
    "add": RangeArithmetic._add,
    "sub": RangeArithmetic._subtract,
    "neg": RangeArithmetic._negative,
    "mul": RangeArithmetic._multiply,
    "floordiv": RangeArithmetic._floor_divide,
    "udiv": _from_zero_on(RangeArithmetic._floor_divide),
    "mod": RangeArithmetic._modulo,
    "urem": _from_zero_on(RangeArithmetic._modulo),
    "minimum": RangeArithmetic._minimum,
    "maximum": RangeArithmetic._maximum,
    "fmin": RangeArithmetic._minimum,
    "fmax": RangeArithmetic._maximum,
    "cast": RangeArithmetic._cast,
}
