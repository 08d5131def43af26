"""How sums leave known zeros out where nothing is said: the mask that leaves the fewest terms, and the price."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.suites.aderdg import STAR
from jitmdh import tensor as mt
from jitmdh.mdh.frontend.tensor.masks import boxes, points_in
from jitmdh.mdh.frontend.tensor.program import lower
from jitmdh.mdh.tensor.vectors import ANY, Vectors

N = 9


def product(rows: int, below: int) -> mt.Kernel:
    """`rows` rows, of which those from `below` on are zero, times a matrix of two blocks."""
    pattern = np.broadcast_to(np.arange(rows)[:, None] < below, (rows, N))
    D, S = mt.Tensor("D", (rows, N), pattern=pattern), mt.Tensor("S", (N, N), pattern=STAR)
    return mt.kernel("product", mt.Tensor("R", (rows, N))["kp"] <= D["kq"] * S["qp"])


def of_sums(rows: int) -> mt.Kernel:
    """A matrix of numbers times an array, to `rows` rows, times a matrix of two blocks."""
    numbers = np.arange(1.0, 2 * rows * rows + 1).reshape(rows, 2 * rows)
    T, D = mt.Tensor("T", values=numbers), mt.Tensor("D", (2 * rows, N))
    S = mt.Tensor("S", (N, N), pattern=STAR)
    return mt.kernel("of_sums", mt.Tensor("R", (rows, N))["kp"] <= T["kl"] * D["lq"] * S["qp"])


def test_points_in_parts_are_counted() -> None:
    parts = boxes((("q", "p"), STAR), ("k", "p"), ("q",), lambda name: (0, N), 8)
    assert len(parts) == 2
    assert points_in(parts, lambda name: (0, N)) == pytest.approx((6 * 3 + 3 * 6) / 81)


def test_of_two_masks_the_one_counts_that_leaves_fewer_terms() -> None:
    kernel = product(10, 7)
    assert chosen(kernel, ANY) == "blocks"
    values = np.random.default_rng(0).random
    D, S = values((10, N)) * (np.arange(10)[:, None] < 7), values((N, N)) * STAR
    np.testing.assert_allclose(kernel(D=D, S=S), D @ S, rtol=1e-13)


def chosen(kernel: mt.Kernel, vectors: Vectors) -> str:
    return lower(kernel.program, "program", vectors=vectors).operands["S"]


AVX2 = Vectors(32, masked=False)


@pytest.mark.parametrize(("rows", "expected"), [(1, "unrolled"), (10, "blocks"), (20, "unrolled"), (56, "unrolled")])
def test_rows_of_an_array_are_collected_where_they_are_many(rows: int, expected: str) -> None:
    assert chosen(product(rows, rows), ANY) == expected


@pytest.mark.parametrize("rows", [1, 10, 20])
def test_rows_that_are_sums_stay_rows(rows: int) -> None:
    assert chosen(of_sums(rows), ANY) == "blocks"


@pytest.mark.parametrize("rows", [4, 10, 20, 56])
def test_masks_cost_more_where_no_instruction_takes_them(rows: int) -> None:
    assert chosen(product(rows, rows), AVX2) == chosen(of_sums(rows), AVX2) == "unrolled"
