"""Loop-invariant code motion, before and after."""

from __future__ import annotations

import re

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32, int64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply
from jitmdh.mdh.kernel.ir import Assign, Declare, For, If, Let, Load, Name, Parallel, Return, Statement, Store, Value
from jitmdh.mdh.kernel.passes.loops.licm import hoist_invariants
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text, written

I, J, K, N, S = number("i"), number("j"), number("k"), number("n"), number("s")


def over(name: Name, *inside: Statement) -> For:
    return For(name, integer(0), N, integer(1), inside)


def product(*factors: Value) -> Value:
    return apply("mul", *factors)


def test_golden() -> None:
    a = real("a")
    before = kernel(
        over(I,
            over(K,
                Let(number("at"), add(product(I, S), product(N, S))),
                Store("y", add(number("at"), K), apply("add", a, a)),
                Store("y", add(product(I, S), product(K, S)), a),
            ),
        ),
    )  # fmt: skip
    assert body(before) == text("""
        for (long i = 0; i < n; i += 1) {
            for (long k = 0; k < n; k += 1) {
                const long at = (i * s) + (n * s);
                y[at + k] = a + a;
                y[(i * s) + (k * s)] = a;
            }
        }
    """)
    assert body(hoist_invariants(before)) == text("""
        const long invariant.1 = n * s;
        for (long i = 0; i < n; i += 1) {
            const long invariant.2 = (i * s) + invariant.1;
            const long invariant.3 = i * s;
            for (long k = 0; k < n; k += 1) {
                const long at = invariant.2;
                y[invariant.2 + k] = a + a;
                y[invariant.3 + (k * s)] = a;
            }
        }
    """)


def test_addresses_of_a_loop_that_only_moves_data_begin_at_rows() -> None:
    at, a = number("at"), real("a")
    before = kernel(
        over(I,
            over(K,
                Let(at, add(product(I, S), multiply(K, integer(8)))),
                Let(a, Load("x", add(product(add(I, integer(1)), S), add(K, N)), float32)),
                Store("y", at, a),
                Store("y", add(at, integer(1)), Load("x", add(product(I, S), add(K, N)), float32)),
            ),
        ),
    )  # fmt: skip
    assert body(hoist_invariants(before)) == text("""
        for (long i = 0; i < n; i += 1) {
            const long invariant.1 = i * s;
            const long invariant.2 = ((i + 1) * s) + n;
            auto *x.row3 = &x[invariant.2];
            auto *y.row4 = &y[invariant.1];
            const long invariant.5 = (i * s) + n;
            auto *x.row6 = &x[invariant.5];
            for (long k = 0; k < n; k += 1) {  // opaque
                const long at = invariant.1 + (k * 8);
                const float a = x.row3[k];
                y.row4[k * 8] = a;
                y.row4[(k * 8) + 1] = x.row6[k];
            }
        }
    """)


@pytest.mark.parametrize("value", [
    apply("floordiv", N, S),  # s may be 0 where the loop has no round
    apply("udiv", N, S),
    Load("x", integer(0), int64),
    number("changing"),
])  # fmt: skip
def test_what_stays(value: Value) -> None:
    inside = Store("y", add(value, K), real("a"))
    before = kernel(Declare(number("changing"), N), over(K, Assign(number("changing"), K), inside, Return(value)))
    assert hoist_invariants(before) is before


def test_tasks_are_functions_of_their_own() -> None:
    """What is computed before a loop is not computed before the function around it."""
    task = Parallel(number("task"), N, (over(K, Store("y", add(product(N, S), K), apply("neg", real("a")))),))
    assert body(hoist_invariants(kernel(task))).splitlines()[1] == "    const long invariant.1 = n * s;"


def test_names_that_stand_for_several_values() -> None:
    """The same statement in two blocks: what it is computed from is another number in each."""
    at, k = number("at"), number("k")
    loop = For(k, integer(0), integer(2), integer(1), (Store("y", add(product(at, at), k), Load("x", k, float32)),))
    blocks = [If(compare("eq", N, N), (Let(at, integer(n)), loop)) for n in (1, 4)]
    again = For(I, integer(0), integer(2), integer(1), (Let(at, add(I, integer(5))), loop))
    before = kernel(Let(N, integer(2)), *blocks, again, Return(integer(0)))
    after = hoist_invariants(before)
    assert after is not before
    assert np.array_equal(written(after, 0), written(before, 0))


def test_a_name_from_before_a_loop_keeps_its_place() -> None:
    """What was first met in a loop inside is known to be made in the outer loop, also behind that one."""
    a = apply("neg", real("a"))
    inside = over(K, Store("y", add(product(I, S), K), a))
    behind = Let(number("at"), product(I, S)), Store("y", add(product(number("at"), S), J), a)
    before = kernel(Let(N, integer(2)), Let(S, integer(3)), Let(real("a"), Load("x", integer(4), float32)),
                    over(I, over(J, inside, *behind)), Return(integer(0)))  # fmt: skip
    assert np.array_equal(written(hoist_invariants(before), 0), written(before, 0))


@mdh.jit(tune="off", cache=False)
def products(out, x, y):
    for b in range(out.shape[0]):
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                for k in range(x.shape[1]):
                    out[b, i, j] += x[b, k, i] * y[b, k, j]


def test_products_of_outer_indices_are_not_in_the_innermost_loop() -> None:
    """Of the two accesses there, only k times a stride is computed in each round."""
    out, x, y = np.zeros((9, 30, 50), np.float32), np.ones((9, 40, 30), np.float32), np.ones((9, 40, 50), np.float32)
    llvm = products.inspect(out, x, y, stage="llvm")
    blocks = re.split(r"\n(?=[\w.]+:)", llvm)
    innermost = [b for b in blocks if b.startswith("loop") and "fmul" in b]
    assert innermost and all(len(re.findall(r"= mul (?:n\w+ )*i64", b)) <= 2 for b in innermost)
