"""Fault 46: a device that is lost before, while or after a kernel runs: an error that names it; inputs are intact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import DeviceError

pytestmark = pytest.mark.usefixtures("opencl")


@pytest.mark.parametrize("step", ["enqueue_copy", "enqueue_nd_range_kernel"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_device_that_is_lost(monkeypatch: pytest.MonkeyPatch, step: str, number: int) -> None:
    import pyopencl as cl

    @mdh.jit(target="opencl", cache=False)
    def scaled(y, x, n):
        for i in range(x.shape[0]):
            y[i] = x[i] * n

    x, y = np.arange(100.0), np.zeros(100)
    scaled(y, x, 2)
    honest, calls = getattr(cl, step), list[int]()

    def lost(*arguments: Any, **keywords: Any) -> Any:
        calls.append(1)
        if len(calls) >= number:
            raise cl.RuntimeError("DEVICE_NOT_AVAILABLE", -2, step)
        return honest(*arguments, **keywords)

    y[:] = 0
    fails = True
    with monkeypatch.context() as patched:
        patched.setattr(cl, step, lost)
        try:
            scaled(y, x, 3)
            fails = False
        except DeviceError as error:
            assert str(error)
    assert fails == (len(calls) >= number)
    assert np.array_equal(x, np.arange(100.0)) and np.array_equal(y, np.zeros(100) if fails else x * 3)
    scaled(y, x, 3)
    assert np.array_equal(y, x * 3)
