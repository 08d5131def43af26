"""Working buffers of generated code: small ones on the stack, all others from the runtime's pool.

To take a block of the pool and to give it back takes some hundred cycles, and all threads take turns: too long for what
is filled and read anew for each register tile, and for temporaries of small tensors.
"""

from __future__ import annotations

from typing import Protocol

from jitmdh.base.dtype import int64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.ir import Apply, Literal, Scratch
from jitmdh.mdh.targets.llvm import loops
from jitmdh.mdh.targets.llvm.instructions.first_lanes import LARGEST_BYTES
from jitmdh.mdh.targets.llvm.loops import entered, unwound

"""Status of a kernel that got no memory for its working buffers."""

_LARGEST_ON_STACK = 1 << 15  # bytes; threads have small stacks


class ScratchEmitter(loops.LoopEmitter, Protocol):
    """The function in the making. rooms: on the stack, by how deep a buffer is nested; kept_bytes: of temporaries on
    the stack, each of which has a place of its own."""

    pointers: dict[str, str]
    rooms: list[str]
    nested: int
    kept_bytes: int


def scratch(f: ScratchEmitter, node: Scratch) -> None:
    """Status OUT_OF_MEMORY, and no body, where there is no memory."""
    if isinstance(node.count, Literal):
        bytes_ = int(node.count.value) * node.type.size_bytes  # type: ignore[arg-type]
        kept = 0 if node.region == "L1" else f.kept_bytes + bytes_ + LARGEST_BYTES
        if 0 < bytes_ <= _LARGEST_ON_STACK and kept <= _LARGEST_ON_STACK:
            f.kept_bytes = max(f.kept_bytes, kept)
            f.pointers[node.buffer] = _reserved(f, bytes_, node.buffer)
            f.block(node.body)
            return
    size = f.value(Apply("capped_mul", (node.count, Literal(node.type.size_bytes, int64)), int64))
    if node.region == "L1":
        _near(f, node, size)
        return
    pointer = f.pointers[node.buffer] = f.emit(f"call ptr @jitmdh_scratch_acquire(i64 {size})", node.buffer)
    there, none, after = f.label("there"), f.label("none"), f.label("end")
    missing = f.emit(f"icmp eq ptr {pointer}, null")
    f.do(f"br i1 {missing}, label %{none}, label %{there}")
    _without_memory(f, none, after)
    f.place(there)
    leave = entered(f)
    f.block(node.body)
    unwound(f, leave, pointer)
    f.do(f"call void @jitmdh_scratch_release(ptr {pointer})")
    f.do(f"br label %{after}")
    f.place(after)


def _near(f: ScratchEmitter, node: Scratch, size: str) -> None:
    """A buffer for L1 of which only the call tells how large it is: on the stack if it is small enough."""
    if f.nested == len(f.rooms):
        f.rooms.append(_reserved(f, _LARGEST_ON_STACK, "room"))
    room = f.rooms[f.nested]
    before, pool, there, none, back, after = map(f.label, ("before", "pool", "there", "none", "back", "end"))
    f.do(f"br label %{before}")
    f.place(before)
    fits = f.emit(f"icmp ule i64 {size}, {_LARGEST_ON_STACK}")
    f.do(f"br i1 {fits}, label %{there}, label %{pool}")
    f.place(pool)
    block = f.emit(f"call ptr @jitmdh_scratch_acquire(i64 {size})", node.buffer)
    missing = f.emit(f"icmp eq ptr {block}, null")
    f.do(f"br i1 {missing}, label %{none}, label %{there}")
    _without_memory(f, none, after)
    f.place(there)
    f.pointers[node.buffer] = f.emit(f"phi ptr [ {room}, %{before} ], [ {block}, %{pool} ]", node.buffer)
    f.nested += 1
    leave = entered(f)
    f.block(node.body)
    unwound(f, leave, f.pointers[node.buffer], fits)
    f.nested -= 1
    f.do(f"br i1 {fits}, label %{after}, label %{back}")
    f.place(back)
    f.do(f"call void @jitmdh_scratch_release(ptr {f.pointers[node.buffer]})")
    f.do(f"br label %{after}")
    f.place(after)


def _reserved(f: ScratchEmitter, bytes_: int, hint: str) -> str:
    """So much of the stack, for as long as the function runs."""
    pointer = f.fresh(hint)
    f.entry.append(f"  {pointer} = alloca [{bytes_ + LARGEST_BYTES} x i8], align 64")
    return pointer


def _without_memory(f: ScratchEmitter, none: str, after: str) -> None:
    f.place(none)
    f.do(f"store i64 {Status.OUT_OF_MEMORY}, ptr {f.status}")
    f.do(f"br label %{after}")
