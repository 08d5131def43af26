"""Devices, buffers, kernels (thesis ch. 6), on the CPU and on a device that only counts copies."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Ended, Execution, Kernel, Launch, read, read_write, write
from jitmdh.hca.registry import devices
from jitmdh.hca.timing import Measurement, measure

ADD = """
define i64 @add(ptr %f) {
entry:
  %ap = load ptr, ptr %f
  %np = getelementptr i64, ptr %f, i64 1
  %n = load i64, ptr %np
  %sp = getelementptr i64, ptr %f, i64 3
  %s = load double, ptr %sp
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %body, label %out
body:
  %p = getelementptr double, ptr %ap, i64 %i
  %v = load double, ptr %p
  %w = fadd double %v, %s
  store double %w, ptr %p
  %i1 = add i64 %i, 1
  br label %loop
out:
  ret i64 %n
}
"""


def test_the_processor_is_a_device() -> None:
    (cpu,) = devices("cpu")
    assert cpu in mdh.devices()
    assert cpu.kind == "cpu" and cpu.cores >= 1 and cpu.memory_bytes > 0 and str(cpu).startswith("cpu: ")
    buffer = Buffer(np.arange(5.0))
    execution = cpu.run(Kernel(ADD, "add", "llvm"), read_write(buffer), 2.5)
    assert execution.status == 5 and execution.seconds > 0
    assert buffer.host.tolist() == [2.5, 3.5, 4.5, 5.5, 6.5]
    with pytest.raises(ConfigurationError, match="runs kernels in llvm"):
        cpu.run(Kernel("", "add", "cuda"))
    with pytest.raises(DeviceError, match="tpu"):
        devices("tpu")


def test_arrays_of_numpy_are_the_same_memory() -> None:
    (cpu,) = devices("cpu")
    buffer = Buffer(np.arange(5.0))
    buffer.on_device(cpu)[:] += 1
    cpu.run(Kernel(ADD, "add", "llvm"), read_write(buffer), 2.5)
    assert buffer.host.tolist() == [3.5, 4.5, 5.5, 6.5, 7.5]


class Remote:
    """A device with memory of its own; a kernel's text is a Python function over its arrays."""

    language = "python"

    def in_place(self, array: Any) -> None:
        """It has memory of its own."""

    def __init__(self) -> None:
        self.copies: list[str] = []

    def allocate(self, size_bytes: int) -> Any:
        self.copies.append("allocate")
        return np.zeros(size_bytes // 8)

    def free(self, handle: Any) -> None:
        self.copies.append("free")

    def copy_in(self, handle: Any, array: Any) -> None:
        self.copies.append("in")
        handle[:] = array

    def copy_out(self, handle: Any, array: Any) -> None:
        self.copies.append("out")
        array[:] = handle

    def copy_from(self, handle: Any, other: Any, source: Any, size_bytes: int) -> Any:
        """There is no way from device to device."""

    def compile(self, kernel: Kernel) -> Any:
        return eval(kernel.text)

    def launch(self, code: Any, arguments: tuple[Any, ...], launch: Launch, uses: Any = ()) -> Ended:
        code(*arguments)
        return Ended(0, 1)

    def taken(self) -> list[str]:
        taken, self.copies = self.copies, []
        return taken


def test_copies_are_made_only_where_needed() -> None:
    first, second = Remote(), Remote()
    a, b = Device("a", "a", "gpu", 1, 0, first), Device("b", "b", "gpu", 1, 0, second)
    buffer = Buffer(np.zeros(4))
    increment = Kernel("lambda x: x.__iadd__(1)", "f", "python")
    fill = Kernel("lambda x: x.fill(7)", "f", "python")
    look = Kernel("lambda x: None", "f", "python")
    a.run(increment, read_write(buffer))
    a.run(increment, read_write(buffer))
    assert first.taken() == ["allocate", "in"]
    b.run(increment, read_write(buffer))
    assert first.taken() == ["out"] and second.taken() == ["allocate", "in"]
    assert buffer.host.tolist() == [3.0] * 4
    assert second.taken() == ["out"] and first.taken() == []
    a.run(look, read(buffer))
    b.run(look, read(buffer))
    assert first.taken() == ["in"] and second.taken() == []
    a.run(increment, read_write(buffer))
    buffer.overwrite(np.full(4, 5.0))
    assert first.taken() == [] and buffer.host.tolist() == [5.0] * 4
    a.run(increment, read_write(buffer))
    assert first.taken() == ["in"]
    a.run(fill, write(buffer))
    assert first.taken() == []
    assert buffer.host.tolist() == [7.0] * 4
    buffer.host[:] = 1
    buffer.changed()
    a.run(increment, read_write(buffer))
    assert first.taken() == ["out", "in"]
    buffer.release()
    assert buffer.host.tolist() == [2.0] * 4 and first.taken() == ["out", "free"] and second.taken() == ["free"]


class Later(Remote):
    """A device that does nothing until someone waits: first in, first out."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: list[Callable[[], object]] = []

    def copy_in(self, handle: Any, array: Any) -> Task:
        return self.later(lambda: Remote.copy_in(self, handle, array))

    def copy_out(self, handle: Any, array: Any) -> None:
        self.later(lambda: Remote.copy_out(self, handle, array)).wait()

    def launch(self, code: Any, arguments: tuple[Any, ...], launch: Launch, uses: Any = ()) -> Any:
        return self.later(lambda: code(*arguments))

    def later(self, work: Callable[[], object]) -> Task:
        self.queue.append(work)
        return Task(self, work)


class Task:
    def __init__(self, device: Later, work: Callable[[], object]) -> None:
        self.device, self.work = device, work

    def wait(self) -> tuple[int, int]:
        while self.work in self.device.queue:
            self.device.queue.pop(0)()
        return 0, 7


def test_the_host_waits_only_where_it_needs_what_a_device_has() -> None:
    driver = Later()
    device = Device("a", "a", "gpu", 1, 0, driver)
    double = Kernel("lambda x: x.__imul__(2)", "f", "python")
    copy = Kernel("lambda x, y: y.__setitem__(slice(None), x)", "f", "python")
    x, y = Buffer(np.ones(4)), Buffer(np.zeros(4))
    device.run(double, read_write(x))
    execution = device.run(copy, read(x), write(y))
    assert len(driver.queue) == 3 and repr(execution) == "Execution(running)"
    assert y.host.tolist() == [2.0] * 4 and driver.queue == []
    assert execution.wait() is execution and execution.nanoseconds == 7 and execution.seconds == pytest.approx(7e-9)
    assert repr(execution) == "Execution(status=0, nanoseconds=7)"
    # main memory may be written only when the copies that read it are made
    z = Buffer(np.ones(4))
    device.run(copy, read(z), write(y))
    assert len(driver.queue) == 2
    z.host[:] = 9.0
    assert len(driver.queue) == 1 and y.host.tolist() == [1.0] * 4
    z.changed()
    device.run(copy, read(z), write(y))
    z.overwrite(np.full(4, 3.0))
    assert y.host.tolist() == [9.0] * 4


def test_an_array_that_a_device_uses_lives_until_the_kernel_has_ended() -> None:
    class InPlace(Later):
        def in_place(self, array: Any) -> Any:
            return weakref.proxy(array)

    driver, seen = InPlace(), list[float]()
    device = Device("a", "a", "cpu", 1, 0, driver)
    driver.compile = lambda kernel: lambda x: seen.append(float(x.sum()))  # type: ignore[method-assign]
    device.run(Kernel("", "f", "python"), read(Buffer(np.ones(4))))
    assert seen == [4.0] and driver.queue == []


def test_an_execution_that_failed_says_so_each_time() -> None:
    class Failing:
        def wait(self) -> tuple[int, int]:
            raise DeviceError("lost")

    execution = Execution(Failing())
    for _ in range(2):
        with pytest.raises(DeviceError, match="lost"):
            execution.wait()


def test_code_is_compiled_once_and_forgotten_when_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    class Counting(Remote):
        def compile(self, kernel: Kernel) -> Any:
            compiled.append(kernel.text)
            return eval(kernel.text)

    monkeypatch.setattr("jitmdh.hca.interface.device._CODES_KEPT", 2)
    device = Device("a", "a", "gpu", 1, 0, Counting())
    for number in (1, 2, 1, 3, 1, 2):
        device.run(Kernel(f"lambda: {number}", "f", "python"))
    assert [text[-1] for text in compiled] == ["1", "2", "3", "2"]


def test_measurements() -> None:
    runs: list[int] = []
    found = measure(lambda: runs.append(1), least_runs=5, least_seconds=0.0, warm_up=2)
    assert len(runs) == 7 and len(found.seconds) == 5 and found.least <= found.median
    assert Measurement((1.0, 2.0, 3.0, 4.0, 5.0)).median == 3 and Measurement((1.0,)).spread == 0
