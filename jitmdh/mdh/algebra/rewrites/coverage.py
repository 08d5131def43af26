"""Which elements of an array an access touches over all points, as an interval on each axis; and whether what is read
has been written.

    t[i + 1, j] = …, i ∈ [0, n - 2), j ∈ [0, m)       touches [1, n - 2] × [0, m - 1] of t[n, m]
"""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Access, Expression
from jitmdh.mdh.algebra.index import Affine

Interval = tuple[Affine, Affine]
"""First and last of some subscripts; affine in sizes. Meaningless where a dimension is empty: then none is used."""


def interval(e: Expression, index: Affine) -> Interval | None:
    """The subscripts between the least and the greatest value of `index` over the hull of `e`'s points.

    None where it depends on data, or a dimension's extent on another dimension.
    """
    extents = {d.name: d.extent for d in e.md_hom.dims}
    data = {n.name for n in e.indirect}
    low = high = index.without(extents)
    if data.intersection(low.names):
        return None
    for name in index.names:
        if name not in extents:
            continue
        if (extents.keys() | data).intersection(extents[name].names):
            return None
        span = (extents[name] - 1) * index.coefficient(name)
        low, high = (low, high + span) if index.coefficient(name) > 0 else (low + span, high)
    return low, high


def writes_whole_box(e: Expression, access: Access) -> bool:
    """Whether `access`, of `e`'s out_view, writes every element of the box of its intervals, whatever the sizes are.

    Each axis is a dimension of its own, moved by a size; no point is left out; a reduction over nothing gives its
    identity.
    """
    remaining, collapsed = set(e.remaining), set(e.collapsed)
    dims = [[n for n in i.names if n in remaining] for i in access.index]
    moved = all(not n or (len(n) == 1 and i.coefficient(n[0]) == 1) for n, i in zip(dims, access.index))
    if not moved or sorted(n for found in dims for n in found) != sorted(remaining) or access.guard or e.indirect:
        return False
    if any(not collapsed.intersection(g.names) for g in e.md_hom.guard):
        return False
    some = all(d.extent.is_constant and d.extent.constant > 0 for d in e.md_hom.dims if d.name in collapsed)
    operators = [c.operator for c in e.md_hom.combine if not isinstance(c, Concatenation)]
    return all(o.identity is not None for o in operators) or (some and not e.md_hom.guard)


def covers(
    writer: Expression, written: Access, reader: Expression, read: Access, shape: tuple[Affine, ...],
    known: Callable[[Affine], Affine] = lambda a: a,
) -> bool:  # fmt: skip
    """Whether every element that `read` names has been written by `written`; shape: of the array; known: replaces
    sizes by those that they are always equal to."""
    if not writes_whole_box(writer, written):
        return False
    for n, extent in enumerate(shape):
        box, wanted = interval(writer, written.index[n]), interval(reader, read.index[n])
        if box is None:
            return False
        below, above = known(box[0]), known(extent - 1 - box[1])
        if _never_positive(below) and _never_positive(above):
            continue
        if wanted is None or read.guard:
            return False
        if not (_never_positive(known(box[0] - wanted[0])) and _never_positive(known(wanted[1] - box[1]))):
            return False
    return True


def _never_positive(value: Affine) -> bool:
    return value.is_constant and value.constant <= 0
