"""Configurations as plain data: what `f.config(*args)` gives, and `@jit(schedule=…)` takes, whole or in part.

    {"part_size": {"(L1,i)": 4, "(REG,k)": 8}}                  parameters of Table 1 (see params), by name
    {"gram": {"scalar_output_region": "MM"}, "moments": {…}}    by computation, where a function has several
    {"table": "Figure 81: …"}                                   all parameters as the thesis lists them (see table)
    {"together": False}                                         neighbours under one loop: where it is legal, or never
    {"together": "any"}                                         as the model says, or as the tuner finds
    {"together": [{"t": "e", "Q": "e"}]}                        these under one loop, over these dimensions
    {"together": [{"over": {"t": "i", "y": "i"}, "tile": 32}]}  under one loop over tiles of 32 points (see overlapped)
    {"merged": [{"inline": "t"}, {"fuse": ["a", "b"]}]}         t a part of those that use it, a and b one (see merges)
    {"nest": {"steps": […]}}                                    transformations of the loop nest (see the room `nest`)

What names all parameters is a whole configuration and stands for itself. Anything less is laid over the model's
choice: part sizes level by level (None: not split there), other parameters as given; what was not given is fitted to
what was (see `merged`). `constraints.violation` has the last word on both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import Any

from jitmdh.base.errors import ConfigurationError, ScheduleError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.lowering.configuration.blocks import takes_blocks
from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1, Configuration, Level
from jitmdh.mdh.lowering.model.analytic_model import with_cores
from jitmdh.mdh.lowering.nest import nest
from jitmdh.mdh.lowering.nest.chain import Transformation
from jitmdh.mdh.lowering.nest.values import OPEN
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowering.tables import from_table, table
from jitmdh.mdh.lowering.transform.computation import computation
from jitmdh.mdh.lowlevel.layout import Layout
from jitmdh.mdh.machine.model import Machine

PARAMETERS = tuple(row.field for row in TABLE_1)
TABLE, NEST = "table", "nest"
TOGETHER, MERGED, ANY = "together", "merged", "any"


@dataclass(frozen=True, slots=True)
class Join:
    """Computations under one loop, in their order, each with its dimension.

    tile: the loop goes over tiles of so many points of the last one's dimension; each computes what it needs of the
    others (see `overlapped`). None: over points, of which each needs only what it computes.
    """

    of: tuple[tuple[str, str], ...]
    tile: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.of)

    @property
    def dims(self) -> tuple[str, ...]:
        return tuple(dim for _, dim in self.of)

    def data(self) -> dict[str, Any]:
        """Plain data, as JSON has it."""
        return dict(self.of) if self.tile is None else {"over": dict(self.of), "tile": self.tile}


@dataclass(frozen=True, slots=True)
class Merge:
    """A computation that is a part of others. into: the one over the same points that it is one with; None: it is
    computed wherever its results are used."""

    name: str
    into: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,) if self.into is None else (self.name, self.into)

    def data(self) -> dict[str, Any]:
        """Plain data, as JSON has it."""
        return {"inline": self.name} if self.into is None else {"fuse": [self.name, self.into]}

    def __str__(self) -> str:
        return f"{self.name} inline" if self.into is None else f"{self.name} and {self.into} as one"


_COMMENTS = frozenset({"reasons"})  # what `f.config` adds for readers
_LEVEL = re.compile(r"\(([^,()]+),([^()]*)\)")


def plain(configuration: Configuration) -> dict[str, Any]:
    """A whole configuration as dictionaries, lists, strings and numbers, as JSON has them.

    >>> c = Configuration(part_size=((Level("L1", "i"), 4),), decomposition_order=(Level("L1", "i"),))
    >>> plain(c)["part_size"], plain(c)["decomposition_order"], plain(c)["scalar_output_region"]
    ({'(L1,i)': 4}, ['(L1,i)'], 'REG')
    >>> configuration_of(plain(c)) == c
    True
    """
    return {name: _plain(getattr(configuration, name), name) for name in PARAMETERS}


def _plain(value: Any, name: str) -> Any:
    if name in _PAIRS:
        return {str(level): _plain(v, "") for level, v in value}
    if isinstance(value, Level):
        return str(value)
    return [_plain(v, "") for v in value] if isinstance(value, tuple) else value


def configuration_of(data: Mapping[str, Any]) -> Configuration:
    """The configuration that `plain` wrote; parameters that are missing have their defaults. ConfigurationError."""
    return _whole(_parsed(data, "configuration"))


def _whole(values: Mapping[str, Any]) -> Configuration:
    sizes = tuple((level, n) for level, n in values.get("part_size", ()) if n is not None)
    return Configuration(**{**values, "part_size": sizes})


@dataclass(frozen=True, slots=True)
class Schedule:
    """Values of parameters by computation; None: those of the only computation of a function.

    together: whether neighbouring computations go under one loop where they may; None: as the model says; a tuple:
    those that do, no others. merged: those that are parts of others, first to last; names are those of what is left.
    joins_are_open: whether `together` is where a search begins, and not what it has to be.
    """

    entries: Mapping[str | None, Mapping[str, Any]]
    together: bool | tuple[Join, ...] | None = None
    merged: tuple[Merge, ...] = ()
    joins_are_open: bool = False

    def mentions(self, dims: Collection[str]) -> bool:
        """Whether some of these dimensions are named, in whatever is said of a computation."""

        def words(said: Any) -> Iterator[str]:
            if isinstance(said, Level):
                yield said.dim
            elif isinstance(said, str):
                yield from re.findall(r"\w+", said)
            elif isinstance(said, Mapping):
                yield from words(tuple(said.items()))
            elif isinstance(said, nest.Nest):
                yield from said.computation.names
            elif isinstance(said, Transformation):
                yield from words(tuple(value for step in said.steps for _, value in step.args))
            elif isinstance(said, tuple | list):
                for part in said:
                    yield from words(part)

        return bool(dims) and any(word in dims for word in words(tuple(self.entries.values())))

    def require(self, names: Sequence[str], own: Sequence[str]) -> None:
        """ConfigurationError if a computation is named that is not there. own: those that are no fills."""
        joined = self.together if isinstance(self.together, tuple) else ()
        for name in (*self.entries, *(name for join in joined for name in join.names)):
            if name is not None and name not in names:
                raise ConfigurationError(
                    f"schedule: there is no computation `{name}`", hint=f"computations are {', '.join(names)}"
                )
        if None in self.entries and len(own) != 1:
            raise ConfigurationError(
                f"schedule: for which of {len(own)} computations?",
                hint=f"name it: {{{', '.join(f'{n!r}: {{…}}' for n in own)}}}",
            )

    def applied(
        self, name: str, sole: bool, chosen: Configuration, p: Problem, machine: Machine,
        in_order: Mapping[str, str] | None = None,
    ) -> Configuration | None:  # fmt: skip
        """`chosen` with what is given for the computation; None: nothing is. sole: it is the only one.

        in_order: the loops around it that keep their order, and why; None: there are none.
        """
        given = self.given(name, sole)
        if given is None:
            return None
        if NEST in given:
            return nest.nest_for(given[NEST], computation(name, p, machine, in_order)).configuration()
        if TABLE in given:
            return from_table.configuration(given[TABLE], p)
        all_by_itself = _whole(_resolved(given, p))
        if set(PARAMETERS) <= set(given) or takes_blocks(all_by_itself):
            return all_by_itself
        if takes_blocks(chosen):
            chosen = with_cores(p, machine).configuration
        return merged(chosen, given, p)

    def given(self, name: str, sole: bool) -> Mapping[str, Any] | None:
        """What is given for a computation; None: nothing. sole: it is the only one."""
        return self.entries.get(name, self.entries.get(None) if sole else None)

    def shortened(self, name: str, sole: bool) -> Iterator[tuple[str, Schedule]]:
        """What is given for a computation, with one value left out, and which."""
        given = self.given(name, sole) or {}
        for parameter, value in given.items():
            if parameter == "part_size":
                for level, _ in value:
                    rest = tuple(entry for entry in value if entry[0] != level)
                    yield f"part_size {level}", Schedule({name: {**given, parameter: rest}})
            if parameter not in (TABLE, NEST):
                yield parameter, Schedule({name: {n: v for n, v in given.items() if n != parameter}})


def parse(data: object) -> Schedule:
    """A schedule from plain data. ConfigurationError where a name or a value cannot be one."""
    if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
        raise ConfigurationError(
            f"schedule: expected what f.config(…) gives, or part of it, got {type(data).__name__}",
            hint='such as {"part_size": {"(L1,i)": 4}}',
        )
    if {TOGETHER, MERGED} & data.keys():
        rest = {name: value for name, value in data.items() if name not in (TOGETHER, MERGED)}
        found = parse(rest) if rest else Schedule({})
        merges, opened = _merges(data.get(MERGED, ())), data.get(TOGETHER) == ANY
        if opened or TOGETHER not in data:
            return Schedule(found.entries, found.together, merges, opened or found.joins_are_open)
        return Schedule(found.entries, _joined(data[TOGETHER]), merges)
    parameters = [name for name in data if name in PARAMETERS or name in _COMMENTS or name in (TABLE, NEST)]
    if parameters or not data:
        return Schedule({None: _parsed(data, "schedule")})
    for name, entry in data.items():
        if not isinstance(entry, Mapping) or not set(entry) & {*PARAMETERS, *_COMMENTS, TABLE, NEST}:
            _unknown("schedule", name)
    entries = {name: _parsed(entry, f"schedule of {name}") for name, entry in data.items()}
    apart = any(NEST in entry for entry in entries.values())  # a nest is that of a computation by itself
    return Schedule(entries, False if apart else None, joins_are_open=not apart)


def _has_open(value: object) -> bool:
    """Whether something in it is `s.any` or the like."""
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return isinstance(value, OPEN) or any(map(_has_open, inside))


def _joined(said: object) -> bool | tuple[Join, ...]:
    if isinstance(said, bool):
        return said
    found: list[Join] = []
    for join in said if isinstance(said, (list, tuple)) else [None]:
        entry = join if isinstance(join, Mapping) else {}
        of, tile = (entry["over"], entry["tile"]) if entry.keys() == {"over", "tile"} else (entry, None)
        named = isinstance(of, Mapping) and len(of) >= 2 and all(isinstance(v, str) for v in of.values())
        if not named or not (tile is None or (type(tile) is int and tile > 0)):
            raise ConfigurationError(
                f"schedule: together is {said!r}", hint='it is True, False, "any", or such as [{"t": "e", "Q": "e"}]'
            )
        found.append(Join(tuple(of.items()), tile))
    return tuple(found)


def _merges(said: object) -> tuple[Merge, ...]:
    found: list[Merge] = []
    for entry in said if isinstance(said, (list, tuple)) else [said]:
        match entry:
            case {"inline": str(name), **rest} if not rest:
                found.append(Merge(name))
            case {"fuse": [str(name), str(into)], **rest} if not rest:
                found.append(Merge(name, into))
            case _:
                raise ConfigurationError(
                    f"schedule: merged is {said!r}", hint='it is such as [{"inline": "t"}, {"fuse": ["a", "b"]}]'
                )
    return tuple(found)


def expression_names(program: Program) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of all computations in the order of their code (fills of allocations first), and of those in the steps."""
    fills = [f"fill {a.name}" for a in program.allocations if a.fill is not None]
    names: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in (*fills, *(e.name for e in expressions(program.steps))):
        count, unique = counts.get(name, 1), name
        while unique in names:
            count += 1
            unique = f"{name} {count}"
        counts[name] = count
        names[unique] = None
    every = tuple(names)
    return every, every[len(fills) :]


# ------------------------------------------------------------------------------------------------ merging


def merged(chosen: Configuration, given: Mapping[str, Any], p: Problem) -> Configuration:
    """`chosen` with the parameters `given`.

    Of what was not given, S1 and R1 follow D1; part sizes around given ones become multiples of them; blocks of
    layouts that were as wide as a register tile stay so.
    """
    values = _resolved(given, p)
    if "input_region" in values and "scalar_input_region" not in values:  # what is copied is not read from memory
        copied = {number for number, _, _ in values["input_region"]}
        read = tuple((n, region) for n, region in chosen.scalar_input_region if n not in copied)
        chosen = replace(chosen, scalar_input_region=read)
    sizes = dict(values.pop("part_size", ()))
    kept = _beside({level: n for level, n in chosen.part_size if level not in sizes}, sizes)
    result = replace(chosen, **values)
    if "decomposition_order" in values:
        order = result.decomposition_order
        split = tuple(l for l in chosen.recomposition_order if l.layer == "REG")
        result = replace(
            result,
            scalar_order=values.get("scalar_order", order),
            recomposition_order=values.get("recomposition_order", (*split, *order)),
        )
    if not sizes:
        return result
    new = {level: n for level, n in sizes.items() if n is not None}
    for dim in p.extents:
        inner = 1
        for layer in ("REG", "L1", *_outwards(result, dim), "COR"):
            level = Level(layer, dim)
            if level in kept:
                own = kept[level]
                new[level] = own if own < 0 or own % inner == 0 else max(1, own // inner) * inner
            elif layer == "L1" and level not in sizes and inner > 1:
                new[level] = inner  # lanes fill at least one tile
            inner = max(inner, new.get(level, 1) if layer != "COR" else 1)
    new |= {level: n for level, n in kept.items() if level not in new}
    result = replace(result, part_size=tuple(new.items()))
    return result if "input_layout" in values else replace(result, input_layout=_panels(chosen, result, p))


def _beside(kept: dict[Level, int], given: Mapping[Level, int | None]) -> dict[Level, int]:
    """`kept` without lanes where others are given: those of one dimension only are in a vector."""
    wide = {level.dim for level, n in given.items() if level.layer == "REG" and (n or 1) > 1}
    lost = [level for level in kept if level.layer == "REG" and wide - {level.dim}]
    found = {level: n for level, n in kept.items() if level not in lost}
    for level in lost:
        tile = Level("L1", level.dim)
        if tile in found:
            found[tile] = max(1, found[tile] // kept[level])
    return found


def _outwards(c: Configuration, dim: str) -> list[str]:
    loops = [l.layer for l in c.decomposition_order if l.dim == dim and l.layer not in ("L1", "COR", "REG")]
    return loops[::-1]


def _panels(old: Configuration, new: Configuration, p: Problem) -> tuple[tuple[int, Layout], ...]:
    """Layouts of `old` with its tile sizes replaced by those of `new`."""
    found = []
    for number, layout in new.input_layout:
        digits = []
        for axis, block in layout:
            dims = [n for n in p.expression.inp_view[number].index[axis].names if n in p.extents]
            same = block > 1 and len(dims) == 1 and block == old.size("L1", dims[0])
            digits.append((axis, new.size("L1", dims[0]) or 1) if same else (axis, block))
        found.append((number, tuple(dict.fromkeys(digits))))
    return tuple(found)


def _resolved(given: Mapping[str, Any], p: Problem) -> dict[str, Any]:
    """`given` with numbers of accesses for names of buffers."""
    values = dict(given)
    for name in ("input_region", "input_layout", "scalar_input_region", "scalar_input_layout"):
        if name in values:
            values[name] = tuple((_access(entry[0], p), *entry[1:]) for entry in values[name])
    return values


def _access(which: int | str, p: Problem) -> int:
    if isinstance(which, int):
        return which
    buffers = [a.buffer for a in p.expression.inp_view]
    if buffers.count(which) != 1:
        shown = ", ".join(f"{n} ({b})" for n, b in enumerate(buffers))
        raise ConfigurationError(f"schedule: `{which}` is no array that is read once", hint=f"inputs are {shown}")
    return buffers.index(which)


# ------------------------------------------------------------------------------------------------ parsing


def _parsed(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if TABLE in data:
        if set(data) - {TABLE, *_COMMENTS} or not isinstance(data[TABLE], str):
            raise ConfigurationError(f"{where}: a table says all, as text", hint='{"table": "Figure 81: …"}')
        return {TABLE: table.parse(data[TABLE])}
    if NEST in data:
        return {NEST: nest.read(data)}
    for name, value in data.items():
        if name in _COMMENTS:
            continue
        if name not in PARAMETERS:
            _unknown(where, name)
        try:
            found[name] = _READ[name](value)
        except (TypeError, ValueError, AttributeError):
            example = f"it looks like {_EXAMPLES.get(name, _EXAMPLE_OF_ORDER)}"
            left_open = "what is open is left out here, or said of a nest: s.build(f, …).stripmine('i', s.any)"
            kind, hint = (ScheduleError, left_open) if _has_open(value) else (ConfigurationError, example)
            raise kind(f"{where}: {name} is {value!r}", hint=hint) from None
    return found


def _unknown(where: str, name: str) -> None:
    raise ConfigurationError(f"{where}: there is no parameter `{name}`", hint=f"parameters are {', '.join(PARAMETERS)}")


def _level(text: Any) -> Level:
    found = _LEVEL.fullmatch(text.replace(" ", ""))
    if found is None:
        raise ValueError(text)
    return Level(found[1], found[2])


def _integer(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError(value)
    return index(value)


def _size(value: Any) -> int | None:
    return None if value is None else _integer(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _which(value: Any) -> int | str:
    return value if isinstance(value, str) else _integer(value)


def _levels(value: Any) -> tuple[Level, ...]:
    if isinstance(value, str):
        raise TypeError(value)
    return tuple(_level(level) for level in value)


def _layout(value: Any) -> Layout:
    return tuple((_integer(axis), _integer(block)) for axis, block in value)


def _pairs(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: tuple((_level(level), read(v)) for level, v in value.items())


_READ: Mapping[str, Callable[[Any], Any]] = {
    "part_size": _pairs(_size),
    "decomposition_order": _levels,
    "decomposition_assignment": _pairs(_text),
    "input_region": lambda v: tuple((_which(n), _level(level), _text(region)) for n, level, region in v),
    "input_layout": lambda v: tuple((_which(n), _layout(layout)) for n, layout in v),
    "scalar_order": _levels,
    "scalar_assignment": _pairs(_text),
    "scalar_input_region": lambda v: tuple((_which(n), _text(region)) for n, region in v),
    "scalar_input_layout": lambda v: tuple((_which(n), _layout(layout)) for n, layout in v),
    "scalar_output_region": _text,
    "scalar_output_layout": _layout,
    "recomposition_order": _levels,
    "recomposition_assignment": _pairs(_text),
    "output_region": _pairs(_text),
    "output_layout": _pairs(_layout),
}
_PAIRS = frozenset(name for name in PARAMETERS if name.endswith("_assignment")) | {
    "part_size", "output_region", "output_layout",
}  # fmt: skip
_EXAMPLE_OF_ORDER = '["(COR,i)", "(L1,i)", "(L1,k)"]'
_EXAMPLES = {
    "part_size": '{"(L1,i)": 4, "(REG,k)": 8}',
    "decomposition_assignment": '{"(L1,i)": "L1"}',
    "scalar_assignment": '{"(L1,i)": "L1"}',
    "recomposition_assignment": '{"(L1,i)": "L1"}',
    "input_region": '[["A", "(L3,i)", "L2"]], an array (or the number of its access), a level, a region',
    "input_layout": '[["A", [[0, 6], [1, 1], [0, 1]]]], an array, and pairs of an axis and a block size',
    "scalar_input_region": '[["A", "L1"]], an array (or the number of its access) and a region',
    "scalar_output_region": '"REG", "L1" or "MM"',
    "scalar_input_layout": '[["A", [[1, 1], [0, 1]]]], an array, and pairs of an axis and a block size',
    "scalar_output_layout": "[[1, 1], [0, 1]]",
    "output_region": '{"(L1,i)": "L2"}',
    "output_layout": '{"(L1,i)": [[0, 1], [1, 1]]}',
}
