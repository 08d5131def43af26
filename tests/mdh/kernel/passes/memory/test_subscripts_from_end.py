"""Subscripts that count from the end, before and after one comparison tells that they do not."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, Fail, If, Let, Literal, Load, Name, Return, Statement, Store
from jitmdh.mdh.kernel.passes.memory.subscripts_from_end import look_once
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

K, N = number("k"), number("n")


def access(name: str, status: int, out: str = "x", subscript: Name = K) -> tuple[Statement, ...]:
    index, outside = number(name), Name(f"outside_{name}", bool_)
    fault = Fail(Literal(True, bool_), Status.FIRST_FAULT + status, leaves=True)
    wrong = Apply("or", (compare("lt", index, integer(0)), compare("ge", index, N)), bool_)
    from_end = Apply("select", (compare("lt", subscript, integer(0)), add(subscript, N), subscript), int64)
    variable = real(f"v_{name}")
    fetch = Assign(variable, Load("x", index, float32)) if out == "x" else Store("y", index, real("v_i"))
    declared = (Declare(variable, Literal(0.0, float32)),) if out == "x" else ()
    return (*declared, Let(index, from_end), Let(outside, wrong), If(outside, (fault,), (fetch,), rare=True))


def test_golden() -> None:
    before = kernel(Let(K, integer(3)), Let(N, integer(5)), *access("i", 0), *access("j", 1, "y"), Return(integer(0)))
    assert body(look_once(before)) == text("""
        const long k = 3;
        const long n = 5;
        float v_i = 0.0f;
        long i = k;
        if ((ulong)k >= (ulong)n) {
            i = k + ((k < 0) ? n : 0);
            if ((ulong)i >= (ulong)n) {
                if (any(true)) leave(16777216);
            }
        }
        const bool outside_i = (i < 0) | (i >= n);
        v_i = x[i];
        const long j = i;
        const bool outside_j = (j < 0) | (j >= n);
        y[j] = v_i;
        return status;
    """)


def test_where_something_happens_before_the_look_it_stays_there() -> None:
    *ahead, look = access("i", 0)
    happens = Store("y", integer(0), Literal(1.0, float32))
    before = kernel(Let(K, integer(3)), Let(N, integer(5)), *ahead, happens, look, Return(integer(0)))
    assert look_once(before) is before


def test_variables_are_looked_at_again() -> None:
    moved = Declare(K, integer(3)), *access("i", 0), Assign(K, integer(9)), *access("j", 1)
    assert body(look_once(kernel(Let(N, integer(5)), *moved, Return(integer(0))))).count("(ulong)k") == 2


@mdh.jit
def walked(a, rows, columns, out):  # type: ignore[no-untyped-def]
    n = 0
    while n < len(rows):
        a[rows[n], columns[n]] = a[rows[n], columns[n] - 1] + 1.0
        out[n] = a[rows[n], columns[n]]
        n += 1
    return n


@pytest.mark.parametrize("wrong", [None, (0, 4), (3, 0), (-4, 0), (0, -4), (0, -5), (2**62, 0), (-(2**63), 1)])
def test_elements_as_python_finds_them_and_its_error(wrong: tuple[int, int] | None) -> None:
    rows, columns = np.array([0, -1, 2, -3, 1, -2]), np.array([1, 2, -1, 3, -3, 0])
    if wrong is not None:
        rows[4], columns[4] = wrong
    found = []
    for f in walked, walked.py_func:
        a, out = np.arange(12.0).reshape(3, 4), np.zeros(6)
        try:
            f(a, rows, columns, out)
        except IndexError:
            out[5] = -1
        found.append((a, out))
    (a, out), (a_python, out_python) = found
    assert np.array_equal(a, a_python)
    assert np.array_equal(out, out_python)
