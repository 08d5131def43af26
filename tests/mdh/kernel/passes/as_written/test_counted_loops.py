"""Loops whose rounds are known when they begin count them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import add, both, compare, integer, subtract
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    BufferArgument,
    Declare,
    For,
    If,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Statement,
    Store,
    Value,
    While,
)
from jitmdh.mdh.kernel.passes.as_written.counted_loops import count_rounds
from jitmdh.mdh.kernel.rewrite import kinds
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

A, I, N, NOW, THEN = real("a"), number("i"), number("n"), number("i_now"), number("i_then")
ACTIVE = Name("active", bool_)
FALSE = Literal(False, bool_)


def loop(again: Value, step: int = 1, *more: Statement) -> While:
    inside = (Let(NOW, I), Store("y", NOW, A), Assign(I, add(NOW, integer(step))), Let(THEN, I))
    return While(ACTIVE, (*inside, *more, Assign(ACTIVE, again)))


def test_golden() -> None:
    assert body(count_rounds(kernel(loop(compare("lt", THEN, N), 3)))) == text("""
        const long trips.1 = (active ? (((i < n) ? (((n - i) + -1) / 3) : 0) + 1) : 0);
        for (long trip.1 = 0; trip.1 < trips.1; trip.1 += 1) {
            const long i_now = i;
            y[i_now] = a;
            i = i_now + 3;
            const long i_then = i;
        }
        active = false;
    """)


@pytest.mark.parametrize(
    "node",
    [
        loop(compare("ne", THEN, N)),
        loop(compare("lt", THEN, N), -1),
        loop(compare("gt", THEN, N)),
        loop(compare("lt", NOW, N)),  # of the round that is over
        loop(compare("lt", THEN, Load("x", integer(0), float32))),
        loop(both(compare("lt", THEN, N), Name("more", bool_)) or FALSE),
        loop(compare("lt", THEN, N), 1, Assign(N, integer(5))),
        loop(compare("lt", THEN, N), 1, Assign(I, integer(5))),
        loop(compare("lt", THEN, N), 1, If(compare("lt", I, N), (Assign(I, integer(5)),))),
        loop(compare("lt", THEN, N), 1, If(compare("lt", I, N), (Assign(ACTIVE, FALSE),))),
        loop(compare("lt", THEN, number("end")), 1, Let(number("end"), add(NOW, N))),
        loop(compare("lt", Apply("mul", (THEN, THEN), int64), N)),
    ],
)
def test_others_stay(node: While) -> None:
    before = kernel(node)
    assert count_rounds(before) is before


SMALLEST, LARGEST = -(2**63), 2**63 - 1


@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge"])
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("step", [1, 2, 7])
def test_as_many_rounds(op: str, mirrored: bool, step: int) -> None:
    """From anywhere to anywhere, the ends of 64 bits included."""
    step = step if op in ("lt", "le") else -step
    edge = LARGEST if step > 0 else SMALLEST
    cases = (
        [(0, d) for d in range(-2, 15)]
        + [(0, -d) for d in range(15)]
        + [(edge - 40 * step, edge - d * step) for d in (9, 10)]
    )
    for begin, end in cases:
        for active in (True, False):
            limit = integer(end)
            again = (
                compare({"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[op], limit, THEN)
                if mirrored
                else compare(op, THEN, limit)
            )
            counted = number("count")
            inside = While(
                ACTIVE,
                (
                    Let(NOW, I),
                    Assign(counted, add(counted, integer(1))),
                    Assign(I, subtract(NOW, integer(-step))),
                    Let(THEN, I),
                    Assign(ACTIVE, again),
                ),
            )
            declared = Declare(I, integer(begin)), Declare(counted, integer(0)), Declare(ACTIVE, Literal(active, bool_))
            ends = Store("y", integer(0), counted), Store("y", integer(1), I), Return(integer(0))
            before = kernel(*declared, inside, *ends)
            before = replace(before, buffers=(BufferArgument("y", int64, 0, written=True),))
            after = count_rounds(before)
            assert While not in kinds(after.body)
            verify(after)
            results = []
            for one in (before, after):
                y = np.zeros(2, np.int64)
                run_kernel(one, np.array([y.ctypes.data], np.int64), {0: y})
                results.append(y.tolist())
            assert results[0] == results[1]


def test_is_marked() -> None:
    """Code generation optimises it as thoroughly as before."""
    after = count_rounds(kernel(loop(compare("lt", THEN, N))))
    assert next(s for s in after.body if isinstance(s, For)).as_written
