"""Exact integers for guards: what a call's numbers lead to is decided as Python would, whatever they are.

A kernel computes with 64 bits and wraps around. Before it runs, its guard makes sure that nothing it uses does: each
condition is computed in as many bits as its value can need (64 where intervals show that they are enough, else 128),
and a call with numbers beyond what the kernel is made for is refused, so that the undecorated function serves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from jitmdh.base.capacity import LARGEST
from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.ir import Apply, If, Let, Literal, Name, Return, Statement, Value

int128 = ScalarType("int128", "i", 128)
"""Only guards have values of this type; no memory has."""

Interval = tuple[int, int]

WORD: Interval = int64.limits()
NUMBER: Interval = (-(2**62), 2**62)
"""Between which what a kernel computes must stay: sums and differences of two such numbers are 64-bit integers."""
_MOST = 2**126


@dataclass(slots=True)
class Exact:
    """Writes integer values and conditions on them.

    ranges: between which values each size lies; refused: what the guard returns for numbers beyond `NUMBER`; out: where
    statements go.
    """

    scope: Scope
    ranges: dict[str, Interval]
    refused: int
    out: list[Statement]
    _held: dict[tuple[Affine, Interval], Value] = field(default_factory=dict)

    # ------------------------------------------------------------------------------------------------ values

    def interval(self, expression: Affine, dims: Mapping[str, Interval] | None = None) -> Interval:
        """Between which values an affine expression lies."""
        least = greatest = expression.constant
        for name, c in expression.terms:
            ends = (dims or {}).get(name) or self.ranges[name]
            low, high = sorted((c * ends[0], c * ends[1]))
            least, greatest = least + low, greatest + high
        return least, greatest

    def affine(self, expression: Affine) -> Value:
        """The value of an affine expression of sizes."""
        interval = self.interval(expression)
        if _within(interval, WORD):  # sums that wrap around on the way come back
            return self.scope.affine(expression, {})
        _require_possible(interval)
        total: Value = Literal(expression.constant, int128)
        for name, c in expression.terms:
            term: Value = _wide(self.scope.sizes[name])
            if abs(c) != 1:
                term = Apply("mul", (term, Literal(abs(c), int128)), int128)
            total = Apply("add" if c > 0 else "sub", (total, term), int128)
        return total

    def number(self, expression: Affine, limits: Interval = NUMBER) -> Value:
        """The same as a 64-bit integer; refuses calls where it is not within `limits`."""
        held = self._held.get((expression, limits))
        if held is None:
            held, _ = self.narrow(self.affine(expression), self.interval(expression), limits)
            self._held[expression, limits] = held
        return held

    def size(self, expression: SizeExpr) -> tuple[Value, Interval]:
        """The value of a definition, and its interval. Refuses calls where the kernel's would be another."""
        if isinstance(expression, SizeConstant):
            return _literal(expression.value), (expression.value, expression.value)
        if isinstance(expression, SizeName):
            return self.scope.sizes[expression.name], self.ranges[expression.name]
        left, right = self.size(expression.left), self.size(expression.right)
        if expression.op not in ("add", "sub", "mul"):
            return self._of_words(expression.op, self.narrow(*left, WORD), self.narrow(*right, WORD))
        corners = [_OPERATION[expression.op](a, b) for a in left[1] for b in right[1]]
        if max(map(abs, corners)) >= _MOST:
            left, right = self.narrow(*left, NUMBER), self.narrow(*right, NUMBER)
            corners = [_OPERATION[expression.op](a, b) for a in left[1] for b in right[1]]
        interval = min(corners), max(corners)
        if _within(interval, WORD) and left[0].type == right[0].type == int64:
            return Apply(expression.op, (left[0], right[0]), int64), interval
        return Apply(expression.op, (_wide(left[0]), _wide(right[0])), int128), interval

    def _of_words(self, op: str, left: tuple[Value, Interval], right: tuple[Value, Interval]) -> tuple[Value, Interval]:
        (a, (a0, a1)), (b, (b0, b1)) = left, right
        if op in ("min", "max"):
            chosen = min if op == "min" else max
            return Apply(f"{op}imum", (a, b), int64), (chosen(a0, b0), chosen(a1, b1))
        if b0 <= 0 <= b1:  # Python says what is wrong with it
            self.refuse(compare("eq", b, integer(0)))
        largest = max(abs(a0), abs(a1))
        if op == "floordiv":
            a, _ = self.narrow(a, (a0, a1), (WORD[0] + 1, WORD[1]))  # the negative of the least word is none
            return Apply(op, (a, b), int64), (-largest, largest)
        return Apply(op, (a, b), int64), (min(b0 + 1, 0), max(b1 - 1, 0))

    def narrow(self, value: Value, interval: Interval, limits: Interval) -> tuple[Value, Interval]:
        """`value` as a 64-bit integer; refuses calls where it is not within `limits`."""
        if not _within(interval, limits):
            value = self.named("number", value)
            beyond = [compare(op, value, Literal(limit, value.type))
                      for op, limit, isnt in (("lt", limits[0], interval[0] >= limits[0]),
                                              ("gt", limits[1], interval[1] <= limits[1])) if not isnt]  # fmt: skip
            self.refuse(beyond[0] if len(beyond) == 1 else Apply("or", tuple(beyond), bool_))
            interval = max(interval[0], limits[0]), min(interval[1], limits[1])
        return value if value.type == int64 else Apply("cast", (value,), int64), interval

    def named(self, hint: str, value: Value) -> Value:
        if isinstance(value, (Name, Literal)):
            return value
        name = self.scope.name(hint, value.type)
        self.out.append(Let(name, value))
        return name

    # -------------------------------------------------------------------------------------------- conditions

    def refuse(self, condition: Value) -> None:
        self.out.append(If(condition, (Return(integer(self.refused)),)))

    def positive(self, expression: Affine) -> Value:
        value = self.affine(expression)
        return compare("gt", value, Literal(0, value.type))

    def negative(self, expression: Affine) -> Value | None:
        """None: it never is."""
        if self.interval(expression)[0] >= 0:
            return None
        value = self.affine(expression)
        return compare("lt", value, Literal(0, value.type))

    def require_points(self, extents: Sequence[Affine]) -> None:
        """Refuses calls in which a nest of these extents, none of them taken as 0, has more than LARGEST points."""
        values = [self.number(e, (NUMBER[0], LARGEST)) for e in extents]
        most = 1
        for e in extents:
            most *= max(1, min(LARGEST, self.interval(e)[1]))
        if most <= LARGEST:
            return
        bits: Value = values[0]
        for value in values[1:]:
            bits = Apply("or", (bits, value), int64)
        bits = self.named("bits", bits)
        short = 2 ** (LARGEST.bit_length() // len(values))
        many = Apply("or", (compare("lt", bits, integer(0)), compare("ge", bits, integer(short))), bool_)
        product: Value = integer(1)
        for value in values:
            positive = Apply("maximum", (value, integer(1)), int64)
            product = Apply("capped_mul", (product, positive), int64)
        beyond = If(compare("gt", product, integer(LARGEST)), (Return(integer(self.refused)),))
        self.out.append(If(many, (beyond,), rare=True))


_OPERATION = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}


def _within(interval: Interval, limits: Interval) -> bool:
    return limits[0] <= interval[0] and interval[1] <= limits[1]


def _wide(value: Value) -> Value:
    if isinstance(value, Literal):
        return Literal(value.value, int128)
    return value if value.type == int128 else Apply("cast", (value,), int128)


def _literal(number: int) -> Value:
    _require_possible((number, number))
    return integer(number) if _within((number, number), WORD) else Literal(number, int128)


def _require_possible(interval: Interval) -> None:
    if max(map(abs, interval)) >= _MOST:
        raise NotAnMdhError(
            "the numbers of bounds and subscripts are too large", reason="their products can have more than 126 bits"
        )
