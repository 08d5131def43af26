"""Errors in loops of one lane, before and after they are where the function ends."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, int64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import both, compare, integer, negated
from jitmdh.mdh.kernel.ir import Assign, Declare, Fail, If, Let, Literal, Load, Name, Return, Store, While
from jitmdh.mdh.kernel.passes.loops.early_exits import leave_early
from tests.mdh.kernel.passes.examples import body, kernel, real, text

TRUE, FALSE = Literal(True, bool_), Literal(False, bool_)
FAULTY, STOPPED, ACTIVE = (Name(name, bool_) for name in ("faulty", "stopped", "active"))
N, I = real("n", int64), Name("i", int64)


def test_golden() -> None:
    outside = compare("ge", I, N)
    fetch = If(outside, (Assign(FAULTY, TRUE), Assign(STOPPED, TRUE)), (Store("y", I, Load("x", I, int64)),), rare=True)
    going = Let(Name("fine", bool_), both(compare("lt", I, N), negated(STOPPED)) or TRUE)
    before = kernel(
        Declare(FAULTY, FALSE),
        Declare(STOPPED, FALSE),
        Declare(I, integer(0)),
        Declare(ACTIVE, TRUE),
        While(ACTIVE, (fetch, Assign(I, N), going, Assign(ACTIVE, Name("fine", bool_)))),
        Fail(FAULTY, Status.FIRST_FAULT),
        Return(integer(0)),
    )
    assert body(leave_early(before)) == text("""
        long i = 0;
        bool active = true;
        while (active) {
            if (i >= n) {
                if (any(true)) leave(16777216);
            } else {
                y[i] = x[i];
            }
            i = n;
            const bool fine = i < n;
            active = fine;
        }
        return status;
    """)


def test_a_branch_that_does_something_else_stays() -> None:
    branch = If(compare("ge", N, integer(3)), (Assign(FAULTY, TRUE), Store("y", integer(0), N)), rare=True)
    before = kernel(Declare(FAULTY, FALSE), branch, Fail(FAULTY, Status.FIRST_FAULT), Return(integer(0)))
    assert leave_early(before) is before


@mdh.jit
def gathered(x, order, y):  # type: ignore[no-untyped-def]
    last = 0.0
    n = 0
    while n < len(order):
        last = last * 0.5 + x[order[n]]
        y[n] = last
        n += 1
    return last


@mdh.jit
def scratched(order):  # type: ignore[no-untyped-def]
    found = np.zeros(len(order))
    n = 0
    while n < len(order):
        found[order[n]] += 1.0
        n += 1
    return found.sum() + found[0]


@pytest.mark.parametrize("wrong", [0, 5, 40_000])
def test_elements_before_the_error_are_written_and_none_behind_it(wrong: int) -> None:
    order = np.arange(50_000) % 7
    order[wrong:] = 1000
    x, ours, pythons = np.linspace(1, 2, 7), np.zeros(50_000), np.zeros(50_000)
    for f, y in (gathered, ours), (gathered.py_func, pythons):
        with pytest.raises(IndexError):
            f(x, order, y)
    assert np.array_equal(ours, pythons)


def test_working_buffers_are_given_back() -> None:
    """After hundreds of errors, each in a function that holds a large one."""
    order = np.zeros(200_000, np.int64)
    order[-1] = -200_001
    for _ in range(300):
        with pytest.raises(IndexError):
            scratched(order)
    order[-1] = 5
    assert scratched(order) == scratched.py_func(order)
