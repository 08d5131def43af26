"""The interpreter against plain NumPy and plain Python."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from jitmdh.base.dtype import bfloat16, bool_, float32, float64, int8, int32, int64, uint8
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, BoundsError, DivisionError
from jitmdh.mdh.algebra.combine import CombineOperator, PointWise, PrefixSum, cc, elementwise
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    Check,
    Definition,
    Dim,
    Expression,
    Finish,
    MdHom,
    Program,
    Return,
    ScalarParameter,
    Sequential,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable, select
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run, sizes_of
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeName, SizeOperation
from tests.mdh.algebra import examples as ex
from tests.mdh.algebra.examples import access, add, buffer, function, i, j, k, op, size

rng = np.random.default_rng(1)


def test_matvec_adds_to_what_the_output_holds() -> None:
    M, v, w = rng.random((7, 11)), rng.random(11), rng.random(7)
    expected = w + M @ v
    assert run(ex.program(ex.matvec(float64)), w, M, v) is None
    np.testing.assert_allclose(w, expected)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (5, 2)])
def test_matvec_with_few_elements(shape: tuple[int, int]) -> None:
    M, v, w = rng.random(shape), rng.random(shape[1]), rng.random(shape[0])
    expected = w + M @ v
    run(ex.program(ex.matvec(float64)), w, M, v)
    np.testing.assert_allclose(w, expected)


def test_blocks_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    A, B = rng.random((13, 17), dtype=np.float32), rng.random((17, 9), dtype=np.float32)
    whole, parts = np.empty((2, 13, 9), np.float32)
    run(ex.program(ex.matmul()), whole, A, B)
    monkeypatch.setattr(interp, "BLOCK_POINTS", 5)
    run(ex.program(ex.matmul()), parts, A, B)
    np.testing.assert_array_equal(whole, parts)
    np.testing.assert_allclose(whole, A @ B, rtol=1e-6)


def test_conv2d() -> None:
    image, weight, out = rng.random((9, 8)), rng.random((3, 2)), np.empty((7, 7))
    run(ex.program(ex.conv2d(float64)), out, image, weight)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 2))
    np.testing.assert_allclose(out, np.einsum("pqrs,rs->pq", windows, weight))


def test_jacobi_touches_no_border() -> None:
    x, y = rng.random(10), np.full(10, 7.0)
    run(ex.program(ex.jacobi1d(float64)), y, x)
    np.testing.assert_allclose(y[1:-1], (x[:-2] + x[1:-1] + x[2:]) / 4)
    assert y[0] == y[9] == 7


def test_arg_max_takes_the_first_and_leaves_outputs_without_result_alone() -> None:
    new, old = rng.integers(0, 9, 20).astype(float), rng.integers(0, 9, 30).astype(float)
    best, index = np.empty(20), np.empty(20, np.int64)
    program = ex.program(ex.linkage())
    run(program, best, index, new, old)
    scores = -abs(new[:, None] - old)
    np.testing.assert_array_equal(index, scores.argmax(1))
    np.testing.assert_array_equal(best, scores.max(1))
    best[:] = 5
    run(program, best, index, new, old[:0])
    assert (best == 5).all()


def test_finish_says_what_an_empty_reduction_without_identity_gives() -> None:
    x = Variable("x", float64)
    state, start = Variable("state", float64), Variable("start", float64)
    operator = elementwise("maximum", float64, None)
    expression = Expression(
        "greatest",
        (buffer("w", float64, 1), buffer("x", float64, 2)),
        (access("x", i, j),),
        MdHom((Dim("i", size("x", 0)), Dim("j", size("x", 1))), function({"x": float64}, x), (cc, PointWise(operator))),
        Finish(
            (access("w", i),),
            ScalarFunction((state, start), (), (Operation("maximum", (start, state), float64),)),
            (start,),
        ),
        (access("w", i),),
    )
    w = np.array([0.5, 9.0])
    run(ex.program(expression), w, np.empty((2, 0)))
    assert w.tolist() == [0.5, 9.0]
    run(ex.program(expression), w, np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert w.tolist() == [2.0, 9.0]


def one_dim(result: Scalar, combine: CombineOperator, guard: tuple[Affine, ...] = ()) -> Expression:
    """`w[i]` (or `w[0]` if `i` collapses) from `result`, a function of `x` = x[i] and `y` = y[i]."""
    parameters = {"x": result_type(result), "y": result_type(result)}
    return Expression(
        "one_dim",
        (buffer("w", result.type, 1), buffer("x", parameters["x"], 1), buffer("y", parameters["y"], 1)),
        (access("x", i), access("y", i)),
        MdHom((Dim("i", size("x", 0)),), function(parameters, result), (combine,), guard),
        None,
        (access("w", 0 if isinstance(combine, PointWise) else i),),
    )


def result_type(node: Scalar):
    while isinstance(node, Operation):
        node = node.operands[-1]
    return node.type


def pointwise(result: Scalar, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    w = np.empty(len(x), result.type.numpy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(ex.program(one_dim(result, cc)), w, x, x if y is None else y)
    return w


def test_integers_wrap_and_divide_as_in_python() -> None:
    x, y = Variable("x", int8), Variable("y", int8)
    a, b = np.array([127, -128, -7, 7], np.int8), np.array([1, -1, 2, -2], np.int8)
    assert pointwise(op("add", x, y), a, b).tolist() == [-128, 127, -5, 5]
    assert pointwise(op("floordiv", x, y), a, b).tolist() == [127, -128, -4, -4]
    assert pointwise(op("mod", x, y), a, b).tolist() == [0, 0, 1, -1]
    assert pointwise(op("abs", x), a).tolist() == [127, -128, 7, 7]


def test_integer_division_by_zero_is_an_error_where_it_is_used() -> None:
    x, y = Variable("x", int32), Variable("y", int32)
    a, b = np.array([4, 5], np.int32), np.array([2, 0], np.int32)
    quotient = op("floordiv", x, y)
    with pytest.raises(DivisionError):
        pointwise(quotient, a, b)
    safe = select(Operation("ne", (y, Constant(0, int32)), bool_), quotient, Constant(-1, int32))
    assert pointwise(safe, a, b).tolist() == [2, -1]
    w = np.zeros(1, np.int32)
    with pytest.raises(DivisionError):
        run(ex.program(one_dim(quotient, PointWise(add(int32)))), w, a, b)
    run(ex.program(one_dim(quotient, PointWise(add(int32)), (-i,))), w, a, b)
    assert w.tolist() == [2]
    with pytest.raises(ArgumentValueError, match="negative"):
        pointwise(op("pow", x, y), a, np.array([1, -1], np.int32))


def test_nan_and_casts() -> None:
    x, y = Variable("x", float64), Variable("y", float64)
    a, b = np.array([np.nan, 1.0, 2.0]), np.array([0.0, np.nan, 1.0])
    np.testing.assert_array_equal(pointwise(op("minimum", x, y), a, b), [np.nan, np.nan, 1])
    np.testing.assert_array_equal(pointwise(op("fmin", x, y), a, b), [np.nan, 1, 1])
    assert pointwise(Operation("cast", (x,), int32), np.array([-1.9, 1.9])).tolist() == [-1, 1]
    assert pointwise(Operation("cast", (x,), uint8), np.array([300.0])).dtype == np.uint8


def test_bfloat16_rounds_after_every_operation() -> None:
    x, y = Variable("x", bfloat16), Variable("y", bfloat16)
    a = np.array([1.0, 256.0]).astype(bfloat16.numpy)
    b = np.array([0.001, 1.0]).astype(bfloat16.numpy)
    assert pointwise(op("add", x, y), a, b).astype(float).tolist() == [1.0, 256.0]
    assert pointwise(op("sqrt", x), a).astype(float).tolist() == [1.0, 16.0]


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 16, 33])
def test_prefix_sums(n: int, exclusive: bool, reverse: bool) -> None:
    x = rng.integers(-9, 9, n)
    w = np.empty_like(x)
    run(ex.program(one_dim(Variable("x", int64), PrefixSum(add(int64), exclusive, reverse))), w, x, x)
    expected = np.cumsum(x[::-1])[::-1] if reverse else np.cumsum(x)
    np.testing.assert_array_equal(w, expected - x if exclusive else expected)


def test_prefix_sum_skips_points_outside_the_guard() -> None:
    x, w = np.arange(1, 6), np.full(5, -1)
    run(ex.program(one_dim(Variable("x", int64), PrefixSum(add(int64)), (i - 2,))), w, x, x)
    assert w.tolist() == [-1, -1, 3, 7, 12]


def triangular(*guard: Affine, inner: str = "add", outer: str = "add") -> int:
    """Reduce x[k, j] = 1 over `j` by `inner` and over `k` by `outer`."""
    x = Variable("x", int64)
    operators = tuple(elementwise(o, int64, {"add": 0, "maximum": -99}[o]) for o in (outer, inner))
    expression = Expression(
        "triangular",
        (buffer("w", int64, 0), buffer("x", int64, 2)),
        (access("x", k, j),),
        MdHom(
            (Dim("k", size("x", 0)), Dim("j", size("x", 1))),
            function({"x": int64}, x),
            tuple(PointWise(o) for o in operators),
            guard,
        ),
        None,
        (access("w"),),
    )
    made = Allocation("w", int64, (), Constant(5, int64))
    result = run(ex.program(expression, "w", allocations=(made,)), np.ones((4, 4), np.int64))
    assert isinstance(result, np.int64)
    return int(result)


def test_guards_are_conditions_inside_the_loop_of_their_innermost_dimension() -> None:
    assert triangular(k - j) == 10
    assert triangular(k - j - 1) == 6
    assert triangular(k - j - 1, outer="maximum") == 3
    assert triangular(k - 9, j - 9, inner="maximum") == 0  # no iteration of k: the identity of +
    assert triangular(j - 9, outer="maximum") == 0  # sums of nothing
    assert triangular(Affine((), -1)) == 5  # no dimension: nothing is written


def test_write_guards_and_masked_reads() -> None:
    x = Variable("x", float32)
    shifted = Expression(
        "shifted",
        (buffer("w", float32, 1), buffer("x", float32, 1)),
        (access("x", i - 1, guard=(i - 1,)),),
        MdHom((Dim("i", size("x", 0)),), function({"x": float32}, x), (cc,)),
        None,
        (access("w", i, guard=(3 - i,)),),
    )
    w = np.full(6, -1, np.float32)
    run(ex.program(shifted), w, np.arange(10, 16, dtype=np.float32))
    assert w.tolist() == [0, 10, 11, 12, -1, -1]


def test_inputs_are_read_before_outputs_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interp, "BLOCK_POINTS", 1)
    x = np.arange(6.0)
    run(ex.program(ex.jacobi1d(float64)), x, x)
    assert x.tolist() == [0, 0.75, 1.5, 2.25, 3.0, 5]


def test_programs_with_sizes_scalars_loops_and_results() -> None:
    """`for t in range(n // 2): for i in range(len(x)): x[i] += t * s; return x, n`"""
    x, s = Variable("x", float64), Variable("s", float64)
    t = Operation("cast", (IndexValue(Affine.of("t")),), float64)
    step = Expression(
        "step",
        (buffer("x", float64, 1), buffer("s", float64, 0)),
        (access("x", i), Access("s", ())),
        MdHom((Dim("i", size("x", 0)),), function({"x": float64, "s": float64}, op("add", x, op("mul", t, s))), (cc,)),
        None,
        (access("x", i),),
    )
    base = ex.program(replace(step, buffers=(step.buffers[0],)))
    half = Definition("half", SizeOperation("floordiv", SizeName("n"), SizeConstant(2)))
    program = Program(
        "steps",
        (*base.parameters, ScalarParameter("n", int64), ScalarParameter("s", float64)),
        (half,),
        (),
        (
            Check(size("x", 0) - 3, "bounds", "x is too short"),
            Check(Affine.of("n"), "shape", "n must not be negative", (Affine.of("s0"),)),
            Check(100 - Affine.of("n"), "fallback", "too many steps"),
        ),
        (Sequential(Dim("t", Affine.of("half")), (step,)),),
        (Return("x"),),
    )
    program = replace(program, definitions=(half, Definition("s0", SizeConstant(1))))
    a = np.zeros(4)
    assert sizes_of(program, (a, 7, 1.0)) == {"x.shape[0]": 4, "n": 7, "half": 3, "s0": 1}
    assert run(program, a, 7, 2.0) is a
    assert a.tolist() == [6.0] * 4
    assert run(replace(program, returns_tuple=True), a, 0, 2.0) == (a,)
    with pytest.raises(BoundsError, match="too short"):
        run(program, a[:2], 7, 1.0)
    with pytest.raises(ArgumentValueError, match="negative"):
        run(program, a, -1, 1.0)
    with pytest.raises(FallbackSignal, match="too many"):
        run(program, a, 200, 1.0)
    with pytest.raises(ArgumentTypeError, match=r"argument x: expected float64 with 1 dimensions, got float32 with 1"):
        run(program, a.astype(np.float32), 1, 1.0)
    with pytest.raises(ArgumentTypeError, match="takes 3 arguments"):
        run(program, a)
    with pytest.raises(ArgumentValueError, match="does not fit"):
        run(program, a, 2**70, 1.0)
