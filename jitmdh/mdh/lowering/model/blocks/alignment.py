"""Where blocks begin: so that what neighbouring threads load begins with a sector of memory, as often as can be.

for i in range(1, n - 1): y[i] = x[i - 1] + x[i] + x[i + 1]      threads 0, 1, … at i = 1, 2, …: x[i] is at 1, 2, …
                                                                 threads 0, 1, … at i = 0, 1, …: x[i] is at 0, 1, …
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.model.blocks.accesses import SECTOR, shapes, strides
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.expr import LowLevel, Part
from jitmdh.mdh.machine.multiprocessors import Gpu


def aligned(p: Problem, gpu: Gpu, low: LowLevel) -> LowLevel:
    """With the parts of blocks along the dimension of neighbouring threads begun early, where that leaves fewer
    accesses beside whole sectors. Not where copies in shared memory depend on them: these are filled as memory lies."""
    part = _neighbours(low) if gpu.begins_early else None
    if part is None or part.dim not in p.remaining:
        return low
    copied = {name for c in low.copies for index in p.expression.inp_view[c.access].index for name in index.names}
    sizes = [p.expression.buffer(access.buffer).type.size_bytes for access in _accesses(p)]
    sector = SECTOR // max(sizes, default=SECTOR)
    if part.dim in copied or sector < 2 or part.size % sector or part.size == sector:
        return low
    places = [place for access in _accesses(p) if (place := _place(p, access, part.dim)) is not None]

    def beside(early: int) -> int:
        return sum((place - early) % sector != 0 for place in places)

    early = min(range(sector), key=beside)
    return replace(low, parts=tuple(replace(q, early=early) if q is part else q for q in low.parts)) if early else low


def _neighbours(low: LowLevel) -> Part | None:
    """The blocks' part of the dimension that neighbouring threads are neighbours in."""
    threads = sorted((q for q in low.parts if q.way == "thread"), key=lambda q: q.layer != "WRP")
    if not threads or threads[-1].size != 1:
        return None
    mine = [q for q in low.parts if q.dim == threads[-1].dim]
    largest = max(mine, key=lambda q: q.size)
    return largest if largest.way == "block" else None


def _accesses(p: Problem) -> tuple[Access, ...]:
    return (*p.expression.inp_view, *p.expression.out_view)


def _place(p: Problem, access: Access, dim: str) -> int | None:
    """Where in its sector an access begins, at the first point of `dim`; None: it is not the same in all rows."""
    unit = p.unit_axes.get(access.buffer)
    if unit is None or access.guard or dict(access.index[unit].terms) != {dim: 1}:
        return None
    steps = strides(shapes(p)[access.buffer], unit)
    size = p.expression.buffer(access.buffer).type.size_bytes
    even = all(
        step * size % SECTOR == 0 for axis, step in enumerate(steps) if axis != unit and access.index[axis].terms
    )
    return access.index[unit].constant if even else None
