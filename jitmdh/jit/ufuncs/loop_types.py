"""Loops by the types that they take and give, as text.

NumPy's notation for those of its own functions is "dd->d"; that of Numba's signatures "float64(float64, float64)".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError
from jitmdh.base.records import dataclass

DType = np.dtype[Any]

_NUMBA_NAMES = {"boolean": "bool", "int_": "int64", "uint": "uint64", "float_": "float64", "void": "", "none": ""}


@dataclass(frozen=True, slots=True)
class Loop:
    """The types that one loop over elements takes and gives, as the entries of NumPy's `ufunc.types`.

    >>> str(typed("float32(float32, int8)", 2, 1))
    'fb->f'
    """

    inputs: tuple[DType, ...]
    outputs: tuple[DType, ...]

    def __str__(self) -> str:
        return "->".join("".join(t.char for t in types) for types in (self.inputs, self.outputs))


class DeclaredLoops:
    """What universal functions tell of their arguments, as NumPy's do."""

    nin: int
    nout: int
    loops: tuple[Loop, ...]

    @property
    def nargs(self) -> int:
        """The number of arguments and results."""
        return self.nin + self.nout

    @property
    def types(self) -> list[str]:
        """The types of the loops that were declared, as NumPy writes them: `["ff->f", "dd->d"]`."""
        return [str(loop) for loop in self.loops]


def loops(types: Any, nin: int, nout: int) -> tuple[Loop, ...]:
    """The loops that `types` lists: one text, or several. ConfigurationError for what cannot be read."""
    listed: Iterable[Any] = [types] if isinstance(types, str) or not isinstance(types, Iterable) else types
    return tuple(typed(_text(t), nin, nout) for t in listed)


def _text(entry: Any) -> str:
    if isinstance(entry, tuple | list):
        return f"void({', '.join(map(str, entry))})"
    return str(entry)


def typed(text: str, nin: int, nout: int) -> Loop:
    """The types of one entry. ConfigurationError where they are not `nin` and `nout` types of numbers."""
    try:
        found = _numpys(text) if re.fullmatch(r"[^\s(),]*->[^\s(),]*", text) else _numbas(text, nin)
    except (TypeError, KeyError, ArgumentTypeError):
        found = None
    if found is None or (len(found.inputs), len(found.outputs)) != (nin, nout):
        results = "1 result" if nout == 1 else f"{nout} results"
        raise ConfigurationError(
            f"types {text!r} are not those of {nin} argument{'s' * (nin != 1)} and {results}",
            hint=f"for example {'d' * nin + '->' + 'd' * nout!r}, or leave types out",
        )
    return found


def _numpys(text: str) -> Loop:
    before, after = text.split("->")
    return Loop(*(tuple(_dtype(c) for c in part) for part in (before, after)))


def _numbas(text: str, nin: int) -> Loop | None:
    """ "f8(f8, f8)", "void(f8[:], f8[:])", or what Numba prints: "(float64, float64) -> float64"."""
    printed = re.fullmatch(r"\s*\((.*)\)\s*->\s*(.*)", text)
    written = re.fullmatch(r"\s*([\w\s]*?)\s*\((.*)\)\s*", text)
    if printed is None and written is None:
        return None
    given, result = printed.groups() if printed is not None else written.groups()[::-1]  # type: ignore[union-attr]
    elements = re.sub(r"array\((\w+),[^)]*\)|\[[^\]]*\]", r"\1", given)
    types = [_dtype(n) for part in elements.split(",") if (n := part.strip())]
    if name := _NUMBA_NAMES.get(result.strip(), result.strip()):
        types.append(_dtype(name))
    return Loop(tuple(types[:nin]), tuple(types[nin:]))


def _dtype(name: str) -> DType:
    return from_numpy(np.dtype(_NUMBA_NAMES.get(name, name))).numpy


__all__ = ["DType", "Loop", "loops", "typed"]
