"""What the checks of a call promise about sizes, told to each computation that it may be of use to.

    check A.shape[0] - N ≥ 0 if N > 0        md_hom[N, N](…, (++, ++) if i - j ≥ 0) reads A[j]

No code runs unless the checks hold, so all rows of A up to N exist, and may be read as a whole, those too that the
guard leaves out: `inside_everywhere`. Of a flat array the check names one element, the last; so that of its view of
rows, `A_rows[N - 1, M - 1]`, exists, and all whose subscripts are at most these. Checks of opposite differences make
two sizes equal: `equal_sizes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitmdh.mdh.algebra.expr import Access, Check, Expression, Program, RowView, Step
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.sizes import SizeExpr, SizeOperation, affine_of, size_expr

Existing = tuple[str, tuple[Affine, ...], tuple[Affine, ...]]
"""A view, subscripts of an element that it has, and what has to be > 0 for that."""


def with_size_facts(program: Program) -> Program:
    """`program` with the facts in each expression that reads under a guard.

    before: facts of no expression. after: those whose value names a size of an array that the expression reads, and
    those of views of rows that it reads.
    requires: that the checks hold wherever code of the program runs. ensures: the same meaning.
    """
    if not program.checks:
        return program
    existing = tuple(_existing(program))
    return replace(program, steps=tuple(_told(s, program.checks, existing) for s in program.steps))


def inside_everywhere(expression: Expression, access: Access) -> bool:
    """Whether all subscripts of an access stay inside their axes at all points of the hull, those that the guard
    leaves out included, in every call that there is code for: what may be copied as a whole."""
    extents = {d.name: d.extent for d in expression.md_hom.dims}
    shape = next((b.shape for b in expression.buffers if b.name == access.buffer), None)
    greatest = None if shape is None or access.guard else _greatest(access.index, extents)
    if shape is None or greatest is None:
        return False
    # A copy may be made where other dimensions have no points: its own have some, or it copies nothing.
    own = [extents[n] for index in access.index for n in index.names if n in extents]
    facts = [Affine(), *(value for value, when in expression.facts if all(w in own for w in when))]
    if all(any(_certain(axis - 1 - high - fact) for fact in facts) for high, axis in zip(greatest, shape)):
        return True
    return any(
        view == access.buffer and all(w in own for w in when) and all(map(_certain, map(_minus, there, greatest)))
        for view, there, when in expression.existing
    )


def _greatest(subscripts: Sequence[Affine], extents: dict[str, Affine]) -> list[Affine] | None:
    """The greatest values of subscripts over the hull; None if one may be negative there, or nobody knows."""
    found = []
    for index in subscripts:
        dims = [n for n in index.names if n in extents]
        lowest = index.without(dims)
        if any(index.coefficient(n) != 1 for n in dims) or not lowest.is_constant or lowest.constant < 0:
            return None
        for name in dims:
            lowest = lowest + extents[name] - 1
        found.append(lowest)
    return found


def _certain(value: Affine) -> bool:
    return value.is_constant and value.constant >= 0


def _minus(a: Affine, b: Affine) -> Affine:
    return a - b


def _existing(program: Program) -> Iterator[Existing]:
    """The elements of views of rows that the checks name: `A.shape[0] - 1 - last ≥ 0`, last = M * row + column."""
    sizes = {d.name: d.value for d in program.definitions}
    for view in program.views:
        for check in program.checks:
            last = Affine.of(shape_name(view.of, 0)) - 1 - check.value
            if last.constant or len(last.terms) != 1 or last.terms[0][1] != 1 or last.terms[0][0] not in sizes:
                continue
            there = _subscripts(sizes[last.terms[0][0]], view)
            if there is not None:
                yield view.name, there, check.when


def _subscripts(last: SizeExpr, view: RowView) -> tuple[Affine, ...] | None:
    """Those of the element of a view that is number `last` of the array, which must be written as they imply."""
    found: list[Affine | None] = []
    for length in reversed(view.shape[1:]):
        match last:
            case SizeOperation("add", SizeOperation("mul", rest, by), own) if by == size_expr(length):
                found.insert(0, affine_of(own))
                last = rest
            case _:
                return None
    known = [a for a in (affine_of(last), *found) if a is not None]
    return tuple(known) if len(known) == len(view.shape) else None


def _told(step: Step, checks: Sequence[Check], existing: Sequence[Existing]) -> Step:
    if not isinstance(step, Expression):
        body = tuple(_told(s, checks, existing) for s in step.body)
        return step if all(a is b for a, b in zip(body, step.body)) else replace(step, body=body)
    if not step.md_hom.guard:
        return step
    read = {a.buffer for a in step.inp_view}
    sizes = {n for b in step.buffers if b.name in read for axis in b.shape for n in axis.names}
    facts = tuple((c.value, c.when) for c in checks if not sizes.isdisjoint(c.value.names))
    rows = tuple(e for e in existing if e[0] in read)
    return replace(step, facts=facts, existing=rows) if facts or rows else step


def equal_sizes(program: Program) -> dict[str, Affine]:
    """For names of sizes what the checks say that they are equal to, in every call."""
    always = {c.value for c in program.checks if not c.when}
    equal: dict[str, Affine] = {}
    for value in always:
        if -value not in always:
            continue
        value = value.substitute(equal)
        name = max((n for n, c in value.terms if abs(c) == 1), default=None)
        if name is None:
            continue
        same = (value - Affine.of(name) * value.coefficient(name)) * -value.coefficient(name)
        equal = {n: v.substitute({name: same}) for n, v in equal.items()} | {name: same}
    return equal
