"""In which order a register tile combines its points: those that read the same vector follow each other.

A point is a result at a step along what collapses. Step by step is right where all results need what a step reads, as
in matrix products. Where an input slides along the results, other ones need the same vector at other steps:

    o[i] += x[i + a] * w[a], two results of three terms:   o0 += x0 w0
                                                           o0 += x1 w1, o1 += x1 w0
                                                           o0 += x2 w2, o1 += x2 w1
                                                                        o1 += x3 w2

So each vector is loaded once and takes up a register no longer than the points that need it take.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim


def sliding(
    view: Sequence[Access], dims: Mapping[str, TileDim], lane: str | None, collapsed: Collection[str]
) -> Access | None:
    """An input along the lanes whose rows several results of the tile read, each at another step; None: there is none.

    collapsed: the dimensions of `dims` that steps go along; the others are those of results.
    """
    unrolled = {name for name, dim in dims.items() if dim.count > 1 and name != lane}
    for access in view:
        if lane is not None and any(index.coefficient(lane) for index in access.index):
            for index in access.index:
                names = unrolled.intersection(index.names)
                if names.intersection(collapsed) and not names <= set(collapsed):
                    return access
    return None


def row(access: Access, point: Point, lane: str | None) -> tuple[int, ...]:
    """Which vector `access` reads at `point`, apart from steps along the lanes: points of a row belong together."""
    return tuple(sum(i.coefficient(n) * offset for n, offset in point.items() if n != lane) for i in access.index)


def single_elements(view: Sequence[Access], dims: Mapping[str, TileDim], lane: str | None) -> int:
    """How many elements a tile reads, at most, that are the same in all lanes."""
    return sum(
        prod(dim.count for name, dim in dims.items() if any(i.coefficient(name) for i in access.index))
        for access in view
        if lane is not None and not any(i.coefficient(lane) for i in access.index)
    )
