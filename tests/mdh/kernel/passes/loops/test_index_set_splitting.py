"""Loops whose index decides what is chosen, before and after they are split there."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply, spread
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    Iota,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Splat,
    Statement,
    Store,
)
from jitmdh.mdh.kernel.passes.loops.index_set_splitting import split_index_sets
from jitmdh.mdh.kernel.rewrite import statements
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text, written

J, N, I = number("j"), number("n"), number("i")
ZEROS = Splat(Literal(0.0, float32), float32, 4)


def chosen(op: str, offset: int, lane: int, index: int = 1, limit: int = 1) -> Apply:
    """Four elements of x where `index * j - i + offset + lane * l op limit` in lane l."""
    scalar = add(add(multiply(J, integer(index)), multiply(I, integer(-1))), integer(offset))
    lanes = Apply("add", (spread(scalar, 4), Apply("mul", (Iota(4), spread(integer(lane), 4)), int64, 4)), int64, 4)
    loaded = Load("x", J, float32, 4)
    return Apply("select", (compare(op, lanes, spread(integer(limit), 4)), loaded, ZEROS), float32, 4)


def loop(*values: Apply, begin: int = 0, step: int = 4) -> For:
    """Stores what is chosen, in order, and adds it up."""
    inside: list[Statement] = []
    for n, value in enumerate(values):
        name, acc = real(f"v{n}", lanes=4), real("acc", lanes=4)
        inside += [Let(name, value), Assign(acc, Apply("add", (acc, name), float32, 4)), Store("y", J, name)]
    return For(J, integer(begin), N, integer(step), tuple(inside))


def around(one: For, n: int, i: int) -> tuple[Statement, ...]:
    acc = real("acc", lanes=4)
    given = Let(N, integer(n)), Let(I, integer(i)), Declare(acc, ZEROS)
    return (*given, one, Store("y", integer(80), acc), Return(integer(0)))


def test_golden() -> None:
    before = kernel(*around(loop(chosen("le", 0, 1)), 40, 9))
    clamped = "max(min(i, 72057594037927936), -72057594037927936)"  # the ends of loops do not wrap around
    assert body(split_index_sets(before)).replace(clamped, "CLAMPED") == text("""
        const long n = 40;
        const long i = 9;
        float4 acc = 0.0f;
        const long split.1 = ((max(min((-1 - (CLAMPED * -1)), n), 0) + 3) / 4) * 4;
        const long split.2 = max(split.1, (((max(min((2 - (CLAMPED * -1)), n), 0) + 3) / 4) * 4));
        for (long j.1 = 0; j.1 < min(split.1, n); j.1 += 4) {
            const float4 v0.1 = load4(&x[j.1]);
            acc = acc + v0.1;
            store4(&y[j.1], v0.1);
        }
        for (long j = split.1; j < min(split.2, n); j += 4) {
            const float4 v0 = (((splat4(j + (i * -1)) + (iota4 * 1)) <= 1) ? load4(&x[j]) : 0.0f);
            acc = acc + v0;
            store4(&y[j], v0);
        }
        for (long j.2 = split.2; j.2 < n; j.2 += 4) {
            const float4 v0.2 = 0.0f;
            acc = acc + v0.2;
            store4(&y[j.2], v0.2);
        }
        store4(&y[80], acc);
        return status;
    """)


@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge"])
@pytest.mark.parametrize("lane, index", [(1, 1), (-1, 1), (0, -1), (3, -1)])
def test_the_same_is_computed(op: str, lane: int, index: int) -> None:
    for i, n, step, begin in [*product((-50, -7, 0, 3, 18, 60), (0, 41), (4,), (0,)), (-9, 30, 3, 2), (17, 40, 5, 6)]:
        at = i if index > 0 else -i
        given = kernel(
            *around(loop(chosen(op, 0, lane, index), chosen(op, -2, lane, index), begin=begin, step=step), n, at)
        )
        split = split_index_sets(given)
        assert sum(isinstance(s, For) for s in statements(split.body)) == 3
        assert np.array_equal(written(given, 0), written(split, 0)), (i, n, step, begin)


def neighbours(sign: int, at: int, begin: int, step: int = 1) -> For:
    """In order, an element of each round is added to another one, where both are there: `sign * j <= n + at`."""
    known = Name("known", bool_)
    there = Apply("and", (known, compare("le", multiply(J, integer(sign)), add(N, integer(at)))), bool_)
    old, near = Load("y", J, float32, mask=there), Load("x", J, float32, mask=compare("ge", J, integer(2)))
    inside = (
        Let(real("old"), old),
        Let(real("near"), near),
        Let(real("new"), Apply("add", (real("old"), real("near")), float32)),
        Store("y", add(J, integer(1)), real("new"), mask=there),
        Assign(real("acc"), Apply("add", (real("acc"), real("old")), float32)),
    )
    return For(J, integer(begin), N, integer(step), inside)


@pytest.mark.parametrize("sign, at", [(1, -2), (1, 4), (1, -40), (-1, -12), (-1, 3)])
def test_elements_that_are_not_there_for_a_few_rounds(sign: int, at: int) -> None:
    """One element at a time: two loops for each condition, since no round is both."""
    for n, begin, step, known in product((0, 1, 2, 9), (0, 1, 3), (1, 2), (True, False)):
        one = neighbours(sign, at, begin, step)
        given = kernel(
            Let(N, integer(n)),
            Let(Name("known", bool_), compare("lt", integer(0), integer(int(known)))),
            Declare(real("acc"), ZEROS.value),
            one,
            Store("y", integer(80), real("acc")),
            Return(integer(0)),
        )
        split = split_index_sets(given)
        loops = [s for s in statements(split.body) if isinstance(s, For)]
        assert 1 < len(loops) <= (4 if step == 1 else 9)
        assert np.array_equal(written(given, 0), written(split, 0)), (n, begin, step, known)


def test_what_is_not_split() -> None:
    twice, equal = chosen("le", 0, 1, index=2), chosen("eq", 0, 1)
    ends_itself = For(J, integer(0), number("v0"), integer(4), loop(chosen("le", 0, 1)).body)
    for one in (loop(twice), loop(equal), ends_itself):
        before = kernel(*around(one, 40, 9))
        assert split_index_sets(before) is before
