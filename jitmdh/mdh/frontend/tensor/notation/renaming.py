"""Other names for indices, other tensors for tensors, with an axis less among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
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
            return replace(node, body=rename(node.body, name, new), needed=None)
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
            return replace(node, names=tuple(names), body=inside, needed=None)
    return node


def with_sizes(assignment: Assignment, sizes: Mapping[str, int]) -> Assignment:
    """The same for tensors whose sizes have these extents."""
    target = with_sizes_inside(assignment.target, sizes)
    assert isinstance(target, Element)
    return Assignment(target, with_sizes_inside(assignment.value, sizes), assignment.loc)


def with_sizes_inside(node: Expr, sizes: Mapping[str, int]) -> Expr:
    """As `with_sizes`, of a formula."""
    return _with_each_tensor(node, lambda tensor: tensor.with_sizes(sizes))


def of_one_simulation(assignments: Sequence[Assignment]) -> tuple[str, list[Assignment]] | None:
    """The same for one value of an index that is the first of every result, and which nothing is summed over.

    Before: `Q["skp"] <= Q["skp"] + K["kl"] * I["slp"]`. After, and with the name s: `Q["kp"] <= Q["kp"] + K["kl"] *
    I["lp"]`. Tensors keep their names and lose an axis; None where there is no such index.
    """
    lost: dict[str, Tensor] = {}
    kept: set[str] = set()
    made = []
    for assignment in assignments:
        first = assignment.target.subscripts[:1]
        if not first or len(first[0].names) != 1:
            return None
        (name,) = first[0].names
        try:
            target = _of_one(assignment.target, name, lost, kept)
            value = _of_one(assignment.value, name, lost, kept)
        except _Varies:
            return None
        assert isinstance(target, Element)
        made.append(Assignment(target, value, assignment.loc))
    extents = {tensor.shape[0] for tensor in lost.values()}
    if kept & lost.keys() or len(extents) != 1:
        return None
    return assignments[0].target.subscripts[0].names[0], made


class _Varies(Exception):
    """An index is used in another way than as the first of an element."""


def _of_one(node: Expr, name: str, lost: dict[str, Tensor], kept: set[str]) -> Expr:
    """`node` without its free index `name`. lost, kept: takes in tensors with and without that axis."""
    match node:
        case Element(tensor, subscripts, extents):
            if name not in {n for a in subscripts for n in a.names}:
                kept.add(tensor.name)
                return node
            rest = {n for a in subscripts[1:] for n in a.names} | {n for n, _ in extents}
            known = tensor.values is not None or tensor.pattern is not None or bool(tensor.sizes or tensor.storage)
            if subscripts[0] != Affine.of(name) or name in rest or known:
                raise _Varies
            lost[tensor.name] = tensor
            one = Tensor(tensor.name, tensor.shape[1:], tensor.type, temporary=tensor.temporary)
            return Element(one, subscripts[1:], extents, node.loc)
        case Apply():
            return Apply(node.op, tuple(_of_one(o, name, lost, kept) for o in node.operands), node.loc)
        case Broadcast():
            if name in node.names:
                raise _Varies
            return Broadcast(_of_one(node.body, name, lost, kept), node.names)
        case Total():
            if name in node.names:
                raise _Varies
            return replace(node, body=_of_one(node.body, name, lost, kept))
    return node


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
            return replace(node, body=_with_each_tensor(node.body, other), needed=None)
    return node
