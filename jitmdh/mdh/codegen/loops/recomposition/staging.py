"""Results that wait: private to a core, or staged in a buffer until a part ends; then combined, finished and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Finish
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import Inside, NestFacts, NestPosition, allocated, unless_failed
from jitmdh.mdh.codegen.loops.recomposition.recompose import (
    accumulating,
    of_private,
    of_stage,
    plan_private,
    plan_stage,
)
from jitmdh.mdh.kernel.arithmetic import integer, maximum
from jitmdh.mdh.kernel.ir import If, Statement, Value
from jitmdh.mdh.lowlevel.expr import LowLevel, Stage


def begins(level: int, at: int | range) -> bool:
    """Whether what `level` says begins at `at`, a level or those of a group of cores."""
    return level in at if isinstance(at, range) else level == at


Nested = Callable[[LowLevel, Mapping[str, Range]], list[Statement]]
"""The statements of another computation in the same scope, for some ranges."""


@dataclass(frozen=True, slots=True)
class Staging:
    """nested: how another computation is written."""

    nest: NestFacts
    nested: Nested

    def reduced(
        self,
        state: NestPosition,
        ranges: Mapping[str, Range],
        part: tuple[Value, Value],
        run: Inside,
    ) -> list[Statement]:
        """A reduction over cores: `run` leaves what part `part[0]` of `part[1]` comes to in memory of its own."""
        remaining, (mine, parts) = self.nest.expression.remaining, part
        reads, buffers = plan_private(self.nest, mine, parts, remaining, state.ranges)
        to = replace(state.to, out_view=reads, finish=None, origin=ranges)
        work = run(replace(state, ranges=ranges, to=to, partial=None))

        def write(finish: Finish | None, out_view: tuple[Access, ...]) -> list[Statement]:
            low, over = of_private(self.nest, reads, parts, finish, out_view)
            within = {d: state.ranges[d] for d in remaining}
            return self.nested(low, {**within, over: (integer(0), maximum(parts, integer(0)))})

        return allocated(buffers, [*work, *self._concluded(state, write)])

    def staged(self, at: int | range, state: NestPosition, inside: Inside) -> list[Statement]:
        """`inside`, whose results wait where the low-level expression says; then what becomes of them."""
        return self._staged([s for s in self.nest.low.stages if begins(s.at, at)], state, inside)

    def _staged(self, stages: Sequence[Stage], state: NestPosition, inside: Inside) -> list[Statement]:
        if not stages:
            return inside(state)
        reads, before, buffers = plan_stage(self.nest, stages[0], state)
        cores = [n for n, part in enumerate(self.nest.parts) if part.way == "core"]
        shared = bool(cores) and stages[0].at < cores[0]
        to = replace(state.to, out_view=reads, finish=None, streaming=False, origin=state.ranges)
        body = self._staged(stages[1:], replace(state, to=to, partial=None), inside)

        def write(finish: Finish | None, out_view: tuple[Access, ...]) -> list[Statement]:
            return self._recomposed(reads, state, finish, out_view, shared)

        body += unless_failed(self.nest.scope, self._concluded(state, write))
        return [*before, *allocated(buffers, body, stages[0].region)]

    def _recomposed(
        self,
        reads: tuple[Access, ...],
        state: NestPosition,
        finish: Finish | None,
        out_view: tuple[Access, ...],
        shared: bool,
    ) -> list[Statement]:
        low = of_stage(self.nest, reads, finish, out_view, shared)
        return self.nested(replace(low, streaming=state.to.streaming), state.ranges)

    def _concluded(
        self, state: NestPosition, write: Callable[[Finish | None, tuple[Access, ...]], list[Statement]]
    ) -> list[Statement]:
        """What has waited becomes results of the expression, or joins what the parts before have come to.

        write: its re-composition with a finish, to an output view.
        """
        partial = state.partial
        if partial is None or partial.again:
            return write(state.to.finish, state.to.out_view)
        out: list[Statement] = []
        first = self.nest.flag(state, 0, out)
        begin = write(None, partial.buffers)
        out.append(If(first, tuple(begin), tuple(write(accumulating(self.nest, partial.buffers), partial.buffers))))
        if state.to.finish is not None or partial.buffers != state.to.out_view:
            last = self.nest.flag(state, 1, out)
            finished = self._recomposed(partial.buffers, state, state.to.finish, state.to.out_view, False)
            out.append(If(last, tuple(finished)))
        return out
