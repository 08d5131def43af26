"""Functions that wait for the condition under which something needs what they give, before and after."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32
from jitmdh.mdh.kernel.arithmetic import compare, either, integer, negated
from jitmdh.mdh.kernel.ir import Apply, Declare, If, Let, Literal, Load, Name, Return, Statement, Store, Value
from jitmdh.mdh.kernel.passes.functions.needed_functions import compute_where_needed
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text, written

D, C = number("d"), Name("c", bool_)
T, U, V = map(real, "tuv")
UP = compare("lt", integer(0), D)


def flag(name: str) -> Name:
    return Name(name, bool_)


def large(value: Value) -> Value:
    return compare("lt", Literal(1.5, float32), value)


def conjunction(left: Value, right: Value) -> Value:
    return Apply("and", (left, right), bool_)


def taken(*uses: Statement) -> tuple[Statement, ...]:
    return (Let(U, Load("x", integer(1), float32)), Let(C, UP), Let(T, apply("exp", U)), *uses, Return(integer(0)))


def test_golden() -> None:
    flip = either(compare("le", D, integer(0)), large(T))
    before = kernel(
        Let(D, integer(3)),
        *taken(Let(flag("wrong"), conjunction(C, large(T))), Let(flag("flip"), flip),
               If(flag("flip"), (Store("y", integer(0), U),)), If(flag("wrong"), (Store("y", integer(1), U),))),
    )  # fmt: skip
    assert body(compute_where_needed(before)) == text("""
        const long d = 3;
        const float u = x[1];
        const bool c = 0 < d;
        float t = 0.0f;
        if (!(d <= 0)) {
            t = exp(u);
        }
        const bool wrong = c & (1.5f < t);
        const bool flip = (d <= 0) | (1.5f < t);
        if (flip) {
            y[0] = u;
        }
        if (wrong) {
            y[1] = u;
        }
        return status;
    """)


def chosen(condition: Value, then: Value, otherwise: Value) -> Value:
    return Apply("select", (condition, then, otherwise), float32)


USES: dict[str, Statement] = {
    "chosen": Store("y", integer(0), chosen(C, T, U)),
    "left": Store("y", integer(0), chosen(compare("le", D, integer(0)), U, T)),
    "behind a jump": If(C, (Store("y", integer(0), T),)),
    "on the other side": If(negated(C), (Store("y", integer(0), U),), (Store("y", integer(0), T),)),
    "by another name": If(flag("e"), (Store("y", integer(0), V),)),
}
ALWAYS: dict[str, Statement] = {
    "stored": Store("y", integer(0), T),
    "the condition itself": If(large(T), (Store("y", integer(0), U),)),
    "both sides": If(C, (Store("y", integer(0), T),), (Store("y", integer(1), T),)),
    "a condition made later": If(flag("later"), (Store("y", integer(0), T),)),
    "a variable": If(flag("variable"), (Store("y", integer(0), T),)),
}


def program(use: Statement, d: int) -> tuple[Statement, ...]:
    first = Let(D, integer(d)), Declare(flag("variable"), compare("lt", D, integer(2)))
    later = compare("lt", Load("x", integer(0), float32), T)
    more = Let(V, apply("mul", T, U)), Let(flag("e"), conjunction(C, large(V))), Let(flag("later"), later)
    needed = (
        (more[2],) if use is ALWAYS["a condition made later"] else more[:2] if use is USES["by another name"] else ()
    )
    return (*first, *taken(*needed, use))


@pytest.mark.parametrize("name", [*USES, *ALWAYS])
def test_what_is_written_stays(name: str) -> None:
    for d in -1, 0, 1, 3:
        before = kernel(*program({**USES, **ALWAYS}[name], d))
        after = compute_where_needed(before)
        assert (after is before) == (name in ALWAYS), body(after)
        np.testing.assert_array_equal(written(before, 0), written(after, 0))


def flips(s: Any, u: Any, beta: Any) -> int:
    count = 0
    for i in range(s.size):
        d = s[i]
        if d <= 0 or u[count % u.size] < math.exp(-beta * d):
            s[i] = -d
            count += 1
        elif d > 3 and not (u[i] < math.log(d) and d < 5):
            count += 2
    return count


@pytest.mark.parametrize("beta", [0.4, 0.0, -300.0])
def test_operands_that_python_does_not_come_to(beta: float) -> None:
    """They do not fail either; and where they do, what has been written before stays."""
    random = np.random.default_rng(3)
    s, u = random.integers(-6, 7, 40), random.random(40)
    found: list[tuple[Any, Any]] = []
    for f in mdh.jit(cache=False, tune="off")(flips), flips:
        mine: Any = s.copy()
        try:
            found.append((f(mine, u, beta), mine.tolist()))
        except OverflowError:
            found.append(("too large", mine.tolist()))
    assert found[0] == found[1]


def test_names_that_are_bound_twice_stay() -> None:
    first, again = (If(C, (Store("y", integer(k), T),)) for k in range(2))
    made = Let(T, apply("exp", U))
    before = kernel(Let(D, integer(1)), Let(U, Load("x", integer(1), float32)), Let(C, UP), made, first, made, again)
    assert compute_where_needed(before) is before
