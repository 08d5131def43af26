"""Long functions of the sums of rows, of all rows behind them: on vector lanes instead of one by one.

y[i] = log(Σ_j x[i, j])         ->         t[i] = Σ_j x[i, j];  y[i] = log(t[i])

Lanes of a row are combined to one number, and its logarithm alone takes as long as those of a whole vector of rows.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.names import unused
from jitmdh.mdh.algebra.combine import Concatenation, cc
from jitmdh.mdh.algebra.expr import Access, Allocation, Buffer, Expression, MdHom, Program, Step, expressions
from jitmdh.mdh.algebra.independence import may_fail
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction

_LONG = 16
"""Instructions of a function that are worth an array: a root or a quotient hides behind the next row."""


def with_finishes_apart(program: Program) -> Program:
    """`program` with the long functions behind sums of rows as computations of their own, each behind its sums.

    requires: nothing. ensures: the same meaning.
    """
    if not any(isinstance(s, Expression) and _is_worth(s) for s in program.steps):
        return program
    taken = {x.name for x in (*program.parameters, *program.allocations, *program.definitions, *program.views)}
    for e in expressions(program.steps):
        taken |= {e.name, *(b.name for b in e.buffers), *(d.name for d in e.md_hom.dims)}
    steps, arrays = list[Step](), list(program.allocations)
    for step in program.steps:
        if isinstance(step, Expression) and _is_worth(step):
            pair, array = _apart(step, unused(f"{step.out_view[0].buffer}_sums".replace(".", "_"), taken))
            steps += pair
            arrays.append(array)
        else:
            steps.append(step)
    return replace(program, steps=tuple(steps), allocations=tuple(arrays))


def _is_worth(e: Expression) -> bool:
    """Whether a long function stands behind sums of rows, each of which is one of the results.

    Neighbours in memory are combined: else lanes go along the results, and the function does so, too.
    """
    if e.finish is None or e.finish.empty is not None or e.md_hom.guard or e.between or not e.collapsed:
        return False
    if e.indirect or e.scattered or e.has_prefix_sum or e.procedures or may_fail(e) or len(e.out_view) != 1:
        return False
    function = e.finish.function
    if len(e.md_hom.function.results) != 1 or function.parameters[0].type.kind != "f" or not e.remaining:
        return False
    operators = [c.operator for c in e.md_hom.combine if not isinstance(c, Concatenation)]
    if any(o.identity is None for o in operators):
        return False
    dims, collapsed = {d.name for d in e.md_hom.dims}, set(e.collapsed)
    rows = [a for a in e.inp_view if dims <= e.varying(a)]
    if not rows or not all(set(a.index[-1].names) & dims <= collapsed for a in rows):
        return False
    if any(a.guard for a in (*e.out_view, *e.finish.inp_view)):
        return False
    return sum(map(_cost, (*(v for _, v in function.bindings), *function.results))) >= _LONG


def _cost(node: Scalar) -> float:
    """Instructions that a value takes beside what it is computed from by name."""
    if not isinstance(node, Operation):
        return 0.0
    row = OPERATIONS.get(node.op)
    own = row.cost if row is not None and node.type.kind == "f" else 0.0
    return own + sum(map(_cost, node.operands))


def _apart(e: Expression, name: str) -> tuple[tuple[Expression, Expression], Allocation]:
    """The sums, in an array of this name, and their function."""
    assert e.finish is not None
    dims = tuple(d for d in e.md_hom.dims if d.name in e.remaining)
    function = e.finish.function
    type = function.parameters[0].type
    array = Buffer(name, type, tuple(d.extent for d in dims))
    element = Access(name, tuple(Affine.of(d.name) for d in dims))
    first = (*e.inp_view, element)
    read = {a.buffer for a in first}
    sums = replace(
        e, finish=None, out_view=(element,), buffers=(*(b for b in e.buffers if b.name in read), array)
    )  # fmt: skip
    used = {a.buffer for a in (*e.finish.inp_view, *e.out_view)}
    behind = Expression(
        e.name, (*(b for b in e.buffers if b.name in used), array), (element, *e.finish.inp_view),
        MdHom(dims, ScalarFunction(function.parameters, function.bindings, function.results), (cc,) * len(dims)),
        None, e.out_view, loc=e.loc,
    )  # fmt: skip
    return (sums, behind), Allocation(name, type, array.shape)
