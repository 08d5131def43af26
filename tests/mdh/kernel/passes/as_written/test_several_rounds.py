"""Loops that data end take several rounds at a time, each if the one before says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.kernel.arithmetic import TRUE, add, compare, integer
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import Apply, Assign, BufferArgument, Declare, For, Let, Name, Return, Statement, Store, While
from jitmdh.mdh.kernel.passes.as_written.several_rounds import repeat_rounds
from tests.mdh.kernel.passes.examples import body, kernel, number, text

I, K, N, NOW, ACTIVE = number("i"), number("k"), number("n"), number("now"), Name("active", bool_)


def rounds(*inside: Statement, condition: Name = ACTIVE) -> While:
    counting = Let(NOW, add(I, integer(1))), Assign(I, NOW), *inside
    return While(condition, (*counting, Assign(ACTIVE, compare("lt", NOW, N))))


def test_golden() -> None:
    assert body(repeat_rounds(kernel(rounds()))) == text("""
        while (active) {
            const long now = i + 1;
            i = now;
            active = now < n;
            if (active) {
                const long now = i + 1;
                i = now;
                active = now < n;
                if (active) {
                    const long now = i + 1;
                    i = now;
                    active = now < n;
                    if (active) {
                        const long now = i + 1;
                        i = now;
                        active = now < n;
                    }
                }
            }
        }
    """)


TAKEN = Apply("and", (NOW, Apply("sub", (NOW, integer(1)), int64)), int64)


@pytest.mark.parametrize(
    "node",
    [
        rounds(For(K, integer(0), N, integer(1), ())),
        rounds(*[Assign(K, NOW)] * 60),
        rounds(condition=Name("active", bool_, 4)),
        While(
            ACTIVE,
            (Let(NOW, I), Assign(I, TAKEN), Let(K, I), Assign(ACTIVE, compare("ne", K, integer(0)))),
        ),
    ],
    ids=["a loop inside", "long", "lanes", "bits"],
)
def test_others_stay(node: While) -> None:
    before = kernel(node)
    assert repeat_rounds(before) is before


@pytest.mark.parametrize("count", range(12))
def test_as_many_rounds(count: int) -> None:
    given = Let(N, integer(count)), Declare(I, integer(0)), Declare(K, integer(0))
    again = Declare(ACTIVE, TRUE), rounds(Assign(K, add(K, NOW))), rounds()
    before = kernel(*given, *again, Store("y", integer(0), K), Return(integer(0)))
    before = replace(before, buffers=(BufferArgument("y", int64, 0, written=True),))
    found = []
    for one in before, repeat_rounds(before):
        y = np.zeros(1, np.int64)
        run_kernel(one, np.array([y.ctypes.data], np.int64), {0: y})
        found.append(y.tolist())
    assert found[0] == found[1]


@mdh.jit
def searched(x, wanted, places):  # type: ignore[no-untyped-def]
    steps = 0
    for q in range(len(wanted)):
        place = -1
        for i in range(len(x)):
            steps += 1
            if x[i] == wanted[q]:
                place = i
                break
        places[q] = place
    return steps


@mdh.jit
def sorted_in_place(x):  # type: ignore[no-untyped-def]
    moved = 0
    for i in range(1, len(x)):
        v = x[i]
        j = i - 1
        while j >= 0 and x[j] > v:
            x[j + 1] = x[j]
            j -= 1
            moved += 1
        x[j + 1] = v
    return moved


@mdh.jit
def beyond(x, start):  # type: ignore[no-untyped-def]
    i = start
    while x[i] < 0.5:  # where no element is large, Python raises
        i += 1
    return i


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 8, 9, 31])
def test_values_are_pythons(size: int) -> None:
    random = np.random.default_rng(size)
    x = random.integers(0, 12, size)
    found: list[Any] = []
    for f in searched, searched.py_func:
        places = np.zeros(15, np.int64)
        found.append((f(x, np.arange(15), places), places.tolist()))
    for f in sorted_in_place, sorted_in_place.py_func:
        own = x[::-1].copy()
        found.append((f(own), own.tolist()))
    assert found[0] == found[1] and found[2] == found[3]


@pytest.mark.parametrize("size", range(9))
def test_an_error_comes_in_its_round(size: int) -> None:
    x = np.zeros(size)
    for f in beyond, beyond.py_func:
        with pytest.raises(IndexError):
            f(x, 0)
    if size:
        x[-1] = 1.0
        assert beyond(x, 0) == beyond.py_func(x, 0) == size - 1
        assert beyond(x, -size) == beyond.py_func(x, -size) == -1
