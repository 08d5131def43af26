"""Updates under a condition that a loop does not change, before and after it is looked at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, spread
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Let, Load, Return, Statement, Store, Value
from jitmdh.mdh.kernel.passes.memory.conditional_updates import unswitch
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text, written

K, N = number("k"), number("n")


def update(condition: Value, end: Value = N) -> For:
    there, old, new = Load("y", K, float32, 8), real("old", lanes=8), real("new", lanes=8)
    chosen = Apply("select", (spread(condition, 8), Apply("mul", (old, old), float32, 8), old), float32, 8)
    inside: tuple[Statement, ...] = (Let(old, there), Let(real("b"), Load("x", integer(3), float32)), Let(new, chosen))
    return For(K, integer(0), end, integer(8), (*inside, Store("y", K, new)))


def test_golden() -> None:
    before = kernel(Let(N, integer(16)), update(compare("lt", real("b"), real("b"))), Return(integer(0)))
    assert body(unswitch(before)) == text("""
        const long n = 16;
        if (0 < n) {
            const bool updated.1 = x[3] < x[3];
            if (updated.1) {
                for (long k = 0; k < n; k += 8) {
                    const float8 old = load8(&y[k]);
                    const float b = x[3];
                    const float8 new = old * old;
                    store8(&y[k], new);
                }
            }
        }
        return status;
    """)


@pytest.mark.parametrize("op", ["lt", "le", "ne", "eq"])
@pytest.mark.parametrize("end", [0, 16])
def test_what_is_written_stays(op: str, end: int) -> None:
    before = kernel(Let(N, integer(end)), update(compare(op, real("b"), real("b"))), Return(integer(0)))
    assert np.array_equal(written(before, 0), written(unswitch(before), 0))


def test_conditions_that_a_loop_may_change_stay_inside() -> None:
    of_the_loop = update(compare("lt", K, N))
    written_there = update(Apply("lt", (Load("y", integer(0), float32), real("b")), bool_))
    another = update(compare("lt", real("b"), real("b")))
    elsewhere = replace(another, body=(*another.body[:-1], Store("y", integer(8), real("new", lanes=8))))
    for loop in of_the_loop, written_there, elsewhere:
        before = kernel(Let(N, integer(16)), loop, Return(integer(0)))
        assert unswitch(before) is before


def under_masks(*masks: Value, end: int = 5) -> tuple[Statement, ...]:
    """Elements that are updated in order, each under its own mask."""
    inside: list[Statement] = [Let(real("b"), Load("x", integer(3), float32))]
    for n, mask in enumerate(masks):
        place, new = add(K, integer(n)), real(f"new{n}")
        there = Apply("add", (Load("y", place, float32, mask=mask), real("b")), float32)
        inside += [Let(new, there), Store("y", place, new, mask=mask)]
    return Let(N, integer(end)), For(K, integer(0), N, integer(1), tuple(inside)), Return(integer(0))


def test_what_all_masks_have_in_common_is_asked_before() -> None:
    known, inside = compare("lt", real("b"), real("b")), compare("ge", K, integer(2))
    before = kernel(*under_masks(Apply("and", (known, inside), bool_), known))
    assert body(unswitch(before)) == text("""
        const long n = 5;
        if (0 < n) {
            const bool updated.1 = x[3] < x[3];
            if (updated.1) {
                for (long k = 0; k < n; k += 1) {
                    const float b = x[3];
                    const float new0 = (k >= 2 ? y[k] : 0) + b;
                    if (k >= 2) y[k] = new0;
                    const float new1 = y[k + 1] + b;
                    y[k + 1] = new1;
                }
            }
        }
        return status;
    """)


@pytest.mark.parametrize("op", ["lt", "le"])
@pytest.mark.parametrize("end", [0, 1, 5])
def test_what_is_written_under_masks_stays(op: str, end: int) -> None:
    known, inside = compare(op, real("b"), real("b")), compare("ge", K, integer(2))
    both = Apply("and", (inside, Apply("and", (known, compare("lt", K, integer(4))), bool_)), bool_)
    for masks in (both, known), (known,), (both, both), (both, inside, known), (inside,):
        before = kernel(*under_masks(*masks, end=end))
        assert (unswitch(before) is before) == (inside in masks)
        assert np.array_equal(written(before, 0), written(unswitch(before), 0))


def test_a_loop_that_adds_up_what_it_reads_runs() -> None:
    known = compare("lt", real("b"), real("b"))
    given, loop, end = under_masks(known)
    assert isinstance(loop, For)
    counts = replace(loop, body=(*loop.body, Assign(real("acc"), real("b"))))
    before = kernel(given, Declare(real("acc"), Load("x", integer(0), float32)), counts, end)
    assert unswitch(before) is before


@mdh.jit
def descended(x, w, r):  # type: ignore[no-untyped-def]
    for j in range(len(w)):
        new = np.floor(x[j] @ r)
        if new != w[j]:
            r += x[j] * (new - w[j])
            w[j] = new
    return r.sum()


@pytest.mark.parametrize("columns", [0, 3, 8, 50])
def test_a_descent_along_coordinates(columns: int) -> None:
    random = np.random.default_rng(columns)
    x, w, r = random.standard_normal((9, columns)) / 4, np.zeros(9), random.standard_normal(columns)
    found = []
    for f in descended, descended.py_func:
        mine = x.copy(), w.copy(), r.copy()
        f(*mine)
        found.append(mine)
    for ours, pythons in zip(*found):
        np.testing.assert_allclose(ours, pythons, rtol=1e-12)
