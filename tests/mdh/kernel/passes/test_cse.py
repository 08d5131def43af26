"""Common subexpressions, before and after."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply
from jitmdh.mdh.kernel.ir import (
    Assign,
    Declare,
    For,
    If,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Splat,
    Statement,
    Store,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.passes.cse import share
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text, written

I, J, N, S = number("i"), number("j"), number("n"), number("s")
AT = add(apply("mul", I, S), J)
GIVEN = tuple(Let(name, integer(value)) for name, value in ((I, 3), (J, 5), (N, 4), (S, 2)))


def given(*statements: Statement) -> tuple[Statement, ...]:
    return (*GIVEN, Let(real("a"), Literal(2.0, float32)), Let(real("b"), Literal(3.0, float32)), *statements)


def shared(*statements: Statement) -> str:
    """The statements behind those of `given`, after the pass; what they write stays the same."""
    before = kernel(*given(*statements), Return(integer(0)))
    after = share(before)
    assert np.array_equal(written(after, 0), written(before, 0))
    return "\n".join(body(after).splitlines()[len(given()) : -1])


def test_golden() -> None:
    product = apply("mul", real("a"), real("b"))
    assert shared(
        Store("y", AT, product),
        Store("y", add(AT, integer(8)), apply("add", real("a"), product)),
        Let(number("at"), AT),
        Store("y", add(number("at"), integer(16)), Load("x", AT, float32)),
        Store("y", add(number("at"), integer(17)), Load("x", add(AT, integer(1)), float32)),
    ) == text("""
        const float common.1 = a * b;
        const long common.2 = (i * s) + j;
        auto *y.at3 = &y[common.2];
        y.at3[0] = common.1;
        y.at3[8] = a + common.1;
        const long at = common.2;
        auto *x.at4 = &x[common.2];
        y.at3[16] = x.at4[0];
        y.at3[17] = x.at4[1];
    """)


def test_parts_of_what_has_a_name_need_none() -> None:
    whole = add(apply("mul", I, S), apply("mul", J, S))
    assert shared(Let(number("p"), whole), Let(number("q"), whole), Let(number("r"), apply("mul", J, J))) == text("""
        const long p = (i * s) + (j * s);
        const long q = p;
        const long r = j * j;
    """)


def test_blocks_share_with_those_around_them_alone() -> None:
    """What one branch has computed is not there in the other one."""
    once, twice = apply("mul", I, J), apply("mul", J, S)
    branch = If(compare("lt", I, N), (Store("y", once, real("a")), Store("y", twice, real("a"))),
                (Store("y", once, real("b")), Store("y", twice, real("b"))))  # fmt: skip
    assert shared(Let(number("at"), once), branch) == text("""
        const long at = i * j;
        if (i < n) {
            y[at] = a;
            y[j * s] = a;
        } else {
            y[at] = b;
            y[j * s] = b;
        }
    """)


def test_what_stays() -> None:
    """Loads, variables, a condition that is looked at in each round, addresses that a mask may forbid."""
    v = number("v")
    quotient = apply("udiv", I, S)
    statements = (
        Declare(v, N),
        Store("y", apply("mul", v, S), Load("x", I, float32)),
        While(compare("gt", v, integer(0)), (Assign(v, add(v, integer(-1))),)),
        Store("y", apply("mul", v, S), Load("x", J, float32)),
        Store("y", quotient, real("a"), mask=compare("ne", S, integer(0))),
        Store("y", quotient, real("a"), mask=compare("lt", S, integer(0))),
    )
    before = kernel(*given(*statements), Return(integer(0)))
    assert share(before) is before


def test_vectors_of_offsets_begin_at_a_pointer() -> None:
    """One vector of distances serves all columns."""

    def column(n: int) -> Value:
        return Load("x", add(AT, integer(n)), float32, 4, multiply(S, integer(3)))

    assert shared(Store("y", integer(0), column(0)), Store("y", integer(4), column(1))) == text("""
        auto *x.at1 = &x[(i * s) + j];
        const long4 common.2 = iota4 * splat4(s * 3);
        store4(&y[0], gather4(x.at1, common.2));
        auto *x.at3 = &x.at1[1];
        store4(&y[4], gather4(x.at3, common.2));
    """)


def test_zeros_are_two_values() -> None:
    def halved(zero: float) -> Value:
        return apply("truediv", Splat(real("a"), float32, 4), Splat(Literal(zero, float32), float32, 4))

    before = kernel(
        *given(Store("y", integer(0), halved(0.0)), Store("y", integer(4), halved(-0.0))), Return(integer(0))
    )
    after = written(share(before), 0)
    assert np.array_equal(after[:8], np.repeat(np.float32([np.inf, -np.inf]), 4))


@pytest.mark.parametrize("again", [Let(I, integer(7)), Declare(I, integer(7)), View("part", "y", integer(40))])
def test_names_that_stand_for_several_values(again: Statement) -> None:
    """What was computed of the earlier one is not taken for the later one; a name of a value ends with its block."""
    moved = Store("y", add(multiply(I, integer(3)), integer(1)), Load("part", multiply(I, integer(3)), float32))
    loop = For(number("k"), integer(0), integer(1), integer(1), (again, moved, moved))
    inner = If(compare("lt", I, N), (Let(number("at"), multiply(J, integer(3))), Store("y", number("at"), real("a"))))
    last = Store("y", multiply(J, integer(3)), real("b"))
    assert shared(View("part", "x", integer(0)), moved, loop, moved, inner, last)


def test_a_name_from_a_branch_is_not_seen_behind_it() -> None:
    at = Name("at", I.type)
    assert "y[i * 3] = b" in shared(If(compare("lt", I, N), (Let(at, multiply(I, integer(3))),)),
                                    Store("y", multiply(I, integer(3)), real("b")))  # fmt: skip
