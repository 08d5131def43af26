"""Slices and loops between numbers from data: negative, behind the end, reversed, at the ends of 64 bits.

Law: whatever the numbers are, and whichever way a function is compiled, it does what the undecorated one does.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.laws.agreement import outcome
from tests.laws.ways import ways

NUMBERS = (-9, -8, -7, -3, -1, 0, 1, 2, 5, 7, 8, 2**62, -(2**63), 2**63 - 1)
NEAR = NUMBERS[:-3]


def reversed_in_itself(x, k):
    x[k[0] : k[1]] = x[k[0] : k[1]][::-1]


def ends(x, k):
    y, z = x[k[0] :], x[: k[1]]
    return y.sum(), z.sum(), len(y), len(z)


def last_ones(x, k):
    y = x[-k[0] :]
    return y.sum(), len(y)


def updates_of_parts(x, k):
    x[k[0] : k[1]] += 1
    x[: -k[2]] *= 2


def part_of_the_reverse(x, k):
    return x[::-1][k[0] : k[1]].copy()


def part_of_a_part(x, k):
    y = x[k[0] :][: k[1]]
    return y.copy(), len(y)


def written_part_of_a_part(x, k):
    y = x[2:][k[0] : k[1]]
    y[:] = 9


def loop_in_steps(x, k):
    for i in range(k[0], k[1], k[2]):
        x[i] += i


def loop_backward(x, k):
    s = 0
    for i in range(k[0], k[1], -2):
        s = s * 3 + i
    return s, len(range(k[0], k[1], -2))


def slices_in_a_loop(x, k):
    for i in range(k[0]):
        x[i : k[1] : 2] += 1


def shifted_backward(x, k):
    for i in range(len(x) - 1, k[0], -1):
        x[i] = x[i - 1]


def sums_of_moved_parts(x, k):
    total = 0.0
    for i in range(3):
        total += x[i + k[0] : k[1] + i].sum()
    return total


SLICES = (reversed_in_itself, ends, last_ones, updates_of_parts, part_of_the_reverse, part_of_a_part,
          written_part_of_a_part)  # fmt: skip
LOOPS = (loop_in_steps, loop_backward, slices_in_a_loop, shifted_backward, sums_of_moved_parts)


@pytest.mark.in_turns(12)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@pytest.mark.parametrize("function", (*SLICES, *LOOPS), ids=lambda f: f.__name__)
def test_as_python(function: Callable[..., Any]) -> None:
    random, numbers = Random(function.__name__), NEAR if function in LOOPS else NUMBERS
    typical = np.arange(1.0, 8.0), np.array([1, 5, 1])
    for way in ways(function, typical, drawn=1):
        for _ in range(40):
            k = np.array([random.choice(numbers), random.choice(numbers), random.choice((1, -1, 2, -3, 0))])
            expected, found = (outcome(f, (np.arange(1.0, 8.0), k.copy())) for f in (function, way))
            what = f"{way.name}, {k}: {expected.error!r}, {found.error!r}"
            assert (expected.error is None) == (found.error is None), what
            if expected.error is None:
                np.testing.assert_equal((found.result, *found.arrays), (expected.result, *expected.arrays), what)
