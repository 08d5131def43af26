"""Other names for indices, other tensors for tensors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import count

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Assignment, Broadcast, Element, Expr, Tensor, Total


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


def with_sizes(assignment: Assignment, sizes: Mapping[str, int]) -> Assignment:
    """The same for tensors whose sizes have these extents."""
    target = with_sizes_inside(assignment.target, sizes)
    assert isinstance(target, Element)
    return Assignment(target, with_sizes_inside(assignment.value, sizes), assignment.loc)


def with_sizes_inside(node: Expr, sizes: Mapping[str, int]) -> Expr:
    """As `with_sizes`, of a formula."""
    return _with_each_tensor(node, lambda tensor: tensor.with_sizes(sizes))


def with_tensors(assignment: Assignment, others: Mapping[Tensor, Tensor]) -> Assignment:
    """The same with other tensors in the value."""
    return Assignment(assignment.target, with_tensors_inside(assignment.value, others), assignment.loc)


def with_tensors_inside(node: Expr, others: Mapping[Tensor, Tensor]) -> Expr:
    """As `with_tensors`, of a formula."""
    return _with_each_tensor(node, lambda tensor: others.get(tensor, tensor))


def _with_each_tensor(node: Expr, other: Callable[[Tensor], Tensor]) -> Expr:
    """`node` with what `other` gives for each of its tensors."""
    match node:
        case Element():
            return Element(other(node.tensor), node.subscripts, node.extents, node.loc)
        case Apply():
            return Apply(node.op, tuple(_with_each_tensor(o, other) for o in node.operands), node.loc)
        case Broadcast():
            return Broadcast(_with_each_tensor(node.body, other), node.names)
        case Total():
            return Total(node.operator, node.names, _with_each_tensor(node.body, other), node.loc)
    return node
