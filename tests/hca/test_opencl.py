"""OpenCL devices beyond what all devices have in common; skipped, with the reason, where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, DeviceError
from jitmdh.hca.drivers import opencl as opencl_devices
from jitmdh.hca.drivers.copies.opencl_copies import SharedContext
from jitmdh.hca.drivers.opencl_program import POCL
from jitmdh.hca.drivers.source_kernels.opencl_launches import BoundKernel, QueuedKernel
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Launch, Local, nd_range, read, read_write, write
from jitmdh.hca.interface.source import opencl_source
from jitmdh.hca.interface.statistics import statistics
from jitmdh.hca.registry import devices, find_device
from tests.hca.gates import shut
from tests.waiting import PATIENCE


@pytest.fixture
def device(opencl: Device) -> Device:
    return opencl


SAXPY = """
__kernel void saxpy(const int N, const float a, const __global float* x, __global float* y)
{
    for (int w = 0; w < WPT; ++w) {
        const int index = w * get_global_size(0) + get_global_id(0);
        y[index] += a * x[index];
    }
}
"""


def test_saxpy_of_listing_23(device: Device) -> None:
    n = 1 << 12
    x, y = Buffer(np.arange(n, dtype=np.float32)), Buffer(np.ones(n, np.float32))
    for wpt, a in ((1, 1.0), (16, 2.0), (16, 3.0), (64, -0.0), (64, 0.0)):
        kernel = opencl_source(SAXPY, defines={"WPT": wpt})
        run = device.run(kernel, n, a, read(x), read_write(y), launch=nd_range((n // wpt,), (8,)))
        assert run.nanoseconds > 0
    np.testing.assert_array_equal(y.host, 1 + 6 * np.arange(n, dtype=np.float32))


def test_numbers_are_those_of_each_call(device: Device) -> None:
    """The same number is not bound again, an equal one of another sign is, and what can change is."""
    kernel = opencl_source("kernel void f(global float *x, float a, float2 b) { x[0] = a; x[1] = b.y; }")
    x, pair = Buffer(np.zeros(2, np.float32)), np.array([1, 2], np.float32)
    zero, same = 0.0, np.float32(3)
    for number in (zero, -0.0, zero, zero, float("nan"), 0, True, same, same, zero):
        pair[1] += 1
        device.run(kernel, write(x), number, pair)
        assert x.host.tobytes() == np.array([number, pair[1]], np.float32).tobytes()


def test_the_end_of_short_kernels_alone_is_looked_for() -> None:
    looks: list[int] = []

    class Running:
        @property
        def command_execution_status(self) -> int:
            looks.append(1)
            return running

        def wait(self) -> None: ...

    def seen() -> int:
        looks.clear()
        QueuedKernel(Running(), code, 0).finish()
        return len(looks)

    kernel = SimpleNamespace(function_name="f", num_args=0, set_arg=None)
    code, running = BoundKernel(kernel, int, ValueError), 0
    assert [seen() for _ in range(3)] == [1, 1, 1]
    running = 1
    assert seen() > 1
    assert [seen() > 0 for _ in range(100)].count(True) == 3
    running = 0
    assert [seen() for _ in range(100)].count(1) > 60


def test_vectors_and_files(device: Device, tmp_path: Path) -> None:
    file = tmp_path / "shifted.cl"
    file.write_text("kernel void shifted(global float4 *x, float4 a, float3 b)\n{ x[0] += a; x[0].xyz -= b; }")
    x = Buffer(np.zeros(4, np.float32))
    device.run(opencl_source(file), read_write(x), (1, 2, 3, 4), (0, 1, 0))
    assert x.host.tolist() == [1, 1, 3, 4]
    file.write_text("kernel void wrong(global float *x)\n{\n    x[0] = nothing;\n}")
    with pytest.raises(DeviceError, match=r"shifted\.cl:3"):
        device.run(opencl_source(file), read_write(x))


def test_arrays_of_pyopencl_are_the_same_memory(device: Device) -> None:
    plus = opencl_source("kernel void plus(global float *x) { x[get_global_id(0)] += 1; }")
    for given in (np.zeros((2, 4), np.float32), np.zeros((4, 2), np.float32).T):
        x = Buffer(given)
        array = x.on_device(device)
        device.run(plus, read_write(x), launch=nd_range((8,)))
        array *= 5
        device.run(plus, read_write(x), launch=nd_range((8,)))
        assert (x.host == 6).all() and (given == 6).all() and array.shape == given.shape


def test_buffers_of_arrays_of_pyopencl(device: Device) -> None:
    """Of a context of the caller's own: results come into the array when they are looked at, and what is written."""
    cl: Any = pytest.importorskip("pyopencl")
    arrays: Any = pytest.importorskip("pyopencl.array")
    driver: Any = device.driver
    queue = cl.CommandQueue(cl.Context([driver._device]))
    plus = opencl_source("kernel void plus(global float *x) { x[get_global_id(0)] += 1; }")
    for order in ("C", "F"):
        array = arrays.to_device(queue, np.array(np.arange(8).reshape(2, 4), np.float32, order=order))
        x = Buffer(array)
        for _ in range(2):
            device.run(plus, read_write(x), launch=nd_range((8,)))
        assert (x.host == np.arange(8).reshape(2, 4) + 2).all() and (array.get() == x.host).all()
        x[0] = 7
        assert (array.get()[0] == 7).all()
        device.run(plus, read_write(x), launch=nd_range((8,)))
        assert (x.host[0] == 8).all() and (array.get() == x.host).all()
        with pytest.raises(ArgumentTypeError, match="no part"):
            x.part(0, 1)
    with pytest.raises(ArgumentTypeError, match="cannot be copied to main memory"):
        Buffer(arrays.to_device(queue, np.zeros((4, 4), np.float32))[:, ::2])


def test_local_memory_two_dimensions_and_sizes_left_to_the_driver(device: Device) -> None:
    text = """
    kernel void transposed(global const int *a, global int *b, local int *tile) {
        int i = get_global_id(0), j = get_global_id(1), li = get_local_id(0), lj = get_local_id(1);
        tile[lj * 8 + li] = a[i * get_global_size(1) + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        b[j * get_global_size(0) + i] = tile[lj * 8 + li];
    }
    kernel void minus_one(global int *a) { a[get_global_id(0)] -= 1; }"""
    a = np.arange(16 * 24, dtype=np.int32).reshape(16, 24)
    b = Buffer(np.zeros((24, 16), np.int32))
    launch = nd_range((16, 24), (8, 8))
    device.run(opencl_source(text, "transposed"), read(Buffer(a)), write(b), Local(256), launch=launch)
    device.run(opencl_source(text, "minus_one"), read_write(b), launch=nd_range((24 * 16,)))
    np.testing.assert_array_equal(b.host, a.T - 1)


@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        (Launch((64,), (7,)), r"the local size \(7,\) does not divide the global size \(64,\)"),
        (Launch((1 << 20,), (1 << 20,)), r"a work-group of 1048576 work-items; for this kernel the device has at most"),
        (Launch((-4,), (1,)), r"the global size \(-4,\) is negative"),
        (Launch((64, 2), (8,)), r"the local size \(8,\) does not divide"),
        (Launch((2, 2, 2, 2), None), "the device has 3 dimensions, not 4"),
    ],
)
def test_sizes_that_cannot_be_run(device: Device, launch: Launch, reason: str) -> None:
    kernel = opencl_source("kernel void f(global int *x) { x[get_global_id(0)] = 1; }")
    with pytest.raises(DeviceError, match=f"f cannot be launched.*\n  {reason}"):
        device.run(kernel, write(Buffer(np.zeros(1 << 20, np.int32))), launch=launch)


def test_what_the_compiler_says(device: Device) -> None:
    kernel = opencl_source("kernel void f(global int *x) {\n\n  x[0] = undeclared_name;\n}", defines={"A": 1})
    with pytest.raises(DeviceError, match=r"f does not compile for .*\n(.*\n)*.*3:.*undeclared_name"):
        device.run(kernel, write(Buffer(np.zeros(1, np.int32))))
    with pytest.raises(DeviceError, match="the source has no kernel g"):
        device.compiled(opencl_source("kernel void f(global int *x) { x[0] = 1; }", "g"))


def test_empty_buffers(device: Device) -> None:
    kernel = opencl_source("kernel void f(global int *x, int n) { if (n) x[0] = 1; }")
    buffer = Buffer(np.zeros((0, 3), np.int32))
    device.run(kernel, read_write(buffer), 0)
    assert buffer.host.shape == (0, 3)
    buffer.release()


def test_two_devices_share_a_buffer_by_the_host(device: Device) -> None:
    """Interoperability (thesis 6.3), here between OpenCL and a device that keeps arrays in main memory."""
    from jitmdh.hca.interface.kernel import Ended, Kernel

    class Host:
        language = "python"

        def in_place(self, array: object) -> object:
            return array

        def allocate(self, size_bytes: int) -> object:
            raise AssertionError

        free = copy_in = copy_out = allocate

        def compile(self, kernel: Kernel) -> object:
            return eval(kernel.text)

        def launch(self, code: object, arguments: tuple[object, ...], launch: Launch, uses: object = ()) -> Ended:
            code(*arguments)  # type: ignore[operator]
            return Ended(0, 1)

    host = Device("host", "host", "cpu", 1, 0, Host())  # type: ignore[arg-type]
    double = opencl_source("kernel void f(global int *x) { x[get_global_id(0)] *= 2; }")
    plus_one = Kernel("lambda x: x.__iadd__(1)", "f", "python")
    x = Buffer(np.arange(64, dtype=np.int32))
    for _ in range(3):
        device.run(double, read_write(x), launch=nd_range((64,)))
        host.run(plus_one, read_write(x))
    np.testing.assert_array_equal(x.host, np.arange(64) * 8 + 7)


PLUS = opencl_source("kernel void f(global int *x) { x[get_global_id(0)] += 1; }")
COPIED = opencl_source(
    "kernel void f(global int *y, global const int *x) { y[get_global_id(0)] = x[get_global_id(0)]; }"
)


@pytest.fixture
def two(opencl: Device) -> tuple[Device, Device]:
    """One device as two that copy to each other."""
    cl: Any = pytest.importorskip("pyopencl")
    real: Any = opencl.driver
    one, other = (opencl_devices.device(cl, real._device, "") for _ in range(2))
    shared = SharedContext(cl, [real._device])
    for driver in (one.driver, other.driver):
        driver.shared = shared  # type: ignore[attr-defined]
    return one, other


@contextmanager
def held(buffer: Buffer, where: Device) -> Iterator[threading.Timer]:
    """In the block, whatever writes the buffer on a device does not begin."""
    cl: Any = pytest.importorskip("pyopencl")
    driver: Any = where.driver
    gate = cl.UserEvent(driver.opened()[0])
    with shut(gate) as last:
        driver.graph.note(driver.accesses(((buffer.on(where, False), False),)), 0, gate)
        yield last


def test_a_copy_to_another_device_is_read_before_it_is_overwritten(two: tuple[Device, Device]) -> None:
    """PoCL would wait by itself; so it is also asked whether it is told to."""
    one, other = two
    x, y, z = (Buffer(np.zeros(64, np.int32)) for _ in range(3))
    for where in (one, other, one):
        where.run(PLUS, read_write(x), launch=nd_range((64,)))
    one.run(PLUS, read_write(z), launch=nd_range((64,)))
    with held(x, other) as last:
        other.run(COPIED, write(y), read(x), launch=nd_range((64,)))
        there: Any = one.driver
        assert there.graph.lane_for(there.accesses(((x.on(one, False), True),)))[1]
        one.run(COPIED, write(x), read(z), launch=nd_range((64,)))
        assert last.is_alive()
    assert (y.host == 3).all() and (x.host == 1).all()


def test_devices_of_one_context_copy_to_each_other(opencl: Device, two: tuple[Device, Device]) -> None:
    """Nothing of it begins before the kernel that wrote the memory has ended, nor does the host wait; arrays that were
    handed out are in order with it."""
    one, other = two
    plus, x, n, before = PLUS, Buffer(np.zeros(64, np.int32)), 0, statistics()
    x.on(one, True)
    with held(x, one) as last:
        for where in (one, other, one, one, other):
            where.run(plus, read_write(x), launch=nd_range((64,)))
        assert last.is_alive()
    assert (x.host == 5).all()
    for where in (one, other, one, other, other):
        lent = x.on_device(where)
        where.run(plus, read_write(x), launch=nd_range((64,)))
        lent += 1
        n += 2
    assert (x.host == 5 + n).all()
    seen = statistics() - before
    assert seen.bytes_between_devices == 256 * 6 and seen.bytes_from_devices == 2 * 256 and seen.bytes_to_devices == 512
    opencl.driver.shares_host_memory, kept = False, opencl.driver.shares_host_memory  # type: ignore[attr-defined]
    opencl.run(plus, read_write(x), launch=nd_range((64,)))
    opencl.driver.shares_host_memory = kept  # type: ignore[attr-defined]
    assert (x.host == 6 + n).all() and (statistics() - before).bytes_between_devices == 256 * 6


def test_a_device_is_found_by_name_number_and_property(device: Device) -> None:
    found = devices("opencl")
    assert find_device("opencl", 0) is found[0] and find_device("opencl", device) is device
    assert find_device("opencl", device.name[:8].upper(), device.platform[:5].lower()) is not None
    assert find_device("opencl", lambda d: d.cores >= 1, 0).platform == found[0].platform
    assert find_device("opencl", vendor=device.vendor[:4].upper()).vendor == device.vendor != ""
    with pytest.raises(DeviceError, match=r"there is no device of the vendor 'Zuse' for target 'opencl'"):
        find_device("opencl", vendor="Zuse")
    with pytest.raises(DeviceError, match=r"there is no device 'Tesla K20' on the platform 'NVIDIA' for target"):
        find_device("opencl", "Tesla K20", "NVIDIA")
    with pytest.raises(DeviceError, match=r"there are:.*\n    opencl"):
        find_device("opencl", lambda d: d.cores < 0)


def test_devices_is_a_function_of_the_package(device: Device) -> None:
    from jitmdh import hca

    assert hca.devices("opencl") == devices("opencl") and device in hca.devices()
    (processor,) = hca.devices("cpu")
    assert processor.target == "cpu"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_the_child_of_a_fork_is_told_instead_of_waiting_for_ever(device: Device) -> None:
    program = """
import os, sys, warnings
import numpy as np
from jitmdh.base.errors import ArgumentTypeError, DeviceError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.kernel import read_write
from jitmdh.hca.registry import find_device
from jitmdh.hca.interface.source import opencl_source
device, kernel = find_device("opencl"), opencl_source("kernel void f(global int *x) { x[0] += 1; }")
buffer = Buffer(np.zeros(1, np.int32))
device.run(kernel, read_write(buffer)).wait()
warnings.simplefilter("ignore")
child = os.fork()
if child == 0:
    try:
        device.run(kernel, read_write(buffer))
    except DeviceError as error:
        os._exit(7 if "fork" in str(error) else 1)
    os._exit(2)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=PATIENCE, check=False).returncode == 7


@pytest.mark.parametrize("keeps", ["1", "0"])
def test_sources_are_compiled_once(device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, keeps: str) -> None:
    """And never again, where the driver keeps what it has made, or gives it to be kept."""
    driver, from_source = type(device.driver), list[bool]()
    build: Any = driver._built  # type: ignore[attr-defined]

    def built(self: Any, name: str, options: Any, text: str, binary: Any = None, context: Any = None) -> Any:
        from_source.append(binary is None)
        return build(self, name, options, text, binary, context)

    monkeypatch.setattr(driver, "_built", built)
    monkeypatch.setenv("POCL_KERNEL_CACHE", keeps)
    with mdh.config(cache_dir=tmp_path):
        for _ in range(2):
            np.testing.assert_array_equal(mdh.jit(target="opencl")(doubled)(np.arange(3.0)), [0, 2, 4])
    assert from_source == [True, keeps == "1" and POCL in device.platform]


def doubled(x):  # type: ignore[no-untyped-def]
    return x * 2
