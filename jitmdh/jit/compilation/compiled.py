"""What compiling a function for one signature gives: everything a call needs, as one value for the store.

magic | length of the facts | facts (JSON: parameters, checks, results, configuration) | object code
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from math import prod
from typing import Any

from jitmdh.base.dtype import WEAK_TYPES, ScalarType, named
from jitmdh.base.process.signals import pass_on
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.index import Together, ValueReturned, ViewReturned
from jitmdh.mdh.targets.registry import DEFAULT

_FORMAT = b"jitmdh code 11\n"
_WEAK = {t.name: t for t in WEAK_TYPES}


@dataclass(frozen=True, slots=True)
class ParameterFact:
    """A parameter of the compiled program. rank: None for a scalar; written: the program stores to it."""

    name: str
    type: ScalarType
    rank: int | None
    written: bool = False


@dataclass(frozen=True, slots=True)
class AllocationFact:
    name: str
    type: ScalarType
    rank: int
    fortran: bool = False


@dataclass(frozen=True, slots=True)
class CheckFact:
    """What a failed check of the program, or of its data, means: its kind ("bounds", "shape", "fallback"), in words."""

    kind: str
    message: str
    loc: Loc | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """The code is for calls with `least ≤ size ≤ most`, if the size is a multiple of `multiple`.

    size: a name such as `M.shape[0]`, an integer argument, or a product of such, `M.shape[0]*M.shape[1]`.
    """

    size: str
    least: int
    most: int
    multiple: int = 1

    @property
    def factors(self) -> tuple[str, ...]:
        """The names that are in `size`."""
        return tuple(self.size.split("*"))

    def value(self, sizes: Mapping[str, int]) -> int | None:
        """What has to be between the limits in a call; None if its sizes are not known."""
        known = [sizes[name] for name in self.factors if name in sizes]
        return prod(known) if len(known) == len(self.factors) else None

    def within(self, others: Mapping[str, Condition]) -> bool:
        """Whether calls that meet those of `others` which are on the same sizes meet this one."""
        if (own := others.get(self.size)) is not None:
            return own.only_multiples(self.multiple) and self.least <= own.least and own.most <= self.most
        limits = [(max(0, c.least), c.most) for name in self.factors if (c := others.get(name)) is not None]
        if len(self.factors) < 2 or len(limits) < len(self.factors) or self.multiple > 1:
            return False
        return self.least <= prod(least for least, _ in limits) and prod(most for _, most in limits) <= self.most

    def only_multiples(self, divisor: int) -> bool:
        """Whether all sizes that meet this are multiples of `divisor`."""
        return self.multiple % divisor == 0 or (self.least == self.most and self.least % divisor == 0)


def within(conditions: Iterable[Condition], sizes: Mapping[str, int]) -> bool:
    """Whether the sizes of a call are such; without sizes, only if there are no conditions."""
    return in_range(conditions, sizes) and all((c.value(sizes) or 0) % c.multiple == 0 for c in conditions)


def in_range(conditions: Iterable[Condition], sizes: Mapping[str, int]) -> bool:
    """Whether the sizes of a call are such but for what they are multiples of."""
    return all((value := c.value(sizes)) is not None and c.least <= value <= c.most for c in conditions)


def narrower(one: Iterable[Condition], other: Iterable[Condition]) -> bool:
    """Whether code under the conditions `one` is for some of the calls that code under `other` is for, not for all."""
    ones, others = ({c.size: c for c in conditions} for conditions in (one, other))
    return ones != others and all(c.within(ones) for c in others.values())


@dataclass(frozen=True, slots=True)
class Compiled:
    """returns: names of what is returned (None: nothing), as a tuple or a list. code: object code of `target`.

    accesses: the loads and stores that the code looks at, if it looks at any (see `kernel.passes.memory_checks`).
    lengths: of results of which only the first rows are returned, the name of the allocation that says how many.
    values: the function's, where some are views or tuples of what is returned, a tuple then (see `Program.values`).
    program: the high-level representation, where this process has it; text: of a target whose code cannot be stored,
    instead of code. Neither code nor text: the interpreter runs it.
    """

    name: str
    parameters: tuple[ParameterFact, ...]
    allocations: tuple[AllocationFact, ...]
    checks: tuple[CheckFact, ...]
    returns: tuple[str, ...] | None
    returns_tuple: bool
    configuration: Mapping[str, Any]
    code: bytes | None
    conditions: tuple[Condition, ...] = ()
    loc: Loc | None = None
    data_checks: tuple[CheckFact, ...] = ()
    faults: tuple[CheckFact, ...] = ()
    program: Any = field(default=None, compare=False, repr=False)
    text: Any = field(default=None, compare=False, repr=False)
    target: str = DEFAULT
    returns_list: bool = False
    accesses: tuple[str, ...] = ()
    lengths: Mapping[str, str] = field(default_factory=dict)
    values: tuple[ValueReturned, ...] = ()

    def to_bytes(self) -> bytes:
        """As it is stored. Only compiled code can be."""
        assert self.code is not None
        facts = {
            "name": self.name,
            "parameters": [[p.name, p.type.name, p.rank, p.written] for p in self.parameters],
            "allocations": [[a.name, a.type.name, a.rank, a.fortran] for a in self.allocations],
            "checks": [[c.kind, c.message, _plain(c.loc)] for c in self.checks],
            "returns": self.returns,
            "returns_tuple": self.returns_tuple,
            "configuration": dict(self.configuration),
            "conditions": [dataclasses.astuple(c) for c in self.conditions],
            "loc": _plain(self.loc),
            "data_checks": [[c.kind, c.message, _plain(c.loc)] for c in self.data_checks],
            "faults": [[c.kind, c.message, _plain(c.loc)] for c in self.faults],
            "target": self.target,
            "returns_list": self.returns_list,
            "accesses": self.accesses,
            "lengths": dict(self.lengths),
            "values": list(map(_stored_value, self.values)),
        }
        text = json.dumps(facts).encode()
        return _FORMAT + len(text).to_bytes(8, "little") + text + self.code

    @property
    def digest(self) -> bytes:
        """Of the object code."""
        return hashlib.blake2b(self.code or b"", digest_size=16).digest()

    def moved(self, filename: str, first_line: int) -> Compiled:
        """The same with all places in the function given for where it stands now."""
        if self.loc is None or (self.loc.filename, self.loc.line) == (filename, first_line):
            return self
        old, shift = self.loc.filename, first_line - self.loc.line

        def move(loc: Loc | None) -> Loc | None:
            if loc is None or loc.filename != old:
                return loc
            end = None if loc.end_line is None else loc.end_line + shift
            return Loc(filename, loc.line + shift, loc.column, end, loc.end_column)

        checks = tuple(dataclasses.replace(c, loc=move(c.loc)) for c in self.checks)
        data = tuple(dataclasses.replace(c, loc=move(c.loc)) for c in self.data_checks)
        faults = tuple(dataclasses.replace(c, loc=move(c.loc)) for c in self.faults)
        return dataclasses.replace(self, checks=checks, loc=move(self.loc), data_checks=data, faults=faults)


def from_bytes(value: bytes) -> Compiled | None:
    """What `to_bytes` wrote; None if it is of another format."""
    if not value.startswith(_FORMAT):
        return None
    begin = len(_FORMAT) + 8
    end = begin + int.from_bytes(value[len(_FORMAT) : begin], "little")
    try:
        facts = json.loads(value[begin:end])
        return Compiled(
            facts["name"],
            tuple(ParameterFact(n, _WEAK.get(t) or named(t), r, w) for n, t, r, w in facts["parameters"]),
            tuple(AllocationFact(n, _WEAK.get(t) or named(t), r, f) for n, t, r, f in facts["allocations"]),
            tuple(CheckFact(k, m, _loc(p)) for k, m, p in facts["checks"]),
            None if facts["returns"] is None else tuple(facts["returns"]),
            facts["returns_tuple"],
            facts["configuration"],
            value[end:],
            tuple(Condition(*c) for c in facts["conditions"]),
            _loc(facts["loc"]),
            tuple(CheckFact(k, m, _loc(p)) for k, m, p in facts["data_checks"]),
            tuple(CheckFact(k, m, _loc(p)) for k, m, p in facts["faults"]),
            target=facts["target"],
            returns_list=facts["returns_list"],
            accesses=tuple(facts["accesses"]),
            lengths=facts["lengths"],
            values=tuple(map(_value, facts["values"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        pass_on(error)
        return None


def _stored_value(value: ValueReturned) -> Any:
    if isinstance(value, Together):
        return [value.kind, *map(_stored_value, value.parts)]
    return value if isinstance(value, int) else ["view", *dataclasses.astuple(value)]


def _value(stored: Any) -> ValueReturned:
    """What `_stored_value` made, from JSON."""
    if isinstance(stored, int):
        return stored
    first, *rest = stored
    return ViewReturned(*map(_tuples, rest)) if first == "view" else Together(tuple(map(_value, rest)), first)


def _tuples(stored: Any) -> Any:
    """What JSON keeps as lists, as tuples again."""
    return tuple(map(_tuples, stored)) if isinstance(stored, list) else stored


def _plain(loc: Loc | None) -> list[Any] | None:
    return None if loc is None else [loc.filename, loc.line, loc.column, loc.end_line, loc.end_column]


def _loc(plain: list[Any] | None) -> Loc | None:
    return None if plain is None else Loc(*plain)
