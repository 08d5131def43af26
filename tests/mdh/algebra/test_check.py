"""Every promise of the nodes' docstrings, broken once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jitmdh.base.dtype import bool_, float32, float64, int8, int32, int64, weak_int
from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.check import check, check_expression
from jitmdh.mdh.algebra.combine import PointWise, cc, elementwise
from jitmdh.mdh.algebra.expr import (
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
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeName, SizeOperation
from tests.mdh.algebra import examples as ex
from tests.mdh.algebra.examples import access, add, i, j, k, name


@pytest.mark.parametrize("make", [ex.matvec, ex.matmul, ex.conv2d, ex.jacobi1d, ex.linkage])
def test_the_examples_are_well_formed(make: Callable[[], Expression]) -> None:
    check_expression(make())
    check(ex.program(make()))


def md_hom(**changes: object) -> Expression:
    return replace(ex.matvec(), md_hom=replace(ex.matvec().md_hom, **changes))


def scalar(result: Scalar) -> Expression:
    """MatVec with a binding `x` in its function."""
    function = ex.matvec().md_hom.function
    return md_hom(function=replace(function, bindings=((Variable("x", result.type), result),)))


def finish(**changes: object) -> Expression:
    given = ex.matvec().finish
    assert given is not None
    return replace(ex.matvec(), finish=replace(given, **changes))


f32, f64 = Variable("M", float32), Variable("D", float64)
dims = ex.matvec().md_hom.dims
plus = add(float32)
plus_function = plus.function
state = ScalarFunction((Variable("s", float32),), (), (Variable("s", float32),))

BAD_EXPRESSIONS = [
    (md_hom(dims=(dims[0], dims[0])), "dimension declared twice: i"),
    (md_hom(combine=(cc,)), "2 dimensions, 1 combine operators"),
    (md_hom(dims=(dims[0], Dim("k", i + 1))), "the extent of k uses i, which has no meaning there"),
    (md_hom(dims=(dims[0], Dim("k", Affine((("n", 0),))))), "is not canonical"),
    (md_hom(combine=(cc, PointWise(add(float64)))), r"operator add is on \(float64\), the state is \(float32\)"),
    (
        md_hom(combine=(cc, PointWise(replace(plus, identity=(Constant(0, int8),))))),
        r"operator add: the identity is \(int8\), the state \(float32\)",
    ),
    (
        md_hom(combine=(cc, PointWise(replace(plus, function=replace(plus_function, parameters=(f32,)))))),
        "operator add uses lhs before it is bound",
    ),
    (
        md_hom(combine=(cc, PointWise(replace(plus, function=replace(plus_function, results=(f32, f32)))))),
        "operator add uses M before it is bound",
    ),
    (
        md_hom(combine=(cc, PointWise(replace(plus, function=state)))),
        r"operator add takes \(float32\), gives \(float32\)",
    ),
    (scalar(Variable("y", float32)), "the function of md_hom uses y before it is bound"),
    (scalar(Variable("M", float64)), "M is float32, used as float64"),
    (scalar(Operation("add", (f32, Constant(1, int32)), float32)), r"add\(float32, int32\): operands of different"),
    (scalar(Operation("plus", (f32, f32), float32)), "no scalar operation plus"),
    (scalar(Operation("add", (f32,), float32)), r"add\(float32\) needs 2 operands"),
    (scalar(Operation("add", (f32, f32), float64)), r"add\(float32, float32\) is float32, not float64"),
    (scalar(Operation("lt", (f32, f32), float32)), r"lt\(float32, float32\) is bool, not float32"),
    (scalar(Operation("and", (f32, f32), float32)), r"and\(float32, float32\) is not defined"),
    (scalar(Operation("sub", (Constant(True, bool_),) * 2, bool_)), r"sub\(bool, bool\) is not defined"),
    (scalar(Operation("truediv", (Constant(1, int32),) * 2, int32)), r"truediv\(int32, int32\) is not defined"),
    (scalar(Operation("select", (f32, f32, f32), float32)), "the condition is no bool"),
    (scalar(Operation("cast", (f32,), weak_int)), "cast"),
    (scalar(Constant(128, int8)), "constant 128 does not fit int8"),
    (scalar(Constant(1.0, int8)), "constant 1.0 is a float, its type int8"),
    (scalar(Constant(True, int8)), "constant True is a bool, its type int8"),
    (scalar(Constant(1, weak_int)), "constant 1 has the weak type weak_int"),
    (scalar(IndexValue(i, bool_)), "an index as bool"),
    (
        md_hom(function=replace(ex.matvec().md_hom.function, bindings=((f32, Constant(1.0, float32)),))),
        "M is bound twice",
    ),
    (
        md_hom(function=replace(ex.matvec().md_hom.function, bindings=((f64, Constant(1.0, float32)),))),
        "D is float64, bound to float32",
    ),
    (replace(ex.matvec(), inp_view=(access("M", i, k),)), "inp_view has 1 accesses for 2 parameters"),
    (replace(ex.matvec(), inp_view=(access("M", i), access("v", k))), "1 subscripts of M, which has rank 2"),
    (replace(ex.matvec(), inp_view=(access("A", i, k), access("v", k))), "inp_view: no buffer A"),
    (replace(ex.matvec(), buffers=ex.matvec(float64).buffers), "inp_view: M holds float64, not float32"),
    (replace(ex.matvec(), buffers=ex.matvec().buffers * 2), "buffer declared twice: M, v, w"),
    (finish(inp_view=(access("w", k),)), "finish, w uses k, which has no meaning there"),
    (finish(function=replace(state, parameters=(f64, f32))), "finish uses s before it is bound"),
    (finish(inp_view=()), "finish has 0 accesses for 1 parameters"),
    (finish(empty=(Constant(0, int8),)), r"finish gives \(float32\), but \(int8\) where empty"),
    (finish(empty=(Variable("state", float32),)), "finish.empty uses state before it is bound"),
    (finish(function=replace(state, parameters=(f64,), results=(f64,)), inp_view=()), "finish takes the state as"),
    (replace(ex.matvec(), out_view=(access("w", k),)), "out_view, w uses k, which has no meaning there"),
    (replace(ex.matvec(), out_view=(access("w", 0),)), "no subscript of w uses i, so it is written repeatedly"),
    (replace(ex.matvec(), out_view=()), "1 results for 0 accesses of out_view"),
    (replace(ex.matvec(), out_view=(access("w", i + 1),)), r"w\[i\] is read, but w is written elsewhere"),
]


@pytest.mark.parametrize(("expression", "message"), BAD_EXPRESSIONS, ids=range(len(BAD_EXPRESSIONS)))
def test_bad_expressions(expression: Expression, message: str) -> None:
    with pytest.raises(InternalError, match=message):
        check_expression(expression)


good = ex.program(ex.matvec())
BAD_PROGRAMS = [
    (replace(good, parameters=good.parameters[1:]), "no buffer w"),
    (replace(good, parameters=good.parameters * 2), "name declared twice"),
    (replace(good, parameters=ex.program(ex.matvec(float64)).parameters), "w is float64 of rank 1, used as float32"),
    (replace(good, returns=(Return("x"),)), "returns x, which is no array"),
    (replace(good, checks=(Check(i, "bounds", "i"),)), "the check `i` uses i, which has no meaning there"),
    (replace(good, checks=(Check(Affine(), "hope", ""),)), "no kind of check: hope"),
    (replace(good, definitions=(Definition("n", SizeName("m")),)), "a definition uses m before it is defined"),
    (
        replace(good, definitions=(Definition("n", SizeOperation("pow", SizeConstant(1), SizeConstant(1))),)),
        "no operation on sizes: pow",
    ),
    (replace(good, allocations=(Allocation("t", float32, (j,)),)), "the shape of t uses j"),
    (
        replace(good, allocations=(Allocation("t", float32, (), Constant(1, int64)),)),
        "float32 is filled with int64",
    ),
    (replace(good, steps=(Sequential(Dim("t", name("n")), good.steps),)), "the extent of loop t uses n"),
    (
        replace(good, parameters=(*good.parameters, ScalarParameter("t", int64)), steps=(Sequential(Dim("t", i), ()),)),
        "loop t hides a size",
    ),
    (
        replace(good, parameters=(*good.parameters, ScalarParameter("k", int64))),
        "expression matvec: dimension k hides a size",
    ),
]


@pytest.mark.parametrize(("program", "message"), BAD_PROGRAMS, ids=range(len(BAD_PROGRAMS)))
def test_bad_programs(program: Program, message: str) -> None:
    with pytest.raises(InternalError, match=message):
        check(program)


def test_a_scalar_argument_is_not_written() -> None:
    s = Variable("s", float32)
    expression = Expression(
        "bad",
        (ex.buffer("s", float32, 0),),
        (access("s"),),
        MdHom((), ScalarFunction((s,), (), (s,)), ()),
        Finish((), ScalarFunction((s,), (), (s,))),
        (access("s"),),
    )
    check_expression(expression)
    with pytest.raises(InternalError, match="writes the scalar argument s"):
        check(Program("bad", (ScalarParameter("s", float32),), (), (), (), (expression,)))


def test_finish_functions_of_operators_may_not_use_indices() -> None:
    operator = elementwise("add", int64, 0)
    bad = replace(operator, function=replace(operator.function, results=(IndexValue(i),)))
    with pytest.raises(InternalError, match="operator add depends on the index i"):
        check_expression(md_hom(combine=(cc, PointWise(bad))))
