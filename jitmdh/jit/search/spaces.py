"""The search space of all computations of a program: points of the tuner, and the configurations they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import machine_of
from jitmdh.jit.search.guided import Guided, knobs

if TYPE_CHECKING:
    from jitmdh.mdh.compile import Chosen
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
    from jitmdh.mdh.lowering.nest.space import Parameter, Space, Value

Point: TypeAlias = "Mapping[str, Any]"

SAME = "the same configuration as other values give"
_WORTH_TUNING = 0.02  # of the work of the largest computation


class Spaces:
    """The parameters of all computations of `model`, a program as the model configures it, under one name each."""

    def __init__(self, model: Chosen, options: Options) -> None:
        self.spaces = _spaces(model, options)
        self._seen: dict[Any, tuple[Value, ...]] = {}
        self.parameters: dict[str, tuple[int, Parameter]] = {
            name: (number, p) for number, (_, s) in self.spaces.items() for name, p in self._named(number, s)
        }
        self.configurations(self.values(self.first))

    def _named(self, number: int, space: Space) -> list[tuple[str, Parameter]]:
        prefix = "" if len(self.spaces) == 1 else f"{self.spaces[number][0]}."
        return [(prefix + p.name, p) for p in space.parameters]

    def of_tuner(self) -> list[Any]:
        """The parameters as the tuner takes them: places of ordered values, other values themselves."""
        from jitmdh import atf

        return [
            atf.tuning_parameter(name, list(range(len(p.values))) if p.ordered else atf.values(*p.values))
            for name, (_, p) in self.parameters.items()
        ]

    @property
    def first(self) -> dict[str, Any]:
        """The model's configuration as a point of the tuner's space."""
        return {n: p.values.index(p.model) if p.ordered else p.model for n, (_, p) in self.parameters.items()}

    def guide(self, prepare: Callable[[Sequence[Point]], None] = lambda points: None, at_once: int = 1) -> Guided:
        """The search that starts from what the model thinks."""

        def size(number: int, dim: str) -> int | None:
            chosen = self.spaces[number][1].chosen
            return next((n for layer in ("L2", "L3", "MM") if (n := chosen.size(layer, dim))), None)

        def legal(point: Point) -> bool:
            return not isinstance(self.configurations(self.values(point)), str)

        return Guided(knobs(self.parameters, size), self.first, legal, prepare, at_once)

    def values(self, point: Point) -> dict[str, Value]:
        """The values of parameters that a point of the tuner's space stands for."""
        return {n: p.values[point[n]] if p.ordered else point[n] for n, (_, p) in self.parameters.items()}

    def changes(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Those that are not the model's."""
        return {n: v for n, v in values.items() if v != self.parameters[n][1].model}

    def configurations(self, values: Mapping[str, Value]) -> dict[int, Configuration] | str:
        """What values say for each computation that they change; why not, if they are not legal."""
        from jitmdh.mdh.lowering.nest.space import Illegal

        found: dict[int, Configuration] = {}
        for number, (name, space) in self.spaces.items():
            own = {p.name: values[n] for n, p in self._named(number, space)}
            if own == space.model:
                continue
            made = space.configuration(own)
            if isinstance(made, Illegal):
                return made.reason if len(self.spaces) == 1 else f"{name}: {made.reason}"
            found[number] = made
        return self._once(found, values)

    def _once(self, found: dict[int, Configuration], values: Mapping[str, Value]) -> dict[int, Configuration] | str:
        """`found`, if no other values have given it before: nothing is tried twice."""
        chosen = {number: space.chosen for number, (_, space) in self.spaces.items()}
        key = tuple((chosen | found).items())
        point = tuple(values[name] for name in self.parameters)
        first = self._seen.setdefault(key, point)
        return found if first == point else SAME


def _spaces(model: Chosen, options: Options) -> dict[int, tuple[str, Space]]:
    """By number of the computation: its name and what to search.

    Fills, what does hardly any work, and what the schedule says all of stay.
    """
    from jitmdh.mdh.lowering.problem.traffic import operations
    from jitmdh.mdh.lowering.schedule import expression_names, parse
    from jitmdh.mdh.lowering.searched import searched

    names, own = expression_names(model.program)
    work = [p.points * (1 + operations(p.expression)) for p in model.problems]
    schedule, machine = None if options.schedule is None else parse(options.schedule), machine_of(options)
    least = _WORTH_TUNING * max(work[len(names) - len(own) :], default=0)
    found = {}
    for number, p in enumerate(model.problems):
        if names[number] in own and work[number] >= least and p.extents:
            space = searched(schedule, names[number], len(own) == 1, p, machine, options.deterministic)
            if space is not None and space.parameters:
                found[number] = (names[number], space)
    return found
