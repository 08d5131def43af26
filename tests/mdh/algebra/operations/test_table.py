"""The table of operations: what a row says is what NumPy and Python do."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from jitmdh.base.dtype import SCALAR_TYPES, bool_, float32, float64
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.scalar_op import ScalarOp
from jitmdh.mdh.algebra.operations.table import ASSOCIATIVE, COMPARISONS, OPERATIONS, ROWS

OF_MATH = [row for row in ROWS if row.math is not None]
FLOATS = [0.0, -0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 20.5, 171.0, 171.7, 709.0, 710.0, 1e10, 1e300, 5e-324, np.inf]
FLOATS = [*FLOATS, *(-x for x in FLOATS), np.nan]


def name(row: ScalarOp) -> str:
    return row.name


def test_no_name_stands_for_two_operations() -> None:
    for names in ([row.name for row in ROWS], [n for row in ROWS for n in row.numpy]):
        assert len(names) == len(set(names))
    assert all(row.c or row.units is None for row in ROWS), "what is computed by a function has a name in C's library"


@pytest.mark.parametrize("row", OF_MATH, ids=name)
def test_math_raises_where_the_row_says_so(row: ScalarOp) -> None:
    """ValueError outside of the domain, OverflowError for what is too large; elsewhere both have the same result."""
    known, meaning = row.math, row.meaning
    assert known is not None and meaning is not None
    given = [a.ravel() for a in np.meshgrid(*[np.array(FLOATS)] * row.arity)]
    nowhere = np.zeros(len(given[0]), bool)
    with np.errstate(all="ignore"):
        results = meaning(*given)
        wrong = nowhere if known.outside is None else known.outside(results, *given)
        large = nowhere if known.overflow is None else known.overflow(results, *given) & ~wrong
    for result, outside, over, *operands in zip(results, wrong, large, *given):
        try:
            expected = getattr(math, known.name)(*map(float, operands))
        except ValueError:
            assert outside or (known.whole and np.isnan(operands[0])), operands
        except OverflowError:
            assert over or (known.whole and np.isinf(operands[0])), operands
        else:
            assert not outside and not over, operands
            np.testing.assert_allclose(float(result), float(expected), rtol=1e-13, err_msg=str(operands))


@pytest.mark.parametrize("op", sorted(COMPARISONS))
def test_comparisons_negated_and_mirrored(op: str) -> None:
    row = OPERATIONS[op]
    compare, negation, mirror = (getattr(operator, o) for o in (op, row.negation, row.mirror))
    for a, b in ((1, 2), (2, 2), (3, 2)):
        assert compare(a, b) == (not negation(a, b)) == mirror(b, a)


@pytest.mark.parametrize("op", ASSOCIATIVE)
def test_associative_and_distributive(op: str) -> None:
    """On small integers, which nothing rounds."""
    row = OPERATIONS[op]
    x = np.arange(-3, 4)
    a, b, c = np.meshgrid(x, x, x)
    assert row.meaning is not None
    np.testing.assert_array_equal(row.meaning(row.meaning(a, b), c), row.meaning(a, row.meaning(b, c)))
    for other in row.distributes_over:
        over = OPERATIONS[other].meaning
        assert over is not None
        np.testing.assert_array_equal(row.meaning(a, over(b, c)), over(row.meaning(a, b), row.meaning(a, c)))


@pytest.mark.parametrize("row", [row for row in ROWS if row.of_bools], ids=name)
def test_what_numpy_makes_of_bools(row: ScalarOp) -> None:
    x = np.array([False, True])
    a, b = np.meshgrid(x, x)
    other = OPERATIONS[row.of_bools].meaning
    assert row.meaning is not None and other is not None
    np.testing.assert_array_equal(row.meaning(a, b), other(a, b))


def test_bounds_are_those_of_functions_of_floats() -> None:
    for row in ROWS:
        if row.units is not None:
            assert "f" in row.kinds and row.cost > 1
            assert {result_type(row.name, *[t] * row.arity) for t in (float32, float64)} == {float32, float64}
    assert all(result_type(op, t, t) == bool_ for op in COMPARISONS for t in SCALAR_TYPES)
