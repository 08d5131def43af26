"""Expressions and programs that the tests of this folder share, built by hand."""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType, bool_, float32, float64, int64
from jitmdh.mdh.algebra.combine import Operator, PointWise, Scatter, cc, elementwise
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Buffer,
    Dim,
    Expression,
    Finish,
    Indirect,
    MdHom,
    Program,
    Return,
)
from jitmdh.mdh.algebra.index import Affine, as_affine, shape_name
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable, select


def name(text: str) -> Affine:
    return Affine.of(text)


def size(array: str, axis: int) -> Affine:
    return Affine.of(shape_name(array, axis))


def buffer(array: str, type: ScalarType, rank: int) -> Buffer:
    return Buffer(array, type, tuple(size(array, axis) for axis in range(rank)))


def access(array: str, *index: Affine | int, guard: tuple[Affine, ...] = ()) -> Access:
    return Access(array, tuple(as_affine(i) for i in index), guard)


def op(operation: str, *operands: Scalar) -> Operation:
    type = operands[0].type
    return Operation(operation, operands, type)


def function(parameters: dict[str, ScalarType], *results: Scalar) -> ScalarFunction:
    return ScalarFunction(tuple(Variable(n, t) for n, t in parameters.items()), (), results)


def add(type: ScalarType) -> Operator:
    return elementwise("add", type, neutral_element("add", type))


def accumulate(array: str, type: ScalarType, *index: Affine | int) -> Finish:
    """`array[index] += state`."""
    old, state = Variable(array, type), Variable("state", type)
    return Finish((access(array, *index),), ScalarFunction((state, old), (), (op("add", old, state),)))


def program(expression: Expression, *results: str, allocations: tuple[Allocation, ...] = ()) -> Program:
    made = {a.name for a in allocations}
    parameters = tuple(ArrayParameter(b.name, b.type, b.rank) for b in expression.buffers if b.name not in made)
    returns = tuple(Return(r) for r in results) or None
    return Program(expression.name, parameters, (), allocations, (), (expression,), returns)


i, j, k = name("i"), name("j"), name("k")


def matvec(type: ScalarType = float32) -> Expression:
    m, v = Variable("M", type), Variable("v", type)
    return Expression(
        "matvec",
        (buffer("w", type, 1), buffer("M", type, 2), buffer("v", type, 1)),
        (access("M", i, k), access("v", k)),
        MdHom(
            (Dim("i", size("M", 0)), Dim("k", size("M", 1))),
            ScalarFunction((m, v), (), (op("mul", m, v),)),
            (cc, PointWise(add(type))),
        ),
        accumulate("w", type, i),
        (access("w", i),),
    )


def matmul(type: ScalarType = float32) -> Expression:
    a, b = Variable("A", type), Variable("B", type)
    return Expression(
        "matmul",
        (buffer("C", type, 2), buffer("A", type, 2), buffer("B", type, 2)),
        (access("A", i, k), access("B", k, j)),
        MdHom(
            (Dim("i", size("C", 0)), Dim("j", size("C", 1)), Dim("k", size("A", 1))),
            ScalarFunction((a, b), (), (op("mul", a, b),)),
            (cc, cc, PointWise(add(type))),
        ),
        None,
        (access("C", i, j),),
    )


def conv2d(type: ScalarType = float32) -> Expression:
    image, weight = Variable("image", type), Variable("weight", type)
    p, q, r, s = (name(n) for n in "pqrs")
    return Expression(
        "conv2d",
        (buffer("out", type, 2), buffer("image", type, 2), buffer("weight", type, 2)),
        (access("image", p + r, q + s), access("weight", r, s)),
        MdHom(
            (
                Dim("p", size("out", 0)),
                Dim("q", size("out", 1)),
                Dim("r", size("weight", 0)),
                Dim("s", size("weight", 1)),
            ),
            ScalarFunction((image, weight), (), (op("mul", image, weight),)),
            (cc, cc, PointWise(add(type)), PointWise(add(type))),
        ),
        None,
        (access("out", p, q),),
    )


def jacobi1d(type: ScalarType = float32) -> Expression:
    left, middle, right = (Variable(n, type) for n in ("left", "middle", "right"))
    total = op("add", op("add", left, middle), right)
    return Expression(
        "jacobi1d",
        (buffer("y", type, 1), buffer("x", type, 1)),
        (access("x", i), access("x", i + 1), access("x", i + 2)),
        MdHom(
            (Dim("i", size("x", 0) - 2),),
            ScalarFunction((left, middle, right), (), (op("mul", Constant(0.25, type), total),)),
            (cc,),
        ),
        None,
        (access("y", i + 1),),
    )


def arg_max(type: ScalarType) -> Operator:
    """On (score, index): the greater score, of equal ones the first. Without identity."""
    a, n, b, m = (Variable(v, t) for v, t in (("a", type), ("n", int64), ("b", type), ("m", int64)))
    better = Variable("better", bool_)
    body = ((better, Operation("gt", (b, a), bool_)),)
    return Operator(
        "arg_max", ScalarFunction((a, n, b, m), body, (select(better, b, a), select(better, m, n))), None, False
    )


def linkage(type: ScalarType = float64) -> Expression:
    """For each record of `new`, the score and index of the best match in `old` (thesis: PRL)."""
    x, y = Variable("x", type), Variable("y", type)
    score = op("neg", op("abs", op("sub", x, y)))
    return Expression(
        "linkage",
        (buffer("best", type, 1), buffer("index", int64, 1), buffer("new", type, 1), buffer("old", type, 1)),
        (access("new", i), access("old", j)),
        MdHom(
            (Dim("i", size("new", 0)), Dim("j", size("old", 0))),
            ScalarFunction((x, y), (), (score, IndexValue(j))),
            (cc, PointWise(arg_max(type))),
        ),
        None,
        (access("best", i), access("index", i)),
    )


def histogram(type: ScalarType = float32) -> Expression:
    """`h[@bin] += x[i]`, where `@bin` is `b[i]`."""
    x, bins = Variable("x", type), Variable("b", int64)
    return Expression(
        "histogram",
        (buffer("h", type, 1), buffer("x", type, 1), buffer("b", int64, 1)),
        (access("x", i),),
        MdHom((Dim("i", size("x", 0)),), ScalarFunction((x,), (), (x,)), (Scatter(add(type)),)),
        None,
        (access("h", name("@bin")),),
        indirect=(Indirect("@bin", (access("b", i),), ScalarFunction((bins,), (), (bins,))),),
    )


def ragged_sums(type: ScalarType = float32, outer: Affine = i, extent: Affine | None = None) -> Expression:
    """`w[i] = Σ_{k < @n} M[i, k]`, where `@n` is `rows[outer]`."""
    m, length = Variable("M", type), Variable("n", int64)
    return Expression(
        "ragged_sums",
        (buffer("w", type, 1), buffer("M", type, 2), buffer("rows", int64, 1)),
        (access("M", i, k),),
        MdHom(
            (Dim("i", size("M", 0)), Dim("k", name("@n") if extent is None else extent)),
            ScalarFunction((m,), (), (m,)),
            (cc, PointWise(add(type))),
        ),
        None,
        (access("w", i),),
        indirect=(Indirect("@n", (access("rows", outer),), ScalarFunction((length,), (), (length,))),),
    )
