"""Every promise of the nodes' docstrings, broken once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jitmdh.base.dtype import bool_, complex64, float32, float64, int8, int32, int64, weak_int
from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.check import check, check_expression
from jitmdh.mdh.algebra.combine import PointWise, PrefixSum, Scatter, cc, elementwise
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Between,
    Buffer,
    Check,
    Definition,
    Dim,
    Expression,
    Finish,
    Indirect,
    MdHom,
    Program,
    Return,
    ScalarParameter,
    Sequential,
    Together,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    IndexValue,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Scalar,
    ScalarFunction,
    Variable,
)
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


def scatter(**changes: object) -> Expression:
    return replace(ex.histogram(), **changes)


def combined(*operators: object) -> Expression:
    """The histogram of a matrix, over two dimensions."""
    found = scatter(buffers=(*scatter().buffers[::2], ex.buffer("x", float32, 2)), inp_view=(access("x", i, k),))
    over = (Dim("i", ex.size("x", 0)), Dim("k", ex.size("x", 1)))
    return replace(found, md_hom=replace(found.md_hom, dims=over, combine=operators))


def indirect(**changes: object) -> Expression:
    return scatter(indirect=(replace(scatter().indirect[0], **changes),))


def ragged(extent: Affine, outer: Affine, inner: int = 0) -> Expression:
    """Sums of rows as long as data say; inner: the two dimensions the other way round."""
    given = ex.ragged_sums(outer=outer, extent=extent)
    return given if not inner else replace(given, md_hom=replace(given.md_hom, dims=given.md_hom.dims[::-1]))


def between(depth: int, *more: Between, operators: int = 2, **changes: object) -> Expression:
    """`w[i] = max_j √(Σ_k x[i, j, k])`, the root at a depth."""
    x, s = Variable("x", float32), Variable("s", float32)
    root = replace(Between(depth, (), ScalarFunction((s,), (), (ex.op("sqrt", s),))), **changes)
    combine = (cc, PointWise(elementwise("maximum", float32, None)), PointWise(plus))
    return Expression(
        "roots",
        (ex.buffer("w", float32, 1), ex.buffer("x", float32, 3)),
        (access("x", i, j, k),),
        MdHom(
            tuple(Dim(n, ex.size("x", axis)) for axis, n in enumerate("ijk")),
            ScalarFunction((x,), (), (x,)),
            combine if operators == 2 else (cc, cc, combine[2]),
        ),
        None,
        (access("w", i),) if operators == 2 else (access("w", i + j),),
        between=(root, *more),
    )


def called(*body: Instruction, result: Scalar | None = None, number: int = 0, given: Scalar = f32) -> Expression:
    """MatVec whose function calls a procedure with one parameter, `p`."""
    procedure = Procedure((Variable("p", float32),), body, (result or Variable("p", float32),))
    return scalar(Operation("call", (procedure, Constant(number, int64), given), procedure.results[number].type))


def loop(**changes: object) -> Iterate:
    """`while p < 1: p = p + p`, from p, as r."""
    s = Variable("s", float32)
    given = Iterate(
        (s,), (Variable("p", float32),), Variable("active", bool_), (),
        Operation("lt", (s, Constant(1.0, float32)), bool_), (), (ex.op("add", s, s),), NEVER,
        (Variable("r", float32),), ALWAYS,
    )  # fmt: skip
    return replace(given, **changes)


ALWAYS, NEVER, ZERO = Constant(True, bool_), Constant(False, bool_), Constant(0, int64)
p32, r32, n64 = Variable("p", float32), Variable("r", float32), Variable("n", int64)
fetch = Fetch(Variable("e", float32), "M", (ZERO, ZERO), (ZERO, ZERO), ALWAYS, 0)
put = Put("M", (ZERO, ZERO), (ZERO, ZERO), p32, ALWAYS, 0)

GOOD_EXPRESSIONS = [
    scatter(),
    combined(Scatter(plus), Scatter(plus)),
    combined(cc, Scatter(plus)),
    indirect(extent=ex.size("h", 0)),
    ragged(name("@n"), i),
    between(2),
    called(),
    called(loop(), result=r32),
    called(Bind(Variable("b", float32), p32), fetch, put, result=Variable("e", float32)),
    scalar(Constant(127, int8)),
    scalar(Constant(-128, int8)),
    scalar(Constant(1, float32)),
    scalar(IndexValue(i, float32)),
    scalar(Operation("faulted", (f32, ALWAYS, ZERO), float32)),
    replace(ex.matvec(), out_view=(access("w", 0, guard=(i,)),), finish=None),
    md_hom(dims=(Dim("i", ex.as_affine(1)), dims[1])),
]


@pytest.mark.parametrize("expression", GOOD_EXPRESSIONS, ids=range(len(GOOD_EXPRESSIONS)))
def test_good_expressions(expression: Expression) -> None:
    check_expression(expression)


BAD_EXPRESSIONS = [
    (combined(Scatter(plus), PointWise(plus)), "scatter beside other reductions"),
    (combined(Scatter(plus), PrefixSum(plus)), "scatter beside other reductions"),
    (combined(Scatter(plus), Scatter(replace(plus, name="plus"))), "scatter with different operators"),
    (combined(cc, Scatter(replace(plus, identity=None))), "scatter needs an identity, any order"),
    (combined(cc, Scatter(replace(plus, commutative=False))), "scatter needs an identity, any order"),
    (scatter(finish=Finish((), state)), "scatter with a finish"),
    (scatter(inp_view=(access("h", i),)), "scatter to h, which is read|h is written elsewhere"),
    (
        indirect(inp_view=(access("h", i),), function=ScalarFunction((Variable("h", float32),), (), (ZERO,))),
        "scatter to h, which is read|h is written elsewhere",
    ),
    (scatter(inp_view=(access("h", name("@bin")),)), "scatter to h, which is read"),
    (scatter(indirect=scatter().indirect * 2), "indirect name declared twice: @bin"),
    (indirect(function=ScalarFunction((n64,), (), (n64, n64))), "the indirect index @bin has 2 values"),
    (indirect(function=ScalarFunction((n64,), (), (Operation("cast", (n64,), float32),))), "index @bin is float32"),
    (indirect(function=ScalarFunction((n64,), (), (Variable("m", int64),))), "index @bin uses m before it is bound"),
    (indirect(inp_view=()), "index @bin has 0 accesses for 1 parameters"),
    (indirect(extent=i), "the extent of the indirect index @bin uses i, which has no meaning there"),
    (ragged(name("@n"), k), "the extent of k depends on k, which is not outside of it"),
    (ragged(name("@n"), i, inner=1), "the extent of k depends on i, which is not outside of it"),
    (between(1), "the function at depth 1 is not between two operators"),
    (between(3), "the function at depth 3 is not between two operators"),
    (between(4), "a function between operators is inside all dimensions"),
    (between(2, operators=1), "the function at depth 2 is not between two operators"),
    (between(2, between(2).between[0]), r"functions between operators at depths \[2, 2\]"),
    (between(1, between(2).between[0]), r"functions between operators at depths \[1, 2\]"),
    (between(2, function=ScalarFunction((f64,), (), (f64,))), "the function at depth 2 takes the state as .float64."),
    (between(2, function=ScalarFunction((f32,), (), (Constant(1.0, float64),))), r"the state is \(float64\)"),
    (between(2, function=ScalarFunction((f32,), (), (IndexValue(k, float32),))), "depth 2 uses k, which has no"),
    (
        between(2, inp_view=(access("x", i, j, k),), function=ScalarFunction((p32, r32), (), (p32,))),
        "the function at depth 2, x uses k, which has no meaning there",
    ),
    (md_hom(guard=(Affine((("i", 0),)),)), "the guard of md_hom: .* is not canonical"),
    (md_hom(function=ScalarFunction((f32, f32), (), (f32,))), "the function of md_hom: two parameters M"),
    (replace(ex.matvec(), buffers=(Buffer("w", float32, (i,)), *ex.matvec().buffers[1:])), "the shape of w uses i"),
    (replace(ex.matvec(), inp_view=(access("M", i, k, guard=(Affine((("i", 0),)),)), access("v", k))), "not canonical"),
    (replace(ex.matvec(), finish=None, out_view=(access("w", 3),)), "no subscript of w uses i, so it is written"),
    (scalar(Constant(-129, int8)), "constant -129 does not fit int8"),
    (scalar(Constant(2.0, bool_)), "constant 2.0 is a float, its type bool"),
    (scalar(Constant(1j, float32)), "constant 1j is a complex, its type float32"),
    (scalar(Constant(True, float32)), "constant True is a bool, its type float32"),
    (scalar(IndexValue(i, weak_int)), "an index as weak_int"),
    (scalar(Operation("faulted", (f32, ZERO, ALWAYS), float32)), "a condition and a number after the value"),
    (scalar(Operation("faulted", (f32, ALWAYS, ZERO), float64)), "is float32, not float64"),
    (scalar(Operation("select", (ALWAYS, f32, ZERO), float32)), "operands of different types"),
    (scalar(Operation("select", (ALWAYS, f32, f32), float64)), "is float32, not float64"),
    (scalar(Procedure((), (), ())), "a loop that is not called"),
    (called(given=ZERO), "p of a loop is int64"),
    (called(given=Variable("y", float32)), "uses y before it is bound"),
    (called(result=Variable("q", float32)), "uses q before it is bound"),
    (scalar(Operation("call", (Procedure((), (), (ZERO,)), ZERO), float32)), "result 0 of a loop is not float32"),
    (called(Bind(p32, p32)), "a loop binds p twice"),
    (called(Bind(Variable("b", float64), p32)), "float32 where a loop needs float64"),
    (called(Bind(Variable("b", int64), IndexValue(i))), "a loop depends on the index i otherwise than by an argument"),
    (called(replace(fetch, index=(ZERO,))), "subscripts of M"),
    (called(replace(fetch, index=(ZERO,), extent=())), "M, on the way, has 2 axes, 1 named"),
    (called(replace(fetch, buffer="N")), "N, on the way, is no buffer of "),
    (called(replace(fetch, variable=Variable("e", float64))), "M, on the way, is float32, used as float64"),
    (called(replace(fetch, index=(ZERO, p32))), "float32 where a loop needs int64"),
    (called(replace(fetch, extent=(ZERO, p32))), "float32 where a loop needs int64"),
    (called(replace(fetch, where=ZERO)), "int64 where a loop needs bool"),
    (called(fetch, fetch), "a loop binds e twice"),
    (called(replace(put, value=Variable("q", float32))), "uses q before it is bound"),
    (called(replace(put, where=ZERO)), "int64 where a loop needs bool"),
    (called(loop(where=ZERO)), "int64 where a loop needs bool"),
    (called(loop(initial=(ZERO,))), "int64 where a loop needs float32"),
    (called(loop(condition=ZERO)), "int64 where a loop needs bool"),
    (called(loop(leave=ZERO)), "int64 where a loop needs bool"),
    (called(loop(following=(ZERO,))), "int64 where a loop needs float32"),
    (called(loop(results=(Variable("r", int64),))), "float32 in a loop is int64 behind it"),
    (called(loop(states=(p32,))), "a loop binds p twice"),
    (called(loop(), loop()), "a loop binds r twice"),
    (called(loop(active=p32)), "a loop binds p twice"),
    (called(loop(head=(Bind(p32, p32),))), "a loop binds p twice"),
    (called(loop(body=(Bind(p32, p32),))), "a loop binds p twice"),
    (called(loop(head=(Bind(Variable("h", bool_), ALWAYS),), leave=Variable("h", bool_))), "h before it is bound"),
    (called(loop(), result=Variable("s", float32)), "uses s before it is bound"),
    (called(Bind(Variable("h", bool_), Variable("active", bool_)), loop()), "active before it is bound"),
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


SIZE = ex.size("M", 0)
good = ex.program(ex.matvec())
scaled = ScalarParameter("alpha", float32)
BAD_PROGRAMS = [
    (replace(good, definitions=(Definition("w", SizeConstant(1)),)), "name declared twice: w"),
    (replace(good, allocations=(Allocation("w", float32, ()),)), "name declared twice: w"),
    (replace(good, parameters=(*good.parameters, scaled), returns=(Return("alpha"),)), "returns alpha, which is no"),
    (replace(good, parameters=(*good.parameters, scaled), checks=(Check(name("alpha"), "bounds", "a"),)), "uses alpha"),
    (replace(good, checks=(Check(Affine(), "bounds", "c", (i,)),)), "the check `c` uses i, which has no meaning"),
    (
        replace(good, definitions=(Definition("n", SizeOperation("add", SizeName("m"), SizeConstant(1))),)),
        "a definition uses m",
    ),
    (
        replace(good, definitions=(Definition("n", SizeOperation("add", SizeConstant(1), SizeName("m"))),)),
        "a definition uses m",
    ),
    (replace(good, allocations=(Allocation("t", int8, (), Constant(300, int8)),)), "constant 300 does not fit int8"),
    (replace(good, steps=(replace(ex.matvec(), buffers=(*ex.matvec().buffers, Buffer("u", int8, ()))),)), "buffer u"),
    (replace(good, parameters=(replace(good.parameters[0], rank=2), *good.parameters[1:])), "of rank 2, used as"),
    (
        replace(
            good,
            parameters=(*good.parameters, ArrayParameter("z", complex64, 1)),
            steps=(replace(ex.matvec(), buffers=(*ex.matvec().buffers, Buffer("z.re", float64, (), "z"))),),
        ),
        "z has no part z.re of type float64",
    ),
    (
        replace(good, steps=(Sequential(Dim("t", SIZE), (Sequential(Dim("t", SIZE), good.steps),)),)),
        "loop t hides a size of that name",
    ),
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


def test_definitions_and_allocations_are_sizes_from_there_on() -> None:
    rows = Definition("rows", SizeOperation("add", SizeName("M.shape[0]"), SizeConstant(1)))
    twice = Definition("twice", SizeOperation("mul", SizeName("rows"), SizeConstant(2)))
    made = (Allocation("t", float32, (name("twice"),)), Allocation("u", float32, (ex.size("t", 0),)))
    within = Check(ex.size("u", 0) - name("rows"), "bounds", "u")
    check(replace(good, definitions=(rows, twice), allocations=made, checks=(within,), returns=(Return("u"),)))


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


def test_rows_that_lists_find() -> None:
    """Distinct numbers of one list tell points apart; those of another list, or places, need not be others."""
    size = Affine.of("x.shape[0]")
    x, rows, other = Buffer("x", float64, (size,)), Buffer("rows", int64, (size,)), Buffer("other", int64, (size,))
    number, value = Variable("n", int64), Variable("v", float64)

    def found(name: str) -> Indirect:
        function = ScalarFunction((number,), (), (number,))
        return Indirect(f"@{name}", (Access(name, (Affine.of("e"),)),), function, size, decided=True, distinct=True)

    def program(target: Affine, source: Affine) -> Program:
        e = Expression(
            "x", (x, rows, other), (Access("x", (source,)),), MdHom((), ScalarFunction((value,), (), (value,)), ()),
            None, (Access("x", (target,)),), indirect=(found("rows"), found("other")),
        )  # fmt: skip
        given = (ArrayParameter("x", float64, 1), ArrayParameter("rows", int64, 1), ArrayParameter("other", int64, 1))
        return Program("f", given, (), (), (), (Together(Dim("e", size), (e,)),))

    check(program(Affine.of("@rows"), Affine.of("@rows")))
    for source in (Affine.of("@other"), Affine.of("e")):
        with pytest.raises(InternalError, match="points of e share x"):
            check(program(Affine.of("@rows"), source))
    summed = found("rows")
    twice = replace(summed, function=ScalarFunction((number,), (), (Operation("add", (number, number), int64),)))
    one = program(Affine.of("@rows"), Affine.of("@rows")).steps[0]
    assert isinstance(one, Together) and isinstance(one.body[0], Expression)
    e = replace(one.body[0], indirect=(twice, found("other")))
    with pytest.raises(InternalError, match="said to be distinct"):
        check(replace(program(Affine.of("@rows"), Affine.of("@rows")), steps=(replace(one, body=(e,)),)))


def test_an_expression_that_is_known_is_checked_again_among_other_sizes() -> None:
    e = md_hom()
    check_expression(e)
    check_expression(e)
    with pytest.raises(InternalError, match="which has no meaning there"):
        check_expression(e, names=())
    check_expression(e)
