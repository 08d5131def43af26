"""Parts of buffers: several devices hold one array, and every reader sees what was written last."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from jitmdh import hca
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Kernel, read, read_write, write
from jitmdh.hca.interface.statistics import statistics
from jitmdh.hca.registry import devices
from tests.hca.interface.test_buffer import INCREMENT, Linked, Sharing
from tests.hca.interface.test_device import Remote

FILL = Kernel("lambda x: x.fill(9)", "f", "python")
COPY = Kernel("lambda y, x: y.__setitem__(slice(None), x)", "f", "python")


def device(kind: type[Remote]) -> Device:
    return Device(kind.__name__, "a", "gpu", 1, 0, kind())


@pytest.fixture(params=list(product((Remote, Sharing, Linked), (Remote, Sharing, Linked))), ids=str)
def two(request: pytest.FixtureRequest) -> tuple[Device, Device]:
    one, other = request.param
    return device(one), device(other)


def test_two_devices_write_halves_of_one_array(two: tuple[Device, Device]) -> None:
    array = np.arange(8.0)
    out = Buffer(array)
    for _ in range(2):
        two[0].run(INCREMENT, read_write(out.part(0, 4)))
        two[1].run(INCREMENT, read_write(out.part(4, 8)))
    np.testing.assert_array_equal(out.host, np.arange(8) + 2)
    two[0].run(INCREMENT, read_write(out))
    two[1].run(INCREMENT, read_write(out.part(2, 6)))
    assert array is out.host and array.tolist() == [3, 4, 6, 7, 8, 9, 9, 10]


def test_what_another_device_has_written_comes_from_there() -> None:
    one, other = device(Linked), device(Linked)
    x, before = Buffer(np.zeros(8)), statistics()
    for where in (one, other, one, one, other):
        where.run(INCREMENT, read_write(x))
    assert (x.host == 5).all()
    assert one.driver.copies == ["allocate", "in", "across"]  # type: ignore[attr-defined]
    assert other.driver.copies == ["allocate", "across", "across", "out"]  # type: ignore[attr-defined]
    seen = statistics() - before
    assert (seen.bytes_to_devices, seen.bytes_between_devices, seen.bytes_from_devices) == (64, 3 * 64, 64)


def test_halves_that_stay_where_they_are_are_copied_once(two: tuple[Device, Device]) -> None:
    out = Buffer(np.zeros(8))
    for _ in range(3):
        for where, part in zip(two, (out.part(0, 4), out.part(4, 8))):
            where.run(INCREMENT, read_write(part))
    assert (out.host == 3).all()
    assert all(one.driver.copies in ([], ["allocate", "in", "out"]) for one in two)  # type: ignore[attr-defined]


def test_parts_of_parts_are_parts_and_the_same_rows_are_the_same_buffer() -> None:
    out = Buffer(np.zeros((8, 3)))
    assert out.part(2, 8).part(1, 3) is out.part(3, 5) and out.part(3, 5).shape == (2, 3)


def test_tags_have_rows_of_their_own(two: tuple[Device, Device]) -> None:
    out = Buffer(np.zeros(8))
    two[0].run(INCREMENT, read_write(out)[:3])
    two[1].run(INCREMENT, read_write(out)[-2:])
    assert out.host.tolist() == [1, 1, 1, 0, 0, 0, 1, 1]
    assert read(out)[2:5] == read(out.part(2, 5)) and len(write(out)[6:2].buffer) == 0
    for rows in (slice(0, 8, 2), 3):
        with pytest.raises(ArgumentTypeError, match="no rows of a buffer that follow each other"):
            read(out)[rows]  # type: ignore[index]


@pytest.mark.parametrize(("begin", "end"), [(-1, 3), (3, 9), (5, 4)])
def test_rows_that_are_not_there(begin: int, end: int) -> None:
    for buffer in (Buffer(np.zeros(8)), Buffer(np.zeros(12)).part(2, 10)):
        with pytest.raises(ArgumentTypeError, match=r"has no part from"):
            buffer.part(begin, end)
    with pytest.raises(ArgumentTypeError, match="not C-contiguous"):
        Buffer(np.zeros(16)[::2]).part(0, 4)


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_uses_is_as_if_there_were_one_memory(seed: int, two: tuple[Device, Device]) -> None:
    random = Random(seed)
    expected, out, other = np.arange(12.0), Buffer(np.arange(12.0)), Buffer(np.arange(12.0) * 100)
    source = other.host.copy()

    def buffer(begin: int, end: int) -> Buffer:
        return out if (begin, end) == (0, 12) else out.part(begin, end)

    for _ in range(25):
        begin, end = sorted(random.sample(range(13), 2)) if random.random() < 0.8 else (0, 12)
        where, rows = random.choice(two), slice(begin, end)
        match random.choice(["add", "fill", "read", "copy", "host", "overwrite", "release"]):
            case "add":
                where.run(INCREMENT, read_write(buffer(begin, end)))
                expected[rows] += 1
            case "fill":
                where.run(FILL, write(buffer(begin, end)))
                expected[rows] = 9
            case "copy":
                where.run(COPY, write(buffer(begin, end)), read(other.part(begin, end)))
                expected[rows] = source[rows]
            case "read":
                np.testing.assert_array_equal(buffer(begin, end).host, expected[rows])
            case "host":
                buffer(begin, end)[:] = expected[rows] = random.random()
            case "overwrite":
                expected[rows] = random.random()
                buffer(begin, end).overwrite(expected[rows])
            case "release":
                buffer(begin, end).release()
    np.testing.assert_array_equal(out.host, expected)


def test_parts_are_what_two_opencl_devices_share(opencl: Device) -> None:
    plus = hca.opencl_source("kernel void plus(global int *x) { x[get_global_id(0)] += 1; }")
    found, out = devices("opencl"), Buffer(np.arange(4096, dtype=np.int32))
    for n in range(4):
        part = out.part(n * 1024, (n + 1) * 1024)
        for _ in range(n + 1):
            found[n % len(found)].run(plus, read_write(part), launch=hca.nd_range((1024,)))
    np.testing.assert_array_equal(out.host, np.arange(4096) + np.repeat([1, 2, 3, 4], 1024))
