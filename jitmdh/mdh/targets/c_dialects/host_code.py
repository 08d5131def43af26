"""The host's part of a program in LLVM IR: `i64 @kernel(ptr frame)` and `i64 @guard(ptr frame)`, as for processors.

A parallel loop or grid is a launch of its kernel, and working buffers are memory of the device. External symbols, which
the execution wing provides beside those of the LLVM target: `@jitmdh_program`, what all these functions are about;
`jitmdh_device_call(program, steps, frame)`, one call with its end; `jitmdh_device_launch(program, kernel, environment,
count)`; `jitmdh_device_status(program)`; `jitmdh_device_acquire(program, bytes, zeros)` and
`jitmdh_device_release(program, memory)`, where zeros says that the memory is, and is to be left so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.ir import (
    Apply,
    Failed,
    Grid,
    Kernel,
    Literal,
    Name,
    Parallel,
    Scratch,
    Statement,
    Threads,
    Value,
)
from jitmdh.mdh.machine.blocks import ZEROS
from jitmdh.mdh.targets.llvm.function import FunctionEmitter
from jitmdh.mdh.targets.llvm.module import Module

_DECLARED = {
    "@jitmdh_program = external global i8",
    "declare i64 @jitmdh_device_call(ptr, ptr, ptr)",
    "declare void @jitmdh_device_launch(ptr, i64, ptr, i64)",
    "declare i64 @jitmdh_device_status(ptr)",
    "declare ptr @jitmdh_device_acquire(ptr, i64, i64)",
    "declare void @jitmdh_device_release(ptr, ptr)",
}
_ENTRY = """define i64 @kernel(ptr %frame) #0 {
entry:
  %status = call i64 @jitmdh_device_call(ptr @jitmdh_program, ptr @steps, ptr %frame)
  ret i64 %status
}"""

# What a launch takes: the number of the kernel, and which values and working buffers of the host it gets, in order.
Launch = Callable[[Parallel | Grid], tuple[int, Sequence[Name | str]]]


def emit(guard: Kernel, kernel: Kernel, launch: Launch, cores: int) -> str:
    """LLVM IR of both functions. `kernel` is as `outline` left it, `guard` has no memory at all.

    cores: how many tasks the device can run at once.
    """
    module = Module(vector_bits=128, x86=False)
    module.declarations |= _DECLARED
    _Host(module, "guard", guard.buffers).kernel(guard)
    _Steps(module, kernel, launch, cores).kernel(kernel)
    module.functions.append(_ENTRY)
    return module.text()


class _Host(FunctionEmitter):
    """A function of the host."""

    def scope(self, buffer: str) -> str:
        """It has no memory but the frame."""
        return ""


class _Steps(_Host):
    """The function `steps`, from which kernels are launched."""

    def __init__(self, module: Module, kernel: Kernel, launch: Launch, cores: int) -> None:
        super().__init__(module, "steps", kernel.buffers)
        self.launch, self.cores = launch, cores

    def statement(self, node: Statement) -> None:
        if isinstance(node, Scratch):
            self.working(node)
        elif isinstance(node, Grid):
            self.parallel(node)
        else:
            super().statement(node)

    def value(self, node: Value) -> str:
        if isinstance(node, Threads):
            return str(self.cores)
        if not isinstance(node, Failed):
            return super().value(node)
        status = self.emit("call i64 @jitmdh_device_status(ptr @jitmdh_program)")
        return self.emit(f"icmp ne i64 {status}, 0")

    def parallel(self, node: Parallel | Grid) -> None:
        number, given = self.launch(node)
        count = self.value(node.count)
        environment = self.fresh("environment")
        self.entry.append(f"  {environment} = alloca [{len(given) + 1} x i64], align 16")
        for slot, item in enumerate(given):
            here = self.emit(f"getelementptr i64, ptr {environment}, i64 {slot}")
            if isinstance(item, str):
                self.do(f"store ptr {self.pointers[item]}, ptr {here}")
                continue
            value, type = self.value(item), self.type(item)
            if item.type == bool_:
                value, type = self.emit(f"zext i1 {value} to i32"), "i32"
            self.do(f"store {type} {value}, ptr {here}")
        self.do(f"call void @jitmdh_device_launch(ptr @jitmdh_program, i64 {number}, ptr {environment}, i64 {count})")

    def working(self, node: Scratch) -> None:
        """Status OUT_OF_MEMORY, and no body, where there is no memory."""
        size = self.value(Apply("capped_mul", (node.count, Literal(node.type.size_bytes, int64)), int64))
        given = f"ptr @jitmdh_program, i64 {size}, i64 {int(node.region == ZEROS)}"
        memory = self.emit(f"call ptr @jitmdh_device_acquire({given})", node.buffer)
        self.pointers[node.buffer], self.types[node.buffer] = memory, node.type
        there, none, after = self.label("there"), self.label("none"), self.label("end")
        missing = self.emit(f"icmp eq ptr {memory}, null")
        self.do(f"br i1 {missing}, label %{none}, label %{there}")
        self.place(none)
        self.do(f"store i64 {Status.OUT_OF_MEMORY}, ptr {self.status}")
        self.do(f"br label %{after}")
        self.place(there)
        self.block(node.body)
        self.do(f"call void @jitmdh_device_release(ptr @jitmdh_program, ptr {memory})")
        self.do(f"br label %{after}")
        self.place(after)
