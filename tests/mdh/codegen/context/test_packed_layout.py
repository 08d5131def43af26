"""Where elements of a copy are: blocks that are narrower, wider, or as wide as a register tile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Name
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowlevel.layout import Layout
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native

TILE = ((Level("L1", "j"), 24), (Level("REG", "j"), 8), (Level("L1", "i"), 4))


@pytest.mark.parametrize("block", [8, 24, 48, 128])
@pytest.mark.parametrize("outside", [True, False])
def test_blocks_and_register_tiles_of_different_widths(block: int, outside: bool) -> None:
    """outside: each block is whole in memory; else its columns are, row by row."""
    digits: Layout = ((1, block), (0, 1), (1, 1)) if outside else ((0, 1), (1, block), (-1, 8), (1, 1))
    rows: Layout = ((0, 2), (1, 1), (0, 1))
    configuration = Configuration(
        part_size=TILE,
        input_region=((0, Level("MM", ""), "L2"), (1, Level("MM", ""), "L2")),
        input_layout=((0, rows), (1, digits)),
    )
    native = Native(ex.program(ex.matmul(float32)), lambda *_: configuration)
    random = np.random.default_rng(block)
    for m, n, k in [(4, 24, 3), (9, 100, 5), (3, 7, 2), (8, 48, 1)]:
        a, b = (random.integers(-4, 5, s).astype(np.float32) for s in ((m, k), (k, n)))
        c = np.zeros((m, n), np.float32)
        native(c, a, b)
        np.testing.assert_array_equal(c, a @ b)


def test_what_consists_of_whole_blocks() -> None:
    """By its extent, where that is a number; else by what it is known to be a multiple of."""
    unknown = Packed("copy", (integer(0),) * 2, (integer(32), Name("n", integer(0).type)), (), integer(0))
    assert unknown.whole(0, 16) and not unknown.whole(0, 24) and not unknown.whole(1, 16)
    assert replace(unknown, multiples=(1, 48)).whole(1, 16) and replace(unknown, multiples=(1, 48)).whole(0, 32)
