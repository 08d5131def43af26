"""What the accesses of a warp come to: sectors of global memory, and steps of the banks of shared memory.

Counted for the 32 threads of the first warp of a block, as the interpreter of grids counts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.layout import PADDING, Layout, next_block, whole

SECTOR = 32
"""Bytes that global memory moves at least."""
_BANKS, _BANK_BYTES = 32, 4


def shapes(p: Problem) -> dict[str, tuple[int, ...]]:
    """How far the accesses to each array reach along its axes: its shape, as far as that matters."""
    e = p.expression
    found: dict[str, tuple[int, ...]] = {}
    for access in (*e.inp_view, *e.out_view, *(e.finish.inp_view if e.finish is not None else ())):
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


def bank_steps(elements: Sequence[int], size: int) -> tuple[int, int]:
    """Steps of the banks for one access of a warp to shared memory, and how many it takes without conflicts.

    >>> bank_steps(range(32), 4), bank_steps(range(0, 1024, 32), 4), bank_steps([0] * 32, 4)
    ((1, 1), (32, 1), (1, 1))
    """
    words = {n * size // _BANK_BYTES + w for n in elements for w in range(max(1, size // _BANK_BYTES))}
    return max(Counter(word % _BANKS for word in words).values()), -(-len(words) // _BANKS)


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


def filled(number: int, widths: Sequence[int], unit_axis: int | None) -> tuple[int, ...]:
    """Which element of a copy is its `number`-th to be filled: neighbours along the axis that is contiguous."""
    last = len(widths) - 1 if unit_axis is None else unit_axis
    order = [axis for axis in range(len(widths)) if axis != last] + [last]
    index = [0] * len(widths)
    for axis in reversed(order):
        index[axis] = number % widths[axis]
        number //= widths[axis]
    return tuple(index)


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
