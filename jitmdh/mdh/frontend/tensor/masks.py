"""Products with known zeros as choices: what is absent is not multiplied.

Before: `K["kl"] * I["lq"]`, where K has known zeros. After: `where(mask0["kl"], K["kl"] * I["lq"], 0)`. A mask is a
constant tensor of bools over the indices of the factor that has the zeros.
"""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.dtype import bool_
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.known_zeros import Extents, pattern
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Broadcast,
    Constants,
    Element,
    Expr,
    Literal,
    Tensor,
    Total,
    free,
)
from jitmdh.mdh.tensor.pattern import Pattern

MaskOf = Callable[[Pattern], Tensor]


def mask_tensor(name: str, zeros: Pattern) -> Tensor:
    """A constant that is True where `zeros` may be other than zero."""
    return Tensor(name, zeros.shape, dtype=bool_, values=Constants(zeros.mask))


def masked(node: Expr, extents: Extents, mask_of: MaskOf) -> Expr:
    """Every product and quotient with a factor that has known zeros, as a choice. mask_of: the tensor of a mask."""
    match node:
        case Total():
            return Total(node.operator, node.names, masked(node.body, extents, mask_of), node.loc, node.needed)
        case Broadcast():
            return Broadcast(masked(node.body, extents, mask_of), node.names)
        case Apply(op, operands):
            factors = _factors(node)
            inner = {id(f): masked(f, extents, mask_of) for f in factors}
            if op != "mul" and op != "truediv":
                return Apply(op, tuple(inner[id(o)] for o in operands), node.loc)
            value = _rebuilt(node, inner)
            conditions = [_mask(f, extents, mask_of) for f in (factors if op == "mul" else factors[:1])]
            return _chosen([c for c in conditions if c is not None], value, node)
    return node


def _factors(node: Apply) -> list[Expr]:
    """The factors of a product; the operands of everything else."""
    if node.op != "mul":
        return list(node.operands)
    found: list[Expr] = []
    for operand in node.operands:
        found += _factors(operand) if isinstance(operand, Apply) and operand.op == "mul" else [operand]
    return found


def _rebuilt(node: Expr, inner: dict[int, Expr]) -> Expr:
    if id(node) in inner:
        return inner[id(node)]
    assert isinstance(node, Apply)
    return Apply(node.op, tuple(_rebuilt(o, inner) for o in node.operands), node.loc)


def _mask(factor: Expr, extents: Extents, mask_of: MaskOf) -> Expr | None:
    zeros = pattern(factor, extents)
    if zeros.is_dense:
        return None
    return Element(mask_of(zeros), tuple(map(Affine.of, free(factor))))


def _chosen(conditions: list[Expr], value: Expr, node: Apply) -> Expr:
    if not conditions:
        return value
    both = conditions[0]
    for condition in conditions[1:]:
        both = Apply("logical_and", (both, condition))
    return Apply("where", (both, value, Literal(0)), node.loc)
