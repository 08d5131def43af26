"""Extremes of several subscripts over the same points as one computation, which goes through the points once.

(l, g) = (min, max)_i of @1          (l, g, l', g') = (min, max, min, max)_i of (@1, @2)
(l', g') = (min, max)_i of @2   ->       with @1 = x[@0], @2 = x[@1]
with @1 = x[@0], @2 = x[@1]

Of subscripts that a number is between (`i[k]` and `i[k] + 1`), one says what the extremes of the other are.
In a chain of n elements, each chosen by the one before, n computations of up to n elements each become one of n.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.bounds import DataCheck
from jitmdh.mdh.algebra.combine import Operator, PointWise, product
from jitmdh.mdh.algebra.expr import Access, Buffer, Expression, Indirect, MdHom
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.neighbours.composition import Composition
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction

FEWEST = 4
"""Checks that become one computation, at least: it keeps two numbers for each, in registers."""

LARGEST_APART = 1 << 32
"""Between two subscripts of which one says what the other is."""

Points = tuple[object, ...]


def points_of(check: DataCheck) -> Points:
    """What says which points a check looks at: two with the same look at the same."""
    e = check.expression
    nothing = check.operator.identity or ()
    return e.md_hom.dims, e.md_hom.guard, tuple(map(_condition, e.md_hom.function.results, nothing))


def _condition(result: Scalar, nothing: Constant) -> Scalar | None:
    """Where a point counts: elsewhere its result is that of no points."""
    if isinstance(result, Operation) and result.op == "select" and result.operands[2] == nothing:
        return result.operands[0]
    return None


def joint_run(checks: Sequence[DataCheck], before: Collection[tuple[Points, Affine]]) -> int:
    """How many of `checks`, from the first one on, may be made in one go through their points; 0: too few.

    before: the points and extents of checks that hold. Subscripts from data that have not been looked at read some
    element of their axis, whatever they are: so their axes must have one. They do if a subscript of such an axis has
    been found good at the same points.
    """
    count, numbers, first = 0, dict[str, Indirect](), points_of(checks[0])
    axes = {extent for points, extent in before if points == first}
    for check in checks:
        mine = {n.name: n for n in check.expression.indirect}
        if check.wider is not None or any(numbers.get(n, mine[n]) != mine[n] for n in mine):
            break
        if points_of(check) != first or not all(n.inp_view and n.extent in axes for n in mine.values()):
            break
        numbers |= mine
        count += 1
    return count if count >= FEWEST else 0


def apart(function: ScalarFunction) -> tuple[ScalarFunction, int]:
    """The function of a subscript without the number that it adds at all points, and that number: `i[k] + 1`."""
    numbers, results = set[int](), list[Scalar]()
    for result in function.results:
        match result:
            case Operation("add", (rest, Constant(int() as number))) if result.type == int64:
                numbers.add(number)
                results.append(rest)
            case _:
                return function, 0
    (number, *others) = numbers
    if others or abs(number) > LARGEST_APART:
        return function, 0
    return replace(function, results=tuple(results)), number


def joint_computation(checks: Sequence[DataCheck], names: Sequence[tuple[str, str]]) -> Expression:
    """The computation of all of `checks`, which writes their extremes to scalars of these names."""
    made, results, operators = Composition(), list[Scalar](), list[Operator]()
    buffers, numbers, outputs = dict[str, Buffer](), dict[str, Indirect](), list[Access]()
    for check, own in zip(checks, names, strict=True):
        e = check.expression
        values = made.applied(e.md_hom.function, made.reads(e.inp_view, e.md_hom.function.parameters))
        results += values
        operators.append(check.operator)
        written = {a.buffer for a in e.out_view}
        buffers |= {b.name: b for b in e.buffers if b.name not in written}
        buffers |= {name: Buffer(name, v.type, ()) for name, v in zip(own, values)}
        numbers |= {n.name: n for n in e.indirect}
        outputs += [Access(name, ()) for name in own]
    first = checks[0].expression
    combine = (PointWise(product(tuple(operators))),) * len(first.md_hom.dims)
    function = made.function(made.shared(results))
    md_hom = MdHom(first.md_hom.dims, function, combine, first.md_hom.guard)
    needed = tuple(numbers.values())  # those that a number is read by come before it, in each check
    return replace(first, buffers=tuple(buffers.values()), inp_view=tuple(made.accesses), md_hom=md_hom,
                   out_view=tuple(outputs), indirect=needed)  # fmt: skip
