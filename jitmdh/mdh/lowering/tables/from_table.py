"""Tables in the thesis's notation as configurations for a CPU.

Levels with one part are no loops. Of the others, the innermost of each dimension becomes its loop over register tiles;
where it comes after a loop that combines, and results are in registers, it becomes the tile itself. A copy is made when
the innermost part begins outside of which its region is another; so do results begin to wait. Where the parts do not
make up a whole dimension, a loop around them that has one part takes as many as that needs, the last one smaller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowering.tables import for_blocks
from jitmdh.mdh.lowering.tables.table import Table, TableRow
from jitmdh.mdh.lowlevel.layout import Layout, parsed, whole

# What layers and regions of the thesis's CPU models (Example 11) are on this machine.
OPENMP = {"COR": "COR", "SIMD": "SIMD", "MM": "MM", "L3": "L3", "L2": "L2", "L1": "L1", "REG": "REG"}
OPENCL = {"WG": "COR", "WI": "SIMD", "GLB": "MM", "LCL": "L2", "PRV": "L1", "GM": "MM", "LM": "L1", "PM": "REG"}
_LOOPS = ("L1", "L2", "L3", "MM")


@dataclass
class _TableDraft:
    """What has been read so far. at: the level whose part the next row splits."""

    sizes: dict[Level, int] = field(default_factory=dict)
    order: list[Level] = field(default_factory=list)
    at: Level = field(default_factory=lambda: Level("MM", ""))
    copies: list[tuple[int, Level, str]] = field(default_factory=list)
    layouts: dict[int, Layout] = field(default_factory=dict)
    waiting: list[tuple[Level, str]] = field(default_factory=list)
    waiting_layouts: list[tuple[Level, Layout]] = field(default_factory=list)


def configuration(table: Table, p: Problem) -> Configuration:
    """The configuration of Table 1's parameters that `table` stands for.

    ConfigurationError where this machine has none of its layers and regions, or where parts are taken in a way that
    there is no loop for.
    """
    dims = tuple(p.extents)
    if len(dims) != table.dims:
        raise ConfigurationError(f"{table.title}: {table.dims} dimensions, the computation has {len(dims)}")
    if _used(table) <= for_blocks.NAMES:
        return for_blocks.configuration(table, p)
    names = _names(table)
    short = [_around(table, n, names) for n, extent in enumerate(p.extents.values()) if table.extent(n) < extent]
    draft = _TableDraft()
    regions = ["MM"] * len(table.inputs)
    output = "MM"
    combined = False
    rows = table.ordered
    for place, row in enumerate(rows):
        dim = dims[table.dim(row)]
        for n, region in enumerate(names[r] for r in row.inputs):
            if region != regions[n] and region != "MM":
                draft.copies.append((n, draft.at, region))
                draft.layouts[n] = _layout(row.input_layouts[n])
            regions[n] = region
        region = names[row.output]
        if region not in (output, "MM", "REG"):
            draft.waiting.append((draft.at, region))
            draft.waiting_layouts.append((draft.at, _layout(row.output_layout)))
        output = region
        if row.parts > 1 or row in short:
            inside = combined and dim in p.remaining and region == "REG"
            later = [r for r in rows[place + 1 :] if r.parts > 1 and table.dim(r) == table.dim(row)]
            if any(table.part_size(r) > table.part_size(row) for r in later):
                raise ConfigurationError(f"{table.title}: parts of {dim} on {row.layer} are strided, no loop here is")
            if not all(names[r.layer] in ("REG", "SIMD") for r in later):
                _split(draft, Level(names[row.layer], dim), table.part_size(row))
            else:
                parts = _lanes(row.parts, p.extents[dim]) if names[row.layer] == "SIMD" else row.parts
                _innermost(draft, Level(names[row.layer], dim), parts, table.part_size(row), inside)
            draft.at = draft.order[-1] if draft.order else draft.at
            combined = combined or dim in p.collapsed
    return _whole(draft, table, names)


def _around(table: Table, dim: int, names: Mapping[str, str]) -> TableRow | None:
    """The loop with one part that is next to the outermost level of a dimension with more; None: there is none."""
    rows = [row for row in table.ordered if table.dim(row) == dim]
    outermost = next((n for n, row in enumerate(rows) if row.parts > 1), 0)
    loops = [row for row in rows[:outermost] if names[row.layer] in _LOOPS]
    return loops[-1] if loops else None


def _names(table: Table) -> Mapping[str, str]:
    """What the layers and regions of a table are called here."""
    used = _used(table)
    for names in (OPENMP, OPENCL):
        if used <= set(names):
            return names
    raise ConfigurationError(
        f"{table.title}: this machine has no {', '.join(sorted(used - set(OPENMP)))}",
        hint=f"layers and regions are {', '.join(OPENMP)}, or those of OpenCL, {', '.join(OPENCL)}",
    )


def _used(table: Table) -> set[str]:
    """The layers and regions of a table."""
    used = {name for row in table.rows for name in (row.layer, *row.inputs, row.output)}
    return used | {*table.scalar_inputs, table.scalar_output}


def _split(draft: _TableDraft, level: Level, size: int) -> None:
    """A level for cores or a loop, around other loops of its dimension."""
    if level.layer != "COR":
        level = _free(draft, level if level.layer in _LOOPS[1:] else Level("L2", level.dim))
    draft.sizes[level] = size
    draft.order.append(level)


def _lanes(parts: int, extent: int) -> int:
    """Lanes for so many parts; a dimension that is shorter than a vector leaves some of its lanes empty."""
    return 1 << (parts - 1).bit_length() if parts == extent else parts


def _innermost(draft: _TableDraft, level: Level, parts: int, size: int, inside: bool) -> None:
    """Cores, a loop over tiles, or (in registers, inside loops that combine) parts of a tile."""
    tile = Level("L1", level.dim)
    if level.layer == "COR":
        draft.sizes[level] = size
        draft.order.append(level)
        return
    if level.layer == "SIMD":
        draft.sizes[Level("REG", level.dim)] = parts
    if level.layer in ("SIMD", "REG") or inside:
        draft.sizes[tile] = max(draft.sizes.get(tile, 1), parts * size)
    if not inside and tile not in draft.order:
        draft.order.append(tile)


def _free(draft: _TableDraft, wanted: Level) -> Level:
    """`wanted`, or the next layer on which the dimension has no loop yet."""
    names = [wanted.layer, *(name for name in _LOOPS[1:] if name != wanted.layer)]
    return next(Level(name, wanted.dim) for name in names if Level(name, wanted.dim) not in draft.order)


def _whole(draft: _TableDraft, table: Table, names: Mapping[str, str]) -> Configuration:
    tiles = [level.dim for level in draft.sizes if level.layer == "L1" and level not in draft.order]
    first = next((n for n, l in enumerate(draft.order) if l.layer != "COR"), len(draft.order))
    draft.order[first:first] = [Level("L1", dim) for dim in tiles]
    scalar = {n: names[region] for n, region in enumerate(table.scalar_inputs)}
    # A tile's inputs that S3 puts where D3 already does are there once.
    copies = [c for c in draft.copies if not (c[1] == draft.order[-1] and scalar[c[0]] == c[2])]
    results = names[table.scalar_output]
    last = draft.order[-1]
    waiting = [w for w in draft.waiting if not (w[0] == last and w[1] == results)]
    order = tuple(draft.order)
    return Configuration(
        part_size=tuple(draft.sizes.items()),
        decomposition_order=order,
        input_region=tuple(copies),
        input_layout=tuple((n, draft.layouts[n]) for n in dict.fromkeys(n for n, _, _ in copies) if draft.layouts[n]),
        scalar_order=order,
        scalar_input_region=tuple((n, region) for n, region in scalar.items() if region != "REG"),
        scalar_input_layout=tuple(
            (n, layout) for n, layout in enumerate(map(_layout, table.scalar_input_layouts)) if layout
        ),
        scalar_output_region=results,
        scalar_output_layout=_layout(table.scalar_output_layout),
        recomposition_order=order,
        output_region=tuple(waiting),
        output_layout=tuple((l, layout) for l, layout in draft.waiting_layouts if layout),
    )


def _layout(text: str) -> Layout:
    """A layout; row-major as the empty one."""
    layout = parsed(text)
    return () if layout == whole((), len(layout)) else layout
