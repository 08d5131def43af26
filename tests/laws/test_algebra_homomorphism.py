"""The property that gives the formalism its name: a computation splits along every dimension, and the results of the
parts combine by that dimension's operator to the result of the whole (thesis Definition 3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, Operator, PointWise, PrefixSum, cc
from jitmdh.mdh.algebra.expr import Access, Buffer, Dim, Expression, MdHom
from jitmdh.mdh.algebra.index import Affine, as_affine
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.scalar import Constant, Operation, ScalarFunction, Variable
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.operations import Value, apply

State = tuple[np.ndarray, ...]


def affine_maps() -> Operator:
    """Composition of x ↦ a·x + b: associative, not commutative, with identity (1, 0)."""
    a, b, c, d = (Variable(n, int64) for n in "abcd")
    first = Operation("mul", (a, c), int64)
    second = Operation("add", (Operation("mul", (b, c), int64), d), int64)
    identity = (Constant(1, int64), Constant(0, int64))
    return Operator("then", ScalarFunction((a, b, c, d), (), (first, second)), identity, commutative=False)


@st.composite
def computations(draw: st.DrawFn) -> tuple[Expression, np.ndarray, np.ndarray]:
    """One or two dimensions with ++, point-wise or prefix-sum operators over pairs of integers, perhaps guarded."""
    operator = affine_maps()
    if draw(st.booleans()):
        operator = replace(operator, identity=None)
    kinds = st.one_of(
        st.just(cc),
        st.just(PointWise(operator)),
        st.builds(PrefixSum, st.just(operator), exclusive=st.booleans(), reverse=st.booleans()),
    )
    combine = draw(st.lists(kinds, min_size=1, max_size=2))
    extents = tuple(draw(st.integers(0, 6)) for _ in combine)
    names = [f"d{n}" for n in range(len(combine))]
    guard: tuple[Affine, ...] = ()
    if draw(st.booleans()):
        parts = [(name, draw(st.integers(-1, 1))) for name in names]
        guard = (Affine.sum(parts, draw(st.integers(-2, 3))),)
    values = draw(st.integers(0, 2**30))
    data = np.random.default_rng(values).integers(-3, 4, (2, *extents))
    return expression(names, extents, combine, guard), data[0], data[1]


def expression(
    names: list[str], extents: tuple[int, ...], combine: list[CombineOperator], guard: tuple[Affine, ...]
) -> Expression:
    shape = tuple(as_affine(n) for n in extents)
    index = tuple(Affine.of(n) for n in names)
    kept = tuple(a for a, c in enumerate(combine) if not isinstance(c, PointWise))
    out_shape, out_index = tuple(shape[a] for a in kept), tuple(index[a] for a in kept)
    x, y = Variable("x", int64), Variable("y", int64)
    return Expression(
        "split",
        (*(Buffer(n, int64, shape) for n in "xy"), *(Buffer(n, int64, out_shape) for n in "uv")),
        (Access("x", index), Access("y", index)),
        MdHom(tuple(map(Dim, names, shape)), ScalarFunction((x, y), (), (x, y)), tuple(combine), guard),
        None,
        (Access("u", out_index), Access("v", out_index)),
    )


EMPTY = -99


def results(computation: Expression, x: np.ndarray, y: np.ndarray) -> State:
    check_expression(computation)
    shape = tuple(e.constant for e in computation.buffer("u").shape)
    u, v = np.full(shape, EMPTY), np.full(shape, EMPTY)
    interp.evaluate(computation, {"x": x, "y": y, "u": u, "v": v}, {})
    return u, v


def part(computation: Expression, x: np.ndarray, y: np.ndarray, axis: int, begin: int, end: int) -> State:
    """The results of the indices from `begin` to `end` of dimension `axis`."""
    md_hom = computation.md_hom
    name, names = md_hom.dims[axis].name, [d.name for d in md_hom.dims]
    extents = tuple(end - begin if a == axis else d.extent.constant for a, d in enumerate(md_hom.dims))
    guard = tuple(g.substitute({name: Affine.of(name) + begin}) for g in md_hom.guard)
    smaller = expression(names, extents, list(md_hom.combine), guard)
    indices = range(begin, end)
    return results(smaller, np.take(x, indices, axis), np.take(y, indices, axis))


def both(operator: Operator, left: State, right: State) -> State:
    """`left ⊗ right` element by element, where both are there."""
    values = apply(operator.function, [Value(a) for a in (*left, *right)], lambda _: np.zeros(1))
    there = [s[0] != EMPTY for s in (left, right)]
    return tuple(
        np.where(there[0], np.where(there[1], v.data, a), b) for v, a, b in zip(values, left, right, strict=True)
    )


@given(computations(), st.data())
def test_parts_combine_to_the_whole(case: tuple[Expression, np.ndarray, np.ndarray], data: st.DataObject) -> None:
    computation, x, y = case
    md_hom = computation.md_hom
    axis = data.draw(st.integers(0, len(md_hom.dims) - 1), label="axis")
    if any(not isinstance(c, Concatenation) for c in md_hom.combine[:axis]) and len(md_hom.dims) > 1:
        axis = 0  # an inner dimension commutes with outer operators only by the interchange law
    extent = md_hom.dims[axis].extent.constant
    middle = data.draw(st.integers(0, extent), label="middle")
    whole = results(computation, x, y)
    first, second = part(computation, x, y, axis, 0, middle), part(computation, x, y, axis, middle, extent)
    place = sum(not isinstance(c, PointWise) for c in md_hom.combine[:axis])
    match md_hom.combine[axis]:
        case Concatenation():
            expected = tuple(np.concatenate([a, b], place) for a, b in zip(first, second))
        case PointWise(operator):
            expected = both(operator, first, second)
        case PrefixSum(operator, exclusive, reverse):
            if exclusive or md_hom.guard:
                return  # parts alone do not tell their total
            if reverse:
                total = tuple(np.take(s, [0], place) for s in second) if middle < extent else None
                first = first if total is None else both(operator, first, total)
            else:
                total = tuple(np.take(s, [-1], place) for s in first) if middle > 0 else None
                second = second if total is None else both(operator, total, second)
            expected = tuple(np.concatenate([a, b], place) for a, b in zip(first, second))
    for a, b in zip(whole, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@given(computations())
def test_completing_changes_no_result(case: tuple[Expression, np.ndarray, np.ndarray]) -> None:
    computation, x, y = case
    for a, b in zip(results(computation, x, y), results(lift_identities(computation), x, y), strict=True):
        np.testing.assert_array_equal(a, b)


@given(st.integers(0, 2**30), st.integers(1, 50))
def test_blocks_change_no_bit(seed: int, points: int) -> None:
    """Evaluated in blocks, a floating-point reduction has the same tree."""
    from tests.mdh.algebra.examples import matmul, program

    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((3, 13)).astype("f"), rng.standard_normal((13, 4)).astype("f")
    C, D = np.empty((2, 3, 4), np.float32)
    interp.run(program(matmul()), C, A, B)
    before, interp.BLOCK_POINTS = interp.BLOCK_POINTS, points
    try:
        interp.run(program(matmul()), D, A, B)
    finally:
        interp.BLOCK_POINTS = before
    np.testing.assert_array_equal(C, D)
