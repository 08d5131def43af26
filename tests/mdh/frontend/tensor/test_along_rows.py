"""Columns beyond the last full vector: along the rows of a result, where that is less work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.jit.compilation.pipeline import interpret
from jitmdh.jit.tensor import Kernel
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.frontend.tensor.check import check as check_formulas
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.notation.expr import Assignment, Tensor
from jitmdh.mdh.frontend.tensor.program import lower
from jitmdh.mdh.tensor.vectors import ANY, Vectors


def product(rows: int, columns: int, density: float, type: Any = np.float64) -> tuple[list[Assignment], dict[str, Any]]:
    """`Q["kq"] <= Q["kq"] + K["kl"] * t["lq"]`, K a constant with known zeros, and arrays for Q and t. Eight rows that
    follow each other mostly have the same terms."""
    numbers = np.random.default_rng(rows + columns)
    shared = np.repeat(numbers.random((-(-rows // 8), rows)) < density, 8, axis=0)[:rows]
    known = shared & (numbers.random((rows, rows)) < 0.9)
    values = numbers.integers(1, 5, (rows, rows)) * known
    result, factor = Tensor("Q", (rows, columns), type), Tensor("t", (rows, columns), type)
    constant = Tensor("K", values=np.asarray(values, type))
    given = {n: np.asarray(numbers.integers(-4, 5, (rows, columns)), type) for n in "Qt"}
    return [result["kq"] <= result["kq"] + constant["kl"] * factor["lq"]], given


def tables(
    statements: list[Assignment], for_batches: bool = False, vectors: Vectors = ANY
) -> list[tuple[int, ...]]:  # fmt: skip
    """Shapes of the constants that are tables of vectors."""
    lowered = lower(check_formulas(statements), "program", for_batches, vectors=vectors)
    return [array.shape for name, array in lowered.constants.items() if name.startswith("row")]


@pytest.mark.parametrize(("columns", "density"), [(9, 0.5), (10, 0.6), (13, 0.5), (17, 0.7)])
@pytest.mark.parametrize("compiled", [False, True])
def test_values_are_the_same(columns: int, density: float, compiled: bool) -> None:
    statements, given = product(20, columns, density)
    checked = check_formulas(statements)
    lowered = lower(checked, "program")
    assert tables(statements), "nothing goes along the rows"
    expected = run(checked, given)["Q"]
    if compiled:
        Kernel("program", statements)(**given)
    else:
        check(lowered.program)
        interpret(lowered.program, (*(given[t.name] for t in lowered.tensors), *lowered.constants.values()))
    np.testing.assert_array_equal(given["Q"], expected)


def test_what_is_absent_takes_no_part() -> None:
    """Rows of a vector that do not have a term stay what they are, whatever the other factor is there."""
    statements, given = product(20, 9, 0.5)
    given["t"][7] = np.inf
    given["Q"][::2] = -0.0
    expected = run(check_formulas(statements), given)["Q"]
    assert not np.isfinite(expected).all() and np.isfinite(expected).any()
    Kernel("program", statements)(**given)
    np.testing.assert_array_equal(given["Q"], expected)


def test_only_where_it_is_less_work() -> None:
    """Not where vectors are full, terms are few, elements are on the lanes, or tables would fill a cache that
    is not left fast enough."""
    assert tables(product(20, 9, 0.5)[0]) == [(tables(product(20, 9, 0.5)[0])[0][0], 8)]
    assert tables(product(20, 17, 0.6, np.float32)[0])[0][1] == 16
    assert not tables(product(20, 16, 0.5)[0])
    assert not tables(product(20, 7, 0.5)[0])
    assert not tables(product(20, 9, 0.05)[0])
    assert not tables(product(60, 9, 0.5)[0])
    assert tables(product(60, 9, 0.5)[0], vectors=Vectors(streamed=2.1)), "an L2 cache is fast enough"
    assert not tables(product(120, 9, 0.6)[0], vectors=Vectors(streamed=1.0))
    assert not tables(product(20, 9, 0.5, np.int64)[0])
    assert not tables(product(20, 9, 0.5)[0], for_batches=True)
