"""What counts as a cost, and in which order."""

from __future__ import annotations

from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from functools import total_ordering
from typing import Any

import numpy as np
import pytest

from jitmdh import atf
from jitmdh.base.errors import ArgumentTypeError

COSTS = (4.0, 1.0, 3.0, 2.0)


class _Backwards:
    """More is better."""

    def __lt__(self, other: Any) -> bool:
        return bool(self.key > other.key)  # type: ignore[attr-defined]

    def __gt__(self, other: Any) -> bool:
        return bool(other < self)


class Rating(_Backwards, float):
    key = property(float)


class Count(_Backwards, int):
    key = property(int)


class Pair(_Backwards, tuple):  # type: ignore[type-arg]
    key = property(tuple)


class Row(_Backwards, list):  # type: ignore[type-arg]
    key = property(list)


@total_ordering
class Quality:
    def __init__(self, key: float) -> None:
        self.key = key

    def __float__(self) -> float:
        return self.key

    def __lt__(self, other: Quality) -> bool:
        return self.key > other.key


@pytest.mark.parametrize("kind", [Rating, Count, lambda c: Pair((c, 1)), lambda c: Row([c]), Quality,
                                  lambda c: (1.0, Rating(c)), lambda c: atf.Measured(None, Rating(c))])  # fmt: skip
def test_a_cost_with_an_order_of_its_own_is_refused(kind: Any) -> None:
    T = atf.tuning_parameter("T", atf.interval(0, 3))
    with pytest.raises(ArgumentTypeError, match="an order of its own"):
        atf.tuner(T).search_technique("exhaustive").tune(lambda c: kind(COSTS[c["T"]]))
    with pytest.raises(ArgumentTypeError, match="an order of its own"):
        tuner = atf.tuner(T)
        tuner.tell(tuner.ask(), kind(1.0))


@pytest.mark.parametrize("kind", [float, int, Decimal, Fraction, np.float32, np.float64, np.int16, np.array,
                                  lambda c: (1.0, c), lambda c: [c], lambda c: (np.float64(c), c),
                                  namedtuple("Two", "a b", defaults=(0,))])  # fmt: skip
def test_numbers_of_any_kind_and_their_tuples_are_costs(kind: Any) -> None:
    T = atf.tuning_parameter("T", atf.interval(0, 3))
    result = atf.tuner(T).tune(lambda c: kind(COSTS[c["T"]]))
    assert result.best_configuration == {"T": 1}
