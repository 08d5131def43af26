"""Sums that start from 0.0: their accumulators do, with the same bits. Nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import float32, float64
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.combine import PointWise
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.rewrites.zero_initialisation import initialise_from_zero
from jitmdh.mdh.algebra.scalar import Constant, Operation
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType


def total(out, x):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j]
        out[i] = s


def running(out, x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i, 0]
        out[i] = s


def from_one(out, x):
    for i in range(x.shape[0]):
        s = 1.0
        for j in range(x.shape[1]):
            s += x[i, j]
        out[i] = s


def added(out, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i] += x[i, j]


def product(out, x):
    for i in range(x.shape[0]):
        s = 1.0
        for j in range(x.shape[1]):
            s *= x[i, j]
        out[i] = 0.0 + s


def greatest(out, x):
    for i in range(x.shape[0]):
        out[i] = 0.0 + np.max(x[i])


def twice(out, x):
    for i in range(x.shape[0]):
        out[i] = 0.0 + 2.0 * np.sum(x[i])


def copied(out, x):
    for i in range(x.shape[0]):
        out[i] = 0.0 + x[i, 0]


ZEROS = [np.full((3, 4), -0.0), np.array([[0.0, -0.0], [1e-320, -1e-320], [np.inf, -np.inf]]), np.ones((2, 5))]


def traced(function: Callable[..., None], type: Any = float64) -> tuple[Program, Expression]:
    program = trace(capture(function), (ArrayType(type, 1), ArrayType(type, 2)))
    (expression,) = program.steps
    assert isinstance(expression, Expression)
    return program, expression


def bits(program: Program, x: np.ndarray) -> bytes:
    out = np.full(len(x), -0.0, x.dtype)
    with np.errstate(all="ignore"):
        run(program, out, x)
    return out.tobytes()


@pytest.mark.parametrize("type", [float32, float64])
@pytest.mark.parametrize("function", [total, running])
def test_a_sum_from_zero_has_nothing_to_finish(function: Callable[..., None], type: Any) -> None:
    program, expression = traced(function, type)
    made = initialise_from_zero(expression)
    check_expression(made)
    assert expression.finish is not None and made.finish is None
    for x in ZEROS:
        given = x.astype(type.name)
        assert bits(replace(program, steps=(made,)), given) == bits(program, given)


@pytest.mark.parametrize("function", [from_one, added, product, greatest, twice, copied])
def test_nothing_else_is_one(function: Callable[..., None]) -> None:
    _, expression = traced(function)
    assert initialise_from_zero(expression) is expression


def test_the_other_zero_is_none_to_start_from() -> None:
    """−0.0 plus a sum of nothing but −0.0 is −0.0."""
    program, expression = traced(total)
    finish = expression.finish
    assert finish is not None
    (result,) = finish.function.results
    assert isinstance(result, Operation)
    operands = tuple(Constant(-0.0, float64) if isinstance(o, Constant) else o for o in result.operands)
    negative = replace(finish, function=replace(finish.function, results=(replace(result, operands=operands),)))
    other = replace(expression, finish=negative)
    assert initialise_from_zero(other) is other
    assert bits(replace(program, steps=(other,)), ZEROS[0]) != bits(program, ZEROS[0])


def test_a_sum_without_identity_keeps_its_finish() -> None:
    _, expression = traced(total)
    combine = tuple(
        replace(c, operator=replace(c.operator, identity=None)) if isinstance(c, PointWise) else c
        for c in expression.md_hom.combine
    )
    other = replace(expression, md_hom=replace(expression.md_hom, combine=combine))
    assert initialise_from_zero(other) is other
