"""An expression in phases: partial results over blocks of a dimension, their combination, and what comes after.

w[i] = Σ_k M[i, k] * v[k]     partial     state[i] = Σ_k M[i, k] * v[k], for each block of k
                              combination state[i] = left[i] + right[i]
                              completion  w[i] = state[i]
y[i] = ps(+)_i x[i]           total       state = Σ_i x[i], for each block of i
                              continuation  y[i] = carry + ps(+)_i x[i]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jitmdh.mdh.algebra.combine import Concatenation, Operator, PointWise, PrefixSum, rename
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Buffer,
    Dim,
    Expression,
    Finish,
    MdHom,
    Program,
    Return,
    ScalarParameter,
)
from jitmdh.mdh.algebra.groups import groups, passing
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.rewrites.reverse_scans import forward_scans
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable, substitute

STATE, CARRY = "part_state_", "part_carry_"
"""How buffers of partial results begin."""


def prepared(expression: Expression) -> Expression:
    """The same, such that blocks of it can be combined: without reverse prefix sums, with identities where a part of
    the points may be none."""
    expression = forward_scans(expression)
    exclusive = any(isinstance(c, PrefixSum) and c.exclusive for c in expression.md_hom.combine)
    fixed = all(d.extent.is_constant and d.extent.constant > 0 for d in expression.md_hom.dims)
    return expression if fixed and not expression.guard and not exclusive else lift_identities(expression)


def own_guard(expression: Expression) -> tuple[Affine, ...]:
    """The conditions that decide what is written: those that mention no collapsed dimension."""
    collapsed = set(expression.collapsed)
    return tuple(g for g in expression.guard if not collapsed.intersection(g.names))


def with_results(expression: Expression, chosen: tuple[int, ...]) -> Expression:
    """`expression` with these of its results only."""
    if chosen == tuple(range(len(expression.out_view))):
        return expression
    out_view = tuple(expression.out_view[n] for n in chosen)
    operators = [c for c in expression.md_hom.combine if not isinstance(c, Concatenation)]
    if expression.finish is None and not operators:
        function = _chosen(expression.md_hom.function, chosen)
        return replace(expression, md_hom=replace(expression.md_hom, function=function), out_view=out_view)
    finish = expression.finish or Finish((), passing(groups(expression)[0].operator.types))
    empty = None if finish.empty is None else tuple(finish.empty[n] for n in chosen)
    finish = Finish(finish.inp_view, _chosen(finish.function, chosen), empty)
    return replace(expression, finish=finish, out_view=out_view)


def _chosen(function: ScalarFunction, chosen: Iterable[int]) -> ScalarFunction:
    return replace(function, results=tuple(function.results[n] for n in chosen))


def state_types(expression: Expression) -> Operator:
    """The operator that combines partial results: the outermost."""
    return groups(expression)[0].operator


def states(operator: Operator, prefix: str, dims: Iterable[str]) -> tuple[tuple[Buffer, ...], tuple[Access, ...]]:
    """Buffers for a partial result over some dimensions, and the accesses to it."""
    index = tuple(Affine.of(d) for d in dims)
    shape = (Affine(),) * len(index)
    buffers = tuple(Buffer(f"{prefix}{n}", t, shape) for n, t in enumerate(operator.types))
    return buffers, tuple(Access(b.name, index) for b in buffers)


def partial(expression: Expression) -> Expression:
    """What a block of collapsed dimensions comes to, before it is combined with others and finished."""
    buffers, view = states(state_types(expression), STATE, expression.remaining)
    return replace(expression, finish=None, out_view=view, buffers=(*expression.buffers, *buffers))


def total(expression: Expression, axis: int) -> Expression:
    """What a block of the prefix sum along `axis` adds to all after it."""
    combine = list(expression.md_hom.combine)
    scan = combine[axis]
    assert isinstance(scan, PrefixSum)
    combine[axis] = PointWise(scan.operator)
    return partial(replace(expression, md_hom=replace(expression.md_hom, combine=tuple(combine)), finish=None))


def completion(expression: Expression) -> Expression:
    """What is done with the combined result of all blocks."""
    operator = state_types(expression)
    dims = tuple(d for d in expression.md_hom.dims if d.name in expression.remaining)
    names = {d.name for d in dims}
    buffers, view = states(operator, STATE, [d.name for d in dims])
    finish = expression.finish or Finish((), passing(operator.types))
    indirect = tuple(n for n in expression.indirect if expression.indirect_depends(n) <= names)
    md_hom = MdHom(dims, finish.function, (Concatenation(),) * len(dims), own_guard(expression))
    return Expression(
        expression.name, (*expression.buffers, *buffers), (*view, *finish.inp_view), md_hom, None,
        expression.out_view, expression.loc, (), indirect,
    )  # fmt: skip


def continuation(expression: Expression, axis: int) -> Expression:
    """A block of the prefix sum along `axis`, begun with what all blocks before it come to."""
    operator = state_types(expression)
    scanned = expression.md_hom.dims[axis].name
    buffers, view = states(operator, CARRY, [d for d in expression.remaining if d != scanned])
    finish = expression.finish or Finish((), passing(operator.types))
    combine, function = rename(operator.function, "carried."), finish.function
    state, inputs = function.parameters[: operator.arity], function.parameters[operator.arity :]
    local = tuple(Variable(f"local.{n}", t) for n, t in enumerate(operator.types))
    given = dict(zip((p.name for p in combine.parameters[operator.arity :]), local))
    bindings = [(v, substitute(e, given)) for v, e in combine.bindings]
    bindings += [(v, substitute(r, given)) for v, r in zip(state, combine.results)]
    carries = combine.parameters[: operator.arity]
    whole = ScalarFunction((*local, *carries, *inputs), (*bindings, *function.bindings), function.results)
    return replace(
        expression,
        finish=Finish((*view, *finish.inp_view), whole, finish.empty),
        buffers=(*expression.buffers, *buffers),
    )


def combination(name: str, operator: Operator, rank: int) -> Program:
    """`(left…, right…) ↦ left ⊗ right` on arrays of partial results."""
    dims = [f"d{n}" for n in range(rank)]
    sides = ("left_", "right_")
    shape = tuple(Affine.of(shape_name(f"left_{0}", a)) for a in range(rank))
    buffers: list[Buffer] = []
    view: list[Access] = []
    for side in sides:
        made, accesses = states(operator, side, dims)
        buffers += [replace(b, shape=tuple(Affine.of(shape_name(b.name, a)) for a in range(rank))) for b in made]
        view += accesses
    results, out_view = states(operator, STATE, dims)
    outputs = [replace(b, shape=tuple(Affine.of(shape_name(b.name, a)) for a in range(rank))) for b in results]
    md_hom = MdHom(tuple(Dim(d, e) for d, e in zip(dims, shape)), operator.function, (Concatenation(),) * rank)
    expression = Expression(name, (*buffers, *outputs), tuple(view), md_hom, None, out_view)
    parameters = tuple(
        ArrayParameter(b.name, b.type, rank) if rank else ScalarParameter(b.name, b.type) for b in buffers
    )
    allocations = tuple(Allocation(b.name, b.type, shape) for b in results)
    returns = tuple(Return(b.name) for b in results)
    return Program(name, parameters, (), allocations, (), (expression,), returns, True)
