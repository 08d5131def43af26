"""Affine integer expressions: what index functions, extents and guards are made of.

An index function of a view (thesis Definitions 9, 10) maps a point of the iteration space to a buffer position.
Here every component of it is `c + Σ cᵢ·nameᵢ`, over names of dimensions (`i`, `k`) and of sizes (`M.shape[0]`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from jitmdh.base.records import dataclass, record
from jitmdh.mdh.algebra import show


@record(frozen=True, slots=True)
class Affine:
    """`constant + Σ coefficient·name`; `terms` is sorted by name and has no zero coefficient.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> str(2 * i - k + 1)
    '2*i - k + 1'
    >>> (2 * i - k + 1).substitute({"k": i + 1}) == i
    True
    """

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(name: str) -> Affine:
        return Affine(((name, 1),))

    @staticmethod
    def sum(parts: Iterable[tuple[str, int]], constant: int = 0) -> Affine:
        """Collect terms with repeated names."""
        total: dict[str, int] = {}
        for name, coefficient in parts:
            total[name] = total.get(name, 0) + coefficient
        return Affine(tuple(sorted((n, c) for n, c in total.items() if c != 0)), constant)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([name for name, _ in self.terms])  # asked for too often for a generator

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def sides(self) -> tuple[Affine, Affine]:
        """What is added and what is taken away: their difference may be too large for 64 bits where they are not.

        >>> n = Affine.of("n")
        >>> [str(side) for side in (2 * n - Affine.of("k") - 1).sides]
        ['2*n', 'k + 1']
        """
        added, taken = (tuple((n, abs(c)) for n, c in self.terms if (c > 0) == up) for up in (True, False))
        return Affine(added, max(self.constant, 0)), Affine(taken, max(-self.constant, 0))

    def coefficient(self, name: str) -> int:
        for n, c in self.terms:
            if n == name:
                return c
        return 0

    def without(self, names: Iterable[str]) -> Affine:
        """The part that does not depend on `names`."""
        dropped = set(names)
        return Affine(tuple(t for t in self.terms if t[0] not in dropped), self.constant)

    def substitute(self, values: Mapping[str, Affine | int]) -> Affine:
        if not any(name in values for name, _ in self.terms):
            return self
        result = Affine((), self.constant)
        for name, coefficient in self.terms:
            value = values.get(name)
            result = result + (Affine(((name, coefficient),)) if value is None else as_affine(value) * coefficient)
        return result

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The number this stands for; a name without a value is a KeyError."""
        return self.constant + sum(c * values[n] for n, c in self.terms)

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other)
        if not isinstance(other, Affine):
            return NotImplemented
        return Affine.sum(self.terms + other.terms, self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + -other

    def __rsub__(self, other: int) -> Affine:
        return -self + other

    def __mul__(self, factor: int) -> Affine:
        if not isinstance(factor, int):
            return NotImplemented
        if factor == 0:
            return Affine()
        return Affine(tuple((n, c * factor) for n, c in self.terms), self.constant * factor)

    __rmul__ = __mul__

    def __str__(self) -> str:
        return show.affine(self.terms, self.constant).text


def as_affine(value: Affine | int) -> Affine:
    return value if isinstance(value, Affine) else Affine((), int(value))


def shape_name(array: str, axis: int) -> str:
    """The name by which affine expressions refer to `array.shape[axis]`."""
    return f"{array}.shape[{axis}]"


def is_size(name: str) -> bool:
    """Whether a name stands for a length, which is never negative."""
    return name.endswith("]")


# ------------------------------------------------------------------------------------------------- returned views


Number: TypeAlias = tuple[int, int]
"""`(k, c)`: c more than what a program returns as number k; of k = -1: c; of k = -2 - n: more than axis n is long."""


@dataclass(frozen=True, slots=True)
class ViewReturned:
    """A value of a function: a view of the array that its program returns as number `of`.

    axes: for each axis of that array where the view begins, and the number and step of each of its axes that runs along
    it; shape: of the view. field: of an array of records, the one that it is of. then: the shape in which NumPy's
    `reshape` gives it, () as `ravel` does; None: as it is. part: of complex elements, `real` or `imag`; empty: both.
    readonly: nobody may write to it.
    """

    of: int
    axes: tuple[tuple[Number, tuple[tuple[int, int], ...]], ...]
    shape: tuple[Number, ...]
    field: str = ""
    then: tuple[Number, ...] | None = None
    part: str = ""
    readonly: bool = False

    @property
    def rank(self) -> int:
        """How many axes the value has; of `ravel`, one."""
        return len(self.shape) if self.then is None else len(self.then) or 1

    def shown(self, names: Sequence[str]) -> str:
        """In the notation of the representation. names: of what the program returns."""

        def number(given: Number) -> str:
            of, more = given
            if of == -1:
                return str(more)
            name = names[of] if of >= 0 else f"{names[self.of]}.shape[{-2 - of}]"
            return f"{name} {'+' if more > 0 else '-'} {abs(more)}" if more else name

        places = []
        for begin, steps in self.axes:
            parts = [f"{step} * i{n}" if step != 1 else f"i{n}" for n, step in steps]
            places.append(" + ".join([number(begin)] * (begin != (-1, 0) or not parts) + parts))
        ranges = ", ".join(f"i{n} < {number(extent)}" for n, extent in enumerate(self.shape))
        array = names[self.of] + (f"[{self.field!r}]" if self.field else "")
        text = f"{array}[{', '.join(places)}]{'.' * bool(self.part)}{self.part}" + (f" for {ranges}" if ranges else "")
        if self.then is None:
            return f"({text})"
        return f"({text}).reshape({', '.join(map(number, self.then)) or -1})"


@dataclass(frozen=True, slots=True)
class Together:
    """Values of a function that are a tuple, a list, or one of NumPy's named tuples, among its values.

    kind: "tuple", "list", or of `returned_views.NAMED`.
    """

    parts: tuple[ValueReturned, ...]
    kind: str = "tuple"

    def shown(self, names: Sequence[str]) -> str:
        """In the notation of the representation. names: of what the program returns."""
        inner = ", ".join(shown_value(part, names) for part in self.parts)
        if self.kind == "list":
            return f"[{inner}]"
        return f"{self.kind.removeprefix('tuple')}({inner}{',' * (len(self.parts) == 1)})"


ValueReturned: TypeAlias = "int | ViewReturned | Together"
"""A number: what the program returns as this."""


def shown_value(value: ValueReturned, names: Sequence[str]) -> str:
    """A value of a function. names: of what its program returns."""
    return names[value] if isinstance(value, int) else value.shown(names)


def plain_values(values: Iterable[ValueReturned]) -> Iterator[int | ViewReturned]:
    """All values, those inside of others, too."""
    for value in values:
        if isinstance(value, Together):
            yield from plain_values(value.parts)
        else:
            yield value
