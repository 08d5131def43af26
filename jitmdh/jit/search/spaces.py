"""The search space of all computations of a program: points of the tuner, and what they stand for.

Which computations are under one loop is a parameter of its own, `together`. What it changes has parameters for each of
its values; those of the other values then say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from jitmdh.base.errors import MdhError
from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import chosen_of, machine_of, request_of
from jitmdh.jit.search.guided import Guided, knobs

if TYPE_CHECKING:
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.compile import Chosen
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
    from jitmdh.mdh.lowering.nest.block_space import BlockSpace
    from jitmdh.mdh.lowering.nest.space import Parameter, Space, Value
    from jitmdh.mdh.lowering.problem.traffic import Problem
    from jitmdh.mdh.lowering.schedule import Join

Point: TypeAlias = "Mapping[str, Any]"

SAME = "the same configuration as other values give"
TOGETHER = "together"
_WORTH_TUNING = 0.02  # of the work of the largest computation


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a point stands for. configurations: by number of the computation, those that are not the model's; joined:
    what is under one loop, None: as the model says."""

    configurations: Mapping[int, Configuration] = field(default_factory=dict)
    joined: tuple[Join, ...] | None = None

    @property
    def is_model(self) -> bool:
        """Whether it is what the model chooses."""
        return not self.configurations and self.joined is None

    @property
    def key(self) -> tuple[Any, ...]:
        return tuple(self.configurations.items()), self.joined


@dataclass(frozen=True, slots=True)
class Choices:
    """A program as the model configures it, and what else may be under one loop; by how reports name it, the model's
    first."""

    model: Chosen
    others: Mapping[str, Chosen] = field(default_factory=dict)
    name: str = ""

    @property
    def all(self) -> dict[str, Chosen]:
        return {self.name: self.model, **self.others}


def choices_of(
    model: Chosen,
    program: Program,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    options: Options,
    ranges: Mapping[str, tuple[int, int]],
) -> Choices:
    """model: as `chosen_of` gives it for the same arguments."""
    from jitmdh.mdh.compile import other_joins
    from jitmdh.mdh.lowering.joins import text
    from jitmdh.mdh.lowering.schedule import expression_names

    if len(expression_names(program)[1]) < 2:
        return Choices(model)
    present, others = other_joins(request_of(program, sizes, unit_axes, options, ranges))
    found = {}
    for joins in others:
        with suppress(MdhError):  # what a schedule says of a computation may suit it by itself only
            found[text(joins)] = chosen_of(program, sizes, unit_axes, options, ranges, joins)
    return Choices(model, found, text(present))


@dataclass(slots=True)
class _Own:
    """The space of one computation, for some values of `together`. prefix: of the names of its parameters."""

    number: int
    prefix: str
    space: Space | BlockSpace
    problem: Problem
    of: set[str]

    @property
    def work(self) -> int:
        """How many operations it takes, elements that are read among them."""
        from jitmdh.mdh.lowering.problem.traffic import operations

        return self.problem.points * (1 + operations(self.problem.expression))

    def values(self, values: Mapping[str, Value]) -> dict[str, Value]:
        return {p.name: values[self.prefix + p.name] for p in self.space.parameters}


class Spaces:
    """The parameters of all computations of a program, under one name each."""

    def __init__(self, choices: Choices, options: Options) -> None:
        self.choices = choices.all
        self.owns = _owns(choices, options)
        self._seen: dict[Any, tuple[Value, ...]] = {}
        self._expected: dict[tuple[Any, ...], float | None] = {}
        self.parameters: dict[str, Parameter] = {}
        self._of: dict[str, _Own] = {}
        if choices.others:
            self.parameters[TOGETHER] = _together(tuple(self.choices))
        for own in self.owns:
            for p in own.space.parameters:
                self.parameters[own.prefix + p.name], self._of[own.prefix + p.name] = p, own
        self.configurations(self.values(self.first))

    @property
    def size(self) -> int:
        """How many combinations of values there are, of parameters that say something."""
        return sum(
            prod(len(p.values) for own in self.owns if name in own.of for p in own.space.parameters)
            for name in self.choices
        )

    def of_tuner(self) -> list[Any]:
        """The parameters as the tuner takes them: places of ordered values, other values themselves."""
        from jitmdh import atf

        return [
            atf.tuning_parameter(name, list(range(len(p.values))) if p.ordered else atf.values(*p.values))
            for name, p in self.parameters.items()
        ]

    @property
    def first(self) -> dict[str, Any]:
        """The model's configuration as a point of the tuner's space."""
        return {n: p.values.index(p.model) if p.ordered else p.model for n, p in self.parameters.items()}

    def guide(self, prepare: Callable[[Sequence[Point]], None] = lambda points: None, at_once: int = 1) -> Guided:
        """The search that starts from what the model thinks."""

        def size(name: str, dim: str) -> int | None:
            chosen = self._of[name].space.chosen
            return next((n for layer in ("L2", "L3", "MM") if (n := chosen.size(layer, dim))), None)

        def legal(point: Point) -> bool:
            return not isinstance(self.configurations(self.values(point)), str)

        def applies(name: str, point: Point) -> bool:
            return self._applies(name, point.get(TOGETHER))

        def work(name: str) -> int:
            return self._of[name].work if name in self._of else 0

        found = knobs(self.parameters, size, work)
        return Guided(found, self.first, legal, prepare, at_once, applies, self.expected)

    def expected(self, point: Point) -> float | None:
        """Cycles that the model expects of what a point stands for, of the computations that it compares
        configurations of; None: of none, or the point stands for nothing."""
        key = tuple(point[name] for name in self.parameters)
        if key not in self._expected:
            values = self.values(point)
            owns = (own for own in self.owns if self._joins(values) in own.of and own.space.compares)
            found = [own.space.expected(own.values(values)) for own in owns]
            known = [cycles for cycles in found if cycles is not None]
            self._expected[key] = sum(known) if known and len(known) == len(found) else None
        return self._expected[key]

    def values(self, point: Point) -> dict[str, Value]:
        """The values of parameters that a point of the tuner's space stands for."""
        return {n: p.values[point[n]] if p.ordered else point[n] for n, p in self.parameters.items()}

    def changes(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Those that are not the model's, of parameters that say something."""
        joins = values.get(TOGETHER)
        return {n: v for n, v in values.items() if v != self.parameters[n].model and self._applies(n, joins)}

    def _applies(self, name: str, joins: Value | None) -> bool:
        """Whether a parameter says something where `together` is `joins`."""
        return joins is None or name == TOGETHER or joins in self._of[name].of

    def chosen(self, values: Mapping[str, Value]) -> Chosen:
        """What the model chooses where as much is under one loop as these values say."""
        return self.choices[self._joins(values)]

    def _joins(self, values: Mapping[str, Value]) -> str:
        return str(values.get(TOGETHER, next(iter(self.choices))))

    def configurations(self, values: Mapping[str, Value]) -> Proposal | str:
        """What values stand for; why not, if they are not legal."""
        from jitmdh.mdh.lowering.configuration.constraints import violation
        from jitmdh.mdh.lowering.configuration.tuning_parameters import uses_cores, without_cores
        from jitmdh.mdh.lowering.nest.space import Illegal

        chosen = self.chosen(values)
        found: dict[int, Configuration] = {}
        made_of: dict[int, Configuration] = {}
        for own in self.owns:
            if self._joins(values) not in own.of:
                continue
            made_of[own.number], mine = own.space.chosen, own.values(values)
            if mine == own.space.model:
                continue
            made = own.space.configuration(mine)
            if isinstance(made, Illegal):
                return made.reason if len(self.owns) == 1 else f"{own.prefix.rstrip('.')}: {made.reason}"
            if own.problem.threads < 2 and not uses_cores(chosen.choices[own.number].configuration):
                made = without_cores(made)  # as the model's: threads share the loop around it
                reason = violation(own.problem, own.space.machine, made)
                if reason is not None:
                    return f"{own.prefix.rstrip('.')}: {reason}"
            found[own.number] = made
        proposal = Proposal(found, chosen.joined)
        point = tuple(values[name] for name in self.parameters)  # nothing is tried twice
        first = self._seen.setdefault((chosen.joined, tuple((made_of | found).items())), point)
        return proposal if first == point else SAME


def _together(names: tuple[Value, ...]) -> Parameter:
    from jitmdh.mdh.lowering.nest.space import Parameter

    return Parameter(TOGETHER, names, names[0])


def _owns(choices: Choices, options: Options) -> list[_Own]:
    """What to search of each computation, once for all values of `together` that make no difference to it.

    Fills, what does hardly any work, and what the schedule says all of stay.
    """
    from jitmdh.mdh.lowering.problem.traffic import operations
    from jitmdh.mdh.lowering.schedule import expression_names, parse
    from jitmdh.mdh.lowering.searched import searched

    names, own = expression_names(choices.model.program)
    schedule, machine = None if options.schedule is None else parse(options.schedule), machine_of(options)
    found: list[_Own] = []
    for joins, chosen in choices.all.items():
        work = [p.points * (1 + operations(p.expression)) for p in chosen.problems]
        least = _WORTH_TUNING * max(work[len(names) - len(own) :], default=0)
        for number, p in enumerate(chosen.problems):
            same = next((o for o in found if o.number == number and o.problem == p), None)
            if same is not None:
                same.of.add(joins)
            elif names[number] in own and work[number] >= least and p.extents:
                space = searched(schedule, names[number], len(own) == 1, p, machine, options.deterministic)
                if space is not None and space.parameters:
                    more = "" if joins == choices.name else f" ({joins})"
                    found.append(_Own(number, f"{names[number]}{more}.", space, p, {joins}))
    if len(found) == 1:
        found[0].prefix = ""
    return found


__all__ = ["SAME", "TOGETHER", "Choices", "Proposal", "Spaces", "choices_of"]
