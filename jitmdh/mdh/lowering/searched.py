"""What is searched for a computation under a schedule: only what the schedule leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.nest.block_space import BlockSpace, block_space
from jitmdh.mdh.lowering.nest.nest import nest_for
from jitmdh.mdh.lowering.nest.open import space_of
from jitmdh.mdh.lowering.nest.space import Parameter, Space, Value, space
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowering.schedule import NEST, PARAMETERS, TABLE, Schedule, merged
from jitmdh.mdh.lowering.transform.computation import computation
from jitmdh.mdh.machine.model import Machine

# By the first word of a parameter's name: what of Table 1 it decides beside part sizes.
_DECIDED_BY = {
    "copies": ("input_region",), "padding": ("input_layout", "input_region"),
    "order": ("decomposition_order", "scalar_order", "recomposition_order"),
    "reduction": ("decomposition_order", "scalar_order", "recomposition_order"),
    "cores": ("decomposition_order", "decomposition_assignment"), "parts": ("decomposition_order",),
    "block": ("decomposition_order",), "results": ("scalar_output_region",), "inputs": ("scalar_input_region",),
    "waiting": ("output_region", "output_layout"), "accumulators": ("recomposition_order",),
}  # fmt: skip


def searched(
    schedule: Schedule | None, name: str, sole: bool, p: Problem, machine: Machine, fixed: bool = False
) -> Space | BlockSpace | None:
    """The space of a computation; None: the schedule says all. sole: it is the only one; fixed: as in `Space`.

    On GPUs there is one for blocks of threads that no schedule says anything of.
    """
    given = None if schedule is None else schedule.given(name, sole)
    if machine.gpu is not None:
        return block_space(p, machine, fixed) if given is None else None
    if given is None:
        return space(p, machine, fixed)
    if NEST in given:
        nest = nest_for(given[NEST], computation(name, p, machine))
        return space_of(nest.steps, nest.computation, fixed)
    return None if TABLE in given or set(PARAMETERS) <= set(given) else _beside(given, space(p, machine, fixed))


@dataclass(frozen=True, slots=True)
class _Partial:
    """A part of a configuration, laid over others."""

    given: Mapping[str, Any]
    problem: Problem

    def laid(self, base: Configuration, values: Mapping[str, Value], plainly: bool = False) -> Configuration | str:
        return merged(base, self.given, self.problem)


def _beside(given: Mapping[str, Any], whole: Space) -> Space:
    """What a part of a configuration leaves of a space."""
    over = _Partial(given, whole.problem)
    sizes = {level for level, _ in given.get("part_size", ())}
    parameters = []
    for parameter in whole.parameters:
        kind, _, dim = parameter.name.partition("_")
        layers = {"block": ("MM", "L3", "L2"), "unroll": ("L1",), "parts": ("COR",)}.get(kind, ())
        taken = any(level.layer in layers and (kind == "parts" or level.dim == dim) for level in sizes)
        if taken or any(name in given for name in _DECIDED_BY.get(kind, ())):
            continue
        parameters.append(_distinct(parameter, given, whole) if kind == "tile" else parameter)
    chosen = merged(whole.chosen, given, whole.problem)
    kept = tuple(p for p in parameters if len(p.values) > 1)
    found = replace(whole, parameters=kept, chosen=chosen, over=over)
    return found if violation(whole.problem, whole.machine, chosen) is None else replace(found, parameters=())


def _distinct(tile: Parameter, given: Mapping[str, Any], whole: Space) -> Parameter:
    """Register tiles that differ in what is not given."""
    sizes = [level for level, _ in given.get("part_size", ())]
    tiled = {level.dim for level in sizes if level.layer == "L1"}
    lanes = any(level.layer == "REG" for level in sizes)
    found: dict[Any, int] = {}
    for number, value in enumerate(tile.values):
        shape = whole.tiles[str(value)]
        rest = tuple((d, shape.size(d)) for d in whole.problem.extents if d not in tiled)
        key = rest, None if lanes else shape.lane
        found[key] = number if value == tile.model else found.get(key, number)
    kept = sorted(found.values())
    costs = tuple(tile.costs[n] for n in kept) if tile.costs else ()
    return replace(tile, values=tuple(tile.values[n] for n in kept), costs=costs)
