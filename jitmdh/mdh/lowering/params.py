"""The tuning parameters of the lowering (thesis Table 1) as plain data.

| No. | name         | here                       | meaning                                            |
|-----|--------------|----------------------------|----------------------------------------------------|
| 0   | #PRT         | `part_size`                | how many parts on each level                       |
| D1  | σ↓-ord       | `decomposition_order`      | nesting of the loops, outermost first              |
| D2  | ↔↓-ass       | `decomposition_assignment` | which levels are threads, loops, unrolled, lanes   |
| D3  | ↓-mem        | `input_region`             | inputs copied to a region at a level               |
| D4  | σ↓-mem       | `input_layout`             | the layout of such a copy                          |
| S1  | σf-ord       | `scalar_order`             | order of the points                                |
| S2  | ↔f-ass       | `scalar_assignment`        | who computes them                                  |
| S3  | f↓-mem       | `scalar_input_region`      | where the scalar function reads                    |
| S4  | σf↓-mem      | `scalar_input_layout`      | … in which layout                                  |
| S5  | f↑-mem       | `scalar_output_region`     | where it writes: REG, or MM past the caches        |
| S6  | σf↑-mem      | `scalar_output_layout`     | … in which layout                                  |
| R1  | σ↑-ord       | `recomposition_order`      | when parts are combined                            |
| R2  | ↔↑-ass       | `recomposition_assignment` | who combines them                                  |
| R3  | ↑-mem        | `output_region`            | where partial results live at a level              |
| R4  | σ↑-mem       | `output_layout`            | … in which layout                                  |

A *level* is a pair of a layer and a dimension (Definition 15). Since sizes are run-time arguments, parameter 0
gives the *size* of the parts, from which their number follows: `#PRT(l, d) = ⌈size of the part around / size⌉`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Level:
    """An MDH level: a layer of the machine and a dimension of the computation."""

    layer: str
    dim: str

    def __str__(self) -> str:
        return f"({self.layer},{self.dim})"


# A layout orders *digits*: pairs of an array axis and a block size. Digit (a, b) counts steps of b along axis a,
# up to the next larger block of the same axis. ((0, 1), (1, 1)) is row-major; ((1, 1), (0, 1)) is transposed;
# ((0, 8), (1, 1), (0, 1)) is panels of 8 rows, stored column after column.
Layout = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """Values of all parameters for one expression. Absent entries mean: not split, not copied, identity layout.

    part_size: (level, elements); on the core layer 0: even parts, one for each core; -n: n for each core, so that a
    core that is held up does less.
    input_region: (number of the access in inp_view, level, region): copied when that level's part begins.
    input_layout: (number of the access, layout).
    output_region: (level, region) where results of reductions not finished at that level are kept.
    """

    part_size: tuple[tuple[Level, int], ...] = ()
    decomposition_order: tuple[Level, ...] = ()
    decomposition_assignment: tuple[tuple[Level, str], ...] = ()
    input_region: tuple[tuple[int, Level, str], ...] = ()
    input_layout: tuple[tuple[int, Layout], ...] = ()
    scalar_order: tuple[Level, ...] = ()
    scalar_assignment: tuple[tuple[Level, str], ...] = ()
    scalar_input_region: str = "REG"
    scalar_input_layout: Layout = ()
    scalar_output_region: str = "REG"
    scalar_output_layout: Layout = ()
    recomposition_order: tuple[Level, ...] = ()
    recomposition_assignment: tuple[tuple[Level, str], ...] = ()
    output_region: tuple[tuple[Level, str], ...] = ()
    output_layout: tuple[tuple[Level, Layout], ...] = ()

    def size(self, layer: str, dim: str) -> int | None:
        """Part size on a level, None where the level does not split."""
        for level, value in self.part_size:
            if level.layer == layer and level.dim == dim:
                return value
        return None

    @property
    def sizes(self) -> Mapping[Level, int]:
        return dict(self.part_size)


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """One row of Table 1: number, the thesis's symbol, the field of `Configuration`, its range in words."""

    number: str
    symbol: str
    field: str
    range: str


TABLE_1: tuple[ParameterRow, ...] = (
    ParameterRow("0", "#PRT", "part_size", "MDH-LVL → ℕ"),
    ParameterRow("D1", "σ↓-ord", "decomposition_order", "MDH-LVL ↔ MDH-LVL"),
    ParameterRow("D2", "↔↓-ass", "decomposition_assignment", "MDH-LVL ↔ ASM-LVL"),
    ParameterRow("D3", "↓-mem⟨ib⟩", "input_region", "MDH-LVL → MR"),
    ParameterRow("D4", "σ↓-mem⟨ib⟩", "input_layout", "MDH-LVL → digit orders"),
    ParameterRow("S1", "σf-ord", "scalar_order", "MDH-LVL ↔ MDH-LVL"),
    ParameterRow("S2", "↔f-ass", "scalar_assignment", "MDH-LVL ↔ ASM-LVL"),
    ParameterRow("S3", "f↓-mem⟨ib⟩", "scalar_input_region", "MR"),
    ParameterRow("S4", "σf↓-mem⟨ib⟩", "scalar_input_layout", "digit orders"),
    ParameterRow("S5", "f↑-mem⟨ob⟩", "scalar_output_region", "MR"),
    ParameterRow("S6", "σf↑-mem⟨ob⟩", "scalar_output_layout", "digit orders"),
    ParameterRow("R1", "σ↑-ord", "recomposition_order", "MDH-LVL ↔ MDH-LVL"),
    ParameterRow("R2", "↔↑-ass", "recomposition_assignment", "MDH-LVL ↔ ASM-LVL"),
    ParameterRow("R3", "↑-mem⟨ob⟩", "output_region", "MDH-LVL → MR"),
    ParameterRow("R4", "σ↑-mem⟨ob⟩", "output_layout", "MDH-LVL → digit orders"),
)
