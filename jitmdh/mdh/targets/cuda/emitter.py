"""Kernel IR as CUDA C++: each grid is a kernel, and the host's part around it is shown as kernel IR.

The statements and values of a thread are spelled as in OpenCL C, of which this is a dialect; groups of threads are the
difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jitmdh.base.dtype import bool_
from jitmdh.mdh.kernel.ir import (
    Barrier,
    Exchange,
    Fail,
    Grid,
    Kernel,
    Scratch,
    Statement,
    Thread,
    Value,
    Vote,
)
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.machine.gpu import WARP
from jitmdh.mdh.targets.c_dialects.printer import Device, Output, Place, host_part
from jitmdh.mdh.targets.c_dialects.types import NoSpelling
from jitmdh.mdh.targets.cuda.prelude import PRELUDE
from jitmdh.mdh.targets.target import refusal

refused = refusal("CUDA", "cuda")


@dataclass(frozen=True, slots=True)
class CudaText:
    """functions: what kernels call; kernels: name and text of each; places: their arguments; shown: the host's part."""

    functions: str
    kernels: tuple[tuple[str, str], ...]
    places: tuple[tuple[Place, ...], ...]
    shown: str

    def source(self) -> str:
        """The text of all kernels, for NVRTC."""
        return "\n\n".join([self.functions, *(text for _, text in self.kernels)]) + "\n"

    def __str__(self) -> str:
        return f"// on the device\n\n{self.source()}\n// on the host\n\n{self.shown}"


def emit(kernel: Kernel, guard: Kernel) -> CudaText:
    """Of kernels as the passes `outline` and `warps` leave them. NotAnMdhError for what CUDA has no spelling of."""
    if any(isinstance(inner, Grid) for inner in statements(guard.body)):
        raise refused("a check of the arguments that needs their data")
    try:
        return _emitted(kernel, guard)
    except NoSpelling as unknown:
        raise refused(str(unknown)) from None


def _emitted(kernel: Kernel, guard: Kernel) -> CudaText:
    output = Output()
    working = {s.buffer: s.type for s in statements(kernel.body) if isinstance(s, Scratch)}
    for number, grid in enumerate(s for s in statements(kernel.body) if isinstance(s, Grid)):
        name = f"{kernel.name}_{number}"
        device = _Device(output, name, kernel, working)
        output.kernels[name] = device.kernel(grid)
        output.places.append(tuple(device.places))
    functions = [_of_device(text) for text in output.operations.functions.values()]
    shown = show_kernel(guard) + "\n" + host_part(kernel, Grid)
    return CudaText("\n\n".join([PRELUDE, *functions]), tuple(output.kernels.items()), tuple(output.places), shown)


def _of_device(text: str) -> str:
    """A function of OpenCL C as one of the device. `FP_FAST_FMA` is OpenCL's; GPUs have it."""
    if text.startswith("#"):
        return "\n".join(["#define FP_FAST_FMAF", "#define FP_FAST_FMA", text])
    return re.sub(r"^(?=\w+ \w+\()", "DEVICE ", text, count=1)


class _Device(Device):
    """One kernel in CUDA C++."""

    space = ""

    def head(self, loop: Grid) -> str:  # type: ignore[override]
        return f'extern "C" __global__ void __launch_bounds__({loop.threads}) {self.name}'

    def number(self, loop: Grid) -> str:  # type: ignore[override]
        return "blockIdx.x"

    def statement(self, node: Statement) -> list[str]:
        if isinstance(node, Barrier):
            if node.width not in (0, WARP):
                raise NoSpelling(f"a barrier of {node.width} threads")
            return ["__syncwarp();" if node.width else "__syncthreads();"]
        if isinstance(node, Fail):
            return [f"if ({self.value(node.condition)}) atomicCAS(status, 0, {node.code});"]
        return super().statement(node)

    def value(self, node: Value) -> str:
        match node:
            case Thread():
                return "(long)threadIdx.x"
            case Exchange():
                value, source = self.value(node.value), self.value(node.source)
                shuffled = f"__shfl_sync(0xffffffffu, {value}, (int)({source}), {node.width})"
                narrow = node.type != bool_ and node.type.bits < 32
                return f"({self.type(node)}){shuffled}" if narrow else shuffled
            case Vote() if node.width == WARP:
                return f"__any_sync(0xffffffffu, {self.value(node.condition)})"
        return super().value(node)
