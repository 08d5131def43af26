"""What a call on an OpenCL device costs beside its kernel, and what is copied: one line per target, kept or not.

python -m benchmarks.hca_overhead
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh import hca
from jitmdh.base.errors import DeviceError

ROUNDS, CALLS = 30, 300
ELEMENTS = 64
SAXPY = (
    "kernel void saxpy(float a, global const float *x, global float *y) { int i = get_global_id(0); y[i] += a * x[i]; }"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A measured value and the most it may be, in the same unit."""

    what: str
    value: float
    most: float
    unit: str

    def __str__(self) -> str:
        kept = "✓" if self.value <= self.most else "✗"
        return f"{kept} {self.what:58} {self.value:8.4g} {self.unit:3} (at most {self.most:g})"


@mdh.jit(target="opencl")
def doubled(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] + x[i]


@mdh.jit(target="opencl")
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def microseconds(rows: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least of each, taken in turns."""
    best = dict.fromkeys(rows, float("inf"))
    for _ in range(ROUNDS):
        for name, call in rows.items():
            best[name] = min(best[name], timeit.Timer(call).timeit(CALLS) / CALLS * 1e6)
    return best


def by_hand(driver: Any, x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> Callable[[], object]:
    """Launch and wait in pyopencl, with arguments bound before."""
    cl, (context, queue) = driver._cl, driver.opened()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    kernel = cl.Kernel(cl.Program(context, SAXPY).build(), "saxpy")
    kept = [cl.Buffer(context, flags, hostbuf=a) for a in (x, y)]
    kernel.set_args(np.float32(2), *kept)

    def call(kept: object = kept) -> None:
        cl.enqueue_nd_range_kernel(queue, kernel, (ELEMENTS,), (ELEMENTS,)).wait()

    return call


def on_arrays_of_its_own(driver: Any, x: np.ndarray[Any, Any]) -> Callable[[], object]:
    """A call of a function on arrays of pyopencl, and the end of its kernel."""
    import pyopencl.array

    queue = driver._cl.CommandQueue(driver.opened()[0])
    given = pyopencl.array.to_device(queue, x)
    written = pyopencl.array.empty_like(given)

    def call() -> None:
        doubled(given, written)
        queue.finish()

    return call


def on_buffers(device: hca.Device, x: np.ndarray[Any, Any]) -> Callable[[], object]:
    """The same on buffers that the device has used, one of them by the name of its parameter."""
    given, written = hca.Buffer(x.copy()), hca.Buffer(x.copy())
    for buffer in (given, written):
        buffer.on_device(device)
    driver: Any = device.driver

    def call() -> None:
        doubled(given, y=written)
        driver.synchronize()

    return call


def main() -> None:
    try:
        device = hca.find_device("opencl")
    except DeviceError as error:
        print(error)
        return
    x, y = (np.ones(ELEMENTS, np.float32) for _ in range(2))
    long = np.ones(1 << 15, np.float32)  # parts in parallel, and another kernel that adds them up
    kernel, launch = hca.opencl_source(SAXPY), hca.nd_range((ELEMENTS,), (ELEMENTS,))
    inp, out = hca.Buffer(x.copy()), hca.Buffer(y.copy())
    rows: dict[str, Callable[[], object]] = {
        "hand": by_hand(device.driver, x.copy(), y.copy()),
        "hca": lambda: device.run(kernel, 2.0, hca.read(inp), hca.read_write(out), launch=launch).wait(),
        "one": lambda: doubled(x, y),
        "two": lambda: total(long),
        "lent": on_arrays_of_its_own(device.driver, x),
        "buffers": on_buffers(device, x),
    }
    before = hca.statistics()
    for call in rows.values():
        call()
    took, counted = microseconds(rows), hca.statistics() - before
    print(f"{device}; launch and wait by hand, with arguments bound before: {took['hand']:.1f} µs")
    copied = counted.bytes_to_devices + counted.bytes_from_devices
    for line in (
        Line("bytes copied, aligned arrays", copied, 0, "B"),
        Line("pieces of memory allocated after the first calls", counted.allocations, 1, ""),
        Line(f"call of a function, {ELEMENTS} elements, one launch", took["one"], 20, "µs"),
        Line(f"a sum of {long.size} elements, two launches", took["two"], 25, "µs"),
        Line("of it beside launch and wait by hand", took["one"] - took["hand"], 5, "µs"),
        Line("the same on arrays of pyopencl, beside it", took["lent"] - took["hand"], 20, "µs"),
        Line("the same on buffers of hca, beside it", took["buffers"] - took["hand"], 20, "µs"),
        Line("hca: run and wait, over pyopencl by hand", took["hca"] / took["hand"], 1.1, "×"),
    ):
        print(line)


if __name__ == "__main__":
    main()
