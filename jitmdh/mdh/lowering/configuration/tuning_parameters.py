"""The tuning parameters of the lowering (thesis Table 1) as plain data.

| No. | name         | here                       | meaning                                            |
|-----|--------------|----------------------------|----------------------------------------------------|
| 0   | #PRT         | `part_size`                | how many parts on each level                       |
| D1  | σ↓-ord       | `decomposition_order`      | nesting of the loops, outermost first              |
| D2  | ↔↓-ass       | `decomposition_assignment` | which levels cores take; others are loops          |
| D3  | ↓-mem        | `input_region`             | inputs copied to a region at a level               |
| D4  | σ↓-mem       | `input_layout`             | the layout of such a copy                          |
| S1  | σf-ord       | `scalar_order`             | order of the points, those of a register tile last |
| S2  | ↔f-ass       | `scalar_assignment`        | who computes them                                  |
| S3  | f↓-mem       | `scalar_input_region`      | where it reads: REG, L1, or MM with prefetches     |
| S4  | σf↓-mem      | `scalar_input_layout`      | … in which layout                                  |
| S5  | f↑-mem       | `scalar_output_region`     | where it writes: REG, L1, or MM, non-temporally    |
| S6  | σf↑-mem      | `scalar_output_layout`     | … in which layout                                  |
| R1  | σ↑-ord       | `recomposition_order`      | when parts are combined                            |
| R2  | ↔↑-ass       | `recomposition_assignment` | who combines them                                  |
| R3  | ↑-mem        | `output_region`            | where the results of a level's parts wait          |
| R4  | σ↑-mem       | `output_layout`            | … in which layout                                  |

A *level* is a pair of a layer and a dimension (Definition 15). Since sizes are run-time arguments, parameter 0
gives the *size* of the parts, from which their number follows: `#PRT(l, d) = ⌈size of the part around / size⌉`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jitmdh.base.records import dataclass, record
from jitmdh.mdh.lowlevel.layout import Layout
from jitmdh.mdh.machine.blocks import GRIDS


@record(frozen=True, slots=True, order=True)
class Level:
    """An MDH level: a layer of the machine and a dimension of the computation."""

    layer: str
    dim: str

    def __str__(self) -> str:
        return f"({self.layer},{self.dim})"


@dataclass(frozen=True, slots=True)
class Configuration:
    """Values of all parameters for one expression. Absent entries mean: not split, not copied, identity layout.

    part_size: (level, elements); on the core layer 0: even parts, one for each core; -n: n for each core, so that a
    core that is held up does less.
    decomposition_assignment: (level, layer): COR gives the level's parts to cores; its own layer says nothing new.
    input_region: (number of the access in inp_view, level, region): copied when that level's part begins.
    input_layout: (number of the access, layout), whose axes are those of the array.
    scalar_order: levels of D1, see `fused`, then (REG, dimension) of what is unrolled, slowest first.
    scalar_input_region: (number of the access, region): "L1": what a register tile reads is copied to a buffer first;
    "MM": it is loaded into registers from main memory, with prefetches some tiles before; absent, or "REG": it is
    just loaded. scalar_input_layout: as input_layout, of that buffer.
    scalar_output_region: "REG": what a register tile comes to is combined in registers; "L1": in a buffer with
    scalar_output_layout; "MM": in registers, and the results are written by non-temporal stores.
    output_region: (level, region): what a part of that level comes to waits there until the part ends. Level (MM,):
    the whole result. output_layout: (level, layout) of it. Axes of output layouts are the dimensions that remain.
    """

    part_size: tuple[tuple[Level, int], ...] = ()
    decomposition_order: tuple[Level, ...] = ()
    decomposition_assignment: tuple[tuple[Level, str], ...] = ()
    input_region: tuple[tuple[int, Level, str], ...] = ()
    input_layout: tuple[tuple[int, Layout], ...] = ()
    scalar_order: tuple[Level, ...] = ()
    scalar_assignment: tuple[tuple[Level, str], ...] = ()
    scalar_input_region: tuple[tuple[int, str], ...] = ()
    scalar_input_layout: tuple[tuple[int, Layout], ...] = ()
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


def without_copies(c: Configuration) -> Configuration:
    """`c` with inputs and results read and written where they are.

    >>> packed = Configuration(input_region=((0, Level("L2", "i"), "L2"),), scalar_output_region="MM")
    >>> without_copies(packed) == Configuration()
    True
    """
    return replace(c, input_region=(), input_layout=(), scalar_input_region=(), scalar_input_layout=(),
                   scalar_output_region="REG", scalar_output_layout=(), output_region=(), output_layout=())  # fmt: skip


def uses_cores(c: Configuration) -> bool:
    """Whether cores share parts of some level, by its name or by D2.

    >>> l3 = Level("L3", "i")
    >>> uses_cores(Configuration(((l3, 8),), (l3,), ((l3, "COR"),))), uses_cores(Configuration(((l3, 8),), (l3,)))
    (True, False)
    """
    return any(level.layer == "COR" for level in assigned(c).decomposition_order)


def without_cores(c: Configuration) -> Configuration:
    """`c` for one thread: no level is for cores, by its name or by D2; what one of these copies is copied before all.

    >>> shared, l3 = Level("COR", "i"), Level("L3", "i")
    >>> without_cores(Configuration(((shared, -8),), (shared, Level("L1", "i")))).decomposition_order
    (Level(layer='L1', dim='i'),)
    >>> without_cores(Configuration(((l3, 8),), (l3,), ((l3, "COR"),))) == Configuration()
    True
    """
    c = replace(assigned(c), decomposition_assignment=())

    def left(order: tuple[Level, ...]) -> tuple[Level, ...]:
        return tuple(level for level in order if level.layer != "COR")

    return replace(
        c,
        part_size=tuple((level, size) for level, size in c.part_size if level.layer != "COR"),
        decomposition_order=left(c.decomposition_order),
        input_region=tuple((n, Level("MM", "") if l.layer == "COR" else l, region) for n, l, region in c.input_region),
        scalar_order=left(c.scalar_order),
        recomposition_order=left(c.recomposition_order),
        output_region=tuple((level, region) for level, region in c.output_region if level.layer != "COR"),
        output_layout=tuple((level, layout) for level, layout in c.output_layout if level.layer != "COR"),
    )


def assigned(c: Configuration) -> Configuration:
    """`c` with the levels that D2 gives to cores as levels of the layer COR.

    Where a dimension has a level of blocks of threads already, another one that blocks take keeps its name, and D2.

    >>> blocks = Configuration(((Level("L2", "i"), 8),), (Level("L2", "i"),), ((Level("L2", "i"), "COR"),))
    >>> assigned(blocks) == Configuration(((Level("COR", "i"), 8),), (Level("COR", "i"),))
    True
    """
    if not c.decomposition_assignment:
        return c
    names = {level: Level(layer, level.dim) for level, layer in c.decomposition_assignment}
    kept = {level for level, name in names.items() if name.layer == GRIDS and level != name and name in c.sizes}
    names = {level: name for level, name in names.items() if level not in kept}

    def new(level: Level) -> Level:
        return names.get(level, level)

    return replace(
        c,
        part_size=tuple((new(level), size) for level, size in c.part_size),
        decomposition_order=tuple(map(new, c.decomposition_order)),
        decomposition_assignment=tuple((level, layer) for level, layer in c.decomposition_assignment if level in kept),
        input_region=tuple((number, new(level), region) for number, level, region in c.input_region),
        scalar_order=tuple(map(new, c.scalar_order)),
        recomposition_order=tuple(map(new, c.recomposition_order)),
        output_region=tuple((new(level), region) for level, region in c.output_region),
        output_layout=tuple((new(level), layout) for level, layout in c.output_layout),
    )


def fused_order(c: Configuration) -> tuple[Level, ...]:
    """The one order of loops in which all three phases are carried out.

    The phases of the thesis are loop nests of their own, in the orders D1, S1 and R1. But de-composition does nothing
    on levels where nothing is copied, and re-composition nothing where nothing is combined: there the loops are in the
    order of the phase that has something to do. So S1 or R1, where one differs from D1, is the order of all loops;
    `constraints` refuses what would move a copy, or the combination of what cores have computed.

    >>> i, k = Level("L1", "i"), Level("L1", "k")
    >>> [*map(str, fused_order(Configuration(decomposition_order=(i, k), scalar_order=(k, i, Level("REG", "i")))))]
    ['(L1,k)', '(L1,i)']
    """
    others = (loops_of(c.scalar_order), loops_of(c.recomposition_order))
    return next((o for o in others if o and o != c.decomposition_order), c.decomposition_order)


def loops_of(order: tuple[Level, ...]) -> tuple[Level, ...]:
    """An order without its register levels."""
    return tuple(level for level in order if level.layer != "REG")


def fused(c: Configuration) -> Configuration:
    """`c` with D1, S1 and R1 all in the order of `fused_order`, and what S1 and R1 say of register levels."""
    order = fused_order(c)
    if order == c.decomposition_order:
        return c
    scalar = tuple(level for level in c.scalar_order if level.layer == "REG")
    again = c.recomposition_order
    split = tuple(l for n, l in enumerate(again) if l.layer == "REG" and Level("L1", l.dim) in again[n:])
    return replace(c, decomposition_order=order, scalar_order=(*order, *scalar), recomposition_order=(*split, *order))


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
