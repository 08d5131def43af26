"""The printed low-level representation of MatVec, of a packed matrix product, and of short rows under one loop."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.computations.wide import softmax_arrays
from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.machine.known import known
from tests.laws.agreement import traced, unit_axes
from tests.mdh.algebra import examples as ex

Golden = Callable[[str, str], None]


def levels(text: str) -> tuple[Level, ...]:
    """`"L2:i L1:k"` as levels."""
    return tuple(Level(*level.split(":")) for level in text.split())


MATVEC = Configuration(
    part_size=((Level("L1", "i"), 4), (Level("L1", "k"), 32), (Level("REG", "k"), 16)),
    decomposition_order=levels("COR:i L1:i L1:k"),
    recomposition_order=levels("REG:k COR:i L1:i L1:k"),
)
PACKED = Configuration(
    part_size=(
        (Level("L3", "j"), 3072), (Level("L2", "k"), 256), (Level("L2", "i"), 96),
        (Level("L1", "i"), 12), (Level("L1", "j"), 32), (Level("REG", "j"), 16),
    ),
    decomposition_order=levels("COR:i L3:j L2:k L2:i L1:j L1:i L1:k"),
    input_region=((1, Level("L2", "k"), "L3"), (0, Level("L2", "i"), "L2")),
    input_layout=((0, ((0, 12), (1, 1), (0, 1))), (1, ((1, 32), (0, 1), (1, 1)))),
    scalar_output_region="MM",
)  # fmt: skip


def test_matvec(golden: Golden) -> None:
    golden("lowlevel/matvec", str(lower(ex.matvec(float32), MATVEC)))


def test_packed_matmul(golden: Golden) -> None:
    golden("lowlevel/matmul_packed", str(lower(ex.matmul(float32), PACKED)))


def test_softmax_of_short_rows(golden: Golden) -> None:
    """Four rows at a time go through all four steps; what these hand on stays near a core."""
    arrays = np.zeros((10_000, 100), np.float32), np.ones((10_000, 100), np.float32)
    program = traced(softmax_arrays, arrays)
    sizes, axes = dict(sizes_of(program, arrays)), unit_axes(program, [arrays])
    made = generate(Request(program, sizes, axes, known("zen4", cores=2), threads=2))
    golden("lowlevel/softmax_short_rows", made.lowlevel_text())
