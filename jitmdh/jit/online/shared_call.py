"""The arguments of one call in memory that another process can map: what candidates run on first."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jitmdh.base.dtype import from_numpy
from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution.replica import layout

Array = np.ndarray[Any, Any]

LIMIT_BYTES = 256 << 20
"""Calls with larger arguments are tried at a smaller size of the same class: see `smaller_call`."""

_PAGE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class _ArrayPlace:
    """Where an array lies: the offset of its first element in the memory, its shape, strides and element type."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]


class SharedCall:
    """Copies of the arguments of a call, made once, without a name in any file system.

    Layouts (see `replica`), places relative to pages, and who is the same array as whom are those of the originals.
    `arguments` maps them, read-only. `close` gives the memory back; so does the end of the object.
    """

    sizes: Mapping[str, int] | None = None
    """Those of the user's call, by name; None: those of the copies."""

    def __init__(self, prepared: Prepared, dense: bool = False) -> None:
        """dense: copies take no more memory than they need, whatever lies between the elements of the originals."""
        self.values: list[Any] = []
        self.bytes, sources = self._laid_out(prepared.arguments, dense)
        self.file = _anonymous(max(self.bytes, 1))
        try:
            with mmap.mmap(self.file, max(self.bytes, 1)) as memory:
                for place, source in sources:
                    copy = _array(place, memory)
                    np.copyto(copy, source)
                    del copy
        except BaseException:
            self.close()
            raise

    def _laid_out(self, arguments: Sequence[Any], dense: bool) -> tuple[int, list[tuple[_ArrayPlace, Array]]]:
        end, sources, known = 0, list[tuple[_ArrayPlace, Array]](), dict[tuple[Any, ...], _ArrayPlace]()
        for argument in arguments:
            if not isinstance(argument, np.ndarray):
                self.values.append(argument)
                continue
            same = argument.ctypes.data, argument.shape, argument.strides, argument.dtype
            if same not in known:
                known[same], end = _placed(argument, end, dense)
                sources.append((known[same], argument))
            self.values.append(known[same])
        return end, sources

    def arguments(self) -> tuple[Any, ...]:
        """The copies, read-only; the same array twice is the same object."""
        memory = mmap.mmap(self.file, max(self.bytes, 1), prot=mmap.PROT_READ)
        arrays = {id(v): _array(v, memory) for v in self.values if isinstance(v, _ArrayPlace)}
        return tuple(arrays[id(v)] if isinstance(v, _ArrayPlace) else v for v in self.values)

    def __getstate__(self) -> tuple[list[Any], int]:
        return self.values, self.bytes

    def __setstate__(self, state: tuple[list[Any], int]) -> None:
        """In the other process: `file`, which travels beside the data, is set by who receives it."""
        self.values, self.bytes = state
        self.file = -1

    def close(self) -> None:
        file, self.file = self.file, -1
        if file >= 0:
            os.close(file)

    def __del__(self) -> None:
        if "file" in vars(self):
            self.close()


def _placed(array: Array, end: int, dense: bool) -> tuple[_ArrayPlace, int]:
    """Where the copy of an array goes behind `end`, and the new end."""
    found = layout(array, gaps=1) if dense else layout(array)
    begin = -(-end // _PAGE_BYTES) * _PAGE_BYTES + (array.ctypes.data - found.first) % _PAGE_BYTES
    return _ArrayPlace(begin + found.first, array.shape, found.strides, array.dtype), begin + found.length


def _array(place: _ArrayPlace, memory: mmap.mmap) -> Array:
    dtype = from_numpy(place.dtype).numpy  # the object that the native call path knows, not one that is equal to it
    if 0 in place.shape:
        return np.empty(place.shape, dtype)
    return np.ndarray(place.shape, dtype, memory, place.offset, place.strides)


def _anonymous(length: int) -> int:
    """A file without a name, which ends with the last process that has it open."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("jitmdh", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as made:
            file = os.dup(made.fileno())
    try:
        os.ftruncate(file, length)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file, 0, length)  # no room is an OSError here, and no SIGBUS later
    except BaseException:
        os.close(file)
        raise
    return file
