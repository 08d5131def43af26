"""The printed low-level representation of MatVec and of a packed matrix product."""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.dtype import float32
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
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
