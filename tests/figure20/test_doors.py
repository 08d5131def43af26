"""Every computation of the thesis's Figure 20 through every front end: one algebraic expression, one result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh
from docs.figure20 import ROWS
from docs.figure20.row import Row
from jitmdh.base.dtype import ScalarType, from_numpy
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.figure20.canonical import canonical, from_nothing
from tests.mdh.frontend.test_programs import argument_type

CASES = [pytest.param(row, from_numpy(np.dtype(t)), id=f"{row.name} {t}") for row in ROWS for t in row.types]


WITH_ARRAYS = [case for case in CASES if case.values[0].arrays is not None]


def program_of(function: Callable[..., Any], arguments: tuple[Any, ...], row: Row):
    return trace(capture(function), tuple(map(argument_type, arguments)), combine=row.combine)


def inputs(row: Row, type: ScalarType) -> tuple[Any, ...]:
    return row.inputs(np.random.default_rng(20), type)


def explicit(row: Row, type: ScalarType, arguments: tuple[Any, ...]):
    """The expression as it is written out."""
    (expression,) = canonical(row.computation(type).program, (*outputs(row, type), *arguments))
    return expression


def outputs(row: Row, type: ScalarType) -> list[np.ndarray]:
    computation = row.computation(type)
    written = {a.buffer for a in computation.expression.out_view}
    buffers = [b for b in computation.expression.buffers if b.name in written]
    return [np.zeros(tuple(n.constant for n in b.shape), b.type.numpy) for b in buffers]


@pytest.mark.parametrize(("row", "type"), CASES)
def test_loops_are_the_explicit_expression(row: Row, type: ScalarType) -> None:
    arguments = inputs(row, type)
    (found,) = canonical(program_of(row.loops, arguments, row), arguments)
    expected = explicit(row, type, arguments)
    if type.kind == "f":
        found = from_nothing(found)
    assert found == expected, f"{found}\n{expected}"


@pytest.mark.parametrize(("row", "type"), WITH_ARRAYS)
def test_arrays_are_the_explicit_expression(row: Row, type: ScalarType) -> None:
    assert row.arrays is not None
    arguments = inputs(row, type)
    found = canonical(program_of(row.arrays, arguments, row), arguments)
    expected = explicit(row, type, arguments)
    if row.several:
        assert len(found) > 1
        return
    assert len(found) == 1, "\n".join(map(str, found))
    without_start = from_nothing(found[0]) if type.kind == "f" else found[0]
    assert without_start == expected, f"{without_start}\n{expected}"


def same(expected: Any, found: Any) -> None:
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = found if isinstance(found, tuple) else (found,)
    for e, f in zip(expected, found, strict=True):
        e, f = np.asarray(e), np.asarray(f)
        assert e.shape == f.shape
        if f.dtype.kind == "f":
            np.testing.assert_allclose(f, e, rtol=1e-5 if f.dtype.itemsize == 4 else 1e-12, atol=0)
        else:
            np.testing.assert_array_equal(f, e)


@pytest.mark.in_turns(6)
@pytest.mark.parametrize(("row", "type"), CASES)
def test_results_are_those_of_python(row: Row, type: ScalarType) -> None:
    """Compiled through each door, and interpreted: what the undecorated loops give."""
    arguments = inputs(row, type)
    with np.errstate(all="ignore"):
        expected = row.loops(*arguments)
        options = {} if row.combine is None else {"combine": row.combine}
        same(expected, jitmdh.jit(**options)(row.loops)(*arguments))
        same(expected, row.computation(type)(*arguments))
        same(expected, run(program_of(row.loops, arguments, row), *arguments))
        if row.arrays is not None:
            same(expected, row.arrays(*arguments))
            same(expected, jitmdh.jit(row.arrays)(*arguments))


def test_the_table_is_whole() -> None:
    """Subfigures 1 to 8, with the nine instances of CCSD(T)."""
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names)) == 28
    assert sum(name.startswith("CCSD(T)") for name in names) == 9
    assert len(next(row for row in ROWS if row.name == "MCC_Capsule").sizes) == 10
