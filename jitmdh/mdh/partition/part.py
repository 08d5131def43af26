"""One block of an expression as a program of its own, which takes just the elements that the block reads.

    w[i] += M[i, k] * v[k]      i ∈ [8, 16), k ∈ [0, 32)
    →  i ∈ [0, n0), k ∈ [0, n1):  w_new[i] = w[i] + M[i, k] * v[k]      on w[8:16], M[8:16, 0:32], v[0:32], 8, 32

Where a block lies is told by numbers, which are arguments of the program: blocks share programs, and so compiled code.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from math import gcd

from jitmdh.base.dtype import int64
from jitmdh.base.names import unused
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Between,
    Buffer,
    Expression,
    Finish,
    Indirect,
    Parameter,
    Program,
    Return,
    ScalarParameter,
)
from jitmdh.mdh.algebra.index import Affine, as_affine, shape_name
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Scalar, ScalarFunction, map_children
from jitmdh.mdh.partition.grids import Box, extents
from jitmdh.mdh.partition.ranges import Range, Sizes, image, is_empty, tightened
from jitmdh.mdh.partition.windows import Span, span

_BAKED = 8
"""Distances up to this are constants of a part's program: those of a stencil are the same in all blocks."""

Steps = tuple[tuple[int, int, int], ...]
"""begin, end, step for each axis."""


@dataclass(frozen=True, slots=True)
class Region:
    """The elements of `buffer` that a part takes."""

    buffer: str
    slices: Steps

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(max(0, -((b - e) // s)) for b, e, s in self.slices)


@dataclass(frozen=True, slots=True)
class PartWindow:
    """Of read number `read` no more is looked at than `span` along `axis`; if just that is handed in, number `number`
    has to be where it begins, instead of 0. sources: where the values of the span's names are."""

    read: int
    axis: int
    number: int
    span: Span
    sources: tuple[tuple[str, Region], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A program over arrays of the `reads`, then those of `given` outputs (which it updates), then `numbers`.

    It returns what it makes: an array for each output, of the elements of its box.
    """

    program: Program
    reads: tuple[Region, ...]
    given: tuple[str, ...]
    numbers: tuple[int, ...]
    names: tuple[tuple[str, str], ...]
    """Of each array of the program that is called otherwise in the expression, both names."""
    windows: tuple[PartWindow, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """Where the results of a part go: `box` of `buffer`. initial: what its elements are before; None: each is written,
    or, for "given", handed in."""

    buffer: Buffer
    box: Box
    initial: Constant | str | None = None


@dataclass(frozen=True, slots=True)
class Points:
    """Where an access happens: at the points of these ranges that fulfil the guard."""

    ranges: dict[str, Range]
    guard: tuple[Affine, ...]


@dataclass
class _Group:
    """Accesses of a buffer that differ in constants only: one region."""

    buffer: str
    name: str
    slices: list[tuple[int, int, int]]
    windows: dict[int, tuple[int, Span, tuple[tuple[str, Region], ...]]] = field(default_factory=dict)
    """Of axes: a number, the span that is looked at less this number, and where data say it."""


@dataclass
class PartBuilder:
    """expression: reads of its `local` buffers find the whole of what its dimensions say. ranges: of all dimensions
    that are not ragged."""

    expression: Expression
    ranges: dict[str, Range]
    sizes: Sizes
    shapes: Callable[[str], tuple[int, ...]]
    local: frozenset[str] = frozenset()
    numbers: list[int] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    groups: dict[object, _Group] = field(default_factory=dict)

    def part(self, like: Program, outputs: Sequence[Output]) -> Part:
        """The block's program. like: the program that the expression is of. outputs: one for each buffer written."""
        e = self.expression
        self.taken |= {d.name for d in e.md_hom.dims} | {n.name for n in e.indirect} | {b.name for b in e.buffers}
        regions = self._regions()
        names = {o.buffer.name: self._fresh(f"{o.buffer.name}_new") for o in outputs}
        made = self._expression(regions, names, {o.buffer.name: o.box for o in outputs})
        reads = list({id(g): g for g in self.groups.values()}.values())
        parameters = [_parameter(e.buffer(g.buffer), g.name) for g in reads]
        allocations, buffers = [], [_buffer(e.buffer(g.buffer), g.name) for g in reads]
        given = []
        for output in outputs:
            name, rank = names[output.buffer.name], len(output.box)
            buffers.append(_buffer(output.buffer, name))
            if output.initial == "given" and rank:
                parameters.append(ArrayParameter(name, output.buffer.type, rank))
                given.append(output.buffer.name)
            else:
                shape = tuple(self.extent(n) for n in extents(output.box))
                fill = output.initial if isinstance(output.initial, Constant) else None
                allocations.append(Allocation(name, output.buffer.type, shape, fill))
        parameters += [ScalarParameter(self.number_name(n), int64) for n in range(len(self.numbers))]
        program = Program(
            like.name, tuple(parameters), (), tuple(allocations), (), (replace(made, buffers=tuple(buffers)),),
            tuple(Return(names[o.buffer.name]) for o in outputs), True, like.loc, like.faults,
        )  # fmt: skip
        called = {**{g.name: g.buffer for g in reads}, **{name: before for before, name in names.items()}}
        changed = tuple((name, before) for name, before in called.items() if name != before)
        taken = tuple(Region(g.buffer, tuple(g.slices)) for g in reads)
        windows = tuple(PartWindow(n, axis, *w) for n, g in enumerate(reads) for axis, w in g.windows.items())
        return Part(program, taken, tuple(given), tuple(self.numbers), changed, windows)

    # ------------------------------------------------------------------------------------------ numbers and names

    def number_name(self, number: int) -> str:
        return f"part_number_{number}"

    def extent(self, value: int) -> Affine:
        """`value` as an argument: other blocks are of other sizes."""
        self.numbers.append(value)
        return Affine.of(self.number_name(len(self.numbers) - 1))

    def offset(self, value: int) -> Affine:
        return as_affine(value) if abs(value) <= _BAKED else self.extent(value)

    def _fresh(self, wanted: str) -> str:
        plain = wanted if wanted.isidentifier() and not keyword.iskeyword(wanted) else "array"
        return unused(plain, self.taken, first=2)

    # ------------------------------------------------------------------------------------------ what is read

    def _contexts(self) -> Iterable[tuple[Access, Points]]:
        """Every access that reads, with the points that it happens at."""
        e = self.expression
        everywhere = Points(self.ranges, e.guard)
        yield from ((a, everywhere) for a in e.inp_view)
        for between in e.between:
            outside = {d.name for d in e.md_hom.dims[: between.depth]}
            points = Points(self._only(outside), e.md_hom.guard_over(between.depth))
            yield from ((a, points) for a in between.inp_view)
        if e.finish is not None:
            collapsed = set(e.collapsed)
            own = tuple(g for g in e.guard if not collapsed.intersection(g.names))
            points = Points(self._only(set(e.remaining)), own)
            yield from ((a, points) for a in e.finish.inp_view)
        for indirect in e.indirect:
            points = Points(self._only(set(e.indirect_depends(indirect))), ())
            yield from ((a, points) for a in indirect.inp_view)

    def _only(self, dims: set[str]) -> dict[str, Range]:
        return {n: r for n, r in self.ranges.items() if n in dims}

    def _regions(self) -> dict[Access, _Group]:
        """The groups of all accesses that read, with the regions that they span."""
        found: dict[Access, _Group] = {}
        members: dict[object, list[tuple[Access, Points]]] = {}
        for access, points in self._contexts():
            members.setdefault(self._key(access), []).append((access, points))
        for procedure in self.expression.procedures:
            for name in procedure.fetched:
                self.groups[name] = _Group(name, name, [(0, n, 1) for n in self.shapes(name)])
        plain: set[str] = set(self.groups)  # type: ignore[arg-type]
        for key, accesses in members.items():
            buffer = accesses[0][0].buffer
            name = buffer if buffer not in plain and buffer.isidentifier() else self._fresh(buffer)
            plain.add(buffer)
            group = self.groups[key] = _Group(buffer, name, self._slices(accesses))
            self._find_windows(group, [a for a, _ in accesses])
            found |= {access: group for access, _ in accesses}
        return found

    def _find_windows(self, group: _Group, accesses: Sequence[Access]) -> None:
        """The axes along which ranges from data say what is looked at."""
        if not self.expression.ragged or group.buffer in self.local:
            return
        for axis in range(len(group.slices)):
            found = span(self.expression, [a.index[axis] for a in accesses], self.ranges, self.sizes)
            sources = None if found is None else self._sources(found.names)
            if found is not None and sources is not None:
                self.numbers.append(0)
                group.windows[axis] = (len(self.numbers) - 1, found, sources)

    def _sources(self, names: Iterable[str]) -> tuple[tuple[str, Region], ...] | None:
        """Where the values of indirect names are; None where they are not just read, at places that sizes say."""
        found = []
        for name in names:
            indirect = self.expression.named(name)
            if indirect is None or indirect.extent is not None or indirect.function.bindings:
                return None
            if indirect.function.results != indirect.function.parameters:
                return None
            (access,) = indirect.inp_view
            ranges = self._only(set(self.expression.indirect_depends(indirect)))
            spans = [image(i, ranges, self.sizes) for i in access.index] if not is_empty(ranges) else []
            if access.buffer in self.local or access.guard or len(spans) < len(access.index) or None in spans:
                return None
            extents = self.shapes(access.buffer)
            slices = tuple((max(0, s[0]), min(s[1], n), 1) for s, n in zip(spans, extents) if s is not None)
            found.append((name, Region(access.buffer, slices)))
        return tuple(found)

    def _key(self, access: Access) -> object:
        """What accesses of one region have in common: how they vary with dimensions and data."""
        return access.buffer, tuple(tuple(t for t in i.terms if t[0] not in self.sizes) for i in access.index)

    def _slices(self, accesses: list[tuple[Access, Points]]) -> list[tuple[int, int, int]]:
        first = accesses[0][0]
        if first.buffer in self.local:
            return [(*self.ranges[i.names[0]], 1) for i in first.index]
        shape = self.shapes(first.buffer)
        spans: list[list[Range | None]] = [[] for _ in shape]
        for access, points in accesses:
            ranges = tightened(points.ranges, (*points.guard, *access.guard), self.sizes)
            if not is_empty(ranges):
                for axis, index in enumerate(access.index):
                    spans[axis].append(image(index, ranges, self.sizes))
        return [self._slice(spans[n], shape[n], [a.index[n] for a, _ in accesses]) for n in range(len(shape))]

    def _slice(self, spans: list[Range | None], extent: int, indices: list[Affine]) -> tuple[int, int, int]:
        """The part of an axis that some accesses span."""
        if not spans:
            return (0, 0, 1)
        known = [s for s in spans if s is not None]
        if len(known) < len(spans):
            return (0, extent, 1)
        low, high = min(s[0] for s in known), max(s[1] for s in known)
        begin, end = max(0, min(low, extent)), min(extent, high)
        if begin >= end:
            return (begin, begin, 1)
        step = 0
        for index in indices:
            step = gcd(step, self._at_begin(index) - self._at_begin(indices[0]))
            step = gcd(step, *(c for name, c in index.terms if name in self.ranges))
        if step < 2 or (begin, end) != (low, high):
            return (begin, end, 1)
        return (begin, end, step)

    def _at_begin(self, affine: Affine) -> int:
        """The value at the first point of the block; what depends on data counts as 0."""
        total = affine.constant
        for name, coefficient in affine.terms:
            if name in self.ranges:
                total += coefficient * self.ranges[name][0]
            else:
                total += coefficient * self.sizes.get(name, 0)
        return total

    # ------------------------------------------------------------------------------------------ as the block sees it

    def moved(self, affine: Affine, begin: int = 0, step: int = 1) -> Affine:
        """The same over indices that count from the beginning of the block, (affine - begin) / step."""
        terms = tuple((n, c // step) for n, c in affine.terms if n not in self.sizes or n in self.ranges)
        return Affine(terms) + self.offset((self._at_begin(affine) - begin) // step)

    def _guard(self, guard: Iterable[Affine]) -> tuple[Affine, ...]:
        """Without the conditions that hold in the whole block."""
        spans = ((g, image(g, self.ranges, self.sizes)) for g in guard)
        return tuple(self.moved(g) for g, span in spans if span is None or span[0] < 0)

    def _read(self, access: Access, regions: dict[Access, _Group]) -> Access:
        group = regions[access]
        index = [self.moved(i, b, s) for i, (b, _, s) in zip(access.index, group.slices)]
        for axis, (number, *_) in group.windows.items():
            index[axis] = index[axis] - Affine.of(self.number_name(number))
        return replace(access, buffer=group.name, index=tuple(index), guard=self._guard(access.guard))

    def _view(self, view: tuple[Access, ...], regions: dict[Access, _Group]) -> tuple[Access, ...]:
        return tuple(self._read(a, regions) for a in view)

    def _scalar(self, node: Scalar) -> Scalar:
        if isinstance(node, IndexValue):
            return IndexValue(self.moved(node.index), node.type)
        return map_children(node, self._scalar)

    def _function(self, function: ScalarFunction) -> ScalarFunction:
        bindings = tuple((v, self._scalar(e)) for v, e in function.bindings)
        return ScalarFunction(function.parameters, bindings, tuple(self._scalar(r) for r in function.results))

    def _expression(self, regions: dict[Access, _Group], names: dict[str, str], boxes: dict[str, Box]) -> Expression:
        e = self.expression
        dims = tuple(replace(d, extent=self._dim_extent(d.extent, self.ranges.get(d.name))) for d in e.md_hom.dims)
        finish = e.finish
        if finish is not None:
            empty = None if finish.empty is None else tuple(map(self._scalar, finish.empty))
            finish = Finish(self._view(finish.inp_view, regions), self._function(finish.function), empty)
        out_view = []
        for access in e.out_view:
            index = tuple(self.moved(i, b) for i, (b, _) in zip(access.index, boxes[access.buffer]))
            out_view.append(replace(access, buffer=names[access.buffer], index=index, guard=self._guard(access.guard)))
        return replace(
            e,
            inp_view=self._view(e.inp_view, regions),
            md_hom=replace(
                e.md_hom, dims=dims, function=self._function(e.md_hom.function), guard=self._guard(e.md_hom.guard)
            ),
            finish=finish,
            out_view=tuple(out_view),
            between=tuple(
                Between(b.depth, self._view(b.inp_view, regions), self._function(b.function)) for b in e.between
            ),
            indirect=tuple(self._indirect(n, regions) for n in e.indirect),
        )

    def _dim_extent(self, extent: Affine, range: Range | None) -> Affine:
        if range is None:
            return self.moved(extent)
        begin, end = range
        if extent.is_constant and (begin, end) == (0, extent.constant):
            return extent
        return as_affine(1) if end - begin == 1 else self.extent(max(0, end - begin))

    def _indirect(self, indirect: Indirect, regions: dict[Access, _Group]) -> Indirect:
        extent = indirect.extent
        return replace(
            indirect,
            inp_view=self._view(indirect.inp_view, regions),
            function=self._function(indirect.function),
            extent=None if extent is None else self.extent(self._at_begin(extent)),
            enough=tuple(self.moved(a) for a in indirect.enough),
        )


def _parameter(buffer: Buffer, name: str) -> Parameter:
    if not buffer.rank:
        return ScalarParameter(name, buffer.type)
    return ArrayParameter(name, buffer.type, buffer.rank)


def _buffer(buffer: Buffer, name: str) -> Buffer:
    return Buffer(name, buffer.type, tuple(Affine.of(shape_name(name, a)) for a in range(buffer.rank)))
