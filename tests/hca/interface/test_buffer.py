"""Buffers as arrays: any strides, arrays of other libraries, what is no array of main memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Kernel, read, read_write, write
from tests.hca.interface.test_device import Remote

INCREMENT = Kernel("lambda x: x.__iadd__(1)", "f", "python")


class Sharing(Remote):
    """A device that uses arrays where they are."""

    def in_place(self, array: Any) -> Any:
        return array


class Linked(Remote):
    """A device with memory of its own that others of its kind copy from."""

    def copy_from(self, handle: Any, other: Any, source: Any, size_bytes: int) -> Any:
        if not isinstance(other, Linked):
            return None
        assert handle.nbytes == source.nbytes == size_bytes
        self.copies.append("across")
        handle[:] = source
        return True


class Foreign:
    """An array of another library. device: of DLPack; 1 is main memory."""

    def __init__(self, array: np.ndarray[Any, Any], device: int) -> None:
        self.array, self.device = array, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **how: Any) -> Any:
        return self.array.__dlpack__(**how)


@pytest.fixture(params=[Remote, Sharing])
def device(request: pytest.FixtureRequest) -> Device:
    return Device("a", "a", "gpu", 1, 0, request.param())


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[1:], np.s_[:]])
def test_results_reach_arrays_of_any_strides(device: Device, view: Any) -> None:
    whole = np.zeros(8)
    part = whole[view]
    buffer = Buffer(part)
    device.run(INCREMENT, read_write(buffer))
    assert buffer.host is part and (part == 1).all() and whole.sum() == part.size
    part[0] = 5
    buffer.changed()
    device.run(INCREMENT, read_write(buffer))
    assert buffer.host[0] == 6 and (part[1:] == 2).all()
    buffer.overwrite(np.full(part.size, 3.0))
    device.run(INCREMENT, read_write(buffer))
    buffer.release()
    assert (part == 4).all()


def test_buffers_are_used_like_arrays(device: Device) -> None:
    buffer = Buffer(np.zeros((4, 2)))
    device.run(INCREMENT, read_write(buffer)) if device.driver.in_place(np.zeros(1)) is not None else None
    buffer[1:3] = 7.0
    assert len(buffer) == 4 and buffer[2, 1] == 7 and np.asarray(buffer).shape == (4, 2)
    assert np.asarray(buffer, np.float32).dtype == np.float32 and np.asarray(buffer) is buffer.host


def test_arrays_of_other_libraries_in_main_memory_are_not_copied(device: Device) -> None:
    memory = np.zeros(4)
    buffer = Buffer(Foreign(memory, 1))
    device.run(INCREMENT, read_write(buffer))
    assert (np.asarray(buffer) == 1).all() and (memory == 1).all()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (Foreign(np.zeros(4), 2), "Foreign is an array of another device"),
        (type("Array", (), {"__module__": "pyopencl.array"})(), r"pyopencl\.Array is an array of another device"),
        ([1, 2], r"builtins\.list is no array"),
    ],
)
def test_what_is_no_array_of_main_memory_is_refused(array: Any, message: str) -> None:
    with pytest.raises(ArgumentTypeError, match=message):
        Buffer(array)


def test_what_is_read_only_is_refused_by_its_tag(device: Device) -> None:
    array = np.broadcast_to(np.float64(1), (4,))
    for tag in (write, read_write):
        with pytest.raises(ArgumentTypeError, match="this one's is read-only"):
            tag(Buffer(array))
    y = Buffer(np.zeros(4))
    device.run(Kernel("lambda y, x: y.__iadd__(x)", "f", "python"), read_write(y), read(Buffer(array)))
    assert y.host.tolist() == [1] * 4


def test_what_is_no_buffer_is_refused_by_its_tag() -> None:
    with pytest.raises(ArgumentTypeError, match=r"read\(\) takes a Buffer, not ndarray"):
        read(np.ones(3))  # type: ignore[arg-type]
