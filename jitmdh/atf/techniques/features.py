"""Configurations as rows of numbers between 0 and 1, for models that go by distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    A number for each parameter with a choice: logarithmic for intervals over orders of magnitude, ranks for
    listed numbers; values without order get a coordinate each.
    """

    def __init__(self, space: SearchSpace) -> None:
        self.space = space
        parameters = {p.name: p for p in space.parameters}
        self._encodings = [(k, _scale(parameters[space.order[k]])) for k in space.choices]
        self._rows: dict[int, int] = {}
        self._table: Array = np.empty((0, 0))

    def scaled(self, positions: Sequence[int]) -> Array:
        """One row per position."""
        rows = self._rows
        fresh = [p for p in dict.fromkeys(positions) if p not in rows]
        if fresh:
            made = np.array([self._encoded(p) for p in fresh])
            rows.update(zip(fresh, range(len(rows), len(rows) + len(fresh))))
            self._table = np.vstack([self._table, made]) if self._table.size else made
        result: Array = self._table[[rows[p] for p in positions]]
        return result

    def _encoded(self, position: int) -> list[float]:
        values = self.space.values_at(position)
        row: list[float] = []
        for k, encode in self._encodings:
            row += encode(values[k])
        return row


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
    try:
        hash(tuple(values))
        return table.__getitem__
    except TypeError:
        return lambda value: table[_key(value)]


def _key(value: Any) -> Any:
    try:
        hash(value)
        return value
    except TypeError:
        return id(value)  # ranges own their values
