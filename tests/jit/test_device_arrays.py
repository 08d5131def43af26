"""Arrays that lie on a device decide where a function runs; results lie there, too."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import hca
from jitmdh.base.errors import ArgumentTypeError, BoundsError, DeviceError
from jitmdh.hca.interface.buffer import Buffer, BufferPart
from jitmdh.hca.interface.device import Device
from jitmdh.jit.execution import lent_arrays
from tests.hca.gates import shut
from tests.hca.interface.test_buffer import Foreign
from tests.waiting import PATIENCE, wait_until

PLUS = "kernel void plus(global double *x) { x[get_global_id(0)] += 1; }"


def scaled(y, x, a):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = a * x[i]


def doubled(x):  # type: ignore[no-untyped-def]
    return x + x


def opencl_array(device: Device, values: Any) -> Any:
    """An array in a context and a queue of the caller's own."""
    cl = pytest.importorskip("pyopencl")
    array = pytest.importorskip("pyopencl.array")
    driver: Any = device.driver
    return array.to_device(cl.CommandQueue(cl.Context([driver._device])), np.asarray(values))


@pytest.mark.parametrize("target", [None, "opencl"])
def test_arrays_of_pyopencl(opencl: Device, target: str | None) -> None:
    function = mdh.jit(target=target, cache=False)(scaled)
    x = opencl_array(opencl, np.arange(1000.0))
    y = x * 0
    for view in (np.s_[:], np.s_[10:500], np.s_[::-1]):
        y.fill(0)
        x += 1  # in the caller's queue
        function(y[view], x[view], 3.0)
        expected = np.zeros(1000)
        expected[view] = 3 * x.get()[view]
        np.testing.assert_array_equal((y + 0).get(), expected)
    found = function.stats()
    assert found.launches == 3 and found.calls == 3
    function(x, x, 2.0)
    np.testing.assert_array_equal(x.get(), 2 * np.arange(3.0, 1003))


def test_new_arrays_are_of_the_kind_of_the_arguments(opencl: Device) -> None:
    function, x = mdh.jit(cache=False)(doubled), opencl_array(opencl, np.arange(12.0))
    found = function(x)
    assert type(found) is type(x) and found.queue == x.queue
    np.testing.assert_array_equal((found + 1).get(), 2 * np.arange(12.0) + 1)
    assert isinstance(function(np.ones(3)), np.ndarray)
    result = function(Buffer(np.ones(3)))
    assert isinstance(result, Buffer) and result[0] == 2


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_parts_of_arguments_outlive_the_call(opencl: Device) -> None:
    def part(x):  # type: ignore[no-untyped-def]
        log = [x.size]
        return x[:3], x, log

    x = opencl_array(opencl, np.arange(12.0))
    found, same, _ = mdh.jit(cache=False, fallback="python")(part)(x)
    x.fill(0)
    assert same is x and found.get().tolist() == [0, 1, 2]


def test_buffers_are_computed_with_where_they_were_used(opencl: Device) -> None:
    function, plus = mdh.jit(cache=False)(scaled), hca.opencl_source(PLUS)
    x, y = Buffer(np.arange(8.0)), Buffer(np.zeros(8))
    function(y, x, 2.0)  # on the processor
    assert function.stats().launches == 0 and y[3] == 6
    for b in (x, y):
        opencl.run(plus, hca.read_write(b), launch=hca.nd_range((8,)))
    function(y, x, 2.0)
    opencl.run(plus, hca.read_write(y), launch=hca.nd_range((8,)))
    assert function.stats().launches == 1
    np.testing.assert_array_equal(y, 2 * np.arange(1.0, 9) + 1)


def test_errors_come_as_for_arrays_of_numpy(opencl: Device) -> None:
    y = opencl_array(opencl, np.zeros(5))
    with pytest.raises(BoundsError):
        mdh.jit(cache=False)(scaled)(y, opencl_array(opencl, np.ones(3)), 1.0)
    assert not y.get().any()


def test_arrays_in_two_places_are_an_error_that_names_both(opencl: Device) -> None:
    function, x = mdh.jit(cache=False)(scaled), opencl_array(opencl, np.ones(4))
    with pytest.raises(ArgumentTypeError, match="argument `y` is in main memory, argument `x` in opencl device"):
        function(np.ones(4), x, 1.0)
    with pytest.raises(ArgumentTypeError, match=r"argument `y` is on opencl device .*, argument `x` on cuda device 0"):
        function(x, Foreign(np.ones(4), 2), 1.0)
    with pytest.raises(DeviceError, match="no device for target 'cuda'"):
        function(Foreign(np.ones(4), 2), Foreign(np.ones(4), 2), 1.0)


def test_a_device_that_functions_do_not_run_on(opencl: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = opencl_array(opencl, np.ones(4))
    monkeypatch.setattr(type(opencl.driver), "identity_of_device", -1)
    with pytest.raises(DeviceError, match=r"which functions do not run on.*\n  they run on opencl device"):
        mdh.jit(cache=False)(scaled)(x, x, 1.0)


def gathered(y, x, index):  # type: ignore[no-untyped-def]
    for i in range(index.shape[0]):
        y[i] = x[index[i]]


def on_queue(like: Any, values: Any) -> Any:
    """An array where another one is."""
    return pytest.importorskip("pyopencl.array").to_device(like.queue, np.asarray(values))


@contextmanager
def held(queue: Any) -> Iterator[Any]:
    """In the block, what is started in a queue does not begin. Gives what tells whether that is still so."""
    cl = pytest.importorskip("pyopencl")
    gate = cl.UserEvent(queue.context)
    cl.enqueue_barrier(queue, wait_for=[gate])
    with shut(gate) as last:
        yield last


def test_calls_return_before_their_kernels_begin(opencl: Device) -> None:
    function, x = mdh.jit(cache=False)(scaled), opencl_array(opencl, np.arange(1000.0))
    y = x * 0
    function(y, x, 1.0)
    with held(x.queue) as last:
        function(y, x, 3.0)
        found = mdh.jit(cache=False)(doubled)(y)
        assert last.is_alive()
    np.testing.assert_array_equal(found.get(), 6 * np.arange(1000.0))
    function.wait()
    assert function.stats().bytes_to_device == function.stats().bytes_from_device == 0


def test_kernels_begin_although_nobody_waits(opencl: Device) -> None:
    cl, cla = pytest.importorskip("pyopencl"), pytest.importorskip("pyopencl.array")
    if not opencl.driver.shares_host_memory:  # type: ignore[attr-defined]
        pytest.skip("main memory does not show it")
    memory, x = np.zeros(64), opencl_array(opencl, np.arange(64.0))
    place = cl.Buffer(x.context, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=memory)
    mdh.jit(cache=False)(scaled)(cla.Array(x.queue, 64, np.float64, data=place), x, 3.0)
    wait_until(lambda: memory[63] == 189)


def test_what_data_decide_is_raised_when_somebody_looks(opencl: Device) -> None:
    """Once: by `wait`, or by the next call, of whichever function."""
    function, other = mdh.jit(cache=False)(gathered), mdh.jit(cache=False)(scaled)
    x = opencl_array(opencl, np.arange(5.0))
    y, right, wrong = x[:3] * 0, on_queue(x, [4, -1, 0]), on_queue(x, [4, 0, 5])
    function(y, x, right)
    np.testing.assert_array_equal(y.get(), [4, 4, 0])
    with held(x.queue) as last:
        function(y, x, wrong)
        assert last.is_alive()
    with pytest.raises(BoundsError, match="out of bounds"):
        function.wait()
    function.wait()
    for following, arguments in ((function, (y, x, right)), (other, (y, x, 1.0))):
        function(y, x, wrong)
        x.queue.finish()
        with pytest.raises(BoundsError, match="out of bounds"):
            following(*arguments)
        function(y, x, right)
    np.testing.assert_array_equal(y.get(), [4, 4, 0])


def test_what_data_decide_is_raised_by_a_look_at_a_buffer(opencl: Device) -> None:
    function, x = mdh.jit(cache=False)(gathered), Buffer(np.arange(5.0))
    y, wrong = Buffer(np.zeros(3)), Buffer(np.array([4, 0, 5]))
    for b in (x, y, wrong):
        b.on_device(opencl)
    function(y, x, wrong)
    assert x[4] == 4
    with pytest.raises(BoundsError, match="out of bounds"):
        y[0]
    assert not y[:].any()


@pytest.mark.in_turns(2)
def test_questions_about_calls_on_arrays_of_a_device(opencl: Device) -> None:
    """They are about code for the device; the arrays are left as they are."""
    function, x = mdh.jit(cache=False)(scaled), opencl_array(opencl, np.arange(64.0))
    y = x * 0
    function(y, x, 2.0)
    assert "part_size" in function.config()["scaled"]
    assert "kernel void" in function.inspect(y, x, 2.0, stage="opencl")
    assert "part_size" in function.config(y[::2], x[::2], 2.0)["scaled"]
    assert "% reached" in str(function.explain(y, x, 2.0))
    assert function.tune(y, x, 2.0, evaluations=2).evaluations == 2
    for _ in range(2):
        y.fill(0)
        function(y, x, 2.0)
    assert "scaled" in function.config(Buffer(np.zeros(3)), Buffer(np.zeros(3)), 2.0)
    np.testing.assert_array_equal(y.get(), 2 * np.arange(64.0))
    assert function.stats().tuning_steps == 2


FACTOR = 2.0


def shifted(y, x, a, n):  # type: ignore[no-untyped-def]
    for i in range(n):
        y[i] = a * x[i] + FACTOR
    return x + y, y


def product(y, x, a, n):  # type: ignore[no-untyped-def]
    return x * a


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What calls like earlier ones have given."""
    found: list[Any] = []
    call = lent_arrays.Repeat.__call__

    def noted(self: Any, arguments: Any, places: Any) -> Any:
        found.append(call(self, arguments, places))
        return found[-1]

    monkeypatch.setattr(lent_arrays.Repeat, "__call__", noted)
    return found


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("seed", range(2))
def test_calls_like_earlier_ones(opencl: Device, repeated: list[Any], seed: int) -> None:
    """Whatever differs: arrays, parts of them, queues, numbers, which are the same; as plain Python has it."""
    chosen = random.Random(seed)
    function, first = mdh.jit(cache=False)(shifted), opencl_array(opencl, np.arange(12.0))
    other = pytest.importorskip("pyopencl").CommandQueue(first.context)
    arrays = [on_queue(first, np.arange(12.0) * k) for k in range(2)]
    arrays += [pytest.importorskip("pyopencl.array").to_device(other, np.arange(12.0))]
    numbers = [0.0, -0.0, 1.5, 2.5, float("nan"), 2]
    for n in range(60):
        x, y = chosen.choice(arrays), chosen.choice(arrays)
        if chosen.random() < 0.2:
            x, y = x[:5], y[5:10]
        a, size = chosen.choice(numbers), chosen.choice((3, 5))
        here, there = x.get(), y.get()
        expected = shifted(here if y is x else there, here, a, size)  # type: ignore[no-untyped-call]
        total, same = function(y, x, a, size)
        assert same is y and type(total) is type(x)
        for one, wanted in zip((total, y), expected):
            np.testing.assert_array_equal(one.get(), wanted)
        y.fill(n)
    assert len(repeated) > 5
    assert function.stats().calls == 60


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_calls_like_earlier_ones_on_buffers(opencl: Device, repeated: list[Any], seed: int) -> None:
    """Buffers, parts of them that overlap or not, given by place or by name, looked at and written in between."""
    chosen, function = random.Random(seed), mdh.jit(cache=False)(shifted)
    whole = Buffer(np.arange(300.0))
    buffers = [Buffer(np.arange(100.0)), Buffer(np.ones(100)), *(whole.part(n, n + 100) for n in (0, 100, 150))]
    for b in buffers:
        b.on_device(opencl)
    for n in range(60):
        x, y = chosen.choice(buffers), chosen.choice(buffers)
        a, size = chosen.choice([0.5, 2.0, -0.0]), chosen.choice((30, 50))
        memory = np.array(whole.host)
        rows = [memory[b._begin : b._end] if isinstance(b, BufferPart) else np.array(b.host) for b in (y, x)]
        expected = shifted(rows[x is y], rows[1], a, size)  # type: ignore[no-untyped-call]
        total, same = function(y, x, a, size) if chosen.random() < 0.5 else function(y, x, n=size, a=a)
        assert same is y and type(total) is Buffer
        if chosen.random() < 0.5:
            np.testing.assert_array_equal(total, expected[0])
        np.testing.assert_array_equal(y, expected[1])
        if chosen.random() < 0.3:
            y[...] = n
    assert len(repeated) > 15 and all(one is not lent_arrays.NOT_TAKEN for one in repeated)
    assert function.stats().calls == 60


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_calls_like_earlier_ones_on_views(opencl: Device, repeated: list[Any]) -> None:
    """Arrays of pyopencl that begin inside their memory, where a buffer may begin and where not."""
    function, x = mdh.jit(cache=False)(scaled), opencl_array(opencl, np.arange(1000.0))
    y, step = x * 0, max(1, x.queue.device.mem_base_addr_align // 64)
    for begin, other in ((step, step), (2 * step, step), (step, step), (3, 3), (0, step), (0, 0), (2 * step, step)):
        for factor in (2.0, 3.0):
            y.fill(0)
            function(y[begin : begin + 50], x[other : other + 50], factor)
            expected = np.zeros(1000)
            expected[begin : begin + 50] = factor * np.arange(other, other + 50.0)
            np.testing.assert_array_equal(y.get(), expected)
    assert len(repeated) == 8 and function.stats().bytes_to_device == 0
    for other in (step + 1, 2 * step, step + 1, 2 * step):  # they overlap: as plain Python
        expected = x.get()
        scaled(expected[step : step + 50], expected[other : other + 50], 2.0)  # type: ignore[no-untyped-call]
        function(x[step : step + 50], x[other : other + 50], 2.0)
        np.testing.assert_array_equal(x.get(), expected)


def test_calls_like_earlier_ones_of_another_function(
    opencl: Device, repeated: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where what it reads, its text or its code has changed meanwhile; sizes that do not fit are errors each time."""
    function, x = mdh.jit(cache=False)(shifted), opencl_array(opencl, np.ones(4))
    y = x * 0
    assert [function(y, x, 3.0, 4)[1].get()[0] for _ in range(3)] == [5, 5, 5]
    assert len(repeated) == 2
    monkeypatch.setitem(shifted.__globals__, "FACTOR", 10.0)
    assert [function(y, x, 3.0, 4)[1].get()[0] for _ in range(2)] == [13, 13]
    assert len(repeated) == 3
    for _ in range(2):
        with pytest.raises(BoundsError):
            function(y, x, 3.0, 5)
    function.py_func = product
    assert function(y, x, 2.0, 4).get()[0] == 2


def test_numbers_and_late_errors_of_calls_like_earlier_ones(opencl: Device, repeated: list[Any]) -> None:
    function, x = mdh.jit(cache=False)(gathered), opencl_array(opencl, np.arange(5.0))
    y, right, wrong = x[:3] * 0, on_queue(x, [4, -1, 0]), on_queue(x, [4, 0, 5])
    for _ in range(2):
        function(y, x, right)
        function(y, x, wrong)
        with pytest.raises(BoundsError, match="out of bounds"):
            function.wait()
    np.testing.assert_array_equal(y.get(), [4, 4, 0])
    assert len(repeated) == 3
    total, sums = mdh.jit(cache=False)(added), []
    for _ in range(3):
        sums.append(total(x))
        x += 1
    assert sums == [10, 15, 20] and all(type(s) is type(sums[0]) for s in sums)
    assert repeated[3:] == [15, 20]


def added(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def several(x, y):  # type: ignore[no-untyped-def]
    return x * 2, y, (x * y).sum(), x[x > 1]


@pytest.mark.parametrize("kind", ["arrays of pyopencl", "buffers"])
def test_results_of_all_kinds(opencl: Device, kind: str) -> None:
    """Arrays of the arguments' kind, arguments as they are, numbers of the host, and what data say the length of."""
    given = np.arange(6.0), np.ones(6)
    x, y = (opencl_array(opencl, given[0]), None) if kind != "buffers" else map(Buffer, given)
    y = on_queue(x, given[1]) if y is None else y
    for b in (x, y):
        if isinstance(b, Buffer):
            b.on_device(opencl)
    function = mdh.jit(cache=False)(several)
    double, same, total, some = function(x, y)
    assert type(double) is type(some) is type(x) and same is y and total == 15
    for found, expected in ((double, 2 * given[0]), (some, given[0][2:])):
        np.testing.assert_array_equal(found.host if isinstance(found, Buffer) else found.get(), expected)
    assert function.stats().bytes_to_device == function.stats().bytes_from_device == 0


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_arrays_that_overlap_and_queues_of_all_kinds(opencl: Device) -> None:
    """They are computed with where they are, or mapped: the results are those of arrays of NumPy."""
    cl, cla = pytest.importorskip("pyopencl"), pytest.importorskip("pyopencl.array")
    function, x = mdh.jit(cache=False)(scaled), opencl_array(opencl, np.arange(10.0))
    function(x[:5], x, 2.0)
    assert x.get().tolist() == [0, 2, 4, 6, 8, 5, 6, 7, 8, 9]
    function(x[:], x, 0.5)
    assert x.get().tolist() == [0, 1, 2, 3, 4, 2.5, 3, 3.5, 4, 4.5]
    unordered = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    for queue in (cl.CommandQueue(x.context, properties=unordered), cl.CommandQueue(x.context), x.queue):
        y = cla.to_device(queue, np.zeros(10))
        for n in range(3):
            x.fill(n)
            function(y, x, 3.0)
            y += 1
        assert y.get().tolist() == [7] * 10
    function(y.with_queue(None), x.with_queue(None), 1.0)
    assert y.get().tolist() == [2] * 10


def test_calls_of_several_threads(opencl: Device) -> None:
    """In contexts and queues of their own, and in those of buffers."""
    function = mdh.jit(cache=False)(scaled)
    found: list[bool] = []

    def work(n: int) -> None:
        x, b, r = opencl_array(opencl, np.full(100, float(n))), Buffer(np.full(100, float(n))), Buffer(np.zeros(100))
        y = x * 0
        for one in (b, r):
            one.on_device(opencl)
        for k in range(12):
            function(y, x, float(k))
            function(r, b, float(k))
            found.append(bool((y.get() == n * k).all() and (r.host == n * k).all()))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert found == [True] * 36


@pytest.mark.parametrize("kind", ["parts", "buffers"])
def test_buffers_that_share_some_of_their_memory(opencl: Device, kind: str) -> None:
    """They are no arrays of their own, whatever handles they have."""
    function, whole = mdh.jit(cache=False)(shifted_by_one), np.zeros(10)
    buffer = Buffer(whole)
    y, x = (buffer.part(1, 10), buffer.part(0, 9)) if kind == "parts" else (Buffer(whole[1:]), Buffer(whole[:9]))
    for one in (y, x):
        one.on_device(opencl)
    for n in range(2):
        with pytest.warns(mdh.errors.JitWarning, match="overlap") if n == 0 else nullcontext():
            function(y, x)
        np.testing.assert_array_equal([x.host[0], *y.host], np.arange(10))
        y[...] = 0


def shifted_by_one(y, x):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[i] + 1
