"""Arrays that are filled and then added to, as if they were never filled.

C = np.zeros((m, n))                        C = np.empty((m, n))
for i: for j: for k:                        for i: for j:
    C[i, j] += A[i, k] * B[k, j]      ->        acc = 0.0;  for k: acc += A[i, k] * B[k, j]
                                                C[i, j] = acc

One pass over memory less, and both ways to write it are one expression. Where only a part is written, and nothing else
is read, the fill is left out, too: `t = np.zeros(n)`, `t[1:-1] = …`, `y[2:-2] = t[1:-3] + t[3:-1]`.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation
from jitmdh.mdh.algebra.expr import Allocation, Expression, Finish, Program, Step, expressions
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.coverage import covers
from jitmdh.mdh.algebra.rewrites.size_facts import equal_sizes
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable, substitute


def without_fills(program: Program) -> Program:
    """`program` without the fills that the first expression to touch an array makes good for.

    That expression writes all of the array, and what it reads of it is the element that it writes; or it reads
    nothing of it, and writes all that is ever read.
    """
    for allocation in program.allocations:
        if allocation.fill is not None:
            program = _without(program, allocation, allocation.fill)
    return program


def _without(program: Program, allocation: Allocation, fill: Constant) -> Program:
    name = allocation.name
    number = next((n for n, s in enumerate(program.steps) if _touches(s, name)), None)
    if number is None:
        return program
    first = program.steps[number]
    if not isinstance(first, Expression):
        return program
    if _makes(first, allocation):
        started = _started(first, name, fill)
    else:
        started = first if _writes_what_is_read(program, first, name, allocation.shape) else None
    if started is None:
        return program
    return replace(
        program,
        allocations=tuple(replace(a, fill=None) if a is allocation else a for a in program.allocations),
        steps=(*program.steps[:number], started, *program.steps[number + 1 :]),
    )


def _writes_what_is_read(program: Program, first: Expression, name: str, shape: tuple[Affine, ...]) -> bool:
    """Whether `first` reads nothing of an array, and writes all that the program reads of it."""
    everywhere = expressions(program.steps)
    written = [a for a in first.out_view if a.buffer == name]
    if len(written) != 1 or any(a.buffer == name for a in first.reads) or name in program.returned:
        return False
    if any(b.of == name for e in everywhere for b in e.buffers):
        return False
    if any(name in p.fetched | p.written for e in everywhere for p in e.procedures):
        return False
    equal = equal_sizes(program)

    def known(size: Affine) -> Affine:
        return size.substitute(equal)

    reads = [(e, a) for e in everywhere for a in e.reads if a.buffer == name]
    return all(covers(first, written[0], e, a, shape, known) for e, a in reads)


def _touches(step: Step, name: str) -> bool:
    return any(b.name == name for e in expressions((step,)) for b in e.buffers)


def _makes(expression: Expression, allocation: Allocation) -> bool:
    """Whether the expression writes each element of the array once, whatever the sizes are."""
    written = [a for a in expression.out_view if a.buffer == allocation.name]
    inside = (*expression.inp_view, *(a for b in expression.between for a in b.inp_view))
    if any(allocation.name in p.fetched | p.written for p in expression.procedures):
        return False
    if len(written) != 1 or written[0].guard or any(a.buffer == allocation.name for a in inside):
        return False
    collapsed = set(expression.collapsed)
    if any(not collapsed.intersection(g.names) for g in expression.md_hom.guard):
        return False
    if any(not isinstance(c, Concatenation) and c.operator.identity is None for c in expression.md_hom.combine):
        return False
    extents = {d.name: d.extent for d in expression.md_hom.dims}
    names = [i.names[0] if i.names and i == Affine.of(i.names[0]) else "" for i in written[0].index]
    whole = tuple(extents.get(n) for n in names) == allocation.shape
    return whole and sorted(names) == sorted(expression.remaining)


def _started(expression: Expression, name: str, fill: Constant) -> Expression | None:
    """The expression with `fill` for what it reads of the array; None if it reads other elements than it writes."""
    finish = expression.finish
    reads = () if finish is None else tuple(a for a in finish.inp_view if a.buffer == name)
    index = next(a.index for a in expression.out_view if a.buffer == name)
    if finish is None or not reads:
        return expression
    if any(a.index != index or a.guard for a in reads):
        return None
    arity = len(finish.function.parameters) - len(finish.inp_view)
    states, inputs = finish.function.parameters[:arity], finish.function.parameters[arity:]
    values = {p.name: fill for p, a in zip(inputs, finish.inp_view) if a.buffer == name}
    kept = tuple((p, a) for p, a in zip(inputs, finish.inp_view) if a.buffer != name)
    neutral = _neutral(expression.md_hom.combine, states)

    def with_fill(node: Scalar) -> Scalar:
        return _simple(substitute(node, values), neutral)

    function = ScalarFunction(
        (*states, *(p for p, _ in kept)),
        tuple((v, with_fill(e)) for v, e in finish.function.bindings),
        tuple(map(with_fill, finish.function.results)),
    )
    empty = None if finish.empty is None else tuple(substitute(r, values) for r in finish.empty)
    nothing_left = function.results == states and not kept
    made = None if nothing_left else Finish(tuple(a for _, a in kept), function, empty)
    return replace(expression, finish=made)


def _neutral(combine: tuple[CombineOperator, ...], states: tuple[Variable, ...]) -> dict[str, tuple[str, Constant]]:
    """For states that are combined by one operation: its name and its identity."""
    operators = [c.operator for c in combine if not isinstance(c, Concatenation)]
    if not operators or operators[0].identity is None:
        return {}
    operator = operators[0]
    n, identity = operator.arity, operator.identity or ()
    left, right = operator.function.parameters[:n], operator.function.parameters[n:]
    return {
        s.name: (r.op, e)
        for s, r, a, b, e in zip(states, operator.function.results, left, right, identity)
        if isinstance(r, Operation) and r.operands == (a, b)
    }


def _simple(node: Scalar, neutral: dict[str, tuple[str, Constant]]) -> Scalar:
    """`0 + state` as `state`, where 0 is what the states are combined from anyway."""
    match node:
        case Operation(op, (Constant() as start, Variable() as trace)) | Operation(
            op, (Variable() as trace, Constant() as start)
        ) if neutral.get(trace.name) == (op, start):
            return trace
    return node
