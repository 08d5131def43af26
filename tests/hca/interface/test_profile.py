"""Profiles: what devices did in a block, and the file that shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from jitmdh import hca
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import read_write
from jitmdh.hca.interface.profile import Event, Profile
from tests.hca.interface.test_buffer import INCREMENT
from tests.hca.interface.test_device import Remote

DOUBLE = "kernel void doubled(global float *x) { x[get_global_id(0)] *= 2; }"


def test_copies_compilations_and_kernels(tmp_path: Path) -> None:
    device, buffer = Device("far away", "a", "gpu", 1, 0, Remote()), Buffer(np.zeros(4))
    with hca.profile(tmp_path / "run.json") as seen:
        for _ in range(2):
            device.run(INCREMENT, read_write(buffer))
        assert buffer.host[0] == 2
    device.run(INCREMENT, read_write(buffer))  # behind the block
    assert sorted(e.kind for e in seen.events) == ["compile", "copy", "copy", "kernel", "kernel"]
    assert [e.bytes for e in seen.events if e.kind == "copy"] == [32, 32]
    assert "far away: 2 kernels" in str(seen) and "64 bytes copied" in str(seen)
    shown: list[dict[str, Any]] = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    assert shown[0]["args"]["name"] == "far away" and [e["ph"] for e in shown] == ["M", *"XXXXX"]
    assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in shown[1:])


def test_idle_time_is_between_kernels() -> None:
    found = Profile([Event("kernel", "k", "d", begin, end) for begin, end in ((5, 9), (7, 8), (12, 20))])
    assert found.idle("d") == 3 and found.total("kernel") == 13 and found.idle("none") == 0


def test_kernels_by_the_clock_of_the_device(opencl: Device) -> None:
    kernel, x = hca.opencl_source(DOUBLE), Buffer(np.ones(1000, np.float32))
    with hca.profile() as seen:
        runs = [opencl.run(kernel, read_write(x), launch=hca.nd_range((1000,))) for _ in range(3)]
    kernels = [e for e in seen.events if e.kind == "kernel"]
    assert [e.end - e.begin for e in kernels] == [run.nanoseconds for run in runs]
