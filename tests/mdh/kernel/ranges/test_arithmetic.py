"""What is known of results holds for whatever their operands are: random operations, beside all values of three.

Conditions are decided, and code left out, for what is known here: a bound that is too narrow makes wrong programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, bool_, int8, int32, uint8
from jitmdh.mdh.kernel.ranges.arithmetic import Integer, RangeArithmetic, constant
from jitmdh.mdh.kernel.ranges.conditions import Condition, Facts

Values = np.ndarray[Any, Any]
COMPARED = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
            "ne": np.not_equal}  # fmt: skip
OPERATIONS: Mapping[str, Callable[..., Values]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "floordiv": np.floor_divide, "mod": np.mod,
    "udiv": np.floor_divide, "urem": np.mod, "minimum": np.minimum, "maximum": np.maximum, "neg": np.negative,
}  # fmt: skip


@dataclass
class Known:
    """An integer of the analysis, with what it is for each choice of the three."""

    type: ScalarType
    integer: Integer
    values: Values


class Drawn:
    """Integers that come of three random ones by random operations."""

    def __init__(self, seed: int) -> None:
        self.draw, self.facts, self.own = Random(seed), Facts(), dict[int, Values]()
        self.arithmetic = RangeArithmetic(self.facts)
        self.type = self.draw.choice((int8, uint8, int32))
        low, high = self.type.limits()
        begins = [self.draw.choice((low, high - 4, *(n for n in (-2, 0, 0, 1, 3) if n >= low))) for _ in range(3)]
        choices = np.array([*product(*(range(b, b + self.draw.randint(1, 5)) for b in begins))], np.int64).T
        self.known: list[Known] = []
        for values in choices:
            self.add(self.type, self.arithmetic.number(self.type, int(values.min()), int(values.max())), values)
        for n in (1, 2, 3):
            self.known.append(Known(self.type, constant(n), np.full_like(choices[0], n)))

    def add(self, type: ScalarType, integer: Any, values: Values) -> None:
        assert isinstance(integer, Integer)
        self.known.append(Known(type, integer, values))
        least, greatest = self.arithmetic.range(integer)
        assert least <= values.min() and values.max() <= greatest
        self.own.setdefault(integer.base, values - integer.offset)
        assert np.array_equal(self.own[integer.base], values - integer.offset) or integer.base == 0

    def condition(self) -> tuple[Condition, Values]:
        one, other = (self.draw.choice(self.known) for _ in range(2))
        name = self.draw.choice([*COMPARED])
        found = self.arithmetic.apply(name, (one.integer, other.integer), bool_)
        assert found is not None and not isinstance(found, Integer)
        return found, COMPARED[name](one.values, other.values)

    def step(self) -> None:
        name = self.draw.choice([*OPERATIONS, "add", "add", "floordiv", "select", "cast"])
        one, other = self.draw.choice(self.known), self.draw.choice(self.known)
        if name == "cast":
            type = self.draw.choice((int8, uint8, int32))
            self.add(type, self.arithmetic.apply("cast", (one.integer,), type), wrapped(one.values, type))
        elif one.type == other.type and name == "select":
            where, holds = self.condition()
            chosen = self.arithmetic.apply(name, (where, one.integer, other.integer), one.type)
            self.add(one.type, chosen, np.where(holds, one.values, other.values))
        elif one.type == other.type:
            values = [one.values, other.values][: 1 if name == "neg" else 2]
            operands = [one.integer, other.integer][: len(values)]
            if name in ("floordiv", "mod", "udiv", "urem") and not values[1].all():
                return  # nobody divides by 0
            if name in ("udiv", "urem"):
                values = [v % (1 << one.type.bits) for v in values]
            result = self.arithmetic.apply(name, operands, one.type)
            self.add(one.type, result, wrapped(OPERATIONS[name](*values), one.type))


def wrapped(values: Values, type: ScalarType) -> Values:
    low, _ = type.limits()
    return (values - low) % (1 << type.bits) + low


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_what_is_known_holds(first: int) -> None:
    decided = 0
    for seed in range(first, first + 100):
        drawn = Drawn(seed)
        for _ in range(12):
            drawn.step()
        for base, values in drawn.own.items():
            most, least = drawn.facts.differences.most(base), drawn.facts.differences.least(base)
            for other in most.keys() & drawn.own.keys():
                assert (values - drawn.own[other]).max() <= most[other], seed
            for other in least.keys() & drawn.own.keys():
                assert (values - drawn.own[other]).min() >= least[other], seed
        for _ in range(20):
            condition, holds = drawn.condition()
            verdict = drawn.facts.decided(condition)
            assert verdict is None or (holds == verdict).all(), seed
            decided += verdict is not None
    assert decided > 500, "something is known"


def test_the_mean_is_between_its_parts() -> None:
    arithmetic = RangeArithmetic(Facts())
    left = arithmetic.number(int32, 0, 100)
    right = arithmetic.apply("add", (left, arithmetic.number(int32, 1, 9)), int32)
    assert isinstance(right, Integer)
    total = arithmetic.apply("add", (left, right), int32)
    assert isinstance(total, Integer)
    mean = arithmetic.apply("floordiv", (total, constant(2)), int32)
    assert isinstance(mean, Integer)
    assert arithmetic.facts.decided(arithmetic.compared("lt", mean, right)) is True
    assert arithmetic.facts.decided(arithmetic.compared("ge", mean, left)) is True
    assert arithmetic.facts.decided(arithmetic.compared("gt", mean, left)) is None
