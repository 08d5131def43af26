"""One expression with several operators as two: the inner ones first, into arrays, then the outer ones from there.

    max_i Σ_j x[i, j]        ->        t[i] = Σ_j x[i, j];   max_i t[i]

Where an inner operator is shared among cores, or is a prefix sum, its results have to be complete before the outer one
begins.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.algebra.combine import Operator, PointWise, cc
from jitmdh.mdh.algebra.expr import Access, Between, Buffer, Expression, MdHom
from jitmdh.mdh.algebra.groups import Group, groups, passing
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, select


def boundary(found: Sequence[Group], shared: Collection[str], waits: bool = False) -> int | None:
    """The first group that has to be complete, with all inside it, before those outside begin; None: there is none.

    shared: dimensions that are shared among cores. waits: the results of the innermost group wait in memory.
    """
    for n, group in enumerate(found[1:], 1):
        outer = found[0]
        if group.scan or not set(shared).isdisjoint(group.names):
            return n
        if n == 1 and outer.scan and outer.names[0] in shared:
            return n
    return len(found) - 1 if waits and len(found) > 1 else None


def split(expression: Expression, at: int, names: Sequence[str]) -> tuple[Expression, Expression]:
    """The groups from number `at` on, with results in arrays of the given names (one for each component of the state),
    and the groups outside of them, which read these.

    requires: identities (`lift_identities`). ensures: the same meaning, executed one after the other.
    """
    found = groups(expression)
    md_hom, group = expression.md_hom, found[at]
    inner = {axis for g in found[at:] for axis in g.axes}
    gone = {a for a in inner if isinstance(md_hom.combine[a], PointWise)}
    kept = [a for a in range(len(md_hom.dims)) if a not in gone]
    dims = tuple(md_hom.dims[a] for a in kept)
    index = tuple(Affine.of(d.name) for d in dims)
    shape = tuple(d.extent for d in dims)
    buffers = tuple(Buffer(name, type, shape) for name, type in zip(names, group.operator.types))
    results = tuple(Access(name, index) for name in names)
    first = _first(expression, found, at, results, buffers)
    between = group.between
    function = between.function if between is not None else passing(group.operator.types)
    inputs = between.inp_view if between is not None else ()
    gone_names = {md_hom.dims[a].name for a in gone}
    chosen = _chosen(expression, found, at)
    written = tuple(g for g in chosen if not set(g.names).intersection(expression.collapsed))
    second = replace(
        expression,
        buffers=(*expression.buffers, *buffers),
        inp_view=(*results, *inputs),
        md_hom=MdHom(
            dims,
            function,
            tuple(cc if a in inner else md_hom.combine[a] for a in kept),
            tuple(g for g in md_hom.guard if not gone_names.intersection(g.names) and g not in chosen),
        ),
        out_view=tuple(replace(a, guard=(*a.guard, *written)) for a in expression.out_view),
        between=tuple(
            replace(b, depth=sum(a < b.depth for a in kept))
            for b in expression.between
            if b.depth <= found[at - 1].axes[0]
        ),
    )
    return first, second


def _first(
    expression: Expression, found: Sequence[Group], at: int, results: tuple[Access, ...], buffers: tuple[Buffer, ...]
) -> Expression:
    md_hom = expression.md_hom
    chosen = _chosen(expression, found, at)
    outer = {axis for g in found[:at] for axis in g.axes}
    function, view = md_hom.function, expression.inp_view
    between = {b.depth: b for b in expression.between if b.depth > found[at].axes[0]}
    for number, group in enumerate(found[at:], at):
        own = tuple(g for g in chosen if g in group.guard)
        if not own:
            continue
        if group is found[-1]:
            function = _where(function, own, group.operator)
            view = tuple(replace(a, guard=(*a.guard, *own)) for a in view)
            continue
        inner = found[number + 1]
        passed = inner.between or Between(inner.axes[0], (), passing(inner.operator.types))
        between[passed.depth] = replace(passed, function=_where(passed.function, own, group.operator))
    return replace(
        expression,
        buffers=(*expression.buffers, *buffers),
        inp_view=view,
        md_hom=MdHom(
            md_hom.dims,
            function,
            tuple(cc if axis in outer else c for axis, c in enumerate(md_hom.combine)),
            tuple(g for g in md_hom.guard if g not in chosen),
        ),
        finish=None,
        out_view=results,
        between=tuple(between[depth] for depth in sorted(between, reverse=True)),
    )


def _chosen(expression: Expression, found: Sequence[Group], at: int) -> tuple[Affine, ...]:
    """Conditions on elements of an inner prefix sum, not on what it leaves: the element becomes the identity."""
    outside = {name for g in found[:at] for name in g.names}
    gone = {name for g in found[at:] if not g.scan for name in g.names}
    own = [g for group in found[at:] for g in group.guard]
    return tuple(g for g in own if outside.intersection(g.names) and not gone.intersection(g.names))


def _where(function: ScalarFunction, guard: Sequence[Affine], operator: Operator) -> ScalarFunction:
    """`function` where `guard` holds, the identity elsewhere."""
    assert operator.identity is not None
    results: list[Scalar] = list(function.results)
    for affine in guard:
        holds = Operation("ge", (IndexValue(affine, int64), Constant(0, int64)), bool_)
        results = [select(holds, r, neutral) for r, neutral in zip(results, operator.identity)]
    return ScalarFunction(function.parameters, function.bindings, tuple(results))
