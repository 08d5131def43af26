"""Arg-extrema whose points come in the order that decides between equal scores: only a better one wins.

    wins = better or (equal and earlier)   →   wins = better,   from (worst score, first place) on

That the worst score is at the first place is true, or it is not, and then the score there is better and wins.

In ranges of few vectors a state holds the number of the vector that its score comes from, in an element as wide as the
score, so that vectors of both have the lanes of scores. Places come out of numbers when lanes are combined. Scores that
are halves are held as `float32`, in which they are compared: to round each to a half again would take longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

from jitmdh.base.dtype import ScalarType, bool_, float32, int32, int64, uint8, uint16, uint32, uint64
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

    type: of a number; score: of a score in memory. count: of all points. better: the operation that chooses between
    scores that are numbers; worst: its neutral element.
    """

    dim: str
    type: ScalarType
    score: ScalarType
    lanes: int
    first: Value
    count: Value
    place: Value
    step: int
    better: str
    worst: bool | int | float | complex

    def taken(self, tile: MicroKernelBuilder, score: Value) -> tuple[Value, Value]:
        """What is taken in of points with these scores: these as they are compared, and the number of their vector."""
        wide = _compared_as(self.score)
        return score if wide == score.type else _apply("cast", score, type=wide), self._number(tile)

    def _number(self, tile: MicroKernelBuilder) -> Value:
        """Of the first vector of a tile, in all lanes."""
        number = divide(subtract(tile.dims[self.dim].base, self.first), self.lanes)
        if isinstance(number, Literal):
            return spread(Literal(number.value, self.type), self.lanes)
        return spread(tile.code.shared("number", Apply("cast", (number,), self.type)), self.lanes)

    def combined(self, tile: MicroKernelBuilder, states: Sequence[Sequence[Value]]) -> tuple[Value, ...]:
        """The score and the place that accumulators come to, of which number n has taken every vector n of a tile.

        The best score first; then the first place of those that have it, in elements no wider than scores.
        """
        scores = [score for score, _ in states]
        best: Value = self._of_lanes(tile, self.better, scores)
        there: list[Value]
        if best.type.kind == "f":
            score = tile.code.scope.name("score", best.type, 1)
            missing = [_apply("isnan", s, type=bool_) for s in scores]
            none = tile.let("nan", _halved("or", missing))
            tile.out.append(Declare(score, best))
            tile.out.append(If(none, (Assign(score, Literal(nan, best.type)),), rare=True))
            best = score
            there = [either(compare("eq", s, best), n) for s, n in zip(scores, missing)]
        else:
            there = [compare("eq", s, best) for s in scores]
        numbers = [number for _, number in states]
        distance, chosen = (self._first_distance if self.type.bits >= 32 else self._first_lane)(tile, there, numbers)
        if best.type.kind == "f":  # of zeros that are equal, the one that is there
            worst = spread(Literal(self.worst, best.type), self.lanes)
            own = [_select(c, s, worst) for c, s in zip(chosen, scores)]
            best = _select(_apply("isnan", best, type=bool_), best, self._of_lanes(tile, self.better, own))
        if best.type != self.score:
            best = Apply("cast", (best,), self.score)
        return best, add(self.place, multiply(distance, integer(self.step)))

    def _first_distance(
        self, tile: MicroKernelBuilder, there: list[Value], numbers: list[Value]
    ) -> tuple[Value, list[Value]]:
        """The least distance from `first`, and in which lane of which accumulator it is."""
        distances = [self._distance(tile, n, number) for n, number in enumerate(numbers)]
        beyond = spread(Literal(2**31 - 1, int32), self.lanes)
        least = self._of_lanes(tile, "minimum", [_select(t, d, beyond) for t, d in zip(there, distances)])
        return Apply("cast", (least,), int64), [compare("eq", d, least) for d in distances]

    def _distance(self, tile: MicroKernelBuilder, copy: int, number: Value) -> Value:
        vectors = _apply("mul", _apply("cast", number, type=int32), spread(Literal(self.lanes, int32), self.lanes))
        lanes = _apply(
            "add", _apply("cast", Iota(self.lanes), type=int32), spread(Literal(copy * self.lanes, int32), self.lanes)
        )
        return tile.let("distance", _apply("add", vectors, lanes))

    def _first_lane(
        self, tile: MicroKernelBuilder, there: list[Value], numbers: list[Value]
    ) -> tuple[Value, list[Value]]:
        """The same where a distance is longer than a score: the least number of a vector, then the first lane there."""
        least, chosen = self._least_number(tile, there, numbers)
        beyond = spread(Literal(self.lanes - 1, self.type), self.lanes)
        lanes = _apply("cast", Iota(self.lanes), type=self.type)
        lane = self._of_lanes(tile, "minimum", [_select(_halved("or", chosen), lanes, beyond)])
        first = compare("eq", lanes, lane)
        distance = add(multiply(Apply("cast", (least,), int64), integer(self.lanes)), Apply("cast", (lane,), int64))
        return distance, [_apply("and", c, first) for c in chosen]

    def _least_number(
        self, tile: MicroKernelBuilder, there: list[Value], numbers: list[Value]
    ) -> tuple[Value, list[Value]]:
        """The least number of a vector, and which lanes of the accumulators have it. A range of one vector has none to
        look for."""
        copies = [spread(Literal(n, self.type), self.lanes) for n in range(len(numbers))]
        held = [tile.let("number", _apply("add", n, c)) if c != copies[0] else n for n, c in zip(numbers, copies)]
        least = tile.code.scope.name("least", self.type, 1)
        most = spread(Literal(2**self.type.bits - 1, self.type), self.lanes)
        then = MicroKernelBuilder(tile.code.scope, tile.dims, {}, [])
        found = self._of_lanes(then, "minimum", [_select(t, n, most) for t, n in zip(there, held)])
        tile.out.append(Declare(least, Literal(0, self.type)))
        tile.out.append(If(compare("gt", self.count, integer(self.lanes)), (*then.out, Assign(least, found))))
        return least, [tile.let("chosen", _apply("and", t, compare("eq", n, least))) for t, n in zip(there, held)]

    def _of_lanes(self, tile: MicroKernelBuilder, op: str, vectors: list[Value]) -> Value:
        """All lanes of all vectors, combined."""
        total: Value = tile.let("lanes", _halved(op, vectors))
        while total.lanes > 2:
            half = total.lanes // 2
            low, high = (Shuffle(total, tuple(range(n, n + half)), total.type) for n in (0, half))
            total = tile.let("lanes", _apply(op, low, high))
        if total.lanes == 1:
            return total
        # The last two lanes are compared in both orders: vectors have instructions for that, bytes alone do not.
        both_lanes = tile.let("lanes", _apply(op, total, Shuffle(total, (1, 0), total.type)))
        return tile.let("lanes", Shuffle(both_lanes, (0,), total.type))


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
    wide, worst = _compared_as(numbered.score), operator.identity[0].value
    return Ascending(
        _retyped(function, wide, numbered.type), (Literal(worst, wide), Literal(0, numbered.type)), numbered
    )


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
    first, end = state.ranges[dim]
    begin = nest.scope.affine(place.index, {dim: first})
    assert operator.identity is not None
    better = "fmax" if operator.score == "maximum" else "fmin"
    worst, step = operator.identity[0].value, place.index.coefficient(dim)
    score = operator.types[0]
    return Numbered(
        dim, _NUMBERS[bits], score, nest.lanes[dim], first, subtract(end, first), begin, step, better, worst
    )


def _compared_as(type: ScalarType) -> ScalarType:
    return float32 if type.kind == "f" and type.bits < float32.bits else type


def _retyped(function: ScalarFunction, score: ScalarType, place: ScalarType) -> ScalarFunction:
    """With scores and places of other types."""
    types = {p.name: place if n % 2 else score for n, p in enumerate(function.parameters)}
    parameters = tuple(replace(p, type=types[p.name]) for p in function.parameters)

    def walk(node: Scalar) -> Scalar:
        if isinstance(node, Variable):
            return replace(node, type=types.get(node.name, node.type))
        inner = map_children(node, walk)
        if isinstance(inner, Operation) and inner.op == "select" and inner.operands[1].type != inner.type:
            return replace(inner, type=inner.operands[1].type)
        return inner

    bindings = tuple((name, walk(value)) for name, value in function.bindings)
    return ScalarFunction(parameters, bindings, tuple(map(walk, function.results)))
