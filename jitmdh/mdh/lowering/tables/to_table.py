"""Configurations in the thesis's notation: the tables of `table`, for any configuration of this machine."""

from __future__ import annotations

from math import ceil

from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowering.tables.table import Table, TableRow
from jitmdh.mdh.lowlevel import show
from jitmdh.mdh.lowlevel.blocks import around
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part, Stage
from jitmdh.mdh.machine.blocks import CORES, DEVICE, LOOPS, REGISTERS

# Layers whose levels stand, with one part, where a dimension is split less often than another.
_FILLING = ("REG", "L1", "L2", "L3", "MM", "SIMD", "COR")


def table(c: Configuration, p: Problem, title: str) -> Table:
    """What `c` does with a computation of the sizes that `p` knows: parts are counted, the last of each may be smaller.

    Rows are as many as the dimension that is split most often needs; levels with one part fill up the others.
    """
    low = lower(p.expression, c)
    if low.in_blocks:
        return _of_blocks(low, p, title)
    counted = _counted(low, p)
    dims = tuple(p.extents)
    split = {d: [n for n, part in enumerate(low.parts) if part.dim == d] for d in dims}
    layers = max((len(places) for places in split.values()), default=0)
    rows: list[TableRow] = []
    rank = len(low.parts)
    for layer in range(layers):
        for number, d in enumerate(dims):
            if layer < len(split[d]):
                place = split[d][layer]
                name, parts, at = low.parts[place].layer, counted[place], place
            else:
                free = [name for name in _FILLING if all(low.parts[n].layer != name for n in split[d])]
                name, parts, at, rank = free[layer - len(split[d])], 1, rank, rank + 1
            rows.append(_row(low, at, parts, name, str(number), len(dims)))
    inputs = tuple(a.buffer for a in p.expression.inp_view)
    layouts = dict(c.scalar_input_layout)
    return Table(
        title,
        _unique(inputs),
        ",".join(dict.fromkeys(a.buffer for a in p.expression.out_view)),
        tuple(rows),
        tuple(dict(c.scalar_input_region).get(n, "REG") for n in range(len(inputs))),
        tuple(show.layout(len(a.index), layouts.get(n, ())) for n, a in enumerate(p.expression.inp_view)),
        c.scalar_output_region,
        show.layout(len(p.remaining), c.scalar_output_layout),
    )


def _of_blocks(low: LowLevel, p: Problem, title: str) -> Table:
    """That of a grid: rows of a dimension lie inside each other by their sizes."""
    dims = tuple(p.extents)
    nested = {d: sorted((part for part in low.parts if part.dim == d), key=lambda part: -part.size) for d in dims}
    inputs, rank = low.expression.inp_view, len(low.parts)
    row_major = [show.layout(len(a.index), ()) for a in inputs]
    rows: list[TableRow] = []
    for n in range(max(map(len, nested.values()), default=0)):
        for number, d in enumerate(dims):
            if n < len(nested[d]):
                part = nested[d][n]
                at, layer = low.parts.index(part), part.layer
                parts = ceil((around(low.parts, part) or max(1, p.extents[d])) / part.size)
            else:
                free = [name for name in (*LOOPS, *CORES) if all(part.layer != name for part in nested[d])]
                layer, parts, at, rank = free[n - len(nested[d])], 1, rank, rank + 1
            copies = [_copy(low, access, at) for access in range(len(inputs))]
            rows.append(TableRow(parts, (at // len(dims) + 1, at % len(dims) + 1), layer, str(number),
                            tuple(copy.region if copy else DEVICE for copy in copies),
                            tuple(_layout(low, access, copy) for access, copy in enumerate(copies)),
                            REGISTERS, show.layout(len(low.expression.remaining), ())))  # fmt: skip
    outputs = ",".join(dict.fromkeys(a.buffer for a in low.expression.out_view))
    return Table(title, _unique(tuple(a.buffer for a in inputs)), outputs, tuple(rows), (REGISTERS,) * len(inputs),
                 tuple(row_major), REGISTERS, show.layout(len(p.remaining), ()))  # fmt: skip


def _counted(low: LowLevel, p: Problem) -> list[int]:
    """The number of parts on each level."""
    around = {d: max(1, n) for d, n in p.extents.items()}
    found = []
    for part in low.parts:
        size = part.size if part.size > 0 else _even(low, part, around[part.dim], p.threads)
        found.append(ceil(around[part.dim] / size))
        around[part.dim] = min(around[part.dim], size)
    return found


def _even(low: LowLevel, part: Part, extent: int, threads: int) -> int:
    """Elements in one of even parts for `threads` cores that tear no tile."""
    tile = next(other.size for other in low.parts if other.dim == part.dim and other.layer == "L1")
    return ceil(ceil(extent / (threads * max(1, -part.size))) / tile) * tile


def _row(low: LowLevel, at: int, parts: int, layer: str, axis: str, dims: int) -> TableRow:
    view = low.expression.inp_view
    copies = [_copy(low, n, at) for n in range(len(view))]
    stage = _stage(low, at)
    region = stage.region if stage else "REG" if at >= low.results_end else "MM"
    return TableRow(
        parts,
        (at // dims + 1, at % dims + 1),
        layer,
        axis,
        tuple(copy.region if copy else "MM" for copy in copies),
        tuple(_layout(low, n, copy) for n, copy in enumerate(copies)),
        region,
        show.layout(len(low.expression.remaining), stage.layout if stage else ()),
    )


def _copy(low: LowLevel, access: int, before: int) -> Copy | None:
    """The innermost copy of an access that is made outside of level `before`."""
    found = [c for c in low.copies if c.access == access and c.at < before]
    return max(found, key=lambda c: c.at, default=None)


def _stage(low: LowLevel, before: int) -> Stage | None:
    """Where the results of level `before` wait, if not in registers."""
    found = [s for s in low.stages if s.at < before < low.results_end]
    return max(found, key=lambda s: s.at, default=None)


def _layout(low: LowLevel, access: int, copy: Copy | None) -> str:
    return show.layout(len(low.expression.inp_view[access].index), copy.layout if copy else ())


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of columns: an array that is read several times has as many."""
    return tuple(f"{n}.{names[:place].count(n) + 1}" if names.count(n) > 1 else n for place, n in enumerate(names))
