"""Arithmetic on indices, comparisons and masks as values of kernel IR, folded where possible."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.algebra.operations.scalar_op import ScalarOp
from jitmdh.mdh.kernel.ir import Apply, Literal, Misalignment, Splat, Value

TRUE, FALSE = Literal(True, bool_), Literal(False, bool_)
KERNEL_OPERATIONS: Mapping[str, ScalarOp] = {
    row.name: row
    for row in (
        ScalarOp("udiv", "i", arity=2, c="/"),
        ScalarOp("urem", "i", arity=2, c="%"),
        ScalarOp("exact_div", "i", arity=2, c="/"),
        ScalarOp("capped_mul", "i", arity=2),
        ScalarOp("first_lanes", "i", result="bool"),
    )
}
"""Operations on integers that only kernels have: quotient and remainder of unsigned numbers, a quotient known to be
whole, a product of two that are not negative, at most 2⁶², and `first_lanes(n)`, the mask of the lanes before any n."""


@lru_cache(1024)
def integer(value: int) -> Literal:
    """In 64 bits: beyond them arithmetic wraps around, in code that checks of calls, which are exact, never let run."""
    return Literal((value + 2**63) % 2**64 - 2**63, int64)


def add(left: Value, right: Value) -> Value:
    """`left + right` on integers, folded where possible; a constant comes last: sums share what is before it."""
    if type(left) is Literal:
        if type(right) is Literal:
            return integer(int(left.value) + int(right.value))  # type: ignore[arg-type]
        left, right = right, left
    if type(right) is Literal:
        if right.value == 0:
            return left
        if (step := _step(left)) is not None:
            return add(left.operands[0], add(step, right))  # type: ignore[union-attr]
    elif (step := _step(left)) is not None:
        return add(add(left.operands[0], right), step)  # type: ignore[union-attr]
    elif (step := _step(right)) is not None:
        return add(add(left, right.operands[0]), step)  # type: ignore[union-attr]
    return Apply("add", (left, right), int64)


def _step(value: Value) -> Literal | None:
    """The constant that a sum ends with."""
    if type(value) is Apply and value.op == "add":
        last = value.operands[1]
        if type(last) is Literal:
            return last
    return None


def multiply(left: Value, right: Value) -> Value:
    """`left * right` on integers, folded where possible; `(x + 1) * 3` is `x * 3 + 3`: neighbours share `x * 3`."""
    if type(left) is Literal:
        if type(right) is Literal:
            return integer(int(left.value) * int(right.value))  # type: ignore[arg-type]
        left, right = right, left
    if type(right) is Literal:
        if right.value == 0:
            return right
        if right.value == 1:
            return left
        if (step := _step(left)) is not None:
            return add(multiply(left.operands[0], right), multiply(step, right))  # type: ignore[union-attr]
    return Apply("mul", (left, right), int64)


def subtract(left: Value, right: Value) -> Value:
    if isinstance(right, Literal):
        return add(left, integer(-int(right.value)))  # type: ignore[arg-type]
    if left == right:
        return integer(0)
    if isinstance(left, Apply) and left.op == "add" and left.operands[0] == right:
        return left.operands[1]
    return Apply("sub", (left, right), int64)


def divide(left: Value, divisor: int) -> Value:
    """`left // divisor` for a non-negative `left`."""
    if divisor == 1:
        return left
    if isinstance(left, Literal):
        return integer(int(left.value) // divisor)  # type: ignore[arg-type]
    return Apply("udiv", (left, integer(divisor)), int64)


def remainder(left: Value, divisor: int) -> Value:
    """`left % divisor` for a non-negative `left`."""
    if divisor == 1:
        return integer(0)
    if isinstance(left, Literal):
        return integer(int(left.value) % divisor)  # type: ignore[arg-type]
    return Apply("urem", (left, integer(divisor)), int64)


def lead(buffer: str, offset: Value, count: int) -> Value:
    """How many elements from `buffer[offset]` on lie before an address that is a multiple of `count` elements."""
    return remainder(subtract(integer(0), Misalignment(buffer, offset, count)), count)


def minimum(left: Value, right: Value) -> Value:
    if left == right:
        return left
    if isinstance(left, Literal) and isinstance(right, Literal):
        return integer(min(int(left.value), int(right.value)))  # type: ignore[arg-type]
    return Apply("minimum", (left, right), int64)


def maximum(left: Value, right: Value) -> Value:
    if left == right:
        return left
    if isinstance(left, Literal) and isinstance(right, Literal):
        return integer(max(int(left.value), int(right.value)))  # type: ignore[arg-type]
    if isinstance(right, Literal) and isinstance(left, Apply) and left.op == "maximum":
        inner = left.operands[1]
        if isinstance(inner, Literal):
            return maximum(left.operands[0], maximum(inner, right))
    return Apply("maximum", (left, right), int64)


def negated(value: Value) -> Value:
    return Apply("not", (value,), bool_, value.lanes)


def compare(op: str, left: Value, right: Value) -> Value:
    lanes = max(left.lanes, right.lanes)
    return Apply(op, (spread(left, lanes), spread(right, lanes)), bool_, lanes)


def both(left: Value | None, right: Value | None) -> Value | None:
    """Conjunction of masks; None is always true."""
    if left is None or right is None:
        return right if left is None else left
    lanes = max(left.lanes, right.lanes)
    return Apply("and", (spread(left, lanes), spread(right, lanes)), bool_, lanes)


def either(left: Value, right: Value) -> Value:
    """Disjunction of masks."""
    lanes = max(left.lanes, right.lanes)
    return Apply("or", (spread(left, lanes), spread(right, lanes)), bool_, lanes)


def spread(value: Value, lanes: int) -> Value:
    """`value` with `lanes` lanes."""
    if value.lanes == lanes:
        return value
    assert value.lanes == 1
    return Splat(value, value.type, lanes)
