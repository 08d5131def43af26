"""Printing: parentheses where they are needed, and `repr` that evaluates back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base import dtype
from jitmdh.base.dtype import bool_, complex128, float32, float64, int32, int64
from jitmdh.mdh.algebra import combine, expr, index, scalar, sizes
from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.expr import Allocation, Check, Definition, Dim, Expression, Finish, ScalarParameter, Sequential
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeName, SizeOperation
from tests.mdh.algebra import examples as ex
from tests.mdh.algebra.examples import access, add, i, k, op

NAMES = {n: v for module in (dtype, index, scalar, combine, sizes, expr) for n, v in vars(module).items()}


@pytest.mark.parametrize("make", [ex.matvec, ex.matmul, ex.conv2d, ex.jacobi1d, ex.linkage])
def test_repr_evaluates_back(make: Callable[[], Expression]) -> None:
    for expression in (make(), lift_identities(make())):
        program = ex.program(expression)
        assert eval(repr(program), dict(NAMES)) == program


@pytest.mark.parametrize("value", [0.0, -0.0, float("nan"), float("inf"), -float("inf"), -1.5])
def test_special_floats(value: float) -> None:
    constant = Constant(value, float64)
    again = eval(repr(constant), dict(NAMES))
    assert again == constant
    assert repr(again.value) == repr(value)
    assert constant == Constant(value, float64)
    assert Constant(0.0, float64) != Constant(-0.0, float64)
    both = Constant(complex(value, -0.0), complex128)
    assert repr(eval(repr(both), dict(NAMES)).value) == repr(both.value)


x, y = Variable("x", int64), Variable("y", int64)
LEAVES = st.sampled_from([x, y, Constant(2, int64), Constant(-3, int64), IndexValue(2 * i - k + 1), IndexValue(-i)])


def grown(children: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar]:
    two = st.sampled_from(["add", "sub", "mul", "floordiv", "and", "or", "xor", "lshift"])
    comparison = st.builds(lambda a, b: Operation("lt", (a, b), bool_), children, children)
    return st.one_of(
        st.builds(lambda o, a, b: op(o, a, b), two, children, children),
        st.builds(lambda o, a: op(o, a), st.sampled_from(["neg", "invert"]), children),
        st.builds(
            lambda c, a, b: Operation("select", (c, a, b), int64),
            st.one_of(comparison, comparison.map(lambda c: Operation("not", (c,), bool_))),
            children,
            children,
        ),
    )


@given(st.recursive(LEAVES, grown, max_leaves=8))
def test_formulas_are_python(node: Scalar) -> None:
    """Structure survives: Python's parser reads what was meant."""

    class Traced:
        def __init__(self, text: str) -> None:
            self.text = text

    def meant(n: Scalar) -> str:
        match n:
            case Variable(name):
                return name
            case Constant(value) if isinstance(value, int) and value < 0:
                return f"(-{-value})"
            case Constant(value):
                return f"{value}"
            case IndexValue(affine) if affine == -i:
                return "(-i)"
            case IndexValue():
                return "((((2*i) - k)) + 1)"
            case Operation("select", (c, a, b)):
                return f"({meant(a)} if {meant(c)} else {meant(b)})"
            case Operation(name, (a,)):
                return f"({({'neg': '-', 'invert': '~', 'not': 'not '})[name]}{meant(a)})"
            case Operation(name, (a, b)):
                signs = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "and": "&", "or": "|", "xor": "^"}
                return f"({meant(a)} {(signs | {'lshift': '<<', 'lt': '<'})[name]} {meant(b)})"
        raise AssertionError(n)

    import ast

    assert ast.dump(ast.parse(str(node))) == ast.dump(ast.parse(meant(node)))


def test_other_formulas() -> None:
    a, b = Variable("a", float32), Variable("b", float32)
    assert str(op("pow", op("pow", a, b), op("pow", a, b))) == "(a ** b) ** a ** b"
    assert str(op("minimum", op("add", a, b), b)) == "minimum(a + b, b)"
    assert str(Operation("cast", (op("add", a, b),), int32)) == "int32(a + b)"
    assert str(IndexValue(i + 1, int32)) == "int32(i + 1)"
    less = Operation("lt", (a, b), bool_)
    assert str(Operation("eq", (less, less), bool_)) == "(a < b) == (a < b)"


def test_parts() -> None:
    assert str(Dim("i", i + 1)) == "i ∈ [0, i + 1)"
    assert str(access("x", i - 1, k, guard=(i - 1,))) == "x[i - 1, k] if i - 1 ≥ 0"
    assert str(ex.matvec().buffers[1]) == "M: float32[M.shape[0], M.shape[1]]"
    assert str(PrefixSum(add(float32), exclusive=True, reverse=True)) == "ps(add, exclusive, reverse)"
    assert str(add(float32)) == "add: (lhs, rhs) ↦ lhs + rhs\n  identity (-0.0)"
    assert str(Constant(np.pi, float64)) == "3.141592653589793"


def test_a_program_with_everything() -> None:
    s = Variable("s", float32)
    scaled = replace(
        ex.jacobi1d(),
        finish=Finish((), ScalarFunction((s,), (), (s,)), (Constant(0.0, float32),)),
        md_hom=replace(ex.jacobi1d().md_hom, guard=(i - 3, Affine.of("half") - i)),
    )
    base = ex.program(scaled)
    n = SizeOperation("floordiv", SizeOperation("sub", SizeName("n"), SizeConstant(1)), SizeConstant(2))
    program = replace(
        base,
        parameters=(*base.parameters, ScalarParameter("n", int64)),
        definitions=(Definition("half", n),),
        allocations=(Allocation("t", float32, (), Constant(1.5, float32)), Allocation("u", float32, (i,))),
        checks=(Check(Affine.of("n"), "bounds", "", (i,)),),
        steps=(Sequential(Dim("step", Affine.of("n")), base.steps, "carries x"),),
        returns=(expr.Return("t"),),
        returns_tuple=True,
    )
    assert str(program) == EVERYTHING


EVERYTHING = """\
jacobi1d(y: float32[:], x: float32[:], n: int64):
  size half = (n - 1) // 2
  check bounds: n ≥ 0 if i > 0
  allocate t: float32 = 1.5
  allocate u: float32[i]
  for step ∈ [0, n):  # carries x
    jacobi1d =
      out_view[float32]( y : (i) ↦ (i + 1) ) ∘
      finish( (s) ↦ s, where empty: (0.0) ) ∘
      md_hom[x.shape[0] - 2](
          (left, middle, right) ↦ 0.25 * (left + middle + right),
          (++) if i - 3 ≥ 0 and half - i ≥ 0 ) ∘
      inp_view[float32, float32, float32]( x : (i) ↦ (i), (i) ↦ (i + 1), (i) ↦ (i + 2) )
  return (t)"""
