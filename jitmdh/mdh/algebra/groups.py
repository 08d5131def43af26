"""Groups of dimensions that one operator combines, and what stands between the operators of neighbouring groups.

    max_i √(Σ_j Σ_k x[i, j, k])        (i), •(max)   ←  √   ←   (j, k), •(add)

The innermost group is combined first, at every point of the dimensions outside it.
"""

from __future__ import annotations

from collections.abc import Iterable

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Concatenation, Operator, PrefixSum, Scatter
from jitmdh.mdh.algebra.expr import Between, Expression
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import IndexValue, ScalarFunction, Variable


@dataclass(frozen=True, slots=True)
class Group:
    """Dimensions under one operator.

    axes: their numbers, outermost first; names; scan: a prefix sum, then it is one dimension; between: what is applied
    to the group's results before the group around takes them; guard: the conditions that decide which of its elements
    take part.
    """

    axes: tuple[int, ...]
    names: tuple[str, ...]
    operator: Operator
    scan: bool
    between: Between | None
    guard: tuple[Affine, ...]


def groups(expression: Expression) -> tuple[Group, ...]:
    """All groups, outermost first; none where no dimension has an operator."""
    md_hom = expression.md_hom
    depths = {b.depth: b for b in expression.between}
    found: list[list[int]] = []
    for axis, combine in enumerate(md_hom.combine):
        if isinstance(combine, Concatenation | Scatter):
            continue
        last = found[-1][-1] if found else None
        apart = (
            last is None
            or md_hom.combine[last] != combine
            or isinstance(combine, PrefixSum)
            or any(last < depth <= axis for depth in depths)
        )
        if apart:
            found.append([axis])
        else:
            found[-1].append(axis)
    result: list[Group] = []
    for n, axes in enumerate(found):
        outside = found[n - 1][-1] if n else -1
        between = next((b for d, b in depths.items() if outside < d <= axes[0]), None) if n else None
        guard = tuple(g for g in expression.guard if _owner(expression, g, found) == n)
        combine = md_hom.combine[axes[0]]
        assert not isinstance(combine, Concatenation | Scatter)
        names = tuple(md_hom.dims[a].name for a in axes)
        result.append(Group(tuple(axes), names, combine.operator, isinstance(combine, PrefixSum), between, guard))
    return tuple(result)


def places_ascend(expression: Expression, found: tuple[Group, ...]) -> bool:
    """Whether this is an arg-extremum along one dimension, of scores and places that grow with it, each computed from
    nothing but its point."""
    f = expression.md_hom.function
    if len(found) != 1 or found[0].scan or found[0].operator.score is None or found[0].operator.arity != 2:
        return False
    if len(found[0].names) != 1 or f.bindings or expression.procedures or expression.indirect:
        return False
    if expression.ragged or expression.md_hom.guard:
        return False
    place, type = f.results[1], found[0].operator.types[1]
    grows = isinstance(place, IndexValue) and place.index.coefficient(found[0].names[0]) > 0
    return grows and place.type == type == int64


def _owner(expression: Expression, guard: Affine, groups: list[list[int]]) -> int | None:
    """The group whose operator is the first that sees `guard`; None if it mentions no dimension with an operator."""
    mentioned = [a for a, d in enumerate(expression.md_hom.dims) if d.name in guard.names]
    if all(isinstance(expression.md_hom.combine[a], Concatenation | Scatter) for a in mentioned):
        return None
    return max(n for n, axes in enumerate(groups) if axes[0] <= mentioned[-1])


def passing(types: Iterable[ScalarType]) -> ScalarFunction:
    """The function that passes a state on."""
    state = tuple(Variable(f"state{n}", t) for n, t in enumerate(types))
    return ScalarFunction(state, (), state)
