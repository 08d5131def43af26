"""Two computations over the same points as one: all their loops are fused.

a[i] = x[i] + 1                     (a, b)[i] = let t = x[i] + 1 in (t, t * x[i])
b[i] = a[i] * x[i]          ->

s = Σ_i x[i];  q = Σ_i x[i] * x[i]          ->      (s, q) = Σ_i (x[i], x[i] * x[i])

f[i, 0] = Σ_j (x[j] - x[i]) * g(r)          (f[i, 0], f[i, 1]) = Σ_j
f[i, 1] = Σ_j (y[j] - y[i]) * g(r)  ->          let t = g(r) in ((x[j] - x[i]) * t, (y[j] - y[i]) * t)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product as product_of

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, Operator, PointWise, product
from jitmdh.mdh.algebra.expr import Access, Expression, Finish, MdHom, Program, Sequential, Step
from jitmdh.mdh.algebra.independence import may_fail, whole_name
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.rewrites.neighbours.composition import (
    Composition,
    element_wise,
    finish_of,
    finished,
    states_of,
)
from jitmdh.mdh.algebra.rewrites.neighbours.together import Neighbours, apart
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.rewrites.zero_initialisation import initialise_from_zero
from jitmdh.mdh.algebra.scalar import Operation, Scalar, Variable

Element = tuple[str, tuple[Affine, ...]]
"""A buffer and subscripts."""


def merged(program: Program, first: Expression, second: Expression) -> Program | str:
    """`program` with two neighbours as one expression, named as the second; or why they cannot be, as text.

    requires: the checks of the program hold. ensures: the same meaning; an array that only the second reads is gone.
    """
    reason = apart(program.steps, (first, second)) or _ending(program.steps, first)
    reason = reason or next(filter(None, map(_kind, (first, second))), None)
    if reason is not None:
        return reason
    around = Neighbours(program)
    a, b = (initialise_from_zero(element_wise(e)) for e in (first, second))
    renamed = _over_dims_of(b, a, around)
    if isinstance(renamed, str):
        return renamed
    written = {whole_name(a.buffer(o.buffer)) for o in a.out_view}
    pair = _Pair(renamed, b, frozenset(written & around.own((first, second)).keys()))
    reason = pair.obstacle()
    if reason is not None:
        return reason
    return replace(
        program,
        steps=tuple(_with(program.steps, first, second, pair.merged())),
        allocations=tuple(x for x in program.allocations if x.name not in pair.gone),
    )


_LONG = OPERATIONS["truediv"].cost

_MOST_STATES = 3
"""Numbers that a reduction which is several keeps for each result: a register tile has as many accumulators."""


def merged_reductions(program: Program) -> tuple[Expression, Expression, Program] | None:
    """Two reductions over the same points of the same arrays, and `program` with them as one, which reads those once.
    None: there are no such two.

    ensures: the same meaning. Only where one reads all that the other does: more arrays at a time are no gain.
    """
    for number, first in enumerate(program.steps):
        if isinstance(first, Expression) and _is_combined_singly(first):
            made = _merged_with_later(program, number, first)
            if made is not None:
                return made
    return None


def _merged_with_later(
    program: Program, number: int, first: Expression
) -> tuple[Expression, Expression, Program] | None:
    for place, second in enumerate(program.steps[number + 1 :], number):
        if not isinstance(second, Expression) or not _reads_the_same(first, second):
            continue
        made = merged(program, first, second)
        if isinstance(made, str):
            continue
        both = made.steps[place]
        assert isinstance(both, Expression)
        limited = _is_limited_by_reading(first) and _is_limited_by_reading(second)
        if not limited and not _saves_half(first, second, both):
            continue
        if len(both.inp_view) <= max(len(set(first.inp_view)), len(set(second.inp_view))):
            return first, second, made
    return None


def _is_combined_singly(e: Expression) -> bool:
    """Whether it is a reduction of single numbers, each by itself."""
    return bool(e.collapsed) and all(map(_is_single, _operators(e)))


def _is_limited_by_reading(e: Expression) -> bool:
    """Whether a reduction does little with each number that it reads: some array has one for each point. Matrices'
    products and arg-extrema are tiled in ways of their own."""
    dims = {d.name for d in e.md_hom.dims}
    return any(e.varying(a) == dims for a in e.inp_view)


def _saves_half(first: Expression, second: Expression, both: Expression) -> bool:
    """Whether functions as long as a quotient at least, and half of all that the lesser one does, are computed once
    instead of twice: distances and their powers, of which forces along each axis are made."""
    alone, theirs = map(_cost, (first, second))
    return alone + theirs - _cost(both) >= max(_LONG, min(alone, theirs) / 2)


def _cost(e: Expression) -> int:
    """Instructions of one point."""
    function = e.md_hom.function
    waiting, known, total = [*(value for _, value in function.bindings), *function.results], set[Operation](), 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, Operation) and node not in known:
            known.add(node)
            row = OPERATIONS.get(node.op)
            total += 0 if row is None else row.cost
            waiting += node.operands
    return total


def _is_single(o: Operator) -> bool:
    """Whether each number of a state is combined with the one in its place, by one operation."""
    parameters = o.function.parameters
    pairs = zip(parameters[: o.arity], parameters[o.arity :], strict=True)
    return o.score is None and all(
        isinstance(result, Operation) and result.operands == pair for result, pair in zip(o.function.results, pairs)
    )


def _reads_the_same(first: Expression, second: Expression) -> bool:
    """Whether two reductions may be worth one look at what they read."""
    if not _is_combined_singly(second) or len(first.md_hom.dims) != len(second.md_hom.dims):
        return False
    few = len(first.out_view) + len(second.out_view) <= _MOST_STATES
    ours, theirs = ({a.buffer for a in e.inp_view} for e in (first, second))
    return few and bool(ours) and (ours <= theirs or theirs <= ours)


def _with(steps: Sequence[Step], first: Expression, second: Expression, made: Expression) -> Iterator[Step]:
    for step in steps:
        if not isinstance(step, Expression):
            yield replace(step, body=tuple(_with(step.body, first, second, made)))
        elif step is not first:
            yield made if step is second else step


def _ending(steps: Sequence[Step], e: Expression) -> str | None:
    """That the loop around an expression may end behind it; None: it does not."""
    for step in steps:
        if isinstance(step, Expression):
            continue
        if any(inside is e for inside in step.body):
            return "their loop may end in between" if isinstance(step, Sequential) and step.ends(e) else None
        reason = _ending(step.body, e)
        if reason is not None:
            return reason
    return None


def _kind(e: Expression) -> str | None:
    """Why an expression cannot be one with others; None: it can."""
    if may_fail(e) or e.scattered or e.has_prefix_sum:
        return f"{e.name} may end in an error, or its results depend on each other"
    if e.between or (e.finish is not None and e.finish.empty is not None):
        return f"{e.name} combines more than once, or may combine nothing"
    return None


def _over_dims_of(of: Expression, e: Expression, around: Neighbours) -> Expression | str:
    """`e` with the dimensions of `of`: by name where these are the same, else by place; or why it has others."""
    ours, theirs = ({d.name: d for d in x.md_hom.dims} for x in (of, e))
    if len(ours) != len(theirs):
        return f"one has {len(theirs)} loops, the other {len(ours)}"
    names = dict(zip(theirs, theirs if ours.keys() == theirs.keys() else ours))
    kinds = dict(zip(ours, of.md_hom.combine))
    for (name, dim), combine in zip(theirs.items(), e.md_hom.combine):
        mine = ours[names[name]]
        if around.extent(mine) != around.extent(dim):
            return f"one loop has {dim.extent} points, the other {mine.extent}"
        if isinstance(kinds[mine.name], Concatenation) != isinstance(combine, Concatenation):
            return f"{name} is combined by {combine} in one, by {kinds[mine.name]} in the other"
    if of.collapsed and [names[n] for n in theirs] != list(ours):
        return "their loops are in another order"
    made = specialise_expression(e, {old: Affine.of(new) for old, new in names.items() if old != new})
    if {*made.md_hom.guard} != {*of.md_hom.guard}:
        return "one leaves out points that the other has"
    dims = tuple(replace(d, name=names[d.name]) for d in made.md_hom.dims)
    return replace(made, md_hom=replace(made.md_hom, dims=dims))


@dataclass(frozen=True, slots=True)
class _Pair:
    """gone: arrays that the first writes, and nobody but the second reads."""

    a: Expression
    b: Expression
    gone: frozenset[str]

    def obstacle(self) -> str | None:
        """A dependence that would turn round, or is inside of a reduction; None: there is none."""
        a, b = self.a, self.b
        if len({o.identity is None for e in (a, b) for o in _operators(e)}) > 1:
            return "one reduces with a neutral element, the other without"
        before, after = ({_whole(e, o.buffer) for o in e.out_view} for e in (a, b))
        if any(not _apart(mine, theirs) for mine, theirs in self._written_by_both()) or before & after & self.gone:
            return "both write the same array"
        for access, source in self._meetings(b.reads, a.out_view):
            if source.index != access.index or source.guard:
                return f"`{access}` would be read before all of `{source}` is written"
            if a.collapsed and access in b.inp_view:
                return f"`{access}` is known when all of a reduction is done"
        for access, into in self._meetings(a.reads, b.out_view):
            if into.index != access.index:
                return f"`{into}` would be written before all of `{access}` is read"
        return None

    def _written_by_both(self) -> Iterator[tuple[Access, Access]]:
        """What both write to one array, in pairs."""
        for mine, theirs in product_of(self.a.out_view, self.b.out_view):
            if _whole(self.a, mine.buffer) == _whole(self.b, theirs.buffer):
                yield mine, theirs

    def _meetings(self, reads: Iterable[Access], writes: Sequence[Access]) -> Iterator[tuple[Access, Access]]:
        """What is read from an array, with each that is written to it and may be the same."""
        for access, into in product_of(reads, writes):
            if access.buffer == into.buffer and not _apart(access, into):
                yield access, into

    def merged(self) -> Expression:
        """The one expression: both functions at each point, both operators on both states."""
        a, b, made = self.a, self.b, Composition()
        first = made.applied(a.md_hom.function, made.reads(a.inp_view, a.md_hom.function.parameters))
        parameters, known = b.md_hom.function.parameters, {} if a.collapsed else self._results(first)
        values = [_value(made, known, v, p) for v, p in zip(b.inp_view, parameters, strict=True)]
        second = made.applied(b.md_hom.function, values)
        kept = [n for n, o in enumerate(a.out_view) if _whole(a, o.buffer) not in self.gone]
        both = made.shared((*first, *second)) if a.collapsed else (*(first[n] for n in kept), *second)
        buffers = {x.name: x for x in (*a.buffers, *b.buffers) if whole_name(x) not in self.gone}
        return replace(
            b,
            buffers=tuple(buffers.values()),
            inp_view=tuple(made.accesses),
            md_hom=MdHom(b.md_hom.dims, made.function(both), self._combine(), b.md_hom.guard),
            finish=self._finish(kept) if a.collapsed else None,
            out_view=(*(a.out_view[n] for n in kept), *b.out_view),
        )

    def _results(self, values: Sequence[Scalar]) -> dict[Element, Scalar]:
        """What the first writes where."""
        return {(o.buffer, o.index): value for o, value in zip(self.a.out_view, values, strict=True)}

    def _finish(self, kept: Sequence[int]) -> Finish | None:
        """Both finishes, one after the other."""
        of_a, of_b = states_of(self.a), states_of(self.b)
        states = tuple(Variable(f"state_{n}", v.type) for n, v in enumerate((*of_a, *of_b)))
        made = Composition(states)
        first, second = finished(self.a, states[: len(of_a)], made), states[len(of_a) :]
        known, finish = self._results(first), self.b.finish
        results: tuple[Scalar, ...] = second
        if finish is not None:
            parameters = finish.function.parameters[len(of_b) :]
            inputs = [_value(made, known, v, p) for v, p in zip(finish.inp_view, parameters, strict=True)]
            results = made.applied(finish.function, (*second, *inputs))
        return finish_of(made, (*(first[n] for n in kept), *results), states)

    def _combine(self) -> tuple[CombineOperator, ...]:
        pairs = zip(self.a.md_hom.combine, self.b.md_hom.combine)
        return tuple(_both(mine, theirs) for mine, theirs in pairs)


def _both(mine: CombineOperator, theirs: CombineOperator) -> CombineOperator:
    if isinstance(mine, PointWise) and isinstance(theirs, PointWise):
        return PointWise(product((mine.operator, theirs.operator)))
    return mine


def _value(made: Composition, known: Mapping[Element, Scalar], access: Access, parameter: Variable) -> Scalar:
    value = known.get((access.buffer, access.index))
    return made.read(access, parameter) if value is None else value


def _operators(e: Expression) -> list[Operator]:
    return [c.operator for c in e.md_hom.combine if isinstance(c, PointWise)]


def _apart(one: Access, other: Access) -> bool:
    """Whether two accesses meet no element, wherever each of them is: columns, for instance."""
    pairs = zip(one.index, other.index)
    same = one.buffer == other.buffer
    return same and any(i.is_constant and j.is_constant and i.constant != j.constant for i, j in pairs)


def _whole(e: Expression, buffer: str) -> str:
    return whole_name(e.buffer(buffer))
