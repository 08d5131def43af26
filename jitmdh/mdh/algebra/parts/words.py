"""Complex numbers that are only moved, as words: a load and a store each, where two parts would take two, and shuffles.

out_view( y.real, y.imag ) ∘ md_hom( (x.real, x.imag) ↦ (x.real, x.imag), (++, ++) ) ∘ inp_view( x.real[j, i], … )  ->
out_view( y ) ∘ md_hom( x ↦ x, (++, ++) ) ∘ inp_view( x[j, i] ), both of 64-bit integers
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from jitmdh.base.dtype import complex64, int64
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Access, ArrayParameter, Expression, Program, Step, expressions
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable


def with_words(program: Program) -> Program:
    """`program` with the bits of complex64 arrays as int64 where it only moves them or chooses among them.

    ensures: the same bits in every array. Of arrays that the caller has only those that are read: others may begin
    between two words, where aligned stores cannot.
    """
    names = _moved(program)
    if not names:
        return program
    return replace(
        program,
        parameters=tuple(replace(p, type=int64) if p.name in names else p for p in program.parameters),
        allocations=tuple(replace(a, type=int64) if a.name in names else a for a in program.allocations),
        steps=tuple(_in_words(step, names) for step in program.steps),
    )


def _moved(program: Program) -> frozenset[str]:
    """The arrays of complex64 that nothing is computed with."""
    own = [a.name for a in program.allocations if a.type == complex64 and a.fill is None and a.shape]
    given = [p.name for p in program.parameters if isinstance(p, ArrayParameter) and p.type == complex64]
    if not own or not given:
        return frozenset()
    found = expressions(program.steps)
    written = frozenset[str]().union(*(e.written for e in found))
    names = {*own, *(name for name in given if name not in written)} - {view.of for view in program.views}
    while names and (computed := {name for e in found for name in _computed(e, names)} & names):
        names -= computed
    return frozenset(names) if names & written else frozenset()


def _computed(e: Expression, names: Collection[str]) -> Iterator[str]:
    """Of `names` those that `e` does something else with than to move their elements to others of them."""
    touched = {a.buffer for a in (*e.reads, *e.out_view)} & set(names)
    if not touched:
        return
    f, moves = e.md_hom.function, all(isinstance(c, Concatenation) for c in e.md_hom.combine)
    if not moves or e.finish or e.between or e.procedures or any(map(_mentions_complex, (v for _, v in f.bindings))):
        yield from touched
        return
    of = {p.name: a.buffer for p, a in zip(f.parameters, e.inp_view)}
    yield from (a.buffer for n in e.indirect for a in n.inp_view)
    for access, result in zip(e.out_view, f.results):
        leaves = _leaves(result) if access.buffer in names else None
        read = {of[name] for name in _variables(result)}
        if leaves is None or any(isinstance(v, Variable) and of.get(v.name) not in names for v in leaves):
            yield from (access.buffer, *read)


def _leaves(value: Scalar) -> list[Scalar] | None:
    """The variables and constants that `value` is one of; None: it is computed."""
    match value:
        case Variable() | Constant():
            return [value]
        case Operation("select", (condition, then, otherwise)) if not _mentions_complex(condition):
            one, other = _leaves(then), _leaves(otherwise)
            return None if one is None or other is None else one + other
    return None


def _variables(value: Scalar) -> Iterator[str]:
    """Of complex numbers."""
    if isinstance(value, Variable) and value.type.kind == "c":
        yield value.name
    elif isinstance(value, Operation):
        yield from chain.from_iterable(map(_variables, value.operands))


def _mentions_complex(value: Scalar) -> bool:
    return value.type.kind == "c" or (isinstance(value, Operation) and any(map(_mentions_complex, value.operands)))


def _in_words(step: Step, names: Collection[str]) -> Step:
    if not isinstance(step, Expression):
        return replace(step, body=tuple(_in_words(s, names) for s in step.body))
    if not any(b.name in names for b in step.buffers):
        return step
    f, m = step.md_hom.function, step.md_hom

    def word(variable: Variable, access: Access) -> Variable:
        return replace(variable, type=int64) if access.buffer in names else variable

    parameters = tuple(map(word, f.parameters, step.inp_view))
    results = (_word(r) if a.buffer in names else r for r, a in zip(f.results, step.out_view))
    return replace(
        step,
        buffers=tuple(replace(b, type=int64) if b.name in names else b for b in step.buffers),
        md_hom=replace(m, function=ScalarFunction(parameters, f.bindings, tuple(results))),
    )


def _word(value: Scalar) -> Scalar:
    match value:
        case Constant(number):
            return Constant(int(np.array(number, np.complex64).view(np.int64)), int64)
        case Operation(op, (condition, *choices)):
            return Operation(op, (condition, *map(_word, choices)), int64)
    assert isinstance(value, Variable)
    return replace(value, type=int64)
