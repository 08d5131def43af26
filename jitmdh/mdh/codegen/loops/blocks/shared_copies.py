"""Copies of inputs in shared memory (D3, D4): the threads of a block fill them together, neighbours with neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.packed_layout import Packed, digits_of
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts
from jitmdh.mdh.kernel.arithmetic import add, both, compare, divide, integer, minimum, multiply, remainder, subtract
from jitmdh.mdh.kernel.ir import For, If, Let, Literal, Load, Statement, Store, Value
from jitmdh.mdh.lowlevel.blocks import span, threads, width
from jitmdh.mdh.lowlevel.expr import Copy


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
        """Element n is for thread n modulo their number; neighbours along the axis that is contiguous in memory."""
        scope, buffer = self.scope, access.buffer
        strides = scope.strides[buffer]
        unit = next((axis for axis, stride in enumerate(strides) if stride == integer(1)), len(widths) - 1)
        order = [axis for axis in range(len(widths)) if axis != unit] + [unit] * bool(widths)
        number = scope.index("element")
        body: list[Statement] = []
        left: Value = number
        places: list[Value] = [integer(0)] * len(widths)
        order = [axis for axis in order if widths[axis] > 1]
        for axis in reversed(order):
            last = axis == order[0]
            places[axis] = scope.named("place", left if last else remainder(left, widths[axis]), body)
            left = divide(left, widths[axis])
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
        value = scope.name(buffer, type)
        moved: list[Statement] = [Let(value, Load(buffer, at, type)), Store(packed.buffer, packed.at(places), value)]
        body += moved if there is None else [If(there, tuple(moved))]
        step = threads(self.parts, self.known)
        out.append(For(number, self.thread, integer(prod(widths)), integer(step), tuple(body), f"copy of {buffer}"))
