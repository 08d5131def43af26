"""Transformations as values: steps with their arguments, there and back as plain data and as Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any as Anything

from jitmdh.base.errors import ConfigurationError, ScheduleError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.base.text import indent
from jitmdh.mdh.lowering.nest.values import OPEN, from_data, shown, to_data

VERSION = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One transformation: its name, its arguments by name, and where it is written.

    branches: of `choice`, `attempt`: the chains of steps to choose from.
    """

    name: str
    args: tuple[tuple[str, Anything], ...] = ()
    branches: tuple[tuple[Step, ...], ...] = ()
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        """As Python, without what it is a method of.

        >>> str(Step("vectorize", (("dim", "j"), ("lanes", 8)))), str(Step("reorder", (("loops", ("i", "k")),)))
        ("vectorize('j', 8)", "reorder('i', 'k')")
        """
        if self.branches:
            return f"{self.name}({', '.join(map(chained, self.branches))})"
        texts: list[str] = []
        for n, (name, value) in enumerate(self.args):
            if name in _VARIADIC:
                texts += map(shown, value)
            elif name == "*":
                texts.append(shown(value))
            elif self.name == "tile" or n >= _POSITIONAL.get(self.name, 2):
                texts.append(f"{name}={shown(value)}")
            else:
                texts.append(shown(value))
        return f"{self.name}({', '.join(texts)})"

    @property
    def is_open(self) -> bool:
        """Whether it leaves something open."""
        values = [v for _, value in self.args for v in (value if isinstance(value, tuple) else (value,))]
        return self.name == "choice" or any(isinstance(v, OPEN) for v in values)


_VARIADIC = frozenset({"loops", "dims", "parameters", "arrays"})
_POSITIONAL = {"pack": 1, "stage": 1, "parallelize": 1, "read_from": 2, "write_to": 1}


def open_strips(steps: Sequence[Step]) -> frozenset[str]:
    """Dimensions with parts whose size is open."""
    found: set[str] = set()
    for step in steps:
        for branch in step.branches:
            found |= {str(dim) for inner in branch for dim in _dims(inner)}
        if step.is_open:
            found |= {str(dim) for dim in _dims(step)}
    return frozenset(found)


def _dims(step: Step) -> list[Anything]:
    args = dict(step.args)
    if step.name == "tile":
        return [name for name, value in step.args if isinstance(value, OPEN)]
    return [args["dim"]] if step.name == "stripmine" and isinstance(args["size"], OPEN) else []


def chained(steps: Sequence[Step]) -> str:
    """As functions that wait for a nest: `s.compose(s.tile(…), s.vectorize(…))`."""
    texts = [f"s.{step}" for step in steps]
    return texts[0] if len(texts) == 1 else f"s.compose({', '.join(texts)})"


# ------------------------------------------------------------------------------------------------ plain data


def steps_data(steps: Sequence[Step]) -> list[Anything]:
    """As JSON has them, with the places where they are written."""
    found = []
    for step in steps:
        entry: dict[str, Anything] = {step.name: {name: to_data(value) for name, value in step.args}}
        if step.branches:
            entry["branches"] = [steps_data(branch) for branch in step.branches]
        if step.loc is not None:
            loc = step.loc
            entry["at"] = [loc.filename, loc.line, loc.column, loc.end_line, loc.end_column]
        found.append(entry)
    return found


def steps_of(data: Anything, known: Sequence[str]) -> tuple[Step, ...]:
    """What `steps_data` wrote. ConfigurationError for anything else. known: names of transformations."""
    found = []
    for entry in data if isinstance(data, list) else [data]:
        try:
            ((name, args),) = ((n, a) for n, a in entry.items() if n not in ("at", "branches"))
            loc = Loc(*entry["at"]) if "at" in entry else None
            branches = tuple(steps_of(branch, known) for branch in entry.get("branches", ()))
            step = Step(name, tuple((str(n), from_data(v)) for n, v in args.items()), branches, loc)
        except (AttributeError, TypeError, ValueError, KeyError):
            raise ConfigurationError(
                f"schedule: {entry!r} is no transformation", hint='such as {"vectorize": {"dim": "j"}}'
            ) from None
        if step.name not in known:
            raise ConfigurationError(f"schedule: there is no transformation `{step.name}`",
                                     hint=f"transformations are {', '.join(known)}")  # fmt: skip
        found.append(step)
    return tuple(found)


def without_places(data: Anything) -> Anything:
    """Plain data of a schedule without the lines where it was written: what it means.

    >>> without_places({"nest": {"steps": [{"unroll": {"dim": "k"}, "at": ["f.py", 3, 0, 3, 9]}]}})
    {'nest': {'steps': [{'unroll': {'dim': 'k'}}]}}
    """
    if isinstance(data, Mapping):
        return {name: without_places(value) for name, value in data.items() if name != "at" or not _is_place(value)}
    return [without_places(value) for value in data] if isinstance(data, (list, tuple)) else data


def _is_place(value: Anything) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 5


def error(step: Step, reason: str, was: str = "", hint: str = "") -> ScheduleError:
    """What is wrong with a step. was: the nest before it, as text."""
    before = "the nest was:\n" + indent(was, 2) if was else ""
    return ScheduleError(f"{step.name}: {reason}", loc=step.loc, reason=before, hint=hint)
