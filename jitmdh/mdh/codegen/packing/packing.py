"""Copies of inputs: where one lies, and the copying itself, in the order of the destination."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import gcd

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.codegen.context.packed_layout import Digit, Packed, digits_of
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.packing.transpose import transposed
from jitmdh.mdh.kernel.arithmetic import (
    add,
    both,
    compare,
    divide,
    integer,
    maximum,
    minimum,
    multiply,
    subtract,
)
from jitmdh.mdh.kernel.ir import (
    Apply,
    For,
    If,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Splat,
    Statement,
    Store,
    Threads,
    Value,
)
from jitmdh.mdh.lowlevel.expr import Copy

# Vectors and single elements of one block that are copied by straight-line code: compiling them takes time, too.
_VECTORS_UNROLLED = 16
_ELEMENTS_UNROLLED = 4

# Elements below which another thread is not worth waking for a copy, and parts for each thread.
COPIED_PER_TASK = 1 << 14
_TASKS_PER_THREAD = 4


def plan_copy(scope: Scope, copy: Copy, access: Access, ranges: Mapping[str, Range]) -> tuple[Packed, list[Statement]]:
    """Where the copy of what `access` reads for points in `ranges` lies; its sizes as statements."""
    out: list[Statement] = []

    def named(hint: str, value: Value) -> Value:
        if isinstance(value, (Literal, Name)):
            return value
        name = scope.index(f"{access.buffer}_{hint}")
        out.append(Let(name, value))
        return name

    origin: list[Value] = []
    extent: list[Value] = []
    multiples: list[int] = []
    for axis, index in enumerate(access.index):
        low: dict[str, Value] = {}
        span: Value = integer(1)
        within = [(name, coefficient) for name, coefficient in index.terms if name in ranges]
        for name, coefficient in within:
            begin, end = ranges[name]
            low[name] = begin if coefficient > 0 else add(end, integer(-1))
            span = add(span, multiply(add(subtract(end, begin), integer(-1)), integer(abs(coefficient))))
        # The constant is left out: shifts carry it (the tile adds it to every index).
        origin.append(named(f"first{axis}", scope.affine(Affine(index.terms), low)))
        extent.append(named(f"count{axis}", maximum(span, integer(0))))
        alone = len(within) == 1 and abs(within[0][1]) == 1
        multiples.append(scope.length(ranges[within[0][0]]) if alone else 1)
    digits, size = digits_of(copy.layout, extent, named)
    buffer = scope.fresh(f"{access.buffer}_{copy.region}")
    return Packed(buffer, tuple(origin), tuple(extent), digits, size, tuple(multiples)), out


def has_points(scope: Scope, ranges: Iterable[Range], out: list[Statement]) -> Value | None:
    """Whether there is a point in `ranges`: otherwise an array may have no element of what would be copied for them.
    None: always."""
    holds: Value | None = None
    for begin, end in ranges:
        if not (isinstance(begin, Literal) and isinstance(end, Literal) and begin.value < end.value):  # type: ignore[operator]
            holds = both(holds, compare("lt", begin, end))
    if holds is None:
        return None
    name = scope.name("has_points", bool_)
    out.append(Let(name, holds))
    return name


def _or_none(condition: Value, count: Value) -> Value:
    return Apply("select", (condition, count, integer(0)), int64)


class PackingLoops:
    """Writes the loops that fill one copy; vectors where source and destination allow.

    source: an outer copy of the same access, which is read instead of the array.
    """

    def __init__(self, scope: Scope, packed: Packed, access: Access, lanes: int, source: Packed | None = None) -> None:
        self.scope, self.packed, self.access, self.outer = scope, packed, access, source
        self.source = scope.strides[access.buffer]
        self.inner = packed.digits[-1]
        self.blocked = len(packed.axis_digits(self.inner.axis)) > 1
        count = self.inner.count
        self.length = int(count.value) if self.blocked and isinstance(count, Literal) else 0  # type: ignore[arg-type]
        self.among = scope.interleaved.get(access.buffer) if source is None else None
        period = self.among.period if self.among else 1
        unit = source.contiguous(self.inner.axis) if source else self.source[self.inner.axis] == integer(period)
        contiguous = unit and self.inner.block == 1
        self.step = (gcd(self.length, lanes) if self.blocked else lanes) if contiguous else 1
        self.lanes = lanes
        self.names = [scope.index(f"p{d.axis}") for d in packed.digits]
        self.along = self._transposing()
        self.columns, self.fine = self._columns()

    def _transposing(self) -> int | None:
        """The digit along which the source is contiguous, where blocks of vectors can be transposed on the way: its
        axis has this one digit, or a finer one whose blocks are no wider than a vector."""
        if self.among or self.outer or self.step > 1 or not self.blocked or self.lanes < 2 or self.length < 2:
            return None
        for n, digit in enumerate(self.packed.digits[:-1]):
            if n > 0 and digit.block <= self.lanes and self.source[digit.axis] == integer(1) and self._coarsest(digit):
                return n
        return None

    def _coarsest(self, digit: Digit) -> bool:
        """Whether the axis has no coarser digit, no more than one finer one, and at least a vector's length."""
        digits = self.packed.axis_digits(digit.axis)
        long = not isinstance(digit.count, Literal) or int(digit.count.value) * digit.block >= self.lanes  # type: ignore[arg-type]
        other = digit.axis != self.inner.axis
        return other and digit == digits[0] and len(digits) <= 2 and digits[-1].block == 1 and long

    def _columns(self) -> tuple[int, Digit | None]:
        """How many columns are transposed at a time, whole blocks of the axis; its finer digit."""
        if self.along is None:
            return self.lanes, None
        digit = self.packed.digits[self.along]
        fine = self.packed.axis_digits(digit.axis)[-1]
        return self.lanes // digit.block * digit.block, None if fine == digit else fine

    def write(self, shared: bool) -> list[Statement]:
        """shared: several threads take parts of the outermost digit."""
        if self.along is not None:
            body = self._with_transposed(self.along)
        else:
            body = self._innermost()
        at, _ = self._element(integer(0))
        walked = None if self.along is None else self.packed.digits[self.along].axis
        for axis in range(len(self.source)):
            blocks = self.packed.axis_digits(axis)
            if axis in (self.inner.axis, walked):
                continue
            if len(blocks) > 1 and not self.packed.whole(axis, blocks[0].block):
                body = [If(compare("lt", at[axis], self.packed.extent[axis]), tuple(body))]
        named = zip(self.names[:-1], self.packed.digits[:-1])
        outer = [d for n, d in enumerate(named) if n != self.along and d[1] != self.fine]
        for name, digit in reversed(outer[1:] if shared else outer):
            alone = digit.count == integer(1)
            body = [Let(name, integer(0)), *body] if alone else [
                For(name, integer(0), digit.count, integer(1), tuple(body))
            ]  # fmt: skip
        return self._dealt_out(body) if shared and outer else body

    def _innermost(self) -> list[Statement]:
        if self.blocked:
            if self.packed.whole(self.inner.axis, self.length):
                return list(self._block(masked=False))
            base, _ = self._element(integer(0))
            full = compare("le", add(base[self.inner.axis], integer(self.length)), self.packed.extent[self.inner.axis])
            return [If(full, self._block(masked=False), self._block(masked=True))]
        name, count = self.names[-1], self.inner.count
        steps = self.packed.whole(self.inner.axis, self.step)
        whole = count if steps else multiply(divide(count, self.step), integer(self.step))
        body: list[Statement] = []
        if whole != integer(0):
            body.append(For(name, integer(0), whole, integer(self.step), tuple(self._move(name, self.step, False))))
        if self.step > 1 and whole != count:
            tail = self.scope.index("tail")
            body.append(For(tail, whole, count, integer(1), tuple(self._move(tail, 1, False))))
        return body

    def _with_transposed(self, along: int) -> list[Statement]:
        """Loops over vectors along the source's unit axis, for as many rows at a time as there are lanes."""
        rest = self.length % self.lanes
        out = self._in_steps(self.length - rest, self.lanes, 1, lambda first: self._group(first, self.lanes, along))
        return out + (self._group(integer(self.length - rest), rest, along) if rest else [])

    def _group(self, first: Value, rows: int, along: int) -> list[Statement]:
        """Whole vectors of `rows` rows, transposed; then the columns that are left. Nothing for groups without a row.

        The transposition is written once, as most of a copy's code: where not all rows may be there, the last one
        stands in for those behind it, which nobody reads; so the code for columns that fill no vector can be short.
        """
        name, digit = self.names[along], self.packed.digits[along]
        begin = self._element(first)[0][self.inner.axis]
        extent, length = self.packed.extent[self.inner.axis], self.packed.extent[digit.axis]
        there: list[Statement] = []
        last: Value | None = None
        if not self.packed.whole(self.inner.axis, self.length):
            last = self.scope.index(f"p{self.inner.axis}_last")
            there.append(Let(last, subtract(subtract(extent, integer(1)), subtract(begin, first))))
        block = self._transposed_block(first, rows, digit, last)
        step, at = integer(self.columns // digit.block), name  # whole blocks of columns
        count = multiply(divide(maximum(length, integer(0)), self.columns), step)
        if self.columns == self.lanes and self.packed.whole(digit.axis, self.lanes):
            count = digit.count
        elif digit.block == 1:  # the last vector ends where the columns do: some are copied twice
            at, behind = self.scope.index(f"p{digit.axis}_at"), subtract(length, integer(self.lanes))
            count = length if isinstance(length, Literal) else _or_none(compare("ge", behind, integer(0)), length)
            block = [Let(name, minimum(at, behind)), *block]
        there.append(For(at, integer(0), count, step, tuple(block)))
        if count != digit.count:
            there.append(For(name, count, digit.count, integer(1), tuple(self._columns_left(first, rows, digit, last))))
        beyond_first = last is not None and self.length > self.lanes
        return [If(compare("lt", begin, extent), tuple(there))] if beyond_first else there

    def _transposed_block(self, first: Value, rows: int, digit: Digit, last: Value | None) -> list[Statement]:
        """One vector from each of `rows` rows; column by column to the copy.

        last: the last row that is there; None: all are there.
        """
        out: list[Statement] = []
        type = self.scope.types[self.access.buffer]

        def piece(row: int, column: int, width: int) -> Value:
            inside = self.columns - column  # what is behind the blocks may be behind the array
            if inside <= 0:
                return Splat(Literal(zero(type).value, type), type, width)
            mask = self._first(integer(inside), width) if inside < width else None
            return self._load(self._row(first, integer(row), last), width, mask, column)

        to = self.scope.index("to")
        out.append(Let(to, self._element(first)[1]))
        for column, value in enumerate(transposed(piece, rows, self.lanes, type, self.scope, out)[: self.columns]):
            mask = self._first(integer(rows), value.lanes) if rows < value.lanes else None
            place = add(to, multiply(digit.stride, integer(column // digit.block)))
            if self.fine is not None:
                place = add(place, multiply(self.fine.stride, integer(column % digit.block)))
            out.append(Store(self.packed.buffer, place, value, mask=mask))
        return out

    def _columns_left(self, first: Value, rows: int, digit: Digit, last: Value | None) -> list[Statement]:
        """The elements of `rows` rows in one block of columns, one by one."""
        row = self.scope.index(f"p{self.inner.axis}")
        position, place = self._row(first, row, last), self._element(add(first, row))[1]
        if self.fine is None:
            return [self._rows_left(row, rows, self._load(position, 1), place)]
        column = self.scope.index(f"p{digit.axis}")
        within = subtract(self.packed.extent[digit.axis], self._element(first)[0][digit.axis])
        load = self._load(position, 1, further=column)
        body = self._rows_left(row, rows, load, add(place, multiply(column, self.fine.stride)))
        return [For(column, integer(0), minimum(within, integer(digit.block)), integer(1), (body,))]

    def _rows_left(self, row: Name, rows: int, load: Value, place: Value) -> Statement:
        value = self.scope.name(self.access.buffer, load.type, 1)
        return For(
            row, integer(0), integer(rows), integer(1), (Let(value, load), Store(self.packed.buffer, place, value))
        )

    @staticmethod
    def _row(first: Value, row: Value, last: Value | None) -> Value:
        """The position of a row behind `first`, or of the last one that is there."""
        position = add(first, row)
        return position if last is None or row == integer(0) else minimum(position, last)

    @staticmethod
    def _first(count: Value, lanes: int) -> Value:
        return Apply("first_lanes", (count,), bool_, lanes)

    def _element(self, position: Value) -> tuple[list[Value], Value]:
        """Indices of the source, and the offset in the copy, of the element at `position` of the innermost digit."""
        at: list[Value] = [integer(0)] * len(self.source)
        to: Value = position
        for name, digit in zip(self.names[:-1], self.packed.digits[:-1]):
            if digit == self.fine:
                continue  # a block's columns are next to each other
            at[digit.axis] = add(at[digit.axis], multiply(name, integer(digit.block)))
            to = add(to, multiply(name, digit.stride))
        at[self.inner.axis] = add(at[self.inner.axis], position)
        return at, to

    def _move(self, position: Value, width: int, masked: bool) -> list[Statement]:
        at, to = self._element(position)
        mask: Value | None = None
        if masked:
            left = subtract(self.packed.extent[self.inner.axis], at[self.inner.axis])
            mask = Apply("first_lanes", (left,), bool_, width) if width > 1 else compare("gt", left, integer(0))
        load = self._load(position, width, mask)
        value = self.scope.name(self.access.buffer, load.type, width)
        return [Let(value, load), Store(self.packed.buffer, to, value)]

    def _load(self, position: Value, width: int, mask: Value | None = None, further: int | Value = 0) -> Value:
        """From the source, for the element at `position` of the innermost digit and its neighbours in memory.

        further: so many elements behind it.
        """
        at, _ = self._element(position)
        behind = integer(further) if isinstance(further, int) else further
        offset, type = add(self._source(at), behind), self.scope.types[self.access.buffer]
        if self.among is not None and width > 1:
            return self.among.picked(self.among.wide(offset, type, width, mask), width)
        buffer = self.outer.buffer if self.outer else self.access.buffer
        return Load(buffer, offset, type, width, integer(1), mask)

    def _source(self, at: list[Value]) -> Value:
        """Where the element `at`, counted from the copy's first, is now."""
        if self.outer is not None:
            pairs = zip(at, self.packed.origin, self.outer.origin)
            return self.outer.at([add(a, subtract(mine, theirs)) for a, mine, theirs in pairs])
        offset: Value = integer(0)
        for axis, stride in enumerate(self.source):
            first = add(self.packed.origin[axis], integer(self.access.index[axis].constant))
            offset = add(offset, multiply(add(at[axis], first), stride))
        return offset

    def _block(self, *, masked: bool) -> tuple[Statement, ...]:
        """All elements of the innermost digit. masked: zeros where the source has none."""
        if masked and (self.step == 1 or self.length > self.step):
            return self._ended_block()
        most = 1 if masked else _ELEMENTS_UNROLLED if self.step == 1 else _VECTORS_UNROLLED
        return tuple(self._in_steps(self.length, self.step, most, lambda p: self._move(p, self.step, masked)))

    def _ended_block(self) -> tuple[Statement, ...]:
        """The elements that there are of a block, one by one or as vectors of which the last one is masked, then zeros:
        a short axis has no other blocks, and vectors that are not there are not looked for."""
        at, _ = self._element(integer(0))
        left, step, length = subtract(self.packed.extent[self.inner.axis], at[self.inner.axis]), self.step, self.length
        if step > 1:
            vectors = divide(add(maximum(left, integer(0)), integer(step - 1)), step)
            left = multiply(vectors, integer(step))
        there = minimum(left, integer(length))
        moved, rest = (self.scope.index(f"p{self.inner.axis}") for _ in range(2))
        type = self.scope.types[self.access.buffer]
        nothing: Value = Literal(zero(type).value, type)
        if step > 1:
            nothing = Splat(nothing, type, step)
        return (
            For(moved, integer(0), there, integer(step), tuple(self._move(moved, step, step > 1))),
            For(rest, maximum(there, integer(0)), integer(length), integer(step),
                (Store(self.packed.buffer, self._element(rest)[1], nothing),)),
        )  # fmt: skip

    def _in_steps(self, length: int, step: int, most: int, body: Callable[[Value], list[Statement]]) -> list[Statement]:
        """`body` at 0, `step`, … below `length`: straight-line code for at most `most` of them, else in a loop."""
        count = length // step
        if count <= max(1, most):
            return [s for n in range(count) for s in body(integer(n * step))]
        each = max(n for n in range(1, most + 1) if count % n == 0)
        position = self.scope.index(f"p{self.inner.axis}")
        unrolled = [s for n in range(each) for s in body(add(position, integer(n * step)))]
        return [For(position, integer(0), integer(length), integer(each * step), tuple(unrolled))]

    def _dealt_out(self, body: list[Statement]) -> list[Statement]:
        """A loop over the outermost digit, in parts for threads."""
        count = self.packed.digits[0].count
        task, tasks = self.scope.index("task"), self.scope.index("copy_tasks")
        useful = add(divide(self.packed.size, COPIED_PER_TASK), integer(1))
        most = minimum(minimum(multiply(Threads(), integer(_TASKS_PER_THREAD)), count), useful)
        begin = Apply("udiv", (multiply(task, count), tasks), int64)
        end = Apply("udiv", (multiply(add(task, integer(1)), count), tasks), int64)
        return [
            Let(tasks, maximum(most, integer(1))),
            Parallel(task, tasks, (For(self.names[0], begin, end, integer(1), tuple(body)),), "COR copy"),
        ]
