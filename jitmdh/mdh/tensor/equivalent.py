"""Equivalent patterns: the smallest patterns of the factors of a product that leave the product as it is.

An element of a factor that meets only known zeros in the others is never needed. With the factors' patterns S and the
global positions g, over all indices, of the product (YATeTo's definition):

    Ŝᵢ(x) = ⋁ over g with g|ᵢ = x of ⋀ⱼ Sⱼ(g|ⱼ)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jitmdh.mdh.tensor.pattern import Names, Pattern, project


def equivalent(factors: Sequence[tuple[Names, Pattern]], extents: Mapping[str, int]) -> tuple[Pattern, ...]:
    """The smallest pattern of each factor with the same product.

    Requires: no name twice in a factor. Ensures: no position of a result can be left out without changing the product
    for some values, and none holds a position that the factor's own pattern lacks.

    >>> half = Pattern.of([[True, False], [False, False]])
    >>> full = Pattern.dense((2, 2))
    >>> [p.count for p in equivalent([("ij", half), ("jk", full)], {"i": 2, "j": 2, "k": 2})]
    [1, 2]
    """
    return tuple(project(factors, names, extents) for names, _ in factors)
