"""Loops, questions to the runtime whether the call is to end, and the ways out of a function.

A function counts down what it may do until it asks. The count is in memory, and the question in a function that saves
all registers: neither takes one from the loops around. Where the answer is yes, the function is left at once, by way of
the working buffers that it holds: what is behind may rest on results that are not there.
"""

from __future__ import annotations

from typing import Protocol

from jitmdh.base.status import Status
from jitmdh.mdh.kernel.ir import Fail, For, Literal, Poll, Return, Statement, Value, While
from jitmdh.mdh.kernel.passes.loops.polling import LONG
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.targets.llvm.instructions.spelling import InstructionEmitter
from jitmdh.mdh.targets.llvm.lines import Line

RARE = ", !prof !2"

SAVES_ALL = 'attributes #1 = { nounwind "no_caller_saved_registers" }'
"""Of functions that keep all registers."""

ANSWERS = " answers"
"""The memory of a call's status and of its questions, apart from all buffers, none of which has such a name."""


class LoopEmitter(InstructionEmitter, Protocol):
    """The function in the making.

    here: the label of the block; leaving: labels of the ways out, the innermost last; left: those that are used; count:
    lines of the entry and of the beginning that make a count.
    """

    entry: list[Line]
    lines: list[Line]
    count: tuple[list[Line], list[Line]]
    values: dict[str, str]
    status: str
    here: str
    leaving: list[str]
    left: set[str]

    def fresh(self, hint: str = "v") -> str: ...
    def do(self, text: str) -> None: ...
    def label(self, hint: str) -> str: ...
    def place(self, label: str) -> None: ...
    def value(self, node: Value) -> str: ...
    def block(self, body: tuple[Statement, ...]) -> None: ...
    def any_lane(self, condition: Value) -> str: ...
    def scope(self, buffer: str) -> str: ...


def way_out(f: LoopEmitter) -> str:
    """The label to go to where the call is to end."""
    label = f.leaving[-1]
    f.left.add(label)
    return label


_AT_A_FAULT = "  %at_a_fault = alloca i1"


def fault_noted(f: LoopEmitter) -> None:
    """The function is left because of its status."""
    if _AT_A_FAULT not in f.entry:
        f.entry += [_AT_A_FAULT, "  store i1 false, ptr %at_a_fault"]
    f.do("store i1 true, ptr %at_a_fault")


def failed(f: LoopEmitter, node: Fail) -> None:
    """The status becomes the code of `node` where its condition holds, unless there is one already."""
    condition = f.any_lane(node.condition)
    bad, after = f.label("fail"), f.label("end")
    f.do(f"br i1 {condition}, label %{bad}, label %{after}")
    f.place(bad)
    earlier = f.emit(f"load i64, ptr {f.status}{f.scope(ANSWERS)}")
    none = f.emit(f"icmp eq i64 {earlier}, 0")
    status = f.emit(f"select i1 {none}, i64 {node.code}, i64 {earlier}")
    f.do(f"store i64 {status}, ptr {f.status}{f.scope(ANSWERS)}")
    if node.leaves:
        fault_noted(f)
    f.do(f"br label %{way_out(f) if node.leaves else after}")
    f.place(after)


def returned(f: LoopEmitter, node: Return) -> None:
    """The end of a kernel; with 0, its status."""
    done = node.value == Literal(0)
    if done:
        status = f.emit("load i64, ptr %status")
        f.do(f"ret i64 {status}")
    else:
        f.do(f"ret i64 {f.value(node.value)}")
    f.place(f.label("after"))
    if done:
        f.do("unreachable")


def leave(f: LoopEmitter) -> None:
    """The outermost way out of a kernel: the call has ended that was to end, or something is wrong."""
    f.place("leave")
    if _AT_A_FAULT in f.entry:
        fault, interrupt = f.label("fault"), f.label("interrupt")
        f.do(f"br i1 {f.emit('load i1, ptr %at_a_fault')}, label %{fault}, label %{interrupt}")
        f.place(fault)
        f.do(f"ret i64 {f.emit(f'load i64, ptr {f.status}')}")
        f.place(interrupt)
    f.do("call void @jitmdh_interrupted()")
    f.do(f"ret i64 {Status.INTERRUPTED}")


def loop(f: LoopEmitter, node: For) -> None:
    """`if (begin < end) do … while (next < end)`: invariant code needs no guard of its own to leave the loop."""
    begin, end, step = f.value(node.begin), f.value(node.end), f.value(node.step)
    body = f.label("independent" if node.independent else _label(node) if node.as_written else "loop")
    after, index, following = f.label("after"), f.fresh(node.name.name), f.fresh("next")
    some, before = f.emit(f"icmp slt i64 {begin}, {end}"), f.here
    f.do(f"br i1 {some}, label %{body}, label %{after}")
    f.place(body)
    head: list[Line] = []
    f.lines.append(head)
    f.values[node.name.name] = index
    around, f.branchless = f.branchless, node.branchless
    f.block(node.body)
    f.branchless = around
    head.append(f"  {index} = phi i64 [ {begin}, %{before} ], [ {following}, %{f.here} ]")
    if node.opaque:  # the strength reduction of code generation takes it for any number
        f.do(f"{following} = freeze i64 {f.emit(f'add nsw i64 {index}, {step}')}")
    else:
        f.do(f"{following} = add nsw i64 {index}, {step}")
    again = f.emit(f"icmp slt i64 {following}, {end}")
    f.do(f"br i1 {again}, label %{body}, label %{after}")
    f.place(after)


def _label(node: For) -> str:
    return "while" if any(isinstance(s, For | While) for s in statements(node.body)) else "counted"


def repeated(f: LoopEmitter, node: While) -> None:
    """`while (condition) body`; what the condition looks at are variables."""
    head, body, after = (f.label(h) for h in ("while", "body", "after"))
    f.do(f"br label %{head}")
    f.place(head)
    condition = f.any_lane(node.condition)
    f.do(f"br i1 {condition}, label %{body}, label %{after}")
    f.place(body)
    f.block(node.body)
    f.do(f"br label %{head}")
    f.place(after)


def begin(f: LoopEmitter) -> None:
    """The place for a function's count, which those that never ask have not."""
    room, first = f.count
    f.entry.append(room)
    f.lines.append(first)


def poll(f: LoopEmitter, node: Poll) -> None:
    room, first = f.count
    if not room:
        room.append("  %count = alloca [3 x i64]")
        where = f.fresh()
        first.append(f"  store volatile i64 {LONG}, ptr %count")
        first.append(f"  {where} = getelementptr i64, ptr %count, i64 1")
        first.append(f"  store ptr {f.status}, ptr {where}")
    amount, asks, after, apart = f.value(node.amount), f.label("ask"), f.label("on"), f.scope(ANSWERS)
    left = f.emit(f"load volatile i64, ptr %count{apart}")
    f.do(f"store volatile i64 {f.emit(f'sub i64 {left}, {amount}')}, ptr %count{apart}")
    f.do(f"br i1 {f.emit(f'icmp ult i64 {left}, {amount}')}, label %{asks}, label %{after}{RARE}")
    f.place(asks)
    f.module.declarations.add("declare void @jitmdh_ask(ptr, i64) #1")
    f.do(f"call void @jitmdh_ask(ptr %count, i64 {LONG}) #1{apart}")
    place = f.emit("getelementptr i64, ptr %count, i64 2")
    answer = f.emit(f"load volatile i64, ptr {place}{apart}")
    ends = f.emit(f"icmp ne i64 {answer}, 0")
    f.do(f"br i1 {ends}, label %{way_out(f)}, label %{after}{RARE}")
    f.place(after)


def unwound(f: LoopEmitter, label: str, block: str, condition: str | None = None) -> None:
    """Behind the body of a working buffer: where the function is left, the block is given back on the way.

    condition: whether there is none (of a buffer that may lie on the stack).
    """
    f.leaving.pop()
    if label not in f.left:
        return
    skip = f.label("end")
    f.do(f"br label %{skip}")
    f.place(label)
    out = way_out(f)
    if condition is not None:
        pool = f.label("back")
        f.do(f"br i1 {condition}, label %{out}, label %{pool}")
        f.place(pool)
    f.do(f"call void @jitmdh_scratch_release(ptr {block})")
    f.do(f"br label %{out}")
    f.place(skip)


def entered(f: LoopEmitter) -> str:
    """The way out of a working buffer's body that begins now."""
    f.leaving.append(f.label("leave"))
    return f.leaving[-1]


__all__ = [
    "RARE",
    "SAVES_ALL",
    "begin",
    "entered",
    "failed",
    "leave",
    "loop",
    "poll",
    "repeated",
    "returned",
    "unwound",
    "way_out",
]
