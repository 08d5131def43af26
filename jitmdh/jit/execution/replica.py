"""Copies of arrays for which code is as fast, and as legal, as for the originals: their layout in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.signature import MOST_STEP

Array = np.ndarray[Any, Any]

_LINE_BYTES, _PAGE_BYTES = 64, 4096
_GAPS = 8  # times its elements: what an array may span in memory before it is copied without the gaps


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of a copy lie. first: the offset of its first element in `length` bytes of memory."""

    first: int
    length: int
    strides: tuple[int, ...]


def layout(array: Array, gaps: float = _GAPS) -> Layout:
    """The same strides; but of an array that is scattered over much memory, narrower gaps.

    gaps: how much memory it may span, as a multiple of its elements, before that. An axis along which neighbours are
    in neighbouring places of memory, or in places near each other, stays that, and no other becomes one.
    """
    strides = array.strides
    if 0 in array.shape:
        return Layout(0, 0, strides)
    found = _spanned(array, strides)
    return found if found.length <= gaps * array.nbytes + _PAGE_BYTES else _spanned(array, _narrow(array))


def _spanned(array: Array, strides: tuple[int, ...]) -> Layout:
    spans = [(n - 1) * s for n, s in zip(array.shape, strides)]
    first = -sum(s for s in spans if s < 0)
    return Layout(first, first + sum(s for s in spans if s > 0) + array.itemsize, strides)


def _narrow(array: Array) -> tuple[int, ...]:
    """Strides without gaps, from the fastest axis to the slowest; but short ones stay, and no other becomes short."""
    found = list(array.strides)
    step = array.itemsize
    for axis in sorted(range(array.ndim), key=lambda axis: abs(array.strides[axis])):
        present, extent = array.strides[axis], array.shape[axis]
        if extent < 2 or not present:
            continue
        near = abs(present) <= MOST_STEP * array.itemsize
        step = abs(present) if near else max(step, (MOST_STEP + 1) * array.itemsize)
        found[axis] = step if present > 0 else -step
        step *= extent
    return tuple(found)


def replica(array: Array) -> Array:
    """A copy with this layout, at the same place relative to cache lines."""
    placed = layout(array)
    if not placed.length:
        return array.copy(order="K")
    memory = np.empty(placed.length + _LINE_BYTES, np.uint8)
    start = (array.ctypes.data - placed.first - memory.ctypes.data) % _LINE_BYTES
    made = np.ndarray(array.shape, array.dtype, memory.data, start + placed.first, placed.strides)
    np.copyto(made, array)
    return made
