"""Expressions without their names: what is left must be the same whichever front end it comes from.

before   md_hom over (e, b), combine (•(add), ++), of `elements` and `bins`
after    md_hom over (d0, d1), combine (++, •(add)), of `buffer1` and `buffer2`

Names are numbered in the order of their use; `++` dimensions, which commute with all, stand before the others, in the
order in which the first output has them.
Nothing else is normalised: extents, views, scalar functions, operators with their identities, guards and finishes are
compared as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, Operator
from jitmdh.mdh.algebra.expr import Access, Between, Buffer, Dim, Expression, Finish, Indirect, MdHom, Program
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.specialise import specialise
from jitmdh.mdh.algebra.scalar import Constant, Operation, ScalarFunction, Variable, substitute, substitute_index
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of


def canonical(program: Program, arguments: Sequence[Any]) -> tuple[Expression, ...]:
    """The expressions of `program`, for the sizes of these arguments, without their names."""
    steps = specialise(program, sizes_of(program, arguments)).steps
    assert all(isinstance(s, Expression) for s in steps), f"{program.name} has sequential loops:\n{program}"
    return tuple(without_names(s) for s in steps if isinstance(s, Expression))


def without_names(e: Expression) -> Expression:
    written = [name for a in e.out_view for index in a.index for name in index.names]

    def place(pair: tuple[Dim, CombineOperator]) -> tuple[bool, int]:
        if isinstance(pair[1], Concatenation) and pair[0].name in written:
            return False, written.index(pair[0].name)
        return True, 0

    pairs = list(zip(e.md_hom.dims, e.md_hom.combine))
    pairs = pairs if e.between else sorted(pairs, key=place)  # what stands between has its depth
    dims = {d.name: Affine.of(f"d{n}") for n, (d, _) in enumerate(pairs)}
    dims |= {name.name: Affine.of(f"@{n}") for n, name in enumerate(e.indirect)}
    reads = () if e.finish is None else e.finish.inp_view
    inner = tuple(a for b in e.between for a in b.inp_view)
    data = tuple(a for name in e.indirect for a in name.inp_view)
    names = dict.fromkeys(a.buffer for a in (*e.out_view, *e.inp_view, *inner, *reads, *data))
    buffers = {name: f"buffer{n}" for n, name in enumerate(names)}

    def view(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(Access(buffers[a.buffer], affine(a.index), affine(a.guard)) for a in accesses)

    def affine(values: tuple[Affine, ...]) -> tuple[Affine, ...]:
        return tuple(v.substitute(dims) for v in values)

    md_hom = MdHom(
        tuple(Dim(f"d{n}", d.extent.substitute(dims)) for n, (d, _) in enumerate(pairs)),
        function_without_names(e.md_hom.function, dims),
        tuple(combine_without_names(c) for _, c in pairs),
        affine(e.md_hom.guard),
    )
    finish = None
    if e.finish is not None:
        finish = Finish(view(reads), function_without_names(e.finish.function, dims), e.finish.empty)
    kept = tuple(Buffer(buffers[n], e.buffer(n).type, e.buffer(n).shape) for n in names)
    between = tuple(Between(b.depth, view(b.inp_view), function_without_names(b.function, dims)) for b in e.between)
    indirect = tuple(
        Indirect(f"@{n}", view(name.inp_view), function_without_names(name.function, dims), name.extent)
        for n, name in enumerate(e.indirect)
    )
    return Expression(
        "", kept, view(e.inp_view), md_hom, finish, view(e.out_view), between=between, indirect=indirect
    )  # fmt: skip


def combine_without_names(combine: CombineOperator) -> CombineOperator:
    if isinstance(combine, Concatenation):
        return combine
    operator = combine.operator
    function = function_without_names(operator.function, {})
    return replace(combine, operator=Operator("", function, operator.identity, operator.commutative))


def function_without_names(function: ScalarFunction, dims: Mapping[str, Affine]) -> ScalarFunction:
    variables = [*function.parameters, *(v for v, _ in function.bindings)]
    renamed = {v.name: Variable(f"v{n}", v.type) for n, v in enumerate(variables)}

    def named(node: Any) -> Any:
        return substitute_index(substitute(node, renamed), dims)

    return ScalarFunction(
        tuple(renamed[p.name] for p in function.parameters),
        tuple((renamed[v.name], named(e)) for v, e in function.bindings),
        tuple(named(r) for r in function.results),
    )


def from_nothing(e: Expression) -> Expression:
    """`e` without the start of its sums from 0.0, if that is all that its finish does; inner sums have it as identity.

    The explicit representation combines nothing but the elements. A sum that a loop starts from 0.0 differs from that
    in one bit: the sum of nothing but -0.0 is 0.0.
    """
    combine = tuple(map(_from_nothing, e.md_hom.combine))
    e = replace(e, md_hom=replace(e.md_hom, combine=combine))
    if e.finish is None or e.finish.inp_view or e.finish.function.bindings or e.finish.empty is not None:
        return e
    states = e.finish.function.parameters
    for state, result in zip(states, e.finish.function.results, strict=True):
        start = Operation("add", (Constant(0.0, state.type), state), state.type)
        if result not in (state, start):
            return e
    return replace(e, finish=None)


def _from_nothing(combine: CombineOperator) -> CombineOperator:
    """A sum whose identity is 0.0 with the one that is -0.0."""
    if isinstance(combine, Concatenation) or combine.operator.types[0].kind != "f":
        return combine
    operator, type = combine.operator, combine.operator.types[0]
    left, right = operator.function.parameters[0], operator.function.parameters[-1]
    if operator.function.results != (Operation("add", (left, right), type),):
        return combine
    if operator.identity != (Constant(0.0, type),):
        return combine
    return replace(combine, operator=replace(operator, identity=(Constant(-0.0, type),)))
