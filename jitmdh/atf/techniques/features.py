"""Configurations as rows of numbers, for models: ranks for trees, scaled coordinates for distances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log
from typing import Any

import numpy as np

from jitmdh.atf.param import TuningParameter
from jitmdh.atf.space import SearchSpace
from jitmdh.atf.techniques.gaussian import Array

Encoding = Callable[[Any], tuple[float, ...]]
_APART = 0.7  # distance of two values without order, per coordinate


class Features:
    """Encodes configurations by position; rows are computed once.

    `ranked`: one number per parameter, the rank of its value: all that trees look at. `scaled`: numbers in
    [0, 1], logarithmic for intervals over orders of magnitude; values without order get a coordinate each.
    """

    def __init__(self, space: SearchSpace) -> None:
        self.space = space
        several = [p for p in space.parameters if len(p.range.sequence()) > 1]
        self._ranked = [(p.name, _rank(p)) for p in several]
        self._scaled = [(p.name, _scale(p)) for p in several]
        self._rows: dict[int, tuple[list[float], list[float]]] = {}

    def ranked(self, positions: Iterable[int]) -> Array:
        """One row of ranks per position."""
        return np.array([self._row(p)[0] for p in positions], dtype=float)

    def scaled(self, positions: Iterable[int]) -> Array:
        """One row of scaled coordinates per position."""
        return np.array([self._row(p)[1] for p in positions], dtype=float)

    def _row(self, position: int) -> tuple[list[float], list[float]]:
        row = self._rows.get(position)
        if row is None:
            c = self.space.configuration(position)
            ranked = [x for name, encode in self._ranked for x in encode(c[name])]
            scaled = [x for name, encode in self._scaled for x in encode(c[name])]
            row = self._rows[position] = (ranked, scaled)
        return row


def _rank(parameter: TuningParameter) -> Encoding:
    values = parameter.range.sequence()
    if isinstance(values, range):
        return lambda value: (float(value),)
    return _table(values, lambda rank: (float(rank),))


def _scale(parameter: TuningParameter) -> Encoding:
    values = parameter.range.sequence()
    last = len(values) - 1
    if isinstance(values, range):
        low, high = values[0], values[-1]
        if low > 0 and high >= 16 * low:
            base, span = log(low), log(high) - log(low)
            return lambda value: ((log(value) - base) / span,)
        return lambda value: ((value - low) / (high - low),)
    ordered = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    if ordered or last == 1:
        return _table(values, lambda rank: (rank / last,))
    return _table(values, lambda rank: tuple(_APART * (k == rank) for k in range(last + 1)))


def _table(values: Sequence[Any], encode: Callable[[int], tuple[float, ...]]) -> Encoding:
    table = {_key(v): encode(rank) for rank, v in enumerate(values)}
    return lambda value: table[_key(value)]


def _key(value: Any) -> Any:
    try:
        hash(value)
        return value
    except TypeError:
        return id(value)  # ranges own their values
