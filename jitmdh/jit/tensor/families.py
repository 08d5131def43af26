"""Kernels with numbers for names, and batches in which each element says which of them it wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from jitmdh.base.calling.entry import entries
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, BoundsError
from jitmdh.base.records import dataclass
from jitmdh.jit.tensor.definitions import kernel
from jitmdh.jit.tensor.kernels import Batch, Kernel
from jitmdh.jit.tensor.native_calls import trust
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Tensor

Number = tuple[int, ...]
"""Of a member."""


@entries
class Family:
    """Kernels with numbers for names: `flux[1, 2](…)`. Each is made when it is first asked for."""

    def __init__(self, name: str, shape: Number, member: Callable[..., Any]) -> None:
        self.__name__, self.shape = name, shape
        self._member, self._made = member, dict[Number, Kernel]()
        self._batches: dict[tuple[Number, str, tuple[str, ...]], Batch] = {}

    def __getitem__(self, number: Any) -> Kernel:
        key = number if isinstance(number, tuple) else (number,)
        if len(key) != len(self.shape) or not all(isinstance(n, int) and 0 <= n < e for n, e in zip(key, self.shape)):
            raise BoundsError(f"{self.__name__}{[*key]}: the family has the shape {self.shape}")
        if key not in self._made:
            self._made[key] = kernel("_".join([self.__name__, *map(str, key)]), self._member(*key))
        return self._made[key]

    def batched(self, axis: str = "e", shared: Sequence[str] = (), *, member: Any) -> MemberBatch:
        """Many elements, each by the member that it asks for: as `Kernel.batched`.

        member: for each axis of the family an array of integers, [E], such as `(face, rotation)`. What a member reads
        and writes it says itself; all that are asked for write what a call leaves out.
        IndexError for a number outside of the family, ArgumentTypeError and ArgumentValueError for other arrays.
        """
        names = (shared,) if isinstance(shared, str) else tuple(shared)
        return MemberBatch(self, axis, names, _chosen(self, member))

    def batch_of(self, number: Number, axis: str, shared: tuple[str, ...], elements: slice | Array) -> Batch:
        """One member for some of many elements; that for a range of them, which has to be given its part of arrays, is
        made when it is first asked for. shared: names that it does not have, too."""
        own = self[number]
        kept = tuple(name for name in shared if name in own.parameters)
        if not isinstance(elements, slice):
            return own.batched(axis, kept, elements=elements)
        key = (number, axis, kept)
        if key not in self._batches:
            self._batches[key] = own.batched(axis, kept)
        return self._batches[key]

    def __repr__(self) -> str:
        return f"<family of tensor kernels {self.__name__}{[*self.shape]}>"


def _chosen(family: Family, member: Any) -> Array:
    """The members that elements ask for, a row of numbers for each element; all are in the family."""
    arrays = [np.asarray(one) for one in (member if isinstance(member, tuple) else (member,))]
    name = f"{family.__name__}.batched"
    if len(arrays) != len(family.shape):
        raise ArgumentTypeError(f"{name}: {len(arrays)} arrays of members, for a family of shape {family.shape}")
    for array in arrays:
        if array.dtype.kind not in "iu" or array.ndim != 1:
            facts = f"{array.dtype} with shape {array.shape}"
            raise ArgumentTypeError(f"{name}: members are integers, one for each element; got {facts}")
        if len(array) != len(arrays[0]):
            raise ArgumentValueError(f"{name}: members for {len(arrays[0])} elements, and for {len(array)}")
    rows = np.stack(arrays, axis=1)
    wrong = np.argwhere((rows < 0) | (rows >= np.array(family.shape)))
    if len(wrong):
        element = int(wrong[0, 0])
        asked = rows[element].tolist()
        raise BoundsError(f"{name}: element {element} asks for {asked}, the family has the shape {family.shape}")
    return rows


@dataclass(frozen=True, slots=True)
class _Group:
    """Elements of one member. elements: their numbers, a range where they stand one behind the other: the batch has to
    be given that part of arrays; other numbers it knows itself."""

    batch: Batch
    elements: slice | Array


class MemberBatch:
    """Many elements, each by a member of a family; see `Family.batched`. Arguments go by name.

    Elements of one member are computed together, and in place. All arguments are checked before anything is written.
    """

    def __init__(self, family: Family, axis: str, shared: tuple[str, ...], members: Array) -> None:
        self.__name__, self._count, self._shared = family.__name__, len(members), shared
        self._groups = [
            _Group(family.batch_of(number, axis, shared, elements), elements) for number, elements in _grouped(members)
        ]

    def __call__(self, **named: Any) -> Any:
        made = self._checked(named)
        arrays = {}
        for t in made:  # known zeros are not written
            new = np.empty if t.pattern is None else np.zeros
            arrays[t.name] = new((self._count, *t.shape), t.type.numpy)
        given = named | arrays
        with trust():
            for group in self._groups:
                _compute(group, {n: v for n, v in given.items() if n in group.batch.parameters}, self._shared)
        returned = tuple(arrays.values())
        return None if not returned else returned[0] if len(returned) == 1 else returned

    def _checked(self, named: Mapping[str, Any]) -> tuple[Tensor, ...]:
        """The tensors that a call leaves out and that are returned."""
        left_out: list[tuple[Tensor, ...]] = []
        taken = set[str]()
        for group in self._groups:
            own = {n: v for n, v in named.items() if n in group.batch.parameters}
            taken |= own.keys()
            left_out.append(group.batch.check_elements(own, self._count, group.elements))
        for name in named:
            if name not in taken:
                raise ArgumentTypeError(f"{self.__name__}: the argument {name} was given, which no member takes")
        made = dict.fromkeys(t for tensors in left_out for t in tensors)
        for tensor in made:
            if not all(tensor in tensors for tensors in left_out):
                raise ArgumentTypeError(
                    f"{self.__name__}: the tensor {tensor.name} was not given, and not all members write all of it"
                )
        return tuple(made)

    def __repr__(self) -> str:
        return f"<{self._count} elements by {len(self._groups)} members of {self.__name__}>"


def _grouped(members: Array) -> Iterator[tuple[Number, slice | Array]]:
    """Each member that is asked for, with the numbers of its elements in ascending order; of none, the first."""
    if not len(members):
        yield (0,) * members.shape[1], slice(0, 0)
        return
    rows, inverse = np.unique(members, axis=0, return_inverse=True)
    order = np.argsort(inverse.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(inverse.reshape(-1), minlength=len(rows)))
    for row, chosen in zip(rows, np.split(order, ends[:-1])):
        first, last = int(chosen[0]), int(chosen[-1])
        together = last - first + 1 == len(chosen)
        yield tuple(map(int, row)), slice(first, last + 1) if together else chosen


def _compute(group: _Group, given: Mapping[str, Any], shared: Sequence[str]) -> None:
    if isinstance(group.elements, slice):
        each = {n: v for n, v in given.items() if isinstance(v, np.ndarray) and n not in shared}
        given = {**given, **{n: array[group.elements] for n, array in each.items()}}
    group.batch(**given)
