"""Prefetches of the next point of steps under one loop: each line once, where it varies, and only of what is far."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from jitmdh import tensor as mt
from jitmdh.base.dtype import float64
from jitmdh.mdh.codegen.next_point import with_next_point
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import For, Let, Load, Name, Prefetch, Statement, Store, Value
from jitmdh.mdh.kernel.rewrite import statements
from tests.hosts import as_on

E, L, AT = Name("e"), Name("l"), Name("at")
NUMBERS = np.random.default_rng(3).integers(-3, 4, (2, 12, 12)) * (np.random.default_rng(4).random((2, 12, 12)) < 0.4)


def load(buffer: str, offset: Value) -> Load:
    return Load(buffer, offset, float64, 8)


def prefetches(body: tuple[Statement, ...]) -> list[Prefetch]:
    return [s for s in statements(body) if isinstance(s, Prefetch)]


def loop(*body: Statement) -> For:
    return For(L, integer(0), integer(4), integer(1), body)


def row(constant: int) -> Value:
    return add(add(multiply(E, integer(96)), multiply(L, integer(8))), integer(constant))


def test_a_line_stands_in_the_loop_that_it_varies_with() -> None:
    inside = loop(
        Let(AT, multiply(E, integer(32))),
        Store("t", multiply(L, integer(8)), load("I", row(0))),
        Store("t", multiply(L, integer(8)), load("S", add(AT, integer(8)))),
    )
    nest, again = inside, loop(Store("Q", row(64), load("I", row(0))))
    outer, first, second = with_next_point([nest, again], E)
    assert outer == Prefetch("S", add(multiply(E, integer(32)), integer(40)), write=False)
    assert prefetches((first,)) == [Prefetch("I", row(96), write=False)]
    assert prefetches((second,)) == [Prefetch("Q", row(160), write=True)]  # the lines of I have been asked for


def test_steps_without_loops_ask_for_all_their_lines() -> None:
    """Vectors, and single elements once a line: of what is unrolled, each statement stands by itself."""

    def one(constant: int, lanes: int) -> Load:
        return Load("I", add(multiply(E, integer(96)), integer(constant)), float64, lanes)

    body: list[Statement] = [Let(Name(f"v{n}"), one(at, lanes)) for n, (at, lanes) in enumerate(
        [(0, 8), (8, 8), (9, 8), (20, 1), (21, 1), (23, 1), (24, 1)]
    )]  # fmt: skip
    places = [str(p.offset) for p in prefetches(tuple(with_next_point(body, E)))]
    assert places == [str(add(multiply(E, integer(96)), integer(96 + at))) for at in (0, 8, 20, 24)]
    inside = loop(Store("t", multiply(L, integer(8)), load("I", row(0))))
    assert not prefetches(tuple(with_next_point([*body, inside], E))[-1:])  # seen before


def test_single_elements_that_lie_in_one_line_for_several_points_have_none() -> None:
    for step, count in ((1, 0), (7, 0), (8, 1)):
        body = [Let(Name("v"), Load("x", multiply(E, integer(step)), float64))]
        assert len(prefetches(tuple(with_next_point(body, E)))) == count


def test_long_loops_have_none() -> None:
    for end in (integer(65), Name("n")):
        long = For(L, integer(0), end, integer(1), (Store("t", multiply(L, integer(8)), load("I", row(0))),))
        assert with_next_point([long], E) == [long]


def test_places_that_memory_says_have_none() -> None:
    at = Name("at")
    body = [Let(at, Load("rows", E, at.type)), Store("Q", add(multiply(E, integer(8)), at), load("I", at))]
    assert with_next_point(body, E) == body


def test_what_comes_from_memory_is_asked_for_and_nothing_else() -> None:
    Q, I, K = (
        mt.Tensor("Q", (12, 3)),
        mt.Tensor("I", (12, 3)),
        [mt.Tensor(f"K{n}", values=NUMBERS[n] * 1.0) for n in (0, 1)],
    )
    kernel = mt.kernel("two", [Q["kp"] <= Q["kp"] + K[0]["kl"] * I["lp"], Q["kp"] <= Q["kp"] + K[1]["kl"] * Q["lp"]])
    with as_on("sapphire-rapids"):
        batch = kernel.batched()
        near, far = ({n: mt.zeros(t, batch=count) for n, t in (("Q", Q), ("I", I))} for count in (64, 400_000))
        assert "prefetch" not in batch.inspect(**near, stage="kernel")
        text = batch.inspect(**far, stage="kernel")
    found = Counter(re.findall(r"prefetch(?:_to_write)?\((.*)\);", text))
    assert found and set(found.values()) == {1}


def test_values_are_those_of_batches_that_stay_near() -> None:
    Q, I, K = mt.Tensor("Q", (12, 3)), mt.Tensor("I", (12, 3)), mt.Tensor("K", values=NUMBERS[0] * 1.0)
    batch = mt.kernel("one", Q["kp"] <= Q["kp"] + K["kl"] * I["lp"]).batched()
    count = 30_001
    i = np.random.default_rng(5).integers(-9, 10, (count, 12, 3)).astype(float)
    stored_q, stored_i, q = mt.zeros(Q, batch=count), mt.zeros(I, batch=count).pack(i), np.ones((count, 12, 3))
    batch(Q=stored_q, I=stored_i)
    np.testing.assert_array_equal(np.asarray(stored_q), NUMBERS[0] @ i)
    batch(Q=q, I=i)
    np.testing.assert_array_equal(q, 1 + NUMBERS[0] @ i)
