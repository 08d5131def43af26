"""Configurations as the thesis's Figures 78 to 81 list them: one row for each MDH level, one column for each parameter.

    0   | D1    | D2    | D3 A | D3 B | D4 A  | D4 B  | S1  …  | S3 A | S3 B | S4 A … | S5 C | S6 C | R1 … | R3 C | R4 C
    8   | (1,1) | COR,0 | MM   | MM   | [1,2] | [1,2] | …

A row's level is its place: with D dimensions, row r stands for layer ⌈r / D⌉ and dimension 1 + (r − 1) mod D. Parts are
nested by layers; D1 is the level's rank in the order of the loops. S3 to S6 have one value for all rows, in the first.
Machines are those of the thesis's Example 11: GPUs, OpenCL devices, CPUs. `from_table` says what runs here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.base.text import columns
from jitmdh.mdh.lowlevel import show
from jitmdh.mdh.lowlevel.layout import PADDING, flaw, parsed

Rank = tuple[int, int]

_PHASES = (("D1", "D2"), ("S1", "S2"), ("R1", "R2"))


@dataclass(frozen=True, slots=True)
class TableRow:
    """One level: the number of its parts, its rank in the order, the layer and dimension of the machine that take it,
    and where the buffers are while it is split (inputs) or combined (output), each with its layout: the thesis's
    permutations of axes, and what this package has besides them, as `show.layout` prints it.
    """

    parts: int
    rank: Rank
    layer: str
    axis: str
    inputs: tuple[str, ...]
    input_layouts: tuple[str, ...]
    output: str
    output_layout: str


@dataclass(frozen=True, slots=True)
class Table:
    """All parameters. D1, S1 and R1 coincide, and so do D2, S2 and R2: the three phases are one fused nest.

    scalar_…: where the scalar function reads and writes (S3 to S6).
    """

    title: str
    inputs: tuple[str, ...]
    output: str
    rows: tuple[TableRow, ...]
    scalar_inputs: tuple[str, ...]
    scalar_input_layouts: tuple[str, ...]
    scalar_output: str
    scalar_output_layout: str

    @property
    def dims(self) -> int:
        """How many dimensions the computation has: the machine's are as many."""
        return len({row.axis for row in self.rows})

    def dim(self, row: TableRow) -> int:
        """The dimension of a row, counted from 0."""
        return self.rows.index(row) % self.dims

    def extent(self, dim: int) -> int:
        """Elements that all parts of a dimension have together."""
        return prod(row.parts for row in self.rows if self.dim(row) == dim)

    def part_size(self, row: TableRow) -> int:
        """Elements in one part of a row's level: the product of the numbers of parts on deeper layers."""
        place = self.rows.index(row)
        return prod(r.parts for r in self.rows[place + self.dims :: self.dims])

    @property
    def ordered(self) -> tuple[TableRow, ...]:
        """Rows by their ranks: the loops from outside to inside."""
        return tuple(sorted(self.rows, key=lambda row: row.rank))

    def __str__(self) -> str:
        rows = [self._header(), *self._cells()]
        return f"{self.title}\n{columns([[*row[:1], *('| ' + cell for cell in row[1:])] for row in rows], ' ')}"

    def _header(self) -> list[str]:
        d3, d4 = ([f"{n} {b}" for b in self.inputs] for n in ("D3", "D4"))
        s3, s4 = ([f"{n} {b}" for b in self.inputs] for n in ("S3", "S4"))
        return ["0", "D1", "D2", *d3, *d4, "S1", "S2", *s3, *s4, f"S5 {self.output}", f"S6 {self.output}",
                "R1", "R2", f"R3 {self.output}", f"R4 {self.output}"]  # fmt: skip

    def _cells(self) -> Iterator[list[str]]:
        scalar = [*self.scalar_inputs, *self.scalar_input_layouts, self.scalar_output, self.scalar_output_layout]
        for n, row in enumerate(self.rows):
            rank, who = f"({row.rank[0]},{row.rank[1]})", f"{row.layer},{row.axis}"
            down = [*row.inputs, *row.input_layouts]
            up = [row.output, row.output_layout]
            middle = scalar if n == 0 else [""] * len(scalar)
            yield [str(row.parts), rank, who, *down, rank, who, *middle, rank, who, *up]

    def expression(self, name: str, combine: Sequence[str], function: str) -> str:
        """The low-level expression that the table stands for, as in the thesis's Figure 77.

        combine: the combine operator of each dimension; function: the scalar function.
        """
        rows = self.ordered
        down = [(show.operator("++", row.layer, row.axis), _count(row.parts), self._from(row)) for row in rows]
        up = [
            (show.operator(combine[self.dim(row)], row.layer, row.axis),
             show.region(self.output, row.output, row.output_layout))
            for row in reversed(rows)
        ]  # fmt: skip
        scalar = zip(self.inputs, self.scalar_inputs, self.scalar_input_layouts)
        reads = ", ".join(show.region(b, region, layout) for b, region, layout in scalar)
        writes = show.region(self.output, self.scalar_output, self.scalar_output_layout)
        return show.phases(name, [], down, f"{function}  {reads}, {writes}", up, [])

    def _from(self, row: TableRow) -> str:
        found = zip(self.inputs, row.inputs, row.input_layouts)
        return ", ".join(show.region(b, region, layout) for b, region, layout in found)


def _count(parts: int) -> str:
    return "1 part" if parts == 1 else f"{parts} parts"


# -------------------------------------------------------------------------------------------------- parsing


def parse(text: str) -> Table:
    """The table that `str` prints. ConfigurationError where it is none, with the line and the reason."""
    title, header, *lines = [line for line in text.strip().splitlines() if line.strip()]
    names = _split(header)
    inputs = tuple(name[3:] for name in names if name.startswith("D3 "))
    outputs = [name[3:] for name in names if name.startswith("R3 ")]
    if len(outputs) != 1 or not inputs:
        raise ConfigurationError(f"table: columns D3 and R3 name no buffers: {header}")
    cells = [dict(zip(names, _split(line), strict=False)) for line in lines]
    for number, row in enumerate(cells):
        if len(row) != len(names):
            raise ConfigurationError(f"table, row {number + 1}: {len(row)} cells under {len(names)} columns")
    rows = tuple(_row(number + 1, row, inputs, outputs[0]) for number, row in enumerate(cells))
    first = cells[0]
    table = Table(
        title,
        inputs,
        outputs[0],
        rows,
        tuple(first[f"S3 {b}"] for b in inputs),
        tuple(_layout(first[f"S4 {b}"]) for b in inputs),
        first[f"S5 {outputs[0]}"],
        _layout(first[f"S6 {outputs[0]}"]),
    )
    if len({row.rank for row in rows}) != len(rows) or len(rows) % table.dims:
        raise ConfigurationError("table: D1 is no permutation of the levels")
    return table


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _row(number: int, row: dict[str, str], inputs: tuple[str, ...], output: str) -> TableRow:
    for phase in _PHASES[1:]:
        for mine, first in zip(phase, _PHASES[0]):
            if row[mine] != row[first]:
                raise ConfigurationError(
                    f"table, row {number}: {mine} is {row[mine]}, {first} is {row[first]}",
                    reason="the phases are one fused nest",
                )
    layer, _, axis = row["D2"].partition(",")
    rank = _numbers(row["D1"])
    if len(rank) != 2 or not row["0"].isdecimal():
        raise ConfigurationError(f"table, row {number}: {row['0']} parts, with rank {row['D1']}")
    return TableRow(
        int(row["0"]),
        (rank[0], rank[1]),
        layer,
        axis,
        tuple(row[f"D3 {b}"] for b in inputs),
        tuple(_layout(row[f"D4 {b}"]) for b in inputs),
        row[f"R3 {output}"],
        _layout(row[f"R4 {output}"]),
    )


def _layout(text: str) -> str:
    try:
        layout = parsed(text)
    except ValueError:
        raise ConfigurationError(f"table: {text} is no layout", hint="such as [2,1]") from None
    axes = {axis for axis, _ in layout if axis != PADDING}
    found = flaw(layout, len(axes))
    if found is not None:
        raise ConfigurationError(f"table: layout {text}: {found}")
    return text


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", text))
