"""Results that one element-wise computation takes in, an element at each of its points: to be a part of it is no more
work, and the array between them is gone.

t[i, j] = Σ_k A[i, k] * B[k, j]             y[i, j] = Σ_k A[i, k] * B[k, j], finished by max(_ + b[j], 0)
u[i, j] = t[i, j] + b[j]            ->
y[i, j] = max(u[i, j], 0)

An array that the next computation overwrites counts as an array of its own between the two (register renaming):

y[i, j] = Σ_k …;  y[i, j] = y[i, j] + b[j]          ->          t[i, j] = Σ_k …;  y[i, j] = t[i, j] + b[j]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Access, Allocation, Expression, Program, Step, expressions
from jitmdh.mdh.algebra.independence import may_fail, whole_name
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.coverage import covers
from jitmdh.mdh.algebra.rewrites.neighbours.together import Neighbours


def is_used_once(program: Program, e: Expression) -> bool:
    """Whether one element-wise computation, and nobody else, takes in what `e` writes, an element at each point.

    Not of sums of rows: few results of much that is read, and a function of all of them goes on vector lanes.
    """
    if e.collapsed and any({d.name for d in e.md_hom.dims} <= e.varying(a) for a in e.inp_view):
        return False
    program, e = with_renamed_result(program, e)
    if len(e.out_view) != 1 or e.md_hom.guard or not e.md_hom.dims:
        return False
    name = whole_name(e.buffer(e.out_view[0].buffer))
    others = [o for o in expressions(program.steps) if o is not e and any(whole_name(b) == name for b in o.buffers)]
    return len(others) == 1 and _takes_each_in(others[0], name)


def _takes_each_in(e: Expression, name: str) -> bool:
    if not _is_element_wise(e) or e.md_hom.guard:
        return False
    reads = {a.index for a in e.reads if whole_name(e.buffer(a.buffer)) == name}
    dims = {d.name for d in e.md_hom.dims}
    names = [n for index in reads for i in index for n in i.names if n in dims]
    plain = all(i.coefficient(n) == 1 for index in reads for i in index for n in i.names if n in dims)
    return len(reads) == 1 and plain and sorted(names) == sorted(dims)


def _is_element_wise(e: Expression) -> bool:
    concatenated = all(isinstance(c, Concatenation) for c in e.md_hom.combine)
    return concatenated and not (e.indirect or e.procedures or may_fail(e))


def with_renamed_result(program: Program, e: Expression) -> tuple[Program, Expression]:
    """`program`, and `e` in it, with an array of its own for what `e` writes and the very next computation overwrites.

    Both as they are where nobody else has the array, or what follows does not overwrite all that `e` writes, each
    element by what it makes of this very one.
    requires: the checks of the program hold. ensures: the same meaning.
    """
    follower = next(_followers(program.steps, e), None)
    if follower is None or len(e.out_view) != 1 or may_fail(e) or e.scattered or not _is_element_wise(follower):
        return program, e
    out, around = e.out_view[0], Neighbours(program)
    buffer = e.buffer(out.buffer)
    again = [a for a in follower.out_view if a.buffer == buffer.name]
    if buffer.of is not None or not buffer.shape or any(buffer.name in (v.name, v.of) for v in program.views):
        return program, e
    if len(again) != 1 or any(b.of == buffer.name for s in (e, follower) for b in s.buffers):
        return program, e
    if any(a.index != again[0].index for a in follower.reads if a.buffer == buffer.name):
        return program, e

    def known(size: Affine) -> Affine:
        return size.substitute(around.equal)

    if not covers(follower, again[0], e, out, buffer.shape, known):
        return program, e
    name = around.new(buffer.name)
    own = replace(buffer, name=name)
    kept = tuple(b for b in e.buffers if b.name != buffer.name or any(a.buffer == b.name for a in e.reads))
    made = replace(e, out_view=(replace(out, buffer=name),), buffers=(*kept, own))

    def view(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(replace(a, buffer=name) if a.buffer == buffer.name else a for a in accesses)

    finish = follower.finish
    behind = replace(
        follower,
        inp_view=view(follower.inp_view),
        finish=None if finish is None else replace(finish, inp_view=view(finish.inp_view)),
        buffers=(*follower.buffers, own),
    )
    steps = tuple(_with(program.steps, {id(e): made, id(follower): behind}))
    return replace(
        program, steps=steps, allocations=(*program.allocations, Allocation(name, buffer.type, buffer.shape))
    ), made


def _followers(steps: tuple[Step, ...], e: Expression) -> Iterator[Expression]:
    """What comes right behind `e`, if it is an expression."""
    for n, step in enumerate(steps):
        if not isinstance(step, Expression):
            yield from _followers(step.body, e)
        elif step is e and n + 1 < len(steps) and isinstance(behind := steps[n + 1], Expression):
            yield behind


def _with(steps: tuple[Step, ...], made: dict[int, Expression]) -> Iterator[Step]:
    for step in steps:
        yield (
            made.get(id(step), step)
            if isinstance(step, Expression)
            else replace(step, body=tuple(_with(step.body, made)))
        )
