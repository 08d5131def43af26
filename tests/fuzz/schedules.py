"""Random legal schedules of a program, from the space that the tuner searches."""

from __future__ import annotations

from random import Random
from typing import Any

from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import artifact_of, machine_of, ranges_of
from jitmdh.mdh.algebra.semantics import argument_binding
from jitmdh.mdh.lowering.schedule import expression_names, plain
from jitmdh.mdh.lowering.space import Illegal, space
from tests.fuzz.program import Program
from tests.laws.agreement import traced, unit_axes

_TRIES = 6


def random_schedule(program: Program, function: Any, seed: int) -> dict[str, Any] | None:
    """A configuration of each computation; None where the program has none."""
    random = Random(seed)
    arguments = program.call().arguments
    try:
        found = traced(function, arguments)
        sizes = argument_binding.sizes_of(found, arguments)
        artifact = artifact_of(found, sizes, unit_axes(found, [arguments]), Options(), ranges_of(found, sizes))
    except Exception:  # whatever it is, the decorated function has it, too
        return None
    names, _ = expression_names(artifact.program)
    schedule = {}
    for name, problem in zip(names, artifact.problems):
        searched = space(problem, machine_of(Options()))
        for _ in range(_TRIES):
            values = dict(searched.model)
            for parameter in random.sample(searched.parameters, min(len(searched.parameters), random.randint(1, 5))):
                values[parameter.name] = random.choice(parameter.values)
            made = searched.configuration(values)
            if not isinstance(made, Illegal):
                schedule[name] = plain(made)
                break
    return schedule or None
