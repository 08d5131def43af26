"""What runs on the device becomes parallel loops, and computes the same."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply, negated, subtract
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    Barrier,
    Declare,
    For,
    Grid,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Return,
    Scratch,
    Store,
    Thread,
    Value,
    View,
)
from jitmdh.mdh.kernel.passes.offloading.outline import outline
from jitmdh.mdh.kernel.simt_interp import run_grids
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text

N, T, I, A, B = number("n"), number("t"), number("i"), real("a"), real("b")
X, FIRST_OF_B = (Load(buffer, integer(0), float32) for buffer in "xb")


FROM_DATA = Apply("cast", (Load("x", integer(3), float32),), int64)


def outlined(*statements: object) -> Kernel:
    before = kernel(*statements, Return(integer(0)))  # type: ignore[arg-type]
    verify(before)
    after = outline(before, NotAnMdhError)
    verify(after, "outline")
    x, results = np.arange(1, 13, dtype=np.float32), []
    for one in (before, after):
        y, frame = np.zeros(12, np.float32), np.array([0, 0, 3])
        frame[0], frame[1] = y.ctypes.data, x.ctypes.data
        run_kernel(one, frame, {0: y, 1: x}, threads=2)
        results.append(y)
    np.testing.assert_array_equal(*results)
    assert results[0].any()
    return after


def part(count: Value = N) -> Parallel:
    """y[t] = x[t] by way of a working buffer of each iteration."""
    inner = Store("b", integer(1), Load("x", T, float32)), Store("y", T, Load("b", integer(1), float32))
    return Parallel(T, count, (Scratch("b", float32, add(N, integer(2)), inner),))


def test_statements_between_loops_are_a_loop_of_one_iteration() -> None:
    after = outlined(Let(N, Argument(2)), Let(A, X), Store("y", Argument(2), apply("add", A, A)), part(integer(3)))
    assert re.sub(" +$", "", body(after), flags=re.MULTILINE) == text("""
        const long n = frame[2];
        const long frame.2.int64 = frame[2];
        parallel for (long item.1 = 0; item.1 < 1; item.1++) {  //
            const float a = x[0];
            y[frame.2.int64] = a + a;
        }
        float *b.of_all = scratch(capped_mul(n + 2, 3));  // MM
        {
            parallel for (long t = 0; t < 3; t++) {  //
                auto *b = &b.of_all[t * (n + 2)];
                b[1] = x[t];
                y[t] = b[1];
            }
        }
        return status;
    """)


def test_sizes_conditions_and_sequential_loops_stay_on_the_host() -> None:
    after = outlined(
        Let(N, Argument(2)),
        If(compare("gt", N, integer(1)), (For(I, integer(0), N, integer(1), (part(),)),)),
        Scratch(
            "b",
            float32,
            N,
            (Store("b", integer(0), X), Parallel(T, N, (Store("y", T, Load("b", integer(0), float32)),))),
        ),
    )
    assert "if (n > 1) {\n    for (long i = 0; i < n; i += 1) {\n        float *b.of_all" in body(after)
    assert "float *b = scratch(n);  // MM\n{\n    parallel for (long item.1 = 0" in body(after)


def test_a_name_that_is_bound_again_keeps_its_meaning() -> None:
    after = outlined(Let(N, integer(1)), Store("y", N, X), Let(N, integer(2)), Store("y", N, X))
    assert body(after).count("parallel for") == 2


def test_buffers_of_the_same_name_and_another_size() -> None:
    def inner(at: int) -> Scratch:
        stored = Store("b", integer(at), X), Store("y", multiply(T, integer(at)), Load("b", integer(at), float32))
        return Scratch("b", float32, integer(at + 1), stored)

    after = outlined(Parallel(T, integer(3), (inner(1), inner(2), inner(1))))
    assert "float *b.of_all = " in body(after) and "float *b.of_all' = " in body(after)


def test_what_one_loop_computes_lies_in_a_cell_for_another() -> None:
    after = outlined(
        Declare(A, X), Assign(A, apply("add", A, A)), Let(B, A), Parallel(T, integer(3), (Store("y", T, B),))
    )
    assert body(after).count("cells.float32[0] = b;") == 1 and "y[t] = cells.float32[0]" in body(after)


def test_loops_of_one_iteration_that_follow_each_other_are_one() -> None:
    bad = compare("lt", X, Literal(0.0, float32))
    inner = If(negated(bad), (Store("y", integer(1), X), If(bad, (part(integer(2)),))))
    assert body(outlined(Let(N, integer(1)), Store("y", integer(0), X), inner)).count("parallel for") == 2


@pytest.mark.parametrize("limit", [0.0, 5.0])
def test_conditions_on_data_are_looked_at_by_each_loop(limit: float) -> None:
    """x[0] is 1. The variable that decides may be assigned inside; names of the branch may be those of other loops."""
    flag, below = Name("flag", bool_), compare("lt", X, Literal(limit, float32))
    chosen = If(
        flag,
        (Assign(flag, negated(flag)), part(integer(3)), Let(B, X), Parallel(T, N, (Store("y", T, B),))),
        (Store("y", integer(4), X), Parallel(T, N, (Store("y", add(T, integer(6)), X),))),
    )
    outlined(Let(N, Argument(2)), Declare(flag, below), chosen, If(flag, (Store("y", integer(11), X),)), part())


@pytest.mark.parametrize("limit", [0.0, 5.0])
def test_one_thread_of_a_block_looks_at_conditions_for_all(limit: float) -> None:
    """Of a grid under two of them: its barriers need all threads."""
    shared = Scratch("b", float32, integer(4), (
        Store("b", T, Load("x", T, float32)), Barrier(),
        Store("y", add(multiply(I, integer(4)), T), Load("b", subtract(integer(3), T), float32)),
    ), "SM")  # fmt: skip
    grid = Grid(I, integer(2), 4, (Let(T, Thread()), shared))
    inner = If(negated(compare("lt", X, Literal(0.5, float32))), (grid,))
    chosen = If(compare("lt", X, Literal(limit, float32)), (inner,), (replace(grid, count=integer(1)),))
    before = kernel(chosen, Return(integer(0)))
    after = outline(before, NotAnMdhError)
    verify(after, "outline")
    assert not any(isinstance(statement, If) for statement in after.body) and body(after).count("barrier") == 4
    x, results = np.arange(1, 13, dtype=np.float32), []
    for one in (before, after):
        y = np.zeros(12, np.float32)
        run_grids(one, np.array([y.ctypes.data, x.ctypes.data, 0]), {0: y, 1: x})
        results.append(y.tolist())
    assert results[0] == results[1] == [4, 3, 2, 1] * (2 if limit else 1) + [0] * (4 if limit else 8)


def test_loops_that_data_end_run_in_order() -> None:
    for loop in (part(FROM_DATA), For(I, integer(0), FROM_DATA, integer(1), (Parallel(T, I, (Store("y", I, X),)),))):
        after = outlined(Let(N, integer(1)), loop)
        assert body(after).count("parallel for") == 1


def test_views_are_seen_by_all_loops() -> None:
    stored = Store("v", T, X)
    after = outlined(
        Let(N, integer(0)), View("v", "y", integer(2)), part(integer(2)), Parallel(T, integer(3), (stored,))
    )
    assert "auto *v = &y[2];\n    v[t] = x[0];" in body(after)


def test_buffers_whose_size_each_iteration_computes_are_as_large_as_the_largest() -> None:
    """t + 1 elements, and min(t, 1) + 1 of them in a loop; each iteration's part is whole cache lines."""
    inner = Store("b", T, X), Store("y", T, Load("b", T, float32))
    short = Apply("minimum", (T, integer(1)), int64)
    again = Store("c", short, X), Store("y", add(T, integer(6)), Load("c", short, float32))
    loop = For(I, integer(0), integer(2), integer(1), (Scratch("c", float32, add(short, integer(1)), again),))
    after = body(outlined(Parallel(T, integer(3), (Let(N, add(T, integer(1))), Scratch("b", float32, N, inner), loop))))
    assert (
        "float *b.of_all = scratch(capped_mul(3, 3));" in after
    )  # a constant: no line is shared for the sake of speed
    assert "float *c.of_all = scratch(capped_mul(2, 3));" in after
    assert "auto *c = &c.of_all[t * 2];" in after


def test_sizes_of_tiles_are_those_of_the_largest_tile() -> None:
    tile = Let(Name("m"), Apply("sub", (Apply("minimum", (add(I, integer(4)), N), int64), I), int64))
    stored = Store("b", integer(0), X), Store("y", T, Load("b", integer(0), float32))
    loop = For(I, integer(0), N, integer(4), (tile, Scratch("b", float32, Name("m"), stored)))
    after = body(outlined(Let(N, Argument(2)), Parallel(T, integer(3), (loop,))))
    assert "const long b.size.0 = ((max(min(4, n), 0) + 15) / 16) * 16;" in after
    assert "auto *b = &b.of_all[t * b.size.0];" in after


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (
            Parallel(T, integer(3), (Let(N, FROM_DATA), Scratch("b", float32, N, ()))),
            "a working buffer whose size is computed in a parallel loop",
        ),
        (
            If(compare("lt", X, X), (Return(integer(1)),)),
            "an end of the function that depends on data",
        ),
    ],
)
def test_what_the_host_cannot_know_is_refused(statement: Parallel | If, what: str) -> None:
    with pytest.raises(NotAnMdhError, match=what):
        outline(kernel(statement, Return(integer(0))), NotAnMdhError)
