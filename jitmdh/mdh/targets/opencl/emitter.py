"""Kernel IR as OpenCL C: parallel loops, of a work-item for each iteration, and grids, of work-groups.

OpenCL has neither barriers nor exchanges for a part of a group; a group is one warp here, and its work-items exchange
values in local memory.
"""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.mdh.kernel.ir import (
    Apply,
    Arrived,
    Barrier,
    CombineEnds,
    CombiningBuffer,
    Commit,
    CopyAhead,
    Exchange,
    Fence,
    Flush,
    Grid,
    Kernel,
    Parallel,
    Permute,
    Statement,
    Value,
    Vote,
)
from jitmdh.mdh.machine.gpu import WARP
from jitmdh.mdh.targets.c_dialects import native_vectors, program, write_combining
from jitmdh.mdh.targets.c_dialects.printer import Device
from jitmdh.mdh.targets.c_dialects.program import DeviceText, Dialect
from jitmdh.mdh.targets.c_dialects.types import NoSpelling, value_type
from jitmdh.mdh.targets.target import refusal

_PRAGMAS = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF"
_EXCHANGE = """{type} exchange_{type}(local {type} *all, {type} value, long source)
{{
    all[get_local_id(0)] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    {type} found = all[source];
    barrier(CLK_LOCAL_MEM_FENCE);
    return found;
}}"""
_VOTE = f"""int any_of_group(local int *all, int holds)
{{
    int any = 0;
    all[get_local_id(0)] = holds;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < {WARP}; n++) any |= all[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    return any;
}}"""
_FENCE = """void fence_of_device(void)
{
#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_atomic_scope_device)
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
#else
    mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
}"""
_MULTIPLY_ADD = """{type} mad_{type}({type} a, {type} b, {type} c)
{{
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}}"""

refused = refusal("OpenCL", "opencl")


def emit(kernel: Kernel, guard: Kernel, cores: int) -> DeviceText:
    """cores: of the device. NotAnMdhError for what OpenCL has no spelling of."""
    return program.emit(kernel, guard, cores, Dialect(_Device, _PRAGMAS, str, refused))


class _Device(Device):
    """One kernel in OpenCL C. shared: names of the arrays in which work-items exchange values."""

    def kernel(self, loop: Parallel | Grid) -> str:
        self.shared: set[str] = set()
        self.threads = loop.threads if isinstance(loop, Grid) else 1
        self.whole_vectors = not isinstance(loop, Grid)  # whose arrays may be local
        return super().kernel(loop)

    def head(self, loop: Parallel | Grid) -> str:
        if isinstance(loop, Parallel):
            return super().head(loop)
        return f"kernel __attribute__((reqd_work_group_size({loop.threads}, 1, 1))) void {self.name}"

    def statement(self, node: Statement) -> list[str]:
        if isinstance(node, Barrier):
            self._require_group(node.width or self.threads, "a barrier")
            return ["barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"]
        if isinstance(node, Fence) and not self.whole_vectors:
            self.operations.functions["fence_of_device"] = _FENCE
            return ["fence_of_device();"]
        if isinstance(node, CopyAhead):
            return [self._copied(node)]
        if isinstance(node, Commit | Arrived):
            return []  # what is copied is there
        if isinstance(node, CombiningBuffer):
            self.operations.functions.update(write_combining.FUNCTIONS)
            return write_combining.empty_table(self.bound(node.name))
        if isinstance(node, CombineEnds):
            place = self.pointer(node.buffer, node.offset)
            ends = self.value(node.head), self.value(node.tail)
            return [write_combining.combined(self.named(node.into), place, node.lines, *ends)]
        if isinstance(node, Flush):
            return [f"complete_lines(&{self.named(node.name)});"]
        return super().statement(node)

    def _copied(self, node: CopyAhead) -> str:
        """At once: OpenCL has asynchronous copies for whole groups only."""
        size = node.count * self.buffers[node.buffer].type.size_bytes
        word = {4: "uint", 8: "uint2", 16: "uint4"}[size]
        to, source = (f"({self.pointer(name, at)})" for name, at in ((node.to, node.at), (node.buffer, node.offset)))
        return f"*(local {word} *){to} = *(global const {word} *){source};"

    def value(self, node: Value) -> str:
        match node:
            case Exchange():
                value, source = self.value(node.value), self.value(node.source)
                if node.width != self.threads:  # all threads of the block wait for each other
                    source = f"(long)(get_local_id(0) / {node.width} * {node.width}) + ({source})"
                return f"{self._function(_EXCHANGE, node.type)}({self._all(node.type)}, {value}, {source})"
            case Vote():
                self._require_group(node.width, "a vote")
                self.operations.functions["any_of_group"] = _VOTE
                return f"any_of_group({self._all(bool_)}, {self.value(node.condition)})"
        return super().value(node)

    def permuted(self, node: Permute) -> str:
        type, picks = value_type(node.type, node.lanes), value_type(node.picks.type, node.lanes)
        body = "\n".join("    " + line for line in native_vectors.permutation(node.type, node.lanes))
        head = f"{type} permute_{type}({type} one, {type} other, {picks} picks)"
        self.operations.functions[f"permute_{type}"] = f"{head}\n{{\n{body}\n}}"
        return f"permute_{type}({', '.join(map(self.value, (node.left, node.right, node.picks)))})"

    def multiply_add(self, node: Apply) -> str:
        """An expression that may be contracted: `mad` of wide vectors is taken to pieces by PoCL's library."""
        type = value_type(node.type, node.lanes)
        self.operations.functions[f"mad_{type}"] = _MULTIPLY_ADD.format(type=type)
        return f"mad_{type}"

    def _require_group(self, width: int, what: str) -> None:
        if width != self.threads:
            raise NoSpelling(f"{what} of {width} of the {self.threads} threads of a block")

    def _all(self, type: ScalarType) -> str:
        """The array in which work-items exchange values of a type."""
        name, c = f"all_{value_type(type)}", value_type(type)
        if name not in self.shared:
            self.shared.add(name)
            self.declared.append(f"local {c} {name}[{self.threads}];")
        return name

    def _function(self, text: str, type: ScalarType) -> str:
        c = value_type(type)
        self.operations.functions[f"exchange_{c}"] = text.format(type=c)
        return f"exchange_{c}"
