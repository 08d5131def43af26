"""Tables for GPUs (the thesis's Figures 78 and 80) as configurations for blocks of threads.

Each row with more than one part is a level. A copy is made when the part begins outside of which its region is another.
A loop with one part around all others of a dimension takes as many as a call needs; so does the outermost level else.
"""

from __future__ import annotations

from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowering.tables.table import Table, TableRow
from jitmdh.mdh.lowlevel.layout import Layout, parsed, whole
from jitmdh.mdh.machine.blocks import CORES, DEVICE, LOOPS, MOST_TILES, REGISTERS, SHARED, shared_region, tiles_of

NAMES = frozenset({*CORES, *LOOPS, *map(shared_region, range(1, MOST_TILES + 1)), DEVICE, REGISTERS})
"""Layers and regions of the thesis's model of CUDA with warps (Example 11)."""


def configuration(table: Table, p: Problem) -> Configuration:
    """As `from_table.configuration`."""
    dims = tuple(p.extents)
    around = [_around(table, n) for n in range(table.dims)]
    sizes: dict[Level, int] = {}
    at: Level | None = None
    copies: list[tuple[int, Level, str]] = []
    layouts: dict[int, Layout] = {}
    regions = [DEVICE] * len(table.inputs)
    for row in table.ordered:
        for n, region in enumerate(row.inputs):
            if tiles_of(region) and region != regions[n]:
                if at is None:
                    raise ConfigurationError(f"{table.title}: all of {table.inputs[n]} does not fit into {SHARED}")
                copies.append((n, at, region))
                layouts[n] = _layout(row.input_layouts[n])
            regions[n] = region
        if row.parts > 1 or row in around:
            at = Level(row.layer, dims[table.dim(row)])
            if at in sizes:
                raise ConfigurationError(f"{table.title}: {at} is there twice")
            sizes[at] = table.part_size(row)
    _require_registers(table)
    order = tuple(sizes)
    return Configuration(
        part_size=tuple(sizes.items()),
        decomposition_order=order,
        input_region=tuple(copies),
        input_layout=tuple((n, layout) for n, layout in layouts.items() if layout),
        scalar_order=order,
        recomposition_order=order,
    )


def _around(table: Table, dim: int) -> TableRow | None:
    """The loop with one part next to the outermost level with more; None: there is none."""
    rows = [row for row in table.rows if table.dim(row) == dim]
    outermost = next((n for n, row in enumerate(rows) if row.parts > 1), 0)
    loops = [row for row in rows[:outermost] if row.layer in LOOPS]
    return loops[-1] if loops else None


def _require_registers(table: Table) -> None:
    """Scalars are in registers; results, too, until they are in memory."""
    scalar = (*table.scalar_inputs, table.scalar_output)
    rows = {row.output for row in table.rows}
    if set(scalar) != {REGISTERS} or not rows <= {REGISTERS, DEVICE}:
        raise ConfigurationError(f"{table.title}: S3, S5 are {REGISTERS} on a GPU, R3 is {REGISTERS} or {DEVICE}")
    if any(_layout(text) for text in (*table.scalar_input_layouts, table.scalar_output_layout)):
        raise ConfigurationError(f"{table.title}: S4, S6: registers have no layout")
    if any(_layout(row.output_layout) for row in table.rows):
        raise ConfigurationError(f"{table.title}: R4: results lie as their array says")


def _layout(text: str) -> Layout:
    """A layout; row-major as the empty one."""
    layout = parsed(text)
    return () if layout == whole((), len(layout)) else layout
