"""Blocks of a collapsed dimension, taken in one after the other by the part that has the result.

C[i, j] = C[i, j] + Σ_k A[i, k] * B[k, j]   for k ∈ [0, 100), then for k ∈ [100, 200), …, on one copy of a block of C

So there are neither partial results nor arrays for what they are combined to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jitmdh.mdh.algebra.combine import Operator, rename
from jitmdh.mdh.algebra.expr import Expression, Finish, Program
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction, Variable, substitute
from jitmdh.mdh.partition.grids import Box, extents
from jitmdh.mdh.partition.plan import Mosaic, ProgramCall


def taking_in(e: Expression, operator: Operator) -> Expression | None:
    """What is to be done with points of later blocks, once `e` has been done with those of the first one; None where
    that would not be the same."""
    written = {a.buffer for a in e.out_view}
    finishing = () if e.finish is None else e.finish.inp_view
    others = [a for a in e.reads if a.buffer in written and a not in finishing]
    if e.guard or others or e.procedures or e.ragged or any(a.guard for a in e.out_view):
        return None
    if tuple(e.buffer(a.buffer).type for a in e.out_view) != operator.types:
        return None
    if e.finish is not None and not _begins(e.finish, operator):
        return None
    function = rename(operator.function, "held.")
    held, state = function.parameters[: operator.arity], function.parameters[operator.arity :]
    taking = replace(function, parameters=(*state, *held))
    if e.finish is not None and e.finish.inp_view == e.out_view:
        names = {t.name: p for t, p in zip(taking.parameters, e.finish.function.parameters)}
        if _resolved(taking, names) == _resolved(e.finish.function):
            return e  # one program for all blocks
    return replace(e, finish=Finish(e.out_view, taking))


def _resolved(function: ScalarFunction, names: Mapping[str, Scalar] | None = None) -> tuple[Scalar, ...]:
    """The results without bindings, over other parameters."""
    known = dict(names or {})
    for variable, value in function.bindings:
        known[variable.name] = substitute(value, known)
    return tuple(substitute(r, known) for r in function.results)


def _begins(finish: Finish, operator: Operator) -> bool:
    """Whether it is `state ↦ state`, or `state ↦ other ⊗ state`: then what comes later can be combined with that."""
    function = finish.function
    state = function.parameters[: operator.arity]
    if finish.empty is not None:
        return False
    results = _resolved(function)
    if results == state or not operator.is_elementary:
        return results == state
    match results:
        case (Operation(op, (left, right), type),) if op == operator.name and type == operator.types[0]:
            if right == state[0]:
                return not _has(left, state[0])
            return operator.commutative and left == state[0] and not _has(right, state[0])
    return False


def _has(node: Scalar, variable: Variable) -> bool:
    """Whether it changes with the variable."""
    return substitute(node, {variable.name: Variable("other.", variable.type)}) != node


def in_place(call: ProgramCall) -> ProgramCall | None:
    """The same, reading what it updates where it updates it; None where it reads other elements of that."""
    program = call.program
    called = dict(call.origin.buffers)
    names = [p.name for p in program.parameters]
    given = {called.get(n, n): (n, g) for n, g in zip(names[len(call.reads) :], call.given)}
    renamed = {}
    for name, gather in zip(names, call.reads):
        if (there := given.get(called.get(name, name))) is not None:
            if gather != there[1]:
                return None
            renamed[name] = there[0]
    if not renamed:
        return call
    reads = tuple(g for n, g in zip(names, call.reads) if n not in renamed)
    changed = _reading(program, renamed)
    return None if changed is None else replace(call, program=changed, reads=reads)


def _reading(program: Program, renamed: dict[str, str]) -> Program | None:
    (e,) = program.steps
    if not isinstance(e, Expression) or e.finish is None:
        return None
    view = tuple(replace(a, buffer=renamed.get(a.buffer, a.buffer)) for a in e.finish.inp_view)
    places = {a.buffer: a.index for a in e.out_view}
    if any(a.buffer in places and a.index != places[a.buffer] for a in view):
        return None
    buffers = tuple(b for b in e.buffers if b.name not in renamed)
    parameters = tuple(p for p in program.parameters if p.name not in renamed)
    made = replace(e, finish=replace(e.finish, inp_view=view), buffers=buffers)
    return replace(program, parameters=parameters, steps=(made,))


def one_part(first: ProgramCall, others: Sequence[ProgramCall], box: Box, keeps: bool) -> Mosaic | None:
    """All of these, one after the other, on the same results. keeps: whether the first one needs their old content."""
    own = [in_place(call) for call in (first, *others)]
    if None in own or any(call.windows for call in (first, *others)):
        return None
    whole = tuple((0, n) for n in extents(box))
    places = tuple((n, whole) for n in range(len(first.given)))
    kept = tuple((n, whole, g) for n, g in enumerate(first.given)) if keeps else ()
    calls = tuple((places, replace(call, given=())) for call in own if call is not None)
    return Mosaic(tuple((g.shape, g.type) for g in first.given), kept, calls, places)
