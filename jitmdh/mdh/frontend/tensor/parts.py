"""Parts of formulas that get storage: `part.real()` is computed before the rest, once, into a temporary.

Before: `C["ij"] <= (A["ik"] * B["kj"]).real() * D["ij"]`. After: `part0["ij"] <= A["ik"] * B["kj"]` and
`C["ij"] <= part0["ij"] * D["ij"]`. Values do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.known_zeros import pattern
from jitmdh.mdh.frontend.tensor.notation.expr import STORED, Apply, Broadcast, Element, Expr, Tensor, Total, free
from jitmdh.mdh.frontend.tensor.notation.sizes import is_open
from jitmdh.mdh.frontend.tensor.scalar_functions import type_of

Part = tuple[Element, Expr]
"""An element of a temporary, and what is computed for it."""


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
                return Total(node.operator, node.names, visit(node.body), node.loc, node.needed)
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
