"""What every device must do alike: run a kernel in its language on buffers, and keep their copies in step."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Kernel, Launch, dim3, read, read_write, write
from jitmdh.hca.registry import devices
from tests.usable_devices import usable

COUNT = 1000
# out[i] = inp[i] * factor, for 1000 doubles, in each language a device may speak
SCALE = {
    "llvm": """
define i64 @scale(ptr %f) {
entry:
  %out = load ptr, ptr %f
  %inp_at = getelementptr i64, ptr %f, i64 3
  %inp = load ptr, ptr %inp_at
  %factor_at = getelementptr i64, ptr %f, i64 6
  %factor = load double, ptr %factor_at
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %p = getelementptr double, ptr %inp, i64 %i
  %v = load double, ptr %p
  %w = fmul double %v, %factor
  %q = getelementptr double, ptr %out, i64 %i
  store double %w, ptr %q
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i64 0
}
""",
    "opencl": """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void scale(__global double *out, __global const double *inp, double factor) {
  size_t i = get_global_id(0);
  if (i < 1000) out[i] = inp[i] * factor;
}
""",
    "cuda": """
extern "C" __global__ void scale(double *out, const double *inp, double factor) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < 1000) out[i] = inp[i] * factor;
}
""",
}


@pytest.mark.parametrize("target", ["cpu", "opencl", "cuda"])
def test_a_device_of_each_target(target: str) -> None:
    found, reason = usable(target)
    if reason:
        pytest.skip(reason)
    assert found == devices(target) and found[0] in devices()
    assert all(device.trouble is None for device in found)


DEVICES = [device for target in ("cpu", "opencl", "cuda") for device in usable(target)[0]]


def _name(device: Device) -> str:
    """Without its memory: a driver may tell what is free now, and all processes have to find the same names."""
    return f"{device.target}: {device.name}"


@pytest.fixture(params=DEVICES, ids=_name)
def device(request: pytest.FixtureRequest) -> Device:
    found: Device = request.param
    return found


def test_a_kernel_on_buffers(device: Device) -> None:
    kernel = Kernel(SCALE[device.driver.language], "scale", device.driver.language)
    inp, out = Buffer(np.arange(float(COUNT))), Buffer(np.full(COUNT, np.nan))
    launch = Launch((1024,), (64,))
    assert device.run(kernel, write(out), read(inp), 3.0, launch=launch).status == 0
    assert device.run(kernel, read_write(out), read(out), 2.0, launch=launch).status == 0
    np.testing.assert_array_equal(out.host, 6.0 * np.arange(COUNT))
    np.testing.assert_array_equal(inp.host, np.arange(COUNT))
    inp.host[:] = 1.0
    inp.changed()
    device.run(kernel, write(out), read(inp), 5.0, launch=launch)
    assert (out.host == 5.0).all()
    out.release()
    inp.release()
    assert (out.host == 5.0).all()


def test_the_host_goes_on_while_kernels_wait_for_each_other(device: Device) -> None:
    kernel = Kernel(SCALE[device.driver.language], "scale", device.driver.language)
    buffers = [Buffer(np.full(COUNT, 1.0)) for _ in range(3)]
    runs = [
        device.run(kernel, write(buffers[(n + 1) % 3]), read(buffers[n % 3]), 2.0, launch=dim3((4,), (256,)))
        for n in range(30)
    ]
    assert (buffers[0].host == 2.0**30).all()
    assert all(run.status == 0 and run.nanoseconds > 0 and run.seconds > 0 for run in runs)


def test_facts(device: Device) -> None:
    assert device.name and device.cores >= 1 and device.kind in ("cpu", "gpu", "accelerator")
    assert device.target in str(device)
