"""Batches by lists of numbers: some elements only, and operands of other elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, BoundsError

F = np.array([[1.0, 0, 2], [0, 0, 3], [4, 0, 0]])
Q, I, A = mt.Tensor("Q", (3, 2)), mt.Tensor("I", (3, 2)), mt.Tensor("A", (2, 2), pattern=np.eye(2, dtype=bool))
FLUX = mt.kernel("flux", Q["kp"] <= Q["kp"] + mt.Tensor("F", values=F)["kl"] * I["lq"] * A["qp"])
BATCH = FLUX.batched


def arrays(elements: int, others: int, seed: int = 0) -> dict[str, Any]:
    numbers = np.random.default_rng(seed)
    a = np.eye(2) * numbers.integers(-4, 5, (elements, 2, 2))
    q, i = (numbers.integers(-4, 5, (n, 3, 2)).astype(float) for n in (elements, others))
    return {"Q": q, "I": i, "A": a}


@pytest.mark.in_turns(2)
@given(st.data())
def test_lists_are_a_loop_of_calls(data: st.DataObject) -> None:
    """P12: bit for bit for whole numbers, in any order; elements that no list has stay as they are."""
    count, others = data.draw(st.integers(0, 20), "elements"), data.draw(st.integers(1, 9), "others")
    chosen = data.draw(st.none() | st.lists(st.integers(0, count - 1), unique=True) if count else st.none(), "chosen")
    rows = data.draw(st.none() | st.lists(st.integers(0, others - 1), min_size=count, max_size=count), "rows")
    ours = arrays(count, count if rows is None else others)
    wanted = {n: a.copy() for n, a in ours.items()}
    for e in range(count) if chosen is None else chosen:
        wanted["Q"][e] += F @ wanted["I"][e if rows is None else rows[e]] @ wanted["A"][e]
    assert BATCH(elements=chosen, gathered={} if rows is None else {"I": rows})(**ours) is None
    for name, array in wanted.items():
        np.testing.assert_array_equal(ours[name], array)


def test_lists_are_taken_as_they_are() -> None:
    """What the caller does to a list later has no effect."""
    chosen, ours = np.array([1]), arrays(3, 3)
    before, listed = ours["Q"].copy(), BATCH(elements=chosen)
    chosen[0] = 0
    listed(**ours)
    np.testing.assert_array_equal(ours["Q"][[0, 2]], before[[0, 2]])


def test_numbers_of_no_element_write_nothing() -> None:
    for numbers in ([0, 3], [-1, 0], np.array([3], np.uint8)):
        ours = arrays(3, 3)
        before = ours["Q"].copy()
        with pytest.raises(BoundsError, match="there are 3 elements"):
            BATCH(elements=numbers)(**ours)
        np.testing.assert_array_equal(ours["Q"], before)
    with pytest.raises(BoundsError, match=r"gathered\['I'\]: number 2 at position 1, there are 2 elements"):
        BATCH(gathered={"I": [0, 2, 0]})(**arrays(3, 2))


def test_numbers_where_a_gathered_operand_has_known_zeros() -> None:
    ours = arrays(3, 3)
    ours["A"][1, 0, 1] = 5
    BATCH(elements=[0, 2])(**ours)
    with pytest.raises(ArgumentValueError, match=r"A\[1, 0, 1\] is 5.0"):
        BATCH(gathered={"A": [1, 0, 2]})(**ours)


def test_refusals() -> None:
    with pytest.raises(ArgumentValueError, match="element 1 is there more than once"):
        BATCH(elements=[1, 0, 1])
    with pytest.raises(ArgumentTypeError, match="a list of integers is wanted, got float64"):
        BATCH(elements=[0.5])
    with pytest.raises(ArgumentValueError, match="Q cannot be gathered, since the kernel writes it"):
        BATCH(gathered={"Q": [0]})
    with pytest.raises(ArgumentValueError, match="X cannot be gathered, since it is no tensor"):
        BATCH(gathered={"X": [0]})
    with pytest.raises(ArgumentValueError, match="different lengths"):
        BATCH(gathered={"I": [0], "A": [0, 0]})
    ours = arrays(3, 3)
    with pytest.raises(ArgumentValueError, match="shares memory"):
        BATCH(gathered={"I": [1, 2, 0]})(Q=ours["Q"], I=ours["Q"], A=ours["A"])
    y = mt.Tensor("y", (3, 2))
    doubled = mt.kernel("doubled", y["kp"] <= 2 * I["kp"]).batched
    with pytest.raises(ArgumentTypeError, match="the tensor y was not given"):
        doubled(elements=[0])(I=ours["I"])
    np.testing.assert_array_equal(doubled(gathered={"I": [2, 0, 0]})(I=ours["I"]), 2 * ours["I"][[2, 0, 0]])


def test_batches_of_sizes_are_asked_for_one_extent() -> None:
    n = mt.size("n")
    a, b = mt.Tensor("a", (n, 3)), mt.Tensor("b", (n,))
    sums = mt.kernel("sums", b["i"] <= b["i"] + a["ij"])
    rows, totals = np.arange(24.0).reshape(2, 4, 3), np.zeros((2, 4))
    with pytest.raises(ArgumentTypeError, match="depends on the sizes n"):
        sums.batched(elements=[1])
    fixed: Any = sums.at(n=4)
    fixed.batched(elements=[1])(a=rows, b=totals)
    np.testing.assert_array_equal(totals, [np.zeros(4), rows[1].sum(axis=1)])
