"""Random computations with an operator of its own for each dimension, and what they mean, point by point in Python."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as points
from typing import Any

import numpy as np
from hypothesis import strategies as st

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.combine import (
    CombineOperator,
    Concatenation,
    Operator,
    PointWise,
    PrefixSum,
    cc,
    elementwise,
    product,
)
from jitmdh.mdh.algebra.expr import Between, Buffer, Dim, Expression, Finish, MdHom
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.semantics.operations import Value, apply
from tests.mdh.algebra import examples as ex

State = tuple[int, ...]
LOW, HIGH = -(2**63), 2**63 - 1


def _single() -> list[Operator]:
    return [
        elementwise("add", int64, 0),
        elementwise("maximum", int64, LOW),
        elementwise("minimum", int64, HIGH),
        elementwise("maximum", int64, None),
        elementwise("xor", int64, 0),
    ]


def _pairs() -> list[Operator]:
    a, b, c, d = (Variable(n, int64) for n in "abcd")
    body = (ex.op("mul", a, c), ex.op("add", ex.op("mul", b, c), d))
    function = ScalarFunction((a, b, c, d), (), body)
    identity = (Constant(1, int64), Constant(0, int64))
    return [
        Operator("then", function, identity, commutative=False),
        Operator("then", function, None, commutative=False),
        product((elementwise("add", int64, 0), elementwise("minimum", int64, HIGH))),
        product((elementwise("minimum", int64, None), elementwise("xor", int64, None))),
    ]


@dataclass(frozen=True)
class Case:
    """A computation of x[dims], u[dims 0] and its number of dimensions."""

    expression: Expression
    rank: int

    def arrays(self, extents: tuple[int, ...], seed: int) -> dict[str, np.ndarray[Any, Any]]:
        """x, u and outputs full of a number that stands for nothing."""
        rng = np.random.default_rng(seed)
        made = {"x": rng.integers(-3, 4, extents), "u": rng.integers(-3, 4, extents[:1])}
        names = [d.name for d in self.expression.md_hom.dims]
        kept = [n for name, n in zip(names, extents) if name in self.expression.remaining]
        return {a.buffer: np.full(kept, -99) for a in self.expression.out_view} | made


@st.composite
def cases(draw: st.DrawFn) -> Case:
    rank = draw(st.integers(2, 4))
    names = [f"d{n}" for n in range(rank)]
    index = [Affine.of(n) for n in names]
    combine: list[CombineOperator] = []
    arities: list[int] = []  # of the state that each dimension's operator is on, innermost first
    between: list[Between] = []
    arity = draw(st.integers(1, 2))
    first = arity
    inside = False
    for axis in reversed(range(rank)):
        if inside and axis + 1 < rank and draw(st.integers(0, 2)) == 0:
            made = draw(_functions(arity, axis + 1, index))
            between.append(made)
            arity, inside = len(made.function.results), False
        operators = _single() if arity == 1 else _pairs()
        kind = draw(st.sampled_from(["++", "•", "•", "ps"]))
        operator = draw(st.sampled_from(operators))
        if kind == "++":
            combine.insert(0, cc)
        elif kind == "•":
            combine.insert(0, PointWise(operator))
        else:
            combine.insert(0, PrefixSum(operator, draw(st.booleans()), draw(st.booleans())))
        inside = inside or kind != "++"
        arities.append(arity)
    axes = [a for a, c in enumerate(combine) if not isinstance(c, Concatenation)]
    if any(all(a >= b.depth for a in axes) for b in between):  # nothing outside of it: it would be a finish
        between, finish = [b for b in between if any(a < b.depth for a in axes)], None
        arity = _arity(first, combine, between)
        if arity is None:
            return draw(cases())
    x, u = Variable("x", int64), Variable("u", int64)
    results: tuple[Scalar, ...] = (x,) if first == 1 else (x, ex.op("add", x, u))
    guard = tuple(
        Affine.sum([(n, draw(st.integers(-1, 1))) for n in names], draw(st.integers(-1, 4)))
        for _ in range(draw(st.sampled_from([0, 0, 1, 2])))
    )
    outputs = ("p", "q")[:arity]
    kept = [i for i, c in zip(index, combine) if not isinstance(c, PointWise)]
    extents = [ex.size("x", axis) for axis in range(rank)]
    shape = tuple(e for e, c in zip(extents, combine) if not isinstance(c, PointWise))
    finish = _finish(arity) if draw(st.integers(0, 3)) == 0 else None
    inputs = (Buffer("x", int64, tuple(extents)), ex.buffer("u", int64, 1))
    buffers = (*(Buffer(o, int64, shape) for o in outputs), *inputs)
    expression = Expression(
        "several",
        buffers,
        (ex.access("x", *index), ex.access("u", index[0])),
        MdHom(tuple(map(Dim, names, extents)), ScalarFunction((x, u), (), results), tuple(combine), guard),
        finish,
        tuple(ex.access(o, *kept) for o in outputs),
        between=tuple(between),
    )
    return Case(expression, rank)


def _arity(first: int, combine: list[CombineOperator], between: list[Between]) -> int | None:
    """The arity of the whole result, None where operators and functions do not fit any more."""
    arity = first
    depths = {b.depth: b for b in between}
    for axis in reversed(range(len(combine))):
        if axis + 1 in depths:
            arity = len(depths[axis + 1].function.results)
        operator = combine[axis]
        if not isinstance(operator, Concatenation) and operator.operator.arity != arity:
            return None
    return arity


@st.composite
def _functions(draw: st.DrawFn, arity: int, depth: int, index: list[Affine]) -> Between:
    state = tuple(Variable(f"s{n}", int64) for n in range(arity))
    u = Variable("u", int64)
    at = IndexValue(draw(st.sampled_from(index[:depth])), int64)
    values: list[Scalar] = [ex.op("add", state[0], u), ex.op("mul", state[-1], at), ex.op("sub", at, state[0])]
    count = draw(st.integers(1, 2))
    results = tuple(draw(st.permutations(values)))[:count]
    return Between(depth, (ex.access("u", index[0]),), ScalarFunction((*state, u), (), results))


def _finish(arity: int) -> Finish:
    state = tuple(Variable(f"s{n}", int64) for n in range(arity))
    return Finish((), ScalarFunction(state, (), tuple(ex.op("add", s, s) for s in state)))


# ---------------------------------------------------------------------------------------------- point by point


def meaning(case: Case, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """The outputs, computed one scalar at a time."""
    e = case.expression
    md_hom = e.md_hom
    names = [d.name for d in md_hom.dims]
    extents = arrays["x"].shape
    level = [max((names.index(n) for n in g.names if n in names), default=-1) for g in md_hom.guard]
    combines = {n for n, c in zip(names, md_hom.combine) if not isinstance(c, Concatenation)}
    decides = [bool(combines.intersection(g.names)) for g in md_hom.guard]

    def holds(axis: int, index: tuple[int, ...]) -> bool:
        env = dict(zip(names, index))
        mine = [g for g, l, own in zip(md_hom.guard, level, decides) if l == axis and own]
        return all(g.evaluate(env) >= 0 for g in mine)

    states: dict[tuple[int, ...], State | None] = {}
    for index in points(*map(range, extents)):
        env = dict(zip(names, index))
        states[index] = _call(md_hom.function, [arrays["x"][index], arrays["u"][index[0]]], env)
    between = {b.depth: b for b in e.between}
    lengths = list(extents)
    for axis in reversed(range(len(names))):
        if axis + 1 in between:
            b = between[axis + 1]
            states = {
                i: None if s is None else _call(b.function, [*s, arrays["u"][i[0]]], dict(zip(names, i)))
                for i, s in states.items()
            }
        states = {i: s if holds(axis, i) else None for i, s in states.items()}
        combine = md_hom.combine[axis]
        if not isinstance(combine, Concatenation):
            states = _applied(combine, axis, lengths, states)
    outputs = {a.buffer: arrays[a.buffer].copy() for a in e.out_view}
    writes = [g for g in md_hom.guard if not set(g.names) & set(e.collapsed)]
    for index, state in states.items():
        env = dict(zip(names, index))
        if state is None or any(g.evaluate(env) < 0 for g in writes):
            continue
        if e.finish is not None:
            state = _call(e.finish.function, list(state), env)
        place = tuple(i for n, i in zip(names, index) if n in e.remaining)
        for access, value in zip(e.out_view, state):
            outputs[access.buffer][place] = value
    return outputs


def _applied(
    combine: PointWise | PrefixSum, axis: int, lengths: list[int], states: dict[tuple[int, ...], State | None]
) -> dict[tuple[int, ...], State | None]:
    operator = combine.operator
    neutral = None if operator.identity is None else tuple(int(c.value) for c in operator.identity)  # type: ignore[arg-type]

    def joined(a: State | None, b: State | None) -> State | None:
        return b if a is None else a if b is None else _call(operator.function, [*a, *b], {})

    found: dict[tuple[int, ...], State | None] = {}
    rows = points(*(range(1) if a == axis else range(n) for a, n in enumerate(lengths)))
    for row in rows:
        line = [(*row[:axis], n, *row[axis + 1 :]) for n in range(lengths[axis])]
        if isinstance(combine, PointWise):
            total: State | None = None
            for index in line:
                total = joined(total, states[index])
            found[row] = neutral if total is None else total
            continue
        total = None
        for index in reversed(line) if combine.reverse else line:
            before = total
            total = joined(states[index], total) if combine.reverse else joined(total, states[index])
            result = before if combine.exclusive else total
            found[index] = neutral if result is None else result
    if isinstance(combine, PointWise):
        lengths[axis] = 1
    return found


def _call(function: ScalarFunction, arguments: list[Any], env: dict[str, int]) -> State:
    values = apply(function, [Value(np.asarray(a, np.int64)) for a in arguments], lambda i: np.int64(i.evaluate(env)))
    return tuple(int(v.data) for v in values)
