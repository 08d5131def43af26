"""Functions of numbers that stay the same in a loop, before and after."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    BufferArgument,
    Declare,
    Fail,
    For,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Splat,
    Statement,
    Store,
)
from jitmdh.mdh.kernel.passes.functions.invariant_functions import hoist_functions
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text

I, J, K, N = map(number, "ijkn")
A, S, T, U, V, X = map(real, "astuvx")
WRONG = Name("wrong", bool_)


def over(name: Name, *inside: Statement) -> For:
    return For(name, integer(0), N, integer(1), inside)


def with_number(*inside: Statement) -> Kernel:
    """A kernel with a scalar argument `a` beside its arrays."""
    plain = kernel(*inside)
    return replace(plain, buffers=(*plain.buffers, BufferArgument("a", float32, 2, inline=True)))


def test_golden() -> None:
    before = with_number(
        over(I,
            over(J,
                Let(A, Load("a", integer(0), float32)),
                Let(S, apply("neg", A)),
                Let(T, apply("exp", S)),
                Let(WRONG, Apply("gt", (T, Literal(9.0, float32)), bool_)),
                Let(X, Load("x", J, float32)),
                Let(U, apply("mul", A, A)),
                Let(V, apply("sqrt", X)),
                Fail(WRONG, 7),
                Store("y", I, apply("mul", apply("mul", T, V), U)),
            ),
        ),
    )  # fmt: skip
    assert body(hoist_functions(before)) == text("""
        const float *a = &frame[2];
        const float a = a[0];
        const float s = -a;
        const float t = exp(s);
        const bool wrong = t > 9.0f;
        for (long i = 0; i < n; i += 1) {
            for (long j = 0; j < n; j += 1) {
                const float x = x[j];
                const float u = a * a;
                const float v = sqrt(x);
                if (any(wrong)) status = 7;
                y[i] = (t * v) * u;
            }
        }
    """)


def test_parts_of_vectors_and_statements_get_names() -> None:
    """Equal ones in front of one loop have one name; what costs less than a register stays."""
    wide = Splat(apply("exp", apply("neg", Load("a", integer(0), float32))), float32, 4)
    row = Load("x", J, float32, 4)
    before = with_number(
        over(I,
            over(J,
                Let(replace(T, lanes=4), Apply("mul", (wide, row), float32, 4)),
                Store("y", J, Apply("add", (replace(T, lanes=4), wide), float32, 4)),
                Store("y", I, apply("mul", apply("sqrt", Load("a", integer(0), float32)), Load("x", J, float32))),
            ),
        ),
    )  # fmt: skip
    assert body(hoist_functions(before)) == text("""
        const float *a = &frame[2];
        const float function.0 = exp(-a[0]);
        const float function.1 = sqrt(a[0]);
        for (long i = 0; i < n; i += 1) {
            for (long j = 0; j < n; j += 1) {
                const float4 t = splat4(function.0) * load4(&x[j]);
                store4(&y[j], t + splat4(function.0));
                y[i] = function.1 * x[j];
            }
        }
    """)


def test_in_front_of_the_loop_whose_rounds_change_what_is_needed() -> None:
    before = with_number(
        over(I,
            Let(X, Load("x", I, float32)),
            If(Name("c", bool_), (over(J, Let(T, apply("exp", X)), Store("y", J, T)),)),
        )
    )  # fmt: skip
    assert body(hoist_functions(before)) == text("""
        const float *a = &frame[2];
        for (long i = 0; i < n; i += 1) {
            const float x = x[i];
            if (c) {
                const float t = exp(x);
                for (long j = 0; j < n; j += 1) {
                    y[j] = t;
                }
            }
        }
    """)


@pytest.mark.parametrize(
    "inside",
    [
        (Let(T, apply("exp", Load("y", integer(0), float32))), Store("y", I, T)),  # which the loop may write
        (Declare(X, A), Let(T, apply("exp", X)), Assign(X, T), Store("y", I, T)),
        (Let(J, Apply("floordiv", (N, N), N.type)), Store("y", J, A)),  # there may be none
        (Let(T, apply("mul", A, A)), Store("y", I, T)),  # costs less than a register
        (Parallel(J, N, (Let(T, apply("exp", J)), Store("y", J, T))),),  # another number in each task
    ],
)
def test_what_stays_where_it_is(inside: tuple[Statement, ...]) -> None:
    before = with_number(over(I, *inside))
    assert hoist_functions(before) is before


def test_once_in_each_task_where_no_loop_is_around_all_of_them() -> None:
    before = with_number(Parallel(J, N, (Let(T, apply("exp", A)), Store("y", J, T))))
    assert hoist_functions(before) is before


def test_out_of_the_tasks_of_a_loop() -> None:
    before = with_number(
        Let(A, Load("a", integer(0), float32)),
        over(
            I, Parallel(J, N, (over(K, Let(T, apply("exp", A)), Let(U, apply("sqrt", X)), Store("y", K, T)),), "COR j")
        ),
    )
    assert body(hoist_functions(before)) == text("""
        const float *a = &frame[2];
        const float a = a[0];
        const float t = exp(a);
        for (long i = 0; i < n; i += 1) {
            parallel for (long j = 0; j < n; j++) {  // COR j
                for (long k = 0; k < n; k += 1) {
                    const float u = sqrt(x);
                    y[k] = t;
                }
            }
        }
    """)


@mdh.jit(cache=False)
def decayed(y: np.ndarray, x: np.ndarray, rate: float) -> None:
    factor = math.exp(-rate) / math.pow(2.0, rate)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = factor * x[i, j]


def test_an_error_of_a_function_is_raised_as_before() -> None:
    x = np.random.default_rng(0).random((40, 30))
    y = np.zeros_like(x)
    decayed(y, x, 0.25)
    np.testing.assert_allclose(y, math.exp(-0.25) / 2.0**0.25 * x, rtol=1e-14)
    with pytest.raises(OverflowError):
        decayed(y, x, -1000.0)
