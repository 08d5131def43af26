"""Random transformations of a nest, many of them wrong: choices are hypothesis's or those of a seed (`choices`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jitmdh.schedule as s
from jitmdh.base.errors import ScheduleError
from jitmdh.mdh.lowering.nest.nest import Nest
from tests.laws.choices import Choices

EXTENT = 7
SIZES = (1, 2, 3, 5, EXTENT, 8)
OPEN = (s.any, s.among(2, 4, 8), s.between(2, 8, multiple_of=2), s.divisors)


def transformation(choices: Choices, nest: Nest, opened: bool = False) -> s.Transformation:
    """One transformation, legal or not; opened: values of it may be left open."""
    c, pick = nest.computation, choices.pick
    points = c.names or ("absent",)
    loops = (*c.names, *(f"{d}.0" for d in c.names), "absent")
    sizes = (*SIZES, *(OPEN if opened else ()))
    arrays = tuple(a.name for a in (*c.inputs, *c.outputs)) or ("absent",)
    match choices.number(0, 13):
        case 0:
            return s.stripmine(pick(points), pick(sizes))
        case 1:
            return s.tile(**{dim: pick(sizes) for dim in in_some_order(choices, points)[: choices.number(1, 3)]})
        case 2 | 3:
            return s.interchange(pick(loops), pick(loops))
        case 4:
            return s.reorder(*in_some_order(choices, c.names))
        case 5:
            return s.unroll(pick(points), pick((1, 2, 3, 4, None)))
        case 6 | 7:
            return s.vectorize(pick(points), pick((None, 1, 2, 4, 6, s.any) if opened else (None, 2, 4)))
        case 8 | 9:
            return s.parallelize(pick(loops), pick((None, None, 2)))
        case 10:
            return s.accumulators(pick(points), pick((1, 2, 4)))
        case 11:
            return s.pack(pick(arrays), at=pick((None, *c.names)), transposed=bool(choices.number(0, 1)))
        case 12:
            return s.write_to(pick(("REG", "L1", "MM")))
        case _:
            return s.stage(pick(arrays), at=pick((None, *c.names)))


def in_some_order(choices: Choices, names: Sequence[Any]) -> list[Any]:
    left, found = list(names), []
    while left:
        found.append(left.pop(choices.number(0, len(left) - 1)))
    return found


def script(choices: Choices, nest: Nest, opened: bool = False) -> tuple[Nest, list[s.Transformation], int]:
    """A nest after some transformations, those that were accepted, and how many were refused; S2, and S1 of refusals.

    These say where, why and what to do instead; whatever becomes of a transformation, the nest before it stays.
    """
    accepted: list[s.Transformation] = []
    tried, said = choices.number(1, 5), nest.configuration()
    for _ in range(tried):
        before = (nest.steps, said)
        made = transformation(choices, nest, opened)
        try:
            after = made(nest)
        except ScheduleError as error:
            assert error.loc is not None and error.message and error.hint, error
            after = nest
        else:
            accepted.append(made)
        assert (nest.steps, nest.configuration()) == before
        if after is not nest:
            nest, said = after, after.configuration()
    return nest, accepted, tried - len(accepted)
