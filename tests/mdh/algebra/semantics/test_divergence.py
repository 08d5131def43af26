"""Which values of a procedure differ between points: counters do not, what points decide does."""

from __future__ import annotations

from jitmdh.base.dtype import bool_, float64, int64
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Constant,
    Fetch,
    IndexValue,
    Iterate,
    Operation,
    Procedure,
    Scalar,
    ScalarFunction,
    Variable,
)
from jitmdh.mdh.algebra.semantics.divergence import divergent, gathers

N, X, S, T = Variable("n", int64), Variable("x", float64), Variable("s", int64), Variable("t", float64)
ACTIVE, COUNT, TOTAL, READ = (
    Variable(n, t) for n, t in (("active", bool_), ("count", int64), ("total", float64), ("read", float64))
)
ZERO, ONE, FALSE, TRUE = Constant(0, int64), Constant(1, int64), Constant(False, bool_), Constant(True, bool_)


def loop(condition: Scalar, read_where: Scalar = ACTIVE, begin: Scalar = ZERO) -> Procedure:
    """`s, t = begin, 0.0; while condition: read = rows[s, 0]; s, t = s + 1, t + read * x`."""
    fetch = Fetch(READ, "rows", (S, ZERO), (), read_where, 0)
    product = Operation("mul", (READ, X), float64)
    following = Operation("add", (S, ONE), int64), Operation("add", (T, product), float64)
    body = Iterate(
        (S, T), (begin, Constant(0.0, float64)), ACTIVE, (), condition, (fetch,), following, FALSE, (COUNT, TOTAL), TRUE
    )
    return Procedure((N, X), (body,), (COUNT, TOTAL))


def below(value: Scalar, limit: Scalar) -> Operation:
    return Operation("lt", (value, limit), bool_)


def test_counters_do_not_differ() -> None:
    assert divergent(loop(below(S, N)), ["x"]) == {"x", "active", "t", "total"}


def test_what_points_leave_with_differs() -> None:
    assert divergent(loop(below(T, X)), ["x"]) == {"x", "active", "t", "total", "count"}


def test_what_only_some_read_differs() -> None:
    assert "read" in divergent(loop(below(S, N), read_where=below(T, X)), ["x"])
    assert "read" not in divergent(loop(below(S, N)), ["x"])


def test_counters_that_begin_apart() -> None:
    assert {"s", "read", "count"} <= divergent(loop(below(S, N), begin=N), ["n"])


def test_gathers_of_what_a_function_calls() -> None:
    index = IndexValue(Affine.of("i"), int64)

    def called(begin: Scalar) -> ScalarFunction:
        call = Operation("call", (loop(below(S, N), begin=begin), ONE, index, X), float64)
        return ScalarFunction((X,), (), (call,))

    assert gathers(called(ZERO), ["x"], lambda value: True) == ()
    assert [part.buffer for part in gathers(called(N), ["x"], lambda value: True)] == ["rows"]
    assert gathers(called(N), ["x"], lambda value: False) == ()
