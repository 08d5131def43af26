"""What runs on the device becomes parallel loops, and computes the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jitmdh.base.dtype import float32, int64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Argument,
    For,
    If,
    Kernel,
    Let,
    Load,
    Parallel,
    Return,
    Scratch,
    Store,
    Value,
    add,
    compare,
    integer,
    multiply,
)
from jitmdh.mdh.kernel.verify import verify
from jitmdh.mdh.targets.opencl.outline import outline
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text

N, T, I, A, B = number("n"), number("t"), number("i"), real("a"), real("b")
X, FIRST_OF_B = (Load(buffer, integer(0), float32) for buffer in "xb")


def outlined(*statements: object) -> Kernel:
    before = kernel(*statements, Return(integer(0)))  # type: ignore[arg-type]
    verify(before)
    after = outline(before)
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


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (Parallel(T, Load("counts", integer(0), int64), ()), "a parallel loop whose extent is computed on the way"),
        (
            Parallel(T, integer(3), (Let(N, T), Scratch("b", float32, N, ()))),
            "a working buffer whose size is computed in a parallel loop",
        ),
    ],
)
def test_what_the_host_cannot_know_is_refused(statement: Parallel, what: str) -> None:
    with pytest.raises(NotAnMdhError, match=what):
        outline(kernel(statement, Return(integer(0))))


def test_a_value_that_a_kernel_computes_is_not_passed_to_another() -> None:
    with pytest.raises(NotAnMdhError, match="the value a, which is computed by another kernel"):
        outline(kernel(Let(A, X), Parallel(T, integer(3), (Store("y", T, A),)), Return(integer(0))))
