"""What the front end needs to know about the arguments of a call: their types, not their values."""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array argument. ones: the axes whose extent is 1 in all calls. fortran: a matrix in the order of Fortran."""

    type: ScalarType
    rank: int
    ones: tuple[int, ...] = ()
    fortran: bool = False


@dataclass(frozen=True, slots=True)
class ScalarKind:
    """A scalar argument. weak: a Python bool, int, float or complex, which adapts to what it meets (NEP 50)."""

    type: ScalarType
    weak: bool = False


@dataclass(frozen=True, slots=True)
class ConstantKind:
    """An argument that is part of the program: None, a string, a function, a tuple of constants."""

    value: object


ArgumentType = ArrayType | ScalarKind | ConstantKind


@dataclass(frozen=True, slots=True)
class Group:
    """An argument that holds others, by name: those of a tuple are called 0, 1, …; kind: the name of its class."""

    kind: str
    parts: tuple[tuple[str, Group | None], ...]
    is_tuple: bool

    def __str__(self) -> str:
        parts = (name if part is None else f"{name}: {part}" for name, part in self.parts)
        return f"{self.kind}({', '.join(parts)})"


def names_of(name: str, group: Group | None) -> list[str]:
    """The names of the leaves of an argument."""
    if group is None:
        return [name]
    return [leaf for field, part in group.parts for leaf in names_of(f"{name}.{field}", part)]
