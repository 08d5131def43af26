"""Elements that are known, before and after their names stand for them; loops in order ≡ Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32, int64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import For, If, Let, Load, Name, Statement, Store, Value
from jitmdh.mdh.kernel.passes.memory.scalar_replacement import replace_scalars
from tests.mdh.kernel.passes.examples import apply, body, kernel, real, text
from tests.source_text import function_in

I, N = Name("i", int64), real("n", int64)


def load(name: str, buffer: str, offset: Value) -> Let:
    return Let(real(name), Load(buffer, offset, float32))


def test_golden() -> None:
    before = kernel(
        load("a", "x", integer(0)),
        Store("y", integer(0), real("a")),
        If(compare("lt", N, integer(3)), (load("b", "x", integer(0)), Store("y", integer(1), real("b")))),
        load("c", "y", integer(0)),
        Store("y", integer(2), real("c")),
    )
    assert body(replace_scalars(before)) == text("""
        const float a = x[0];
        y[0] = a;
        if (n < 3) {
            const float b = a;
            y[1] = b;
        }
        const float c = y[0];
        y[2] = c;
    """)


def test_what_is_loaded_under_a_condition_is_chosen() -> None:
    few = compare("lt", N, integer(3))
    before = kernel(
        load("a", "x", integer(0)),
        Store("y", integer(0), real("a")),
        Let(real("b"), Load("y", integer(0), float32, mask=few)),
        Let(real("c"), Load("x", integer(1), float32, mask=few)),
        load("d", "x", integer(1)),
    )
    assert body(replace_scalars(before)) == text("""
        const float a = x[0];
        y[0] = a;
        const float b = ((n < 3) ? a : 0.0f);
        const float c = (n < 3 ? x[1] : 0);
        const float d = x[1];
    """)


def recurrence(*more: Statement) -> For:
    rounds = (
        load("a", "y", I),
        load("b", "y", add(I, integer(1))),
        Let(real("c"), apply("add", real("a"), real("b"))),
        *more,
        Store("y", add(I, integer(2)), real("c")),
    )
    return For(I, integer(4), N, integer(1), rounds)


def test_golden_of_a_loop() -> None:
    assert body(replace_scalars(kernel(recurrence()))) == text("""
        float carried.1 = (4 < n ? y[4] : 0);
        float carried.2 = (4 < n ? y[5] : 0);
        for (long i = 4; i < n; i += 1) {
            const float a = carried.1;
            const float b = carried.2;
            const float c = a + b;
            y[i + 2] = c;
            carried.1 = carried.2;
            carried.2 = c;
        }
    """)


@pytest.mark.parametrize("more", [
    Store("y", integer(3), real("c")),
    If(compare("lt", N, integer(3)), (Store("y", I, real("c")),)),
])  # fmt: skip
def test_a_loop_that_stores_elsewhere_too_stays(more: Statement) -> None:
    before = kernel(recurrence(more))
    assert replace_scalars(before) is before


def forwards(x: Any, y: Any, a: float) -> None:
    for i in range(2, len(x)):
        y[i] = a * x[i] + y[i - 1] - 0.25 * y[i - 2]


def backwards(x: Any, y: Any, a: float) -> None:
    for i in range(len(x) - 2, -1, -1):
        y[i] = a * x[i] + 0.5 * y[i + 1]


def every_other(x: Any, y: Any, a: float) -> None:
    for i in range(2, len(x), 2):
        y[i] = a * x[i] + 0.5 * y[i - 2]


def along_rows(x: Any, y: Any, a: float) -> None:
    for i in range(len(x)):
        for j in range(1, x.shape[1]):
            y[i, j] = a * x[i, j] + 0.5 * y[i, j - 1]


def in_place(x: Any, y: Any, a: float) -> None:
    for i in range(1, len(x)):
        y[i] = y[i] * a + 0.5 * y[i - 1] // (len(x) - 3)


@pytest.mark.parametrize("f", [forwards, backwards, every_other, along_rows, in_place])
@pytest.mark.parametrize("size", [0, 1, 2, 20, 305])
def test_loops_in_order_are_pythons(f: Any, size: int) -> None:
    x = np.random.default_rng(size).standard_normal(size)
    ours, pythons = x[::-1].copy(), x[::-1].copy()
    if f is along_rows:
        x, ours, pythons = (np.resize(array, (5, size)) for array in (x, ours, pythons))
    mdh.jit(f)(x, ours, 0.3)
    f(x, pythons, 0.3)
    np.testing.assert_allclose(ours, pythons, rtol=1e-12)


def test_golden_of_a_loop_that_stores_several_elements() -> None:
    """What came last to the element counts, and elements a fixed distance apart are different ones."""
    rounds = (
        load("a", "y", I),
        Let(real("b"), apply("add", real("a"), real("w"))),
        Store("y", I, real("b")),
        load("c", "y", add(I, integer(1))),
        Let(real("d"), apply("add", real("c"), real("b"))),
        Store("y", add(I, integer(1)), real("d")),
        load("e", "y", I),
        Store("z", I, real("e")),
    )
    assert body(replace_scalars(kernel(For(I, integer(4), N, integer(1), rounds)))) == text("""
        float carried.1 = (4 < n ? y[4] : 0);
        for (long i = 4; i < n; i += 1) {
            const float a = carried.1;
            const float b = a + w;
            y[i] = b;
            const float c = y[i + 1];
            const float d = c + b;
            y[i + 1] = d;
            carried.1 = d;
            const float e = b;
            z[i] = e;
        }
    """)


def loops_of_updates(seed: int) -> str:
    """A loop in order whose statements load and store neighbours, some of them the same, some two rounds later."""
    rng = np.random.default_rng(seed)
    step = int(rng.choice([1, 1, 1, 2, -1, -2, 3]))
    ends = "4, len(x) - 4" if step > 0 else "len(x) - 5, 3"
    lines = [f"for i in range({ends}, {step}):"]
    for _ in range(rng.integers(1, 5)):
        array, at, one, two = rng.choice(["x", "y"]), *rng.integers(-3, 4, 3)
        update = rng.choice(["x[i + {1}] * 0.25 + y[i + {2}] * 0.5", "{0}[i + {1}] - y[i] * 0.5", "x[i + {1}] * 0.75"])
        sign = rng.choice(["=", "+="])
        lines.append(f"    {array}[i + {at}] {sign} {update.format(array, one, two)}")
    return "\n".join(["def f(x, y):", *(f"    {line}" for line in lines)])


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("seeds", [range(k, k + 12) for k in range(0, 240, 12)])
def test_loops_of_several_updates_are_pythons(seeds: Any) -> None:
    for seed in seeds:
        source = loops_of_updates(seed)
        f = function_in(source, f"<updates {seed}>")
        compiled = mdh.jit(f)
        for size in (0, 9, 40):
            x, y = np.random.default_rng(seed).standard_normal((2, size))
            ours, pythons = (x.copy(), y.copy()), (x.copy(), y.copy())
            compiled(*ours)
            f(*pythons)
            np.testing.assert_allclose(ours, pythons, 1e-12, 1e-12, err_msg=source)


def _two_rows(rows: tuple[tuple[str, str], ...], below: Value) -> str:
    at = add(apply("mul", I, S), J)
    body_ = (
        load("a", "y", at),
        Store("y", add(at, integer(1)), real("a")),
        Let(Name("under", int64), add(I, integer(1))),
        load("b", "y", below),
        Store("y", add(add(apply("mul", Name("under", int64), S), J), integer(1)), real("b")),
    )
    loop = For(J, integer(0), N, integer(1), body_, rows=rows)
    return body(replace_scalars(kernel(loop)))


S, J = Name("s", int64), Name("j", int64)
OWN_ROW = add(apply("mul", Name("under", int64), S), J)
ROW_ABOVE = add(apply("mul", I, S), J)


def test_rows_of_which_a_loop_says_that_they_are_apart() -> None:
    assert _two_rows((("y", "s"),), OWN_ROW) == text("""
        float carried.1 = (0 < n ? y[i * s] : 0);
        float carried.2 = (0 < n ? y[s + (i * s)] : 0);
        for (long j = 0; j < n; j += 1) {
            const float a = carried.1;
            y[((i * s) + j) + 1] = a;
            carried.1 = a;
            const long under = i + 1;
            const float b = carried.2;
            y[((under * s) + j) + 1] = b;
            carried.2 = b;
        }
    """)
    assert "const float b = carried.1" in _two_rows((("y", "s"),), ROW_ABOVE)


def test_rows_of_which_nothing_is_known() -> None:
    for rows in ((), (("x", "s"),), (("y", "n"),)):
        assert "carried" not in _two_rows(rows, OWN_ROW)
