"""What the accesses of a warp come to: sectors of global memory, and steps of the banks of shared memory.

Counted for the 32 threads of the first warp of a block, as the interpreter of grids counts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.layout import PADDING, Layout, next_block, whole
from jitmdh.mdh.machine.blocks import VECTOR_BYTES

SECTOR = 32
"""Bytes that global memory moves at least."""
_BANKS, _BANK_BYTES = 32, 4


def shapes(p: Problem) -> dict[str, tuple[int, ...]]:
    """How far the accesses to each array reach along its axes: its shape, as far as that matters."""
    e = p.expression
    found: dict[str, tuple[int, ...]] = {}
    for access in (*e.reads, *e.out_view):
        reach = tuple(
            1 + index.constant + sum(c * (p.extents.get(n, 1) - 1) for n, c in index.terms if c > 0)
            for index in access.index
        )
        known = found.get(access.buffer, reach)
        found[access.buffer] = tuple(max(1, a, b) for a, b in zip(reach, known))
    return found


def strides(shape: Sequence[int], unit_axis: int | None) -> tuple[int, ...]:
    """Elements between neighbours along each axis; neighbours of the unit axis are neighbours in memory.

    >>> strides((3, 5), 1), strides((3, 5), 0), strides((3, 5), None)
    ((5, 1), (1, 3), (10, 2))
    """
    order = [axis for axis in range(len(shape)) if axis != unit_axis]
    order += [unit_axis] if unit_axis is not None else []
    found, step = [0] * len(shape), 1 if unit_axis is not None else 2
    for axis in reversed(order):
        found[axis] = step
        step *= shape[axis]
    return tuple(found)


def places(access: Access, steps: Sequence[int], threads: Sequence[Mapping[str, int]]) -> list[int]:
    """The element that each thread comes to; threads: where each is, from the first, by dimension."""
    along: dict[str, int] = {}
    for index, step in zip(access.index, steps):
        for name, coefficient in index.terms:
            along[name] = along.get(name, 0) + coefficient * step
    first = sum(index.constant * step for index, step in zip(access.index, steps))
    return [first + sum(step * at[name] for name, step in along.items() if name in at) for at in threads]


def sectors(elements: Sequence[int], size: int) -> int:
    """That one access of a warp touches, to elements of `size` bytes."""
    return len({n * size // SECTOR for n in elements} | {(n * size + size - 1) // SECTOR for n in elements})


def mean_sectors(elements: Sequence[int], moves: Sequence[tuple[int, int]], size: int) -> float:
    """As `sectors`, on average while loops go on. moves: of each, by how many elements, and how often it runs.

    >>> mean_sectors(range(32), (), 4), mean_sectors(range(32), ((1, 5),), 4), mean_sectors(range(32), ((8, 5),), 4)
    (4.0, 4.8, 4.0)
    """
    whole, shifts = max(1, SECTOR // size), Counter({0: 1})
    for step, times in moves:
        if step % whole:
            more = Counter(step * n % whole for n in range(min(times, 8 * whole)))
            shifts = Counter({
                m: sum(a * b for s, a in shifts.items() for t, b in more.items() if (s + t) % whole == m)
                for m in range(whole)
            })  # fmt: skip
    total = sum(shifts.values())
    return sum(times * sectors([n + shift for n in elements], size) for shift, times in shifts.items() if times) / total


def bank_steps(elements: Sequence[int], size: int) -> tuple[int, int]:
    """Steps of the banks for one access of a warp to shared memory, and how many it takes without conflicts.

    >>> bank_steps(range(32), 4), bank_steps(range(0, 1024, 32), 4), bank_steps([0] * 32, 4)
    ((1, 1), (32, 1), (1, 1))
    """
    words = {n * size // _BANK_BYTES + w for n in elements for w in range(max(1, size // _BANK_BYTES))}
    return max(Counter(word % _BANKS for word in words).values()), -(-len(words) // _BANKS)


@dataclass(frozen=True, slots=True)
class SharedLoads:
    """Of a warp from shared memory: accesses, steps of the banks, and how many these would be without conflicts."""

    accesses: float = 0
    steps: float = 0
    ideal: float = 0

    def plus(self, other: SharedLoads, times: int) -> SharedLoads:
        return SharedLoads(
            self.accesses + other.accesses * times, self.steps + other.steps * times, self.ideal + other.ideal * times
        )


@lru_cache(4096)
def shared_loads(threads: tuple[int, ...], points: frozenset[int], steps: tuple[int, ...], size: int) -> SharedLoads:
    """threads: the element that each thread of the warp loads first; points: how much further each point of a thread
    is, and steps: loops go. As many neighbours as 16 bytes hold, or 8, come by one access, where all else are multiples
    of them.

    >>> shared_loads(tuple(range(0, 128, 4)), frozenset(range(4)), (128,), 4)
    SharedLoads(accesses=1, steps=4, ideal=4)
    >>> shared_loads(tuple(range(32)), frozenset(range(0, 128, 32)), (128,), 4)
    SharedLoads(accesses=4, steps=4, ideal=4)
    """
    left, found = set(points), SharedLoads()
    for bytes_ in (VECTOR_BYTES, VECTOR_BYTES // 2, size):
        wide = max(1, bytes_ // size)
        if any(n % wide for n in (*threads, *steps)):
            continue
        whole = [n for n in left if n % wide == 0 and all(n + lane in left for lane in range(wide))]
        if whole:  # the same steps for each of them: banks are in turns
            one = bank_steps([n + lane for lane in range(wide) for n in threads], size)
            found = found.plus(SharedLoads(1, *one), len(whole))
            left -= {n + lane for n in whole for lane in range(wide)}
    return found


Digits = tuple[tuple[int, int, int, int], ...]
"""Of a layout: axis, block, count, and how far apart in the copy its steps are."""


def digits_of(layout: Layout, widths: Sequence[int]) -> tuple[Digits, int]:
    """The digits of a copy of this size, and how many elements it takes.

    >>> digits_of(((1, 1), (-1, 1), (0, 1)), (3, 5))
    (((0, 1, 3, 1), (1, 1, 5, 4)), 20)
    """
    size, found = 1, []
    for axis, block in reversed(whole(layout, len(widths))):
        if axis == PADDING:
            size += block
            continue
        larger = next_block(layout, axis, block)
        count = larger // block if larger else -(-widths[axis] // block)
        found.append((axis, block, count, size))
        size *= count
    return tuple(found), size


def laid_out(digits: Digits, index: Sequence[int]) -> int:
    """Where an element of a copy is."""
    return sum(index[axis] // block % count * stride for axis, block, count, stride in digits)


@lru_cache(256)
def filled(count: int, widths: tuple[int, ...], unit_axis: int | None) -> tuple[tuple[int, ...], ...]:
    """The elements of a copy that are filled first: neighbours along the axis that is contiguous.

    >>> filled(4, (2, 3), 1)
    ((0, 0), (0, 1), (0, 2), (1, 0))
    """
    last = len(widths) - 1 if unit_axis is None else unit_axis
    order = [last, *(axis for axis in reversed(range(len(widths))) if axis != last)] if widths else []
    found = []
    for number in range(count):
        index = [0] * len(widths)
        for axis in order:
            number, index[axis] = divmod(number, widths[axis])
        found.append(tuple(index))
    return tuple(found)


def is_in_vectors(layout: Layout, widths: Sequence[int], axis: int, lanes: int) -> bool:
    """Whether so many neighbours along an axis are neighbours in a copy, too, from a multiple of them on.

    >>> is_in_vectors((), (3, 8), 1, 4), is_in_vectors(((0, 1), (PADDING, 1), (1, 1)), (3, 8), 1, 4)
    (True, False)
    """
    digits, _ = digits_of(layout, widths)
    apart = next(stride for a, _, _, stride in digits if a == axis)
    return apart == 1 and not any(stride % lanes for a, _, _, stride in digits if a != axis)


@lru_cache(4096)
def filling(
    count: int, layout: Layout, widths: tuple[int, ...], unit_axis: int | None, size: int, lanes: int
) -> SharedLoads:
    """What `count` threads store that fill a copy with so many neighbours each: by one access where these are
    neighbours in the copy, too, from a multiple of them."""
    digits, _ = digits_of(layout, widths)
    if lanes == 1 or unit_axis is None:
        return SharedLoads(
            1, *bank_steps([laid_out(digits, index) for index in filled(count, widths, unit_axis)], size)
        )
    vectors = tuple(n // lanes if axis == unit_axis else n for axis, n in enumerate(widths))
    first = [
        [n * lanes if axis == unit_axis else n for axis, n in enumerate(index)]
        for index in filled(count, vectors, unit_axis)
    ]
    places = [laid_out(digits, index) for index in first]
    if is_in_vectors(layout, widths, unit_axis, lanes):
        return SharedLoads(1, *bank_steps([n + lane for n in places for lane in range(lanes)], size))
    return SharedLoads(lanes, *(lanes * steps for steps in bank_steps(places, size)))


def row_sectors(widths: Sequence[int], steps: Sequence[int], first: int, size: int) -> float:
    """Sectors of a box of an array: of its rows along the axis whose neighbours lie closest.

    first: the element where it begins, as far as that is known.
    """
    axes = sorted(range(len(widths)), key=lambda axis: steps[axis])
    while axes and widths[axes[0]] == 1:
        axes.pop(0)
    if not axes:
        return 1.0
    unit = axes.pop(0)
    apart, length = steps[unit], widths[unit]
    while axes and steps[axes[0]] == apart * length:  # whole rows lie one behind the other
        length *= widths[axes.pop(0)]
    rows = prod(widths[axis] for axis in axes)
    if apart * size >= SECTOR:
        return float(rows * length)
    reach = (length - 1) * apart * size + size
    if all(steps[axis] * size % SECTOR == 0 for axis in axes if widths[axis] > 1):
        return float(rows * ((first * size % SECTOR + reach - 1) // SECTOR + 1))
    return rows * (reach / SECTOR + 1 - size / SECTOR)
