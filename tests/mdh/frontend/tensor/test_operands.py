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
    made: mt.Kernel = mt.kernel("product", mt.Tensor("R", (rows, N))["kp"] <= D["kq"] * S["qp"])
    return made


def of_sums(rows: int) -> mt.Kernel:
    """A matrix of numbers times an array, to `rows` rows, times a matrix of two blocks."""
    numbers = np.arange(1.0, 2 * rows * rows + 1).reshape(rows, 2 * rows)
    T, D = mt.Tensor("T", values=numbers), mt.Tensor("D", (2 * rows, N))
    S = mt.Tensor("S", (N, N), pattern=STAR)
    made: mt.Kernel = mt.kernel("of_sums", mt.Tensor("R", (rows, N))["kp"] <= T["kl"] * D["lq"] * S["qp"])
    return made


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


@pytest.mark.parametrize(("half", "expected"), [(1.0, "unrolled"), (0.5, "blocks")])
def test_boxes_of_few_rows_take_halves_of_vectors(half: float, expected: str) -> None:
    assert chosen(product(20, 20), Vectors(half=half)) == expected
    assert len(boxes((("q", "p"), STAR), ("k", "p"), ("q",), lambda _: (0, N), 8, half)) == 2


@pytest.mark.parametrize("rows", [3, 10, 35])
def test_columns_shorter_than_many_lanes_are_not_collected(rows: int) -> None:
    D, S = mt.Tensor("D", (rows, N), np.float32), mt.Tensor("S", (N, N), np.float32, pattern=STAR)
    kernel = mt.kernel("product", mt.Tensor("R", (rows, N), np.float32)["kp"] <= D["kq"] * S["qp"])
    assert chosen(kernel, ANY) != "unrolled"


def several(rows: int) -> mt.Kernel:
    """The sum of three products with matrices of two blocks, which have an index in common."""
    factors = [(mt.Tensor(f"D{n}", (rows, N)), mt.Tensor(f"S{n}", (N, N), pattern=STAR)) for n in range(3)]
    made: mt.Kernel = mt.kernel(
        "several", mt.Tensor("R", (rows, N))["kp"] <= sum(D["kq"] * S["qp"] for D, S in factors)
    )
    return made


@pytest.mark.parametrize("rows", [2, 10])
def test_several_sums_in_a_box_are_one_chain(rows: int) -> None:
    """They were an array each, added up by the last."""
    kernel = several(rows).with_pattern(S0="blocks", S1="blocks", S2="blocks")
    program = kernel.lowered.program
    assert not program.allocations and len(program.steps) <= 3
    random = np.random.default_rng(3)
    D, S = random.integers(-4, 5, (3, rows, N)) * 1.0, random.integers(1, 5, (3, N, N)) * STAR * 1.0
    D[0, 0, 0] = np.inf  # only columns 6 to 8 have a term with it
    given = {f"D{n}": D[n] for n in range(3)} | {f"S{n}": S[n] for n in range(3)}
    terms = [
        [sum(D[n, k, q] * S[n, q, p] for n in range(3) for q in range(N) if STAR[q, p]) for p in range(N)]
        for k in range(rows)
    ]
    np.testing.assert_array_equal(kernel(**given), terms)


def test_what_is_added_up_lies_as_the_results() -> None:
    """Not with the results' first index innermost, where lanes go along their last one."""
    kernel = several(10).with_pattern(S0="blocks", S1="box", S2="box")
    assert {str(a.shape[-1]) for a in kernel.lowered.program.allocations} <= {str(N)}
