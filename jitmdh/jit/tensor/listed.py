"""Batches of some elements only, and of operands that belong to other elements: by lists of numbers.

for e in elements:
    kernel(Q[e], I[neighbour[e]])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, BoundsError
from jitmdh.jit.tensor.native_calls import trust
from jitmdh.mdh.frontend.tensor.check import Checked
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Tensor


class Many(Protocol):
    """What lists need of a batch."""

    __name__: str
    program: Checked
    each: tuple[str, ...]

    def __call__(self, *args: Any, **named: Any) -> Any: ...

    def check_elements(self, named: Mapping[str, Any], count: int, elements: slice | Array) -> tuple[Tensor, ...]: ...


class ListedBatch:
    """A batch by lists of numbers; see `Batch.listed`. Arguments go by name.

    What lists name is copied before, and results are copied back. All arguments are checked before anything is written.
    """

    def __init__(self, batch: Many, elements: Any, gathered: Mapping[str, Any]) -> None:
        self.__name__, self._batch = batch.__name__, batch
        self._written = {t.name for t in batch.program.outputs}
        self._elements = None if elements is None else _numbers(f"{self.__name__}: elements", elements)
        self._gathered = {n: _numbers(f"{self.__name__}: gathered[{n!r}]", rows) for n, rows in gathered.items()}
        for name in self._gathered:
            if name not in batch.each or name in self._written:
                why = "the kernel writes it" if name in self._written else "it is no tensor that each element has"
                raise ArgumentValueError(f"{self.__name__}.listed: {name} cannot be gathered, since {why}")
        if len({len(rows) for rows in self._gathered.values()}) > 1:
            raise ArgumentValueError(f"{self.__name__}.listed: lists of gathered tensors have different lengths")
        if self._elements is not None:
            numbers, counts = np.unique(self._elements, return_counts=True)
            if len(numbers) < len(self._elements):
                twice = int(numbers[counts > 1][0])
                raise ArgumentValueError(f"{self.__name__}.listed: element {twice} is there more than once")

    def __call__(self, **named: Any) -> Any:
        count = self._count(named)
        if self._elements is not None:
            _within(f"{self.__name__}: elements", self._elements, count)
        given = named | {n: self._fetched(n, named, rows) for n, rows in self._gathered.items() if n in named}
        if self._elements is None:
            self._batch.check_elements(given, count, slice(None))
            return self._batch(**given)
        made = self._batch.check_elements(given, count, self._elements)
        if made:
            raise ArgumentTypeError(
                f"{self.__name__}: the tensor {made[0].name} was not given", hint="elements are computed in place"
            )
        own = {n: array[self._elements] for n, array in given.items() if n in self._batch.each}
        with trust():
            self._batch(**(given | own))
        for name in self._written:
            named[name][self._elements] = own[name]
        return None

    def _count(self, named: Mapping[str, Any]) -> int:
        """How many elements there are."""
        for rows in self._gathered.values():
            return len(rows)
        for name in self._batch.each:
            array = named.get(name)
            if isinstance(array, np.ndarray) and array.ndim:
                return len(array)
        raise ArgumentTypeError(f"{self.__name__}: no array says how many elements there are")

    def _fetched(self, name: str, named: Mapping[str, Any], rows: Array) -> Any:
        """The rows of an array that belong to elements. What is no such array is left for the batch to refuse."""
        array = named[name]
        if not isinstance(array, np.ndarray) or not array.ndim:
            return array
        for output in self._written:
            if isinstance(named.get(output), np.ndarray) and np.may_share_memory(named[output], array):
                raise ArgumentValueError(f"{self.__name__}: {output} shares memory with {name}")
        _within(f"{self.__name__}: gathered[{name!r}]", rows, len(array))
        return array[rows]

    def __repr__(self) -> str:
        elements = "all" if self._elements is None else str(len(self._elements))
        return f"<{self._batch!r}, {elements} elements, gathered: {', '.join(self._gathered) or 'nothing'}>"


def _numbers(what: str, given: Any) -> Array:
    """A list of numbers of elements, copied: later changes of the caller's have no effect."""
    array = np.array(given)
    if array.ndim == 1 and not len(array):
        return array.astype(np.intp)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ArgumentTypeError(f"{what}: a list of integers is wanted, got {array.dtype} with shape {array.shape}")
    return array


def _within(what: str, numbers: Array, count: int) -> None:
    wrong = np.flatnonzero((numbers < 0) | (numbers >= count))
    if len(wrong):
        at = int(wrong[0])
        raise BoundsError(f"{what}: number {int(numbers[at])} at position {at}, there are {count} elements")
