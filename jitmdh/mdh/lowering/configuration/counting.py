"""How many configurations values of parameters stand for, without looking at each combination of them.

Some parameters decide one field of a configuration each, and no constraint relates two of these fields: `FIELDS`. Where
all others are given, what such a parameter can say is seen by changing it alone, and the numbers are multiplied. That
is believed only where it shows: a value that changes something else as well, or for which something else has to give
way, makes all combinations of these parameters be looked at.

Configurations are told apart by what they say: two routes to one configuration count once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from itertools import product
from math import prod
from time import perf_counter

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration

Value = int | str
Values = Mapping[str, Value]

# The field, or the two, that a parameter decides and no other does.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "accumulators": ("recomposition_order",),
    "results": ("scalar_output_region",),
    "inputs": ("scalar_input_region",),
    "padding": ("input_layout",),
    "parts": ("cores",),
    "waiting": ("output_region", "output_layout"),
}


@dataclass(frozen=True, slots=True)
class Count:
    """At least and at most so many configurations."""

    least: int
    most: int

    @property
    def exact(self) -> bool:
        """Whether it is known how many."""
        return self.least == self.most


class No(Enum):
    """Why values are no configuration as they stand.

    NEVER: what they say cannot be put together. REFUSED: a constraint does not hold, each of which is about the field
    of one light parameter at most. GIVES_WAY: there is one in which something else has given way.
    """

    NEVER, REFUSED, GIVES_WAY = range(3)


# What values stand for.
Made = Callable[[Values], Configuration | No]
_Told = dict[str, Hashable]


def told(c: Configuration) -> _Told:
    """What a configuration says, by field; part sizes whatever their order, those of cores by themselves.

    >>> told(Configuration())["part_size"]
    frozenset()
    """
    found: _Told = {field.name: getattr(c, field.name) for field in fields(c)}
    cores = frozenset(entry for entry in c.part_size if entry[0].layer == "COR")
    return found | {"part_size": frozenset(c.part_size) - cores, "cores": cores}


class Counter:
    """Counts the configurations of a space.

    parameters: their values by name; model: those of the model's choice; alone: which of `FIELDS` decide nothing else
    there; plainly: as it stands, final: after all that gives way; both of values of all parameters.
    """

    def __init__(
        self, parameters: Mapping[str, Sequence[Value]], model: Values, alone: Sequence[str], plainly: Made, final: Made
    ) -> None:
        self._light = {name: values for name, values in parameters.items() if name in alone}
        self._heavy = {name: values for name, values in parameters.items() if name not in alone}
        self._model, self._plainly, self._final = model, plainly, final
        # By what is said beside the fields of light parameters: the products of what these can say.
        self._found: dict[Hashable, list[tuple[frozenset[Hashable], ...]]] = {}

    @property
    def looks(self) -> int:
        """How many times it looks at a configuration where all that is independent shows to be so."""
        return prod(map(len, self._heavy.values())) * (1 + sum(len(values) - 1 for values in self._light.values()))

    def count(self, seconds: float | None = None) -> Count:
        """The number; bounds of it where it is not known after `seconds`."""
        end = None if seconds is None else perf_counter() + seconds
        each, left = prod(map(len, self._light.values())), prod(map(len, self._heavy.values()))
        self._found.clear()
        for values in product(*self._heavy.values()):
            if end is not None and perf_counter() > end:
                break
            left -= 1
            self._look(dict(zip(self._heavy, values)))
        known = sum(map(_distinct, self._found.values()))
        return Count(known, known + left * each)

    def _look(self, heavy: Values) -> None:
        """At all that light parameters can say where the others have these values."""
        said = self._one_by_one(heavy)
        if said is None:
            for c in self._all_together(heavy):
                whole = told(c)
                self._keep(whole, tuple(frozenset([_part(whole, name)]) for name in self._light))
        elif said:
            whole, parts = said
            self._keep(whole, parts)

    def _keep(self, whole: _Told, parts: tuple[frozenset[Hashable], ...]) -> None:
        boxes = self._found.setdefault(_beside(whole, self._light), [])
        if parts not in boxes:
            boxes.append(parts)

    def _one_by_one(self, heavy: Values) -> tuple[_Told, tuple[frozenset[Hashable], ...]] | tuple[()] | None:
        """What is said with the model's values, and what each light parameter can say by itself; (): nothing is legal.
        None where they are not independent."""
        usual = {**heavy, **{name: self._model[name] for name in self._light}}
        if all(self._model[name] == value for name, value in usual.items()):
            return None  # the model's choice has ways of its own
        base = self._plainly(usual)
        if base is No.NEVER or (base is No.REFUSED and not self._light):
            return ()
        if isinstance(base, No):
            return None
        whole, parts = told(base), list[frozenset[Hashable]]()
        for name, values in self._light.items():
            can = {_part(whole, name)}
            for value in values:
                made = self._plainly({**usual, name: value}) if value != self._model[name] else base
                if made is No.GIVES_WAY:
                    return None
                if isinstance(made, Configuration):
                    other = told(made)
                    if any(other[field] != whole[field] for field in whole if field not in FIELDS[name]):
                        return None
                    can.add(_part(other, name))
            parts.append(frozenset(can))
        return whole, tuple(parts)

    def _all_together(self, heavy: Values) -> Iterator[Configuration]:
        for values in product(*self._light.values()):
            made = self._final({**heavy, **dict(zip(self._light, values))})
            if isinstance(made, Configuration):
                yield made


def _part(whole: _Told, name: str) -> Hashable:
    return tuple(whole[field] for field in FIELDS[name])


def _beside(whole: _Told, light: Mapping[str, object]) -> Hashable:
    taken = {field for name in light for field in FIELDS[name]}
    return tuple(value for field, value in whole.items() if field not in taken)


def _distinct(boxes: list[tuple[frozenset[Hashable], ...]]) -> int:
    """How many tuples are in at least one of these products."""
    if len(boxes) == 1:
        return prod(map(len, boxes[0]))
    return len({one for box in boxes for one in product(*box)})
