"""Symmetric results: one triangle is computed, the other one is its mirror image.

c[i, j] = Σ_k x[k, i] * x[k, j]        ->      c[i, j] = Σ_k x[k, i] * x[k, j]     if i - j ≥ 0
                                               t[i, j] = c[i, j]                   if i - j - 1 ≥ 0
                                               c[j, i] = t[i, j]                   if i - j - 1 ≥ 0

Whether a result is symmetric follows from the expression: with i and j exchanged, it reads and computes the same.
Products and sums of two numbers are the same to the last bit in either order, and so is the square of a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, permutations

from jitmdh.mdh.algebra.combine import Concatenation, PointWise, cc
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    Buffer,
    Dim,
    Expression,
    MdHom,
    Program,
    expressions,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Operation,
    Scalar,
    ScalarFunction,
    Variable,
    index_values,
    map_children,
    substitute,
)
from jitmdh.mdh.algebra.scalar import substitute_index as substitute_indices

_MOST_INPUTS = 4  # of an expression: their orders are tried
_IN_ANY_ORDER = frozenset({"add", "mul", "and", "or", "xor", "eq", "ne"})


def with_halves(program: Program, is_worth: Callable[[Dim, Expression], bool]) -> Program:
    """`program` with symmetric results computed in one triangle.

    is_worth: asked for one of the two dimensions, and the expression. requires: nothing. ensures: the same results, to
    the last bit where a sum has one order for all elements; the expressions of `program` keep their names.
    """
    for e in [s for s in program.steps if isinstance(s, Expression)]:
        pair = next(_pairs(e), None)
        if pair is not None and is_worth(pair[0], e):
            program = _halved(program, e, *pair)
    return program


def _pairs(e: Expression) -> Iterator[tuple[Dim, Dim]]:
    """Two dimensions under whose exchange an expression is the same."""
    m, finish = e.md_hom, e.finish
    plain = len(e.out_view) == 1 and not (m.guard or e.between or e.indirect or e.procedures or e.scattered)
    if not plain or not e.collapsed or len(e.inp_view) > _MOST_INPUTS or any(a.guard for a in (*e.reads, *e.out_view)):
        return
    if not all(isinstance(c, Concatenation | PointWise) for c in m.combine) or e.written.intersection(_read(e)):
        return
    if finish is not None and (finish.inp_view or finish.empty is not None):
        return
    remaining = [d for d in m.dims if d.name in e.remaining]
    for one, other in combinations(remaining, 2):
        names = {one.name, other.name}
        placed = finish is not None and any(names.intersection(i.names) for i in index_values(finish.function))
        if one.extent == other.extent and not placed and _mirrored(e, one, other) and _is_same(e, one, other):
            yield one, other


def _read(e: Expression) -> frozenset[str]:
    return frozenset(a.buffer for a in e.reads)


def _mirrored(e: Expression, one: Dim, other: Dim) -> tuple[Affine, ...] | None:
    """The place of what is written with two dimensions exchanged, if that are two axes exchanged; else None."""
    index = e.out_view[0].index
    axes = [[n for n, i in enumerate(index) if d.name in i.names] for d in (one, other)]
    if [len(found) for found in axes] != [1, 1] or axes[0] == axes[1]:
        return None
    ((p,), (q,)) = axes
    shape = e.buffer(e.out_view[0].buffer).shape
    exchanged = _exchanged(index, one, other)
    if shape[p] != shape[q] or exchanged[p] != index[q] or exchanged[q] != index[p]:
        return None
    return exchanged


def _exchanged(index: tuple[Affine, ...], one: Dim, other: Dim) -> tuple[Affine, ...]:
    return tuple(i.substitute(_exchange(one, other)) for i in index)


def _exchange(one: Dim, other: Dim) -> Mapping[str, Affine]:
    return {one.name: Affine.of(other.name), other.name: Affine.of(one.name)}


def _is_same(e: Expression, one: Dim, other: Dim) -> bool:
    """Whether an expression computes the same at each point with two dimensions exchanged."""
    function, reads = e.md_hom.function, [(a.buffer, a.index) for a in e.inp_view]
    exchanged = [(buffer, _exchanged(index, one, other)) for buffer, index in reads]
    if sorted(map(str, reads)) != sorted(map(str, exchanged)):
        return False
    wanted = [_in_order(r) for r in _results(function, function.parameters)]
    for order in permutations(range(len(reads))):
        if all(exchanged[n] == reads[to] for n, to in enumerate(order)):
            found = _results(function, tuple(function.parameters[to] for to in order))
            if [_in_order(substitute_indices(r, _exchange(one, other))) for r in found] == wanted:
                return True
    return False


def _results(function: ScalarFunction, given: tuple[Variable, ...]) -> list[Scalar]:
    """What a function computes of these variables, as trees."""
    values: dict[str, Scalar] = {p.name: v for p, v in zip(function.parameters, given)}
    for variable, value in function.bindings:
        values[variable.name] = substitute(value, values)
    return [substitute(r, values) for r in function.results]


def _in_order(node: Scalar) -> Scalar:
    """The same for all trees that compute the same, in another order of two operands."""
    node = map_children(node, _in_order)
    if not isinstance(node, Operation):
        return node
    operands = node.operands
    if node.op in _IN_ANY_ORDER:
        operands = tuple(sorted(operands, key=repr))
    even = (node.op == "mul" and len(operands) == 2 and operands[0] == operands[1]) or node.op in ("abs", "square")
    if even:  # the sign of a difference does not matter
        operands = tuple(_of_difference(o) for o in operands)
    return Operation(node.op, operands, node.type)


def _of_difference(node: Scalar) -> Scalar:
    if isinstance(node, Operation) and node.op == "sub" and node.type.kind == "f":
        return Operation("sub", tuple(sorted(node.operands, key=repr)), node.type)
    return node


def _halved(program: Program, e: Expression, one: Dim, other: Dim) -> Program:
    mirrored = _mirrored(e, one, other)
    assert mirrored is not None
    out, below = e.out_view[0], Affine.of(one.name) - Affine.of(other.name)
    dims = tuple(d for d in e.md_hom.dims if d.name in e.remaining)
    buffer = e.buffer(out.buffer)
    kept = Buffer(_fresh(program, f"{out.buffer}_half"), buffer.type, tuple(d.extent for d in dims))
    lower = replace(e, md_hom=replace(e.md_hom, guard=(below,)), out_view=(replace(out, guard=(below,)),))
    place = Access(kept.name, tuple(Affine.of(d.name) for d in dims))
    element = Variable("element", buffer.type)

    def copied(name: str, source: Access, target: Access) -> Expression:
        copy = MdHom(dims, ScalarFunction((element,), (), (element,)), (cc,) * len(dims), (below - 1,))
        return Expression(f"{e.name} {name}", (kept, buffer), (source,), copy, None, (target,), e.loc)

    steps = (
        lower,
        copied("half", Access(out.buffer, out.index), place),
        copied("mirrored", place, Access(out.buffer, mirrored)),
    )
    at = next(n for n, s in enumerate(program.steps) if s is e)
    made = Allocation(kept.name, kept.type, kept.shape, None, e.loc)
    return replace(
        program,
        allocations=(*program.allocations, made),
        steps=(*program.steps[:at], *steps, *program.steps[at + 1 :]),
    )


def _fresh(program: Program, name: str) -> str:
    used = {p.name for p in program.parameters} | {a.name for a in program.allocations}
    used |= {b.name for e in expressions(program.steps) for b in e.buffers}
    while name in used:
        name += "_"
    return name
