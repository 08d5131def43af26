"""Which loops ask whether the call is to end."""

from __future__ import annotations

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.ir import (
    Apply,
    For,
    Let,
    Parallel,
    Return,
    Statement,
    Store,
    Value,
    add,
    integer,
    minimum,
    subtract,
)
from jitmdh.mdh.kernel.passes.polling import SMALL, poll
from jitmdh.mdh.kernel.rewrite import statements
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

A, N, M = real("a"), number("n"), number("m")
STORE = Store("y", integer(0), A)


def loop(name: str, end: Value, *inside: Statement, step: int = 1, begin: Value | None = None) -> For:
    return For(number(name), begin or integer(0), end, integer(step), inside)


def test_golden() -> None:
    row = loop("k", M, STORE, step=8)
    before = kernel(loop("i", N, row), Parallel(number("task"), N, (row,), "COR i"), loop("j", integer(3), STORE))
    assert body(poll(before)) == text("""
        for (long i = 0; i < n; i += 1) {  // polls: 2^(max(0, bit_length(m))) a round
            for (long k = 0; k < m; k += 8) {  // polls: 2^(1) a round
                y[0] = a;
            }
        }
        parallel for (long task = 0; task < n; task++) {  // COR i
            for (long k = 0; k < m; k += 8) {  // polls: 2^(1) a round
                y[0] = a;
            }
        }
        for (long j = 0; j < 3; j += 1) {
            y[0] = a;
        }
    """)


def test_a_kernel_without_long_loops_stays() -> None:
    before = kernel(loop("j", integer(3), STORE), Return(integer(0)))
    assert poll(before) is before


def names(*nodes: Statement) -> list[str]:
    polled = poll(kernel(*nodes, Return(integer(0))))
    return [s.name.name for s in statements(polled.body) if isinstance(s, For) and s.work is not None]


def test_what_may_take_long_asks() -> None:
    assert names(loop("i", N, loop("j", M, loop("k", N, STORE)))) == ["i", "j", "k"]
    assert names(loop("i", N, loop("j", M, loop("k", integer(100), STORE)))) == ["i"]


def test_loops_over_register_tiles_do_not_ask() -> None:
    tile = (STORE,) * (SMALL + 1)
    assert names(loop("i", N, loop("k", M, *tile[1:]))) == ["i", "k"]
    assert names(loop("i", N, loop("k", M, *tile))) == ["i"]
    assert names(loop("k", M, *tile)) == ["k"]


def test_loops_of_few_rounds_leave_it_to_those_inside() -> None:
    assert names(loop("i", integer(4), loop("j", N, loop("k", M, STORE)))) == ["j", "k"]
    assert names(loop("i", integer(4), loop("k", integer(100), STORE))) == []


def test_bodies_that_are_long_by_themselves_ask_too() -> None:
    inner = loop("k", integer(1 << 15), STORE, STORE, STORE)
    assert names(loop("i", N, loop("j", M, inner))) == ["i", "j", "k"]


def test_a_part_is_as_long_as_it_is_at_most() -> None:
    """`min(i + 64, n) - i` is 64, whatever n is; and what remains of n by 8 is 7."""
    stop, full = number("stop"), number("full")
    part = loop("k", stop, STORE, begin=number("i"))
    blocks = loop("i", N, Let(stop, minimum(add(number("i"), integer(64)), N)), part, step=64)
    whole = kernel(blocks).body[0]
    assert isinstance(whole, For)
    polled = poll(kernel(whole)).body[0]
    assert isinstance(polled, For) and polled.work == integer(7)
    rest = subtract(N, Apply("urem", (N, integer(8)), int64))
    assert names(Let(full, rest), loop("i", N, STORE, begin=full)) == []


def test_bounds_of_inner_loops_are_those_of_outer_ones() -> None:
    """A triangle is at most as wide as the square around it; what a body computes is guessed."""
    triangle = loop("i", N, loop("k", number("i"), STORE))
    polled = poll(kernel(triangle)).body[0]
    assert isinstance(polled, For) and polled.work is not None and "name='i'" not in repr(polled.work)
