"""Batches in which each element says which member of a family it wants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError

SHAPE = (4, 3)
NUMBERS = np.random.default_rng(1)
CONSTANTS = [
    [(NUMBERS.random((5, 5)) < 0.4) * NUMBERS.integers(1, 5, (5, 5)) * 1.0 for _ in range(3)] for _ in range(4)
]
STAR = np.eye(3, dtype=bool)

Q, I, A = mt.Tensor("Q", (5, 3)), mt.Tensor("I", (5, 3)), mt.Tensor("A", (3, 3), pattern=STAR)
y = mt.Tensor("y", (5, 3))


def flux() -> mt.Family:
    def member(i: int, h: int) -> mt.Assignment:
        constant = mt.Tensor(f"F{i}{h}", values=CONSTANTS[i][h])
        return Q["kp"] <= Q["kp"] + constant["kl"] * I["lq"] * A["qp"]

    return mt.family("flux", SHAPE, member)


FLUX = flux()


def arrays(elements: int, seed: int = 0) -> dict[str, Any]:
    numbers = np.random.default_rng(seed)
    whole = {n: numbers.integers(-4, 5, (elements, 5, 3)).astype(float) for n in ("Q", "I")}
    return {**whole, "A": STAR * numbers.integers(-4, 5, (3, 3)).astype(float)}


def members(elements: int, order: str) -> tuple[Any, Any]:
    """Member numbers of elements: scattered, sorted so that each member's stand together, or all of one."""
    numbers = np.random.default_rng(elements)
    chosen = numbers.integers(0, 12, elements)
    chosen = {"scattered": chosen, "sorted": np.sort(chosen), "one": np.full(elements, 7)}[order]
    return chosen // 3, (chosen % 3).astype(np.uint8)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("order", ["scattered", "sorted", "one"])
@pytest.mark.parametrize("elements", [0, 1, 7, 8, 9, 10_007])
def test_elements_get_what_their_members_compute(elements: int, order: str) -> None:
    """P12: a batch with members is a loop of `family[m]`; bit for bit for whole numbers."""
    face, rotation = members(elements, order)
    given = arrays(elements)
    want = given["Q"] + np.array(
        [CONSTANTS[i][h] @ x @ given["A"] for i, h, x in zip(face, rotation, given["I"])]
    ).reshape(-1, 5, 3)
    FLUX.batched("e", shared=("A",), member=(face, rotation))(**given)
    np.testing.assert_array_equal(given["Q"], want)


def test_a_batch_with_members_is_a_loop_of_members() -> None:
    face, rotation = members(40, "scattered")
    given, other = arrays(40), arrays(40)
    FLUX.batched("e", shared="A", member=(face, rotation))(**given)
    for e in range(40):
        FLUX[int(face[e]), int(rotation[e])](other["Q"][e], other["I"][e], other["A"])
    np.testing.assert_array_equal(given["Q"], other["Q"])


def test_what_is_left_out_is_made_for_all_elements() -> None:
    scaled = mt.family("scaled", (3,), lambda n: y["kp"] <= (n + 1) * I["kp"])
    inputs = arrays(9)["I"]
    found = scaled.batched(member=np.arange(9) % 3)(I=inputs)
    np.testing.assert_array_equal(found, inputs * (np.arange(9) % 3 + 1).reshape(-1, 1, 1))
    assert scaled.batched(member=np.zeros(0, int))(I=inputs[:0]).shape == (0, 5, 3)


def test_members_are_compiled_when_elements_ask_for_them() -> None:
    asked: list[int] = []

    def member(n: int) -> mt.Assignment:
        asked.append(n)
        return y["kp"] <= n * I["kp"]

    batch = mt.family("asked", (100,), member).batched(member=np.array([3, 50, 3]))
    batch(I=arrays(3)["I"])
    batch(I=arrays(3)["I"])
    assert asked == [3, 50]


@pytest.mark.parametrize(
    ("member", "error", "message"),
    [
        (([0, 4], [0, 0]), IndexError, r"element 1 asks for \[4, 0\], the family has the shape \(4, 3\)"),
        (([0, 1], [0, -1]), IndexError, r"element 1 asks for \[1, -1\]"),
        (([0, 1],), ArgumentTypeError, "1 arrays of members"),
        (([0.5, 1], [0, 0]), ArgumentTypeError, "members are integers, one for each element; got float64"),
        (([0, 1], [0]), ArgumentValueError, "members for 2 elements, and for 1"),
    ],
)
def test_members_that_do_not_exist(member: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        FLUX.batched(member=tuple(map(np.array, member)))


def test_wrong_arguments_are_errors_before_anything_is_written() -> None:
    """Also where the mistake is in an element of the last member."""
    face, rotation = members(50, "scattered")
    batch = FLUX.batched(member=(face, rotation))
    given = arrays(50)
    given["A"] = np.repeat(given["A"][None], 50, 0)
    last = int(np.flatnonzero((face == face.max()) & (rotation == rotation[face == face.max()].max()))[-1])
    wrong = given["A"].copy()
    wrong[last, 0, 2] = 3.0
    before = given["Q"].copy()
    for change, error, message in (
        ({"A": wrong}, ArgumentValueError, rf"A\[{last}, 0, 2\] is 3.0"),
        ({"I": given["I"][1:]}, ArgumentValueError, r"got \(49, 5, 3\)"),
        ({"x": 1}, ArgumentTypeError, "the argument x was given, which no member takes"),
        ({"I": given["Q"]}, ArgumentValueError, "Q shares memory with I"),
        ({"I": mt.zeros(I, batch=50)}, ArgumentTypeError, "where an array is wanted"),
    ):
        with pytest.raises(error, match=message):
            batch(**(given | change))
    with pytest.raises(ArgumentTypeError, match="the tensor I was not given"):
        batch(Q=given["Q"], A=given["A"])
    np.testing.assert_array_equal(given["Q"], before)
