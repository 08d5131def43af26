"""What a schedule knows of a computation: its dimensions, arrays and combine operators; with sizes, what is legal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Protocol

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression, Sequential, Step, expressions
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.analytic_model import configured, with_cores
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile, RegisterTiles
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension: its extent in the call that the nest was built for, and how results along it are combined."""

    name: str
    extent: int
    combine: str


@dataclass(frozen=True, slots=True)
class Array:
    """An access: the array, its element type, and the index at each point, as text."""

    name: str
    type: str
    index: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(self.index)}]"


class Family(Protocol):
    """The computations of one function: what transformations across them need."""

    def under_one_loop(
        self, producer: str, consumer: str, dim: str, own: str | None = None, tile: int | None = None
    ) -> Any:
        """The nests with two computations under one loop over `dim` of the second; own: that of the first, None: found.

        tile: over tiles of so many points, None: over points. Refused, with the reason, if that is not legal.
        """
        ...

    def as_part(self, name: str, into: str | None) -> Any:
        """The nests with a computation inside of those that use its results; into: of one over the same points.

        Refused, with the reason, if that is not legal.
        """
        ...

    def loop_elsewhere(self, name: str, dim: str) -> str:
        """What `dim`, which is no loop around the computation `name`, is in the function; empty: nothing."""
        ...


class Facts:
    """A computation with sizes on a machine, and what the model thinks of it: made once for all nests of it.

    in_order: why loops around it keep their order, by the names of their dimensions.
    """

    def __init__(self, problem: Problem, machine: Machine, in_order: Mapping[str, str]) -> None:
        self.problem, self.machine, self.in_order = problem, machine, in_order
        self.family: Family | None = None
        self.completed: dict[object, Any] = {}
        """What completes steps of a nest, by these: each transformation asks for all that came before it, and so does
        whoever looks at the nest."""
        self._bases: dict[tuple[Any, ...], Configuration] = {}

    def elsewhere(self, name: str, dim: str) -> str:
        """What `dim`, which is no dimension of this computation, `name`, is in the function; empty: nothing known."""
        if dim in self.in_order:
            return f"the loop over {dim} keeps its order: {self.in_order[dim]}"
        return "" if self.family is None else self.family.loop_elsewhere(name, dim)

    @cached_property
    def chosen(self) -> Configuration:
        """The model's choice where nothing is said."""
        return with_cores(self.problem, self.machine).configuration

    @cached_property
    def tiles(self) -> RegisterTiles:
        """All register tiles."""
        return RegisterTiles(self.problem, self.machine)

    def configured(self, tile: RegisterTile) -> Configuration:
        """What the model thinks goes best with a tile."""
        key = (tile.lane, tile.lanes, tuple(sorted(tile.counts.items())))
        if key not in self._bases:
            self._bases[key] = configured(self.problem, self.machine, tile).configuration
        return self._bases[key]


@dataclass(frozen=True, slots=True)
class Computation:
    """One computation of a function, as data.

    facts: what decides whether a schedule is legal; None where the nest was read back from text.
    """

    name: str
    dims: tuple[Axis, ...]
    inputs: tuple[Array, ...] = ()
    outputs: tuple[Array, ...] = ()
    facts: Facts | None = field(default=None, compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions, in the program's order."""
        return tuple(d.name for d in self.dims)

    def extent(self, dim: str) -> int:
        """How many points a dimension has in the call that the nest was built for."""
        return next(d.extent for d in self.dims if d.name == dim)

    def input(self, name: str) -> int | None:
        """The number of an input: `A` if it is read in one place only, else `A[i + 1, k]`; None: there is none."""
        found = [n for n, a in enumerate(self.inputs) if name in (a.name, str(a))]
        return found[0] if len(found) == 1 else None

    def access(self, number: int) -> str:
        """The name of an input: see `input`."""
        name = self.inputs[number].name
        return name if self.input(name) == number else str(self.inputs[number])

    @property
    def collapsed(self) -> frozenset[str]:
        """Names of the dimensions that results no longer have."""
        return frozenset(d.name for d in self.dims if d.combine.startswith("•"))

    def difference(self, other: Computation) -> str | None:
        """Why a nest built for this one cannot be used with the other; None: it can. Extents may differ."""
        if [(d.name, d.combine) for d in self.dims] != [(d.name, d.combine) for d in other.dims]:
            missing = [] if other.facts is None else [d for d in self.names if d not in other.names]
            why = "".join(
                f"; {text}" for d in missing if other.facts and (text := other.facts.elsewhere(other.name, d))
            )
            return f"it has the dimensions {_shape(self)}, here they are {_shape(other)}{why}"
        for mine, theirs in zip((*self.inputs, *self.outputs), (*other.inputs, *other.outputs)):
            if mine.type != theirs.type or len(mine.index) != len(theirs.index):
                return f"{mine.name} is {_kind(mine)} there, here {theirs.name} is {_kind(theirs)}"
        return None

    def data(self) -> dict[str, Any]:
        """Plain data, as JSON has it; without what decides about legality."""
        return {
            "name": self.name,
            "dims": [[d.name, d.extent, d.combine] for d in self.dims],
            "inputs": [[a.name, a.type, list(a.index)] for a in self.inputs],
            "outputs": [[a.name, a.type, list(a.index)] for a in self.outputs],
        }


def computation_of(data: Mapping[str, Any]) -> Computation:
    """What `Computation.data` wrote."""
    arrays = {
        name: tuple(Array(str(n), str(t), tuple(map(str, index))) for n, t, index in data[name])
        for name in ("inputs", "outputs")
    }
    dims = tuple(Axis(str(name), int(extent), str(combine)) for name, extent, combine in data["dims"])
    return Computation(str(data["name"]), dims, arrays["inputs"], arrays["outputs"])


def loops_in_order(steps: Sequence[Step], e: Expression) -> dict[str, str]:
    """The loops around an expression that keep their order, and why; by their dimensions' names. Empty, too: it is a
    fill, which is in none of `steps`."""
    found: dict[str, str] = {}
    while not any(step is e for step in steps):
        around = next((step for step in steps if any(e is inside for inside in expressions((step,)))), None)
        if around is None:
            return {}
        if isinstance(around, Sequential):
            found[around.dim.name] = around.reason or "its iterations depend on each other"
        assert not isinstance(around, Expression)
        steps = around.body
    return found


def computation(name: str, p: Problem, machine: Machine, in_order: Mapping[str, str] | None = None) -> Computation:
    """The facts that schedules of an expression rest on. in_order: as `loops_in_order` has them."""
    e = p.expression
    pairs = zip(e.md_hom.dims, e.md_hom.combine)
    dims = tuple(Axis(d.name, p.extents[d.name], str(o)) for d, o in pairs)
    inputs, outputs = (
        tuple(Array(a.buffer, str(e.buffer(a.buffer).type), tuple(map(str, a.index))) for a in view)
        for view in (e.inp_view, e.out_view)
    )
    return Computation(name, dims, inputs, outputs, Facts(p, machine, in_order or {}))


def _shape(c: Computation) -> str:
    return ", ".join(f"{d.name} ({d.combine})" for d in c.dims)


def _kind(a: Array) -> str:
    return f"{a.type} of rank {len(a.index)}"
