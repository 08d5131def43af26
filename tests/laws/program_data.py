"""Parts of random programs: index expressions, loops, arrays, and the source with data to run it on."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.source_text import function_in

Array = np.ndarray[Any, Any]
_numbers = itertools.count()


@dataclass(frozen=True)
class Linear:
    """`constant + Σ coefficient * name`."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    def __str__(self) -> str:
        parts = [n if k == 1 else f"-{n}" if k == -1 else f"{k} * {n}" for n, k in self.terms]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts).replace("+ -", "- ")

    def interval(self, known: dict[str, tuple[int, int]]) -> tuple[int, int]:
        low = high = self.constant
        for name, k in self.terms:
            a, b = known[name]
            low, high = low + min(k * a, k * b), high + max(k * a, k * b)
        return low, high


FORMS = (
    "mdh.p{range}", "reversed({range})", "_, {name} in enumerate({range})", "{name}, _ in zip({range}, {range})",
    "_, ({name}, _) in enumerate(zip(reversed({range}), {range}), 2)",
)  # fmt: skip
LISTED = "({listed})"
"""Of constants only: unrolled."""


@dataclass(frozen=True)
class Loop:
    """`for name in range(start, stop, step)`, or one of the FORMS of saying that."""

    name: str
    start: Linear
    stop: Linear
    step: int
    form: str = "{range}"

    def __str__(self) -> str:
        start = "" if self.start == Linear() else f"{self.start}, "
        text = f"range({start}{self.stop})"
        if self.step != 1:
            text = f"range({self.start}, {self.stop}, {self.step})"
        listed = "".join(f"{i}, " for i in range(self.start.constant, self.stop.constant))
        names, _, items = self.form.rpartition(" in ")
        names = names.replace("{name}", self.name) or self.name
        return f"for {names} in {items.replace('{range}', text).replace('{listed}', listed)}:"

    def interval(self, known: dict[str, tuple[int, int]]) -> tuple[int, int] | None:
        """Least and greatest value of the variable; None: there are none."""
        start, stop = self.start.interval(known), self.stop.interval(known)
        low, high = (start[0], stop[1] - 1) if self.step > 0 else (stop[0] + 1, start[1])
        return (low, high) if low <= high else None


@dataclass
class ArrayInfo:
    """An array of a program, and every access to it with the loops around.

    cells: its elements are subscripts of arrays with at least so many cells; least: it is such an array.
    """

    name: str
    type: str
    rank: int
    written: bool = False
    exact: str | None = None  # its one extent is this size
    cells: int = 0
    least: int = 0
    accesses: list[tuple[tuple[Linear, ...], tuple[Loop, ...]]] = field(default_factory=list)

    def shape(self, sizes: dict[str, int], slack: int) -> tuple[int, ...]:
        """The least shape in which all subscripts stay, and `slack` more."""
        if self.exact is not None:
            return (max(0, sizes[self.exact]),)
        extents = [self.least] * self.rank
        for index, loops in self.accesses:
            known = {n: (v, v) for n, v in sizes.items()}
            for loop in loops:
                found = loop.interval(known)
                if found is None:
                    break
                known[loop.name] = found
            else:
                for axis, i in enumerate(index):
                    low, high = i.interval(known)
                    extents[axis] = max(extents[axis], high + 1, -low)
        return tuple(max(0, e + slack) for e in extents)


@dataclass(frozen=True)
class Source:
    """A program: its text, its parameters in order, the names of its sizes, and whether it reduces floats."""

    text: str
    arrays: tuple[ArrayInfo, ...]
    scalars: tuple[tuple[str, str], ...]
    sizes: tuple[str, ...]
    sizes_given: tuple[str, ...]
    depth: int
    products: bool

    def __repr__(self) -> str:
        return "\n" + self.text

    def function(self) -> Callable[..., Any]:
        """The plain function, with a source that `inspect` finds."""
        name = f"<program {next(_numbers)}>"
        return function_in(self.text, name, {"__name__": "generated_program"}, called="program")

    def arguments(
        self, sizes: dict[str, int], seed: int, special: bool = False, slack: int = 0, plain: bool = False
    ) -> tuple[Any, ...]:
        """Arrays and scalars: floats that are small integers, so that sums are exact; special: NaN, ±inf, −0.0, …

        plain: all arrays in C order.
        """
        rng = np.random.default_rng(seed)
        made: list[Any] = []
        for a in self.arrays:
            shape = a.shape(sizes, slack if not a.exact else 0)
            if a.cells:
                low = 0 if a.type.startswith("u") or a.written else -a.cells
                data = np.asarray(rng.integers(low, a.cells, shape)).astype(a.type)
            else:
                data = _values(rng, np.dtype(a.type), shape, self.products, special)
            made.append(data if plain else _laid_out(rng, data, a.written))
        for _, kind in self.scalars:
            type = {"int": "i8", "float": "f8", "complex": "c16"}.get(kind, kind)
            value = _values(rng, np.dtype(type), (), True, special)
            if kind == "int":
                value = value // 8  # Python's integers grow beyond 64 bits, those of compiled code do not
            made.append({"int": int, "float": float, "complex": complex}.get(kind, np.dtype(kind).type)(value[()]))
        made += [sizes[n] for n in self.sizes_given]
        return tuple(made)


_SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -2.5, 1e-40, -5e-324, 1e38, 3.4e38, -1.5]


def _values(
    rng: np.random.Generator, dtype: np.dtype[Any], shape: tuple[int, ...], products: bool, special: bool
) -> Array:
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "c":
        part = np.empty((), dtype).real.dtype
        real, imag = (_values(rng, part, shape, products, special) for _ in range(2))
        with np.errstate(all="ignore"):
            return np.asarray(real + 1j * imag).astype(dtype)
    if dtype.kind == "f":
        if special:
            with np.errstate(all="ignore"):
                return np.asarray(rng.choice(_SPECIAL, shape)).astype(dtype)
        values = rng.choice([1.0, -1.0, 2.0, -2.0, 0.5], shape) if products else rng.integers(-4, 5, shape)
        return np.asarray(values).astype(dtype)
    low = 0 if dtype.kind == "u" else -5
    if special and rng.integers(2):
        info = np.iinfo(dtype)
        extremes = np.array([info.min, info.max, info.max // 2 + 1, 0, 1, info.max - 1], dtype)
        return np.asarray(extremes[rng.integers(0, extremes.size, shape)])
    return np.asarray(rng.integers(low, 6, shape)).astype(dtype)


def _laid_out(rng: np.random.Generator, data: Array, written: bool) -> Array:
    """The same elements, laid out in memory in one of many ways."""
    way = rng.integers(0, 9)
    if way == 0:
        return np.asfortranarray(data)
    if way == 1 and data.ndim:
        axis = int(rng.integers(data.ndim))
        return np.flip(np.flip(data, axis).copy(), axis)
    if way == 2 and data.ndim:
        axis = int(rng.integers(data.ndim))
        return np.repeat(data, 2, axis)[(slice(None),) * axis + (slice(None, None, 2),)]
    if way == 3 and data.ndim:
        wide = np.zeros([n + 3 for n in data.shape], data.dtype)
        inner = wide[tuple(slice(1, n + 1) for n in data.shape)]
        inner[...] = data
        return inner
    if way == 4 and data.ndim and not written and data.size:
        axis = int(rng.integers(data.ndim))
        one = np.take(data, [0], axis)
        return np.broadcast_to(one, data.shape)
    return data


# ------------------------------------------------------------------------------------------------ drawing programs
