"""The checker finds each way in which a low-level representation can be wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitmdh.base.dtype import float32
from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part, Stage
from tests.golden.test_blocks import BASE
from tests.golden.test_lowlevel import MATVEC, PACKED
from tests.laws.configurations import prefix_sums
from tests.mdh.algebra import examples as ex

GOOD = lower(ex.matmul(float32), PACKED)
SPLIT = lower(ex.matvec(float32), MATVEC)


def with_part(index: int, part: Part) -> LowLevel:
    return replace(GOOD, parts=(*GOOD.parts[:index], part, *GOOD.parts[index + 1 :]))


COLUMNS = ((1, 1), (0, 1))
BLOCKS = lower(ex.matmul(float32), BASE)


def of_blocks(layer: str, dim: str, size: int) -> LowLevel:
    """Code for blocks of threads, with another size of one part."""
    same = [p for p in BLOCKS.parts if (p.layer, p.dim) == (layer, dim)]
    assert len(same) == 1
    return replace(BLOCKS, parts=tuple(replace(p, size=size) if p in same else p for p in BLOCKS.parts))


@pytest.mark.parametrize(
    "low",
    [
        GOOD,
        SPLIT,
        with_part(0, Part("COR", "i", -2, "core")),
        replace(GOOD, copies=(Copy(0, -1, "L2", ()), Copy(1, 6, "L2", COLUMNS))),
        replace(GOOD, stages=(Stage(-1, "L2", ()), Stage(GOOD.results_end - 1, "L2", COLUMNS))),
        replace(GOOD, tile_layout=COLUMNS, scalar_order=("i", "j")),
        BLOCKS,
        of_blocks("THR", "i", 8),
    ],
    ids=range(8),
)
def test_good_ones_pass(low: LowLevel) -> None:
    check(low)


@pytest.mark.parametrize(
    ("low", "message"),
    [
        (with_part(0, Part("COR", "z", 0, "core")), "(COR,z) splits no dimension"),
        (with_part(0, Part("COR", "i", 0, "fork")), "no way to take parts: fork"),
        (with_part(1, Part("L3", "j", 0, "loop")), "(L3,j) has parts of 0"),
        (with_part(1, Part("L3", "j", -1, "loop")), "(L3,j) has parts of -1"),
        (with_part(1, Part("L3", "j", 16, "loop")), "(L1,j) does not fill (L3,j)"),
        (with_part(1, Part("L2", "i", 96, "loop")), "split twice on a layer: (L2,i)"),
        (with_part(1, Part("L3", "j", 3072, "unroll")), "a loop is inside parts of a register tile"),
        (with_part(8, Part("SIMD", "i", 1, "lane")), "lanes of more than one dimension"),
        (with_part(6, Part("MM", "k", 1, "loop")), "k has 0 loops on layer L1"),
        (replace(GOOD, parts=(GOOD.parts[5], *GOOD.parts[:5], *GOOD.parts[6:])), "not its innermost"),
        (with_part(3, Part("L2", "i", 90, "loop")), "(L1,i) does not fill (L2,i)"),
        (replace(GOOD, parts=GOOD.parts[:-1]), "j ends in parts of 16, not in points"),
        (of_blocks("THR", "i", 1), "i has parts of [16, 1, 1] inside each other"),
        (of_blocks("THR", "i", 16), "i has parts of [16, 16, 1] inside each other"),
        (of_blocks("THR", "i", 3), "i has parts of [16, 3, 1] inside each other"),
        (of_blocks("BLK", "i", 17), "i has parts of [17, 2, 1] inside each other"),
        (of_blocks("SHR", "k", 2), "k has parts of [4, 2], not of points"),
        (replace(GOOD, copies=(Copy(2, 0, "L2", ()),)), "access number 2 of 2"),
        (replace(GOOD, copies=(Copy(-1, 0, "L2", ()),)), "access number -1 of 2"),
        (replace(GOOD, copies=(Copy(1, -2, "L2", ()),)), "B is copied at part -2 of 7"),
        (replace(GOOD, copies=(Copy(1, 7, "L2", ()),)), "B is copied at part 7 of 7"),
        (replace(GOOD, copies=(Copy(1, 2, "L2", ()),) * 2), "B is copied twice at part 2"),
        (replace(GOOD, copies=(Copy(1, 2, "L2", ((0, 1),)),)), "the layout of B: it does not name each axis"),
        (replace(GOOD, copies=(Copy(1, 2, "L2", ((0, 6), (0, 4), (1, 1), (0, 1))),)), "blocks [1, 4, 6] of axis 0"),
        (replace(GOOD, stages=(Stage(-2, "L2", ()),)), "results wait at part -2, of which 6 go through results"),
        (replace(GOOD, stages=(Stage(6, "L2", ()),)), "results wait at part 6, of which 6 go through results"),
        (replace(GOOD, stages=(Stage(1, "L2", ((0, 1),)),)), "the layout of waiting results: it does not"),
        (replace(GOOD, stages=(Stage(1, "L2", ()),) * 2), "results wait twice at part 1"),
        (replace(GOOD, tile_layout=((0, 1),)), "the layout of a register tile's results: it does not name each axis"),
        (replace(lower(prefix_sums(float32), Configuration()), tile_layout=()), "the carry of a prefix sum"),
        (replace(GOOD, scalar_order=("j", "i")), "unrolled are i, j, the scalar phase goes by j, i"),
        (replace(SPLIT, split_accumulators=("i",)), "split accumulators, but not collapsed: i"),
        (
            replace(lower(lift_identities(ex.linkage()), Configuration()), split_accumulators=("j",)),
            "an operator that does not commute",
        ),
    ],
)
def test_bad_ones_fail(low: LowLevel, message: str) -> None:
    with pytest.raises(InternalError) as failure:
        check(low)
    assert message in str(failure.value)
