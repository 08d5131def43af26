"""Lanes of accumulators combined, those of many at a time.

Half of the lanes are combined with the other half until one is left. For a single accumulator, most of a vector is idle
after the first step; several of them fill it:

    (a0 a1 a2 a3), (b0 b1 b2 b3)   →   (a0 a1 b0 b1) • (a2 a3 b2 b3)   →   (a02 b02) • (a13 b13)   →   (a, b)

Each result is combined in the same order either way. In the end one vector has the results of all, one a lane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitmdh.mdh.codegen.packing.transpose import SEGMENT_BITS
from jitmdh.mdh.kernel.ir import Merge, Shuffle, Value

Components = tuple[Value, ...]
"""The components of an accumulator, all with the same number of lanes."""

Combine = Callable[[Components, Components], Components]


def combined(states: Sequence[Components | None], combine: Combine) -> Components:
    """What the lanes of each state come to, in the lane of its number; None: that lane does not matter.

    Requires as many states as a power of two that is at most that of their lanes, and a commutative operator.
    """
    first = next(s for s in states if s is not None)
    lanes, bits = first[0].lanes, max(v.type.bits for v in first)
    segment = max(1, SEGMENT_BITS // bits)
    vectors: list[Components | None] = [None] * len(states)
    for number, place in zip(_final(len(states), lanes, segment), states):
        vectors[number] = place
    length = lanes  # of the part of a vector that belongs to one state
    while len(vectors) > 1:
        low, high = _halves(lanes, length, segment)
        pairs = [(a or b, b or a) for a, b in zip(vectors[::2], vectors[1::2])]
        vectors = [None if a is None or b is None else combine(_merged(a, b, low), _merged(a, b, high))
                   for a, b in pairs]  # fmt: skip
        length //= 2
    (total,) = vectors
    assert total is not None
    while length > 1:
        lanes, half = total[0].lanes, length // 2
        places = [n + t for n in range(0, lanes, length) for t in range(half)]
        left = tuple(Shuffle(v, tuple(places), v.type) for v in total)
        right = tuple(Shuffle(v, tuple(p + half for p in places), v.type) for v in total)
        total, length = combine(left, right), half
    return total


def _merged(a: Components, b: Components, picks: tuple[int, ...]) -> Components:
    return tuple(Merge(x, y, picks) for x, y in zip(a, b))


def _halves(lanes: int, length: int, segment: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lower and the upper half of each part of two vectors: as segments, or inside of segments, both of the first
    vector before those of the second. Either is one instruction on processors whose vectors are made of segments."""
    half = length // 2
    unit = lanes if half >= segment else min(segment, lanes)
    low = [
        side * lanes + begin + part + n
        for begin in range(0, lanes, unit)
        for side in (0, 1)
        for part in range(0, unit, length)
        for n in range(half)
    ]
    return tuple(low), tuple(p + half for p in low)


def _final(count: int, lanes: int, segment: int) -> list[int]:
    """For each place of the result, the number of the vector whose total ends there."""
    parts = [[n] * lanes for n in range(count)]
    length = lanes
    while len(parts) > 1:
        low, _ = _halves(lanes, length, segment)
        parts = [[(a + b)[p] for p in low] for a, b in zip(parts[::2], parts[1::2])]
        length //= 2
    return parts[0][::length]
