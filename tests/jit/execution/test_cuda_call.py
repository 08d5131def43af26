"""Decorated functions with target="cuda", from the decorator to launches: on a GPU that carries kernel IR out.

Arrays of NumPy are copied, those of the device are taken where they are. Where there is a GPU, `tests/devices` runs on
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, BoundsError, DeviceError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.jit.execution import lent_arrays
from jitmdh.jit.tuning import tune
from tests.hca.fake_gpu import FakeGpu, installed


@pytest.fixture
def gpu() -> Iterator[FakeGpu]:
    with installed() as found:
        yield found


def on_gpu(function: Any) -> Any:
    return mdh.jit(target="cuda", cache=False)(function)


def matvec(w, M, v):  # type: ignore[no-untyped-def]
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def blurred(x):  # type: ignore[no-untyped-def]
    y = np.zeros(x.shape[0], x.dtype)
    for i in range(1, x.shape[0] - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return y


def smoothed(steps, x, y):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        for i in range(1, x.shape[0] - 1):
            y[i] = x[i - 1] + x[i + 1]
        for i in range(1, x.shape[0] - 1):
            x[i] = y[i] / 2


def total(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def scaled(y, x, a):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = a * x[i]


def divided(y, x, z):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[i] // z[i]


def gather(y, x, n):  # type: ignore[no-untyped-def]
    for i in range(n.shape[0]):
        y[i] = x[n[i]]


def running(y, x):  # type: ignore[no-untyped-def]
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] * 0.5 + x[i]


def cases() -> dict[str, tuple[Any, Any]]:
    random = np.random.default_rng(0)

    def array(*shape: int) -> Any:
        return random.random(shape).astype(np.float32)

    return {
        "matvec": (matvec, (array(70), array(70, 45), array(45))),
        "transposed": (matvec, (array(70), array(45, 70).T, array(45))),
        "backwards": (matvec, (array(70), array(70, 45)[::-1, ::-1], array(45))),
        "empty": (matvec, (array(70), array(70, 0), array(0))),
        "blurred": (blurred, (array(300),)),
        "smoothed": (smoothed, (3, array(100), array(100))),
        "total": (total, (np.arange(1000.0),)),
        "scaled": (scaled, (array(500), array(500), 2.5)),
        "whole": (divided, (np.zeros(40, np.int64), np.arange(-20, 20), np.full(40, 3))),
        "running": (running, (array(50), array(50))),
    }


CASES = cases()


def copies(arguments: Any, make: Any = np.copy) -> list[Any]:
    """Copies of the same layout."""
    return [make(a, order="K") if isinstance(a, np.ndarray) else a for a in arguments]


def agree(found: Any, expected: Any) -> None:
    if expected is not None:
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_arrays_of_numpy(name: str, gpu: FakeGpu) -> None:
    function, arguments = CASES[name]
    mine, expected = copies(arguments), copies(arguments)
    if name == "backwards":
        mine[1], expected[1] = arguments[1], arguments[1]
    compiled = on_gpu(function)
    agree(compiled(*mine), function(*expected))
    for a, b in zip(mine, expected):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert compiled.stats().launches == len(gpu.reports) and (gpu.reports or name == "empty")


@pytest.mark.parametrize("target", [None, "cuda"])
@pytest.mark.parametrize("name", CASES)
def test_arrays_of_the_device(name: str, target: str | None, gpu: FakeGpu) -> None:
    """Nothing is copied; layouts are taken as they are."""
    function, arguments = CASES[name]
    there = [gpu.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    if name == "backwards":
        there[1] = gpu.array(arguments[1][::-1, ::-1])[::-1, ::-1]
    expected = copies(arguments)
    if name == "backwards":
        expected[1] = arguments[1]
    compiled = mdh.jit(target=target, cache=False)(function)
    result = compiled(*there)
    found = compiled.stats()
    assert found.bytes_to_device == found.bytes_from_device == 0
    gpu.current[-1].synchronize()
    agree(result.array if hasattr(result, "array") else result, function(*expected))
    for a, b in zip(there, expected):
        if hasattr(a, "array"):
            np.testing.assert_allclose(a.array, b, rtol=1e-5)
    assert "in" not in gpu.log


def test_calls_return_before_kernels_end(gpu: FakeGpu) -> None:
    """In the caller's stream."""
    y, x = gpu.array(np.zeros(64)), gpu.array(np.ones(64))
    stream = gpu.cuda.Stream()
    with stream:
        on_gpu(scaled)(y, x, 3.0)
        assert len(stream.waiting) == 1 and not gpu.reports
        stream.synchronize()
    assert (y.array == 3).all()


def test_new_arrays_are_of_the_device(gpu: FakeGpu) -> None:
    x = gpu.array(np.arange(12.0))
    found = on_gpu(blurred)(x)
    assert type(found) is type(x) and (found.dtype, found.shape) == (x.dtype, x.shape)


def test_one_array_given_twice(gpu: FakeGpu) -> None:
    x = gpu.array(np.arange(40.0))
    on_gpu(scaled)(x, x, 2.0)
    gpu.current[-1].synchronize()
    assert x.array.tolist() == (2 * np.arange(40.0)).tolist()


def test_buffers_stay_on_the_device(gpu: FakeGpu) -> None:
    from jitmdh.hca.registry import find_device

    device = find_device("cuda")
    x, y = Buffer(np.arange(8.0)), Buffer(np.zeros(8))
    for b in (x, y):
        b.on_device(device)
    function = mdh.jit(cache=False)(scaled)
    function(y, x, 2.0)
    function(x, y, 2.0)
    assert "out" not in gpu.log
    assert x[3] == 12 and y[3] == 6 and gpu.log.count("out") == 2


def test_errors(gpu: FakeGpu) -> None:
    y = np.zeros(5)
    with pytest.raises(BoundsError):
        on_gpu(scaled)(y, np.ones(3), 1.0)
    with pytest.raises(BoundsError):
        on_gpu(scaled)(gpu.array(y), gpu.array(np.ones(3)), 1.0)
    picked = on_gpu(gather)
    y, x, n = np.zeros(3), np.arange(5.0), np.array([4, 0, 5])
    with pytest.raises(BoundsError):
        picked(y, x, n)
    picked(y, x, n - 1)
    assert y.tolist() == [3, 4, 4]
    with pytest.raises(ArgumentTypeError, match="argument `y` is in main memory, argument `x` in cuda device 0"):
        mdh.jit(cache=False)(scaled)(np.zeros(5), gpu.array(np.zeros(5)), 1.0)


def test_what_data_decide_is_raised_when_somebody_looks(gpu: FakeGpu) -> None:
    """The call returns; the error comes once, by `wait` or by the next call, of whichever function."""
    picked, y, x = on_gpu(gather), gpu.array(np.zeros(3)), gpu.array(np.arange(5.0))
    right, wrong = gpu.array([3, -1, 4]), gpu.array([4, 0, 5])
    stream = gpu.cuda.Stream()
    with stream:
        picked(y, x, wrong)
        picked(y, x, right)  # what comes behind an error is a call like any other
        assert not gpu.reports
    with pytest.raises(BoundsError, match="out of bounds"):
        picked.wait()
    assert not stream.waiting and y.array.tolist() == [3, 4, 4]
    picked.wait()
    y.array[:] = 0
    for following in (picked, on_gpu(scaled)):
        with stream:
            picked(y, x, wrong)
            stream.synchronize()
            with pytest.raises(BoundsError, match="out of bounds"):
                following(y, x, 2.0 if following is not picked else right)
            assert not stream.waiting and not y.array.any()
            picked(y, x, right)
            stream.synchronize()
        assert y.array.tolist() == [3, 4, 4]
        y.array[:] = 0


def test_what_data_decide_is_raised_by_a_look_at_a_buffer(gpu: FakeGpu) -> None:
    from jitmdh.hca.registry import find_device

    device = find_device("cuda")
    y, x, n = Buffer(np.zeros(3)), Buffer(np.arange(5.0)), Buffer(np.array([4, 0, 5]))
    for b in (x, y, n):
        b.on_device(device)
    mdh.jit(cache=False)(gather)(y, x, n)
    assert x[4] == 4
    with pytest.raises(BoundsError, match="out of bounds"):
        y[0]
    assert not y[:].any()


def test_what_nobody_has_looked_at_is_a_warning_in_the_end(gpu: FakeGpu) -> None:
    y, x, wrong = gpu.array(np.zeros(3)), gpu.array(np.arange(5.0)), gpu.array([4, 0, 5])
    on_gpu(gather)(y, x, wrong)
    with pytest.warns(mdh.JitWarning, match="a call on arrays of a device has failed: .* out of bounds"):
        lent_arrays._warn_of_the_rest()


def halves(y, x, n):  # type: ignore[no-untyped-def]
    for i in range(n.shape[0]):
        y[i] = x[n[i]] / 2
    return y.sum()


def test_calls_wait_whose_results_are_numbers(gpu: FakeGpu) -> None:
    y, x, wrong = gpu.array(np.zeros(3)), gpu.array(np.arange(5.0)), gpu.array([4, 0, 5])
    with pytest.raises(BoundsError):
        on_gpu(halves)(y, x, wrong)


@pytest.mark.in_turns(2)
def test_explain_and_tune(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a GPU that is there in this process only. Limits are those that its maker states."""
    monkeypatch.setattr(tune, "team", lambda job, count: [])
    w, M, v = (gpu.array(a) for a in (np.zeros(24), np.ones((24, 40)), np.ones(40)))
    function = mdh.jit(cache=False)(matvec)
    function(w, M, v)
    text = str(function.explain(w, M, v))
    assert "blocks of threads" in text and "multiprocessors)" in text
    report = function.tune(w, M, v, evaluations=4)
    assert report.evaluations == 4 and all(t.seconds or t.reason for t in report.history)
    assert any(t.seconds for t in report.history[1:]), report
    assert "part_size" in function.config(w, M, v)["matvec"]
    gpu.current[-1].synchronize()
    assert w.array.tolist() == [40] * 24


def test_what_the_driver_reports(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = on_gpu(scaled)
    y, x = np.zeros(64), np.ones(64)
    compiled(y, x, 2.0)
    for record in gpu.recorded:
        monkeypatch.setattr(record, "grid", record.grid.__class__(record.grid.name, record.grid.count, 2, ()))
    with pytest.raises(DeviceError, match=r"scaled: the device failed.*\n  its driver reports error 1"):
        compiled(y, x, 2.0)


def test_without_a_device_calls_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceError, match="no device for target 'cuda'"):
        on_gpu(scaled)(np.zeros(3), np.ones(3), 1.0)
