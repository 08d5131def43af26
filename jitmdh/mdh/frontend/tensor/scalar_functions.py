"""What a formula computes at one point, as a scalar of the algebra."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitmdh.base.dtype import ScalarType, bool_, promote
from jitmdh.base.errors import ArgumentTypeError, ExpressionTypeError
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
        case Element() | Scalar() | Total():
            return leaf(node)
    raise AssertionError(node)


def _is_absent(operand: Expr, node: ScalarNode) -> bool:
    """Whether an operand is a known zero here: a number that nobody wrote as such."""
    return isinstance(node, Constant) and node.value == 0 and not isinstance(operand, Literal)


def _applied(node: Apply, operands: Sequence[ScalarNode]) -> ScalarNode:
    traced = [Traced(o) for o in operands]
    try:
        return lift(where(*traced) if node.op == "where" else apply_symbolically(node.op, *traced))
    except TypeError as error:
        raise ExpressionTypeError(f"`{node}`: {_facts(error)}", loc=node.loc) from None


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
