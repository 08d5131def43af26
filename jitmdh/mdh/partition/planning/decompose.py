"""`decompose`: a program over arrays in blocks as a plan.

One expression after the other is cut into parts, each on what the ones before have left. A loop in time is as many
rounds of this; where it costs less, several of them are one part, on a larger block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Scatter
from jitmdh.mdh.algebra.expr import Allocation, Expression, Program, ScalarParameter, Sequential, Step
from jitmdh.mdh.algebra.rewrites.reverse_scans import forward_scans
from jitmdh.mdh.partition.grids import Coordinates, Grid
from jitmdh.mdh.partition.nodes import UNKNOWN, Costs
from jitmdh.mdh.partition.plan import Block, Filled, Given, Indivisible, Plan, Version
from jitmdh.mdh.partition.planning.chain import Chain
from jitmdh.mdh.partition.planning.choice import with_choice
from jitmdh.mdh.partition.planning.cut import ExpressionCut, Progress, whole_ranges
from jitmdh.mdh.partition.planning.phases import prepared, with_results
from jitmdh.mdh.partition.planning.shared_inputs import share_inputs

_MOST_TASKS = 200_000


def decompose(
    program: Program,
    sizes: Mapping[str, int],
    grids: Mapping[str, Grid | None],
    costs: Costs = UNKNOWN,
) -> Plan:
    """The plan for a call. sizes: of the call (`argument_binding.sizes_of`). grids: the blocks of each parameter; None:
    an array in one piece, whose results may be in any blocks. costs: of parts where it is to run.

    Raises Indivisible. The program's checks of sizes are the caller's to make.
    """
    if program.views:
        raise Indivisible("rows of a flat array are no blocks of it", program.loc)
    progress = Progress(program, dict(sizes), Plan(), {}, {n for n, g in grids.items() if g is None})
    for parameter in program.parameters:
        rank = 0 if isinstance(parameter, ScalarParameter) else parameter.rank
        shape = tuple(sizes[f"{parameter.name}.shape[{a}]"] for a in range(rank))
        grid = grids.get(parameter.name) or Grid.whole(shape)
        blocks: dict[Coordinates, Block] = {at: Given(parameter.name, at) for at in grid.coordinates()}
        progress.versions[parameter.name] = Version(grid, parameter.type, blocks)
    for allocation in program.allocations:
        progress.versions[allocation.name] = _allocated(allocation, sizes)
        progress.free.add(allocation.name)
    _Planner(progress, costs).steps(program.steps)
    progress.plan.results = progress.versions
    return progress.plan


def _allocated(allocation: Allocation, sizes: Mapping[str, int]) -> Version:
    shape = tuple(max(0, extent.evaluate(sizes)) for extent in allocation.shape)
    fill = None if allocation.fill is None else allocation.fill.value
    grid = Grid.whole(shape)
    block = Filled(shape, fill, allocation.type)
    return Version(grid, allocation.type, {(0,) * len(shape): block})


@dataclass
class _Planner:
    progress: Progress
    costs: Costs

    def steps(self, steps: Sequence[Step]) -> None:
        """All of them, those that can be one part together."""
        chain = Chain(self.progress, self.costs)
        for expression in self._one_by_one(steps):
            self._require_divisible(expression)
            if chain.add(expression):
                continue
            chain = self._done(chain)
            if not chain.add(expression):
                self.expression(expression)
        self._done(chain)

    def _one_by_one(self, steps: Sequence[Step]) -> Iterator[Expression]:
        """The expressions in the order in which they happen; `progress` says which iteration of which loop it is."""
        progress = self.progress
        for step in steps:
            if isinstance(step, Expression):
                yield step
                continue
            if isinstance(step, Sequential) and step.until:
                raise Indivisible("data decide when a loop ends", step.loc)
            for number in range(step.dim.extent.evaluate(progress.sizes)):
                progress.at({**progress.around, step.dim.name: number})
                yield from self._one_by_one(step.body)
            progress.at({n: v for n, v in progress.around.items() if n != step.dim.name})

    def _done(self, chain: Chain) -> Chain:
        """Plans what is in a chain; a new one."""
        progress = self.progress
        around = progress.around
        for group in chain.groups():
            if len(group) > 1:
                chain.plan(group)
                continue
            for link in group:
                progress.at(link.around)
                self.expression(link.expression)
        progress.at(around)
        return Chain(progress, self.costs)

    def expression(self, expression: Expression) -> None:
        """Advances the versions of all that the expression writes."""
        progress = self.progress
        e = prepared(expression)
        whole = whole_ranges(e, progress.sizes)
        if whole is None:
            return
        before, after = dict(progress.versions), dict(progress.versions)
        for chosen in self._outputs(e):
            own = with_results(e, chosen)
            cut = ExpressionCut(progress, own, whole, before, after, in_order=forward_scans(expression) == expression)
            cut = with_choice(cut, self.costs)
            share_inputs(cut, self.costs)
            cut.run()
        progress.versions = after
        if len(progress.plan.tasks) > _MOST_TASKS:
            raise Indivisible(f"it takes more than {_MOST_TASKS:,} parts", expression.loc)

    def _require_divisible(self, e: Expression) -> None:
        if any(b.of is not None for b in e.buffers):
            raise Indivisible("records cannot be cut", e.loc)
        for procedure in e.procedures:
            if procedure.written:
                raise Indivisible("a data-dependent loop writes to arrays", e.loc)

    def _outputs(self, e: Expression) -> Iterator[tuple[int, ...]]:
        """Results that are computed together: at the same places of different arrays in the same blocks."""
        found: dict[object, list[int]] = {}
        for n, access in enumerate(e.out_view):
            version = self.progress.versions[access.buffer]
            grid = version.grid.shape if access.buffer in self.progress.free else version.grid
            found.setdefault((access.index, access.guard, grid), []).append(n)
        if len(found) > 1 and any(isinstance(c, Scatter) for c in e.md_hom.combine):
            raise Indivisible("points are scattered to several arrays", e.loc)
        return iter(tuple(v) for v in found.values())
