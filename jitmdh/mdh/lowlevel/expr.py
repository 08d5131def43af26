"""The low-level representation (thesis 4.3): an expression with every decision made, for one machine.

De-composition splits the iteration space level by level, the scalar phase applies `f` to each point,
re-composition combines the parts' results. Reading `parts` from left to right is the de-composition; reading it
from right to left is the re-composition, but for the levels in `late`, which are combined after all others of
their dimension.
"""

from __future__ import annotations

from dataclasses import dataclass

from jitmdh.mdh.algebra.expr import Expression

# One digit of a layout: (axis, block), see lowering.params.Layout.
Layout = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Split `dim` into parts of `size` elements (the last may be smaller) on `layer`.

    way: who takes the parts: "core" (threads at the same time; size 0: even parts, -n: n for each thread), "loop" (one after the other),
    "unroll" (one after the other, without a loop), "lane" (lanes of a vector).
    """

    layer: str
    dim: str
    size: int
    way: str


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy what access number `access` of inp_view reads inside one part of parts[at] to `region` with `layout`.

    at -1: the whole array, before anything is split.
    """

    access: int
    at: int
    region: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class LowLevel:
    """`expression`, split as `parts` say, outermost first.

    late: dimensions whose unrolled parts keep results of their own until all other parts have been combined
    (several accumulators). streaming: results go to main memory past the caches.
    private: layer names where a partial result of a collapsed dimension is kept apart for each part of a core layer.
    """

    expression: Expression
    parts: tuple[Part, ...]
    copies: tuple[Copy, ...] = ()
    late: tuple[str, ...] = ()
    streaming: bool = False
