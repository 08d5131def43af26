"""`f.draw(…)`: the configuration in force for a call, as a picture of each of its computations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.pipeline import machine_of, sizes_of, unit_axes_of
from jitmdh.jit.compilation.signature import Detour

if TYPE_CHECKING:
    from jitmdh.jit.compilation.options import Options
    from jitmdh.jit.compilation.signature import Prepared
    from jitmdh.mdh.algebra.expr import Expression, Program
    from jitmdh.mdh.lowering.problem.traffic import Problem
    from jitmdh.mdh.lowering.schedule import Join
    from jitmdh.mdh.lowlevel.draw import Figure, Picture
    from jitmdh.mdh.machine.model import Machine


def drawn(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Picture:
    """The configuration in force for a call, as a picture of each computation."""
    return picture(program_of_call(function, args, kwargs), function.config(*args, **kwargs), function.options)


def picture(call: ProgramOfCall, entries: Mapping[str, Any], options: Options) -> Picture:
    """A call's configuration as a picture of each computation. entries: of `f.config`, by the computation's name."""
    from jitmdh.mdh.lowering.configuration.lower import lower
    from jitmdh.mdh.lowering.nest.nest import nest_for
    from jitmdh.mdh.lowering.schedule import MERGED, NEST, PARAMETERS, TOGETHER, configuration_of, parse
    from jitmdh.mdh.lowering.transform.computation import computation
    from jitmdh.mdh.lowlevel.draw import Figure, draw

    schedule = None if options.schedule is None else parse(options.schedule)
    together = None if schedule is None else schedule.together
    if TOGETHER in entries:  # tuned
        together = parse({TOGETHER: entries[TOGETHER]}).together
    figures = []
    for name, p in call.problems(together)[0].items():
        configuration = configuration_of({n: v for n, v in entries[name].items() if n in PARAMETERS})
        figure = Figure(lower(p.expression, configuration), p.extents)
        said = None if schedule is None else schedule.given(name, len(entries.keys() - {MERGED}) == 1)
        if said is not None and NEST in said:
            figure = nest_for(said[NEST], computation(name, p, call.machine)).figure()
        figures.append(figure if said is None or NEST in said else _by_the_user(figure, said))
    return draw(figures)


def _by_the_user(figure: Figure, said: Mapping[str, Any]) -> Figure:
    """A figure that says which levels a configuration, whole or in part, has fixed: all with an order."""
    whole = "table" in said or "decomposition_order" in said
    named = {(level.layer, level.dim) for level, _ in said.get("part_size", ())}
    levels = [(part.layer, part.dim) for part in figure.low.parts]
    return replace(figure, origins={level: "user" for level in levels if whole or level in named})


@dataclass(frozen=True, slots=True)
class ProgramOfCall:
    """The program of a call, its sizes, and where it runs."""

    program: Program
    sizes: Mapping[str, int]
    unit_axes: Mapping[str, int | None]
    machine: Machine
    deterministic: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the computations; fills of allocations are left out."""
        from jitmdh.mdh.lowering.schedule import expression_names

        return expression_names(self.program)[1]

    def expression(self, name: str) -> Expression:
        """The computation of that name."""
        from jitmdh.mdh.algebra.expr import expressions

        return expressions(self.program.steps)[self.names.index(name)]

    def problems(
        self, together: bool | tuple[Join, ...] | None = False,
        said: Mapping[str | None, Mapping[str, Any]] = MappingProxyType({}),
    ) -> tuple[dict[str, Problem], tuple[Join, ...]]:  # fmt: skip
        """The computations by name, and which are under one loop. together: see `Schedule`.

        said: entries of a schedule: where these name dimensions that are several of the program's as one, they are so.
        """
        from jitmdh.mdh.compile import Request, problems
        from jitmdh.mdh.lowering.schedule import Schedule, expression_names

        request = Request(self.program, self.sizes, self.unit_axes, self.machine, threads=self.machine.cores,
                          schedule=Schedule(said, together), deterministic=self.deterministic)  # fmt: skip
        found, joined = problems(request)
        names, own = expression_names(self.program)
        return {name: p for name, p in zip(names, found) if name in own}, joined

    def obstacle(self, join: Join) -> str | None:
        """Why these computations cannot be under one loop; None: they can."""
        from jitmdh.mdh.algebra.rewrites.neighbours.overlapped import overlapped
        from jitmdh.mdh.algebra.rewrites.neighbours.together import obstacle

        steps = [self.expression(name) for name in join.names]
        if join.tile is None:
            return obstacle(self.program, steps, join.dims)
        made = overlapped(self.program, steps, join.dims, join.tile)
        return made if isinstance(made, str) else None


def program_of_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ProgramOfCall:
    """The program of a call, before anything is chosen for it."""
    try:
        call = function.prepared(function.parameters.bound(function.py_func, args, kwargs))
    except Detour as detour:
        raise ArgumentTypeError(f"{function.name}: such calls run as plain Python: {detour.reason}") from None
    return of_prepared(function.traced(call), call, function.options)


def of_prepared(program: Program, call: Prepared, options: Options) -> ProgramOfCall:
    """The program of a call whose arguments are prepared; it keeps none of them."""
    sizes, axes = sizes_of(program, call.arguments), unit_axes_of(program, call.signature)
    return ProgramOfCall(program, sizes, axes, machine_of(options), options.deterministic)
