"""What a formula computes at one point, as a scalar of the algebra."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType, bool_, float64, promote
from jitmdh.base.errors import ArgumentTypeError, ExpressionTypeError
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.scalar import Constant, Variable
from jitmdh.mdh.algebra.scalar import Scalar as ScalarNode
from jitmdh.mdh.frontend.symbolic.values import Traced, convert, lift, where
from jitmdh.mdh.frontend.symbolic.values import apply as apply_symbolically
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Broadcast, Element, Expr, Literal, Scalar, Total

Leaf = Element | Scalar | Total


def scalar(
    node: Expr, leaf: Callable[[Leaf], ScalarNode], types: Callable[[Expr], ScalarType] | None = None
) -> ScalarNode:  # fmt: skip
    """`node` at one point; `leaf` gives elements, scalars and totals. Types follow NumPy (NEP 50).

    types: `type_of`, from who knows it already (`KnownTypes`). Raises ExpressionTypeError for operations that do not
    take such operands.
    """
    types = types or type_of
    if isinstance(node, Element | Scalar | Total):  # most nodes: sums are written out term by term
        return leaf(node)
    match node:
        case Literal(value):
            return lift(value)
        case Broadcast(body) | Apply("stored" | "virtual", (body,)):
            return scalar(body, leaf, types)
        case Apply("where", (condition, then, otherwise)):
            test = scalar(condition, leaf, types)
            if isinstance(test, Constant):  # what is not chosen is not read either
                type = promote(types(then), types(otherwise)).concrete
                return convert(scalar(then if test.value else otherwise, leaf, types), type)
            return _applied(node, [test, scalar(then, leaf, types), scalar(otherwise, leaf, types)])
        case Apply("logical_and"):
            return _all([scalar(o, leaf, types) for o in node.operands], node)
        case Apply():
            nodes = [scalar(o, leaf, types) for o in node.operands]
            if node.op == "add" and any(absent := [_is_absent(*pair) for pair in zip(node.operands, nodes)]):
                return convert(nodes[absent[0]], types(node))
            return _applied(node, nodes)
    raise AssertionError(node)


def _is_absent(operand: Expr, node: ScalarNode) -> bool:
    """Whether an operand is a known zero here: a number that nobody wrote as such."""
    return isinstance(node, Constant) and node.value == 0 and not isinstance(operand, Literal)


def _applied(node: Apply, operands: Sequence[ScalarNode]) -> ScalarNode:
    traced = [Traced(o) for o in operands]
    try:
        if node.op in _FORMULAS:
            return lift(_FORMULAS[node.op](*traced))
        return lift(where(*traced) if node.op == "where" else apply_symbolically(node.op, *traced))
    except TypeError as error:
        raise ExpressionTypeError(f"`{node}`: {_facts(error)}", loc=node.loc) from None


# ------------------------------------------------------------------- NumPy's functions that are formulas of operations


def _on_floats(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula of floats; integers become such as hold all of them, and complex numbers are refused."""

    def value(*numbers: Traced) -> Any:
        type = result_type("arctan2", *(n.node.type for n in numbers for _ in range(3 - len(numbers)))).concrete
        return formula(*(n.astype(type) for n in numbers))

    return value


def _sign(x: Traced) -> Any:
    if x.node.type.kind == "c":
        raise TypeError("`sign` is not defined for complex numbers")
    if x.node.type.kind == "u":
        return where(x > 0, 1, x)
    return where(x > 0, 1, where(x < 0, -1, abs(x)))  # 0.0 of either zero, and NaN


def _reciprocal(x: Traced) -> Any:
    if x.node.type.kind not in "fc":
        raise TypeError("`reciprocal` of integers is whatever the processor makes of it")
    return 1 / x


def _fmod(x: Traced, y: Traced) -> Any:
    if result_type("mod", x.node.type, y.node.type).kind != "f":
        raise TypeError("`fmod` is defined for floats here")
    return apply_symbolically("rem", x, y)


def _float_power(x: Traced, y: Traced) -> Any:
    if "c" in (x.node.type.kind, y.node.type.kind):
        raise TypeError("`float_power` is not defined for complex numbers here")
    return x.astype(float64) ** y.astype(float64)


def _logaddexp(x: Any, y: Any) -> Any:
    return where(x == y, x + math.log(2), np.maximum(x, y) + np.log1p(np.exp(-abs(x - y))))


def _logaddexp2(x: Any, y: Any) -> Any:
    return where(x == y, x + 1.0, np.maximum(x, y) + np.log1p(np.exp2(-abs(x - y))) * (1 / math.log(2)))


def _heaviside(x: Any, at_zero: Any) -> Any:
    return where(x == 0.0, at_zero, where(x < 0.0, 0.0, where(x > 0.0, 1.0, x)))


def _prefers_numbers(op: str) -> Callable[..., Any]:
    """NumPy's fmax and fmin, of which NaN is the last choice; the algebra's are Python's max and min."""

    def formula(x: Any, y: Any) -> Any:
        both = apply_symbolically(op, x, y)
        return where(np.isnan(x), y, where(np.isnan(y), x, both))

    return formula


_DEGREES, _RADIANS = _on_floats(lambda x: x * (180 / math.pi)), _on_floats(lambda x: x * (math.pi / 180))

_FORMULAS: Mapping[str, Callable[..., Any]] = {
    "sign": _sign, "fabs": _on_floats(abs), "reciprocal": _reciprocal, "fmod": _fmod, "float_power": _float_power,
    "degrees": _DEGREES, "rad2deg": _DEGREES, "radians": _RADIANS, "deg2rad": _RADIANS,
    "signbit": _on_floats(lambda x: np.copysign(1.0, x) < 0.0), "heaviside": _on_floats(_heaviside),
    "logaddexp": _on_floats(_logaddexp), "logaddexp2": _on_floats(_logaddexp2),
    "fmax": _prefers_numbers("maximum"), "fmin": _prefers_numbers("minimum"),
    "clip": lambda x, least, greatest: np.minimum(np.maximum(x, least), greatest),
}  # fmt: skip


def _all(operands: Sequence[ScalarNode], node: Apply) -> ScalarNode:
    """Whether all are true, without those of which that is known."""
    true, false = Constant(True, bool_), Constant(False, bool_)
    if false in operands:
        return false
    left = [o for o in operands if o != true] or [true]
    if len(left) == 1 and left[0].type == bool_:
        return left[0]
    return _applied(node, left if len(left) > 1 else [*left, true])


def _facts(error: TypeError) -> str:
    return error.message if isinstance(error, ArgumentTypeError) else str(error)


def type_of(node: Expr) -> ScalarType:
    """The type of a formula's elements; weak for Python's own numbers."""

    def leaf(node: Leaf) -> ScalarNode:
        match node:
            case Element():
                return Variable("x", node.tensor.type)
            case Scalar():
                return Variable("x", node.type)
            case Total():
                return Variable("x", type_of(node.body).concrete)

    return scalar(node, leaf).type


class KnownTypes:
    """`type_of` of formulas that are asked for at thousands of points."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expr, ScalarType]] = {}  # the formula is kept: so its id is no other's

    def __call__(self, node: Expr) -> ScalarType:
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = node, type_of(node)
        return known[1]
