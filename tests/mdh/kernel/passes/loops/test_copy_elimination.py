"""Rows that are updated in ascending order, before and after their copies are gone; loops ≡ Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32, int64
from jitmdh.mdh.kernel.arithmetic import add, integer, negated
from jitmdh.mdh.kernel.ir import Failed, For, If, Let, Load, Name, Scratch, Statement, Store, Value
from jitmdh.mdh.kernel.passes.loops.copy_elimination import eliminate_copies
from tests.mdh.kernel.passes.examples import apply, body, kernel, real, text
from tests.source_text import function_in

I, J, N = Name("i", int64), Name("j", int64), real("n", int64)


def rounds(index: Name, source: str, first: Value, target: str, to: Value, name: str) -> For:
    """Two elements a round."""
    loads = [Let(real(f"{name}{k}"), Load(source, add(first, integer(k)), float32)) for k in (0, 1)]
    stores = [Store(target, add(to, integer(k)), apply("add", real(f"{name}{k}"), real("w"))) for k in (0, 1)]
    if source == "t":
        stores = [Store(target, add(to, integer(k)), real(f"{name}{k}")) for k in (0, 1)]
    return For(index, integer(0), N, integer(2), (*loads, *stores))


def with_copy(*more: Statement, ahead: int = 1) -> Scratch:
    made = rounds(I, "y", add(I, integer(ahead)), "t", I, "a")
    return Scratch("t", float32, N, (made, *more, rounds(J, "t", J, "y", J, "b")))


def test_golden() -> None:
    assert body(eliminate_copies(kernel(with_copy()))) == text("""
        for (long i = 0; i < n; i += 2) {
            const float a0 = y[i + 1];
            const float a1 = y[i + 2];
            y[i] = a0 + w;
            y[i + 1] = a1 + w;
        }
    """)


def test_what_is_copied_if_nothing_failed_is_computed_then() -> None:
    first, copy = with_copy().body
    before = Scratch("t", float32, N, (first, If(negated(Failed()), (copy,))))
    assert body(eliminate_copies(kernel(before))) == text("""
        if (!(status != 0)) {
            for (long i = 0; i < n; i += 2) {
                const float a0 = y[i + 1];
                const float a1 = y[i + 2];
                y[i] = a0 + w;
                y[i + 1] = a1 + w;
            }
        }
    """)


@pytest.mark.parametrize("before", [
    with_copy(ahead=-1),
    with_copy(Let(real("c"), Load("t", integer(0), float32))),
    with_copy(Store("y", integer(0), real("w"))),
    with_copy(Let(real("c"), Load("t", integer(0), float32)), ahead=2),
])  # fmt: skip
def test_what_needs_old_elements_behind_or_the_copy_itself_stays(before: Scratch) -> None:
    assert eliminate_copies(kernel(before)) == kernel(before)


def updates(seed: int) -> str:
    """A row updated again and again from its own elements, those of another one, and of itself further on."""
    rng = np.random.default_rng(seed)
    to, ends = int(rng.integers(-2, 3)), rng.choice(["len(x) - 5", "len(x) - 5 - k", "len(x) - 5 - 2 * k"])
    places = [to + int(d) for d in rng.choice([0, 1, 1, 2, -1, 3], 2)]
    step = rng.choice(["", ", 2"])
    value = rng.choice(["x[i + {0}] * 0.5 + x[i + {1}]", "x[i + {0}] - y[i] * x[i + {1}]", "x[i + {0}] / h + y[k]"])
    lines = [
        "for k in range(5):",
        f"    for i in range(3, {ends}{step}):",
        f"        x[i + {to}] = {value.format(*places)}",
    ]
    return "\n".join(["def f(x, y, h):", *(f"    {line}" for line in lines)])


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("seeds", [range(k, k + 6) for k in range(0, 72, 6)])
def test_rows_are_pythons(seeds: Any) -> None:
    for seed in seeds:
        source = updates(seed)
        f = function_in(source, f"<rows {seed}>")
        compiled = mdh.jit(f)
        for size in (6, 33, 150):
            x, y = np.random.default_rng(seed).standard_normal((2, size))
            ours, pythons = x.copy(), x.copy()
            compiled(ours, y, 3.0)
            f(pythons, y, 3.0)
            np.testing.assert_allclose(ours, pythons, 1e-12, 1e-12, err_msg=source)


def taken(v: Any, s: Any) -> None:
    for j in range(len(s) - 1, 0, -1):
        for i in range(j):
            v[i] = v[i] * 0.5 + v[i + 1] * s[i]


def read_between(v: Any, s: Any) -> None:
    for j in range(len(s) - 1, 0, -1):
        first = v[1]
        for i in range(j):
            v[i] = v[i] * 0.5 + v[i + 1]
        s[j] = v[0] + first
        v[j] = v[1] - s[j]


@pytest.mark.parametrize("f", [taken, read_between])
@pytest.mark.parametrize("size", [2, 9, 70])
def test_what_is_read_around_them_is_what_was_there(f: Any, size: int) -> None:
    ours, pythons = (np.random.default_rng(1).random((2, size)) for _ in range(2))
    mdh.jit(f)(*ours)
    f(*pythons)
    np.testing.assert_allclose(ours, pythons)


def test_rows_of_a_tree_have_no_copy() -> None:
    text = mdh.jit(taken).inspect(np.ones(600), np.ones(600), stage="kernel@copy_elimination")
    assert "scratch" not in text
