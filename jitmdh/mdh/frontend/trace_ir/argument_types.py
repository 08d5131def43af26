"""What the front end needs to know about the arguments of a call: their types, not their values."""

from __future__ import annotations

from dataclasses import dataclass

from jitmdh.base.dtype import ScalarType


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array argument."""

    type: ScalarType
    rank: int


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
