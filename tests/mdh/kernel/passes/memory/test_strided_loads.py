"""Elements that lie a step apart come as vectors of neighbours, of which the lanes are picked."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    BufferArgument,
    Declare,
    Kernel,
    Let,
    Load,
    Name,
    Return,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.kernel.passes.memory.strided_loads import strided_loads
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import body, kernel, number, text

AT, N, M = number("at"), number("n"), Name("m", bool_, 8)
FEW = Let(M, Apply("first_lanes", (N,), bool_, 8))


def load(name: str, offset: Value, step: int, lanes: int = 8, mask: Value | None = None) -> Let:
    return Let(Name(name, float32, lanes), Load("x", offset, float32, lanes, integer(step), mask))


def near(constant: int) -> Value:
    return add(AT, integer(constant))


def after(*statements: Statement, masked_bytes: int = 4) -> str:
    return body(strided_loads(kernel(*statements), masked_bytes))


def test_golden() -> None:
    assert after(load("a", AT, 2), load("b", near(1), 2), load("c", near(16), 2)) == text("""
        const float8 vector.1 = load8(&x[at]);
        const float8 vector.2 = load8(&x[at + 8]);
        const float8 a = merge(vector.1, vector.2; 0 2 4 6 8 10 12 14);
        const float8 b = merge(vector.1, vector.2; 1 3 5 7 9 11 13 15);
        const float8 vector.3 = load8(&x[at + 16]);
        const float8 vector.4 = load8(&x[at + 23]);
        const float8 c = merge(vector.3, vector.4; 0 2 4 6 9 11 13 15);
    """)


def test_steps_of_three_and_backwards() -> None:
    assert after(load("a", AT, 3), load("b", near(40), -1)) == text("""
        const float8 vector.1 = load8(&x[at]);
        const float8 vector.2 = load8(&x[at + 8]);
        const float8 vector.3 = load8(&x[at + 14]);
        const float8 a = merge(merge(vector.1, vector.2; 0 3 6 9 12 15 14 15), vector.3; 0 1 2 3 4 5 12 15);
        const float8 vector.4 = load8(&x[at + 33]);
        const float8 b = vector.4[7 6 5 4 3 2 1 0];
    """)


def test_masks_of_first_lanes() -> None:
    assert after(FEW, load("a", AT, 2, mask=M), load("b", near(9), -2, mask=M)) == text("""
        const bool8 m = first_lanes(n);
        const float8 vector.1 = load8(&x[at] ? first_lanes(((n * 2) + -1)));
        const float8 vector.2 = load8(&x[at + 7] ? first_lanes(((n * 2) + -8)));
        const float8 a = merge(vector.1, vector.2; 0 2 4 6 9 11 13 15);
        const float8 vector.3 = load8(&x[at + -5] ? !first_lanes(((8 - n) * 2)));
        const float8 vector.4 = load8(&x[at + 2] ? !first_lanes((((8 - n) * 2) + -7)));
        const float8 b = merge(vector.3, vector.4; 15 13 11 9 6 4 2 0);
    """)


def test_masks_that_are_left_alone() -> None:
    kept = load("a", AT, 2, mask=M)
    assert "gather8" in after(FEW, kept, masked_bytes=0)
    assert "gather8" not in after(FEW, kept, masked_bytes=8)  # whole vectors are loaded if they lie in one page
    assert "gather8" in after(FEW, load("b", AT, -2, mask=M), masked_bytes=8)
    assert "gather8" in after(Let(M, Name("other", bool_, 8)), kept)
    assert "gather8" in after(Declare(N, integer(1)), FEW, kept)  # who knows what n is by then


@pytest.mark.parametrize("step, lanes", [(1, 8), (0, 8), (9, 32), (5, 8), (4, 4), (3, 4), (-2, 2)])
def test_what_stays(step: int, lanes: int) -> None:
    before = kernel(load("a", AT, step, lanes))
    assert strided_loads(before, 4) is before


def test_what_is_between() -> None:
    """A store may change what the next load reads, and an assignment where it reads."""
    a, b = load("a", AT, 2), load("b", near(1), 2)
    for between, vectors in (
        (Store("y", integer(0), integer(1)), 4),
        (Assign(number("other"), integer(1)), 2),
        (Assign(AT, integer(1)), 4),
    ):
        assert after(Declare(AT, integer(3)), a, between, b).count("load8") == vectors


SIZE = 8 * 4 * 8


@pytest.mark.parametrize("step", [-4, -3, -2, -1, 2, 3, 4])
def test_the_same_values(step: int) -> None:
    """Of loads at several distances, with all masks; what is outside of the elements is not read: that is an error."""
    x = np.arange(1, SIZE + 1, dtype=np.float32)
    together = [(), (1,), (8 * abs(step),), (-1, 8 * step + 1), (abs(step),)]
    for others, count in product(together, [None, -3, *range(11)]):
        firsts = (0, *others)
        reach = step * (7 if count is None else min(max(count, 1), 8) - 1)
        low, high = min(firsts) + min(reach, 0), max(firsts) + max(reach, 0)
        mask = None if count is None else M
        loads = [load(f"a{k}", integer(first - low), step, mask=mask) for k, first in enumerate(firsts)]
        stores = [Store("y", integer(8 * k), one.name) for k, one in enumerate(loads)]
        before = Kernel(
            "k",
            (BufferArgument("y", float32, 0, written=True), BufferArgument("x", float32, 1)),
            (Let(N, integer(count or 0)), FEW, *loads, *stores, Return(integer(0))),
        )
        own = x[: high - low + 1].copy()
        results, vectors = [], strided_loads(before, 4)
        assert "gather" not in body(vectors)
        for one in (before, vectors):
            y = np.zeros(8 * len(firsts), np.float32)
            verify(one)
            run_kernel(one, np.array([y.ctypes.data, own.ctypes.data], np.int64), {0: y, 1: own})
            results.append(y)
        np.testing.assert_array_equal(*results)
