"""The call path in Python: the same steps as `runtime/call.c`, for where that cannot run and for calls it refuses.

It does not look for overlap between arrays: whoever calls it has made sure that the kernel may run on them.
"""

from __future__ import annotations

import ctypes
import struct
from math import prod
from typing import Any, Protocol

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.hca.drivers.cpu_entry import (
    DONE,
    FAILED,
    MISMATCH,
    REFUSED,
    ArrayArgument,
    CallDescription,
    Plan,
    ScalarArgument,
    SizeCondition,
    StaticArgument,
)

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)  # releases the GIL


class Places(Protocol):
    """Where the arrays of a call are."""

    def place(self, array: np.ndarray[Any, Any]) -> int:
        """What stands in the frame for an array."""

    def fetch(self, array: np.ndarray[Any, Any]) -> None:
        """Brings what the kernel stored into an array that was made for it."""


class _MainMemory:
    def place(self, array: np.ndarray[Any, Any]) -> int:
        address: int = array.ctypes.data
        return address

    def fetch(self, array: np.ndarray[Any, Any]) -> None:
        """It is there."""


_MAIN_MEMORY = _MainMemory()


@dataclass(frozen=True, slots=True, eq=False)
class CallFrame:
    """The words that a kernel is called with, and by number the arrays made for what it returns."""

    words: ctypes.Array[ctypes.c_int64]
    made: dict[int, np.ndarray[Any, Any]]

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)


def call(plan: Plan, arguments: tuple[Any, ...], places: Places = _MAIN_MEMORY) -> tuple[int, Any]:
    """(status, result), as `NativeCallPath.call`."""
    status, frame = frame_of(plan, arguments, places)
    if frame is None:
        return status, None
    status = FUNCTION(plan.code.address_of("kernel"))(frame.address)
    if status:
        return FAILED | status << 8, None
    for array in frame.made.values():
        places.fetch(array)
    return DONE, _results(plan.description, arguments, frame.made)


def frame_of(
    plan: Plan, arguments: tuple[Any, ...], places: Places = _MAIN_MEMORY
) -> tuple[int, CallFrame | None]:  # fmt: skip
    """All of a call but the kernel: a status as `call` gives it, with a frame where that is DONE."""
    description = plan.description
    words = argument_words(description, arguments, places)
    if words is None or not all(_holds(c, prod(words[slot] for slot in c.slots)) for c in description.conditions):
        return MISMATCH, None
    words += [0] * (description.frame_slots - len(words))
    frame = (ctypes.c_int64 * max(1, len(words)))(*words)
    if "guard" in plan.code:
        refused = FUNCTION(plan.code.address_of("guard"))(ctypes.addressof(frame))
        if refused:
            return REFUSED | refused << 8, None
    return DONE, CallFrame(frame, _allocate(description, frame, places))


def _holds(condition: SizeCondition, size: int) -> bool:
    return condition.least <= size <= condition.most and size % condition.multiple == 0


def argument_words(
    description: CallDescription, arguments: tuple[Any, ...], places: Places = _MAIN_MEMORY
) -> list[int] | None:
    """The slots of the arguments; None if one is not what the description says."""
    if len(arguments) != len(description.arguments):
        return None
    words: list[int] = []
    for expected, given in zip(description.arguments, arguments):
        if isinstance(expected, StaticArgument):
            words.append(0)
        elif isinstance(expected, ScalarArgument):
            data = np.array(given, expected.type.numpy).tobytes()
            data += bytes(-len(data) % 8)
            words += struct.unpack(f"{len(data) // 8}q", data)
        elif _fits(expected, given):
            words += [places.place(given), *given.shape, *_strides(given)]
        else:
            return None
    return words


def _fits(expected: ArrayArgument, given: Any) -> bool:
    if not isinstance(given, np.ndarray) or given.dtype != expected.type.numpy or given.ndim != expected.rank:
        return False
    if not given.flags.aligned or (expected.written and not given.flags.writeable):
        return False
    if expected.rows and not given.flags.c_contiguous:
        return False
    strides = _strides(given)
    if any(stride % given.itemsize for stride in strides):
        return False
    if not given.size or not given.ndim:
        return True
    if expected.unit_axis is None:  # what has such an axis has code that knows it
        return all(s != given.itemsize for n, s in zip(given.shape, strides) if n > 1)
    return strides[expected.unit_axis] == given.itemsize


def _strides(given: np.ndarray[Any, Any]) -> list[int]:
    """Strides in bytes; that of a single element, which means nothing, as the item size."""
    return [s if n > 1 else given.itemsize for n, s in zip(given.shape, given.strides)]


def _allocate(
    description: CallDescription, frame: ctypes.Array[ctypes.c_int64], places: Places
) -> dict[int, np.ndarray[Any, Any]]:
    """The returned allocations by number, their addresses put into the frame."""
    made = {}
    for number, (allocation, slot) in enumerate(zip(description.allocations, description.allocation_slots)):
        if allocation.returned:
            shape = tuple(frame[slot + 1 : slot + 1 + allocation.rank])
            made[number] = np.empty(shape, allocation.type.numpy, "F" if allocation.fortran else "C")
            frame[slot] = places.place(made[number])
    return made


def _results(description: CallDescription, arguments: tuple[Any, ...], made: dict[int, np.ndarray[Any, Any]]) -> Any:
    if description.results is None:
        return None
    values = tuple(
        _value(description, r.number, made) if r.allocated else arguments[r.number] for r in description.results
    )
    return values if description.returns_tuple else values[0]


def _value(description: CallDescription, number: int, made: dict[int, np.ndarray[Any, Any]]) -> Any:
    allocation = description.allocations[number]
    if allocation.length is not None:
        made[number].resize((int(made[allocation.length][()]), *made[number].shape[1:]), refcheck=False)
    if allocation.rank:
        return made[number]
    value = made[number][()]
    return value.item() if allocation.type.is_weak else value
