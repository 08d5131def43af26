"""Where in a part an error arises: its points by halves, dimension after dimension, until one is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from jitmdh.base.errors import UserError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression, Program, ScalarParameter
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.partition.part import Output, PartBuilder
from jitmdh.mdh.partition.plan import Origin
from jitmdh.mdh.partition.ranges import Range

Run = Callable[..., Any]
_MOST_INTERPRETED = 1 << 14  # points; compiling takes longer


def located(error: UserError, program: Program, arguments: Sequence[Any], origin: Origin, run: Run) -> UserError:
    """The same error, which tells the first point of the whole computation at which it arises.

    program: of the part that has raised it when it was run (by `run(program, *arguments)`) on these arguments; it is
    run again on smaller and smaller parts of them. An output that it updates must be as it was before.
    """
    message = error.message
    for name, buffer in origin.buffers:
        message = message.replace(f"`{name}`", f"`{buffer}`")
    begins = dict(origin.dims)
    if origin.in_order:
        found = _LocationSearch(error, program, arguments, run).ranges()
        places = [_place(n, begins.get(n, 0) + b, begins.get(n, 0) + e) for n, (b, e) in found.items()]
        if places:
            message = f"{message}, at {', '.join(places + [f'{n} = {number}' for n, number in origin.around])}"
    return type(error)(message, loc=error.loc, reason=error.reason, hint=error.hint, code=error.code)


def _place(name: str, begin: int, end: int) -> str:
    return f"{name} = {begin}" if end - begin == 1 else f"{name} in range({begin}, {end})"


@dataclass
class _LocationSearch:
    error: UserError
    program: Program
    arguments: Sequence[Any]
    run: Run

    def __post_init__(self) -> None:
        (expression,) = self.program.steps
        assert isinstance(expression, Expression), "a part has one expression"
        self.expression = expression
        self.sizes = argument_binding.sizes_of(self.program, self.arguments)
        self.given = {p.name: a for p, a in zip(self.program.parameters, self.arguments)}
        self.outputs = [self._output(name) for name in dict.fromkeys(a.buffer for a in expression.out_view)]

    def _output(self, name: str) -> Output:
        """All of an output, as the part has it."""
        buffer = self.expression.buffer(name)
        if name in self.given:
            return Output(buffer, tuple((0, n) for n in self.given[name].shape), "given")
        (made,) = [a for a in self.program.allocations if a.name == name]
        box = tuple((0, max(0, extent.evaluate(self.sizes))) for extent in made.shape)
        return Output(buffer, box, made.fill or zero(buffer.type))

    def ranges(self) -> dict[str, Range]:
        """Of each dimension, the value at the first point with the error; more than one where it cannot be told. None
        where running the part again raises nothing: then the error is of no element."""
        ragged = {d.name for d in self.expression.ragged}
        dims = [d for d in self.expression.md_hom.dims if d.name not in ragged]
        ranges: dict[str, Range] = {d.name: (0, d.extent.evaluate(self.sizes)) for d in dims}
        if not self.fails(ranges):
            return {}
        for name in ranges:
            while ranges[name][1] - ranges[name][0] > 1:
                begin, end = ranges[name]
                middle = (begin + end) // 2
                halves = [{**ranges, name: (begin, middle)}, {**ranges, name: (middle, end)}]
                chosen = next((half for half in halves if self.fails(half)), None)
                if chosen is None:
                    break
                ranges = chosen
        return ranges

    def fails(self, ranges: Mapping[str, Range]) -> bool:
        """Whether the same error arises within these ranges."""
        builder = PartBuilder(self.expression, dict(ranges), self.sizes, lambda name: np.shape(self.given[name]))
        part = builder.part(self.program, self.outputs)
        taken: list[Any] = []
        for region, parameter in zip(part.reads, part.program.parameters):
            array = np.asarray(self.given[region.buffer])[tuple(slice(b, e, s) for b, e, s in region.slices)]
            taken.append(array[()] if isinstance(parameter, ScalarParameter) else array)
        updated = [np.array(self.given[name]) for name in part.given]
        run = interp.run if prod(e - b for b, e in ranges.values()) <= _MOST_INTERPRETED else self.run
        try:
            run(part.program, *taken, *updated, *part.numbers)
        except UserError as error:
            return type(error) is type(self.error) and error.loc == self.error.loc
        return False
