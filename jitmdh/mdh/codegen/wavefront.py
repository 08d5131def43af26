"""Two sequential loops as a wavefront: several rows at once, each some columns behind the one above (skewing).

    for i:                               for i in steps of 4:
      for j:                               … the triangle that makes row i + n start 2n columns later
        a[i, j] = f(a[i-1, j+1],           for t:
                    a[i, j-1])               a[i, t] = …; a[i+1, t-2] = …; a[i+2, t-4] = …; a[i+3, t-6] = …
                                           … the triangle that lets the later rows end

Each point depends on the one before it in its row, so that a row takes as long as its chain of operations. The rows'
chains do not depend on each other in a step t, and a processor computes them side by side. Every point computes what it
did, from the same numbers: results have the same bits.

Sound where every two points of different rows that touch the same element, one of them writing, keep their order: for
a distance (di, dj) with 0 < di, dj + lag·di ≥ 1. Known for subscripts that are affine with the same coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil

from jitmdh.mdh.algebra.expr import Access, Expression, Sequential, Step
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.kernel.arithmetic import add, divide, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.ir import For, Name, Statement, Value

_MOST_LAG = 4
_ROWS = 6
_MOST_ACCESSES = 24
"""In all expressions of a point: each is written as often as there are rows, and some times more."""

_Distance = tuple[int | None, int | None]
"""Rows and columns from one point to another; None: any number."""


class _Unknown(Exception):
    """What the distances are is not known, or any are possible."""


def lag(step: Sequential) -> int | None:
    """How many columns a row has to stay behind the one before it, at least; None where there is no wavefront."""
    inner = step.body[0]
    if len(step.body) != 1 or not isinstance(inner, Sequential) or step.until or inner.until:
        return None
    rows, columns = step.dim.name, inner.dim.name
    if rows in inner.dim.extent.names or not all(map(_is_point, inner.body)):
        return None
    accesses = [(a, True) for e in inner.body for a in e.out_view]  # type: ignore[union-attr]
    accesses += [(a, False) for e in inner.body for a in e.reads]  # type: ignore[union-attr]
    if len(accesses) > _MOST_ACCESSES:
        return None
    try:
        needed = max((_lag(d) for d in _distances(accesses, rows, columns)), default=0)
    except _Unknown:
        return None
    return needed if needed <= _MOST_LAG else None


def wavefront(step: Sequential, behind: int, scope: Scope, body: Callable[[], list[Statement]]) -> list[Statement]:
    """The code of `step` with rows `behind` columns apart; body: makes that of a point whose numbers `scope` has."""
    inner = step.body[0]
    assert isinstance(inner, Sequential)
    out: list[Statement] = []
    height = scope.named(f"{step.dim.name}_extent", scope.affine(step.dim.extent, {}), out)
    width = scope.named(f"{inner.dim.name}_extent", scope.affine(inner.dim.extent, {}), out)

    def point(row: Value, column: Value) -> list[Statement]:
        made: list[Statement] = []
        i = scope.named(step.dim.name, row, made)
        j = scope.named(inner.dim.name, column, made)
        with scope.numbering(step.dim.name, i), scope.numbering(inner.dim.name, j):
            return [*made, *body()]

    def part_of_row(row: Value, begin: Value, end: Value) -> For:
        column = scope.index(inner.dim.name)
        comment = f"sequential {inner.dim.name}"
        return For(column, begin, end, integer(1), tuple(point(row, column)), comment, natural=True)

    def some_rows(first: Value, body: Callable[[Name], tuple[Statement, ...]], count: Value) -> For:
        row = scope.index(step.dim.name)
        return For(row, first, count, integer(1), body(row), f"sequential {step.dim.name}", natural=True)

    first, last = scope.index(step.dim.name), behind * (_ROWS - 1)

    def beginning(row: Value) -> Value:
        """How many columns of a row come before the front."""
        left = subtract(integer(_ROWS - 1), subtract(row, first))
        return minimum(multiply(left, integer(behind)), maximum(width, integer(0)))

    def end(row: Value) -> Value:
        return maximum(beginning(row), subtract(width, multiply(subtract(row, first), integer(behind))))

    past = add(first, integer(_ROWS))
    front = scope.index("front")
    steps = [s for n in range(_ROWS) for s in point(add(first, integer(n)), subtract(front, integer(behind * n)))]
    strip: list[Statement] = []
    if behind:
        strip.append(some_rows(first, lambda row: (part_of_row(row, integer(0), beginning(row)),), past))
    comment, rows = f"wavefront {inner.dim.name}", _strides_of_rows(inner, scope)
    strip.append(For(front, integer(last), width, integer(1), tuple(steps), comment, True, branchless=True, rows=rows))
    if behind:
        strip.append(some_rows(first, lambda row: (part_of_row(row, end(row), width),), past))
    full = scope.named("full", multiply(divide(maximum(height, integer(0)), _ROWS), integer(_ROWS)), out)
    rest = some_rows(full, lambda row: (part_of_row(row, integer(0), width),), height)
    comment = f"wavefront {step.dim.name}"
    return [*out, For(first, integer(0), full, integer(_ROWS), tuple(strip), comment, natural=True), rest]


def _strides_of_rows(inner: Sequential, scope: Scope) -> tuple[tuple[str, str], ...]:
    """Of the buffers that are written, names of strides. The indices of all accesses to one of them differ by numbers
    (see `lag`): where addresses differ by a stride, too, these are indices of other rows."""
    buffers = dict.fromkeys(a.buffer for e in inner.body for a in e.out_view)  # type: ignore[union-attr]
    return tuple((b, stride.name) for b in buffers for stride in scope.strides[b] if isinstance(stride, Name))


def _is_point(step: Step) -> bool:
    """Whether a step computes one point, and which elements it touches is known beforehand."""
    return isinstance(step, Expression) and not (step.md_hom.dims or step.indirect or step.procedures)


def _distances(accesses: list[tuple[Access, bool]], rows: str, columns: str) -> Iterator[_Distance]:
    """The distances, in both directions, of points that touch an element which one of them writes."""
    for n, (one, writes) in enumerate(accesses):
        for other, also in accesses[n:]:
            if one.buffer == other.buffer and (writes or also):
                yield from _between(one, other, rows, columns)


def _between(one: Access, other: Access, rows: str, columns: str) -> Iterator[_Distance]:
    """From a point to those at which `other` is the element that `one` is there."""
    equations: dict[tuple[int, int], int] = {}
    for mine, its in zip(one.index, other.index):
        coefficients = mine.coefficient(rows), mine.coefficient(columns)
        apart = (mine - its).without((rows, columns))
        if coefficients != (its.coefficient(rows), its.coefficient(columns)) or not apart.is_constant:
            raise _Unknown
        if equations.setdefault(coefficients, apart.constant) != apart.constant:
            return  # the same number would be two
    if equations.pop((0, 0), 0):
        return
    for solution in _solutions(equations):
        yield solution
        di, dj = solution
        yield -di if di is not None else None, -dj if dj is not None else None


def _solutions(equations: dict[tuple[int, int], int]) -> Iterator[_Distance]:
    """All (di, dj) with a·di + b·dj = c for each (a, b) of `equations`."""
    alone = [(a, b, c) for (a, b), c in equations.items() if not (a and b)]
    di = {c / a for a, b, c in alone if a}
    dj = {c / b for a, b, c in alone if b}
    if len(alone) < len(equations) or len(di) > 1 or len(dj) > 1:
        raise _Unknown
    if all(number.is_integer() for number in (*di, *dj)):
        yield (int(*di) if di else None, int(*dj) if dj else None)


def _lag(distance: _Distance) -> int:
    """How many columns a row has to stay behind, for the sake of points at this distance."""
    di, dj = distance
    if di is not None and di <= 0:
        return 0  # of the same row, or seen from the other side
    if dj is None:
        raise _Unknown
    return max(0, ceil((1 - dj) / (1 if di is None else di)))
