"""Arg-extrema whose points come in the order that decides between equal scores: only a better one wins.

    wins = better or (equal and earlier)   →   wins = better,   from (worst score, first place) on

That the worst score is at the first place is true, or it is not, and then the score there is better and wins.

In ranges of few vectors a state holds the number of the vector that its score comes from, in an element as wide as the
score, so that vectors of both have the lanes of scores. Places come out of numbers when lanes are combined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

from jitmdh.base.dtype import ScalarType, bool_, int32, int64, uint8, uint16, uint32, uint64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.groups import places_ascend
from jitmdh.mdh.algebra.scalar import IndexValue, Operation, Scalar, ScalarFunction, Variable, map_children
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import add, compare, divide, either, integer, multiply, spread, subtract
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, If, Iota, Literal, Shuffle, Value

_NUMBERS = {type.bits: type for type in (uint8, uint16, uint32, uint64)}
_MOST_ELEMENTS = 2**31  # whose distances from the first one have 32 bits


@dataclass(frozen=True, slots=True)
class Numbered:
    """Places along `dim` as numbers of vectors of so many lanes, counted from `first`; the index grows by `step`.

        place = index at `first` + ((number + copy)·lanes + lane)·step

    type: of a number. better: the operation that chooses between scores that are numbers; worst: its neutral element.
    """

    dim: str
    type: ScalarType
    lanes: int
    first: Value
    place: Value
    step: int
    better: str
    worst: bool | int | float | complex

    def number(self, tile: MicroKernelBuilder) -> Value:
        """Of the first vector of a tile, in all lanes."""
        number = divide(subtract(tile.dims[self.dim].base, self.first), self.lanes)
        if isinstance(number, Literal):
            return spread(Literal(number.value, self.type), self.lanes)
        return spread(tile.code.shared("number", Apply("cast", (number,), self.type)), self.lanes)

    def combined(self, tile: MicroKernelBuilder, states: Sequence[Sequence[Value]]) -> tuple[Value, ...]:
        """The score and the place that accumulators come to, of which number n has taken every vector n of a tile.

        The best score first; then the least distance from `first` among the lanes that have it.
        """
        scores = [score for score, _ in states]
        best: Value = self._of_lanes(tile, self.better, scores)
        there: list[Value]
        if best.type.kind == "f":
            score = tile.code.scope.name("score", best.type, 1)
            numbers = [_apply("isnan", s, type=bool_) for s in scores]
            none = tile.let("nan", _halved("or", numbers))
            tile.out.append(Declare(score, best))
            tile.out.append(If(none, (Assign(score, Literal(nan, best.type)),), rare=True))
            best = score
            there = [either(compare("eq", s, best), n) for s, n in zip(scores, numbers)]
        else:
            there = [compare("eq", s, best) for s in scores]
        distances = [self._distance(tile, n, number) for n, (_, number) in enumerate(states)]
        beyond = spread(Literal(2**31 - 1, int32), self.lanes)
        least = self._of_lanes(tile, "minimum", [_select(t, d, beyond) for t, d in zip(there, distances)])
        if best.type.kind == "f":  # of zeros that are equal, the one that is there
            worst = spread(Literal(self.worst, best.type), self.lanes)
            own = [_select(compare("eq", d, least), s, worst) for d, s in zip(distances, scores)]
            best = _select(_apply("isnan", best, type=bool_), best, self._of_lanes(tile, self.better, own))
        return best, add(self.place, multiply(Apply("cast", (least,), int64), integer(self.step)))

    def _distance(self, tile: MicroKernelBuilder, copy: int, number: Value) -> Value:
        vectors = _apply("mul", _apply("cast", number, type=int32), spread(Literal(self.lanes, int32), self.lanes))
        lanes = _apply(
            "add", _apply("cast", Iota(self.lanes), type=int32), spread(Literal(copy * self.lanes, int32), self.lanes)
        )
        return tile.let("distance", _apply("add", vectors, lanes))

    def _of_lanes(self, tile: MicroKernelBuilder, op: str, vectors: list[Value]) -> Value:
        """All lanes of all vectors, combined."""
        total: Value = tile.let("lanes", _halved(op, vectors))
        while total.lanes > 1:
            half = total.lanes // 2
            low, high = (Shuffle(total, tuple(range(n, n + half)), total.type) for n in (0, half))
            total = tile.let("lanes", _apply(op, low, high))
        return total


def _halved(op: str, values: list[Value]) -> Value:
    """All of them combined, neighbours first: few wait for each other."""
    while len(values) > 1:
        pairs = [_apply(op, *pair) for pair in zip(values[::2], values[1::2])]
        values = [*pairs, *values[len(values) - len(values) % 2 :]]
    return values[0]


def _select(condition: Value, then: Value, otherwise: Value) -> Value:
    return Apply("select", (condition, then, otherwise), then.type, then.lanes)


def _apply(op: str, *operands: Value, type: ScalarType | None = None) -> Value:
    return Apply(op, operands, type or operands[0].type, operands[0].lanes)


@dataclass(frozen=True, slots=True)
class Ascending:
    """function: takes in the next point; start: a state before the first one; numbered: what states hold for places."""

    function: ScalarFunction
    start: tuple[Value, ...]
    numbered: Numbered | None = None


def ascending(nest: NestFacts, state: NestPosition) -> Ascending | None:
    """How the points of ranges that are not empty are taken in; None: as of any order."""
    e, operator = nest.expression, nest.operator
    if operator is None or operator.score is None or operator.identity is None or len(nest.groups) > 1:
        return None
    if e.guard or nest.ragged or state.partial is not None or nest.low.in_blocks or nest.scope.machine.warps:
        return None
    loops = [p.dim for p in nest.parts if p.way == "loop" and p.dim in nest.collapsed]
    if not loops or loops != list(nest.collapsed) or any(nest.counts[d] > 1 for d in loops[:-1]):
        return None
    places = e.md_hom.function.results[1:]
    if any(nest.lanes[d] > 1 for d in loops[:-1]) or not all(isinstance(p, IndexValue) for p in places):
        return None
    corner = {d: state.ranges[d][0] for d in loops}
    start: list[Value] = [Literal(operator.identity[0].value, operator.types[0])]
    for place in places:
        assert isinstance(place, IndexValue)
        if place.type != int64 or not set(place.index.names) <= {*loops}:
            return None
        start.append(nest.scope.affine(place.index, corner))
    ((wins, condition),) = operator.function.bindings
    if not isinstance(condition, Operation) or condition.op != "or":
        return None
    better = condition.operands[0]
    function = ScalarFunction(operator.function.parameters, ((wins, better),), operator.function.results)
    numbered = _numbered(nest, state, operator)
    if numbered is None:
        return Ascending(function, tuple(start))
    return Ascending(_retyped(function, numbered.type), (start[0], Literal(0, numbered.type)), numbered)


def numbers_vectors(nest: NestFacts) -> bool:
    """Whether all places of a range come one after another along the dimension of lanes."""
    return places_ascend(nest.expression, nest.groups) and nest.lanes[nest.collapsed[0]] > 1


def most_vectors(nest: NestFacts) -> int:
    """Of a range in which they can be numbered."""
    assert nest.operator is not None
    bits = max(8, nest.operator.types[0].bits)
    return int(min(2**bits, _MOST_ELEMENTS // (nest.scope.machine.vector_bits // bits)))


def _numbered(nest: NestFacts, state: NestPosition, operator: Operator) -> Numbered | None:
    """How vectors are numbered in a block, which has few of them."""
    bits = max(8, operator.types[0].bits)
    if not (nest.in_block and numbers_vectors(nest) and bits in _NUMBERS):
        return None
    (dim,) = nest.collapsed
    if nest.lanes[dim] != nest.scope.machine.vector_bits // bits:
        return None
    place = nest.expression.md_hom.function.results[1]
    assert isinstance(place, IndexValue)
    first = state.ranges[dim][0]
    begin = nest.scope.affine(place.index, {dim: first})
    assert operator.identity is not None
    better = "fmax" if operator.score == "maximum" else "fmin"
    worst, step = operator.identity[0].value, place.index.coefficient(dim)
    return Numbered(dim, _NUMBERS[bits], nest.lanes[dim], first, begin, step, better, worst)


def _retyped(function: ScalarFunction, type: ScalarType) -> ScalarFunction:
    """With places of another type."""
    parameters = tuple(replace(p, type=type) if n % 2 else p for n, p in enumerate(function.parameters))
    places = {p.name for p in function.parameters[1::2]}

    def walk(node: Scalar) -> Scalar:
        if isinstance(node, Variable):
            return replace(node, type=type) if node.name in places else node
        inner = map_children(node, walk)
        if isinstance(inner, Operation) and inner.op == "select" and inner.operands[1].type != inner.type:
            return replace(inner, type=inner.operands[1].type)
        return inner

    bindings = tuple((name, walk(value)) for name, value in function.bindings)
    return ScalarFunction(parameters, bindings, tuple(map(walk, function.results)))
