"""Which positions of arrays steps read and write, where extents are numbers; and sets of positions as boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from jitmdh.mdh.algebra.expr import Access, Allocation, Expression
from jitmdh.mdh.algebra.independence import Place
from jitmdh.mdh.algebra.index import Affine

MOST_POSITIONS = 1 << 16
Mask = np.ndarray[Any, Any]
Box = tuple[slice, ...]


def written_first(body: Sequence[Expression], array: Allocation, place: Place) -> bool:
    """Whether all that belongs to a point of `array` is written before any of it is read, by one expression or several.

    Parts are known as such where extents are numbers: rows 0 to 9 by one expression, rows 10 to 19 by the next.
    """
    shape = _without(array.shape, place[0])
    parts = has_positions(shape)
    written = np.zeros([s.constant for s in shape] if parts else (), bool)
    for e in body:
        if not any(array.name in (b.name, b.of) for b in e.buffers):
            continue
        if any(a.buffer == array.name for a in e.reads) or e.md_hom.guard or any(b.of == array.name for b in e.buffers):
            return False
        extents = {d.name: d.extent for d in e.md_hom.dims}
        for access in e.out_view:
            if access.buffer != array.name or access.guard:
                continue
            left = _without(access.index, place[0])
            whole = len(set(left)) == len(left) and all(_extent_of(i, extents) == s for i, s in zip(left, shape))
            if whole:
                return True
            if parts and (box := box_of(left, extents)) is not None:
                written[box] = True
                if written.all():
                    return True
    return False


def has_positions(shape: Sequence[Affine]) -> bool:
    """Whether an array of this shape has a known number of elements, and few enough to look at each."""
    return all(s.is_constant for s in shape) and prod(s.constant for s in shape) <= MOST_POSITIONS


def marked(e: Expression, accesses: Iterable[Access], shape: Sequence[Affine], axis: int) -> Mask | None:
    """Which elements of one point of an array some accesses to it touch; None where that is not known beforehand.

    shape: the array's, without the `axis` that tells points apart.
    """
    if not has_positions(shape):
        return None
    mask, extents = np.zeros([s.constant for s in shape], bool), {d.name: d.extent for d in e.md_hom.dims}
    for access in accesses:
        box = box_of(_without(access.index, axis), extents)
        if access.guard or e.md_hom.guard or box is None:
            return None
        mask[box] = True
    return mask


def boxes(mask: Mask, most: int) -> list[Box] | None:
    """Boxes that are apart and together hold the positions where a mask is True, no others; None: more than `most`.

    >>> boxes(np.array([[True, True, False], [True, True, False], [False, False, True]]), 2)
    [(slice(0, 2, None), slice(0, 2, None)), (slice(2, 3, None), slice(2, 3, None))]
    """
    found = [_boxes(mask, most), [tuple(reversed(box)) for box in _boxes(mask.T, most)]]
    best = min(found, key=len)
    return best if len(best) <= most else None


def _boxes(mask: Mask, most: int) -> list[Box]:
    """By what follows each other along the first axis and is the same; more than `most` where these are too many."""
    if not mask.any():
        return []
    if not mask.ndim:
        return [()]
    changes = (mask[1:] != mask[:-1]).any(axis=tuple(range(1, mask.ndim)))
    cuts = [0, *(int(n) + 1 for n in np.flatnonzero(changes)), len(mask)]
    found: list[Box] = []
    for begin, end in pairwise(cuts):
        found += [(slice(begin, end), *box) for box in _boxes(mask[begin], most)]
        if len(found) > most:
            break
    return found


def box_of(index: Sequence[Affine], extents: Mapping[str, Affine]) -> Box | None:
    """The positions `index` goes through: constants, and dimensions from a constant on; None for anything else."""
    names = [n for i in index for n in i.names]
    found = []
    for i in index:
        if i.is_constant:
            found.append(slice(i.constant, i.constant + 1))
            continue
        extent = extents.get(i.names[0])
        if len(i.terms) > 1 or i.terms[0][1] != 1 or extent is None or not extent.is_constant:
            return None
        found.append(slice(i.constant, i.constant + max(0, extent.constant)))
    return tuple(found) if len(set(names)) == len(names) else None


def _extent_of(index: Affine, extents: Mapping[str, Affine]) -> Affine | None:
    """Of an index that is a dimension and nothing else."""
    return extents.get(index.names[0]) if len(index.names) == 1 and index == Affine.of(index.names[0]) else None


def _without(values: tuple[Affine, ...], at: int) -> tuple[Affine, ...]:
    return values[:at] + values[at + 1 :]
