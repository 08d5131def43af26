"""Steps of sequential loops: how large each is in the course of the loops around it.

`for j in range(n): w[j+1:] -= …` has a step of n - 1 - j points: few in the end, half of n on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression, Sequential, Step
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
        """The points of a step in its longest round, for the largest sizes that share its code; None: not known."""
        points = 1
        for dim in step.md_hom.dims:
            if dim in step.ragged or any(n not in sizes and n not in self.middle for n in dim.extent.names):
                return None
            extent = max(dim.extent.evaluate({**sizes, **at}) for at in (self.first, self.last))
            bound = size_class(extent)[1]
            points *= max(1, bound if dim.extent.names and bound < 2**32 else extent * _BEYOND)
        return points


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
