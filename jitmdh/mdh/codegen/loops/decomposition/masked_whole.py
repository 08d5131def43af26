"""Dimensions of a few vectors of which the last one is not full: one tile has them all, and masks say which lanes are.

    26 columns, vectors of 16   →   a tile of two vectors, the second under a mask

Else there is a loop over full tiles and another one for what is left, and each walks all rows: accumulators wait for
each other, and each cache line that both need comes twice.
"""

from __future__ import annotations

from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.kernel.ir import Literal
from jitmdh.mdh.lowering.problem.traffic import masked_together


def masked_as_one(nest: NestFacts, dim: str, size: int, state: NestPosition) -> bool:
    """Whether tiles of `size` points are masked, as there is one that has all points, in calls as that which code is
    made for. Requires that steps between lanes are known: those that are transposed have one mask."""
    lanes, e = nest.lanes[dim], nest.expression
    if not 1 < lanes < size or state.to.streaming or not masked_together(e, dim, nest.scope.machine):
        return False
    extent = next(d.extent for d in e.md_hom.dims if d.name == dim)
    if any(name not in nest.scope.typical for name in extent.names):
        return False
    return size - lanes < extent.evaluate(nest.scope.typical) < size and _known_steps(nest, dim)


def _known_steps(nest: NestFacts, dim: str) -> bool:
    e = nest.expression
    for access in (*e.inp_view, *e.out_view, *(e.finish.inp_view if e.finish is not None else ())):
        strides = nest.scope.strides.get(access.buffer, ())
        along = [(i, s) for i, s in zip(access.index, strides) if dim in i.names]
        if any(not isinstance(s, Literal) or abs(i.coefficient(dim)) != 1 for i, s in along):
            return False
    return True
