"""What is known of integers before sizes are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.arithmetic import add, compare, divide, integer, maximum, minimum, multiply, remainder, subtract
from jitmdh.mdh.kernel.bounds import Bounds
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import Apply, For, Kernel, Let, Return, Value
from tests.mdh.kernel.passes.examples import number

I, K, N, M = number("i"), number("k"), number("n"), number("m")


def known() -> Bounds:
    """In a loop over blocks of 42."""
    found = Bounds()
    found.bind(For(I, integer(0), N, integer(42), ()))
    found.bind(Let(K, minimum(add(I, integer(42)), maximum(N, integer(0)))))
    return found


def select(condition: Value, left: Value, right: Value) -> Value:
    return Apply("select", (condition, left, right), int64)


BLOCK = subtract(K, I)
FIRST = compare("eq", M, integer(0))


@pytest.mark.parametrize(
    ("begin", "end", "rounds"),
    [
        (I, K, 42),
        (integer(0), maximum(BLOCK, integer(0)), 42),
        (integer(0), multiply(divide(maximum(BLOCK, integer(0)), 16), integer(16)), 32),
        (integer(0), divide(add(maximum(BLOCK, integer(0)), integer(5)), 6), 7),
        (I, subtract(K, remainder(BLOCK, 6)), 42),
        (subtract(K, remainder(BLOCK, 6)), K, 5),
        (subtract(N, remainder(N, 8)), N, 7),
        (select(FIRST, integer(0), subtract(N, remainder(N, 8))), select(FIRST, remainder(M, 4), N), 7),
        (integer(0), N, None),
        (M, N, None),
        (I, N, None),
        (integer(5), integer(3), 0),
    ],
    ids=str,
)
def test_rounds(begin: Value, end: Value, rounds: int | None) -> None:
    assert known().rounds(For(number("j"), begin, end, integer(1), ())) == rounds


def test_steps_are_counted() -> None:
    assert known().rounds(For(number("j"), I, K, integer(16), ())) == 3


def test_a_name_that_is_bound_anew_is_another_number() -> None:
    found = known()
    found.bind(Let(K, M))
    assert found.rounds(For(number("j"), I, K, integer(1), ())) is None


def test_what_was_found_of_a_value_ends_with_the_name_that_it_rests_on() -> None:
    found, past = Bounds(), add(K, integer(1))
    found.bind(Let(K, integer(5)))
    assert found.most(past) == 6
    with found.inside():
        found.bind(Let(K, integer(50)))
        assert found.most(past) == 51
        assert found.difference(past, integer(1)) == 50
    assert found.most(past) == 6
    assert found.difference(past, integer(1)) == 5
    found.forget(K)
    assert found.most(past) is None


LEAVES = st.one_of(st.integers(-3, 50).map(integer), st.sampled_from([N, M]))


def _grown(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    pairs = st.tuples(inner, inner)
    natural = inner.map(lambda v: maximum(v, integer(0)))
    size = st.integers(1, 9)
    return st.one_of(
        pairs.map(lambda p: add(*p)),
        pairs.map(lambda p: subtract(*p)),
        pairs.map(lambda p: minimum(*p)),
        pairs.map(lambda p: maximum(*p)),
        pairs.map(lambda p: select(FIRST, *p)),
        st.tuples(natural, size).map(lambda p: divide(*p)),
        st.tuples(natural, size).map(lambda p: remainder(*p)),
        st.tuples(natural, size).map(lambda p: multiply(divide(*p), integer(p[1]))),
        st.tuples(inner, size).map(lambda p: multiply(p[0], integer(p[1]))),
    )


@given(st.recursive(LEAVES, _grown, max_leaves=12), st.recursive(LEAVES, _grown, max_leaves=6), st.data())
def test_bounds_hold(high: Value, low: Value, data: st.DataObject) -> None:
    """Of any numbers, with the interpreter as the judge."""
    sizes = data.draw(st.tuples(st.integers(-5, 99), st.integers(-5, 99)))
    lets = [Let(name, integer(size)) for name, size in zip((N, M), sizes)]

    def value(of: Value) -> int:
        return run_kernel(Kernel("k", (), (*lets, Return(add(of, integer(10**6))))), np.zeros(1, np.int64), {}) - 10**6

    found = Bounds()
    most, difference = found.most(high), found.difference(high, low)
    assert most is None or value(high) <= most
    assert difference is None or value(high) - value(low) <= difference
    assert not found.natural(high) or value(high) >= 0
