"""Copies of input tiles with a chosen layout (parameters D3 and D4): where an element is, and the copying itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.kernel_ir import (
    Apply,
    For,
    If,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Statement,
    Store,
    Threads,
    Value,
    add,
    compare,
    divide,
    integer,
    maximum,
    minimum,
    multiply,
    remainder,
    subtract,
)  # fmt: skip
from jitmdh.mdh.codegen.scope import Scope
from jitmdh.mdh.codegen.shapes import Range, TileDim
from jitmdh.mdh.lowlevel.expr import Copy

# Vectors of one block that are copied by straight-line code.
_LONGEST_UNROLLED = 64


# Elements below which another thread is not worth waking for a copy, and parts for each thread.
_COPIED_PER_TASK = 1 << 14
_TASKS_PER_THREAD = 4


@dataclass(frozen=True, slots=True)
class Digit:
    """One digit of a layout: steps of `block` along `axis`; `count` of them (None: as many as needed)."""

    axis: int
    block: int
    count: Value
    stride: Value


@dataclass(frozen=True, slots=True)
class Packed:
    """A copy: `origin` is the index of its first element per axis, `extent` how many indices it covers."""

    buffer: str
    origin: tuple[Value, ...]
    extent: tuple[Value, ...]
    digits: tuple[Digit, ...]
    size: Value

    def axis_digits(self, axis: int) -> list[Digit]:
        """Digits of one axis, coarsest first."""
        return sorted((d for d in self.digits if d.axis == axis), key=lambda d: -d.block)

    def lane_stride(self, axis: int) -> Value:
        """Distance between neighbours along `axis` inside its finest block."""
        return self.axis_digits(axis)[-1].stride

    def offset(self, scope: Scope, access: Access, dims: Mapping[str, TileDim], shifts: tuple[int, ...]) -> Value:
        total: Value = integer(0)
        values = {name: d.base for name, d in dims.items()}
        for axis, index in enumerate(access.index):
            digits = self.axis_digits(axis)
            shift = shifts[axis] - index.constant
            base = subtract(scope.affine(Affine(index.terms), values), self.origin[axis])
            block = digits[0].block
            if block > 1 and _multiple(index, dims) % block == 0 and 0 <= shift < block:
                total = add(total, multiply(divide(base, block), digits[0].stride))
                rest: Value = integer(shift)
                digits = digits[1:]
            else:
                rest = add(base, integer(shift))
            for n, digit in enumerate(digits):
                part = divide(rest, digit.block)
                total = add(total, multiply(part, digit.stride))
                if n + 1 < len(digits):
                    rest = remainder(rest, digit.block)
        return total


def _multiple(index: Affine, dims: Mapping[str, TileDim]) -> int:
    """What the index's distance from the copy's origin is known to be a multiple of."""
    if len(index.terms) != 1 or index.terms[0][1] != 1:
        return 1
    dim = dims.get(index.terms[0][0])
    return dim.multiple if dim else 1


def plan_copy(scope: Scope, copy: Copy, access: Access, ranges: Mapping[str, Range]) -> tuple[Packed, list[Statement]]:
    """Where the copy of what `access` reads for points in `ranges` lies; its sizes as statements."""
    out: list[Statement] = []

    def named(hint: str, value: Value) -> Value:
        if isinstance(value, Literal):
            return value
        name = scope.index(hint)
        out.append(Let(name, value))
        return name

    origin: list[Value] = []
    extent: list[Value] = []
    for axis, index in enumerate(access.index):
        low: dict[str, Value] = {}
        span: Value = integer(1)
        for name, coefficient in index.terms:
            if name not in ranges:
                continue
            begin, end = ranges[name]
            low[name] = begin if coefficient > 0 else add(end, integer(-1))
            span = add(span, multiply(add(subtract(end, begin), integer(-1)), integer(abs(coefficient))))
        # The constant is left out: shifts carry it (the tile adds it to every index).
        origin.append(named(f"{access.buffer}_first{axis}", scope.affine(Affine(index.terms), low)))
        extent.append(named(f"{access.buffer}_count{axis}", maximum(span, integer(0))))
    layout = copy.layout or tuple((axis, 1) for axis in range(len(access.index)))
    digits: list[Digit] = []
    stride: Value = integer(1)
    for axis, block in reversed(layout):
        larger = [b for a, b in layout if a == axis and b > block]
        if larger:
            count: Value = integer(min(larger) // block)
        else:
            count = divide(add(extent[axis], integer(block - 1)), block)
        digits.append(Digit(axis, block, named(f"{access.buffer}_digits", count), stride))
        stride = named(f"{access.buffer}_size", multiply(stride, count))
    buffer = scope.fresh(f"{access.buffer}_{copy.region}")
    return Packed(buffer, tuple(origin), tuple(extent), tuple(reversed(digits)), stride), out


def fill_copy(scope: Scope, packed: Packed, access: Access, lanes: int, shared: bool = False) -> list[Statement]:
    """The loops that copy, in the order of the destination; vectors where source and destination allow.

    shared: several threads take parts of the outermost digit.
    """
    source = scope.strides[access.buffer]
    type = scope.types[access.buffer]
    constants = tuple(a.constant for a in access.index)
    inner = packed.digits[-1]
    blocked = len(packed.axis_digits(inner.axis)) > 1
    length = int(inner.count.value) if blocked and isinstance(inner.count, Literal) else 0  # type: ignore[arg-type]
    contiguous = source[inner.axis] == integer(1) and inner.block == 1
    step = lanes if contiguous and (not blocked or length % lanes == 0) else 1
    names = [scope.index(f"p{d.axis}") for d in packed.digits]

    def element(position: Value) -> tuple[list[Value], Value]:
        at: list[Value] = [integer(0)] * len(source)
        to: Value = position
        for name, digit in zip(names[:-1], packed.digits[:-1]):
            at[digit.axis] = add(at[digit.axis], multiply(name, integer(digit.block)))
            to = add(to, multiply(name, digit.stride))
        at[inner.axis] = add(at[inner.axis], position)
        return at, to

    def move(position: Value, width: int, masked: bool) -> list[Statement]:
        at, to = element(position)
        offset: Value = integer(0)
        for axis, stride in enumerate(source):
            where = add(add(at[axis], packed.origin[axis]), integer(constants[axis]))
            offset = add(offset, multiply(where, stride))
        mask: Value | None = None
        if masked:
            left = subtract(packed.extent[inner.axis], at[inner.axis])
            mask = Apply("first_lanes", (left,), bool_, width) if width > 1 else compare("gt", left, integer(0))
        value = scope.name(access.buffer, type, width)
        return [Let(value, Load(access.buffer, offset, type, width, integer(1), mask)),
                Store(packed.buffer, to, value)]  # fmt: skip

    def block(masked: bool) -> tuple[Statement, ...]:
        if length <= _LONGEST_UNROLLED * step:
            return tuple(s for p in range(0, length, step) for s in move(integer(p), step, masked))
        position = scope.index(f"p{inner.axis}")
        return (For(position, integer(0), integer(length), integer(step), tuple(move(position, step, masked))),)

    body: list[Statement]
    if blocked:
        base, _ = element(integer(0))
        full = compare("le", add(base[inner.axis], integer(length)), packed.extent[inner.axis])
        body = [If(full, block(False), block(True))]
    else:
        whole = multiply(divide(inner.count, step), integer(step))
        body = [For(names[-1], integer(0), whole, integer(step), tuple(move(names[-1], step, False)))]
        if step > 1:
            tail = scope.index("tail")
            body.append(For(tail, whole, inner.count, integer(1), tuple(move(tail, 1, False))))
    at, _ = element(integer(0))
    for axis in range(len(source)):
        if axis != inner.axis and len(packed.axis_digits(axis)) > 1:
            body = [If(compare("lt", at[axis], packed.extent[axis]), tuple(body))]
    for name, digit in reversed(list(zip(names[:-1], packed.digits[:-1]))[1 if shared else 0 :]):
        body = [For(name, integer(0), digit.count, integer(1), tuple(body))]
    return _share(scope, packed, names[0], body) if shared and len(names) > 1 else body


def _share(scope: Scope, packed: Packed, name: Name, body: list[Statement]) -> list[Statement]:
    """A loop over the outermost digit, dealt out to threads."""
    count = packed.digits[0].count
    task, tasks = scope.index("task"), scope.index("copy_tasks")
    useful = add(divide(packed.size, _COPIED_PER_TASK), integer(1))
    most = minimum(minimum(multiply(Threads(), integer(_TASKS_PER_THREAD)), count), useful)
    begin = Apply("udiv", (multiply(task, count), tasks), int64)
    end = Apply("udiv", (multiply(add(task, integer(1)), count), tasks), int64)
    return [
        Let(tasks, maximum(most, integer(1))),
        Parallel(task, tasks, (For(name, begin, end, integer(1), tuple(body)),), "COR copy"),
    ]
