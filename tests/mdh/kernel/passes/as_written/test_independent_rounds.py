"""Loops whose rounds might be computed beside each other are marked, and mean what they meant where these overlap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import TRUE, add, compare, integer, multiply
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Let, Load, Name, Statement, Store, Value, While
from jitmdh.mdh.kernel.passes.as_written.independent_rounds import find_independent_rounds
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

A, I, K, N, NOW, S, T = real("a"), *map(number, ("i", "k", "n", "i_now")), real("s"), number("t")


def load(buffer: str, offset: Value) -> Load:
    return Load(buffer, offset, float32)


def loop(*inside: Statement) -> For:
    counting = (Let(NOW, I), *inside, Assign(I, add(NOW, integer(1))))
    return For(T, integer(0), N, integer(1), counting, as_written=True)


COPY = Store("y", NOW, load("x", multiply(NOW, integer(2))))


def test_golden() -> None:
    assert body(find_independent_rounds(kernel(loop(COPY)))) == text("""
        for (long t = 0; t < n; t += 1) {  // independent
            const long i_now = i;
            y[i_now] = x[i_now * 2];
            i = i_now + 1;
        }
    """)


def test_in_place() -> None:
    sums = Store("y", add(NOW, K), Apply("add", (load("y", add(NOW, K)), A), float32))
    assert find_independent_rounds(kernel(loop(sums))) != kernel(loop(sums))


def test_integers_that_may_be_sums() -> None:
    counted = loop(Let(A, load("x", NOW)), Assign(K, add(K, multiply(NOW, NOW))))
    assert find_independent_rounds(kernel(counted)) != kernel(counted)


def bits(changed: Apply) -> While:
    """While the bits of v are taken one by one."""
    v, now, then, going = number("v"), number("v_now"), number("v_then"), Name("going", bool_)
    again = Assign(going, compare("ne", then, integer(0)))
    return While(going, (Let(now, v), Assign(v, changed), Let(then, v), again))


def counted(changed: Apply) -> For:
    declared = Declare(number("v"), Load("z", NOW, int64)), Declare(Name("going", bool_), TRUE)
    return loop(*declared, bits(changed), Assign(K, add(K, number("v"))))


def test_bits_that_are_taken_one_by_one() -> None:
    """Code generation counts them at once; what goes on otherwise stays a loop."""
    now, one = number("v_now"), integer(1)
    lowest = Apply("and", (now, Apply("sub", (now, one), int64)), int64)
    half = Apply("rshift", (now, one), int64)
    assert find_independent_rounds(kernel(counted(lowest))) != kernel(counted(lowest))
    before = kernel(counted(half))
    assert find_independent_rounds(before) is before


@mdh.jit
def set_bits(x, out):  # type: ignore[no-untyped-def]
    total = 0
    for i in range(len(x)):
        v = x[i]
        n = 0
        while v != 0:
            v &= v - 1
            n += 1
        out[i] = n
        total += n
    return total


@pytest.mark.parametrize("type", [np.int64, np.uint32, np.uint8, np.int16])
@pytest.mark.parametrize("size", [0, 1, 17, 300])
def test_bits_are_pythons(type: Any, size: int) -> None:
    limits = np.iinfo(type)
    x = np.random.default_rng(size).integers(limits.min, limits.max, size, type, endpoint=True)
    x[:2] = (0, limits.min)[:size]
    found = []
    for f in set_bits, set_bits.py_func:
        out = np.zeros(size, np.int64)
        with np.errstate(all="ignore"):
            found.append((f(x, out), out.tolist()))
    assert found[0] == found[1]


@mdh.jit
def classes(x):  # type: ignore[no-untyped-def]
    n = 0
    few = 7
    i = 0
    while i < x.shape[0]:
        if x[i] < 0.3:
            n += 1
        elif x[i] < 0.6:
            n += 2
        few = min(few, int(x[i] * 100))
        i += 1
    return n, few


@mdh.jit
def states(x):  # type: ignore[no-untyped-def]
    state = 1
    i = 0
    while i < x.shape[0]:
        state = state * 3 % 1001 if x[i] < 0.5 else state + 1
        i += 1
    return state


@pytest.mark.parametrize("f", [classes, states])
@pytest.mark.parametrize("size", [0, 1, 17, 1000])
def test_sums_and_what_is_none_are_pythons(f: Any, size: int) -> None:
    x = np.random.default_rng(size).random(size)
    assert f(x) == f.py_func(x)


@pytest.mark.parametrize(
    "node",
    [
        loop(Store("y", NOW, load("y", add(NOW, K)))),
        loop(Store("y", K, A)),
        loop(Store("y", NOW, A), Assign(S, Apply("add", (S, A), float32))),
        loop(Store("y", NOW, Apply("exp", (A,), float32))),
        loop(Let(A, load("x", NOW))),
        replace(loop(COPY), as_written=False),
    ],
    ids=["another element", "one element", "a sum", "a function", "nothing stored", "for vectors"],
)
def test_others_stay(node: For) -> None:
    before = kernel(node)
    assert find_independent_rounds(before) is before


def halves(x: Any, y: Any, n: int, apart: int) -> None:
    """Both elements of a pair: for `apart` below `n`, rounds need what earlier ones have stored."""
    rounds = 0
    while rounds < 2:
        for i in range(n):
            a = x[i]
            b = x[i + apart]
            x[i] = a + b
            x[i + apart] = a - b
            y[i + rounds] = a * b
        rounds += 1


@pytest.mark.parametrize("apart", [0, 1, 2, 3, 7, 8, 16, 40])
@pytest.mark.parametrize("type", [np.float64, np.float32, np.int64, np.uint8])
def test_rounds_that_need_each_other(apart: int, type: type) -> None:
    compiled = mdh.jit(halves, tune="off")
    for n in (0, 1, 9, 40):
        results = []
        for function in (halves, compiled):
            x, y = np.arange(1, 81).astype(type) % 7, np.zeros(50, type)
            with np.errstate(all="ignore"):
                function(x, y, n, apart)
            results.append((x.tolist(), y.tolist()))
        assert results[0] == results[1], n
