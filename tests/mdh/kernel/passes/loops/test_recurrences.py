"""Choices that rounds wait for, before and after they are one; loops ≡ Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Kernel, Let, Name, Statement, Value
from jitmdh.mdh.kernel.passes.loops.recurrences import reduce_height
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

I, N, P, Q, R, LAST = map(number, ("i", "n", "p", "q", "r", "last"))
WHERE = Name("c", bool_)


def loop(value: Value, *before: Statement) -> Kernel:
    rounds = (*before, Let(R, value), Assign(LAST, R))
    return kernel(Declare(LAST, integer(0)), For(I, integer(0), N, integer(1), rounds))


def choice(then: Value, otherwise: Value) -> Apply:
    return Apply("select", (WHERE, then, otherwise), int64)


def extremum(op: str, *operands: Value) -> Apply:
    return Apply(op, operands, int64)


def test_golden() -> None:
    assert body(reduce_height(loop(choice(P, extremum("fmax", Q, LAST))))) == text("""
        long last = 0;
        for (long i = 0; i < n; i += 1) {
            const long r.limit = (c ? 9223372036854775807 : q);
            const long r.other = (c ? p : q);
            const long r = ((last > r.limit) ? last : r.other);
            last = r;
        }
    """)


def test_golden_of_the_other_arm() -> None:
    assert body(reduce_height(loop(choice(extremum("fmin", LAST, Q), P)))) == text("""
        long last = 0;
        for (long i = 0; i < n; i += 1) {
            const long r.limit = (c ? q : -9223372036854775808);
            const long r.other = (c ? q : p);
            const long r = ((last < r.limit) ? last : r.other);
            last = r;
        }
    """)


@pytest.mark.parametrize("before", [
    loop(choice(LAST, extremum("fmax", Q, LAST))),
    loop(choice(P, extremum("fmax", Q, P))),
    loop(choice(P, extremum("add", Q, LAST))),
    loop(choice(P, extremum("fmax", Q, Name("next"))), Let(Name("next"), extremum("add", LAST, P)), Let(Q, LAST)),
    kernel(Let(real("a", float32), real("b", float32))),
])  # fmt: skip
def test_what_waits_for_more_or_for_nothing_stays(before: Kernel) -> None:
    assert reduce_height(before) is before


def lcs(a: Any, b: Any) -> int:
    prev, cur = np.zeros(len(b) + 1, dtype=np.int64), np.zeros(len(b) + 1, dtype=np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                cur[j + 1] = prev[j] + 1
            else:
                cur[j + 1] = max(prev[j + 1], cur[j])
        prev, cur = cur, prev
    result: int = prev[len(b)]
    return result


def least(a: Any, b: Any) -> Any:
    y = np.full(len(b) + 1, 5, dtype=a.dtype)
    for j in range(len(b)):
        y[j + 1] = min(y[j], a[j % len(a)]) if b[j] != 2 else a[0]
    return y


@pytest.mark.parametrize("f", [lcs, least])
@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint16])
@pytest.mark.parametrize("size", [1, 2, 50])
def test_loops_are_pythons(f: Any, dtype: Any, size: int) -> None:
    a, b = np.random.default_rng(size).integers(0, 4, (2, size)).astype(dtype)
    np.testing.assert_array_equal(mdh.jit(f)(a, b), f(a, b))
