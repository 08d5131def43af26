"""Kernel IR as CUDA C++: each grid is a kernel.

The statements and values of a thread are spelled as in OpenCL C, of which this is a dialect; groups of threads are the
difference.
"""

from __future__ import annotations

import re

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.mdh.kernel.ir import (
    Arrived,
    Barrier,
    Commit,
    CopyAhead,
    Exchange,
    Fail,
    Fence,
    Grid,
    Kernel,
    Load,
    Parallel,
    Shuffle,
    Statement,
    Store,
    Thread,
    Value,
    Vote,
)
from jitmdh.mdh.machine.gpu import WARP
from jitmdh.mdh.targets.c_dialects import atomics, program
from jitmdh.mdh.targets.c_dialects.half_floats import is_short
from jitmdh.mdh.targets.c_dialects.memory import element_at
from jitmdh.mdh.targets.c_dialects.printer import Device
from jitmdh.mdh.targets.c_dialects.program import DeviceText, Dialect
from jitmdh.mdh.targets.c_dialects.types import NoSpelling, memory_type
from jitmdh.mdh.targets.cuda.asynchronous_copies import function
from jitmdh.mdh.targets.cuda.prelude import PRELUDE, ROUNDED
from jitmdh.mdh.targets.target import refusal

refused = refusal("CUDA", "cuda")


def emit(kernel: Kernel, guard: Kernel, cores: int) -> DeviceText:
    """Of kernels as the passes `outline` and `warps` leave them. NotAnMdhError for what CUDA has no spelling of."""
    return program.emit(kernel, guard, cores, Dialect(_Device, PRELUDE, _of_device, refused))


def _of_device(text: str) -> str:
    """A function of OpenCL C as one of the device, which has instructions for some. `FP_FAST_FMA` is OpenCL's."""
    if text.startswith("#"):
        return "\n".join(["#define FP_FAST_FMAF", "#define FP_FAST_FMA", text])
    name = text[: text.index("(")].split()[-1]
    return re.sub(r"^(?=\w+ \w+\()", "DEVICE ", ROUNDED.get(name, text), count=1)


def _vector(type: ScalarType, lanes: int) -> str:
    """Neighbours as they are in memory, which threads copy together: a type of CUDA's where it has one."""
    return f"{memory_type(type)}{lanes}" if _is_own(type, lanes) else f"Lanes<{memory_type(type)}, {lanes}>"


def _is_own(type: ScalarType, lanes: int) -> bool:
    return lanes <= 4 and type != bool_ and not is_short(type)


class _Device(Device):
    """One kernel in CUDA C++."""

    space = ""
    shared_space = "__shared__ "
    half_arrays = True
    atomics = atomics.CUDA

    def head(self, loop: Parallel | Grid) -> str:
        assert isinstance(loop, Grid)
        bounds = f"{loop.threads}, {loop.resident}" if loop.resident else str(loop.threads)
        return f'extern "C" __global__ void __launch_bounds__({bounds}) {self.name}'

    def number(self, loop: Parallel | Grid) -> str:
        return "blockIdx.x"

    def statement(self, node: Statement) -> list[str]:
        if isinstance(node, Barrier):
            if node.width not in (0, WARP):
                raise NoSpelling(f"a barrier of {node.width} threads")
            return ["__syncwarp();" if node.width else "__syncthreads();"]
        if isinstance(node, Fence):
            return ["__threadfence();"]
        if isinstance(node, CopyAhead | Commit | Arrived):
            return [self._ahead(node)]
        if isinstance(node, Fail):
            return [f"if ({self.value(node.condition)}) atomicCAS(status, 0, {node.code});"]
        if isinstance(node, Store) and node.aligned and node.value.lanes > 1:
            place = self.pointer(node.buffer, node.offset)
            return [f"*({self.type(node.value)} *)({place}) = {self.value(node.value)};"]
        return super().statement(node)

    def _ahead(self, node: CopyAhead | Commit | Arrived) -> str:
        """By functions of these names: instructions from sm_80 on."""
        name, given, size = "end_batch", "", 0
        if isinstance(node, CopyAhead):
            size = node.count * self.buffers[node.buffer].type.size_bytes
            places = (node.to, node.at), (node.buffer, node.offset)
            given = ", ".join(self.pointer(name, at) for name, at in places)
            name = f"copy_ahead_{size}"
        elif isinstance(node, Arrived):
            name, size = f"wait_for_all_but_{node.pending}", node.pending
        self.operations.functions[name] = function(type(node), name, size)
        return f"{name}({given});"

    def type(self, node: Value) -> str:
        return _vector(node.type, node.lanes) if node.lanes > 1 else super().type(node)

    def value(self, node: Value) -> str:
        match node:
            case Thread():
                return "(long)threadIdx.x"
            case Load() if node.lanes > 1 and node.aligned:
                return f"*(const {self.type(node)} *)({self.pointer(node.buffer, node.offset)})"
            case Shuffle() if node.lanes == 1 and node.value.lanes > 1:
                return self._lane(node.value, node.picks[0])
            case Exchange():
                value, source = self.value(node.value), self.value(node.source)
                shuffled = f"__shfl_sync(0xffffffffu, {value}, (int)({source}), {node.width})"
                narrow = node.type != bool_ and node.type.bits < 32
                return f"({self.type(node)}){shuffled}" if narrow else shuffled
            case Vote() if node.width == WARP:
                return f"__any_sync(0xffffffffu, {self.value(node.condition)})"
        return super().value(node)

    def _lane(self, vector: Value, lane: int) -> str:
        if _is_own(vector.type, vector.lanes):
            return f"{self.value(vector)}.{'xyzw'[lane]}"
        text = element_at(vector.type, f"{self.value(vector)}.s", str(lane))
        return f"({text} != 0)" if vector.type == bool_ else text
