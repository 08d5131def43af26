"""Strength reduction of what an innermost loop multiplies its index by, before and after."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply, subtract
from jitmdh.mdh.kernel.ir import Assign, Declare, For, If, Let, Load, Return, Statement, Store, Value
from jitmdh.mdh.kernel.passes.loops.strength_reduction import reduce_strength
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text, written

I, K, N, S, T = number("i"), number("k"), number("n"), number("s"), number("t")


def over(*inside: Statement, begin: int = 0, step: int = 1) -> For:
    return For(K, integer(begin), N, integer(step), inside)


def product(*factors: Value) -> Value:
    return apply("mul", *factors)


def test_golden() -> None:
    at = number("at")
    before = kernel(
        over(
            Let(at, add(product(K, S), I)),
            Store("y", multiply(K, integer(32)), Load("x", add(at, integer(1)), float32)),
            If(compare("lt", K, T), (Store("y", product(K, T), Load("x", multiply(K, integer(32)), float32)),)),
            begin=1,
            step=2,
        ),
    )
    assert body(reduce_strength(before)) == text("""
        long k.times1 = s + i;
        const long k.times1.step = s * 2;
        long k.times2 = 32;
        for (long k = 1; k < n; k += 2) {
            const long at = k.times1;
            y[k.times2] = x[at + 1];
            if (k < t) {
                y[k * t] = x[k.times2];
            }
            k.times1 = k.times1 + k.times1.step;
            k.times2 = k.times2 + 64;
        }
    """)


def test_what_is_counted_from_where_a_loop_begins() -> None:
    """As in panels of packed arrays, of which a loop over a block reads from the beginning."""
    panel = add(multiply(subtract(K, I), integer(6)), number("p"))
    loop = For(K, I, N, integer(2), (Store("y", panel, Load("x", product(subtract(K, T), S), float32)),))
    names = [Let(name, integer(n)) for name, n in ((I, 4), (N, 9), (S, 7), (T, 3), (number("p"), 2))]
    before = kernel(*names, loop, Return(integer(0)))
    after = reduce_strength(before)
    printed = body(after)
    assert "k.times1 = p;" in printed and "k.times1 = k.times1 + 12" in printed and "y[k.times1]" in printed
    assert "k.times2 = (i - t) * s" in printed and "x[k.times2]" in printed
    assert np.array_equal(written(after, 0), written(before, 0))


def test_sums_of_one_product_share_a_variable() -> None:
    loads = [Load("x", add(product(K, S), number(name)), float32) for name in "abc"]
    after = body(reduce_strength(kernel(over(*(Store("y", K, load) for load in loads)))))
    assert after.count("k.times") == 6 and "x[k.times1 + c]" in after


@pytest.mark.parametrize("at", [
    multiply(K, integer(8)),                      # of an address, for nothing
    add(K, S),
    add(multiply(K, integer(2)), I),              # the same
    product(K, K),
    product(K, product(S, T)),                    # nothing that has a name
    product(K, number("changing")),
    product(K, number("inside")),
])  # fmt: skip
def test_what_has_no_variable(at: Value) -> None:
    change = Assign(number("changing"), add(number("changing"), K))
    loop = over(Let(number("inside"), Load("x", K, number("inside").type)), Store("y", at, real("a")), change)
    before = kernel(Declare(number("changing"), N), loop)
    assert reduce_strength(before) is before


def test_outer_loops_stay() -> None:
    inner = For(I, integer(0), N, integer(1), (Store("y", add(product(K, S), I), real("a")),))
    before = kernel(over(inner))
    assert reduce_strength(before) is before


def test_few_variables() -> None:
    stores = [Store("y", product(K, number(name)), real("a")) for name in "abcdefgh"]
    assert body(reduce_strength(kernel(over(*stores)))).count("long k.times") == 4


@pytest.mark.parametrize(("begin", "step"), [(0, 1), (2, 3), (7, 1)])
def test_values(begin: int, step: int) -> None:
    at = number("at")
    loop = over(
        Let(at, product(add(K, I), S)),
        Store("y", at, Load("x", add(multiply(K, integer(11)), I), float32)),
        Store("y", add(multiply(K, integer(-3)), T), Load("x", add(product(K, S), I), float32)),
        begin=begin, step=step,
    )  # fmt: skip
    names = [Let(name, integer(n)) for name, n in ((I, 2), (N, 7), (S, 5), (T, 60))]
    before = kernel(*names, loop, Return(integer(0)))
    after = reduce_strength(before)
    assert after is not before
    assert np.array_equal(written(after, 0), written(before, 0))
