"""Register tiles: the order in which their results are taken."""

from __future__ import annotations

import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.lowering.model.register_tiling import slowest_first
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
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
