"""Steps whose results nothing reads are left out; all others stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitmdh import tensor as mt
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.frontend.tensor.check import check
from jitmdh.mdh.frontend.tensor.program import lower

ABOVE = np.broadcast_to(np.arange(6)[:, None] < 4, (6, 5))
A, Q = mt.Tensor("A", (6, 5), pattern=ABOVE), mt.Tensor("Q", (6, 5))
t, u = mt.temporary("t", (6, 5)), mt.temporary("u", (6, 5))


def written(assignments: list[Any]) -> list[str]:
    """What the steps write."""
    return [str(e.out_view[0]) for e in expressions(lower(check(assignments), "f").program.steps)]


def test_zeros_of_a_temporary_that_nobody_reads_are_not_written() -> None:
    used = [t["ij"] <= 2 * A["ij"], Q["ij"] <= Q["ij"] + 3 * t["ij"]]
    assert written(used) == ["t[i, j]", "Q[i, j]", "Q[i + 4, j]"]


def test_temporaries_that_only_such_temporaries_need_are_gone_with_them() -> None:
    assert written([t["ij"] <= 2 * Q["ij"], u["ij"] <= 3 * t["ij"], Q["ij"] <= A["ij"] + Q["ij"]])[0].startswith("Q[")


def test_what_comes_out_is_written_everywhere() -> None:
    B = mt.Tensor("B", (6, 5))
    kernel = mt.kernel("both", [B["ij"] <= 2 * A["ij"], Q["ij"] <= Q["ij"] + B["ij"]])
    a, b, q = ABOVE * np.arange(30.0).reshape(6, 5), np.full((6, 5), 7.0), np.ones((6, 5))
    kernel(A=a, B=b, Q=q)
    np.testing.assert_array_equal(b, 2 * a)
    np.testing.assert_array_equal(q, 1 + 2 * a)


def test_what_is_read_elsewhere_by_one_point_only_is_written() -> None:
    """Row 5 of `t`, which is zero, is read by a fixed subscript."""
    v = mt.Tensor("v", (5,))
    statements = [t["ij"] <= 2 * A["ij"], v["j"] <= t["ij"].at(i=5) + 1.0, Q["ij"] <= t["ij"] + Q["ij"]]
    kernel = mt.kernel("row", statements)
    a, row, q = ABOVE * np.arange(30.0).reshape(6, 5), np.zeros(5), np.ones((6, 5))
    kernel(A=a, v=row, Q=q)
    np.testing.assert_array_equal(row, np.ones(5))
    np.testing.assert_array_equal(q, 1 + 2 * a)
