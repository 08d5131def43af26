"""Which positions of a tensor may hold something else than zero.

>>> star = Pattern.of([[True, False], [True, True]])
>>> star.count, star.box
(3, ((0, 2), (0, 2)))
>>> print(project([("ij", star), ("jk", star)], "ik", {"i": 2, "j": 2, "k": 2}))
x.
xx
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError

Array = np.ndarray[Any, Any]
Names = Sequence[str]
Predicate = Callable[..., Any]


class Pattern:
    """A set of positions of a tensor of one shape; immutable, equal if the sets are.

    mask: True where the tensor may be other than zero; read-only. is_dense: whether that is everywhere.
    """

    __slots__ = ("_key", "is_dense", "mask")

    @entry
    def __init__(self, mask: Array) -> None:
        same = mask.size > 0 and not any(mask.strides)
        self.is_dense = bool(mask.flat[0]) if same else bool(mask.all())
        # One element serves for all positions of a dense pattern, however large it is.
        self.mask: Array = np.broadcast_to(True, mask.shape) if self.is_dense else np.array(mask, bool, order="C")
        self.mask.setflags(write=False)
        self._key = (self.mask.shape, b"" if self.is_dense else np.packbits(self.mask).tobytes())

    @staticmethod
    def of(given: object, shape: tuple[int, ...] | None = None) -> Pattern:
        """From a bool array, or for `shape` from a function of the positions, as `np.fromfunction` calls it.

        ArgumentTypeError for arrays of numbers: they may have been meant as values. ArgumentValueError for another
        shape.
        """
        if isinstance(given, Pattern):
            mask = given.mask
        elif callable(given):
            if shape is None:
                raise ArgumentTypeError("a pattern by a function needs a shape")
            mask = np.broadcast_to(np.asarray(np.fromfunction(given, shape, dtype=np.int64)), shape)
        else:
            mask = np.asarray(given)
        if mask.dtype != bool:
            raise ArgumentTypeError(
                f"a pattern of {mask.dtype}: it says only which elements may be other than zero",
                hint="pattern=array != 0, or values=array for a constant",
            )
        if shape is not None and mask.shape != shape:
            raise ArgumentValueError(f"a pattern of shape {mask.shape} for a tensor of shape {shape}")
        return Pattern(mask)

    @staticmethod
    def dense(shape: tuple[int, ...]) -> Pattern:
        """All positions."""
        return Pattern(np.broadcast_to(True, shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the tensor."""
        return tuple(self.mask.shape)

    @property
    def count(self) -> int:
        """The number of positions in it."""
        return prod(self.shape) if self.is_dense else int(np.count_nonzero(self.mask))

    @property
    def box(self) -> tuple[tuple[int, int], ...]:
        """The smallest interval [begin, end) of each axis that holds all positions; [0, 0) for an empty pattern."""
        if self.is_dense:
            return tuple((0, extent) for extent in self.shape)
        if not self.mask.any():
            return ((0, 0),) * self.mask.ndim
        found = []
        for axis in range(self.mask.ndim):
            others = tuple(n for n in range(self.mask.ndim) if n != axis)
            positions = np.flatnonzero(self.mask.any(axis=others))
            found.append((int(positions[0]), int(positions[-1]) + 1))
        return tuple(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"Pattern.of({self.mask.tolist()!r})"

    def __str__(self) -> str:
        """`x` where it may be other than zero, `.` elsewhere; matrices under each other."""
        if self.mask.ndim < 2:
            return "".join("x" if m else "." for m in self.mask.reshape(-1))
        between = "\n" * (self.mask.ndim - 1)
        return between.join(str(Pattern(part)) for part in self.mask)


def spread(pattern: Pattern, names: Names, order: Names) -> Array:
    """The mask with one axis for each of `order`; of extent 1 where `names` lacks it. A repeated name is a diagonal."""
    every = tuple(dict.fromkeys(names))
    letters = {name: n for n, name in enumerate(every)}
    mask: Array = np.einsum(pattern.mask, [letters[n] for n in names], [letters[n] for n in order if n in letters])
    spread: Array = mask[tuple(slice(None) if n in letters else None for n in order)]
    return spread


def project(factors: Sequence[tuple[Names, Pattern]], kept: Names, extents: Mapping[str, int]) -> Pattern:
    """Where a product of factors, summed over all indices but `kept`, may be other than zero."""
    present = {n for names, _ in factors for n in names}
    if all(pattern.is_dense for _, pattern in factors):
        summed = [n for n in present if n not in kept]
        some = all(extents[n] > 0 for n in summed)
        return Pattern(np.broadcast_to(some, tuple(extents[n] for n in kept)))
    letters = {name: n for n, name in enumerate(extents)}
    operands: list[Any] = []
    for names, pattern in factors:
        operands += [pattern.mask.astype(np.float64), [letters[n] for n in names]]
    result = np.einsum(*operands, [letters[n] for n in kept if n in present], optimize=True)
    shaped = np.asarray(result)[tuple(slice(None) if n in present else None for n in kept)]
    return Pattern(np.broadcast_to(shaped > 0, tuple(extents[n] for n in kept)))


# ------------------------------------------------------------------------------------------------- as predicates


@entry
def lower(i: Array, j: Array) -> Array:
    """The lower triangle, with the diagonal."""
    return i >= j


@entry
def upper(i: Array, j: Array) -> Array:
    """The upper triangle, with the diagonal."""
    return i <= j


@entry
def diagonal(i: Array, *others: Array) -> Array:
    """The positions whose subscripts are equal."""
    equal: Array = np.all([i == other for other in others], axis=0)
    return equal


@entry
def banded(below: int, above: int) -> Predicate:
    """`below` diagonals under the main one and `above` over it."""
    return lambda i, j: (i - j <= below) & (j - i <= above)


@entry
def blocks(size: int) -> Predicate:
    """Square blocks of `size` along the diagonal."""
    return lambda i, j: i // size == j // size
