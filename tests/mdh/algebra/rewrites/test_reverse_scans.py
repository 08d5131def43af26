"""Reverse prefix sums and their forward forms mean the same."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import int32
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.rewrites.reverse_scans import forward_scans, swapped
from jitmdh.mdh.algebra.semantics.interp import run
from tests.laws.configurations import EXPRESSIONS, affine_maps, arguments, shapes
from tests.mdh.algebra import examples as ex

REVERSE = [name for name in EXPRESSIONS if "reverse" in name]


def test_without_reverse_prefix_sums_nothing_changes() -> None:
    for expression in (ex.matvec(), affine_maps(int32, PrefixSum(ex.add(int32)))):
        assert forward_scans(expression) is expression


@pytest.mark.parametrize("name", REVERSE)
@pytest.mark.parametrize("sizes", [[0, 1, 2, 3], [1, 1, 1, 1], [5, 4, 3, 2]])
def test_same_meaning(name: str, sizes: list[int]) -> None:
    expression = EXPRESSIONS[name]()
    turned = forward_scans(expression)
    check_expression(turned)
    assert not any(isinstance(c, PrefixSum) and c.reverse for c in turned.md_hom.combine)
    assert _results(turned, name, sizes) == _results(expression, name, sizes)


def test_an_operator_that_does_not_commute_is_swapped() -> None:
    operator = next(c for c in affine_maps(int32).md_hom.combine if hasattr(c, "operator")).operator
    assert swapped(ex.add(int32)) == ex.add(int32)
    assert swapped(operator).function.parameters[:2] == operator.function.parameters[2:]


def _results(expression: Expression, name: str, sizes: list[int]) -> list[object]:
    program = ex.program(expression)
    arrays = arguments(program, shapes(name, sizes), 7)
    run(program, *arrays)
    return [np.asarray(a).tolist() for a in arrays]
