"""Copies of inputs in shared memory (D3, D4): the threads of a block fill them together, neighbours with neighbours.

What lies behind the end of an array is 0 in its copy.
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
from jitmdh.mdh.machine.blocks import VECTOR_BYTES


class SharedCopies:
    """Writes copies for one place of a nest. extents: of the dimensions; uniform: where the part at hand begins in
    each; known: extents that no call decides."""

    def __init__(
        self, nest: NestFacts, extents: Mapping[str, Value], uniform: Mapping[str, Value], thread: Value,
        known: Callable[[str], int | None],
    ) -> None:  # fmt: skip
        self.nest, self.scope, self.parts = nest, nest.scope, nest.low.parts
        self.extents, self.uniform, self.thread, self.known = extents, dict(uniform), thread, known

    def write(self, copy: Copy, out: list[Statement]) -> Packed:
        """The loop that fills a copy, appended to `out`."""
        access = self.nest.expression.inp_view[copy.access]
        spans = {name: span(self.parts, copy.at, name, self.known) or 1 for name in self.uniform}
        widths = [width(index, spans) for index in access.index]
        origin: list[Value] = []
        inside: list[tuple[Value | None, Value | None]] = []
        for index in access.index:
            first: Value = self.scope.affine(Affine(index.terms), self.uniform)
            low = high = None
            for name, coefficient in index.terms:
                if name not in spans or spans[name] == 1:
                    continue
                if coefficient < 0:
                    first = add(first, integer(coefficient * (spans[name] - 1)))
                missing = self._missing(name, spans[name], out)
                if missing is not None and coefficient < 0:
                    low = add(low or integer(0), multiply(missing, integer(-coefficient)))
                elif missing is not None:
                    high = add(high or integer(0), multiply(missing, integer(coefficient)))
            origin.append(self.scope.named(f"{access.buffer}_begin", first, out))
            inside.append((low, high))

        def named(hint: str, value: Value) -> Value:
            return self.scope.named(hint, value, out)

        digits, size = digits_of(copy.layout, [integer(n) for n in widths], named)
        assert isinstance(size, Literal)
        buffer = self.scope.fresh(f"{access.buffer}_shared")
        packed = Packed(buffer, tuple(origin), tuple(map(integer, widths)), digits, size)
        self._fill(packed, access, widths, inside, out)
        return packed

    def _missing(self, dim: str, span: int, out: list[Statement]) -> Value | None:
        """How many of `span` elements of a dimension lie behind its end; None: none ever does."""
        largest = max(p.size for p in self.parts if p.dim == dim)
        extent = next(d.extent for d in self.nest.expression.md_hom.dims if d.name == dim)
        if self.scope.multiple(extent) % largest == 0:
            return None
        there = minimum(integer(span), subtract(self.extents[dim], self.uniform[dim]))
        return self.scope.named(f"{dim}_missing", subtract(integer(span), there), out)

    def _fill(
        self, packed: Packed, access: Access, widths: Sequence[int],
        inside: Sequence[tuple[Value | None, Value | None]], out: list[Statement],
    ) -> None:  # fmt: skip
        """Element n is for thread n modulo their number; neighbours along the axis that is contiguous in memory.

        By vectors of 16 bytes where that axis has whole ones, and the call's array lies such that all are aligned.
        """
        strides = self.scope.strides[access.buffer]
        unit = next((axis for axis, stride in enumerate(strides) if stride == integer(1)), None)
        lanes = 1
        if unit is not None and inside[unit] == (None, None):
            lanes = gcd(VECTOR_BYTES // self.scope.types[access.buffer].size_bytes, widths[unit])
        one = self._filling(packed, access, widths, inside, unit, 1)
        if lanes == 1:
            out.append(one)
            return
        assert unit is not None
        aligned = self._aligned(packed, access, widths, unit, lanes, out)
        out.append(If(aligned, (self._filling(packed, access, widths, inside, unit, lanes),), (one,)))

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
        moved: list[Statement] = [
            Let(value, Load(buffer, at, type, lanes, aligned=lanes > 1)), *_stored(packed, places, unit, value, lanes)
        ]  # fmt: skip
        nothing = tuple(_stored(packed, places, unit, Literal(type.numpy.type(0).item(), type), lanes))
        body += moved if there is None else [If(there, tuple(moved), nothing)]
        begin = integer(0) if whole else self.thread
        return For(number, begin, integer(prod(counts)), integer(step), tuple(body), f"copy of {buffer}")


def _stored(packed: Packed, places: Sequence[Value], unit: int, value: Name | Literal, lanes: int) -> list[Statement]:
    """A vector as one where its lanes are neighbours in the copy, too, in aligned rows; a number in so many places."""
    if lanes == 1:
        return [Store(packed.buffer, packed.at(places), value)]
    others = [digit.stride for digit in packed.digits if digit.axis != unit]
    whole = all(isinstance(stride, Literal) and int(stride.value) % lanes == 0 for stride in others)  # type: ignore[arg-type]
    if packed.contiguous(unit) and whole and isinstance(value, Name):
        return [Store(packed.buffer, packed.at(places), value, aligned=True)]
    found: list[Statement] = []
    for lane in range(lanes):
        index = [add(place, integer(lane)) if axis == unit else place for axis, place in enumerate(places)]
        one = Shuffle(value, (lane,), value.type) if isinstance(value, Name) else value
        found.append(Store(packed.buffer, packed.at(index), one))
    return found
