"""What a schedule leaves to the tuner: the space of a nest, made of that of the empty one.

Holes become parameters; parameters of the empty nest whose decision is taken go; what is left is laid under the
decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any as Anything

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1, Configuration
from jitmdh.mdh.lowering.nest.space import Parameter, Space, Value, space
from jitmdh.mdh.lowering.nest.steps import Step
from jitmdh.mdh.lowering.nest.walk import Completion, Contradiction, Hole, decided, first_legal, holes
from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import Decisions, Refused
from jitmdh.mdh.lowering.transform.realise import Illegal, agrees, realised

# The parameters of Table 1 that those of a space decide, by the first word of their names.
_DECIDES = {
    "tile": "part_size", "unroll": "part_size", "block": "part_size", "parts": "part_size", "copies": "input_region",
    "padding": "input_layout", "order": "decomposition_order", "reduction": "decomposition_order",
    "cores": "decomposition_assignment", "results": "scalar_output_region", "inputs": "scalar_input_region",
    "waiting": "output_region", "accumulators": "recomposition_order",
}  # fmt: skip


@dataclass(frozen=True)
class NestOverlay:
    """The decisions of a nest, laid over configurations of the empty one's space. holes: by the parameter's name.

    model: the model's values of all other parameters. Where they stand, the model chooses for what the holes hold, as
    it does for a nest that says the same: what is tuned from a script can become all that the script could have said.
    """

    steps: tuple[Step, ...]
    computation: Computation
    holes: Mapping[str, Hole]
    model: Mapping[str, Value]
    _known: dict[tuple[Value, ...], Decisions | str] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def laid(self, base: Configuration, values: Mapping[str, Value], plainly: bool = False) -> Configuration | str:
        """The configuration that values of all parameters stand for; why there is none."""
        assert self.computation.facts is not None
        d = self._decided(values)
        if isinstance(d, str):
            return d
        untouched = all(values[name] == value for name, value in self.model.items())
        found = realised(d, self.computation.facts, None if untouched else base, plainly)
        return found.reason if isinstance(found, Illegal) else found

    def _decided(self, values: Mapping[str, Value]) -> Decisions | str:
        """What the steps decide with these values in the holes."""
        key = tuple(values[name] for name in self.holes if name in values)
        if key not in self._known:
            try:
                self._known[key] = decided(self.steps, self.computation, lambda hole: self._value(hole, values))
            except Refused as refusal:
                self._known[key] = refusal.reason
            except Contradiction as condition:
                self._known[key] = f"{condition} does not hold"
        return self._known[key]

    def _value(self, hole: Hole, values: Mapping[str, Value]) -> Anything:
        if hole.name not in values:
            return hole.values[0]
        texts = [_encoded(v) for v in hole.values]
        value = values[hole.name]
        return hole.values[texts.index(value)] if value in texts else hole.values[0]


def space_of(steps: Sequence[Step], c: Computation, fixed: bool = False) -> Space:
    """The space of a nest, which is legal and has sizes. fixed: the order of combination stays that of the model."""
    assert c.facts is not None
    found = first_legal(steps, c)
    assert isinstance(found, Completion) and isinstance(found.configuration, Configuration)
    d = found.decisions
    whole = space(c.facts.problem, c.facts.machine, fixed)
    tiles = {name: tile for name, tile in whole.tiles.items() if agrees(_surely(d, steps), tile)}
    tiles = tiles or {name: tile for name, tile in list(whole.tiles.items())[:1]}
    opened = {} if _all_fixed(d) else {hole.name: hole for hole in holes(steps, c)}
    parameters = [_of_hole(hole, found.values) for hole in opened.values() if len(hole.values) > 1]
    for parameter in whole.parameters:
        if parameter.name == "tile":
            costs = tuple(tile.cost for tile in tiles.values())
            parameter = Parameter("tile", tuple(tiles), next(iter(tiles)), ordered=True, costs=costs)
        if len(parameter.values) > 1 and not _taken(parameter.name, d, c):
            parameters.append(parameter)
    model = {p.name: p.model for p in parameters if p.name not in opened}
    over = NestOverlay(tuple(steps), c, opened, model)
    return Space(c.facts.problem, c.facts.machine, tiles, tuple(parameters), found.configuration, fixed, over)


def _surely(d: Decisions, steps: Sequence[Step]) -> Decisions:
    """`d` without what open values may decide otherwise."""
    names = {name for step in steps for name in _names(step)}
    return replace(
        d,
        lanes=None if "vectorize" in names else d.lanes,
        unrolled=() if names & {"unroll", "accumulators"} else d.unrolled,
        strips=() if names & {"tile", "stripmine"} else d.strips,
    )


def _names(step: Step) -> set[str]:
    """The transformations whose values are open."""
    inner = {inner.name for branch in step.branches for inner in branch}
    return inner or ({step.name} if step.is_open else set())


def _all_fixed(d: Decisions) -> bool:
    return len(d.fixed) == len(TABLE_1)


def _of_hole(hole: Hole, chosen: Mapping[str, Anything]) -> Parameter:
    values = tuple(_encoded(v) for v in hole.values)
    model = _encoded(chosen.get(hole.name, hole.values[0]))
    if all(isinstance(v, int) for v in values):
        values = tuple(sorted(values, key=int))
        return Parameter(hole.name, values, model, ordered=True, said=True)
    return Parameter(hole.name, values, model, said=True)


def _encoded(value: Anything) -> Value:
    """A value as the tuner and reports have it."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _taken(name: str, d: Decisions, c: Computation) -> bool:
    """Whether the decision of a parameter of the empty nest is taken already."""
    kind, _, dim = name.partition("_")
    if _DECIDES[kind] in d.fixed:
        return True
    match kind:
        case "tile":
            return False
        case "unroll":
            return dim in dict(d.unrolled)
        case "accumulators":
            return bool(d.split)
        case "block":
            return bool(d.order) or bool(d.of(dim))
        case "copies" | "padding":
            named = {*d.in_place, *(pack.array for pack in d.packs)}
            return bool(d.order) or all(named & {a.name, str(a), c.access(n)} for n, a in enumerate(c.inputs))
        case "order" | "reduction":
            return bool(d.order)
        case "cores":
            return d.cores is not None
        case "parts":
            counted = any(loop.size > 0 or parts is not None for loop, parts in d.cores or ())
            return counted or d.threads is not None or d.cores == ()
        case "results":
            return d.writes is not None
        case "inputs":
            return bool(d.reads)
        case "waiting":
            return d.staged is not None
    return False
