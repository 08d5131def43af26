"""Layouts (parameters D4, S4, S6, R4): the order in which the elements of a copy or of waiting results lie in memory.

A layout lists *digits* from slow to fast. Digit (a, b) counts steps of b along axis a, up to the next larger block of
the same axis; digit (PADDING, n) leaves n elements unused after all that is faster:

    ((0, 1), (1, 1))              row-major
    ((1, 1), (0, 1))              transposed
    ((0, 8), (1, 1), (0, 1))      panels of 8 rows, stored column after column
    ((0, 1), (PADDING, 16), (1, 1))   rows that are 16 elements further apart than they are long

The thesis's layouts are permutations of axes (Definition 12): those without blocks and padding. An empty layout is
row-major.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

Layout = tuple[tuple[int, int], ...]

PADDING = -1
_DIGIT = re.compile(r"\+(\d+)|(\d+)(?:%\d+)?(?:/(\d+))?")


def whole(layout: Layout, rank: int) -> Layout:
    """`layout`, spelled out.

    >>> whole((), 2), whole(((1, 1), (0, 1)), 2)
    (((0, 1), (1, 1)), ((1, 1), (0, 1)))
    """
    return layout or tuple((axis, 1) for axis in range(rank))


def next_block(layout: Layout, axis: int, block: int) -> int | None:
    """The next larger block of an axis; None: `block` is its largest.

    >>> next_block(((0, 8), (1, 1), (0, 1)), 0, 1), next_block(((0, 8), (1, 1), (0, 1)), 0, 8)
    (8, None)
    """
    return min((b for a, b in layout if a == axis and b > block), default=None)


def places(layout: Layout, extents: Sequence[int]) -> int:
    """How many elements a buffer with this layout has, its padding included.

    >>> places((), (3, 5)), places(((0, 1), (PADDING, 1), (1, 1)), (3, 5)), places(((0, 2), (1, 1), (0, 1)), (3, 5))
    (15, 18, 20)
    """
    size = 1
    for axis, block in reversed(whole(layout, len(extents))):
        if axis == PADDING:
            size += block
        else:
            size *= (next_block(layout, axis, block) or -(-extents[axis] // block) * block) // block
    return size


def blocks(layout: Layout, axis: int) -> list[int]:
    """Block sizes of an axis, smallest first."""
    return sorted(b for a, b in layout if a == axis)


def parsed(text: str) -> Layout:
    """The layout that `show.layout` prints; ValueError where it is none.

    >>> parsed("[2, 1]"), parsed("[2/8, +16, 1, 2%8]")
    (((1, 1), (0, 1)), ((1, 8), (-1, 16), (0, 1), (1, 1)))
    """
    digits = []
    for item in text.strip("[] ").split(",") if text.strip("[] ") else []:
        found = _DIGIT.fullmatch(item.strip())
        if found is None:
            raise ValueError(text)
        padding, axis, block = found.groups()
        digits.append((PADDING, int(padding)) if padding else (int(axis) - 1, int(block or 1)))
    return tuple(digits)


def flaw(layout: Layout, rank: int) -> str | None:
    """Why `layout` is none of an array with `rank` axes; None: it is one.

    >>> flaw(((0, 1), (PADDING, 3), (1, 1)), 2), flaw(((0, 1),), 2), flaw(((0, 4), (1, 1)), 2)
    (None, 'it does not name each axis', 'blocks [4] of axis 0 do not nest')
    """
    if not layout:
        return None
    digits = [digit for digit in layout if digit[0] != PADDING]
    if {axis for axis, _ in digits} != set(range(rank)) or len(set(digits)) != len(digits):
        return "it does not name each axis"
    for axis in range(rank):
        sizes = blocks(layout, axis)
        if sizes[0] != 1 or any(big % small for small, big in pairwise(sizes)):
            return f"blocks {sizes} of axis {axis} do not nest"
    if PADDING in (layout[0][0], layout[-1][0]):
        return "padding lies between two digits"
    if any(axis == PADDING and size < 1 for axis, size in layout):
        return "padding is at least one element"
    return None
