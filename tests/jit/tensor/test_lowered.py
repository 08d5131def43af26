"""Batches of arrays: elements on vector lanes, or one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.jit.tensor.lowered import moves_more

random = np.random.default_rng(7)
STAR = random.random((5, 5)) < 0.4


def products(count: int) -> mt.Kernel:
    """So many products of an array with known matrices, each in a temporary, of which the last is added to Q."""
    Q, S = mt.Tensor("Q", (6, 5)), mt.Tensor("S", (5, 5), pattern=STAR)
    t = [mt.temporary(f"t{n}", (6, 5)) for n in range(count)]
    numbers = [mt.Tensor(f"K{n}", values=random.integers(-3, 4, (6, 6)) * 1.0) for n in range(count)]
    steps = [r["kp"] <= K["kl"] * before["lp"] for r, K, before in zip(t, numbers, [Q, *t])]
    made: mt.Kernel = mt.kernel("products", [*steps, Q["kp"] <= Q["kp"] + t[-1]["kq"] * S["qp"]])
    return made


@pytest.mark.parametrize(("count", "one_by_one"), [(1, True), (60, False)])
def test_lanes_have_to_be_worth_it(count: int, one_by_one: bool) -> None:
    lowered = products(count).lowered_for_batches
    assert moves_more(lowered, ()) == one_by_one


def test_what_is_shared_is_not_moved() -> None:
    lowered = products(1).lowered_for_batches
    assert moves_more(lowered, ()) and not moves_more(lowered, ("Q", "S"))


@pytest.mark.parametrize("elements", [0, 1, 7, 8, 9, 67])
def test_a_batch_is_as_many_calls(elements: int) -> None:
    kernel = products(1)
    values: dict[str, Any] = {"Q": random.integers(-4, 5, (elements, 6, 5)) * 1.0}
    values["S"] = random.integers(1, 5, (elements, 5, 5)) * STAR * 1.0
    expected = values["Q"].copy()
    for e in range(elements):
        kernel(Q=expected[e], S=values["S"][e])
    batch = kernel.batched()
    batch(**values)
    np.testing.assert_array_equal(values["Q"], expected)
    if elements:
        assert "parallel for" in batch.inspect(**values, stage="kernel")


def test_listed_elements_are_computed_one_after_the_other() -> None:
    kernel, numbers = products(1), np.array([4, 1, 3])
    Q, S = random.integers(-4, 5, (6, 6, 5)) * 1.0, random.integers(1, 5, (6, 5, 5)) * STAR * 1.0
    expected = Q.copy()
    for e in numbers:
        kernel(Q=expected[e], S=S[e])
    kernel.batched(elements=numbers)(Q=Q, S=S)
    np.testing.assert_array_equal(Q, expected)


@pytest.mark.parametrize("first", ["arrays", "blocks"])
def test_arrays_and_blocks_may_have_other_constants(first: str) -> None:
    """Each code gets its own tables, also in native calls."""
    star = np.zeros((9, 9), bool)
    star[:6, 6:], star[6:, :6] = random.random((6, 3)) < 0.7, random.random((3, 6)) < 0.7
    Q, S = mt.Tensor("Q", (10, 9)), mt.Tensor("S", (9, 9), pattern=star)
    batch = mt.kernel("product", mt.Tensor("R", (10, 9))["kp"] <= Q["kq"] * S["qp"]).batched()
    q, s = random.integers(-4, 5, (9, 10, 9)) * 1.0, random.integers(1, 5, (9, 9, 9)) * star * 1.0
    blocks = {"Q": mt.zeros(Q, batch=9).pack(q), "S": mt.zeros(S, batch=9).pack(s)}
    for kind in 2 * [first, "blocks" if first == "arrays" else "arrays"]:
        given = {"Q": q, "S": s} if kind == "arrays" else blocks
        np.testing.assert_array_equal(np.asarray(batch(**given)), q @ s)
