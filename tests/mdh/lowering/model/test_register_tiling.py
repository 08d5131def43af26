"""Register tiles: the order in which their results are taken."""

from __future__ import annotations

import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.combine import PointWise, cc
from jitmdh.mdh.algebra.expr import Dim, Expression, MdHom
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable
from jitmdh.mdh.lowering.model.register_tiling import best_tile, slowest_first, tiles
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import known
from tests.mdh.algebra import examples as ex


def matmul() -> Problem:
    expression = ex.matmul(float32)
    sizes = {dim.extent.names[0]: extent for dim, extent in zip(expression.md_hom.dims, (64, 64, 24))}
    return problem(expression, sizes, {}, 2)


@pytest.mark.parametrize(
    "counts, order",
    [
        ({"i": 8, "j": 3}, ["i", "j"]),  # three vectors stay in registers, and one element at a time
        ({"i": 3, "j": 8}, ["j", "i"]),  # three elements stay
        ({"i": 4, "j": 4}, ["i", "j"]),
        ({"i": 8, "k": 4}, ["i"]),
        ({}, []),
    ],
)
def test_few_values_are_kept(counts: dict[str, int], order: list[str]) -> None:
    assert slowest_first(matmul(), counts) == order


def contraction() -> Problem:
    """out[i, j, k, l, m] += left[j, n, k, l] * right[n, m, j, i], k and l short and of the left one."""
    i, j, k, l, m, n = (ex.name(d) for d in "ijklmn")
    left, right = Variable("left", float32), Variable("right", float32)
    dims = tuple(Dim(d, ex.name(d.upper())) for d in "ijklmn")
    expression = Expression(
        "contraction",
        tuple(ex.buffer(*b) for b in (("out", float32, 5), ("left", float32, 4), ("right", float32, 4))),
        (ex.access("left", j, n, k, l), ex.access("right", n, m, j, i)),
        MdHom(
            dims,
            ScalarFunction((left, right), (), (ex.op("mul", left, right),)),
            (*[cc] * 5, PointWise(ex.add(float32))),
        ),
        None,
        (ex.access("out", i, j, k, l, m),),
    )
    return problem(expression, dict(zip("IJKLMN", (7, 69, 12, 11, 27, 28))), {}, 2)


def test_tiles_of_any_two_dimensions() -> None:
    """The last two that are not lanes would be k and l."""
    machine = known("zen4", cores=2)
    steps = [set(tile.counts) for tile in tiles(contraction(), machine) if tile.lane == "m"]
    assert any({"i", "k"} <= dims for dims in steps) and any({"i", "l"} <= dims for dims in steps)
    assert "i" in best_tile(contraction(), machine).counts
