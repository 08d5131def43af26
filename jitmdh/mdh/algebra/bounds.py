"""What data must be like: subscripts that are read from arrays stay inside the arrays that they are subscripts of.

A condition on data is a computation of the same kind as any other, `(least, greatest) = (•(minimum), •(maximum))` of
the subscript over all points, compared with the extent. Where its inputs are not written by the program before, it is
made before anything is written; else right before the expression that it is about. An expression that holds its results
back until it is done may as well look at each subscript where it uses it: see `checkable_in_use`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import takewhile

from jitmdh.base.dtype import ScalarType, bool_, int32, int64, uint64
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.combine import Operator, PointWise, elementwise, product
from jitmdh.mdh.algebra.expr import (
    Access,
    Buffer,
    Dim,
    Expression,
    Indirect,
    MdHom,
    Program,
    Sequential,
    Step,
    Together,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.scalar import (
    Constant,
    IndexValue,
    Operation,
    Scalar,
    ScalarFunction,
    Variable,
    called,
    index_values,
    select,
)
from jitmdh.mdh.algebra.subscript_ranges import axis_of, is_natural, never_negative, text_of

_LONG = 8
"""Instructions that a function takes at least, for a condition without it to be looked at first."""


@dataclass(frozen=True, slots=True)
class DataCheck:
    """`low ≤ the subscript ≤ extent - 1` at every point, where `low` is -extent if negative ones count from the end.

    expression: writes the least and the greatest subscript to the scalars of these names. kind: as that of `Check`;
    "fallback" of what Python may not get to, or takes for something else.
    before: the expression of the program that it has to precede each time; None: everything. wider: the same for what
    is faster to go through, such as all elements of the array, of which the points need not be all, or both of the
    numbers that a condition chooses from: where they are good, so are the points. names: the indirect names whose
    values it is about, in the expression `about`; empty: none. enough: sizes; where there are any and all are ≥ 0, it
    holds. again: where it fails, the call can begin again as plain Python: nothing that outlives the call has been
    written.
    """

    expression: Expression
    least: str
    greatest: str
    extent: Affine
    wraps: bool
    kind: str
    message: str
    loc: Loc | None = None
    before: Expression | None = field(default=None, compare=False)
    wider: Expression | None = None
    names: tuple[str, ...] = ()
    enough: tuple[Affine, ...] = ()
    about: Expression | None = field(default=None, compare=False)
    again: bool = field(default=True, compare=False)

    @property
    def operator(self) -> Operator:
        return _extremes(self.expression.md_hom.function.result_types[0])

    def holds(self, least: int, greatest: int, sizes: Mapping[str, int]) -> bool:
        extent = self.extent.evaluate(sizes)
        return least >= (-extent if self.wraps else 0) and greatest < extent


_found: tuple[tuple[Program, tuple[DataCheck, ...]], ...] = ()
"""What was found last, of which programs: each is asked about several times in turn."""
_MOST_FOUND = 3


def data_checks(program: Program) -> tuple[DataCheck, ...]:
    """All conditions on the data of a call, in the order in which they are tried."""
    global _found
    if not any(e.indirect for e in _expressions(program.steps)):
        return ()
    for known, checks in _found:
        if known is program:
            return checks
    checks = _checks(program)
    _found = ((program, checks), *_found[: _MOST_FOUND - 1])  # by one assignment: other threads may ask, too
    return checks


def _checks(program: Program) -> tuple[DataCheck, ...]:
    found = tuple(_of_steps(program.steps, (), {a.name for a in program.allocations}, written_for_good(program)))
    first = tuple(c for c in found if c.before is None)
    different: dict[object, DataCheck] = {}
    for check in (*first, *(c for c in found if c.before is not None)):
        e = check.expression
        key = (
            e.md_hom, e.inp_view, e.indirect, check.extent, check.wraps, check.message, check.kind, id(check.before)
        )  # fmt: skip
        same = different.setdefault(key, check)
        if same is not check and same.about is check.about:
            different[key] = replace(same, names=tuple(dict.fromkeys((*same.names, *check.names))))
    return tuple(different.values())


def written_for_good(program: Program) -> frozenset[str]:
    """The buffers written to that outlive the call: the arguments, and parts of them."""
    own = {a.name for a in program.allocations}
    written = (e.buffer(name) for e in _expressions(program.steps) for name in e.written)
    return frozenset(b.name for b in written if b.name not in own and b.of not in own)


def checkable_in_use(program: Program) -> tuple[Expression, ...]:
    """The expressions that may look at subscripts from data as they use them, if they hold their results back.

    Then nothing has been written where one turns out to be bad: nothing is written before them, or their conditions
    need not hold before anything is written (the program itself has made the subscripts).
    """
    own = {a.name for a in program.allocations}
    postponed = {id(c.before) for c in data_checks(program) if c.before is not None}
    found, untouched = [], True
    for step in program.steps:
        inside = tuple(_expressions((step,)))
        used = [e for e in inside if e.indirect and not any(_is_late(e, number) for number in e.indirect)]
        found += [e for e in used if id(e) in postponed or (e is step and untouched)]
        untouched = untouched and all(name in own for e in inside for name in e.written)
    return tuple(found)


def _expressions(steps: Sequence[Step]) -> Iterator[Expression]:
    for step in steps:
        if isinstance(step, Expression):
            yield step
        else:
            yield from _expressions(step.body)


def _of_steps(
    steps: Sequence[Step], around: tuple[Sequential, ...], written: set[str], lasting: frozenset[str]
) -> Iterator[DataCheck]:
    """written: buffers whose content at the beginning of the call is not what the steps find. lasting: those that
    outlive the call."""
    for step in steps:
        if isinstance(step, Together):  # no subscript in it depends on data
            written |= {name for e in _expressions(step.body) for name in e.written}
            continue
        if isinstance(step, Sequential):
            inside = {name for e in _expressions(step.body) for name in e.written}
            yield from _of_steps(step.body, (*around, step), written | inside, lasting)
            written |= inside
            continue
        for check in _of_expression(step, {s.dim.name for s in around}):
            where = _where_early(check, around) if not _reads(check.expression) & written else None
            if where is not None:
                yield replace(_over(check, where), about=step)
            else:
                yield replace(check, before=step, about=step, again=not written & lasting)
        written |= step.written


def _where_early(check: DataCheck, around: tuple[Sequential, ...]) -> tuple[Sequential, ...] | None:
    """The loops over whose iterations `check` may be made before everything; None: it may not.

    Where its failure only means that plain Python is to run, it may be made of iterations that do not happen.
    """
    if check.kind == "fallback":
        used = {n for d in check.expression.md_hom.dims for n in d.extent.names}.union(_names_of(check.expression))
        around = tuple(s for s in around if s.dim.name in used)
    return around if all(_is_box(s, around) and not s.until for s in around) else None


def _names_of(expression: Expression) -> set[str]:
    """What the subscripts and conditions of an expression mention."""
    accesses = [*expression.inp_view, *(a for n in expression.indirect for a in n.inp_view)]
    affine = [i for a in accesses for i in (*a.index, *a.guard)]
    functions = (expression.md_hom.function, *(n.function for n in expression.indirect))
    affine += [i for f in functions for i in index_values(f)]
    return {n for a in (*affine, *expression.md_hom.guard) for n in a.names}


def _is_box(step: Sequential, around: tuple[Sequential, ...]) -> bool:
    return not {s.dim.name for s in around}.intersection(step.dim.extent.names)


def _reads(expression: Expression) -> set[str]:
    accesses = [*expression.inp_view, *(a for n in expression.indirect for a in n.inp_view)]
    return {a.buffer for a in accesses}


def _over(check: DataCheck, around: tuple[Sequential, ...]) -> DataCheck:
    """`check` for all iterations of sequential loops at once; extents that vary with them become conditions."""
    e, operator = check.expression, check.operator
    dims = tuple(s.dim for s in around)
    varying = {d.name: d.extent for d in e.md_hom.dims if any(s.name in d.extent.names for s in dims)}
    within = tuple(extent - 1 - Affine.of(name) for name, extent in varying.items())
    inner = tuple(replace(d, extent=_greatest(d.extent, dims)) for d in e.md_hom.dims)
    md_hom = replace(
        e.md_hom, dims=(*dims, *inner), combine=(*(PointWise(operator),) * len(dims), *e.md_hom.combine),
        guard=(*e.md_hom.guard, *within),
    )  # fmt: skip
    found = replace(check, expression=replace(e, md_hom=md_hom), wider=None)
    if check.wider is None:
        return found
    used = {n for d in check.wider.md_hom.dims for n in d.extent.names} | _names_of(check.wider)
    wider = replace(check, expression=check.wider, wider=None)
    return replace(found, wider=_over(wider, tuple(s for s in around if s.dim.name in used)).expression)


def _greatest(extent: Affine, around: Sequence[Dim]) -> Affine:
    """The greatest extent over the iterations of loops."""
    last = {d.name: d.extent - 1 for d in around if extent.coefficient(d.name) > 0}
    return extent.substitute({d.name: last.get(d.name, Affine()) for d in around})


# -------------------------------------------------------------------------------------------- one expression


def _of_expression(expression: Expression, around: set[str]) -> Iterator[DataCheck]:
    """around: the loops around it, by name."""
    natural = around.union(d.name for d in expression.md_hom.dims)
    for number in expression.indirect:
        if number.extent is None and never_negative(number.function, natural):
            natural.add(number.name)
    for indirect in expression.indirect:
        for access in indirect.inp_view:
            yield from _of_access(expression, access, natural, indirect)
        if indirect.extent is not None and not indirect.decided:
            yield _of_indirect(expression, indirect)
    deciding = {a for n in expression.indirect for a in n.inp_view}
    for access in (*(a for a in expression.reads if a not in deciding), *expression.out_view):
        yield from _of_access(expression, access, natural)


def _of_indirect(expression: Expression, indirect: Indirect) -> DataCheck:
    assert indirect.extent is not None
    (result,) = indirect.function.results
    type = _number_type(result.type)
    function = replace(indirect.function, results=(_as_number(result, type),) * 2)
    late = _is_late(expression, indirect)
    used = expression.indirect_depends(indirect)
    made = _computation(expression, indirect.inp_view, function, used, type, late=late, number=indirect)
    which = "an index read from data" if indirect.inp_view else f"index {text_of(indirect)}"
    message = f"{which} is out of bounds for {axis_of(expression, indirect)}"
    wider = _wider(expression, indirect, function, type) or _without_condition(expression, indirect, used, type, late)
    names = (indirect.name,)
    return DataCheck(
        made, *_names(made), indirect.extent, True, "bounds", message, indirect.loc, None, wider, names, indirect.enough
    )


def _is_late(expression: Expression, indirect: Indirect) -> bool:
    """Whether results need the number even if there was nothing to combine: `y[c[0]] = x.sum()` of an empty `x`."""
    finish = expression.finish
    late = (*expression.out_view, *(finish.inp_view if finish else ()))
    whole = [i for a in late if set(a.guard) <= set(expression.md_hom.guard) for i in a.index]
    whole += index_values(finish.function) if finish else ()
    return bool(expression.collapsed) and indirect in needed_numbers(expression, whole)


def _wider(expression: Expression, indirect: Indirect, function: ScalarFunction, type: ScalarType) -> Expression | None:
    """The same for a whole array, where it is read in ranges from data: x[indices[p]] for p in range(…)."""
    ragged = {d.name for d in expression.ragged}
    if len(indirect.inp_view) != 1 or index_values(function) or not ragged & expression.indirect_depends(indirect):
        return None
    (access,) = indirect.inp_view
    if len(access.index) != 1 or access.guard:
        return None
    (extent,) = expression.buffer(access.buffer).shape
    element = Dim("element", extent)
    whole = replace(access, index=(Affine.of(element.name),))
    return _over_dims(expression, (whole,), function, (element,), (), (), type)


def _without_condition(
    expression: Expression, indirect: Indirect, used: frozenset[str], type: ScalarType, late: bool
) -> Expression | None:
    """The same for both of the numbers that a condition chooses from, where these vary with fewer dimensions, or where
    there is one point and long functions are not needed then."""
    made = dict((v.name, value) for v, value in indirect.function.bindings)
    chosen = _meant(indirect.function.results[0], made)
    if not isinstance(chosen, Operation) or chosen.op != "select" or called(indirect.function):
        return None
    sides = tuple(_as_number(side, type) for side in chosen.operands[1:])
    names, left = set[str](), list[Scalar](sides)
    while left:
        node = left.pop()
        if isinstance(node, Variable) and node.name not in names:
            names.add(node.name)
            left += [made[node.name]] if node.name in made else []
        left += node.operands if isinstance(node, Operation) else ()
    f = indirect.function
    kept = [n for n, p in enumerate(f.parameters) if p.name in names]
    results = tuple(Operation(op, sides, type) for op in ("minimum", "maximum"))
    bindings = tuple((v, value) for v, value in f.bindings if v.name in names)
    function = ScalarFunction(tuple(f.parameters[n] for n in kept), bindings, results)
    inputs = tuple(indirect.inp_view[n] for n in kept)
    affine = [i for a in inputs for i in (*a.index, *a.guard)] + list(index_values(function))
    fewer = frozenset[str]().union(*map(expression.depends, affine))
    if not fewer < used and (used or not any(map(_is_long, [*made.values(), chosen.operands[0]]))):
        return None
    return _computation(expression, inputs, function, fewer, type, late=late, number=indirect)


def _is_long(node: Scalar) -> bool:
    if not isinstance(node, Operation):
        return False
    return (node.op in OPERATIONS and OPERATIONS[node.op].cost >= _LONG) or any(map(_is_long, node.operands))


def _meant(node: Scalar, made: Mapping[str, Scalar]) -> Scalar:
    """What a name stands for."""
    while isinstance(node, Variable) and node.name in made:
        node = made[node.name]
    return node


def _of_access(
    expression: Expression, access: Access, natural: set[str], number: Indirect | None = None
) -> Iterator[DataCheck]:
    """Subscripts that move with plain numbers from data: `data[p]` for p in range(indptr[i], indptr[i + 1]).

    natural: names of numbers that are ≥ 0. number: the one that is read there. A loop that it decides the length of
    has not begun.
    """
    shape = expression.buffer(access.buffer).shape
    plain = {n.name for n in expression.indirect if n.extent is None}
    ragged = {d.name: d.extent - 1 for d in expression.ragged}
    conditions = {n for g in expression.md_hom.guard for n in g.names}
    partly = access.speculative or any(g not in expression.md_hom.guard for g in access.guard)
    for axis, index in enumerate(access.index):
        if not plain.intersection(index.names) and not set(ragged).intersection(index.names):
            continue
        low = index.substitute({n: 0 if index.coefficient(n) > 0 else last for n, last in ragged.items()})
        high = index.substitute({n: last if index.coefficient(n) > 0 else 0 for n, last in ragged.items()})
        used = [d for d in expression.ragged if d.name in index.names]
        there: Scalar = Constant(True, bool_)
        for dim in used:  # only rows that have elements
            there = Operation("and", (there, _is_positive(dim.extent)), bool_)
        least, greatest = (c.value for c in _extremes(int64).identity or ())
        results = tuple(select(there, IndexValue(i), Constant(n, int64)) for i, n in ((low, least), (high, greatest)))
        dims = frozenset().union(*(expression.depends(i) for i in (low, high, *(d.extent for d in used))))
        seen = frozenset(d.name for d in used)
        made = _computation(expression, (), ScalarFunction((), (), results), dims, int64, seen, number=number)
        text = f"a range read from data leaves axis {axis} of `{access.buffer}`"
        names = _names(made)
        if not is_natural(low, natural):
            below = f"{text}: it begins below 0"
            yield DataCheck(made, *names, Affine((), 2**62), False, "fallback", below, access.loc)
        # Code for a row wants all of it inside, even where conditions are about places in it.
        exact = not partly and conditions.isdisjoint(d.name for d in used)
        kind = "bounds" if exact else "fallback"
        yield DataCheck(made, *names, shape[axis], False, kind, text, access.loc)


def _is_positive(extent: Affine) -> Scalar:
    """Whether a length is above 0: of one from a number to another, which may be too large for 64 bits, by both."""
    values = (IndexValue(s, int64) if s.terms else Constant(s.constant, int64) for s in extent.sides)
    return Operation("gt", tuple(values), bool_)


def _names(expression: Expression) -> tuple[str, str]:
    least, greatest = (a.buffer for a in expression.out_view)
    return least, greatest


def _computation(
    expression: Expression,
    inputs: tuple[Access, ...],
    function: ScalarFunction,
    used: frozenset[str],
    type: ScalarType,
    looked_at: frozenset[str] = frozenset(),
    late: bool = False,
    number: Indirect | None = None,
) -> Expression:
    """The least and the greatest of the results of `function` over the points of the dimensions `used`.

    Only of points that the expression has: those of the dimensions that conditions mention, too, and none at all where
    another dimension is empty. looked_at: dimensions of which `function` knows that. late: of the points of results,
    whether there are any to combine or not. number: the one that is looked at: a dimension whose length comes from it
    has not begun when it is read.
    """
    gone = set(expression.collapsed) if late else set[str]()
    own = [d for d in expression.md_hom.dims if d.name not in gone]
    about = [g for g in expression.md_hom.guard if gone.isdisjoint(g.names)]
    names = {d.name for d in own}
    guard = tuple(g for g in about if names.intersection(g.names))
    holds = [g for g in about if g not in guard]
    used = used.union(*(expression.depends(g) for g in about))
    for dim in reversed(own):
        there = dim.extent - 1
        if number is not None and number in needed_numbers(expression, [there]):
            continue
        if dim.name not in used | looked_at and not (there.is_constant and there.constant >= 0):
            holds.append(there)
            used |= expression.depends(there)
    if holds:
        inputs = tuple(_where_also(a, holds) for a in inputs)
        function = replace(function, results=_where(holds, function.results, type))
    affine = [i for a in inputs for i in (*a.index, *a.guard)] + list(index_values(function))
    dims = tuple(Dim(d.name, d.extent, d.loc) for d in own if d.name in used)
    needed = needed_numbers(expression, [*affine, *(d.extent for d in dims), *guard])
    here = [g for g in (*guard, *holds) if all(expression.named(n) is None for n in g.names)]
    needed = tuple(_number_where(expression, n, here, dims) for n in needed)
    return _over_dims(expression, inputs, function, dims, guard, needed, type)


def _number_where(expression: Expression, number: Indirect, holds: Sequence[Affine], dims: Sequence[Dim]) -> Indirect:
    """A number that is read only where all of `holds` are ≥ 0, as far as they are known: not those of loops that it
    decides the length of, which have not begun, and of loops inside of them."""
    begun = list(takewhile(lambda d: number not in needed_numbers(expression, [d.extent]), dims))
    ahead = {d.name for d in dims[len(begun) :]}
    known = [g for g in holds if ahead.isdisjoint(g.names)]
    return replace(number, inp_view=tuple(_where_also(a, known) for a in number.inp_view))


def _where_also(access: Access, holds: Sequence[Affine]) -> Access:
    """An access that happens only where all of `holds` are ≥ 0, too."""
    return replace(access, guard=tuple(dict.fromkeys((*access.guard, *holds))))


def _where(holds: Sequence[Affine], results: tuple[Scalar, ...], type: ScalarType) -> tuple[Scalar, ...]:
    """`results` where all of `holds` are ≥ 0, else what the extremes of nothing are."""
    all: Scalar = Constant(True, bool_)
    for g in holds:
        one = Operation("ge", (IndexValue(g), Constant(0, int64)), bool_)
        all = Operation("and", (all, one), bool_)
    return tuple(select(all, r, nothing) for r, nothing in zip(results, _extremes(type).identity or ()))


def _over_dims(
    expression: Expression, inputs: tuple[Access, ...], function: ScalarFunction, dims: tuple[Dim, ...],
    guard: tuple[Affine, ...], needed: tuple[Indirect, ...], type: ScalarType,
) -> Expression:  # fmt: skip
    names = {a.buffer for a in (*inputs, *(a for n in needed for a in n.inp_view))}
    least, greatest = "least index", "greatest index"
    buffers = (*(b for b in expression.buffers if b.name in names), Buffer(least, type, ()), Buffer(greatest, type, ()))
    over = PointWise(_extremes(type))
    md_hom = MdHom(dims, function, (over,) * len(dims), guard)
    outputs = (Access(least, ()), Access(greatest, ()))
    name = f"bounds of {expression.name}"
    return Expression(name, buffers, inputs, md_hom, None, outputs, expression.loc, indirect=needed)


def needed_numbers(expression: Expression, used: list[Affine]) -> tuple[Indirect, ...]:
    """The numbers from data that affine expressions use, and those that these are read by."""
    found: set[str] = set()
    work = list(used)
    while work:
        for name in work.pop().names:
            indirect = expression.named(name)
            if indirect is not None and name not in found:
                found.add(name)
                work += [i for a in indirect.inp_view for i in (*a.index, *a.guard)]
                work += index_values(indirect.function)
    return tuple(n for n in expression.indirect if n.name in found)


@cache
def _extremes(type: ScalarType) -> Operator:
    least, greatest = type.limits()
    return product((elementwise("minimum", type, greatest), elementwise("maximum", type, least)))


def _number_type(type: ScalarType) -> ScalarType:
    narrow = type.kind == "b" or type.bits < 32 or (type.kind == "i" and type.bits == 32)
    return int32 if narrow else int64


def _as_number(node: Scalar, type: ScalarType) -> Scalar:
    if node.type == uint64:
        node = Operation("minimum", (node, Constant(2**63 - 1, uint64)), uint64)
    return node if node.type == type else Operation("cast", (node,), type)
