"""Multiply-add fusion, before and after."""

from __future__ import annotations

import pytest

from jitmdh.base.dtype import ScalarType, bool_, float16, float64, int32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, For, Literal, Name, Store, Value
from jitmdh.mdh.kernel.passes.multiply_add import fuse_multiply_adds
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text


def test_golden() -> None:
    acc, a, b, c, k = real("acc"), real("a"), real("b"), real("c"), number("k")

    def product(*operands: Value) -> Value:
        return apply("mul", *operands, relaxed=True)

    def relaxed(op: str, *operands: Value) -> Value:
        return apply(op, *operands, relaxed=True)

    before = kernel(
        Declare(acc, Literal(0.0, acc.type)),
        For(k, integer(0), number("n"), integer(1), (
            Assign(acc, relaxed("add", acc, product(a, b))),
            Assign(acc, relaxed("add", product(a, b), acc)),
            Assign(acc, relaxed("sub", acc, product(a, b))),
            Assign(acc, relaxed("sub", product(a, b), acc)),
            Assign(acc, relaxed("add", relaxed("add", acc, product(a, b)), product(b, c))),
            Assign(acc, apply("add", acc, product(a, b))),
            Assign(acc, relaxed("add", acc, apply("mul", a, b))),
            Assign(acc, relaxed("add", acc, apply("neg", product(a, b)))),
            Assign(acc, relaxed("add", apply("neg", product(a, b)), acc)),
            Assign(acc, relaxed("sub", acc, apply("neg", product(a, b)))),
        )),
        Store("y", integer(0), acc),
    )  # fmt: skip
    assert body(before) == text("""
        float acc = 0.0f;
        for (long k = 0; k < n; k += 1) {
            acc = acc + (a * b);
            acc = (a * b) + acc;
            acc = acc - (a * b);
            acc = (a * b) - acc;
            acc = (acc + (a * b)) + (b * c);
            acc = acc + (a * b);
            acc = acc + (a * b);
            acc = acc + -(a * b);
            acc = -(a * b) + acc;
            acc = acc - -(a * b);
        }
        y[0] = acc;
    """)
    assert body(fuse_multiply_adds(before)) == text("""
        float acc = 0.0f;
        for (long k = 0; k < n; k += 1) {
            acc = (acc + a * b);
            acc = (acc + a * b);
            acc = (acc - a * b);
            acc = (a * b) - acc;
            acc = ((acc + a * b) + b * c);
            acc = acc + (a * b);
            acc = acc + (a * b);
            acc = (acc - a * b);
            acc = (acc - a * b);
            acc = (acc + a * b);
        }
        y[0] = acc;
    """)


def test_products_that_may_be_absent() -> None:
    """-0.0 changes no sum; 0.0 would make 0.0 of a sum that is -0.0, and the sum is looked at twice."""
    acc, a, b, m = real("acc"), real("a"), real("b"), Name("m", bool_)

    def added(absent: float, product: Value, sum: Value = acc) -> Value:
        chosen = Apply("select", (m, product, Literal(absent, acc.type)), acc.type, relaxed=True)
        return apply("add", sum, chosen, relaxed=True)

    product = apply("mul", a, b, relaxed=True)
    before = kernel(
        Declare(acc, Literal(0.0, acc.type)),
        Assign(acc, added(-0.0, product)),
        Assign(acc, added(0.0, product)),
        Assign(acc, added(-0.0, apply("mul", a, b))),
        Assign(acc, added(-0.0, product, apply("neg", acc))),
        Store("y", integer(0), acc),
    )
    assert body(fuse_multiply_adds(before)) == text("""
        float acc = 0.0f;
        acc = (m ? (acc + a * b) : acc);
        acc = acc + (m ? (a * b) : 0.0f);
        acc = acc + (m ? (a * b) : -0.0f);
        acc = -acc + (m ? (a * b) : -0.0f);
        y[0] = acc;
    """)


@pytest.mark.parametrize("type", [float16, int32])
def test_numbers_computed_otherwise_stay_as_they_are(type: ScalarType) -> None:
    a, acc = real("a", type), real("acc", type)
    before = kernel(Assign(acc, apply("add", acc, apply("mul", a, a, relaxed=True), relaxed=True)))
    assert fuse_multiply_adds(before) is before


def test_vectors() -> None:
    a, acc = real("a", float64, 8), real("acc", float64, 8)
    after = fuse_multiply_adds(kernel(Assign(acc, apply("add", acc, apply("mul", a, a, relaxed=True), relaxed=True))))
    assert body(after) == "acc = (acc + a * a);"
    [statement] = after.body
    assert isinstance(statement, Assign) and statement.value.lanes == 8 and statement.value.type == float64
