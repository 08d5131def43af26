"""Reductions over the same points as one: what is worth it, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Expression, Program, expressions
from jitmdh.mdh.algebra.scalar import Operation, Scalar
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.lowering.merges import with_reductions_merged
from tests.mdh.frontend.test_programs import argument_type

PLACES, OUT, MASS = np.random.default_rng(0).random((37, 3)), np.zeros((37, 3)), np.random.default_rng(1).random(37)


def forces(out: Any, x: Any, m: Any) -> None:
    for i in range(x.shape[0]):
        fx = 0.0
        fy = 0.0
        fz = 0.0
        for j in range(x.shape[0]):
            dx = x[j, 0] - x[i, 0]
            dy = x[j, 1] - x[i, 1]
            dz = x[j, 2] - x[i, 2]
            near = dx * dx + dy * dy + dz * dz + 0.01
            pull = m[j] / (near * np.sqrt(near))
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
        out[i, 0] = fx
        out[i, 1] = fy
        out[i, 2] = fz


def onto_what_is_there(out: Any, x: Any, m: Any) -> None:
    """One of both looks at what the other one writes, of the same point."""
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            out[i, 0] += np.exp(x[j, 0] - x[i, 0]) * m[j]
    for i in range(x.shape[0]):
        s = out[i, 0]
        for j in range(x.shape[0]):
            s += np.exp(x[j, 0] - x[i, 0])
        out[i, 1] = s


def rows_of_two_columns(out: Any, x: Any, m: Any) -> None:
    """The second column of what comes next is the first one's: not the same rows."""
    for i in range(x.shape[0] - 1):
        s = 0.0
        for j in range(x.shape[0]):
            s += np.exp(x[j, 0] - x[i, 0])
        out[i, 0] = s
    for i in range(x.shape[0] - 1):
        s = out[i + 1, 0]
        for j in range(x.shape[0]):
            s += np.exp(x[j, 0] - x[i, 0])
        out[i, 1] = s


def nothing_long(out: Any, x: Any, m: Any) -> None:
    """Sums that have no function in common which takes long."""
    for i in range(x.shape[0]):
        s = 0.0
        q = 0.0
        for j in range(x.shape[0]):
            s += (x[j, 0] - x[i, 0]) * m[j]
            q += (x[j, 0] - x[i, 0]) * x[j, 1]
        out[i, 0] = s
        out[i, 1] = q


def the_same_elements(out: Any, x: Any, m: Any) -> None:
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            out[i, 0] += np.exp(x[j, 0] - x[i, 0]) * m[j]
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            out[i, 0] += np.exp(x[j, 0] - x[i, 0]) * x[j, 1]


CASES = {forces: 1, onto_what_is_there: 1, rows_of_two_columns: 2, nothing_long: 2, the_same_elements: 2}


def program(function: Callable[..., None]) -> Program:
    return trace(capture(function), tuple(map(argument_type, (OUT, PLACES, MASS))))


@pytest.mark.parametrize("function", CASES)
def test_what_is_one_afterwards(function: Callable[..., None]) -> None:
    made = with_reductions_merged(program(function))
    assert len(list(expressions(made.steps))) == CASES[function]
    expected = OUT.copy()
    function(expected, PLACES, MASS)
    for target in ("cpu", "opencl"):
        if target == "cpu" or mdh.devices("opencl"):
            found = OUT.copy()
            mdh.jit(target=target, tune="off", cache=False)(function)(found, PLACES, MASS)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_functions_in_common_are_computed_once() -> None:
    (one,) = expressions(with_reductions_merged(program(forces)).steps)
    assert [name for name in operations(one) if name in ("truediv", "sqrt")] == ["truediv", "sqrt"]


def operations(e: Expression) -> list[str]:
    """In the function of a point, from the outside."""
    found: list[str] = []

    def visit(value: Scalar) -> None:
        if isinstance(value, Operation):
            found.append(value.op)
            for operand in value.operands:
                visit(operand)

    for value in (*(v for _, v in e.md_hom.function.bindings), *e.md_hom.function.results):
        visit(value)
    return found
