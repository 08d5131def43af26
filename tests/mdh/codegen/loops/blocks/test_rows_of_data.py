"""Blocks of threads on rows whose ends data decide: threads share a row, and loops end where it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import BoundsError
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.kernel.ir import Grid, Store
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.machine.model import Machine
from tests.laws.agreement import model, traced, unit_axes
from tests.mdh.codegen.in_grids import InGrids


def product(y: Any, ends: Any, columns: Any, values: Any, x: Any) -> None:
    for i in range(y.shape[0]):
        for k in range(ends[i], ends[i + 1]):
            y[i] += values[k] * x[columns[k]]


def with_matrix(y: Any, ends: Any, columns: Any, values: Any, x: Any) -> None:
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            for k in range(ends[i], ends[i + 1]):
                y[i, j] += values[k] * x[columns[k], j]


def largest(y: Any, ends: Any, columns: Any, values: Any, x: Any) -> None:
    for i in range(y.shape[0]):
        for k in range(ends[i], ends[i + 1]):
            y[i] = max(y[i], values[k])


def gathered(y: Any, ends: Any, columns: Any, values: Any, x: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = x[columns[i]]


def configuration(*levels: tuple[str, str, int]) -> Configuration:
    order = tuple(Level(layer, dim) for layer, dim, _ in levels)
    return Configuration(tuple((level, size) for level, (_, _, size) in zip(order, levels)), order)


BY_WARPS = configuration(("BLK", "i", 4), ("THR", "i", 1), ("DEV", "k", 32), ("THR", "k", 1))
BY_EIGHT = configuration(("BLK", "i", 8), ("THR", "i", 1), ("DEV", "k", 8), ("THR", "k", 1))
BY_ODD = configuration(("BLK", "i", 3), ("THR", "i", 1), ("DEV", "k", 5), ("THR", "k", 1))
ALONE = configuration(("BLK", "i", 32), ("THR", "i", 1), ("DEV", "k", 1))
LOOPED = configuration(("DEV", "i", 4), ("THR", "i", 1), ("DEV", "k", 8), ("THR", "k", 1))
TILES = configuration(
    ("BLK", "i", 4),
    ("BLK", "j", 16),
    ("THR", "i", 1),
    ("DEV", "k", 4),
    ("THR", "k", 1),
    ("THR", "j", 4),
    ("REG", "j", 1),
)
EACH = configuration(("BLK", "i", 32), ("THR", "i", 1))


def data(rows: int, most: int, columns: int, wide: int = 0) -> list[Any]:
    random = np.random.default_rng(rows)
    ends = np.concatenate([[0], np.cumsum(random.integers(0, most + 1, rows))]).astype(np.int32)
    count = max(int(ends[-1]), rows)
    shape = (columns, wide) if wide else (columns,)
    y = random.integers(-9, 9, (rows, wide) if wide else rows).astype(np.float32)
    where = random.integers(-columns, columns, count).astype(np.int64)
    return [y, ends, where, random.integers(-9, 9, count).astype(np.float32),
            random.integers(-9, 9, shape).astype(np.float32)]  # fmt: skip


CASES: Sequence[tuple[Any, Configuration, int]] = [
    (product, BY_WARPS, 0), (product, BY_EIGHT, 0), (product, BY_ODD, 0), (product, ALONE, 0), (product, LOOPED, 0),
    (with_matrix, TILES, 19), (largest, BY_WARPS, 0), (gathered, EACH, 0),
]  # fmt: skip


def in_grids(program: Program, levels: Configuration | None, given: Sequence[Any]) -> InGrids:
    """levels: of the computation itself, not of the looks at its subscripts; None: the model's."""
    axes = unit_axes(program, [tuple(given)])
    others = model(program, tuple(given), axes)

    def choose(expression: Expression, machine: Machine) -> Configuration:
        if levels is None or expression.out_view[0].buffer != "y":
            return others(expression, machine)
        reason = violation(problem(expression, {}, {}, 2), machine, levels)
        assert reason is None, reason
        return levels

    return InGrids(program, choose, axes)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize(("function", "levels", "wide"), CASES)
def test_grids_agree(function: Callable[..., None], levels: Configuration, wide: int) -> None:
    for rows, most in ((1, 3), (13, 0), (13, 3), (41, 70)):
        given = data(rows, most, 11, wide)
        program = traced(function, tuple(given))
        code = in_grids(program, levels, given)
        expected = [a.copy() for a in given]
        function(*expected)
        for code.seed in (None, 1):
            found = [a.copy() for a in given]
            code(*found)
            np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("function", [product, with_matrix, largest, gathered])
def test_the_model_takes_blocks(function: Callable[..., None], opencl: Any) -> None:
    """Threads share rows; on the interpreter and on PoCL, in one way for all lengths of rows."""
    for rows, most in ((13, 3), (41, 70)):
        given = data(rows, most, 11, 19 if function is with_matrix else 0)
        expected = [a.copy() for a in given]
        function(*expected)
        program = traced(function, tuple(given))
        code = in_grids(program, None, given)
        code(*(found := [a.copy() for a in given]))
        np.testing.assert_array_equal(found[0], expected[0])
        grids = [s for k in code.kernels for s in statements(k.body) if isinstance(s, Grid)]
        own = [g for g in grids if any(isinstance(s, Store) and s.buffer == "y" for s in statements(g.body))]
        assert own and all("BLK" in g.comment for g in own)
        with mdh.config(machine="sm_90"):
            mdh.jit(target="opencl", cache=False)(function)(*given)
        np.testing.assert_array_equal(given[0], expected[0])


def test_a_row_that_leads_outside() -> None:
    """Nothing is written, and it is an error."""
    given = data(41, 20, 11)
    before = given[0].copy()
    given[2][int(given[1][-1]) // 2] = 11
    with pytest.raises(BoundsError):
        in_grids(traced(product, tuple(given)), BY_WARPS, given)(*given)
    np.testing.assert_array_equal(given[0], before)


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        (configuration(("BLK", "i", 4), ("THR", "i", 1), ("BLK", "k", 32), ("THR", "k", 1)), "blocks share k"),
        (configuration(("BLK", "i", 4), ("THR", "i", 1), ("DEV", "k", 4), ("REG", "k", 1)), "several points of i, k"),
        (configuration(("BLK", "i", 4), ("REG", "i", 1), ("DEV", "k", 4), ("THR", "k", 1)), "several points of i, k"),
        (configuration(("BLK", "i", 4), ("THR", "i", 1), ("THR", "k", 1)), "k"),
    ],
)
def test_refused(levels: Configuration, reason: str) -> None:
    given = data(5, 4, 11)
    with pytest.raises(AssertionError, match=reason):
        in_grids(traced(product, tuple(given)), levels, given)
