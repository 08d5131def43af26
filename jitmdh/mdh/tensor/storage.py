"""How the numbers of a tensor with known zeros lie in an array.

    dense     an array of the tensor's shape, known zeros included
    box       the smallest box that holds everything else
    padded    this box, its rows as long as a number of cache lines
    list      what may be other than zero, one after the other, row by row: the values of compressed rows
    columns   the same column by column, the first index fastest: the values of compressed columns

>>> star = Storage("list", Pattern.of([[False, True], [True, True]]))
>>> star.pack(np.array([[0, 1], [2, 3]])), star.shape
(array([1, 2, 3]), (3,))
>>> print(star.unpack(np.array([4, 5, 6])))
[[0 4]
 [5 6]]
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from jitmdh.base.errors import ArgumentValueError
from jitmdh.base.records import dataclass
from jitmdh.mdh.tensor.pattern import Array, Pattern

KINDS = ("dense", "box", "padded", "list", "columns")
_LINE_BYTES = 64  # of a cache line, and of the longest vectors: rows that begin at one are loaded without masks


@dataclass(frozen=True, slots=True)
class Storage:
    """One of `KINDS`, for a tensor with this pattern, whose numbers have `bytes` bytes."""

    kind: str
    pattern: Pattern
    bytes: int = 8

    @property
    def is_list(self) -> bool:
        """Whether what is stored has no axes but one."""
        return self.kind in ("list", "columns")

    @property
    def begin(self) -> tuple[int, ...]:
        """Where a box begins."""
        return tuple(begin for begin, _ in self._box)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        if self.is_list:
            return (self.pattern.count,)
        extents = [end - begin for begin, end in self._box]
        if self.kind == "padded" and extents:
            line = max(1, _LINE_BYTES // self.bytes)
            extents[-1] = -(-extents[-1] // line) * line
        return tuple(extents)

    @property
    def stored(self) -> Pattern:
        """Where the array may be other than zero."""
        if self.is_list:
            return Pattern.dense(self.shape)
        mask = np.zeros(self.shape, bool)
        mask[self._inside] = self.pattern.mask[self._part]
        return Pattern(mask)

    def places(self) -> Array:
        """Of a list: for each position of the tensor its place, int64; -1 for those that are not stored."""
        mask = self.pattern.mask if self.kind == "list" else self.pattern.mask.T
        found = np.full(mask.shape, -1, np.int64)
        found[mask] = np.arange(self.pattern.count)
        return found if self.kind == "list" else np.ascontiguousarray(found.T)

    def positions(self) -> tuple[Array, ...]:
        """Of a list: for each axis of the tensor the subscripts of what is stored, int64, in its order."""
        if self.kind == "list":
            return tuple(np.asarray(n, np.int64) for n in np.nonzero(self.pattern.mask))
        return tuple(np.asarray(n, np.int64) for n in np.nonzero(self.pattern.mask.T)[::-1])

    def pack(self, array: Array) -> Array:
        """A new array for one of the tensor's shape, or of that behind other axes, which stay.

        ArgumentValueError for another shape, and for a number where the pattern has a zero.
        """
        shape, rank = self.pattern.shape, len(self.pattern.shape)
        if array.shape[array.ndim - rank :] != shape or array.ndim < rank:
            raise ArgumentValueError(
                f"pack: an array of shape {shape} is wanted, or of several such, got {array.shape}"
            )
        wrong = np.argwhere(np.logical_and(array, ~self.pattern.mask))
        if len(wrong):
            where = tuple(map(int, wrong[0]))
            raise ArgumentValueError(f"pack: {array[where]} at {[*where]}, where the tensor has a known zero")
        outer = array.shape[: array.ndim - rank]
        if self.kind == "columns":
            turned = array.transpose([*range(len(outer)), *range(array.ndim - 1, len(outer) - 1, -1)])
            return np.ascontiguousarray(turned[..., self.pattern.mask.T])
        if self.kind == "list":
            return np.ascontiguousarray(array[..., self.pattern.mask])
        packed = np.zeros((*outer, *self.shape), array.dtype)
        packed[self._inside] = array[self._part]
        return packed

    def unpack(self, array: Array) -> Array:
        """The reverse of `pack`: a new array, zero off the pattern. ArgumentValueError for another shape."""
        outer = array.shape[: array.ndim - len(self.shape)]
        if array.shape[len(outer) :] != self.shape or array.ndim < len(self.shape):
            raise ArgumentValueError(f"unpack: an array of shape {self.shape} is wanted, got {array.shape}")
        whole = np.zeros((*outer, *self.pattern.shape), array.dtype)
        if self.is_list:
            positions: tuple[Any, ...] = (..., *self.positions())
            whole[positions] = array
        else:
            whole[self._part] = array[self._inside]
        return whole

    @property
    def _box(self) -> tuple[tuple[int, int], ...]:
        return tuple((0, n) for n in self.pattern.shape) if self.kind == "dense" else self.pattern.box

    @property
    def _part(self) -> tuple[Any, ...]:
        """The box in the tensor."""
        return (..., *(slice(begin, end) for begin, end in self._box))

    @property
    def _inside(self) -> tuple[Any, ...]:
        """The box in the array, without what rows are padded by."""
        return (..., *(slice(0, end - begin) for begin, end in self._box))

    def __str__(self) -> str:
        count = f"{self.pattern.count} of {prod(self.pattern.shape)} numbers"
        size = "×".join(map(str, self.shape)) or "a number"
        return {
            "dense": size, "box": f"{size}, a box that begins at {[*self.begin]}",
            "padded": f"{size}, a box that begins at {[*self.begin]}, in padded rows",
            "list": f"{count}, row by row", "columns": f"{count}, column by column",
        }[self.kind]  # fmt: skip
