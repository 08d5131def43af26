"""Values that a schedule leaves open: what may stand wherever a transformation takes a number, a dimension or a flag.

tile(i=any)   vectorize("j", among(4, 8))   stripmine("k", between(8, 256, multiple_of=8))   tile(j=divisors)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any as Anything
from typing import TypeAlias

from jitmdh.base.calling.entry import entries
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Any:
    """Whatever is legal there."""


@entries
@dataclass(frozen=True, slots=True, init=False)
class Among:
    """One of these values.

    >>> Among(16, 32)
    Among(16, 32)
    """

    values: tuple[Anything, ...]

    def __init__(self, *values: Anything) -> None:
        if not values:
            raise ConfigurationError("among() needs at least one value", hint="such as among(16, 32)")
        try:
            object.__setattr__(self, "values", tuple(dict.fromkeys(values)))
        except TypeError as error:
            raise ConfigurationError(f"among() takes numbers and names: {error}") from None

    def __repr__(self) -> str:
        return f"Among({', '.join(map(repr, self.values))})"


@entries
@dataclass(frozen=True, slots=True)
class Between:
    """A whole number from `least` to `most`, both included, that is a multiple of `multiple_of`."""

    least: int
    most: int
    multiple_of: int = 1

    def __post_init__(self) -> None:
        if self.multiple_of < 1 or not self.numbers:
            raise ConfigurationError(f"there is no multiple of {self.multiple_of} from {self.least} to {self.most}")

    @property
    def numbers(self) -> range:
        """The numbers that are meant."""
        first = -(-self.least // self.multiple_of) * self.multiple_of
        return range(first, self.most + 1, self.multiple_of)


@entries
@dataclass(frozen=True, slots=True)
class Divisors:
    """A divisor of the dimension's extent, 1 and the extent itself left out."""


Open: TypeAlias = Any | Among | Between | Divisors
OPEN = (Any, Among, Between, Divisors)

_SIZES = (2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096)


def candidates(value: Open, usual: Sequence[Anything], extent: int | None = None) -> tuple[Anything, ...]:
    """The values that stand for an open one. usual: those of `Any`; extent: of the dimension, where there is one.

    >>> candidates(Divisors(), (), 12), candidates(Between(1, 9, multiple_of=4), ())
    ((2, 3, 4, 6), (4, 8))
    """
    match value:
        case Any():
            return tuple(usual)
        case Among():
            return value.values
        case Between():
            return tuple(value.numbers)
        case Divisors():
            whole = extent or 1
            return tuple(n for n in range(2, whole) if whole % n == 0) or (1,)


def sizes_within(extent: int) -> tuple[int, ...]:
    """Sizes of parts worth trying for a dimension."""
    return tuple(n for n in _SIZES if n < extent) or (max(1, extent),)


def to_data(value: Anything) -> Anything:
    """As JSON has it."""
    match value:
        case Any():
            return {"open": "any"}
        case Among():
            return {"open": "among", "values": [to_data(v) for v in value.values]}
        case Between():
            return {"open": "between", "least": value.least, "most": value.most, "multiple_of": value.multiple_of}
        case Divisors():
            return {"open": "divisors"}
        case tuple():
            return [to_data(v) for v in value]
        case _:
            return value


def from_data(data: Anything) -> Anything:
    """What `to_data` wrote. ValueError, KeyError or TypeError for anything else."""
    if isinstance(data, Mapping):
        match data["open"]:
            case "any":
                return Any()
            case "among":
                return Among(*map(from_data, data["values"]))
            case "between":
                return Between(data["least"], data["most"], data["multiple_of"])
            case "divisors":
                return Divisors()
            case other:
                raise ValueError(other)
    if isinstance(data, Sequence) and not isinstance(data, str):
        return tuple(map(from_data, data))
    if data is not None and not isinstance(data, (bool, int, str)):
        raise TypeError(data)
    return data


def shown(value: Anything) -> str:
    """As a user writes it, with `jitmdh.schedule` as `s`.

    >>> shown(Among(1, 2)), shown(Any()), shown("i"), shown(Between(8, 64, multiple_of=8))
    ('s.among(1, 2)', 's.any', "'i'", 's.between(8, 64, multiple_of=8)')
    """
    match value:
        case Any():
            return "s.any"
        case Divisors():
            return "s.divisors"
        case Among():
            return f"s.among({', '.join(map(shown, value.values))})"
        case Between():
            step = f", multiple_of={value.multiple_of}" if value.multiple_of != 1 else ""
            return f"s.between({value.least}, {value.most}{step})"
        case _:
            return repr(value)
