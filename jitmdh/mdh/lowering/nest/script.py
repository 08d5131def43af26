"""From a configuration to the transformations that make it.

What the model, a tuner or a table of the thesis chose becomes a script that can be read, changed and kept.

    {"part_size": {"(L1,i)": 6, …}, "decomposition_order": ["(COR,j)", …], …}
    →  stripmine("k", 268, at="MM").parallelize("j.cores", 2).reorder("j.cores", "k.0", "j", "i", "k").unroll("i", 6) …

All 15 parameters are said, so that the nest is this configuration whatever the model would choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any as Anything

from jitmdh.mdh.lowering.configuration.lower import loop_parts, lower, split_accumulator_dims, unrolled_order
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, assigned, fused
from jitmdh.mdh.lowering.nest.steps import Step
from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import EVEN, Loop, Refused
from jitmdh.mdh.lowlevel.expr import LowLevel, Part


def steps_for(c: Computation, configuration: Configuration) -> tuple[Step, ...]:
    """Transformations of the empty nest of `c` that make `configuration`, which is legal. Refused if there are none."""
    return tuple(_Script(c, fused(assigned(configuration))).steps())


def meaning(c: Computation, configuration: Configuration) -> LowLevel:
    """What a configuration stands for: two that are written differently and mean the same have the same one."""
    assert c.facts is not None
    low = lower(c.facts.problem.expression, configuration)
    unrolled = [p.dim for p in low.parts if p.way == "unroll"]
    return replace(low, split_accumulators=tuple(dim for dim in low.split_accumulators if dim in unrolled))


class _Script:
    """The loops of a configuration, by the names that users have for them."""

    def __init__(self, c: Computation, configuration: Configuration) -> None:
        assert c.facts is not None
        self.c, self.configuration = c, configuration
        self.parts = loop_parts(c.facts.problem.expression, configuration)
        self.loops = tuple(map(_loop, self.parts))
        for outer, inner in combinations(self.loops, 2):
            if outer.dim == inner.dim and 0 < outer.size <= inner.size:
                raise Refused(f"{outer.dim} has parts of {inner.size} inside of parts of {outer.size}")
        self.names = {loop: self._name(loop) for loop in self.loops}

    def _name(self, loop: Loop) -> str:
        strips = [l.size for l in self.loops if l.dim == loop.dim and l.size > 0]
        if loop.size == EVEN:
            return f"{loop.dim}.cores"
        return f"{loop.dim}.{strips.index(loop.size)}" if loop.size else loop.dim

    def _at(self, level: Level) -> str | None:
        """The loop on a level; None: before all of them."""
        found = (l for l, p in zip(self.loops, self.parts) if (p.layer, p.dim) == (level.layer, level.dim))
        return next((self.names[loop] for loop in found), None)

    def steps(self) -> Iterator[Step]:
        yield from self._loops()
        yield from self._tile()
        yield from self._copies()
        yield from self._scalar_phase()

    def _loops(self) -> Iterator[Step]:
        """Strips, cores and the order."""
        for loop, part in zip(self.loops, self.parts):
            if loop.size > 0:
                yield _step("stripmine", dim=loop.dim, size=loop.size, at=part.layer)
        for loop, part in zip(self.loops, self.parts):
            if loop.size == EVEN:
                yield _step("parallelize", dim=self.names[loop], parts=-part.size)
        if all(part.layer != "COR" for part in self.parts):
            yield _step("sequential")
        yield _step("reorder", loops=tuple(self.names[loop] for loop in self.loops))

    def _tile(self) -> Iterator[Step]:
        """Lanes, unrolled points, accumulators."""
        chosen, names = self.configuration, self.c.names
        wide = {dim: chosen.size("REG", dim) or 1 for dim in names}
        counts = {dim: (chosen.size("L1", dim) or 1) // wide[dim] for dim in names}
        lane = next((dim for dim in names if wide[dim] > 1), names[0])
        yield _step("vectorize", dim=lane, lanes=wide[lane])
        for dim in names:
            yield _step("unroll", dim=dim, n=counts[dim])
        split = split_accumulator_dims(chosen)
        order = [*(dim for dim in split if dim in self.c.collapsed), *(d for d in names if d in self.c.collapsed)]
        for dim in dict.fromkeys(order):
            if counts[dim] > 1:
                yield _step("accumulators", dim=dim, n=counts[dim] if dim in split else 1)
        yield _step("points", dims=tuple(dim for dim in unrolled_order(chosen) if counts[dim] > 1))

    def _copies(self) -> Iterator[Step]:
        """Nothing is copied but these inputs, and these results wait."""
        chosen, output = self.configuration, self.c.outputs[0].name
        layouts, of_results = dict(chosen.input_layout), dict(chosen.output_layout)
        yield _step("in_place", arrays=())
        for number, level, region in chosen.input_region:
            if region != "REG":
                array, at = self.c.access(number), self._at(level)
                yield _step("pack", array=array, at=at, region=region, layout=layouts.get(number))
        for level, region in chosen.output_region:
            if region != "REG":
                yield _step("stage", output=output, at=self._at(level), region=region, layout=of_results.get(level))

    def _scalar_phase(self) -> Iterator[Step]:
        """Where register tiles read and write."""
        chosen = self.configuration
        read, layouts = dict(chosen.scalar_input_region), dict(chosen.scalar_input_layout)
        for number in range(len(self.c.inputs)):
            region = read.get(number, "REG")
            yield _step("read_from", array=self.c.access(number), region=region, layout=layouts.get(number))
        yield _step("write_to", region=chosen.scalar_output_region, layout=chosen.scalar_output_layout or None)


def _loop(part: Part) -> Loop:
    if part.layer == "COR":
        return Loop(part.dim, part.size if part.size > 0 else EVEN)
    return Loop(part.dim, 0 if part.layer == "L1" else part.size)


def _step(name: str, **args: Anything) -> Step:
    """As the methods of `Chain` make it: without what is not said."""
    usual = {("pack", "region"): "L2", ("stage", "region"): "L2"}
    kept = {n: v for n, v in args.items() if v is not None and usual.get((name, n)) != v}
    return Step(name, tuple(kept.items()))
