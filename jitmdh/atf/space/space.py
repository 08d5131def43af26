"""The space of all valid configurations, without ever listing them (thesis 5.3 to 5.5).

Every query walks one path of the DAG: exact size, membership, the i-th configuration, the index of a
configuration, uniform samples, coordinates in (0, 1]^L and back, neighbours.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, SupportsIndex, cast, overload

from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.expressions.symbolic import is_expression
from jitmdh.atf.space.expressions.symmetry import Group
from jitmdh.atf.space.generate import from_rows, generate
from jitmdh.atf.space.generation_order import (
    Level,
    Rule,
    conditions_of,
    groups_of,
    levels_of,
    rules_of,
    symmetric_rules,
)
from jitmdh.atf.space.node import Node, check_coordinate
from jitmdh.atf.space.parameter import TuningParameter
from jitmdh.atf.space.path import path_to
from jitmdh.atf.space.ranges import values_of
from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError, BoundsError, ConfigurationError


class SearchSpace(Sequence[Configuration]):
    """All valid configurations, in a fixed order; see `search_space`.

    `parameters` stand as declared. `order` names them as generated: dependencies first; the order of
    configurations is lexicographic in it. Coordinates and configurations follow the declaration.
    """

    __slots__ = (
        "_choices",
        "_declared",
        "_names",
        "_places",
        "_root",
        "groups",
        "node_count",
        "order",
        "parameters",
        "size",
    )

    @entry
    def __init__(
        self,
        parameters: tuple[TuningParameter, ...],
        order: tuple[str, ...],
        groups: tuple[tuple[str, ...], ...],
        root: Node,
        node_count: int,
    ) -> None:
        self.parameters, self.order, self.groups = parameters, order, groups
        self._root, self.node_count = root, node_count
        self.size: int = root.count
        self._names = tuple(p.name for p in parameters)
        place = {name: i for i, name in enumerate(self._names)}
        self._places = tuple(place[name] for name in order)
        rank = {name: k for k, name in enumerate(order)}
        self._declared = None if order == self._names else itemgetter(*(rank[name] for name in self._names))
        several = {p.name for p in parameters if p.when is not None or len(p.range.sequence()) > 1}
        self._choices = tuple(k for k, name in enumerate(order) if name in several)

    def __repr__(self) -> str:
        return f"<search space of {self.size} configurations over {', '.join(self._names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, as declared."""
        return self._names

    @property
    def root(self) -> Node:
        """The DAG itself, for tools that walk it."""
        return self._root

    def __bool__(self) -> bool:
        return True  # no space is empty, and `len` has a limit

    def __len__(self) -> int:
        return self.size  # Python raises OverflowError beyond sys.maxsize; `size` is exact at any magnitude

    @overload
    def __getitem__(self, index: SupportsIndex) -> Configuration: ...
    @overload
    def __getitem__(self, index: slice) -> list[Configuration]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Configuration | list[Configuration]:
        """The configuration at a position, negative ones from the end; `BoundsError` outside."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.size))]
        position = index.__index__()
        if position < 0:
            position += self.size
        if not 0 <= position < self.size:
            raise BoundsError(f"configuration {index} of a space of {self.size}")
        return self.configuration(position)

    @property
    def choices(self) -> tuple[int, ...]:
        """The levels (places in `order`) whose parameter has more than one value."""
        return self._choices

    def configuration(self, index: int) -> Configuration:
        """The configuration at a position 0 <= index < size, unchecked."""
        return self.configuration_of(self.values_at(index), index)

    def configuration_of(self, found: Sequence[Any], index: int) -> Configuration:
        """The configuration of values in generation order, and its position; both unchecked."""
        if self._declared is not None:
            found = self._declared(found)
        made = Configuration(zip(self._names, found))
        made.index = index
        made.space = self
        return made

    def values_at(self, index: int) -> list[Any]:
        """The values of the configuration at a position, in generation order (`order`)."""
        node, rest, found = self._root, index, []
        for _ in self._places:
            child = node.child
            if child is not None:
                count = child.count
                place = rest // count
                rest -= place * count
                found.append(node.values[place])
                node = child
            else:
                cumulative = node.cumulative
                place = bisect_right(cumulative, rest)
                if place:
                    rest -= cumulative[place - 1]
                found.append(node.values[place])
                node = node.children[place]
        return found

    def index(self, configuration: Any, start: int = 0, stop: int | None = None) -> int:
        """The position of a configuration; `ConfigurationError` says why if it is not in the space."""
        if not isinstance(configuration, Mapping):
            raise ArgumentTypeError(
                f"{configuration!r} is no configuration", hint="a dictionary from each parameter's name to its value"
            )
        position = self._find(configuration)
        if isinstance(position, str):
            raise ConfigurationError(f"{dict(configuration)} is not in the space: {position}")
        if not start <= position < (self.size if stop is None else stop):
            raise ConfigurationError(f"{dict(configuration)} stands at {position}, outside [{start}, {stop})")
        return position

    def __contains__(self, configuration: object) -> bool:
        return isinstance(configuration, Mapping) and not isinstance(self._find(configuration), str)

    def find(self, configuration: Mapping[str, Any]) -> int | None:
        """The position of a configuration, or None if it is not in the space."""
        position = self._find(configuration)
        return None if isinstance(position, str) else position

    def _find(self, configuration: Mapping[str, Any]) -> int | str:
        node, index = self._root, 0
        if len(configuration) != len(self.order):
            extra = sorted(set(configuration) - set(self.order))
            if extra:
                return f"it has no parameter {extra[0]}"
        for name in self.order:
            if name not in configuration:
                return f"parameter {name} is missing"
            place = node.place_of(configuration[name])
            if place < 0:
                return f"parameter {name} cannot be {configuration[name]!r}, given the parameters before it"
            index += node.before(place)
            node = node.behind(place)
        return index

    def __iter__(self) -> Iterator[Configuration]:
        """All configurations in order, one path in memory at a time."""
        for index, found in enumerate(_paths(self._root, len(self.order))):
            yield self.configuration_of(found, index)

    def at(self, coordinates: Sequence[float], *, weighted: bool = False) -> Configuration:
        """The configuration at coordinates in (0, 1]^L, one per parameter as declared (thesis 5.5).

        Each coordinate chooses among the values that remain, in equal shares, or `weighted` by how many
        configurations lie behind each: then uniform coordinates give uniform configurations.
        """
        names, order = self._names, self.order
        if len(coordinates) != len(order):
            raise ConfigurationError(f"{len(coordinates)} coordinates for {len(order)} parameters")
        if names != order:
            coordinates = [coordinates[p] for p in self._places]
        if weighted:
            return self._at_weighted(coordinates)
        found: list[Any] = []
        node, position = self._root, 0
        for x in coordinates:
            if not 0 < x <= 1:
                check_coordinate(x, order[len(found)])
            scaled = x * node.size
            place = int(scaled)
            if place == scaled:
                place -= 1
            before, value, node = node.steps[place]
            position += before
            found.append(value)
        return self.configuration_of(found, position)

    def _at_weighted(self, coordinates: Sequence[float]) -> Configuration:
        found: list[Any] = []
        node, position = self._root, 0
        for x in coordinates:
            check_coordinate(x, self.order[len(found)])
            before, value, node = node.steps[node.weighted_place(x)]
            position += before
            found.append(value)
        return self.configuration_of(found, position)

    def index_at(self, coordinates: Sequence[float]) -> int:
        """The position of `at(coordinates)`; coordinates outside (0, 1] are moved to the nearest end."""
        node, index = self._root, 0
        for p in self._places:
            n = len(node.values)
            scaled = coordinates[p] * n
            place = int(scaled)
            if place == scaled:
                place -= 1
            place = 0 if place < 0 else n - 1 if place >= n else place
            index += node.before(place)
            node = node.child or node.children[place]
        return index

    def coordinates(self, configuration: Mapping[str, Any] | int, *, weighted: bool = False) -> tuple[float, ...]:
        """The middle of the coordinates that `at` maps to this configuration (or position)."""
        position = self._position(configuration)
        found = [0.0] * len(self.order)
        for p, node, place in zip(self._places, *self._steps(position)):
            if not weighted or node.child is not None:
                found[p] = (place + 0.5) / len(node.values)
            else:
                bounds = node.bounds()
                low, high = bounds[place - 1] if place else 0.0, bounds[place]
                middle = low + (high - low) / 2
                found[p] = middle if low < middle else high
        return tuple(found)

    def _position(self, given: Mapping[str, Any] | int) -> int:
        """The position of a configuration, or a position itself if it is one."""
        if not isinstance(given, int):
            return self.index(given)
        if not 0 <= given < self.size:
            raise BoundsError(f"configuration {given} of a space of {self.size}")
        return given

    def _steps(self, index: int) -> tuple[list[Node], list[int]]:
        """The nodes on the path to a position, and the place chosen at each."""
        path = path_to(self._root, index)
        return path.nodes, path.places

    def sample(self, seed: object = None, n: int | None = None) -> Any:
        """A configuration drawn uniformly, or a list of `n` independent ones.

        `seed`: an int, a `random.Random`, a NumPy `Generator`, or None for system entropy.
        """
        rng = generator_of(seed)
        if n is not None and n < 0:
            raise ConfigurationError(f"sample: the number of configurations must not be negative, but is {n}")
        if n is None:
            return self.configuration(rng.randrange(self.size))
        return [self.configuration(rng.randrange(self.size)) for _ in range(n)]

    def neighbours(self, configuration: Mapping[str, Any] | int, *, adjacent: bool = False) -> Iterator[Configuration]:
        """All configurations that differ in exactly one parameter; `adjacent`: only the next values."""
        return map(self.configuration, self.neighbour_indices(configuration, adjacent=adjacent))

    def neighbour_indices(self, configuration: Mapping[str, Any] | int, *, adjacent: bool = False) -> Iterator[int]:
        """The positions of `neighbours`."""
        position = self._position(configuration)
        nodes, places = self._steps(position)
        chosen = [node.values[place] for node, place in zip(nodes, places)]
        before = 0
        for level, (node, place) in enumerate(zip(nodes, places)):
            for direction in (range(place - 1, -1, -1), range(place + 1, len(node.values))):
                for other in direction:
                    tail = _tail(node, other, place, position - before, chosen[level + 1 :])
                    if tail is not None:
                        yield before + tail
                        if adjacent:
                            break
            before += node.before(place)

    def nearest(self, configuration: Mapping[str, Any]) -> Configuration:
        """A valid configuration close to any given one, which may be invalid or lack parameters.

        Parameter by parameter, the remaining value nearest to the wanted one; for a missing or foreign
        value, the middle one.
        """
        node, position, found = self._root, 0, []
        for name in self.order:
            place = node.place_of(configuration[name]) if name in configuration else -1
            if place < 0:
                place = _nearest_place(node.values, configuration.get(name))
            before, value, node = node.steps[place]
            position += before
            found.append(value)
        return self.configuration_of(found, position)


def _tail(node: Node, other: int, place: int, relative: int, wanted: list[Any]) -> int | None:
    """The relative position of the path through `other` that goes on with the wanted values."""
    if node.behind(other) is node.behind(place):
        return relative - node.before(place) + node.before(other)
    position, inner = node.before(other), node.behind(other)
    for value in wanted:
        found = inner.place_of(value)
        if found < 0:
            return None
        position += inner.before(found)
        inner = inner.behind(found)
    return position


def _nearest_place(remaining: Sequence[Any], wanted: Any) -> int:
    middle = len(remaining) // 2
    if isinstance(wanted, bool) or not isinstance(wanted, int | float):
        return middle
    if isinstance(remaining, range):
        place = round((wanted - remaining.start) / remaining.step)
        return min(max(place, 0), len(remaining) - 1)
    numbers = [(abs(v - wanted), k) for k, v in enumerate(remaining) if isinstance(v, int | float)]
    return min(numbers)[1] if numbers else middle


def _paths(root: Node, depth: int) -> Iterator[list[Any]]:
    stack: list[tuple[Node, Iterator[int]]] = [(root, iter(range(len(root.values))))]
    path: list[Any] = []
    while stack:
        node, places = stack[-1]
        place = next(places, None)
        if place is None:
            stack.pop()
            if path:
                path.pop()
            continue
        if len(stack) == depth:
            yield [*path, node.values[place]]
        else:
            path.append(node.values[place])
            child = node.behind(place)
            stack.append((child, iter(range(len(child.values)))))


def generator_of(seed: object) -> random.Random:
    """Python's generator from a seed, a Python generator, or a NumPy one."""
    if isinstance(seed, random.Random):
        return seed
    if seed is None or isinstance(seed, int):
        return random.Random(seed)
    if hasattr(seed, "integers"):  # numpy.random.Generator
        return random.Random(int(cast(Any, seed).integers(2**63)))
    if hasattr(seed, "__index__"):
        return random.Random(cast(Any, seed).__index__())
    raise ArgumentTypeError(f"{seed!r} is neither a seed nor a random generator")


def search_space(*parameters: TuningParameter, constraints: object = (), symmetric: object = ()) -> SearchSpace:
    """The space of all configurations that satisfy every constraint (thesis 5.3).

    `constraints` (one or several) belong to no single parameter: `A * B <= 1024`, or the same as a callable,
    `lambda A, B: A * B <= 1024`; of `A * B * C <= 1024` the generator remembers products only.
    `symmetric`: parameters whose values may be exchanged without changing the cost, `[(A, B)]`, or groups that
    are exchanged as a whole, `[((A0, A1), (B0, B1))]`; the space has one of two such configurations. Raises
    `ConfigurationError` naming the parameter if a constraint names an unknown one, if they depend on each other
    in a circle, or if no configuration is valid.

    >>> from jitmdh.atf import tuning_parameter, interval, divides
    >>> WPT = tuning_parameter("WPT", interval(1, 8), divides(8))
    >>> LS = tuning_parameter("LS", interval(1, 8), divides(8 // WPT))
    >>> space = search_space(LS, WPT)
    >>> space.size, space[-1]
    (10, {'LS': 1, 'WPT': 8})
    """
    declared = tuple(parameters)
    if len(declared) == 1 and isinstance(declared[0], list | tuple):
        declared = tuple(declared[0])
    if not declared:
        raise ConfigurationError("a search space needs at least one tuning parameter")
    for p in declared:
        if not isinstance(p, TuningParameter):
            hint = 'atf.tuning_parameter("WPT", atf.interval(1, 16))'
            if callable(p) or is_expression(p):
                hint = "constraints that belong to no single parameter: search_space(..., constraints=[...])"
            raise ConfigurationError(f"{p!r} is not a tuning parameter", hint=hint)
    names = [p.name for p in declared]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ConfigurationError(f"parameter {repeated[0]}: two parameters have this name")
    several = isinstance(constraints, Iterable) and not is_expression(constraints)
    extra = tuple(constraints) if several else (constraints,)  # type: ignore[arg-type]
    same = _symmetric(symmetric, {p.name: p for p in declared})
    rules, conditions, levels = _specified(declared, extra, same, read=True)
    try:
        root, count = generate(levels)
    except ConfigurationError as error:
        if error.__cause__ is None:  # the specification is wrong, not the testing of it
            raise
        # A callable that was read is tested part by part, in another order: tested whole, it may not fail.
        rules, conditions, levels = _specified(declared, extra, same, read=False)
        root, count = generate(levels)
    order = tuple(level.parameter.name for level in levels)
    return SearchSpace(declared, order, groups_of(declared, (*rules, *conditions.values())), root, count)


def _specified(
    declared: Sequence[TuningParameter], extra: Sequence[object], same: Sequence[Sequence[Group]], *, read: bool
) -> tuple[tuple[Rule, ...], dict[str, Rule], tuple[Level, ...]]:
    conditions = conditions_of(declared, read=read)
    rules = rules_of(declared, extra, read=read)
    rules += symmetric_rules(declared, rules, conditions, same)
    return rules, conditions, levels_of(declared, rules, conditions)


def _symmetric(given: object, declared: Mapping[str, TuningParameter]) -> list[list[Group]]:
    """Each entry: groups of names that may be exchanged."""

    def named(item: object) -> Group:
        several = item if isinstance(item, list | tuple) else (item,)
        return tuple(p.name if isinstance(p, TuningParameter) else p for p in several)

    entries = list(given) if isinstance(given, list | tuple) else [given]
    if entries and all(isinstance(e, TuningParameter | str) for e in entries):
        entries = [entries]
    found = []
    for one in entries:
        groups = [named(item) for item in (one if isinstance(one, list | tuple) else (one,))]
        names = [n for group in groups for n in group]
        hint = "symmetric=[(A, B)], or [((A0, A1), (B0, B1))] of parameters that are exchanged together"
        if len(groups) < 2 or len({len(g) for g in groups}) > 1 or len(set(names)) < len(names):
            raise ConfigurationError(f"symmetric={one!r} names no parameters to exchange", hint=hint)
        if missing := [n for n in names if n not in declared]:
            raise ConfigurationError(f"symmetric: {missing[0]!r} is no parameter of this space", hint=hint)
        for places in zip(*groups):
            for n in places:
                if declared[n].when is not None:
                    raise ConfigurationError(f"symmetric: parameter {n} has a when=", hint="exchange others")
                if declared[n].range.sequence() != declared[places[0]].range.sequence():
                    raise ConfigurationError(
                        f"symmetric: the ranges of {places[0]} and {n} differ", hint="constraints may differ"
                    )
        found.append(groups)
    return found


@entry
def space_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> SearchSpace:
    """The space of exactly these configurations, for recorded measurements."""
    table = [tuple(row) for row in rows]
    if not table or any(len(row) != len(names) for row in table):
        raise ConfigurationError(f"recorded rows must be non-empty and have {len(names)} values each")
    parameters = []
    for k, name in enumerate(names):
        column = list(dict.fromkeys(row[k] for row in table))
        numeric = all(isinstance(v, int | float) for v in column)
        parameters.append(TuningParameter(name, values_of(sorted(column) if numeric else column)))
    root, count = from_rows(parameters, table)
    return SearchSpace(tuple(parameters), tuple(names), (tuple(names),), root, count)
