"""Strength reduction of addresses, before and after."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import (
    BufferArgument,
    Declare,
    For,
    Let,
    Literal,
    Load,
    Name,
    Statement,
    Store,
    StoreRun,
    Value,
)
from jitmdh.mdh.kernel.passes.memory.address_chains import chain_addresses
from jitmdh.mdh.kernel.printer import show_kernel
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text

AT, S, N = number("at"), number("s"), number("n")


def row(n: int, behind: int = 0) -> Value:
    return add(add(AT, multiply(S, integer(n))), integer(behind))


def test_golden() -> None:
    a, b = real("a"), real("b")
    before = kernel(
        For(AT, integer(0), N, integer(1), (
            Store("y", row(0), a),
            Store("y", row(1), b),
            Store("y", row(2, 8), a),
            For(number("k"), integer(0), N, integer(1), (Store("y", row(3), b),)),
            StoreRun("y", row(3), (real("v", lanes=8),)),
            Store("y", apply("mul", AT, S), a),
        )),
    )  # fmt: skip
    assert body(before) == text("""
        for (long at = 0; at < n; at += 1) {
            y[at] = a;
            y[at + s] = b;
            y[(at + (s * 2)) + 8] = a;
            for (long k = 0; k < n; k += 1) {
                y[at + (s * 3)] = b;
            }
            store_run8(&y[at + (s * 3)], v);
            y[at * s] = a;
        }
    """)
    assert body(chain_addresses(before)) == text("""
        for (long at = 0; at < n; at += 1) {
            y[at] = a;
            auto *y.1 = opaque(&y[at]);
            auto *y.2 = &y.1[s];
            y.2[0] = b;
            auto *y.3 = &y.2[s];
            y.3[8] = a;
            for (long k = 0; k < n; k += 1) {
                auto *y.4 = &y.3[s];
                y.4[0] = b;
            }
            auto *y.5 = &y.3[s];
            store_run8(&y.5[0], v);
            y[at * s] = a;
        }
    """)


def test_what_may_not_be_computed_elsewhere_stays() -> None:
    mask, cell = Name("inside", bool_), Load("cells", AT, int64)
    variable = number("place")
    stay: list[Statement] = [
        Store("y", add(AT, cell), real("a"), mask=mask),  # a load that the mask forbids
        Store("y", add(add(variable, S), integer(1)), real("a")),  # of a variable
        Store("y", add(AT, S), real("v", lanes=8), stride=S),
    ]
    before = kernel(Declare(variable, integer(0)), *stay)
    assert chain_addresses(before) is before
    after = chain_addresses(kernel(Store("y", add(AT, S), real("a"), mask=mask)))
    assert body(after) == "auto *y.1 = opaque(&y[at]);\nauto *y.2 = &y.1[s];\nif (inside) y.2[0] = a;"


def loaded(*offsets: Value) -> list[Statement]:
    return [Let(real(f"x{n}"), Load("x", offset, float32)) for n, offset in enumerate(offsets)]


def test_loads_of_three_rows_and_more() -> None:
    before = kernel(*loaded(row(0), row(1), row(1, 8), row(3), row(2)), *loaded(add(AT, N)))
    assert body(chain_addresses(before)) == text("""
        const float x0 = x[at];
        auto *x.1 = opaque(&x[at]);
        auto *x.2 = &x.1[s];
        const float x1 = x.2[0];
        const float x2 = x.2[8];
        auto *x.3 = &x.2[s * 2];
        const float x3 = x.3[0];
        auto *x.4 = &x.2[s];
        const float x4 = x.4[0];
        const float x0 = x[at + n];
    """)
    for few in (loaded(row(0), row(1), row(2)), loaded(row(0, 1), row(0, 2), row(0, 3)), loaded(add(AT, N), row(1))):
        before = kernel(*few)
        assert chain_addresses(before) is before


def test_vectors_of_elements_that_lie_apart() -> None:
    """They begin a vector's length of rows apart: one stride is kept in a register, and none for each vector."""
    loads = (Load("x", row(4 * n), float32, 4, stride=S) for n in range(4))
    before = kernel(*(Let(Name(f"x{n}", float32, 4), load) for n, load in enumerate(loads)))
    after = body(chain_addresses(before))
    assert "auto *x.2 = &x.1[s * 4];" in after and "auto *x.3 = &x.2[s * 4];" in after
    assert "auto *x.4 = &x.3[s * 4];" in after and "s * 8" not in after


def test_loads_that_stay_where_they_are() -> None:
    variable, mask = number("place"), Name("inside", bool_)
    rows = [add(variable, multiply(S, integer(n))) for n in range(1, 5)]
    of_a_variable = kernel(Declare(variable, integer(0)), *loaded(*rows))
    assert chain_addresses(of_a_variable) is of_a_variable
    cell = Load("cells", AT, int64)
    masked = [
        Let(real(f"x{n}"), Load("x", add(AT, multiply(cell, integer(n))), float32, mask=mask)) for n in range(1, 5)
    ]
    what_a_mask_forbids = kernel(*masked)
    assert chain_addresses(what_a_mask_forbids) is what_a_mask_forbids


def test_a_name_that_is_bound_again() -> None:
    """The same statements may stand in a block twice."""
    twice = (Let(AT, Load("x", N, int64)), Store("y", add(AT, S), Literal(0.0, float32)))
    assert body(chain_addresses(kernel(*twice, *twice))).count("opaque(&y[at])") == 2


@mdh.jit(tune="off", cache=False, schedule={"part_size": {"(L1,i)": 4, "(L1,j)": 8, "(REG,j)": 4}})
def product(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def test_no_row_hides_an_argument() -> None:
    """Those of `*arrays` are called arrays.0, arrays.1, …"""
    store = Store("y", row(1), real("a"))
    plain = kernel(store)
    star = replace(plain, buffers=(*plain.buffers, BufferArgument("y.1", float32, 2)))
    assert "auto *y.1 =" in body(chain_addresses(plain))
    assert "auto *y.1 =" not in show_kernel(chain_addresses(star))


@pytest.mark.parametrize("between", [0, 1, 5, 16])
def test_rows_with_elements_between_them(between: int) -> None:
    random = np.random.default_rng(between)
    a, b = random.integers(-9, 9, (9, 5)).astype(np.float64), random.integers(-9, 9, (5, 19)).astype(np.float64)
    memory = np.full((9, 19 + between), 77.0)
    c = memory[:, :19]
    c[...] = 0
    product(c, a, b)
    np.testing.assert_array_equal(c, a @ b)
    assert (memory[:, 19:] == 77).all()


def test_each_row_is_a_stride_behind_the_one_before() -> None:
    a, b, c = np.ones((8, 5)), np.ones((5, 16)), np.zeros((8, 16))
    text = product.inspect(c, a, b, stage="llvm")
    opaque = re.findall(r"(%\S+) = freeze ptr", text)
    steps = dict(re.findall(r"(%\S+) = getelementptr double, ptr (%\S+), i64 (?=%)", text))

    def rows_before(pointer: str) -> int:
        return 1 + rows_before(steps[pointer]) if pointer in steps else 0

    def first(pointer: str) -> str:
        return first(steps[pointer]) if pointer in steps else pointer

    assert any(rows_before(pointer) == 3 and first(pointer) in opaque for pointer in steps), text
