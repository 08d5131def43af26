"""How a dimension is cut into parts for cores: how many tasks are worth it, and where each part lies."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression, Step, expressions
from jitmdh.mdh.algebra.rewrites.reassociation import varying_bindings
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.kernel.arithmetic import add, divide, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.ir import Apply, Statement, Threads, Value
from jitmdh.mdh.lowering.problem.op_costs import long_operations
from jitmdh.mdh.lowering.problem.traffic import counted
from jitmdh.mdh.lowlevel.expr import Part

# Below this many scalar operations a second thread costs more than it brings.
WORK_PER_THREAD = 1 << 15
# How long a dimension is taken to be, where threads are counted, if it depends on data at each point.
RAGGED_GUESS = 8

Share = Callable[[Value, list[Statement]], Range]
"""From the number of a part to where it lies; the statements that compute that are appended."""


def work_per_point(expression: Expression) -> int:
    """A rough count of operations at one point, as threads count it: see WORK_PER_THREAD.

    What no dimension has a say in does not count: it is computed before the loops."""
    function = expression.md_hom.function
    if expression.procedures:
        return counted(function)
    return 1 + varying_bindings(expression) + len(function.parameters)


def work_in_turns(body: tuple[Step, ...]) -> dict[int, int]:
    """The work per point of computations that take turns in a loop, by identity: that of the heaviest neighbour.

    Neighbours hand on arrays. If one thread computed the light ones and several the heavy ones, what they hand on would
    go from core to core in each iteration. Long operations count: between iterations, threads need not be woken.
    """
    steps = list(expressions(body))
    work = [work_per_point(step) + long_operations(step) for step in steps]
    names = [frozenset(b.name for b in step.buffers) for step in steps]
    found: dict[int, int] = {}
    for n, step in enumerate(steps):
        beside = (
            work[m] for m, other in enumerate(steps)
            if len(other.md_hom.dims) == len(step.md_hom.dims)
            and (other.written & names[n] or step.written & names[m])
        )  # fmt: skip
        found[id(step)] = max(work[n], *beside)
    return found


@dataclass(frozen=True, slots=True)
class CoreParts:
    """The parts of the dimensions of one nest."""

    nest: NestFacts

    @property
    def _scope(self) -> Scope:
        return self.nest.scope

    def tasks(self, state: NestPosition, each: int, out: list[Statement]) -> Value:
        """How many tasks are worth it for the work there is, at most `each` for each thread."""
        expression = self.nest.expression
        each_point = self._scope.work_in_turns.get(id(expression)) or work_per_point(expression)
        work: Value = integer(max(1, each_point))
        for begin, end in state.ranges.values():
            work = multiply(work, subtract(end, begin))
        work = multiply(work, integer(RAGGED_GUESS ** sum(name not in state.ranges for name in self.nest.ragged)))
        useful = add(divide(work, WORK_PER_THREAD), integer(1))
        return self._scope.named("tasks", minimum(multiply(Threads(), integer(each)), useful), out)

    def split(self, part: Part, state: NestPosition, tasks: Value, out: list[Statement]) -> tuple[Value, Share]:
        """How many parts of one dimension over at most `tasks` cores; and from the number of a part where it lies.

        Parts are whole register tiles. They differ by one tile at most, unless their size is given.
        """
        scope = self._scope
        begin, end = state.ranges[part.dim]
        unit = max(1, part.size if part.size > 0 else self.nest.counts[part.dim])
        units = scope.named(f"{part.dim}_units", divide(add(subtract(end, begin), integer(unit - 1)), unit), out)
        most = units if part.size > 0 else minimum(tasks, units)
        parts = scope.named(f"{part.dim}_parts", maximum(most, integer(1)), out)

        def first(number: Value) -> Value:
            if part.size > 0:
                return add(begin, multiply(number, integer(unit)))
            # Rounded up: the last part, with the slower remainder, is not larger than others.
            before = add(multiply(number, units), subtract(parts, integer(1)))
            return add(begin, multiply(Apply("udiv", (before, parts), int64), integer(unit)))

        def share(number: Value, inside: list[Statement]) -> Range:
            low = scope.named(f"{part.dim}_begin", first(number), inside)
            high = scope.named(f"{part.dim}_end", minimum(first(add(number, integer(1))), end), inside)
            scope.lengths[low, high] = gcd(unit, scope.length((begin, end)))
            return low, high

        return parts, share
