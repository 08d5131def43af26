"""What a formula computes at one point, as a scalar of the algebra."""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ArgumentTypeError, ExpressionTypeError
from jitmdh.mdh.algebra.scalar import Scalar as ScalarNode
from jitmdh.mdh.algebra.scalar import Variable
from jitmdh.mdh.frontend.symbolic.values import Traced, lift, where
from jitmdh.mdh.frontend.symbolic.values import apply as apply_symbolically
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Broadcast, Element, Expr, Literal, Scalar, Total

Leaf = Element | Scalar | Total


def scalar(node: Expr, leaf: Callable[[Leaf], ScalarNode]) -> ScalarNode:
    """`node` at one point; `leaf` gives elements, scalars and totals. Types follow NumPy (NEP 50).

    Raises ExpressionTypeError for operations that do not take such operands.
    """
    match node:
        case Literal(value):
            return lift(value)
        case Broadcast(body):
            return scalar(body, leaf)
        case Apply(op, operands, loc):
            nodes = [Traced(scalar(o, leaf)) for o in operands]
            try:
                return lift(where(*nodes) if op == "where" else apply_symbolically(op, *nodes))
            except TypeError as error:
                raise ExpressionTypeError(f"`{node}`: {_facts(error)}", loc=loc) from None
        case Element() | Scalar() | Total():
            return leaf(node)
    raise AssertionError(node)


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
