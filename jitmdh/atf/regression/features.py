"""Configurations as rows of numbers between 0 and 1, for models that go by distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import log
from typing import Any

import numpy as np

from jitmdh.atf.regression.gaussian import Array
from jitmdh.atf.space.parameter import TuningParameter, tuning_parameter
from jitmdh.atf.space.space import SearchSpace

Encoding = Callable[[Any], tuple[float, ...]]
_CONSIDERED = 256  # values of a parameter: to tell whether divisibility rises with them
_APART = 0.7  # distance of two values without order, per coordinate


class Features:
    """Encodes configurations by position; rows are computed once.

    A number for each parameter with a choice: logarithmic for intervals over orders of magnitude, ranks for
    listed numbers; values without order get a coordinate each (one-hot). Integers get one number more, how often two
    divides them, unless that rises with the values: whether a size is a multiple of a vector, a warp or a cache
    line often matters as much as the size.
    """

    def __init__(self, space: SearchSpace) -> None:
        self.space = space
        self._rows: dict[int, int] = {}
        self._table: Array = np.empty((0, 0))

    @cached_property
    def _encodings(self) -> list[tuple[int, Encoding]]:
        """By level; made when first needed, since where evaluations are cheap there may never be a model. Each value is
        encoded once: with 300 parameters, that would be most of what the tuner does."""
        parameters = {p.name: p for p in self.space.parameters}
        return [(k, _remembered(_scales(parameters[self.space.order[k]]))) for k in self.space.choices]

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


def _remembered(scales: Sequence[Encoding]) -> Encoding:
    """All scales of a parameter."""
    known: dict[Any, tuple[float, ...]] = {}

    def encode(value: Any) -> tuple[float, ...]:
        try:
            return known[value]
        except KeyError:
            found = known[value] = tuple(number for scale in scales for number in scale(value))
            return found
        except TypeError:  # not hashable
            return tuple(number for scale in scales for number in scale(value))

    return encode


def _scales(parameter: TuningParameter) -> list[Encoding]:
    """By size; and by divisibility, where that is something else. Of a parameter that is not always there: in the
    middle where it is not, and whether it is."""
    if parameter.when is not None and parameter.otherwise not in parameter.range.sequence():
        scales = _scales(tuning_parameter(parameter.name, parameter.range))
        missing, some = parameter.otherwise, parameter.range.sequence()[0]
        middles = [tuple(0.5 for _ in scale(some)) for scale in scales]
        return [
            *(_or_missing(scale, missing, middle) for scale, middle in zip(scales, middles)),
            lambda value: (_APART * (value is missing or value == missing),),
        ]
    values = parameter.range.sequence()
    scales = [_scale(parameter)]
    first = values[:_CONSIDERED]
    if all(isinstance(v, int) and not isinstance(v, bool) for v in first):
        twos = [_twos(v) for v in first]
        if twos != sorted(twos):
            low, high = min(twos), max(twos)
            scales.append(lambda value: ((min(max(_twos(value), low), high) - low) / (high - low),))
    return scales


def _or_missing(scale: Encoding, missing: Any, middle: tuple[float, ...]) -> Encoding:
    return lambda value: middle if value is missing or value == missing else scale(value)


def _twos(value: int) -> int:
    """How often two divides the value; of zero, more often than of any size."""
    return (value & -value).bit_length() - 1 if value else 8


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
