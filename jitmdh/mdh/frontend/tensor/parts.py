"""Parts of formulas that get storage: `part.real()` is computed before the rest, once, into a temporary.

Before: `C["ij"] <= (A["ik"] * B["kj"]).real() * D["ij"]`. After: `part0["ij"] <= A["ik"] * B["kj"]` and
`C["ij"] <= part0["ij"] * D["ij"]`. Values do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from jitmdh.base.errors import ExpressionTypeError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.known_zeros import pattern
from jitmdh.mdh.frontend.tensor.notation.expr import (
    STORED,
    VIRTUAL,
    Apply,
    Broadcast,
    Element,
    Expr,
    Tensor,
    Total,
    children,
    free,
)
from jitmdh.mdh.frontend.tensor.notation.sizes import is_open
from jitmdh.mdh.frontend.tensor.scalar_functions import type_of

Part = tuple[Element, Expr]
"""An element of a temporary, and what is computed for it."""


def without_virtual(value: Expr) -> Expr:
    """`value`, whose sums are written out, with those of its virtual parts marked as merged. ExpressionTypeError where
    one would have to be computed before what it is part of."""

    def visit(node: Expr, around: str) -> Expr:
        """around: "terms" or "factors", of what `node` is one; else what it is an operand of."""
        match node:
            case Apply(op, (part,)) if op == VIRTUAL:
                return marked(visit(part, around), around, node)
            case Apply():
                kept = around == "terms" and node.op in ("add", "sub", "neg")
                inside = "terms" if kept else "factors" if node.op == "mul" and around in _FLAT else node.op
                return Apply(node.op, tuple(visit(o, inside) for o in node.operands), node.loc)
            case Total():
                flat = node.operator == "add" and around in _FLAT
                return replace(node, body=visit(node.body, "factors" if flat else f"total of {node.operator}"))
            case Broadcast():
                return Broadcast(visit(node.body, "broadcast"), node.names)
        return node

    def marked(part: Expr, around: str, node: Apply) -> Expr:
        if not _sums(part):
            return part
        if isinstance(part, Total) and part.operator == "add" and around in _FLAT:
            return replace(part, merged=True)
        if isinstance(part, Apply) and part.op == "mul":
            return Apply(part.op, tuple(marked(o, around, node) for o in part.operands), part.loc)
        why = f"is an operand of `{around}`" if around not in _FLAT else "is no product"
        raise ExpressionTypeError(
            f"`{node}` is computed before the rest: it {why}", loc=node.loc, hint="leave .virtual() out"
        )

    return visit(value, "terms")


_FLAT = ("terms", "factors")


def _sums(node: Expr) -> bool:
    return isinstance(node, Total) or any(map(_sums, children(node)))


def with_storage(value: Expr, extents: Mapping[str, int], new: Callable[[], str]) -> tuple[list[Part], Expr]:
    """The parts of `value`, whose sums are written out, that get storage, innermost first, and what is left of it.
    new: names of temporaries."""
    parts: list[Part] = []

    def visit(node: Expr) -> Expr:
        match node:
            case Apply(op, operands):
                inner = tuple(map(visit, operands))
                return stored(inner[0]) if op == STORED else Apply(op, inner, node.loc)
            case Total():
                return replace(node, body=visit(node.body))
            case Broadcast():
                return Broadcast(visit(node.body), node.names)
        return node

    def stored(body: Expr) -> Expr:
        names = free(body)
        shape = tuple(extents[n] for n in names)
        zeros = None if is_open(shape) else pattern(body, extents)
        own = Tensor(new(), shape, type_of(body).concrete, pattern=zeros, temporary=True)
        parts.append((Element(own, tuple(map(Affine.of, names))), body))
        return parts[-1][0]

    return parts, visit(value)


def fresh_names(taken: set[str]) -> Callable[[], str]:
    """Names of temporaries that nothing has yet."""
    names: Iterator[str] = (n for k in count() if (n := f"part{k}") not in taken)
    return lambda: next(names)
