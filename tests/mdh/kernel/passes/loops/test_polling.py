"""Where kernels ask whether the call is to end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, minimum, multiply, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Parallel,
    Poll,
    Return,
    Scratch,
    Statement,
    Store,
    Value,
    While,
)
from jitmdh.mdh.kernel.passes.loops.polling import LONG, poll
from jitmdh.mdh.kernel.rewrite import Rewriter, statements
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text, written

A, N, M = real("a"), number("n"), number("m")
I, J, K = number("i"), number("j"), number("k")
STORE = Store("y", integer(0), A)


def loop(name: str, end: Value, *inside: Statement, step: int = 1, begin: Value | None = None) -> For:
    return For(number(name), begin or integer(0), end, integer(step), inside)


def row(name: str, end: Value) -> For:
    """Vectors along an array."""
    return loop(name, end, Store("y", number(name), real("x", lanes=8)), step=8)


def test_golden() -> None:
    before = kernel(
        loop("i", N, row("k", M)),
        Parallel(number("task"), N, (loop("j", M, STORE),), "COR j"),
        loop("l", integer(3), STORE),
    )
    assert body(poll(before)) == text("""
        const long i.end = n;
        const long i.each = max(((m / 8) + 1), 1);
        const long i.length = (262144 / i.each) + 1;
        for (long i.strip = 0; i.strip < i.end; i.strip += i.length) {  // strips
            const long i.stop = min(i.strip + i.length, i.end);
            poll(i.each * ((i.stop - i.strip) + 1));
            for (long i = i.strip; i < i.stop; i += 1) {
                for (long k = 0; k < m; k += 8) {
                    store8(&y[k], x);
                }
            }
        }
        parallel for (long task = 0; task < n; task++) {  // COR j
            const long j.end = m;
            for (long j.strip = 0; j.strip < j.end; j.strip += 262144) {  // strips
                const long j.stop = min(j.strip + 262144, j.end);
                poll(j.stop - j.strip);
                for (long j = j.strip; j < j.stop; j += 1) {
                    y[0] = a;
                }
            }
        }
        for (long l = 0; l < 3; l += 1) {
            y[0] = a;
        }
    """)


def polled(*nodes: Statement) -> str:
    """The loops and questions."""
    lines = body(poll(kernel(*nodes, Return(integer(0))))).splitlines()
    return "\n".join(line for line in lines if "for (" in line or "poll" in line or "while" in line)


def test_a_kernel_without_long_loops_stays() -> None:
    before = kernel(loop("j", integer(3), STORE), Return(integer(0)))
    assert poll(before) is before


def test_a_nest_asks_in_one_place() -> None:
    """Where the inner loop has no rounds, the outer ones have none: nobody would ask in them."""
    assert polled(loop("i", N, loop("j", M, row("k", N)))) == text("""
        for (long i = 0; i < ((0 < m) ? n : 0); i += 1) {
            for (long j.strip = 0; j.strip < j.end; j.strip += j.length) {  // strips
                poll(j.each * ((j.stop - j.strip) + 1));
                for (long j = j.strip; j < j.stop; j += 1) {
                    for (long k = 0; k < n; k += 8) {
    """)


def test_long_rounds_ask_each() -> None:
    """A loop over strips would be one more for the others, and saves little."""
    stores = [Store("y", integer(n), A) for n in range(30)]
    assert "    poll((n / 8) + 31);" in polled(loop("i", N, loop("j", M, row("k", N), *stores)))


def test_a_loop_that_does_more_than_one_inside_asks() -> None:
    inner = loop("j", M, row("k", N))
    assert polled(loop("i", N, STORE, inner)).splitlines()[:2] == ["for (long i = 0; i < n; i += 1) {", "    poll(2);"]
    triangle = polled(loop("i", N, loop("j", I, row("k", N))))
    assert triangle.splitlines()[:2] == ["for (long i = 0; i < n; i += 1) {", "    poll(1);"]


@pytest.mark.parametrize(
    "inside",
    [
        Store("y", Apply("urem", (K, integer(8)), int64), real("x", lanes=8)),  # not along an axis
        Store("y", I, real("x", lanes=8)),
        Store("y", K, A),  # slow for its memory
    ],
    ids=["around", "in place", "scalars"],
)
def test_what_is_not_a_row_of_vectors_is_in_strips(inside: Statement) -> None:
    assert "k.strip" in polled(loop("i", N, loop("k", M, inside)))


def test_what_nothing_is_around_is_in_strips() -> None:
    assert "k.strip" in polled(row("k", N))
    assert "k.strip" in polled(loop("i", integer(4), row("k", N)))
    assert "k.strip" not in polled(loop("i", N, row("k", N)))


def as_written(name: str, *inside: Statement) -> For:
    return replace(loop(name, N, *inside), as_written=True)


def test_counted_loops_that_begin_often_ask_behind_a_strip() -> None:
    """The loop around accounts for the first one."""
    assert polled(While(real("c", bool_), (as_written("k", STORE),))) == text("""
        while (c) {
                poll(1064960);
            for (long k.strip = 0; k.strip < k.end; k.strip += 16384) {  // strips
                    poll(k.stop - k.strip);
                for (long k = k.strip; k < k.stop; k += 1) {
    """)
    assert body(poll(kernel(as_written("k", STORE)))).count("if (k.strip > 0)") == 1


def test_counted_loops_that_do_much_ask_at_once() -> None:
    long = poll(kernel(as_written("k", *[STORE] * 100)))
    assert "if (k.strip > 0)" not in body(long)
    assert "poll((k.stop - k.strip) * 100)" in body(long)


def test_parts_of_blocks_and_remainders_are_short() -> None:
    stop, full = number("stop"), number("full")
    part = loop("k", stop, STORE, begin=I)
    blocks = loop("i", N, Let(stop, minimum(add(I, integer(64)), N)), part, step=64)
    assert polled(blocks).splitlines()[1:2] == ["    poll(65);"]
    rest = subtract(N, Apply("urem", (N, integer(8)), int64))
    assert "poll" not in polled(Let(full, rest), loop("i", N, STORE, begin=full))


def test_literal_loops_that_are_long_ask_too() -> None:
    assert "poll" not in polled(loop("k", integer(LONG), STORE))
    assert "k.strip" in polled(loop("k", integer(LONG + 1), STORE))


def test_a_working_buffer_around_does_not_matter() -> None:
    inner = Scratch("s", float32, integer(8), (row("k", M),))
    assert polled(loop("i", N, inner)).count("poll") == 1


def test_what_is_known_late_is_asked_late() -> None:
    end = number("end")
    late = loop("i", N, Let(end, Apply("mul", (I, M), int64)), row("k", end))
    lines = body(poll(kernel(late))).splitlines()
    assert [line.strip() for line in lines[1:3]] == ["const long end = i * m;", "poll((end / 8) + 2);"]


def test_a_loop_that_data_end_counts_its_rounds() -> None:
    before = While(compare("ne", N, integer(1)), (Assign(N, Apply("sub", (N, integer(1)), int64)),))
    assert body(poll(kernel(Declare(N, M), before))) == text("""
        long n = m;
        long rounds.1 = 16384;
        while (n != 1) {
            rounds.1 = rounds.1 + -1;
            if (rounds.1 == 0) {
                poll(16384);
                rounds.1 = 16384;
            }
            n = n - 1;
        }
    """)


def test_a_long_one_in_another_goes_on_counting() -> None:
    """What it does is not guessed by the loop around, which would ask in each of its rounds."""
    inner = While(compare("ne", N, integer(1)), (Assign(N, Apply("sub", (N, integer(1)), int64)),))
    middle = While(compare("ne", N, M), (Declare(N, M), inner))
    found = body(poll(kernel(While(compare("ne", M, integer(1)), (Declare(N, M), middle)))))
    assert found.startswith(
        text("""
        long rounds.1 = 16384;
        long rounds.2 = 16384;
        while (m != 1) {
            rounds.1 = rounds.1 + -1;
    """)
    )
    assert found.count("rounds.2 = 16384") == 2 and "long rounds.3 = 16384" in found
    assert "poll(32768)" in found  # by the outermost loop: two statements a round


def test_branches_ask_for_themselves() -> None:
    condition = compare("eq", N, integer(1))
    assert polled(loop("i", N, If(condition, (row("k", N),)))).count("poll") == 2


SIZES = st.sampled_from([integer(n) for n in (0, 1, 3, 5)])


@st.composite
def nests(draw: st.DrawFn, depth: int = 3) -> tuple[Statement, ...]:
    """Loops over small sizes that count, in `y`, how often they are run."""
    found: list[Statement] = []
    for n in range(draw(st.integers(1, 2))):
        name, place = number(f"i{depth}{n}"), integer(draw(st.integers(0, 7)))
        found.append(Store("y", place, Apply("add", (Load("y", place, float32), A), float32)))
        if depth:
            inside = draw(nests(depth=depth - 1))
            begin = draw(st.sampled_from([integer(0), N, integer(2)]))
            end = draw(st.sampled_from([N, M, add(N, M), multiply(M, integer(2))]))
            found.append(For(name, begin, end, integer(draw(st.integers(1, 3))), inside))
            if draw(st.booleans()):
                found.pop(-2)
    return tuple(found)


@given(nests(), SIZES, SIZES)
def test_every_round_once(nest: tuple[Statement, ...], n: Value, m: Value) -> None:
    """And strips of few rounds are all rounds."""
    sizes = Let(N, n), Let(M, m), Let(A, Load("x", integer(0), float32))
    before = kernel(*sizes, *nest, Return(integer(0)))
    after = poll(before)
    assert np.array_equal(written(before, 3), written(after, 3))
    assert np.array_equal(written(before, 3), written(_short(after), 3))


def _short(node: Kernel) -> Kernel:
    """With strips of two rounds."""

    class Short(Rewriter):
        def value(self, value: Value) -> Value:
            value = super().value(value)
            if not isinstance(value, Literal) or int(value.value) <= 1 << 12:  # type: ignore[arg-type]
                return value
            return integer(2 * -(-int(value.value) // LONG))  # type: ignore[arg-type]

    return Short().kernel(node)


def test_all_that_may_take_long_asks() -> None:
    nest = loop("i", N, loop("j", M, loop("k", N, STORE)))
    assert any(isinstance(s, Poll) for s in statements(poll(kernel(nest)).body))
