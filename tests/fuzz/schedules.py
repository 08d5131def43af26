"""Random legal schedules of a program, from the space that the tuner searches."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from random import Random
from typing import Any

from jitmdh.base.errors import MdhError
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import machine_of, ranges_of, sizes_of, unit_axes_of
from jitmdh.jit.compilation.signature import Detour, prepare
from jitmdh.mdh.compile import Request, chosen
from jitmdh.mdh.lowering.configuration.shape_class import specialised
from jitmdh.mdh.lowering.nest.space import Illegal, space
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowering.schedule import TOGETHER, expression_names, parse, plain
from tests.fuzz.stages import Traces

_TRIES = 6
_APART = {TOGETHER: False}  # as they are searched


def random_schedule(traces: Traces, arguments: Sequence[Any], seed: int) -> dict[str, Any] | None:
    """A configuration of each computation, for sizes as those of `arguments`; None where the program has none."""
    random = Random(seed)
    try:
        names, problems = traces.once("problems", lambda: _problems(traces, arguments))
    except (MdhError, Detour):  # whatever it is, the decorated function has it, too
        return None
    schedule: dict[str, Any] = {}
    for name, problem in zip(names, problems):
        searched = space(problem, machine_of(Options()))
        for _ in range(_TRIES):
            values = dict(searched.model)
            for parameter in random.sample(searched.parameters, min(len(searched.parameters), random.randint(1, 5))):
                values[parameter.name] = random.choice(parameter.values)
            made = searched.configuration(values)
            if not isinstance(made, Illegal):
                schedule[name] = plain(made)
                break
    return {**schedule, **_APART} if schedule else None


def _problems(traces: Traces, arguments: Sequence[Any]) -> tuple[Sequence[str], Sequence[Problem]]:
    """The computations of the program, by name, as the tuner sees them."""
    function = traces.function
    prepared = prepare(tuple(inspect.signature(function).parameters), arguments)
    found = traces.of(function, prepared.signature, Options())
    sizes = sizes_of(found, prepared.arguments)
    axes = unit_axes_of(found, prepared.signature)
    whole, machine = specialised(found, ranges_of(found, sizes)), machine_of(Options())
    made = chosen(Request(whole, sizes, axes, machine, threads=machine.cores, schedule=parse(_APART)))
    return expression_names(made.program)[0], made.problems
