"""Kernels of tensors, as `runtime/formulas.c` calls them: what their arguments are, laid out in memory.

A call goes to compiled code where each argument has the type and the extents that are said here, and zeros where its
tensor has known ones; any other goes to `slow`.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from jitmdh.base.records import dataclass

_EACH, _MADE, _REAL, _ZEROS = 1, 2, 4, 8  # bits of `Formal.flags` in plan.h
_LANES = 7  # the word of `Formula` that says how many elements a block has
_LISTED = 64  # threads


@dataclass(frozen=True, slots=True, eq=False)
class FormalTensor:
    """An array of `shape`; of a batch, if `each`, one for each element.

    absent: True where there must be zeros, or None; left_out: whether a call may leave it out, and gets it returned;
    zeros: it is made of zeros then.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    absent: np.ndarray[Any, np.dtype[np.bool_]] | None = None
    each: bool = False
    left_out: bool = False
    zeros: bool = False


@dataclass(frozen=True, slots=True)
class FormalScalar:
    """A number, which code takes as NumPy's scalar of this type."""

    name: str
    dtype: np.dtype[Any]


class HasAddress(Protocol):
    """Words in memory."""

    @property
    def address(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Blocks:
    """A class of objects that hold the elements of one tensor of a batch in blocks.

    array, count: names of its attributes: an array of shape [⌈count/lanes⌉, …, lanes], and the number of elements.
    lanes: asked when there is code for such calls.
    """

    type: type
    array: str
    count: str
    lanes: Callable[[], int]


class Trusted:
    """Threads whose arrays are not looked at for known zeros. A thread that is missing here loses time, no more."""

    def __init__(self) -> None:
        self._words = (ctypes.c_int64 * (1 + _LISTED))()
        self._threads: list[int] = []
        self._lock = threading.Lock()

    @property
    def address(self) -> int:
        return ctypes.addressof(self._words)

    def add(self, thread: int) -> None:
        with self._lock:
            self._threads.append(thread)
            self._write()

    def remove(self, thread: int) -> None:
        with self._lock:
            self._threads.remove(thread)
            self._write()

    def _write(self) -> None:
        listed = self._threads[:_LISTED]
        self._words[0] = 0  # calls of other threads come in between, and must never find one that is not trusted
        self._words[1 : 1 + len(listed)] = [ctypes.c_int64(t).value for t in listed]
        self._words[0] = len(listed)


class NativeFormula:
    """The words of `Formula` in `runtime/plan.h`. Holds on to everything that they point to.

    constants: arrays that compiled code takes behind the arguments; slow: called as the kernel is, where nothing else
    serves; trusted: threads of which known zeros are not asked; pool: addresses of the functions of `Pool`; blocks: how
    elements in blocks are held.
    """

    def __init__(
        self, formals: Sequence[FormalTensor | FormalScalar], constants: Sequence[object], slow: object,
        trusted: Trusted, pool: Sequence[int], blocks: Blocks | None = None,
    ) -> None:  # fmt: skip
        threads = (ctypes.c_int64 * len(pool))(*pool)
        self._kept: list[object] = [slow, trusted, blocks, threads, *constants]
        self._lanes = None if blocks is None else blocks.lanes
        words = [0, 0, id(slow), trusted.address, *self._blocks(blocks), ctypes.addressof(threads)]
        words += [len(formals), len(constants)]
        for formal in formals:
            words += self._scalar(formal) if isinstance(formal, FormalScalar) else self._tensor(formal)
        words += map(id, constants)
        self._words = (ctypes.c_int64 * len(words))(*words)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._words)

    def use(self, table: HasAddress, stored: bool) -> None:
        """Calls go to the code of `table` from now on: those with elements in blocks if `stored`, else with arrays."""
        self._kept.append(table)
        if stored and self._lanes is not None:
            self._words[_LANES] = self._lanes()
        self._words[int(stored)] = table.address

    def uses(self, table: HasAddress, stored: bool) -> bool:
        return self._words[int(stored)] == table.address

    def _blocks(self, blocks: Blocks | None) -> list[int]:
        return [0, 0, 0, 0] if blocks is None else [*map(id, (blocks.type, blocks.array, blocks.count)), 1]

    def _name(self, formal: FormalTensor | FormalScalar) -> int:
        """The object that a call which is written in source text has for it."""
        self._kept.append(interned := sys.intern(formal.name))
        return id(interned)

    def _scalar(self, formal: FormalScalar) -> list[int]:
        name = self._name(formal)
        self._kept += [formal, formal.dtype.type]
        real = _REAL if formal.dtype == np.float64 else 0
        return [name, -1, 0, id(formal.dtype), id(formal.dtype.type), real, formal.dtype.itemsize, 0, 0, 0, 0, 0, 0]

    def _tensor(self, formal: FormalTensor) -> list[int]:
        dtype, shape = formal.dtype, (ctypes.c_int64 * max(1, len(formal.shape)))(*formal.shape)
        twin = next((t for t in map(np.dtype, "lqLQ") if t == dtype and t is not dtype), dtype)
        rows = [] if formal.absent is None else runs(formal.absent)
        absent = (ctypes.c_int64 * max(1, len(rows)))(*rows)
        flat = [] if formal.absent is None else stretches(formal.absent)
        dense = (ctypes.c_int64 * max(1, len(flat)))(*flat)
        self._kept += [formal, dtype, shape, twin, absent, dense]
        flags = (_EACH if formal.each else 0) | (_MADE if formal.left_out else 0) | (_ZEROS if formal.zeros else 0)
        tensor = [self._name(formal), len(formal.shape), ctypes.addressof(shape), id(dtype), id(twin), flags]
        known = len(rows) // (len(formal.shape) + 1)
        zeros = [known, ctypes.addressof(absent), len(flat) // 2, ctypes.addressof(dense), sum(flat[1::2])]
        return [*tensor, dtype.itemsize, _all_but_signs(dtype), *zeros]


def runs(absent: np.ndarray[Any, np.dtype[np.bool_]]) -> list[int]:
    """Of each row of True along the last axis: the position in front of that axis, where it begins and where it ends.

    absent: of one axis or more.
    """
    edges = np.diff(np.pad(absent, [(0, 0)] * (absent.ndim - 1) + [(1, 1)]).astype(np.int8), axis=-1)
    begins, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    found: list[int] = np.concatenate([begins, ends[:, -1:]], axis=1).reshape(-1).tolist()
    return found


def stretches(absent: np.ndarray[Any, np.dtype[np.bool_]]) -> list[int]:
    """Of each row of True in the order of the last axis: its first element, and how many there are.

    >>> stretches(np.array([[False, True], [True, True], [False, True]]))
    [1, 3, 5, 1]
    """
    edges = np.diff(np.pad(absent.reshape(-1), 1).astype(np.int8))
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    found: list[int] = np.stack([begins, ends - begins], axis=-1).reshape(-1).tolist()
    return found


def _all_but_signs(dtype: np.dtype[Any]) -> int:
    """The bits of a number which are 0 in zeros: in all of them for integers, all but the signs for floats."""
    if dtype.kind not in "fc":
        return -1
    bits = 8 * dtype.itemsize // (2 if dtype.kind == "c" else 1)
    return int("7fffffff7fffffff", 16) if bits == 32 and dtype.kind == "c" else 2 ** (bits - 1) - 1
