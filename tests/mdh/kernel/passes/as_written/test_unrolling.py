"""Short loops that follow a source take several rounds at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import Assign, For, Let, Statement, Store
from jitmdh.mdh.kernel.passes.as_written.unrolling import unroll
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

A, I, T = real("a"), number("i"), number("t")
ROUND: tuple[Statement, ...] = Let(number("i_now"), I), Assign(I, add(number("i_now"), integer(1)))


def loop(*inside: Statement) -> For:
    return For(T, number("b"), number("n"), integer(1), inside, as_written=True)


def test_golden() -> None:
    assert body(unroll(kernel(loop(*ROUND)))) == text("""
        const long t.full = n - ((n - b) % 4);
        for (long t = b; t < t.full; t += 4) {
            const long i_now = i;
            i = i_now + 1;
            const long i_now = i;
            i = i_now + 1;
            const long i_now = i;
            i = i_now + 1;
            const long i_now = i;
            i = i_now + 1;
        }
        for (long t = t.full; t < n; t += 1) {
            const long i_now = i;
            i = i_now + 1;
        }
    """)


@pytest.mark.parametrize("node", [replace(loop(*ROUND), as_written=False), loop(Store("y", I, A), *ROUND * 32)])
def test_others_stay(node: For) -> None:
    """Those that are made for vectors, and long ones."""
    before = kernel(node)
    assert unroll(before) is before


def test_names_that_nobody_uses_do_not_count() -> None:
    unused = tuple(Let(number(f"n{k}"), I) for k in range(99))
    before = kernel(loop(*ROUND, *unused))
    assert unroll(before) is not before


@mdh.jit
def smallest(x):  # type: ignore[no-untyped-def]
    best, at = np.inf, -1
    for i in range(len(x)):
        if x[i] < best:
            best = x[i]
            at = i
    return best, at


@pytest.mark.parametrize("size", [*range(10), 16384, 16385, 32771])
def test_values_of_all_rests(size: int) -> None:
    x = np.random.default_rng(size).random(size)
    assert smallest(x) == ((x.min(), x.argmin()) if size else (np.inf, -1))
