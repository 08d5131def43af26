"""Steps of sequential loops: how large each is in the course of the loops around it, and what it waits for.

`for j in range(n): w[j+1:] -= …` has a step of n - 1 - j points: few in the end, half of n on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression, Sequential, Step, expressions
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.lowering.configuration.shape_class import size_class

_BEYOND = 4  # how much larger than those of this call sizes without an upper bound in their class may be


@dataclass(frozen=True, slots=True)
class Course:
    """Values of the variables of the loops around a step: in the middle of each, in the first and in the last round."""

    middle: Mapping[str, int] = field(default_factory=dict)
    first: Mapping[str, int] = field(default_factory=dict)
    last: Mapping[str, int] = field(default_factory=dict)

    def within(self, loop: Sequential, sizes: Mapping[str, int]) -> Course | None:
        """One loop further inside; None where it is not known how long that is."""
        name, extent = loop.dim.name, loop.dim.extent
        if any(n not in sizes and n not in self.middle for n in extent.names):
            return None
        rounds = [max(1, extent.evaluate({**sizes, **at})) for at in (self.middle, self.first, self.last)]
        middle, most = rounds[0], max(rounds)
        return Course({**self.middle, name: middle // 2}, {**self.first, name: 0}, {**self.last, name: most - 1})

    def most_points(self, step: Expression, sizes: Mapping[str, int]) -> int | None:
        """About the points of a step in its longest round, for the largest sizes that share its code; None: not known.

        One loop may grow shorter while another grows longer: `i` rows of `n - i` elements are a quarter of n², at most.
        """
        if any(d in step.ragged or any(n not in sizes and n not in self.middle for n in d.extent.names)
               for d in step.md_hom.dims):  # fmt: skip
            return None
        rounds = [{**sizes, **at} for at in (self.first, self.middle, self.last)]
        points, longest = 1, 1
        for dim in step.md_hom.dims:
            extent = max(max(1, dim.extent.evaluate(at)) for at in (rounds[0], rounds[2]))
            bound = size_class(extent)[1]
            points *= max(1, bound if dim.extent.names and bound < 2**32 else extent * _BEYOND)
            longest *= extent
        together = max(prod(max(1, d.extent.evaluate(at)) for d in step.md_hom.dims) for at in rounds)
        return points * min(together, longest) // longest


def courses(steps: tuple[Step, ...], sizes: Mapping[str, int]) -> Iterator[tuple[Expression, Course]]:
    """The steps of sequential loops whose course is known. Those that are together share threads in another way."""
    yield from _courses(steps, sizes, None)


def _courses(
    steps: tuple[Step, ...], sizes: Mapping[str, int], around: Course | None
) -> Iterator[tuple[Expression, Course]]:
    for step in steps:
        if isinstance(step, Sequential):
            inside = (around or Course()).within(step, sizes)
            if inside is not None:
                yield from _courses(step.body, sizes, inside)
        elif isinstance(step, Expression) and around is not None:
            yield step, around


def just_stored(steps: Sequence[Step], expression: Expression) -> frozenset[str]:
    """Dimensions of sums whose last points read an element that the round before of the loop in order has stored:
    `for i: for k in range(i): s += L[i, k] * x[k]` with x[i] computed from s. Vectors that hold it begin before it is
    there, and wait until the store has reached the cache."""
    around = next((s for s in steps if any(expression is e for e in expressions((s,)))), None)
    if not isinstance(around, Sequential):
        return frozenset()
    if not any(expression is s for s in around.body):
        return just_stored(around.body, expression)
    round = around.dim.name
    before = {round: Affine.of(round) - 1}
    writers = (s for s in around.body if isinstance(s, Expression) and not s.remaining)
    stored = {(o.buffer, tuple(i.substitute(before) for i in o.index)) for s in writers for o in s.out_view if o.index}
    found = set[str]()
    for dim in expression.md_hom.dims:
        if dim.name in expression.collapsed and dim.extent.coefficient(round) == 1:
            last = {dim.name: dim.extent - 1}
            reads = ((a.buffer, tuple(i.substitute(last) for i in a.index)) for a in expression.inp_view)
            found |= {dim.name for read in reads if read in stored}
    return frozenset(found)
