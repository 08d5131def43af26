"""What blocks of threads have of an iteration space: how many parts, and what a block's threads need together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.lowlevel.expr import Part

Extent = Callable[[str], int | None]
"""The extent of a dimension, where it is known before a call."""


def around(parts: Sequence[Part], part: Part) -> int | None:
    """The size of the parts that those of `part` lie in; None: the whole dimension."""
    return min((p.size for p in parts if p.dim == part.dim and p.size > part.size), default=None)


def count(parts: Sequence[Part], part: Part, extent: Extent) -> int | None:
    """How many parts there are in one around them; None: the call decides."""
    size = around(parts, part) or extent(part.dim)
    return None if size is None else -(-size // part.size)


def threads(parts: Sequence[Part], extent: Extent) -> int:
    """Of a block. Requires that their number is known."""
    return prod(count(parts, p, extent) or 1 for p in parts if p.way == "thread")


_EXCHANGED = 64  # values: what has more of them goes by loops


def exchanging(threads: int, parts: int, stride: int, results: int, warp: int) -> int:
    """How many threads of a warp combine what they have of the same results by exchanging values; 1: none do.

    threads: of a block; parts: how many of them have parts of the same results, `stride` apart.

    >>> exchanging(256, 256, 1, 1, 32), exchanging(256, 8, 32, 1, 32), exchanging(250, 250, 1, 1, 32)
    (32, 1, 1)
    """
    within = parts & -parts
    if threads % warp or stride & (stride - 1) or stride >= warp:
        return 1
    within = min(within, warp // stride)
    return within if results * (within.bit_length() - 1) <= _EXCHANGED else 1


def span(parts: Sequence[Part], at: int, dim: str, extent: Extent) -> int | None:
    """How far the elements of a dimension reach that the threads of a block have in one part of parts[at], together.

    From the first to the last of them; None: the call decides.

    >>> parts = Part("BLK", "i", 8, "block"), Part("THR", "i", 1, "thread"), Part("DEV", "i", 4, "loop")
    >>> span(parts, 0, "i", lambda dim: None), span(parts, 2, "i", lambda dim: None)
    (8, 4)
    """
    total = 1
    for n, part in enumerate(parts):
        if part.dim != dim or part.way == "block" or (part.way == "loop" and n <= at):
            continue
        parts_of_it = count(parts, part, extent)
        if parts_of_it is None:
            return None
        total += (parts_of_it - 1) * part.size
    return total


def width(index: Affine, spans: Mapping[str, int]) -> int:
    """How many places of an axis a subscript comes to."""
    return 1 + sum(abs(coefficient) * (spans[name] - 1) for name, coefficient in index.terms if name in spans)
