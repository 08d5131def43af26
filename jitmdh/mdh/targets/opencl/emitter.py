"""Kernel IR as OpenCL C: parallel loops, of a work-item for each iteration, as `outline` leaves them."""

from __future__ import annotations

from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.targets.c_dialects import program
from jitmdh.mdh.targets.c_dialects.printer import Device
from jitmdh.mdh.targets.c_dialects.program import DeviceText, Dialect
from jitmdh.mdh.targets.target import refusal

_PRAGMAS = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF"

refused = refusal("OpenCL", "opencl")


def emit(kernel: Kernel, guard: Kernel, cores: int) -> DeviceText:
    """cores: of the device. NotAnMdhError for what OpenCL has no spelling of."""
    return program.emit(kernel, guard, cores, Dialect(Device, _PRAGMAS, str, refused))
