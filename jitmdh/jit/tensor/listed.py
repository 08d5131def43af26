"""Lists of numbers for batches: which elements are computed, and which elements operands belong to.

for e in elements:
    kernel(Q[e], I[neighbour[e]])
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count
from typing import Any

import numpy as np

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, BoundsError
from jitmdh.mdh.frontend.tensor.notation.expr import Array


class RowLists:
    """For tensors of a batch, the numbers of the rows of their arrays that its elements have, checked.

    elements: the numbers of those that are computed, each once; None: all. gathered: for names of tensors that are read
    only, which row of its array each element takes.
    """

    def __init__(
        self, name: str, each: Collection[str], written: Collection[str], elements: Any, gathered: Mapping[str, Any]
    ) -> None:
        """name: of the kernel; each: its tensors that every element has; written: those that it writes."""
        self._name = name
        rows = {n: _numbers(f"{name}: gathered[{n!r}]", given) for n, given in gathered.items()}
        for one in rows:
            if one not in each or one in written:
                why = "the kernel writes it" if one in written else "it is no tensor that each element has"
                raise ArgumentValueError(f"{name}.batched: {one} cannot be gathered, since {why}")
        if len({len(numbers) for numbers in rows.values()}) > 1:
            raise ArgumentValueError(f"{name}.batched: lists of gathered tensors have different lengths")
        self.count = next(map(len, rows.values()), None)
        """How many elements there are, where gathered rows say that."""
        self.rows, self.elements, self.gathered = rows, None, frozenset(rows)
        if elements is not None:
            self.elements = chosen = _numbers(f"{name}: elements", elements)
            numbers, counts = np.unique(chosen, return_counts=True)
            if len(numbers) < len(chosen):
                twice = int(numbers[counts > 1][0])
                raise ArgumentValueError(f"{name}.batched: element {twice} is there more than once")
            if self.count is not None:
                self._within("elements", chosen, self.count)
            self.rows = {n: numbers[chosen] for n, numbers in rows.items()}
            self.rows |= {n: chosen for n in each if n not in rows}

    def parameters(self, taken: Collection[str]) -> tuple[dict[str, str], dict[str, Array]]:
        """Names for the lists, apart from `taken`: that of each tensor's, and the lists by name."""
        names: dict[int, str] = {}
        lists: dict[str, Array] = {}
        for numbers in self.rows.values():
            if id(numbers) not in names:
                name = next(n for n in (f"rows{k or ''}" for k in count()) if n not in taken and n not in lists)
                names[id(numbers)], lists[name] = name, numbers
        return {tensor: names[id(numbers)] for tensor, numbers in self.rows.items()}, lists

    def check(self, tensor: str, length: int) -> None:
        """BoundsError for a number that no row of an array of so many has."""
        if tensor not in self.rows:
            return
        what = f"gathered[{tensor!r}]" if tensor in self.gathered else "elements"
        self._within(what, self.rows[tensor], length)

    def _within(self, what: str, numbers: Array, length: int) -> None:
        wrong = np.flatnonzero((numbers < 0) | (numbers >= length))
        if len(wrong):
            at = int(wrong[0])
            facts = f"number {int(numbers[at])} at position {at}, there are {length} elements"
            raise BoundsError(f"{self._name}: {what}: {facts}")

    def __str__(self) -> str:
        elements = "all" if self.elements is None else str(len(self.elements))
        return f"{elements} elements, gathered: {', '.join(sorted(self.gathered)) or 'nothing'}"


def _numbers(what: str, given: Any) -> Array:
    """A list of numbers of elements, copied: later changes of the caller's have no effect."""
    array = np.array(given)
    if array.ndim == 1 and not len(array):
        return array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ArgumentTypeError(f"{what}: a list of integers is wanted, got {array.dtype} with shape {array.shape}")
    return array.astype(np.int64)
