"""Other names for indices."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Broadcast, Element, Expr, Total


def rename(node: Expr, name: str, new: str) -> Expr:
    """`node` with the free index `name` called `new`."""
    match node:
        case Element():
            extents = tuple(sorted((new if n == name else n, e) for n, e in node.extents))
            subscripts = tuple(a.substitute({name: Affine.of(new)}) for a in node.subscripts)
            return Element(node.tensor, subscripts, extents, node.loc)
        case Apply():
            return Apply(node.op, tuple(rename(o, name, new) for o in node.operands), node.loc)
        case Broadcast():
            return Broadcast(rename(node.body, name, new), tuple(new if n == name else n for n in node.names))
        case Total():
            if name in node.names:
                return node
            return Total(node.operator, node.names, rename(node.body, name, new), node.loc)
    return node


def without_shadows(node: Expr, scope: Collection[str], extents: dict[str, int]) -> Expr:
    """`node`, where no total is over an index that has a meaning around it. extents: takes in those of new names.

    Before: `A["i"] * total(add, "i", B["i"])`. After: `A["i"] * total(add, "i2", B["i2"])`.
    """
    match node:
        case Apply():
            return Apply(node.op, tuple(without_shadows(o, scope, extents) for o in node.operands), node.loc)
        case Broadcast():
            return Broadcast(without_shadows(node.body, scope, extents), node.names)
        case Total():
            names, body = list(node.names), node.body
            for number, name in enumerate(names):
                if name in scope:
                    names[number] = new = next(n for n in (f"{name}{k}" for k in count(2)) if n not in extents)
                    extents[new] = extents[name]
                    body = rename(body, name, new)
            inside = without_shadows(body, {*scope, *names}, extents)
            return Total(node.operator, tuple(names), inside, node.loc)
    return node
