"""The summation convention: which sums a formula stands for.

The left side of an assignment says which indices remain. Another index is summed, in the smallest term that has all its
uses. Terms are the operands of + and -, the factors of a product and both sides of a quotient; the product or quotient
itself where several of them have the index; and what is under a function only where a product there has it:

    c["k"] + A["ij"] * B["jk"]          Σ_j of the product
    e["i"] / e["j"]                     divided by Σ_j e_j
    np.sqrt(x["i"] * x["i"])            √ of Σ_i x_i², as x["i"]**2
    np.exp(x["i"])                      Σ_i of the exponentials
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import prod

from jitmdh.mdh.frontend.tensor.notation.expr import (
    STORED,
    VIRTUAL,
    Apply,
    Broadcast,
    Element,
    Expr,
    Literal,
    Total,
    children,
    free,
)

_TERMS = ("add", "sub", "neg", STORED, VIRTUAL)
_FACTORS = ("mul", "truediv")


def explicit(node: Expr, kept: Collection[str]) -> Expr:
    """`node` with every sum written as a `Total`; it depends on no other indices than `kept`.

    Before: `A["ij"] * B["jk"] + c["k"]` for kept i, k. After: `total(add, "j", A["ij"] * B["jk"]) + c["k"]`.
    """
    parts = children(node)
    if isinstance(node, Apply) and node.op in _TERMS:
        return Apply(node.op, tuple(explicit(p, kept) for p in parts), node.loc)
    if isinstance(node, Total):
        return replace(node, body=explicit(node.body, {*kept, *node.names}), needed=None)
    here = tuple(name for name in free(node) if name not in kept and not _goes_down(node, name))
    inside = {*kept, *here}
    match node:
        case Apply():
            node = Apply(node.op, tuple(explicit(p, inside) for p in parts), node.loc)
        case Broadcast():
            node = Broadcast(explicit(node.body, inside), node.names)
    loc = node.loc if isinstance(node, Apply | Element) else None
    return Total("add", here, node, loc) if here else node


def _goes_down(node: Expr, name: str) -> bool:
    """Whether one operand has all uses of an index, and is a term of its own."""
    having = [p for p in children(node) if name in free(p)]
    if len(having) != 1 or (isinstance(node, Broadcast) and name in node.names):
        return False
    if isinstance(node, Broadcast) or (isinstance(node, Apply) and node.op in _FACTORS):
        return True
    return not _is_product(node, name) and _has_product(having[0], name)


def _has_product(node: Expr, name: str) -> bool:
    return _is_product(node, name) or any(_has_product(p, name) for p in children(node) if name in free(p))


def _is_product(node: Expr, name: str) -> bool:
    """Whether several factors have indices, and one of them this; a power of an integer is a product, too."""
    if not isinstance(node, Apply) or name not in free(node):
        return False
    if node.op == "pow":
        exponent = node.operands[1]
        return isinstance(exponent, Literal) and isinstance(exponent.value, int) and exponent.value > 1
    return node.op == "mul" and sum(bool(free(f)) for f in _factors(node)) > 1


def _factors(node: Expr) -> list[Expr]:
    if isinstance(node, Apply) and node.op == "mul":
        return [f for operand in node.operands for f in _factors(operand)]
    return [node]


def totals_in(value: Expr) -> list[Total]:
    """The totals in a formula that are in no other."""
    if isinstance(value, Total):
        return [value]
    return [t for child in children(value) for t in totals_in(child)]


def main_total(value: Expr, names: Sequence[str], extents: Mapping[str, int]) -> Total | None:
    """The total that the nest of an assignment computes: the one with the most points that has all its indices."""
    found = [t for t in totals_in(value) if set(free(t)) == set(names)]
    return max(found, key=lambda t: prod(extents[n] for n in (*free(t), *t.names)), default=None)
