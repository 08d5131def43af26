"""Arg-extrema over long ranges, block by block: the scores first, the places only where something may win.

    best = identity
    for each block:
        score = max of its scores                        whole vectors of scores, whatever else the states hold
        if (score, first place) wins against best:       few times: a block of random scores wins at number n once in n
            best = best ⊗ (the block's states, combined)

No state of a block wins where the best score, at the block's first place, does not. Where blocks follow each other in
the order that decides between equal scores, it is enough to keep the block that wins, and to search the last one kept:

    for each block:
        if (score, first place) wins against best:  best = (score, first place), kept = the block
    best = the states of the block that was kept, combined

Vectors that can be numbered (see `ascending`) are met in one pass: that takes no longer than the scores alone, whose
blocks end in a horizontal reduction each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import nan

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import CombineOperator, Operator, PointWise, cc, elementwise, product
from jitmdh.mdh.algebra.expr import Access, Expression, Finish
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.codegen.context.tile_shapes import Range, TileDim
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition, allocated, waiting
from jitmdh.mdh.codegen.loops.recomposition.ascending import most_vectors, numbers_vectors
from jitmdh.mdh.codegen.loops.recomposition.recompose import accumulating, of_stage
from jitmdh.mdh.codegen.loops.recomposition.staging import Nested
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.ir import Apply, For, If, Let, Literal, Statement, Value
from jitmdh.mdh.lowlevel.expr import LowLevel, Part

# Vectors of scores in a block, and accumulators for them: enough work to hide how a block ends, few enough to search.
_BLOCK, _ACCUMULATORS = 64, 8
# Blocks from which on the scores are looked at first: of fewer, too many win.
_LEAST_BLOCKS = 4


def looks_at_scores(nest: NestFacts, state: NestPosition) -> bool:
    """Whether the results of a tile can be found this way."""
    e, operator = nest.expression, nest.operator
    if nest.in_block or operator is None or operator.score is None or len(nest.groups) > 1 or nest.scope.machine.warps:
        return False
    if nest.ragged or e.indirect or e.procedures or state.partial is not None or state.to.scatter is not None:
        return False
    if not any(nest.lanes[d] > 1 for d in nest.collapsed) or nest.low.tile_layout is not None:
        return False
    f = e.md_hom.function
    return not f.bindings and all(map(_is_safe, f.results[1:]))


def _is_safe(payload: Scalar) -> bool:
    """Whether a component can be left out: that it cannot be computed is no error."""
    return isinstance(payload, (Variable, IndexValue, Constant))


@dataclass(frozen=True, slots=True)
class ScoresFirst:
    """nested: the statements of another computation in the same scope, within ranges."""

    nest: NestFacts
    state: NestPosition
    nested: Nested

    @property
    def _lane(self) -> str:
        return next(d for d in self.nest.collapsed if self.nest.lanes[d] > 1)

    @property
    def _score_lanes(self) -> int:
        assert self.nest.operator is not None
        return max(1, self.nest.scope.machine.vector_bits // max(8, self.nest.operator.types[0].bits))

    @property
    def _rows(self) -> list[str]:
        """The dimensions that remain."""
        return list(self.nest.expression.remaining)

    def instead(self, otherwise: Callable[[], list[Statement]]) -> list[Statement]:
        """Where there are many elements, block by block; `otherwise` where there are few."""
        count: Value = integer(1)
        for dim in self.nest.collapsed:
            begin, end = self.state.ranges[dim]
            count = multiply(count, maximum(subtract(end, begin), integer(0)))
        numbered = numbers_vectors(self.nest)
        least = integer(self._score_lanes * (most_vectors(self.nest) if numbered else _LEAST_BLOCKS * _BLOCK))
        if isinstance(count, Literal):
            many = int(count.value) >= int(least.value)  # type: ignore[arg-type]
            return self._by_blocks() if many else self._few(otherwise)
        return [If(compare("ge", count, least), tuple(self._by_blocks()), tuple(self._few(otherwise)))]

    def _few(self, otherwise: Callable[[], list[Statement]]) -> list[Statement]:
        """In ranges of few vectors these are numbered."""
        if not numbers_vectors(self.nest) or self.state.packed:
            return otherwise()
        return self._row_by_row(self._rows, {self._lane: self.state.ranges[self._lane]})

    def _row_by_row(self, rows: Sequence[str], within: Mapping[str, Range]) -> list[Statement]:
        if rows:
            index = self.nest.scope.index(rows[0])
            inside = self._row_by_row(rows[1:], {**within, rows[0]: (index, add(index, integer(1)))})
            return [For(index, *self.state.ranges[rows[0]], integer(1), tuple(inside), "", natural=True)]
        low = self._low(self._operator, *self._vectors)
        to = self.state.to
        return self.nested(
            replace(low, expression=replace(low.expression, finish=to.finish, out_view=to.out_view)), within
        )

    def _by_blocks(self) -> list[Statement]:
        nest, state = self.nest, self.state
        assert nest.operator is not None
        before: list[Statement] = []
        ranges = {d: state.ranges[d] for d in self._rows}
        best, scratch = waiting(nest.scope, nest.operator.types, ranges, before, "best")
        score, more = waiting(nest.scope, (nest.operator.types[0], int64), ranges, before, "score")
        body = self._for_each_row(self._rows, {}, (best, score))
        finish = of_stage(nest, best, state.to.finish, state.to.out_view, shared=False)
        body += self.nested(replace(finish, streaming=state.to.streaming), state.ranges)
        return [*before, *allocated([*scratch, *more], body, "L1")]

    def _for_each_row(
        self, rows: Sequence[str], point: Mapping[str, Value], buffers: tuple[tuple[Access, ...], tuple[Access, ...]]
    ) -> list[Statement]:
        if rows:
            index = self.nest.scope.index(rows[0])
            inside = self._for_each_row(rows[1:], {**point, rows[0]: index}, buffers)
            return [For(index, *self.state.ranges[rows[0]], integer(1), tuple(inside), "", natural=True)]
        best, score = buffers
        assert self.nest.operator is not None and self.nest.operator.identity is not None
        within = {d: (value, add(value, integer(1))) for d, value in point.items()}
        tile = self._row(within, out := list[Statement]())
        self._nothing_yet(tile, best)
        if self._keeps_blocks:
            return [*out, *self._one_kept(within, best, score)]
        return [*out, *self._blocks([d for d in self.nest.collapsed if d != self._lane], within, best, score)]

    def _nothing_yet(self, tile: MicroKernelBuilder, best: tuple[Access, ...]) -> None:
        assert self.nest.operator is not None and self.nest.operator.identity is not None
        for access, start in zip(best, self.nest.operator.identity):
            tile.store(access, (), {}, Literal(start.value, start.type), streaming=False)

    @property
    def _keeps_blocks(self) -> bool:
        """Whether all places of a block come before those of the next one."""
        return numbers_vectors(self.nest)

    def _one_kept(
        self, within: Mapping[str, Range], best: tuple[Access, ...], buffers: tuple[Access, ...]
    ) -> list[Statement]:
        """Searches the block that wins last. buffers: for the score of a block, and for where the one kept begins."""
        (score, kept), scope, (begin, end) = buffers, self.nest.scope, self.state.ranges[self._lane]
        size, index = integer(_BLOCK * self._score_lanes), scope.index(self._lane)
        stop = scope.index(f"{self._lane}_end")
        tile = self._row(within, out := list[Statement]())
        tile.store(kept, (), {}, begin, streaming=False)
        body: list[Statement] = [Let(stop, minimum(add(index, size), end))]
        inside = {**within, self._lane: (index, stop)}
        body += self.nested(self._scores((score,)), inside)
        found, present = self._wins(inside, best, score, body)
        winner = self._row(within, then := list[Statement]())
        for access, value in zip((*best, kept), (*present, index)):
            winner.store(access, (), {}, value, streaming=False)
        body.append(If(found, tuple(then)))
        out.append(For(index, begin, end, size, tuple(body), f"block of {self._lane}"))
        tile = self._row(within, out)
        first = scope.named(f"{self._lane}_kept", tile.load(-1, kept, (), {}), out)
        last = scope.named(f"{self._lane}_end", minimum(add(first, size), end), out)
        self._nothing_yet(tile, best)
        return [*out, *self.nested(self._places(best), {**within, self._lane: (first, last)})]

    def _row(self, within: Mapping[str, Range], out: list[Statement]) -> MicroKernelBuilder:
        """What writes code for the single result of a row."""
        return MicroKernelBuilder(self.nest.scope, {d: TileDim(within[d][0], 1, 1) for d in self._rows}, {}, out)

    def _blocks(
        self, outer: Sequence[str], within: Mapping[str, Range], best: tuple[Access, ...], score: tuple[Access, ...]
    ) -> list[Statement]:
        """Loops over boxes of about as many elements as a block has: several rows of the innermost dimension if they
        are short."""
        size: Value = integer(_BLOCK * self._score_lanes)
        out: list[Statement] = []
        if len(outer) == 1:
            begin, end = self.state.ranges[self._lane]
            length = maximum(subtract(end, begin), integer(1))
            size = maximum(Apply("udiv", (size, length), int64), integer(1))
        elif outer:
            size = integer(1)
        dim = outer[0] if outer else self._lane
        size = self.nest.scope.named(f"{dim}_block", size, out)
        index, stop = self.nest.scope.index(dim), self.nest.scope.index(f"{dim}_end")
        end = self.state.ranges[dim][1]
        body: list[Statement] = [Let(stop, minimum(add(index, size), end))]
        inside = {**within, dim: (index, stop)}
        body += self._blocks(outer[1:], inside, best, score) if outer else self._block(inside, best, score)
        out.append(For(index, self.state.ranges[dim][0], end, size, tuple(body), f"block of {dim}"))
        return out

    def _block(
        self, within: Mapping[str, Range], best: tuple[Access, ...], score: tuple[Access, ...]
    ) -> list[Statement]:
        out = self.nested(self._scores(score[:1]), within)
        found, _ = self._wins(within, best, score[0], out)
        out.append(If(found, tuple(self.nested(self._places(best), within))))
        return out

    def _wins(
        self, within: Mapping[str, Range], best: tuple[Access, ...], score: Access, out: list[Statement]
    ) -> tuple[Value, tuple[Value, ...]]:
        """Whether a block may win against what is best so far; its score and first places."""
        tile, operator = self._row(within, out), self.nest.operator
        assert operator is not None
        held = [tile.load(-1, access, (), {}) for access in best]
        ((_, condition),) = operator.function.bindings
        wins = ScalarFunction(operator.function.parameters, (), (condition,))
        present = tile.load(-1, score, (), {}), *(self._first_place(n, within) for n in range(1, operator.arity))
        (found,) = tile.apply(wins, (*held, *present), {})
        return found, present

    def _first_place(self, component: int, within: Mapping[str, Range]) -> Value:
        """The least that a component is in a block, if it is one that decides between equal scores."""
        e = self.nest.expression
        assert self.nest.operator is not None
        value, type = e.md_hom.function.results[component], self.nest.operator.types[component]
        grows = isinstance(value, IndexValue) and all(value.index.coefficient(d) >= 0 for d in self.nest.collapsed)
        if isinstance(value, IndexValue) and grows and value.type == type == int64:
            return self.nest.scope.affine(value.index, {d: begin for d, (begin, _) in within.items()})
        return Literal(neutral_element("maximum", type), type)

    def _scores(self, to: tuple[Access, ...]) -> LowLevel:
        """What the scores of a block come to."""
        e, operator = self.nest.expression, self.nest.operator
        assert operator is not None and operator.score is not None
        (value, *_), type = e.md_hom.function.results, operator.types[0]
        view = [(p, a) for p, a in zip(e.md_hom.function.parameters, e.inp_view) if p.name in _variables(value)]
        worst = neutral_element(operator.score, type)
        results: tuple[Scalar, ...] = (value,)
        combined, finish, wide = elementwise(operator.score, type, worst), None, type
        if type.kind == "f":  # a comparison that NaNs lose is one instruction; whether there are any is found beside it
            wide = float32 if type.bits < float32.bits else type  # halves are compared as that: once, not in each step
            number = elementwise("fmax" if operator.score == "maximum" else "fmin", wide, worst)
            combined = product((number, elementwise("or", bool_, False)))
            score = value if wide == type else Operation("cast", (value,), wide)
            results = score, Operation("isnan", (score,), bool_)
            state = Variable("score", wide), Variable("nan", bool_)
            found = state[0] if wide == type else Operation("cast", (state[0],), type)
            best = Operation("select", (state[1], Constant(nan, type), found), type)
            finish = Finish((), ScalarFunction(state, (), (best,)))
        lanes = max(1, self.nest.scope.machine.vector_bits // max(8, wide.bits))
        low = self._low(combined, lanes, _ACCUMULATORS * lanes)
        function = ScalarFunction(tuple(p for p, _ in view), (), results)
        md_hom = replace(low.expression.md_hom, function=function)
        inputs = tuple(a for _, a in view)
        expression = replace(low.expression, md_hom=md_hom, inp_view=inputs, finish=finish, out_view=to)
        return replace(low, expression=expression)

    def _places(self, best: tuple[Access, ...]) -> LowLevel:
        """The best states so far, combined with those of a block."""
        low = self._low(self._operator, *self._vectors)
        expression = replace(low.expression, finish=accumulating(self.nest, best), out_view=best)
        return replace(low, expression=expression)

    @property
    def _operator(self) -> Operator:
        assert self.nest.operator is not None
        return self.nest.operator

    @property
    def _vectors(self) -> tuple[int, int]:
        """The lanes of a vector of states, and how many points several accumulators take at once."""
        lanes, size = self.nest.lanes[self._lane], self.nest.counts[self._lane]
        if not numbers_vectors(self.nest):
            return lanes, size
        return self._score_lanes, size // lanes * self._score_lanes

    def _low(self, operator: Operator, lanes: int, size: int) -> LowLevel:
        e: Expression = self.nest.expression
        combine: list[CombineOperator] = []
        parts: list[Part] = []
        for d in e.md_hom.dims:
            combine.append(cc if d.name in e.remaining else PointWise(operator))
        names = [d.name for d in e.md_hom.dims]
        order = [d for d in names if d in e.remaining] + [d for d in names if d not in (*e.remaining, self._lane)]
        parts += [Part("L1", d, 1, "loop") for d in order]
        parts.append(Part("L1", self._lane, size, "loop"))
        if lanes > 1:
            parts += [Part("REG", self._lane, lanes, "unroll"), Part("SIMD", self._lane, 1, "lane")]
        md_hom = replace(e.md_hom, combine=tuple(combine))
        return LowLevel(replace(e, md_hom=md_hom), tuple(parts), split_accumulators=(self._lane,))


def _variables(value: Scalar) -> set[str]:
    if isinstance(value, Variable):
        return {value.name}
    return set().union(*map(_variables, value.operands)) if isinstance(value, Operation) else set()
