"""Extents that depend on loops in order are taken to be those of an iteration in the middle."""

from __future__ import annotations

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.combine import PointWise, cc
from jitmdh.mdh.algebra.expr import Dim, Expression, MdHom, Sequential
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable
from jitmdh.mdh.lowering.problem.traffic import problem, typical_iterations
from tests.mdh.algebra import examples as ex

X = Variable("x", float32)
DIMS = Dim("i", ex.name("n")), Dim("k", ex.name("t"))
SUM = Expression(
    "sum",
    (ex.buffer("y", float32, 1), ex.buffer("x", float32, 2)),
    (ex.access("x", ex.name("i"), ex.name("k")),),
    MdHom(DIMS, ScalarFunction((X,), (), (X,)), (cc, PointWise(ex.add(float32)))),
    None,
    (ex.access("y", ex.name("i")),),
)  # fmt: skip
INNER = Sequential(Dim("t", ex.name("s") + 3), (SUM,))
OUTER = Sequential(Dim("s", ex.name("n")), (INNER,))


def test_in_the_middle_of_each_loop() -> None:
    assert typical_iterations((OUTER,), SUM, {"n": 40}) == {"s": 20, "t": 11}
    assert typical_iterations((SUM, OUTER), SUM, {"n": 40}) == {}  # nothing is around the first one


def test_of_loops_of_known_length() -> None:
    assert typical_iterations((OUTER,), SUM, {}) == {}
    until = Sequential(Dim("s", Affine((), 2**62)), (INNER,), until=("done",))
    assert typical_iterations((until,), SUM, {"n": 40}) == {}


def test_extents() -> None:
    assert problem(SUM, {"n": 40}, {}, 1).extents == {"i": 40, "k": 64}
    sizes = {**typical_iterations((OUTER,), SUM, {"n": 40}), "n": 40}
    assert problem(SUM, sizes, {}, 1).extents == {"i": 40, "k": 11}
