"""The meaning of the low-level representation: its de- and re-composition carried out, step by step, on NumPy arrays.

Slow on purpose: every part is split off, every copy is made in its layout and read through it, every partial result
is combined where the representation says. It must give what `algebra.interp` gives for the expression alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import assert_never

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, PointWise, PrefixSum, Scatter
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.groups import Group, groups
from jitmdh.mdh.algebra.semantics.argument_binding import unknown
from jitmdh.mdh.algebra.semantics.interp import Box, ExpressionEvaluation
from jitmdh.mdh.algebra.semantics.operations import Array, Value
from jitmdh.mdh.algebra.semantics.partial_results import (
    State,
    combined,
    concatenated,
    folded,
    inclusive_scan,
    nothing,
    or_identity,
)
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part
from jitmdh.mdh.lowlevel.layout import PADDING, Layout, next_block, whole


def run_lowlevel(low: LowLevel, buffers: Mapping[str, Array], sizes: Mapping[str, int], cores: int = 2) -> None:
    """Execute one low-level expression on `cores` cores: all inputs are read before an output is written."""
    at = low.boundary()
    if at is not None:
        names = [f"between{n + len(buffers)}" for n in range(len(groups(low.expression)[at].operator.types))]
        first, second = low.in_two(at, names)
        made = [first.expression.buffer(name) for name in names]
        shapes = {b.name: [max(0, n.evaluate(sizes)) for n in b.shape] for b in made}
        arrays = {b.name: np.full(shapes[b.name], unknown(b.type.numpy), b.type.numpy) for b in made}
        for part in (first, second):
            run_lowlevel(part, {**buffers, **arrays}, sizes, cores)
        return
    low, expression = _by_size(low), low.expression
    evaluation = ExpressionEvaluation(expression, buffers)
    box = evaluation.hull(sizes)
    if any(n == 0 for n, name in zip(box.shape, box.names) if name in expression.remaining):
        return
    with np.errstate(all="ignore"):
        run = _Run(low, evaluation)
        if box.points:
            state = run.recomposed(run.waited(-1, run.level(0, run.copied(-1, _Position(box, {}, cores)))))
        else:
            state = evaluation.reduced(box)
        for write in evaluation.finished(state, box):
            write.perform()


def _by_size(low: LowLevel) -> LowLevel:
    """With the parts of each dimension in the order in which they lie inside each other: the same points, and the
    places of loops and copies. Requires, where that is another order, an operator that commutes."""
    if not low.in_blocks:
        return low
    sizes = {p.dim: sorted((q for q in low.parts if q.dim == p.dim), key=lambda q: q.size) for p in low.parts}
    return replace(low, parts=tuple(sizes[p.dim].pop() for p in low.parts))


@dataclass(frozen=True, slots=True)
class _Position:
    """Where in the de-composition: what is left of the iteration space, copies made so far, cores not taken yet."""

    box: Box
    copies: Mapping[int, PackedTile]
    cores: int


@dataclass(frozen=True, slots=True)
class _Run:
    low: LowLevel
    evaluation: ExpressionEvaluation

    # ------------------------------------------------------------------------------------- de-composition

    @property
    def groups(self) -> tuple[Group, ...]:
        return groups(self.low.expression)

    def level(self, n: int, place: _Position) -> State:
        """The partial result of one part of level `n - 1`: that of its parts on level `n`, combined."""
        state = self.parts(n, place)
        for number, group in reversed(list(enumerate(self.groups))[1:]):
            first = next(m for m, p in enumerate(self.low.parts) if p.dim in group.names and p.way == "loop")
            if n == first:
                state = self.passed(number, state, place.box)
        return state

    def passed(self, number: int, state: State, box: Box) -> State:
        """Results of a whole inner group as what the group around it combines, combined within a register tile."""
        group, outer = self.groups[number], self.groups[number - 1]
        for axis in reversed(group.axes):
            state = or_identity(group.operator, folded(group.operator, state, axis))
        for axis in (a for g in self.groups[number:] for a in g.axes):
            box = box.bounded(axis, 0, 1)
        if group.between is not None:
            state = self.evaluation.passed(group.between, state, box)
        if (holds := box.mask(outer.guard)) is not None:
            state = State(state.values, np.broadcast_to(holds, box.shape))
        for axis in reversed(outer.axes):
            state = _folded(self.low.expression.md_hom.combine[axis], state, axis)
        return state

    def parts(self, n: int, place: _Position) -> State:
        """All parts of level `n`, combined."""
        if n == len(self.low.parts) or self.low.parts[n].way == "lane":
            return self.scalar_phase(place)
        part = self.low.parts[n]
        axis = place.box.names.index(part.dim)
        result: State | None = None
        for inner in self.split(part, axis, place):
            state = self.waited(n, self.level(n + 1, self.copied(n, inner)))
            result = state if result is None else self.combined(part, axis, result, state)
        assert result is not None
        return result if part.way != "unroll" else self.padded(result, part, axis)

    def split(self, part: Part, axis: int, place: _Position) -> list[_Position]:
        begin, end = place.box.bounds[axis]
        size, cores = part.size, place.cores
        if size <= 0:  # even parts that tear no tile of level L1
            tile = next(p.size for p in self.low.parts if p.dim == part.dim and p.layer == "L1")
            cores *= max(1, -size)
            size = _round_up(_round_up(end - begin, cores) // cores, tile)
        starts = range(begin, end, size)
        if part.way == "core":
            cores = max(1, cores // len(starts))
        return [_Position(place.box.bounded(axis, s, min(s + size, end)), place.copies, cores) for s in starts]

    def copied(self, n: int, place: _Position) -> _Position:
        """`place` with the copies that begin with a part of level `n`."""
        made = {c.access: self.copy(c, place.box) for c in self.low.copies if c.at == n}
        return replace(place, copies={**place.copies, **made})

    def copy(self, copy: Copy, box: Box) -> PackedTile:
        access = self.low.expression.inp_view[copy.access]
        return PackedTile.of(self.evaluation.buffers[access.buffer], access, copy.layout, box)

    # -------------------------------------------------------------------------------------- scalar phase

    def scalar_phase(self, place: _Position) -> State:
        """`f` at the points of `place` (at most the lanes of one vector), combined among themselves."""
        box = place.box

        def read(number: int, access: Access, box: Box, inside: Array | None) -> Value:
            if number in place.copies:
                return place.copies[number].read(access, box)
            return self.evaluation.read(access, box, inside)

        state = self.evaluation.points(box, read)
        for group in self.groups[-1:]:
            if (holds := box.mask(group.guard)) is not None:
                state = State(state.values, np.broadcast_to(holds, box.shape))
            for axis in reversed(group.axes):
                state = _folded(self.low.expression.md_hom.combine[axis], state, axis)
        return state if self.low.tile_layout is None else self.laid_out(state, self.low.tile_layout)

    # ------------------------------------------------------------------------------------- re-composition

    def combined(self, part: Part, axis: int, first: State, second: State) -> State:
        """The results of neighbouring parts as one."""
        waits = any(part.dim in g.names for g in self.groups[:-1])  # an inner operator is not done yet
        if part.way == "unroll" and (waits or part.dim in self.low.split_accumulators):
            return concatenated(first, second, axis)
        match self.low.expression.md_hom.combine[axis]:
            case Concatenation() | Scatter():
                return concatenated(first, second, axis)
            case PointWise(operator):
                return combined(operator, first, second)
            case PrefixSum(operator, _, reverse):
                if reverse:
                    first = combined(operator, first, second.take(slice(0, 1), axis))
                else:
                    length = first.values[0].data.shape[axis]
                    second = combined(operator, first.take(slice(length - 1, length), axis), second)
                return concatenated(first, second, axis)
            case other:
                assert_never(other)

    def waited(self, n: int, state: State) -> State:
        """The result of one part of level `n` after it has waited where the representation says."""
        for stage in self.low.stages:
            if stage.at == n:
                for axis, combine in enumerate(self.low.expression.md_hom.combine):
                    # Late parts do not wait apart.
                    if isinstance(combine, PointWise) and state.values[0].data.shape[axis] > 1:
                        state = folded(combine.operator, state, axis)
                state = self.laid_out(state, stage.layout)
        return state

    def laid_out(self, state: State, layout: Layout) -> State:
        """`state`, written to a buffer with `layout` and read back. Axes of the layout: dimensions that remain."""
        expression = self.low.expression
        axes = [axis for axis, d in enumerate(expression.md_hom.dims) if d.name in expression.remaining]
        shape = state.values[0].data.shape
        digits, size = _digits(layout, tuple(shape[axis] for axis in axes))
        index = np.indices(shape)
        rows = [axis for axis in range(len(shape)) if axis not in axes]
        apart = sum((index[axis] * size * prod(shape[axis + 1 :]) for axis in rows), np.zeros(shape, np.int64))
        places = _position(digits, [index[axis] for axis in axes]) + apart

        def through(data: Array) -> Array:
            memory = np.zeros(int(np.max(places, initial=0)) + 1, data.dtype)
            memory[places] = data
            kept: Array = memory[places]
            return kept

        return state.map(through)

    def padded(self, state: State, part: Part, axis: int) -> State:
        """Late parts stay apart: `state` with a place for every part of a tile, also where a tile is cut off."""
        if part.dim in self.low.split_accumulators:
            tile = next(p.size for p in self.low.parts if p.dim == part.dim and p.layer == "L1")
            for _ in range(state.values[0].data.shape[axis], tile // part.size):
                state = concatenated(state, nothing(state, axis), axis)
        return state

    def recomposed(self, state: State) -> State:
        """The whole result: split accumulators combined, prefix sums shifted, identities where there is nothing."""
        for axis in (a for g in self.groups[:1] for a in reversed(g.axes)):
            match self.low.expression.md_hom.combine[axis]:
                case PointWise(operator):
                    state = or_identity(operator, folded(operator, state, axis))
                case PrefixSum(operator, exclusive, reverse):
                    state = or_identity(operator, _shifted(state, axis, reverse) if exclusive else state)
                case Concatenation() | Scatter():
                    pass
        return state


def _folded(combine: CombineOperator, state: State, axis: int) -> State:
    match combine:
        case Concatenation() | Scatter():
            return state
        case PointWise(operator):
            return folded(operator, state, axis)
        case PrefixSum(operator, _, reverse):
            return inclusive_scan(operator, state, axis, reverse)
        case _:
            assert_never(combine)


def _shifted(state: State, axis: int, reverse: bool) -> State:
    """An inclusive prefix sum as an exclusive one."""
    length = state.values[0].data.shape[axis]
    if reverse:
        return concatenated(state.take(slice(1, length), axis), nothing(state, axis), axis)
    return concatenated(nothing(state, axis), state.take(slice(0, length - 1), axis), axis)


def _round_up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


# -------------------------------------------------------------------------------------------------------- copies


@dataclass(frozen=True, slots=True)
class Digit:
    """Steps of `block` along `axis`, `count` of them, `stride` elements apart in the copy."""

    axis: int
    block: int
    count: int
    stride: int


@dataclass(frozen=True, slots=True)
class PackedTile:
    """A copy of a part of an array. origin: index of its first element per axis; data: elements in layout order."""

    origin: tuple[int, ...]
    digits: tuple[Digit, ...]
    data: Array

    @staticmethod
    def of(buffer: Array, access: Access, layout: Layout, box: Box) -> PackedTile:
        """What `access` reads at the points of `box`, laid out as `layout` says (empty: row-major)."""
        index = [box.index(i) for i in access.index]
        origin = tuple(int(i.min()) for i in index)
        extent = tuple(int(i.max()) - low + 1 for i, low in zip(index, origin))
        digits, size = _digits(layout, extent)
        tile = PackedTile(origin, digits, np.zeros(size, buffer.dtype))
        places = np.ogrid[tuple(slice(low, low + n) for low, n in zip(origin, extent))]
        tile.data[tile.position(list(places))] = buffer[tuple(slice(o, o + n) for o, n in zip(origin, extent))]
        return tile

    def position(self, index: list[Array]) -> Array:
        """Where in `data` the element `index` of the array is."""
        return _position(self.digits, [i - low for i, low in zip(index, self.origin)])

    def read(self, access: Access, box: Box) -> Value:
        return Value(np.asarray(self.data[self.position([box.index(i) for i in access.index])]))


def _digits(layout: Layout, extent: tuple[int, ...]) -> tuple[tuple[Digit, ...], int]:
    """The digits of an array with `extent` elements per axis, and how many places it takes."""
    digits: list[Digit] = []
    size = 1
    for axis, block in reversed(whole(layout, len(extent))):
        if axis == PADDING:
            size += block
            continue
        larger = next_block(layout, axis, block)
        count = larger // block if larger else -(-extent[axis] // block)
        digits.append(Digit(axis, block, count, size))
        size *= count
    return tuple(reversed(digits)), size


def _position(digits: tuple[Digit, ...], index: list[Array]) -> Array:
    """Where the element `index`, counted from the first, is."""
    total: Array = np.zeros((), np.int64)
    for digit in digits:
        total = total + index[digit.axis] // digit.block % digit.count * digit.stride
    return total
