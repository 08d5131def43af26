"""Loops, of which some ask from time to time whether the call is to end, and the ways out of a function.

A loop with `work` is strip-mined (Wolfe's strip mining): an outer loop goes from strip to strip, of some tens of
microseconds, and asks the runtime in between. The loop inside is what it would be without. Where the answer is yes,
the function is left at once, by way of the working buffers that it holds: what is behind the loop may rest on results
that are not there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jitmdh.mdh.kernel.ir import For, Literal, Statement, Value, While
from jitmdh.mdh.targets.llvm.licm import Line, Loop, Loops
from jitmdh.mdh.targets.llvm.spelling import Writer

_STRIP = 18  # log₂ of the statements of a strip
_ROUNDS = 1 << 14  # of a loop that data end, between two questions
_LARGEST_STEP = 1 << 20  # times the rounds of a strip, far from the ends of 64 bits

RARE = ", !prof !2"


class Frame(Writer, Protocol):
    """The function in the making. leaving: labels of the ways out, the innermost last; left: those that are used."""

    entry: list[str]
    lines: list[Line]
    loops: Loops
    cache: list[dict[tuple[object, ...], str]]
    values: dict[str, str]
    status: str
    leaving: list[str]
    left: set[str]

    def fresh(self, hint: str = "v") -> str: ...
    def do(self, text: str) -> None: ...
    def label(self, hint: str) -> str: ...
    def place(self, label: str) -> None: ...
    def value(self, node: Value) -> str: ...
    def block(self, body: tuple[Statement, ...]) -> None: ...
    def any_lane(self, condition: Value) -> str: ...
    def numbered(self, key: tuple[object, ...], compute: Callable[[], str]) -> str: ...
    def before(self, loop: Loop, key: tuple[object, ...], compute: Callable[[], str]) -> str: ...


def way_out(f: Frame) -> str:
    """The label to go to where the call is to end."""
    label = f.leaving[-1]
    f.left.add(label)
    return label


def loop(f: Frame, node: For) -> None:
    """`if (begin < end) do … while (next < end)`: invariant code needs no guard of its own to leave the loop."""
    begin, end, step = f.value(node.begin), f.value(node.end), f.value(node.step)
    before, body, latch, after = (f.label(h) for h in ("before", "loop", "latch", "after"))
    f.loops.enter(f.lines, f.cache[-1])
    f.do(f"br label %{before}")
    f.place(before)
    some = f.emit(f"icmp slt i64 {begin}, {end}")
    if polls(node):
        f.place(_in_strips(f, node, begin, end, step, before, some))
        return
    index, following = f.fresh(node.name.name), f.fresh("next")
    f.do(f"br i1 {some}, label %{body}, label %{after}")
    f.place(body)
    f.do(f"{index} = phi i64 [ {begin}, %{before} ], [ {following}, %{latch} ]")
    f.values[node.name.name] = index
    f.loops.made(index)
    f.block(node.body)
    f.loops.leave()
    f.do(f"br label %{latch}")
    f.place(latch)
    f.do(f"{following} = add nsw i64 {index}, {step}")
    again = f.emit(f"icmp slt i64 {following}, {end}")
    f.do(f"br i1 {again}, label %{body}, label %{after}")
    f.place(after)


def repeated(f: Frame, node: While) -> None:
    """`while (condition) body`; what the condition looks at are variables. It may never end: it counts, and asks."""
    before, head, body, asks, after = (f.label(h) for h in ("before", "while", "body", "poll", "after"))
    count, counted = f.fresh("count"), f.fresh("counted")
    f.loops.enter(f.lines, f.cache[-1])
    f.do(f"br label %{before}")
    f.place(before)
    latch = f.label("latch")
    f.do(f"br label %{head}")
    f.place(head)
    f.do(f"{count} = phi i64 [ 0, %{before} ], [ {counted}, %{latch} ], [ 0, %{asks} ]")
    f.cache.append({})
    condition = f.any_lane(node.condition)
    f.cache.pop()
    f.do(f"br i1 {condition}, label %{body}, label %{after}")
    f.place(body)
    f.block(node.body)
    f.loops.leave()
    f.do(f"br label %{latch}")
    f.place(latch)
    f.do(f"{counted} = add nuw nsw i64 {count}, 1")
    many = f.emit(f"icmp eq i64 {counted}, {_ROUNDS}")
    f.do(f"br i1 {many}, label %{asks}, label %{head}{RARE}")
    _ask(f, asks, head)
    f.place(after)


def _ask(f: Frame, label: str, on: str) -> None:
    """At `label`: the question, and on to `on` if the answer is no."""
    f.place(label)
    answer = f.emit(f"call i64 @jitmdh_poll(ptr {f.status})")
    ends = f.emit(f"icmp ne i64 {answer}, 0")
    f.do(f"br i1 {ends}, label %{way_out(f)}, label %{on}{RARE}")


def _in_strips(f: Frame, node: For, begin: str, end: str, step: str, before: str, some: str) -> str:
    """The loop from behind `before`, where the condition `some` of being run at all is; the label after it.

    How long a strip is, and where the first one ends, is computed outside of all loops in which it stays the same. What
    is needed between strips only waits in memory: the loop has no more values to be kept in registers than without.
    """
    length = _length(f, node, step)
    first = _hoisted(f, "strip end", [begin, length, end], lambda: _strip_end(f, begin, length, end))
    kept_length, kept_end = _kept(f, length), _kept(f, end)
    strip, body, latch, more, asks, on, after = map(f.label, ("strip", "loop", "latch", "more", "poll", "on", "after"))
    start, stop, index, following = f.fresh("start"), f.fresh("stop"), f.fresh(node.name.name), f.fresh("next")
    next_stop = f.fresh("stop")
    f.do(f"br i1 {some}, label %{strip}, label %{after}")
    f.place(strip)
    f.do(f"{start} = phi i64 [ {begin}, %{before} ], [ {stop}, %{on} ]")
    f.do(f"{stop} = phi i64 [ {first}, %{before} ], [ {next_stop}, %{on} ]")
    f.do(f"br label %{body}")
    f.place(body)
    f.do(f"{index} = phi i64 [ {start}, %{strip} ], [ {following}, %{latch} ]")
    f.values[node.name.name] = index
    f.loops.made(index)
    f.block(node.body)
    f.loops.leave()
    f.do(f"br label %{latch}")
    f.place(latch)
    f.do(f"{following} = add nsw i64 {index}, {step}")
    again = f.emit(f"icmp slt i64 {following}, {stop}")
    f.do(f"br i1 {again}, label %{body}, label %{more}")
    f.place(more)
    unfinished = f.emit(f"icmp slt i64 {stop}, {_back(f, kept_end)}")
    f.do(f"br i1 {unfinished}, label %{asks}, label %{after}{RARE}")
    _ask(f, asks, on)
    f.place(on)
    f.do(f"{next_stop} = {_strip_end(f, stop, _back(f, kept_length), _back(f, kept_end), last=True)}")
    f.do(f"br label %{strip}")
    return after


def _kept(f: Frame, value: str) -> str:
    """A place in memory that holds a value, from before the outermost loop in which it stays the same; or a number."""
    if not value.startswith("%"):
        return value

    def compute() -> str:
        slot = f.fresh("kept")
        f.entry.append(f"  {slot} = alloca i64")
        f.do(f"store volatile i64 {value}, ptr {slot}")
        return slot

    return _hoisted(f, "kept", [value], compute)


def _back(f: Frame, kept: str) -> str:
    return f.emit(f"load volatile i64, ptr {kept}") if kept.startswith("%kept") else kept


def _strip_end(f: Frame, start: str, length: str, end: str, last: bool = False) -> str:
    """Where a strip ends. last: the instruction instead of its value."""
    far = f.emit(f"add nsw i64 {start}, {length}")
    short = f.emit(f"icmp slt i64 {far}, {end}")
    text = f"select i1 {short}, i64 {far}, i64 {end}"
    return text if last else f.emit(text)


def _length(f: Frame, node: For, step: str) -> str:
    """Of a strip: a power of two times the step."""
    assert node.work is not None
    if isinstance(node.work, Literal):
        return str(int(step) << max(0, _STRIP - int(node.work.value)))  # type: ignore[arg-type]
    work = f.value(node.work)

    def compute() -> str:
        many = f.emit(f"icmp slt i64 {work}, {_STRIP}")
        bits = f.emit(f"select i1 {many}, i64 {work}, i64 {_STRIP}")
        fewer = f.emit(f"sub nsw i64 {_STRIP}, {bits}")
        return f.emit(f"shl i64 {step}, {fewer}")

    return _hoisted(f, "strip", [work, step], compute)


def _hoisted(f: Frame, what: str, operands: list[str], compute: Callable[[], str]) -> str:
    """A value of these operands, computed before the outermost loop in which they stay the same."""
    loop, key = f.loops.around(operands), (what, *operands)
    return f.numbered(key, compute) if loop is None else f.before(loop, key, compute)


def polls(node: For) -> bool:
    """Whether a loop is one that asks; steps that only the call decides may be too large to be multiplied."""
    step = node.step
    return node.work is not None and isinstance(step, Literal) and int(step.value) <= _LARGEST_STEP  # type: ignore[arg-type]


def unwound(f: Frame, label: str, block: str, condition: str | None = None) -> None:
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


def entered(f: Frame) -> str:
    """The way out of a working buffer's body that begins now."""
    f.leaving.append(f.label("leave"))
    return f.leaving[-1]


__all__ = ["RARE", "entered", "loop", "polls", "repeated", "unwound", "way_out"]
