"""Devices, buffers, kernels (thesis ch. 6), on the CPU and on a device that only counts copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.hca.buffer import Buffer
from jitmdh.hca.device import Device
from jitmdh.hca.kernel import Kernel, Launch, read, read_write, write
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


class Remote:
    """A device with memory of its own; a kernel's text is a Python function over its arrays."""

    shares_host_memory = False
    language = "python"

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

    def compile(self, kernel: Kernel) -> Any:
        return eval(kernel.text)

    def launch(self, code: Any, arguments: tuple[Any, ...], launch: Launch) -> tuple[int, float | None]:
        code(*arguments)
        return 0, 0.0

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
    a.run(fill, write(buffer))
    assert first.taken() == []
    assert buffer.host.tolist() == [7.0] * 4
    buffer.host[:] = 1
    buffer.changed()
    a.run(increment, read_write(buffer))
    assert first.taken() == ["out", "in"]
    buffer.release()
    assert buffer.host.tolist() == [2.0] * 4 and first.taken() == ["out", "free"] and second.taken() == ["free"]


def test_measurements() -> None:
    runs: list[int] = []
    found = measure(lambda: runs.append(1), least_runs=5, least_seconds=0.0, warm_up=2)
    assert len(runs) == 7 and len(found.seconds) == 5 and found.least <= found.median
    assert Measurement((1.0, 2.0, 3.0, 4.0, 5.0)).median == 3 and Measurement((1.0,)).spread == 0
