"""`f.draw(…)`: the configuration in force for a call, as a picture of each of its computations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jitmdh.jit.compilation.pipeline import machine_of, sizes_of, unit_axes_of

if TYPE_CHECKING:
    from jitmdh.mdh.lowering.problem.traffic import Problem
    from jitmdh.mdh.lowlevel.draw import Picture


def drawn(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Picture:
    """The configuration in force for a call, as a picture of each computation."""
    from jitmdh.mdh.lowering.configuration.lower import lower
    from jitmdh.mdh.lowering.schedule import PARAMETERS, configuration_of
    from jitmdh.mdh.lowlevel.draw import Figure, draw

    entries = function.config(*args, **kwargs)
    figures = []
    for name, p in problems_of_call(function, args, kwargs, together=None).items():
        configuration = configuration_of({n: v for n, v in entries[name].items() if n in PARAMETERS})
        figures.append(Figure(lower(p.expression, configuration), p.extents))
    return draw(figures)


def problems_of_call(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], together: bool | None = False
) -> dict[str, Problem]:
    """The computations of a call, by name; fills of allocations are left out.

    together: whether neighbours go under one loop where they may; None: as the model says.
    """
    from jitmdh.mdh.compile import problems
    from jitmdh.mdh.lowering.schedule import Schedule, expression_names

    options, call = function.options, function.prepared(function._bound(args, kwargs))
    program, machine = function._pipeline.program(function, call.signature, options), machine_of(options)
    found = problems(
        program, sizes_of(program, call.arguments), unit_axes_of(program, call.signature), machine,
        threads=machine.cores, schedule=Schedule({}, together), deterministic=options.deterministic,
    )  # fmt: skip
    names, own = expression_names(program)
    return {name: p for name, p in zip(names, found) if name in own}
