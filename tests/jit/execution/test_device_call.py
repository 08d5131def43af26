"""Decorated functions on an OpenCL device: layouts, types, results, errors, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import hca
from jitmdh.base.errors import NotAnMdhError
from jitmdh.hca.drivers import opencl as opencl_devices
from jitmdh.hca.interface.device import Device
from jitmdh.jit.execution import device_call
from jitmdh.mdh.targets.c_dialects import types


@pytest.fixture(params=["in place", "by copies"], scope="module", autouse=True)
def device(request: pytest.FixtureRequest, opencl: Device) -> Iterator[Device]:
    """The device as it is, and as if it had memory of its own."""
    found, driver = opencl, opencl.driver
    if request.param == "by copies":
        found = opencl_devices.device(driver._cl, driver._device, opencl.platform)  # type: ignore[attr-defined]
    elif not driver.shares_host_memory:  # type: ignore[attr-defined]
        pytest.skip("it has memory of its own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_call, "find_device", lambda target: found)
        yield found


class on_opencl:  # like a decorator
    """A function compiled for the device that the tests run on now."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.compiled: dict[Device, Any] = {}

    def __call__(self, *arguments: Any) -> Any:
        return self.here()(*arguments)

    def here(self) -> Any:
        device = device_call.find_device("opencl")
        if device not in self.compiled:
            self.compiled[device] = mdh.jit(target="opencl", cache=False)(self.py_func)
        return self.compiled[device]


@on_opencl
def matvec(w, M, v):  # type: ignore[no-untyped-def]
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


@on_opencl
def blurred(x):  # type: ignore[no-untyped-def]
    y = np.zeros(x.shape[0], x.dtype)
    for i in range(1, x.shape[0] - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return y


@on_opencl
def smoothed(steps, x, y):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        for i in range(1, x.shape[0] - 1):
            y[i] = x[i - 1] + x[i + 1]
        for i in range(1, x.shape[0] - 1):
            x[i] = y[i] / 2


@on_opencl
def total(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


RNG = np.random.default_rng(0)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint64"])
def test_types(dtype: str) -> None:
    M, v = (RNG.integers(0, 100, shape).astype(dtype) for shape in ((37, 53), 53))
    w = RNG.integers(0, 9, 37).astype(dtype)
    wanted = w + M @ v
    matvec(w, M, v)
    np.testing.assert_array_equal(w, wanted)


@pytest.mark.parametrize(
    "layout",
    [
        lambda a: np.asfortranarray(a), lambda a: a[::-1], lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: np.broadcast_to(a[:1], a.shape), lambda a: a[:, ::-1], lambda a: a[:0],
    ],
)  # fmt: skip
def test_layouts(layout: Callable[[Any], Any]) -> None:
    M = layout(RNG.integers(0, 100, (9, 21)).astype(float))
    v, whole = RNG.integers(0, 100, 21).astype(float), np.ones(2 * M.shape[0])
    matvec(whole[::2], M, v)
    np.testing.assert_array_equal(whole[::2], 1 + M @ v)
    np.testing.assert_array_equal(whole[1::2], np.ones(M.shape[0]))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(dtype: str) -> None:
    M, v = (RNG.integers(-9, 9, (*shape, 2)).astype("float32").view("complex64")[..., 0].astype(dtype)
            for shape in ((37, 53), (53,)))  # fmt: skip
    w = np.full(37, 1 + 2j, dtype)
    matvec(w, M, v)
    np.testing.assert_array_equal(w, 1 + 2j + M @ v)
    columns = np.full((37, 2), 1 + 2j, dtype)
    matvec(columns[:, 1], M[:, ::-1], v)
    np.testing.assert_array_equal(columns[:, 1], 1 + 2j + M[:, ::-1] @ v)
    assert (columns[:, 0] == 1 + 2j).all()


def test_results_time_loops_and_large_reductions() -> None:
    x = RNG.random(1000).astype(np.float32)
    y = blurred(x)
    assert y.dtype == np.float32 and y[0] == y[-1] == 0
    np.testing.assert_allclose(y[1:-1], (x[:-2] + x[1:-1] + x[2:]) / 3, rtol=1e-6)
    a, b = RNG.random(100_000), np.zeros(100_000)
    expected = a.copy()
    for _ in range(3):
        expected[1:-1] = (expected[:-2] + expected[2:]) / 2
    smoothed(3, a, b)
    np.testing.assert_allclose(a, expected)
    big = RNG.random(1_000_000)
    assert total(big) == pytest.approx(big.sum()) and total(big[:0]) == 0.0
    flags = np.array([True, False, True])
    assert total(flags) == 2


def test_the_same_array_twice() -> None:
    @on_opencl
    def doubled(x, y):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            x[i] = x[i] + y[i]

    x = RNG.random(33)
    wanted = 2 * x
    doubled(x, x)
    np.testing.assert_array_equal(x, wanted)
    backwards = RNG.random(33)[::-1]  # cannot be used in place, and must be one copy
    wanted = 2 * backwards
    doubled(backwards, backwards)
    np.testing.assert_array_equal(backwards, wanted)
    halves = RNG.random(20)
    wanted = np.r_[halves[:10] + halves[10:], halves[10:]]
    doubled(halves[:10], halves[10:])
    np.testing.assert_array_equal(halves, wanted)


def test_what_is_copied(device: Device) -> None:
    @mdh.jit(target="opencl", cache=False)
    def product(M, v):  # type: ignore[no-untyped-def]
        w = np.zeros(M.shape[0])
        for i in range(M.shape[0]):
            for k in range(M.shape[1]):
                w[i] += M[i, k] * v[k]
        return w

    M, v = np.ones((30, 40)), np.ones(80)
    before = hca.statistics()
    for _ in range(3):
        assert (product(M, v[::2]) == 40).all()
    found, all_of_it = product.stats(), hca.statistics() - before
    assert found.launches == all_of_it.launches >= 3
    copied = (found.bytes_to_device, found.bytes_from_device)
    assert copied == (all_of_it.bytes_to_devices, all_of_it.bytes_from_devices)
    if device.driver.shares_host_memory:  # type: ignore[attr-defined]
        assert copied == (0, 0) and found.allocations == all_of_it.allocations
        assert found.allocations <= 1  # a working buffer, where the model has tiles copied; it is kept
    else:
        assert copied == (3 * 8 * (30 * 40 + 80), 3 * 8 * 30)


def test_working_buffers_are_kept_for_the_next_call() -> None:
    @mdh.jit(target="opencl", cache=False)
    def spread(x):  # type: ignore[no-untyped-def]
        mean = x.sum() / x.size
        return ((x - mean) * (x - mean)).sum()

    x = RNG.random(300_000)
    for _ in range(3):
        np.testing.assert_allclose(spread(x), ((x - x.mean()) ** 2).sum())
    once = spread.stats()
    for _ in range(3):
        spread(x)
    assert spread.stats().launches == 2 * once.launches


def test_errors_leave_arrays_as_they_were() -> None:
    w = np.ones(5)
    with pytest.raises(IndexError, match="out of bounds"):
        matvec(w, np.ones((6, 3)), np.ones(3))
    assert (w == 1).all()

    @on_opencl
    def divided(x, y):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            x[i] = x[i] // y[i] + 3 // (i - 1)

    with pytest.raises(ZeroDivisionError, match="modulo by zero"):
        divided(np.ones(3, int), np.array([1, 0, 2]))


@on_opencl
def wrapping(add_int, mod_int, neg_int, x):
    for i in range(x.shape[0]):
        add_int[i] = (x[i] + mod_int[i]) % 7 - x[i] * 3
        neg_int[i] = -x[i]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_integers_wrap_around_and_arguments_have_names_of_functions(dtype: str) -> None:
    x, y = (np.arange(50) * 0x1234567890ABCD).astype(dtype), (np.arange(50) * 0x7654321).astype(dtype)
    found, expected = ([np.zeros(50, dtype), y.copy(), np.zeros(50, dtype), x] for _ in range(2))
    wrapping(*found)
    with np.errstate(all="ignore"):
        wrapping.py_func(*expected)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[2], expected[2])


@on_opencl
def chosen(y, x, index):
    for i in range(y.shape[0]):
        y[i] = x[index[i]]


def test_what_data_decide() -> None:
    x, y, index = np.arange(5.0), np.zeros(3), np.array([4, -1, 0])
    chosen(y, x, index)
    np.testing.assert_array_equal(y, [4, 4, 0])
    with pytest.raises(IndexError, match="out of bounds"):
        chosen(y, x, np.array([1, 5, 0]))
    np.testing.assert_array_equal(y, [4, 4, 0])
    chosen(y, x.astype(np.float16), index[::-1])
    np.testing.assert_array_equal(y, [0, 4, 4])


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(types, "LANES", (1,))

    def sizes(y, x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            y[i] = abs(x[i])

    x, y = -np.ones(640), np.zeros(640)
    with pytest.raises(NotAnMdhError, match=r"a vector of [0-9]+ lanes is not supported by the OpenCL back end"):
        on_opencl(sizes)(y, x)
    with pytest.warns(mdh.JitWarning, match="not supported by the OpenCL back end"):
        mdh.jit(target="opencl", fallback="python", cache=False)(sizes)(y, x)
    assert (y == 1).all()


def test_members() -> None:
    a, decorated = np.ones(4), total.here()
    assert "kernel void kernel_0" in decorated.inspect(a, stage="opencl")
    assert "parallel for (long item.1 = 0; item.1 < 1; item.1++) {  // kernel_0" in decorated.inspect(a, stage="opencl")
    assert "vload" in mdh.jit(cache=False)(total.py_func).inspect(np.ones(99), stage="opencl")
    assert "part_size" in decorated.config(a)["total"]
    assert "of the time" not in str(decorated.explain(a, measure=False))
    assert "% reached" in str(decorated.explain(a))
    assert decorated.stats().compiles >= 1


@pytest.mark.in_turns(2)
def test_tuning(device: Device) -> None:
    """Candidates run in a helper process first; what is found is there in the next process, too."""

    def product(w, M, v):  # type: ignore[no-untyped-def]
        for i in range(M.shape[0]):
            for k in range(M.shape[1]):
                w[i] += M[i, k] * v[k]

    function, w, M, v = mdh.jit(target="opencl")(product), np.zeros(60), RNG.random((60, 90)), RNG.random(90)
    report = function.tune(w, M, v, evaluations=3)
    assert report.evaluations == 3 and not w.any() and all(t.seconds for t in report.history), report
    function(w, M, v)
    np.testing.assert_allclose(w, M @ v)
    again = mdh.jit(target="opencl")(product)
    assert again.config(w, M, v) == function.config(w, M, v) and again.stats().compiles == 0
