"""Pinned and unified buffers are buffers; what they are for is counted where a device can show it."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh import hca
from jitmdh.hca.interface.device import Device
from jitmdh.hca.registry import devices

PLUS = "kernel void plus(global float *x) { x[get_global_id(0)] += 1; }"
KINDS = (hca.PinnedBuffer, hca.UnifiedBuffer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(1000,), (10, 100), (0,), ()])
def test_they_hold_what_they_were_given(kind: type[hca.Buffer], shape: tuple[int, ...], opencl: Device) -> None:
    given = np.ones(shape, np.float32)
    for device in (opencl, *devices("cpu")):
        buffer = kind(given.T, device)
        assert buffer.shape == given.T.shape and (buffer.host == 1).all() and buffer.host is not given


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_use_them_on_any_device(kind: type[hca.Buffer], opencl: Device) -> None:
    buffer, plus = kind(np.zeros(4096, np.float32), opencl), hca.opencl_source(PLUS)
    for device in devices("opencl") * 2:
        device.run(plus, hca.read_write(buffer), launch=hca.nd_range((4096,)))
    assert (buffer.host == 2 * len(devices("opencl"))).all()
    buffer[:] = 5
    opencl.run(plus, hca.read_write(buffer.part(0, 1024)), launch=hca.nd_range((1024,)))
    buffer.release()
    opencl.run(plus, hca.read_write(buffer), launch=hca.nd_range((4096,)))
    assert buffer[0] == 7 and buffer[-1] == 6


def test_unified_memory_is_not_copied(opencl: Device) -> None:
    buffer, plus = hca.UnifiedBuffer(np.zeros(4096, np.float32), opencl), hca.opencl_source(PLUS)
    before = hca.statistics()
    for n in range(3):
        opencl.run(plus, hca.read_write(buffer), launch=hca.nd_range((4096,)))
        assert buffer[7] == n + 1
    seen = hca.statistics() - before
    assert (seen.bytes_to_devices, seen.bytes_from_devices, seen.allocations, seen.launches) == (0, 0, 0, 3)
