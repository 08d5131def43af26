"""Kernel IR -> OpenCL C, and LLVM IR for what stays on the host.

`outline` decides what is a kernel: each parallel loop is one, of a work-item for each iteration; the rest is spelt by
`host_code`.
"""

from __future__ import annotations

from dataclasses import dataclass

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.kernel.ir import Kernel, Name, Parallel, Scratch
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.targets.c_dialects.printer import Device, Output, Place, host_part
from jitmdh.mdh.targets.c_dialects.types import NoSpelling
from jitmdh.mdh.targets.opencl import host_code
from jitmdh.mdh.targets.target import refusal

_PRAGMAS = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"

refused = refusal("OpenCL", "opencl")


@dataclass(frozen=True, slots=True)
class OpenClText:
    """functions: what the kernels call; kernels: name and text of each; places: their arguments; host: LLVM IR.

    shown: the host's part, to be read.
    """

    functions: str
    kernels: tuple[tuple[str, str], ...]
    places: tuple[tuple[Place, ...], ...]
    host: str
    shown: str

    def source(self) -> str:
        """The text of all kernels, for the device's compiler."""
        return "\n\n".join([self.functions, *(text for _, text in self.kernels)]) + "\n"

    def __str__(self) -> str:
        return f"// on the device\n\n{self.source()}\n// on the host\n\n{self.shown}"


def emit(kernel: Kernel, guard: Kernel, cores: int) -> OpenClText:
    """cores: of the device. Of kernels as `outline` leaves them. NotAnMdhError for what OpenCL has no spelling of."""
    if any(isinstance(inner, Parallel) for inner in statements(guard.body)):
        raise refused("a check of the arguments that needs their data")
    try:
        return _emitted(kernel, guard, cores)
    except NoSpelling as unknown:
        raise refused(str(unknown)) from None


def _emitted(kernel: Kernel, guard: Kernel, cores: int) -> OpenClText:
    output = Output()
    launched = _Launched(output, kernel, {s.buffer: s.type for s in statements(kernel.body) if isinstance(s, Scratch)})
    host = host_code.emit(guard, kernel, launched.launch, cores)
    functions = "\n\n".join([_PRAGMAS.strip(), *output.operations.functions.values()])
    shown = show_kernel(guard) + "\n" + host_part(kernel, Parallel)
    return OpenClText(functions, tuple(output.kernels.items()), tuple(output.places), host, shown)


@dataclass(slots=True)
class _Launched:
    """Makes a kernel of each parallel loop that the host comes to."""

    output: Output
    kernel: Kernel
    working: dict[str, ScalarType]

    def launch(self, loop: Parallel) -> tuple[int, list[Name | str]]:
        """The number of the kernel, and what it gets of the host: values, and names of working buffers."""
        number = len(self.output.kernels)
        name = f"{self.kernel.name}_{number}"
        device = Device(self.output, name, self.kernel, self.working)
        self.output.kernels[name] = device.kernel(loop)
        self.output.places.append(tuple(device.places))
        return number, device.given
