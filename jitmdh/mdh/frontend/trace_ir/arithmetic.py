"""Operations on traced values: NumPy's and Python's types, explicit casts, constants and index arithmetic folded."""

from __future__ import annotations

import math
import operator
from contextlib import AbstractContextManager
from functools import reduce
from typing import Protocol

import numpy as np

from jitmdh.base.dtype import (
    ScalarType,
    bfloat16,
    bool_,
    float32,
    int64,
    promote,
    uint64,
    weak_bool,
    weak_complex,
    weak_float,
    weak_int,
)
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.table import COMPARISONS, OPERATIONS
from jitmdh.mdh.algebra.parts.complex_numbers import refusal
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar
from jitmdh.mdh.frontend.trace_ir.powers import by_products
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph


class Limits(Protocol):
    """Which integers of Python fit which types: `ranges.Ranges`."""

    def of(self, node: Scalar) -> tuple[int, int]: ...

    def fits(self, node: Scalar, type: ScalarType) -> bool: ...

    def fitted(self, node: Scalar, type: ScalarType) -> Scalar: ...

    def within(self, value: Scalar, number: Scalar, type: ScalarType) -> Scalar: ...

    def result_fits(self, op: str, operands: list[Scalar], type: ScalarType) -> bool: ...

    def under(self, condition: Scalar) -> AbstractContextManager[None]: ...

    def deciding(self, op: str, operands: tuple[Scalar, ...]) -> Scalar | None: ...

    def same_number(self, op: str, operands: tuple[Scalar, ...]) -> ScalarType | None: ...

    def as_exact(self, node: Scalar, type: ScalarType) -> bool: ...


class TraceArithmetic:
    """Builds typed operations in a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.limits: Limits

    # ------------------------------------------------------------------------------------------------ leaves

    def literal(self, value: bool | int | float | complex) -> Scalar:
        """A Python literal, with a weak type."""
        match value:
            case bool():
                return self.graph.constant(value, weak_bool)
            case int():
                return self.graph.constant(value, weak_int)
            case float():
                return self.graph.constant(value, weak_float)
            case _:
                return self.graph.constant(value, weak_complex)

    def index(self, index: Affine) -> Scalar:
        return self.graph.index(index, weak_int)

    # ----------------------------------------------------------------------------------------------- conversion

    def cast(self, node: Scalar, type: ScalarType) -> Scalar:
        """`node` in `type`; constants are converted now."""
        if node.type == type:
            return node
        if isinstance(node, Constant):
            return self._cast_constant(node, type)
        if isinstance(node, IndexValue) and type.is_integer and (type == int64 or type.is_weak):
            return self.graph.index(node.index, type)
        if node.type == weak_int and type.is_integer and type != int64:
            return self.limits.fitted(node, type)
        arms = self.graph.choices.get(id(node))
        if arms is not None and type.kind in "iufc" and not self.limits.as_exact(node, type):
            with self.limits.under(arms[0]):
                then, otherwise = (self.cast(v, type) for v in arms[1:])
            return self.graph.operation("select", (self.cast(arms[0], bool_), then, otherwise), type)
        if node.type.concrete == type.concrete and isinstance(node, Operation):
            return self.graph.operation(node.op, node.operands, type)
        return self.graph.operation("cast", (node,), type)

    def word(self, node: Scalar) -> Scalar:
        """An integer that says where elements are, in 64 bits with a sign: of those beyond, which are behind the end of
        every array, the greatest."""
        if node.type == uint64:
            node = self.apply("minimum", node, self.graph.constant(int64.limits()[1], uint64))
        return self.cast(node, int64)

    def stored(self, node: Scalar, type: ScalarType) -> Scalar:
        """`node` as an element of `type`: a signed integer takes what it can hold only, unsigned ones wrap around."""
        arms = self.graph.choices.get(id(node))
        if arms is not None and type.is_integer and node.type != type:
            with self.limits.under(arms[0]):
                then, otherwise = (self.stored(v, type) for v in arms[1:])
            return self.graph.operation("select", (self.cast(arms[0], bool_), then, otherwise), type)
        if type.kind != "i" or not node.type.is_integer or node.type.is_weak or self.limits.fits(node, type):
            return self.cast(node, type)
        return self.limits.within(self.cast(node, type), node, type)

    def converted(self, node: Scalar, type: ScalarType) -> Scalar:
        """`node` in `type`; what does not fit wraps around."""
        node = self.cast(node, node.type.concrete) if node.type == weak_int else node
        return self.graph.converted(self.cast(node, type))

    def clip(self, number: Scalar, least: Scalar | None, greatest: Scalar | None) -> Scalar:
        """NumPy's clip, in the type that all numbers have together."""
        given = [n for n in (number, least, greatest) if n is not None]
        if number.type == bfloat16:  # for which NumPy has no clip of its own
            number = self.cast(number, float32)
        if not all(n.type.is_integer for n in given) or all(n.type.is_weak for n in given):
            types = sorted((number.type, *(n.type for n in given[1:])), key=lambda t: t.is_weak)  # which adapt to all
            number = self.cast(number, reduce(promote, types).concrete)
        for op, limit, side in (("maximum", least, 0), ("minimum", greatest, 1)):
            if limit is not None and (limit := self._limit(given[0].type, limit, side, number.type)) is not None:
                number = self.apply(op, number, limit)
        return number

    def _limit(self, whole: ScalarType, limit: Scalar, side: int, type: ScalarType) -> Scalar | None:
        """A limit of `clip`, which computes in `type`; side: 0 for the least, 1 for the greatest.

        None: NumPy takes an integer of Python's for none if no number of the type `whole` reaches it.
        """
        if limit.type != weak_int or not whole.is_integer or whole.is_weak:
            return limit
        bound = self.literal(whole.limits()[side])
        if isinstance(limit, Constant):
            reached = limit.value > bound.value if side == 0 else limit.value < bound.value  # type: ignore[union-attr, operator]
            return limit if reached else None
        if not int64.limits()[0] <= whole.limits()[side] <= int64.limits()[1]:
            return limit
        if type.kind != "f":
            return self.graph.operation("fmax" if side == 0 else "fmin", (limit, bound), weak_int)
        none = self.literal(-math.inf if side == 0 else math.inf)
        return self.select(self.apply("gt" if side == 0 else "lt", limit, bound), self.cast(limit, type), none)

    def _cast_constant(self, node: Constant, type: ScalarType) -> Scalar:
        value = node.value
        if type.is_integer and isinstance(value, int):
            low, high = type.limits()
            if node.type.is_weak and not (type.is_weak or low <= value <= high):
                raise ArgumentTypeError(f"Python integer {value} out of bounds for {type}")
            if not low <= value <= high and not type.is_weak:
                value = (value - low) % (high - low + 1) + low
            return self.graph.constant(int(value), type)
        if type.kind == "b":
            return self.graph.constant(bool(value), type)
        if type.kind == "f" and not isinstance(value, complex):
            with np.errstate(all="ignore"):
                return self.graph.constant(float(type.numpy.type(value)), type)
        if type.kind == "c":
            with np.errstate(all="ignore"):
                return self.graph.constant(complex(type.numpy.type(value)), type)
        if type.is_integer and isinstance(value, float) and math.isfinite(value):
            return self._cast_constant(Constant(int(value), int64), type)
        return self.graph.operation("cast", (node,), type)

    def truth(self, node: Scalar) -> Scalar:
        """`bool(node)` as a condition."""
        if node.type.kind == "b":
            return node
        if isinstance(node, Constant):
            return self.graph.constant(bool(node.value), weak_bool)
        return self.graph.operation("ne", (node, self._zero(node.type)), bool_)

    def _zero(self, type: ScalarType) -> Scalar:
        return self.cast(self.literal(0), type)

    # ---------------------------------------------------------------------------------------------- operations

    def apply(self, op: str, *operands: Scalar) -> Scalar:
        """An operation of the table, or `pos`, with the operands' types promoted as NumPy does."""
        folded = self._folded(op, operands)
        if folded is not None:
            return folded
        condition = self.limits.deciding(op, operands)
        if condition is not None:
            with self.limits.under(condition):
                then, otherwise = (self.apply(op, *self.graph.taken(operands, condition, side)) for side in (1, 2))
            type = self.limits.same_number(op, operands)
            if type is None:
                return self.select(condition, then, otherwise)
            plain = self.graph.operation(op, tuple(self.cast(o, type) for o in operands), type)
            return self.graph.choice(plain, condition, then, otherwise)
        types = tuple(o.type for o in operands)
        type = result_type("neg" if op == "pos" else op, *types)
        if any(t.kind == "c" for t in types):
            refuse_complex(op, reduce(promote, types))
        if op == "pos":
            return self.cast(operands[0], type)
        if op == "pow" and isinstance(exponent := operands[1], Constant):
            power = by_products(self.graph, self.cast(operands[0], type), exponent, type)
            if power is not None:
                return power
        if op == "pow" and isinstance(operands[1], Constant) and type.is_integer and operands[1].value.real < 0:
            raise ArgumentTypeError("integers to negative integer powers are not allowed")
        if type.kind == "b":
            op = OPERATIONS[op].of_bools or op
        if op in COMPARISONS:
            return self._compared(op, *operands)
        if op in ("isnan", "isinf", "isfinite"):
            lifted = operands[0] if types[0].kind in "fc" else self.cast(operands[0], result_type("sqrt", types[0]))
            return self.graph.operation(op, (lifted,), bool_)
        if op == "abs" and types[0].kind == "c":
            return self.graph.operation(op, operands, type)
        return self.graph.operation(op, tuple(self.cast(o, type) for o in operands), type)

    def extremum(self, name: str, a: Scalar, b: Scalar) -> Scalar:
        """Python's `min(a, b)` or `max(a, b)`: one of the two, as it is."""
        type = promote(a.type, b.type)
        if isinstance(a, Constant) and isinstance(b, Constant) and a.type.is_weak and b.type.is_weak:
            return b if (b.value > a.value if name == "max" else b.value < a.value) else a  # type: ignore[operator]
        refuse_complex("f" + name, type)
        if a.type == b.type:
            return self.graph.operation("f" + name, (self.cast(a, type), self.cast(b, type)), type)
        condition = self._compared("gt" if name == "max" else "lt", b, a)
        flags = "b" in (a.type.kind, b.type.kind)
        if flags or not type.is_integer or all(self.limits.fits(o, type) for o in (a, b)):
            plain = self.graph.operation("f" + name, (self.cast(a, type), self.cast(b, type)), type)
            return self.graph.choice(plain, condition, b, a)
        return self.select(condition, b, a)

    def _compared(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """A comparison: of integers that of the numbers themselves, whatever their types."""
        common = promote(a.type, b.type)
        if isinstance(a, Constant) and a.type == weak_int:
            a, b, op = b, a, OPERATIONS[op].mirror
        python = OPERATIONS[op].python
        if isinstance(b, Constant) and b.type == weak_int and a.type.is_integer and python is not None:
            value, (low, high) = int(b.value.real), a.type.limits()
            if not low <= value <= high:
                return self.graph.constant(python(low, value), weak_bool if a.type.is_weak else bool_)
        if a.type.kind in "biu" and b.type.kind in "biu" and a.type != b.type:
            for one, other in ((a, b), (b, a)):
                if one.type == weak_int and other.type.is_integer and not self.limits.fits(one, other.type):
                    common = int64
            if uint64 in (a.type, b.type) and common != uint64:
                if a.type == uint64:
                    a, b, op = b, a, OPERATIONS[op].mirror
                return self._compared_signs(op, a, b)
        type = weak_bool if common.is_weak else bool_
        return self.graph.operation(op, (self.cast(a, common), self.cast(b, common)), type)

    def _compared_signs(self, op: str, signed: Scalar, unsigned: Scalar) -> Scalar:
        """A comparison of an integer that may be negative with one of uint64."""
        wide = self.cast(signed, signed.type.concrete)
        same = self.graph.operation(op, (self.graph.operation("cast", (wide,), uint64), unsigned), bool_)
        if op in ("lt", "le", "ne"):
            return self.either(self.graph.operation("lt", (wide, self._zero(wide.type)), bool_), same)
        return self.both(self.graph.operation("ge", (wide, self._zero(wide.type)), bool_), same)

    def _folded(self, op: str, operands: tuple[Scalar, ...]) -> Scalar | None:
        """Python arithmetic on literals, and on affine expressions of indices and sizes."""
        if not all(o.type.is_weak or (isinstance(o, IndexValue) and o.type == int64) for o in operands):
            return None
        python = operator.pos if op == "pos" else OPERATIONS[op].python
        if all(isinstance(o, Constant) for o in operands) and python is not None:
            values = [o.value for o in operands if isinstance(o, Constant)]
            try:
                return self.literal(python(*values))
            except (ArithmeticError, ValueError, TypeError) as error:
                raise ArgumentTypeError(f"constant expression: {error}") from None
        parts = [affine(o) for o in operands]
        if any(p is None for p in parts) or op not in ("add", "sub", "mul", "neg", "pos", "floordiv", "mod"):
            return None
        a = parts[0] or Affine()
        b = parts[-1] or Affine()
        type = result_type("neg" if op == "pos" else op, *(o.type for o in operands))
        match op:
            case "add":
                return self.graph.index(a + b, type)
            case "sub":
                return self.graph.index(a - b, type)
            case "neg":
                return self.graph.index(-a, type)
            case "mul" if a.is_constant or b.is_constant:
                return self.graph.index(b * a.constant if a.is_constant else a * b.constant, type)
            case "pos":
                return self.graph.index(a, type)
            case "floordiv" | "mod" if type.is_weak and b.is_constant and _divides(b.constant, a):
                quotient, remainder = divmod(a.constant, b.constant)
                if op == "mod":
                    return self.graph.index(Affine((), remainder), type)
                return self.graph.index(Affine(tuple((n, c // b.constant) for n, c in a.terms), quotient), type)
        return None

    def negated(self, condition: Scalar) -> Scalar:
        """`not condition`; comparisons of integers are turned round."""
        condition = self.truth(condition)
        if isinstance(condition, Constant):
            return self.graph.constant(not condition.value, weak_bool)
        if isinstance(condition, Operation):
            if condition.op == "not":
                return condition.operands[0]
            negation = OPERATIONS[condition.op].negation
            if negation and not any(o.type.kind in "fc" for o in condition.operands):
                return self.graph.operation(negation, condition.operands, weak_bool)
        return self.graph.operation("not", (condition,), weak_bool)

    def select(self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        """`then if condition else otherwise`, in the type that both promote to."""
        condition = self.truth(condition)
        if isinstance(condition, Constant):
            return then if condition.value else otherwise
        if then is otherwise:
            return then
        type = then.type if then.type == otherwise.type else promote(then.type, otherwise.type)
        integers = then.type != otherwise.type and then.type.is_integer and otherwise.type.is_integer
        if integers and any(v.type == weak_int and not self.limits.fits(v, type) for v in (then, otherwise)):
            type = int64 if type != uint64 else type
        with self.limits.under(condition):
            operands = (self.cast(condition, bool_), self.cast(then, type), self.cast(otherwise, type))
        node = self.graph.operation("select", operands, type)
        kept = (*self.graph.kept(then), *self.graph.kept(otherwise))
        types = tuple(dict.fromkeys(v.type for v in kept))
        if len(types) == 1 or not {t.kind for t in types} <= set("biufc"):
            return node
        if len(kept) > len(types):
            condition, then, otherwise = _by_type(self, types, (condition, then, otherwise))
        return self.graph.choice(node, condition, then, otherwise)

    def both(self, a: Scalar, b: Scalar) -> Scalar:
        """`a and b` of two conditions."""
        return self._logical("and", self.truth(a), self.truth(b))

    def either(self, a: Scalar, b: Scalar) -> Scalar:
        """`a or b` of two conditions."""
        return self._logical("or", self.truth(a), self.truth(b))

    def _logical(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Constant):
                absorbing = op == "or"
                return one if bool(one.value) == absorbing else other
        type = weak_bool if a.type.is_weak and b.type.is_weak else bool_
        return self.graph.operation(op, (self.cast(a, bool_), self.cast(b, bool_)), type)


def _by_type(
    a: TraceArithmetic, types: tuple[ScalarType, ...], arms: tuple[Scalar, Scalar, Scalar]
) -> tuple[Scalar, Scalar, Scalar]:  # fmt: skip
    """A choice of choices as one that asks for each type once, so that what follows from it stays small.

    (f32 if d else f64) if c else f64     ->     f32 if c and d else (f64 if c else f64)
    """
    first, *rest = types
    condition, one = _of_type(a, first, arms)
    assert one is not None
    if len(rest) > 1:
        return condition, one, a.select(*_by_type(a, tuple(rest), arms))
    other = _of_type(a, rest[0], arms)[1]
    assert other is not None
    return condition, one, other


def _of_type(a: TraceArithmetic, type: ScalarType, arms: tuple[Scalar, Scalar, Scalar]) -> tuple[Scalar, Scalar | None]:
    """Whether what is chosen is of `type` in Python, and what it is then."""
    condition, holds, values = arms[0], list[Scalar](), list[Scalar]()
    for arm, taken in zip(arms[1:], (condition, a.negated(condition))):
        inner = a.graph.choices.get(id(arm))
        within, value = (a.literal(arm.type == type), arm) if inner is None else _of_type(a, type, inner)
        if isinstance(within, Constant) and not within.value:
            continue
        assert value is not None
        holds.append(a.both(taken, within))
        values.append(value)
    if not values:
        return a.literal(False), None
    if len(values) == 1:
        return holds[0], values[0]
    return a.either(*holds), a.graph.operation("select", (a.cast(condition, bool_), *values), type)


def refuse_complex(op: str, type: ScalarType) -> None:
    """ArgumentTypeError if `op` is not supported for operands of a complex type."""
    reason = refusal(op) if type.kind == "c" else None
    if reason is not None:
        raise ArgumentTypeError(reason[0], hint=reason[1])


def affine(node: Scalar) -> Affine | None:
    """The affine integer expression that `node` is, if it is one."""
    match node:
        case Constant(value, type) if type.is_integer and isinstance(value, int):
            return Affine((), int(value))
        case Constant(bool() as value, _):
            return Affine((), int(value))
        case IndexValue(index, _):
            return index
    return None


def _divides(number: int, e: Affine) -> bool:
    """Whether what is divided in `e // number` is a multiple of it but for a constant."""
    return number != 0 and all(coefficient % number == 0 for _, coefficient in e.terms)
