"""Loops whose subscripts are inside of their axes at both ends do not look at them in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, uint64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    Fail,
    For,
    If,
    Let,
    Literal,
    Load,
    Name,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.kernel.passes.as_written.range_checks import eliminate_range_checks
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

A, I, K, N, NOW, T = real("a"), number("i"), number("k"), number("n"), number("i_now"), number("t")
TRIPS = number("trips")
OUTSIDE = Name("outside", bool_)
FAULT = (Fail(Literal(True, bool_), 7, leaves=True),)


def loop(*inside: Statement, step: int = 1) -> For:
    counting = (Let(NOW, I), *inside, Assign(I, add(NOW, integer(step))))
    return For(T, integer(0), TRIPS, integer(1), counting, as_written=True)


def access(number: Value) -> tuple[Statement, ...]:
    return Let(OUTSIDE, compare("ge", number, N)), If(OUTSIDE, FAULT, (Store("y", number, A),), rare=True)


def test_golden() -> None:
    assert body(eliminate_range_checks(kernel(loop(*access(NOW))))) == text("""
        const bool checked.1 = ((trips < 1099511627776) & !(i >= n)) & !(((i + trips) + -1) >= n);
        if (checked.1) {
            for (long t = 0; t < trips; t += 1) {
                const long i_now = i;
                const bool outside = i_now >= n;
                y[i_now] = a;
                i = i_now + 1;
            }
        } else {
            for (long t = 0; t < trips; t += 1) {
                const long i_now = i;
                const bool outside = i_now >= n;
                if (outside) {
                    if (any(true)) leave(7);
                } else {
                    y[i_now] = a;
                }
                i = i_now + 1;
            }
        }
    """)


def test_subscripts_that_may_count_from_the_end() -> None:
    index, unsigned = number("index"), Apply("cast", (N,), uint64)
    inside = If(compare("ge", Apply("cast", (index,), uint64), unsigned), FAULT, rare=True)
    beyond = compare("ge", Apply("cast", (NOW,), uint64), unsigned)
    looked = If(beyond, (Assign(index, add(NOW, N)), inside), rare=True)
    before = kernel(loop(Declare(index, NOW), looked, Store("y", index, A), step=-1))
    printed = body(eliminate_range_checks(before))
    tests = "(n >= 0)) & !((ulong)i >= (ulong)n)) & !((ulong)((i + (trips * -1)) + 1) >= (ulong)n);"
    assert printed.splitlines()[0] == f"const bool checked.1 = (((trips < 1099511627776) & {tests}"


def test_conditions_that_data_decide_may_be_around() -> None:
    chosen = If(compare("lt", Load("x", NOW, A.type), A), access(NOW))
    after = eliminate_range_checks(kernel(loop(chosen)))
    assert [type(s) for s in after.body] == [Let, If]


@pytest.mark.parametrize(
    "node",
    [
        loop(*access(Load("x", NOW, NOW.type))),
        loop(*access(multiply(NOW, NOW))),
        loop(*access(multiply(NOW, integer(1 << 21)))),
        loop(*access(NOW), Assign(N, integer(3))),
        loop(*access(K), If(compare("lt", NOW, N), (Assign(K, NOW),))),
        loop(If(compare("ne", NOW, integer(0)), access(add(NOW, integer(-1))))),
        loop(Let(OUTSIDE, compare("ge", NOW, N)), If(OUTSIDE, (Fail(OUTSIDE, 7),), rare=True)),
        replace(loop(*access(NOW)), as_written=False),
    ],
    ids=["data", "square", "large", "changing", "under a condition", "kept inside", "goes on", "for vectors"],
)
def test_others_stay(node: For) -> None:
    before = kernel(node)
    assert eliminate_range_checks(before) is before


def reached(x: Any, y: Any, begin: int, step: int, count: int) -> int:
    """A loop from anywhere to anywhere, that ends at the first element outside."""
    i = begin
    rounds = 0
    while rounds < count:
        y[i] = x[i - 1] + y[i]
        i += step
        rounds += 1
    return i


@pytest.mark.parametrize("step", [1, -1, 2, -3])
@pytest.mark.parametrize("begin", [-9, -4, 0, 1, 3, 7, 8, 2**62, -(2**63)])
def test_what_was_done_before_an_error(step: int, begin: int) -> None:
    compiled = mdh.jit(reached, tune="off")
    for count in (0, 1, 2, 3, 6, 9, 20):
        results = []
        for function in (reached, compiled):
            x, y = np.arange(8.0), np.full(8, 0.5)
            try:
                results.append((function(x, y, begin, step, count), y.tolist()))
            except (IndexError, OverflowError):
                results.append((None, y.tolist()))
        assert results[0] == results[1], (begin, step, count)
