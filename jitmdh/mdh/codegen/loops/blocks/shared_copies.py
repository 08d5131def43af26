"""Copies of inputs in shared memory (D3, D4): the threads of a block fill them together, neighbours with neighbours.

What lies behind the end of an array is 0 in its copy. Asynchronous copies of 4, 8 or 16 bytes do not pass through
registers; other sizes do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import gcd, prod

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.packed_layout import Packed, digits_of
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts
from jitmdh.mdh.kernel.arithmetic import add, both, compare, divide, integer, minimum, multiply, remainder, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    CopyAhead,
    For,
    If,
    Let,
    Literal,
    Load,
    Misalignment,
    Name,
    Shuffle,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.lowlevel.blocks import span, threads, width
from jitmdh.mdh.lowlevel.expr import Copy
from jitmdh.mdh.lowlevel.layout import places as places_of
from jitmdh.mdh.machine.blocks import AHEAD_BYTES, VECTOR_BYTES


class SharedCopies:
    """Writes copies for one place of a nest. extents: of the dimensions; uniform: where the part at hand begins in
    each; known: extents that no call decides."""

    def __init__(
        self, nest: NestFacts, extents: Mapping[str, Value], uniform: Mapping[str, Value], thread: Value,
        known: Callable[[str], int | None],
    ) -> None:  # fmt: skip
        self.nest, self.scope, self.parts = nest, nest.scope, nest.low.parts
        self.extents, self.uniform, self.thread, self.known = extents, dict(uniform), thread, known

    def moved(self, dim: str, begin: Value) -> SharedCopies:
        """Those of a part that begins elsewhere in one dimension."""
        return SharedCopies(self.nest, self.extents, {**self.uniform, dim: begin}, self.thread, self.known)

    def write(self, copy: Copy, out: list[Statement]) -> Packed:
        """The loop that fills a copy, appended to `out`."""
        packed = self.placed(copy, self.scope.fresh(f"{self._access(copy).buffer}_shared"), integer(0), out)
        self.fill(copy, packed, out)
        return packed

    def placed(self, copy: Copy, buffer: str, first: Value, out: list[Statement]) -> Packed:
        """Where a copy is: in this buffer, from `first` on."""
        access, spans = self._access(copy), self._spans(copy)
        origin: list[Value] = []
        for index in access.index:
            begin: Value = self.scope.affine(Affine(index.terms), self.uniform)
            for name, coefficient in index.terms:
                if name in spans and coefficient < 0:
                    begin = add(begin, integer(coefficient * (spans[name] - 1)))
            origin.append(self.scope.named(f"{access.buffer}_begin", begin, out))

        def named(hint: str, value: Value) -> Value:
            return self.scope.named(hint, value, out)

        widths = [integer(width(index, spans)) for index in access.index]
        digits, size = digits_of(copy.layout, widths, named)
        return Packed(buffer, tuple(origin), tuple(widths), digits, size, first=first)

    def stride(self, copy: Copy) -> int:
        """Elements from one copy to the next where several are in one buffer: whole vectors."""
        spans, access = self._spans(copy), self._access(copy)
        lanes = max(1, VECTOR_BYTES // self.scope.types[access.buffer].size_bytes)
        return -(-places_of(copy.layout, [width(index, spans) for index in access.index]) // lanes) * lanes

    def _access(self, copy: Copy) -> Access:
        return self.nest.expression.inp_view[copy.access]

    def _spans(self, copy: Copy) -> dict[str, int]:
        """How far what is copied reaches along each dimension."""
        return {name: span(self.parts, copy.at, name, self.known) or 1 for name in self.uniform}

    def _inside(self, copy: Copy, out: list[Statement]) -> list[tuple[Value | None, Value | None]]:
        """For each axis of a copy, how many of its first elements and of its last ones do not exist; None: all do."""
        spans, blocks = self._spans(copy), [p.dim for p in self.parts if p.way == "block"]
        found: list[tuple[Value | None, Value | None]] = []
        for index in self._access(copy).index:
            low = high = None
            for name, coefficient in index.terms:
                if name not in spans or (spans[name] == 1 and blocks.count(name) < 2):
                    continue  # where groups of blocks are cut short, some blocks begin behind the end
                missing = self._missing(name, spans[name], out)
                if missing is not None and coefficient < 0:
                    low = add(low or integer(0), multiply(missing, integer(-coefficient)))
                elif missing is not None:
                    high = add(high or integer(0), multiply(missing, integer(coefficient)))
            found.append((low, high))
        return found

    def _missing(self, dim: str, span: int, out: list[Statement]) -> Value | None:
        """How many of `span` elements of a dimension lie behind its end; None: none ever does."""
        largest = max(p.size for p in self.parts if p.dim == dim)
        extent = next(d.extent for d in self.nest.expression.md_hom.dims if d.name == dim)
        if self.scope.multiple(extent) % largest == 0:
            return None
        there = minimum(integer(span), subtract(self.extents[dim], self.uniform[dim]))
        return self.scope.named(f"{dim}_missing", subtract(integer(span), there), out)

    def fill(self, copy: Copy, packed: Packed, out: list[Statement], ahead: bool = False) -> None:
        """Element n is for thread n modulo their number; neighbours along the axis that is contiguous in memory.

        By vectors of 16 bytes where that axis has whole ones, and the call's array lies such that all are aligned.
        ahead: asynchronously, where elements, or such vectors, are as large and lie in the copy as in the array.
        """
        body: list[Statement] = []
        self._fill(copy, packed, body, ahead)
        holds = self._has_points(copy)
        out += body if holds is None else [If(holds, tuple(body))]

    def _has_points(self, copy: Copy) -> Value | None:
        """Whether there are points at all, as far as no loop around says so, nor that there are blocks: otherwise an
        array may have no element of what would be copied."""
        around = {p.dim for n, p in enumerate(self.parts) if p.way == "loop" and n <= copy.at}
        around |= {p.dim for p in self.parts if p.way == "block" and p.dim not in self.nest.collapsed}
        holds: Value | None = None
        for name, extent in self.extents.items():
            if name not in around and not isinstance(extent, Literal):
                holds = both(holds, compare("gt", extent, integer(0)))
        return holds

    def _fill(self, copy: Copy, packed: Packed, out: list[Statement], ahead: bool) -> None:
        access, inside = self._access(copy), self._inside(copy, out)
        spans = self._spans(copy)
        widths = [width(index, spans) for index in access.index]
        strides = self.scope.strides[access.buffer]
        unit = next((axis for axis, stride in enumerate(strides) if stride == integer(1)), None)
        lanes = 1
        if unit is not None and inside[unit] == (None, None):
            lanes = gcd(VECTOR_BYTES // self.scope.types[access.buffer].size_bytes, widths[unit])
            if ahead and not _as_in_array(packed, unit, lanes):
                lanes = 1
        one = self._filling(packed, access, widths, inside, unit, 1, ahead)
        if lanes == 1:
            out.append(one)
            return
        assert unit is not None
        aligned = self._aligned(packed, access, widths, unit, lanes, out)
        out.append(If(aligned, (self._filling(packed, access, widths, inside, unit, lanes, ahead),), (one,)))

    def _aligned(
        self, packed: Packed, access: Access, widths: Sequence[int], unit: int, lanes: int, out: list[Statement]
    ) -> Value:
        """Whether vectors of so many lanes are: the first one, and the steps from each row to the next."""
        strides = self.scope.strides[access.buffer]
        first: Value = integer(0)
        for index, origin, stride in zip(access.index, packed.origin, strides):
            first = add(first, multiply(add(origin, integer(index.constant)), stride))
        first = self.scope.named(f"at_{access.buffer}", first, out)
        holds: Value | None = compare("eq", Misalignment(access.buffer, first, lanes), integer(0))
        for axis, stride in enumerate(strides):
            if axis != unit and widths[axis] > 1:
                holds = both(holds, compare("eq", Apply("and", (stride, integer(lanes - 1)), int64), integer(0)))
        assert holds is not None
        name = self.scope.name("aligned", bool_)
        out.append(Let(name, holds))
        return name

    def _filling(
        self, packed: Packed, access: Access, widths: Sequence[int],
        inside: Sequence[tuple[Value | None, Value | None]], unit: int | None, lanes: int,
        ahead: bool,
    ) -> For:  # fmt: skip
        """The loop. lanes: that a thread copies at once."""
        scope, buffer = self.scope, access.buffer
        strides = scope.strides[buffer]
        unit = len(widths) - 1 if unit is None else unit
        counts = [n // lanes if axis == unit else n for axis, n in enumerate(widths)]
        order = [axis for axis in range(len(widths)) if axis != unit] + [unit] * bool(widths)
        number, step = scope.index("element"), threads(self.parts, self.known)
        body: list[Statement] = []
        whole = lanes > 1 and prod(counts) % step == 0  # as many rounds for each thread: compilers unroll the loop
        left: Value = add(number, self.thread) if whole else number
        places: list[Value] = [integer(0)] * len(widths)
        order = [axis for axis in order if counts[axis] > 1]
        for axis in reversed(order):
            last = axis == order[0]
            place = left if last else remainder(left, counts[axis])
            places[axis] = scope.named("place", multiply(place, integer(lanes)) if axis == unit else place, body)
            left = divide(left, counts[axis])
        there: Value | None = None
        at: Value = integer(0)
        for axis, place in enumerate(places):
            low, high = inside[axis]
            if low is not None:
                there = both(there, compare("ge", place, low))
            if high is not None:
                there = both(there, compare("lt", add(place, high), integer(widths[axis])))
            index = add(add(packed.origin[axis], place), integer(access.index[axis].constant))
            at = add(at, multiply(index, strides[axis]))
        type = scope.types[buffer]
        value = replace(scope.name(buffer, type), lanes=lanes)
        moved: list[Statement] = [CopyAhead(packed.buffer, packed.at(places), buffer, at, lanes)]
        if not ahead or lanes * type.size_bytes not in AHEAD_BYTES:
            load = Load(buffer, at, type, lanes, aligned=lanes > 1)
            moved = [Let(value, load), *_stored(packed, places, unit, value, lanes)]
        nothing = tuple(_stored(packed, places, unit, Literal(type.numpy.type(0).item(), type), lanes))
        body += moved if there is None else [If(there, tuple(moved), nothing)]
        begin = integer(0) if whole else self.thread
        return For(number, begin, integer(prod(counts)), integer(step), tuple(body), f"copy of {buffer}")


def _stored(packed: Packed, places: Sequence[Value], unit: int, value: Name | Literal, lanes: int) -> list[Statement]:
    """A vector as one where its lanes are neighbours in the copy, too, in aligned rows; a number in so many places."""
    if lanes == 1:
        return [Store(packed.buffer, packed.at(places), value)]
    if isinstance(value, Name) and _as_in_array(packed, unit, lanes):
        return [Store(packed.buffer, packed.at(places), value, aligned=True)]
    found: list[Statement] = []
    for lane in range(lanes):
        index = [add(place, integer(lane)) if axis == unit else place for axis, place in enumerate(places)]
        one = Shuffle(value, (lane,), value.type) if isinstance(value, Name) else value
        found.append(Store(packed.buffer, packed.at(index), one))
    return found


def _as_in_array(packed: Packed, unit: int, lanes: int) -> bool:
    """Whether vectors along the axis that is contiguous in the array are neighbours in the copy, too, and aligned."""
    others = [digit.stride for digit in packed.digits if digit.axis != unit]
    whole = all(isinstance(stride, Literal) and int(stride.value) % lanes == 0 for stride in others)  # type: ignore[arg-type]
    return packed.contiguous(unit) and whole
