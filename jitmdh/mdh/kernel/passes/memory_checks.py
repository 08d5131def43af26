"""Bounds of every load and store are looked at before memory is touched: a debugging aid for the compiler itself.

Before:   y[i] = x[k];                     after:   const long place.1 = k;
                                                    const bool inside.2 = (place.1 >= 0) & (place.1 < end.1);
                                                    if (any(!inside.2)) status = 4294967296;  // x[place.1]
                                                    const long place.3 = i;
                                                    const bool inside.4 = (place.3 >= 0) & (place.3 < end.2);
                                                    if (any(!inside.4)) status = 4294967297;  // y[place.3]
                                                    y[place.3] = x[place.1] if inside.2;   where inside.4

The first and the last element that a buffer has follow from the shape and the strides in the argument frame; those of
a working buffer from its length, those of a view from what it is a view of. A loop with a condition that loads becomes
one that leaves by a variable, so that the loads have a place before each look.

Requires: nothing; as the last pass, it sees what is executed. No grids.
Ensures: no load or store leaves its buffer, and no alignment is relied on. A kernel with no access outside computes
what it computed; another one ends with the status of such an access: `Status.FIRST_ACCESS` and its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import (
    add,
    both,
    compare,
    integer,
    maximum,
    minimum,
    multiply,
    negated,
    spread,
    subtract,
)
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    CombineEnds,
    Declare,
    Fail,
    Failed,
    If,
    Iota,
    Kernel,
    Let,
    Literal,
    Load,
    MaskedStores,
    Name,
    Scratch,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.printer import show_statement, value_text
from jitmdh.mdh.kernel.rewrite import Body, Rewriter, kinds, map_bodies, map_children, same, statements, values

Extent = tuple[Value, Value]
"""The first element that a buffer has, and the one behind its last: names or literals."""


def check_memory(kernel: Kernel) -> Kernel:
    return _Checked(kernel).kernel(kernel)


def accesses(kernel: Kernel) -> tuple[str, ...]:
    """The loads and stores that `check_memory` looks at, in the order of their numbers."""
    if Fail not in kinds(kernel.body):
        return ()
    found = (s for s in statements(kernel.body) if isinstance(s, Fail) and s.code >= Status.FIRST_ACCESS)
    return tuple(s.comment for s in sorted(found, key=lambda s: s.code))


class _Checked(Rewriter):
    """out: what stands before the statement that is being looked at; known: values of it that have been."""

    def __init__(self, kernel: Kernel) -> None:
        self.count, self.found = 0, 0
        self.out: list[Statement] = []
        self.known: dict[int, tuple[Value, Value]] = {}
        self.extents = {b.name: self.extent(b) for b in kernel.buffers}
        self.entry = self.out

    def kernel(self, kernel: Kernel) -> Kernel:
        body = self.body(kernel.body)
        return kernel if body is kernel.body else replace(kernel, body=(*self.entry, *body))

    def body(self, body: Body) -> Body:
        around, self.out = self.out, []
        extents = self.extents.copy()
        new: list[Statement] = []
        for node in body:
            self.known = {}
            changed = self.statement(node)
            new += [*self.out, *changed]
            self.out.clear()
        self.out, self.extents = around, extents
        return body if same(new, body) else tuple(new)

    # --------------------------------------------------------------------------------------- statements

    def statement(self, node: Statement) -> Sequence[Statement]:
        if isinstance(node, While):
            return self.repeated(node)
        text = show_statement(node) if isinstance(node, Store | StoreRun | CombineEnds) else ""
        node = map_children(node, self.value)
        match node:
            case Scratch():
                count = self.named("count", node.count)
                node = replace(node, count=count)
                self.extents[node.buffer] = integer(0), count
            case View():
                offset = self.named("offset", node.offset)
                node = replace(node, offset=offset)
                first, end = self.extents[node.of]
                self.extents[node.buffer] = (
                    self.named("first", subtract(first, offset)), self.named("end", subtract(end, offset)),
                )  # fmt: skip
            case Store():
                return (self.store(node, text),)
            case StoreRun():
                return (self.run(node, len(node.values) * node.values[0].lanes, text),)
            case CombineEnds():
                return (self.run(node, node.lines * node.head.lanes, text),)
            case MaskedStores():
                return self.body(node.stores)  # each behind its look, and so none behind a jump of several
        return (map_bodies(node, self.body),)

    def repeated(self, node: While) -> Sequence[Statement]:
        """Ends after an access outside: what it waits for may never come. Conditions that load are looked at inside."""
        if not any(isinstance(v, Load) for v in values(node.condition)):
            body = self.body(node.body)
            return (node if body is node.body else replace(node, condition=_unless_failed(node.condition), body=body),)
        goes_on = self.fresh("goes_on", bool_)
        ends = Assign(goes_on, Literal(False, bool_))
        body = self.body((If(node.condition, node.body, (ends,)),))
        return Declare(goes_on, Literal(True, bool_)), While(_unless_failed(goes_on), body, node.comment)

    def store(self, node: Store, text: str) -> Statement:
        lanes = node.value.lanes
        at, inside = self.place(node.buffer, node.offset, node.stride, lanes, node.mask, text)
        return replace(node, offset=at, mask=inside, aligned=False, streaming=False)

    def run(self, node: StoreRun | CombineEnds, count: int, text: str) -> Statement:
        """Neighbouring elements: all of them are there, or none is written."""
        at = self.short("place", node.offset)
        first, end = self.extents[node.buffer]
        name = self.named("there", _and(compare("ge", at, first), compare("le", at, subtract(end, integer(count)))))
        self.fail(negated(name), text)
        return If(name, (replace(node, offset=at),))

    # ------------------------------------------------------------------------------------------- values

    def value(self, node: Value) -> Value:
        if id(node) not in self.known:
            new = map_children(node, self.value)
            if isinstance(new, Load):
                at, inside = self.place(new.buffer, new.offset, new.stride, new.lanes, new.mask, value_text(node))
                new = replace(new, offset=at, mask=inside)
            self.known[id(node)] = node, new
        return self.known[id(node)][1]

    def place(
        self, buffer: str, offset: Value, stride: Value, lanes: int, mask: Value | None, text: str
    ) -> tuple[Value, Value]:
        """The offset as a name, and the lanes that may be touched. A status says that others were asked for."""
        at = self.short("place", offset)
        first, end = self.extents[buffer]
        offsets: Value = at
        if lanes > 1 and at.lanes == 1:
            steps = Apply("mul", (Iota(lanes), spread(stride, lanes)), int64, lanes)
            offsets = Apply("add", (spread(at, lanes), steps), int64, lanes)
        there = self.named("there", _and(compare("ge", offsets, first), compare("lt", offsets, end)))
        if mask is None:
            self.fail(negated(there), text)
            return at, there
        mask = self.short("mask", mask)
        self.fail(_and(mask, negated(there)), text)
        return at, _and(mask, there)

    def fail(self, condition: Value, text: str) -> None:
        self.out.append(Fail(condition, Status.FIRST_ACCESS + self.found, text))
        self.found += 1

    # ------------------------------------------------------------------------------------------ extents

    def extent(self, b: BufferArgument) -> Extent:
        """From the frame: its shape and strides are those of the whole argument, whose part `b` may be."""
        size = b.type.size_bytes
        low: Value = integer(0)
        high: Value = integer(b.item_bytes or size)
        some: Value | None = None
        for axis in range(b.rank):
            count, stride = Argument(b.slot + 1 + axis), Argument(b.slot + 1 + b.rank + axis)
            reach = multiply(stride, subtract(count, integer(1)))
            low, high = add(low, minimum(reach, integer(0))), add(high, maximum(reach, integer(0)))
            some = both(some, compare("gt", count, integer(0)))
        first = _quotient(add(low, integer(size - 1 - b.offset)), size)
        end = _quotient(add(high, integer(-b.offset)), size)
        if some is not None:
            first, end = (Apply("select", (some, v, integer(0)), int64) for v in (first, end))
        return self.named("first", first), self.named("end", end)

    def named(self, hint: str, value: Value) -> Value:
        if isinstance(value, Literal):
            return value
        name = self.fresh(hint, value.type, value.lanes)
        self.out.append(Let(name, value))
        return name

    def short(self, hint: str, value: Value) -> Value:
        """For use in the very next statement."""
        return value if isinstance(value, Name) else self.named(hint, value)

    def fresh(self, hint: str, type: ScalarType, lanes: int = 1) -> Name:
        self.count += 1
        return Name(f"{hint}.{self.count}", type, lanes)


def _quotient(value: Value, size: int) -> Value:
    """Rounded down, of any sign."""
    if isinstance(value, Literal):
        return integer(int(value.value) // size)  # type: ignore[arg-type]
    return Apply("floordiv", (value, integer(size)), int64)


def _unless_failed(condition: Value) -> Value:
    return _and(condition, negated(Failed()))


def _and(left: Value, right: Value) -> Value:
    lanes = max(left.lanes, right.lanes)
    return Apply("and", (spread(left, lanes), spread(right, lanes)), bool_, lanes)
