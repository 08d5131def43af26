"""Size names replaced by numbers, for code that is compiled for short extents it knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import is_
from typing import assert_never

from jitmdh.mdh.algebra.expr import (
    Access,
    Between,
    Check,
    Dim,
    Expression,
    Finish,
    Indirect,
    Program,
    Sequential,
    Step,
    Together,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, index_values, substitute_index
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName, SizeOperation

Substitution = Mapping[str, Affine | int]


def specialise(program: Program, values: Mapping[str, int]) -> Program:
    """`program` for calls in which the sizes named in `values` have these values.

    before:  dims i: [0, w.shape[0]), access x[i + w.shape[0]]            values {"w.shape[0]": 3}
    after:   dims i: [0, 3),          access x[i + 3]

    requires: `values` names sizes, no dimensions. ensures: the same meaning for such calls; for others, none:
    the caller has to guard. Scalars that are read as inputs stay inputs.
    """
    return replace(
        program,
        definitions=tuple(replace(d, value=specialise_size(d.value, values)) for d in program.definitions),
        allocations=tuple(replace(a, shape=_all(a.shape, values)) for a in program.allocations),
        checks=tuple(_check(c, values) for c in program.checks),
        steps=tuple(_step(s, values) for s in program.steps),
    )


def specialise_expression(expression: Expression, values: Substitution) -> Expression:
    """The same for one expression, of names for which `values` gives numbers or affine expressions.

    Names may also be those of dimensions of enclosing sequential loops.
    """
    md_hom, finish = expression.md_hom, expression.finish
    return replace(
        expression,
        buffers=tuple(replace(b, shape=_all(b.shape, values)) for b in expression.buffers),
        inp_view=_view(expression.inp_view, values),
        md_hom=replace(
            md_hom,
            dims=tuple(_dim(d, values) for d in md_hom.dims),
            function=_function(md_hom.function, values),
            guard=_all(md_hom.guard, values),
        ),
        finish=None if finish is None else _finish(finish, values),
        out_view=_view(expression.out_view, values),
        between=tuple(
            Between(b.depth, _view(b.inp_view, values), _function(b.function, values)) for b in expression.between
        ),
        indirect=tuple(_indirect(n, values) for n in expression.indirect),
    )


def _indirect(indirect: Indirect, values: Substitution) -> Indirect:
    extent = indirect.extent
    return replace(
        indirect,
        inp_view=_view(indirect.inp_view, values),
        function=_function(indirect.function, values),
        extent=None if extent is None else extent.substitute(values),
    )


def specialise_size(size: SizeExpr, values: Mapping[str, int]) -> SizeExpr:
    """The same for a size; its operations are kept."""
    match size:
        case SizeConstant():
            return size
        case SizeName(name):
            return SizeConstant(values[name]) if name in values else size
        case SizeOperation(op, left, right):
            return SizeOperation(op, specialise_size(left, values), specialise_size(right, values))
        case _:
            assert_never(size)


def _step(step: Step, values: Mapping[str, int]) -> Step:
    match step:
        case Expression():
            return specialise_expression(step, values)
        case Sequential():
            return replace(step, dim=_dim(step.dim, values), body=tuple(_step(s, values) for s in step.body))
        case Together():
            local = tuple(replace(a, shape=_all(a.shape, values)) for a in step.local)
            body = tuple(_step(s, values) for s in step.body)
            return replace(step, dim=_dim(step.dim, values), body=body, local=local)
        case _:
            assert_never(step)


def _finish(finish: Finish, values: Substitution) -> Finish:
    empty = finish.empty
    return Finish(
        _view(finish.inp_view, values),
        _function(finish.function, values),
        None if empty is None else tuple(substitute_index(e, values) for e in empty),
    )


def _function(function: ScalarFunction, values: Substitution) -> ScalarFunction:
    if not any(name in values for index in index_values(function) for name in index.names):
        return function
    bindings = tuple((v, substitute_index(e, values)) for v, e in function.bindings)
    results = tuple(substitute_index(r, values) for r in function.results)
    changed = not all(map(is_, results, function.results))
    changed = changed or any(new is not old for (_, new), (_, old) in zip(bindings, function.bindings))
    return ScalarFunction(function.parameters, bindings, results) if changed else function


def _view(view: tuple[Access, ...], values: Substitution) -> tuple[Access, ...]:
    return tuple(_access(a, values) for a in view)


def _access(access: Access, values: Substitution) -> Access:
    """The same object where there is nothing to replace: sums that are written out have thousands."""
    if any(name in values for part in (access.index, access.guard) for a in part for name, _ in a.terms):
        return replace(access, index=_all(access.index, values), guard=_all(access.guard, values))
    return access


def _dim(dim: Dim, values: Substitution) -> Dim:
    return replace(dim, extent=dim.extent.substitute(values))


def _check(check: Check, values: Substitution) -> Check:
    return replace(check, value=check.value.substitute(values), when=_all(check.when, values))


def _all(affines: tuple[Affine, ...], values: Substitution) -> tuple[Affine, ...]:
    return tuple(a.substitute(values) for a in affines)
