"""Factors of a sum's terms: multiplied first where fewer dimensions vary, with the same results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, float16, float32, float64, int32
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.rewrites.reassociation import operation_dims, reassociate
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.lowering.problem.op_costs import work
from tests.mdh.algebra import examples as ex


def mttkrp(out, T, L, K):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(T.shape[1]):
                for l in range(T.shape[2]):
                    out[i, j] += T[i, k, l] * L[l, j] * K[k, j]


def scaled(out, A, B):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(A.shape[1]):
                out[i, j] += A[i, k] * B[k, j] * 2 * 3


def greatest(out, T, L, K):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(T.shape[1]):
                for l in range(T.shape[2]):
                    out[i, j] = max(out[i, j], T[i, k, l] * L[l, j] * K[k, j])


RANKS = {mttkrp: (2, 3, 2, 2), scaled: (2, 2, 2), greatest: (2, 3, 2, 2)}


def _traced(function: Callable[..., None], type: ScalarType) -> tuple[Program, Expression]:
    program = trace(capture(function), tuple(ArrayType(type, rank) for rank in RANKS[function]))
    (expression,) = program.steps
    assert isinstance(expression, Expression)
    return program, expression


def _product(expression: Expression) -> str:
    return str(expression.md_hom.function.results[0])


@pytest.mark.parametrize("type", [float32, float64, int32])
def test_what_varies_with_fewer_dimensions_is_multiplied_first(type: ScalarType) -> None:
    _, expression = _traced(mttkrp, type)
    turned = reassociate(expression)
    check_expression(turned)
    T, L, K = (p.name for p in expression.md_hom.function.parameters)
    assert _product(expression) == f"{T} * {L} * {K}"
    assert _product(turned) == f"{T} * ({L} * {K})" or _product(turned) == f"({L} * {K}) * {T}"
    assert sorted(len(dims) for _, dims in operation_dims(expression)) == [4, 4]
    assert sorted(len(dims) for _, dims in operation_dims(turned)) == [3, 4]


def test_two_numbers_are_not_multiplied_first() -> None:
    """Theirs might be too large where the whole product is not."""
    _, expression = _traced(scaled, float32)
    turned = reassociate(expression)
    assert sorted(len(dims) for _, dims in operation_dims(turned)) == [2, 2, 3]
    assert _product(turned) == "A * 2.0 * 3.0 * B"


@pytest.mark.parametrize(("function", "type"), [(mttkrp, float16), (greatest, float32), (greatest, int32)])
def test_nothing_changes_elsewhere(function: Callable[..., None], type: ScalarType) -> None:
    """Not where products overflow soon, nor where only the operator of the loops may be rearranged."""
    _, expression = _traced(function, type)
    assert reassociate(expression) is expression


def test_nothing_changes_without_three_factors() -> None:
    assert reassociate(expression := ex.matvec()) is expression


def test_the_results_stay() -> None:
    """Exactly for integers, also where products exceed 32 bits."""
    program, expression = _traced(mttkrp, int32)
    random = np.random.default_rng(3)
    shapes = ((3, 5), (3, 4, 6), (6, 5), (4, 5))
    arrays = [random.integers(-(2**31), 2**31, shape, dtype=np.int32) for shape in shapes]
    again = [a.copy() for a in arrays]
    run(program, *arrays)
    run(replace(program, steps=(reassociate(expression),)), *again)
    np.testing.assert_array_equal(arrays[0], again[0])


def test_work_counts_shared_products_once() -> None:
    program, _ = _traced(mttkrp, float32)
    array = np.empty((10,) * 3, np.float32)
    done = work(program, sizes_of(program, [array[0], array, array[0], array[0]]))
    assert done.flops == 2 * 10**4 + 10**3 + 10**2
    assert done.steps == 10**4 + 10**3 + 10**2
