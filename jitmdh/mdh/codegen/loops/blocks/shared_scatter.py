"""Scatters over blocks of threads: each block updates cells of its own in shared memory, by atomic operations.

    grid for block:                                                      // 256 threads
        int cells[8192];                                                 // shared memory
        for (c = thread; c < n; c += 256) cells[c] = identity
        barrier();
        for (i = …; …) atomic_add(&cells[bins[i]], w[i])                 // points of this thread, which are apart
        barrier();
        for (c = thread; c < n; c += 256) atomic_add(&sums[c], cells[c])
    hist[c] = hist[c] ⊕ sums[c]                                          another computation of the same kind

Cells that are more than shared memory holds are updated in `sums` at once. Nothing is written to the output before all
subscripts have been looked at. Floats are updated so where their order may differ from run to run; the results of
integers are the same in each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import Destination, NestPosition
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, maximum, minimum, multiply
from jitmdh.mdh.kernel.ir import (
    Apply,
    Atomic,
    Barrier,
    For,
    Grid,
    If,
    Let,
    Literal,
    Load,
    Name,
    Scratch,
    Statement,
    Store,
    Thread,
    Threads,
    Value,
)
from jitmdh.mdh.kernel.verify import ATOMIC
from jitmdh.mdh.lowlevel.expr import Part
from jitmdh.mdh.machine.blocks import SHARED

_THREADS = 256
_RESIDENT = 4
_SHARED_BYTES = 32 << 10
"""Of the 48 KiB that every kernel may have; several blocks have room for it."""
_POINTS_OF_A_THREAD = 16


class BlockScatterNest(Protocol):
    """The nest that is being written, as far as this module goes."""

    expression: Expression
    parts: tuple[Part, ...]
    scope: Scope

    def one_by_one(self, ranges: Mapping[str, Range], to: Destination) -> list[Statement]:
        """What is done at points, one after the other."""


def _of_memory(operator: Operator) -> str:
    """Its name where it is one on integers: without NaN, two extrema are one."""
    return {"fmax": "maximum", "fmin": "minimum"}.get(operator.name, operator.name)


def has_atomics(nest: BlockScatterNest, n: int, state: NestPosition) -> bool:
    """Whether blocks of threads can update the output in any order, with the same results."""
    scatter, (access, *more) = state.to.scatter, state.to.out_view
    type = nest.expression.buffer(access.buffer).type
    return (
        nest.scope.machine.gpu is not None
        and n == 0
        and scatter is not None
        and not more
        and not state.packed
        and scatter.operator.is_elementary
        and _of_memory(scatter.operator) in ATOMIC
        and scatter.operator.types == (type,)
        and (type.is_integer or (nest.scope.any_order and type.kind == "f"))
        and type.bits >= 32
    )


class BlockScatter:
    """Writes the grids. cells: how many the output has; points: how many there are."""

    def __init__(self, nest: BlockScatterNest, state: NestPosition, cells: Value, points: Value) -> None:
        assert state.to.scatter is not None
        self.nest, self.scope, self.state, self.cells, self.points = nest, nest.scope, state, cells, points
        (self.access,) = state.to.out_view
        self.type = nest.expression.buffer(self.access.buffer).type
        self.scatter = state.to.scatter
        self.most = _SHARED_BYTES // self.type.size_bytes
        self.dims = [d.name for d in nest.expression.md_hom.dims if d.name in state.ranges]

    @property
    def is_small(self) -> bool:
        """Whether it is known that shared memory holds all cells."""
        return isinstance(self.cells, Literal) and int(self.cells.value) <= self.most  # type: ignore[arg-type]

    def write(self, sums: str) -> list[Statement]:
        """What updates of all points come to, from the operator's identity on. sums: the memory that has it then."""
        out: list[Statement] = []
        each = maximum(multiply(self.cells, integer(2)), integer(_POINTS_OF_A_THREAD * _THREADS))
        useful = add(Apply("udiv", (self.points, each), int64), integer(1))
        blocks = self.scope.named("blocks", minimum(Threads(), useful), out)
        out.append(self._cleared(sums, blocks))
        if self.is_small:
            return [*out, self._by_blocks(sums, blocks)]
        fits = compare("le", self.cells, integer(self.most))
        return [*out, If(fits, (self._by_blocks(sums, blocks),), (self._at_once(sums, blocks),))]

    def _cleared(self, sums: str, blocks: Value) -> Statement:
        block, thread = self.scope.index("block"), self.scope.index("thread")
        number = add(multiply(block, integer(_THREADS)), thread)
        step = multiply(blocks, integer(_THREADS))
        return self._grid(block, thread, blocks, [self._cells(number, step, lambda c: Store(sums, c, self._identity))])

    def _by_blocks(self, sums: str, blocks: Value) -> Statement:
        block, thread = self.scope.index("block"), self.scope.index("thread")
        cells, step = self.scope.fresh("cells"), integer(_THREADS)
        self.scope.strides[cells], self.scope.types[cells] = self.scope.strides[sums], self.type
        self.scope.shapes[cells] = self.scope.shapes[sums]
        op, type = _of_memory(self.scatter.operator), self.type
        inside = (
            self._cells(thread, step, lambda c: Store(cells, c, self._identity)),
            Barrier(),
            self._updates(cells, block, thread, blocks),
            Barrier(),
            self._cells(thread, step, lambda c: Atomic(op, sums, c, Load(cells, c, type))),
        )
        size = self.cells if self.is_small else integer(self.most)
        return self._grid(block, thread, blocks, [Scratch(cells, self.type, size, inside, SHARED)])

    def _at_once(self, sums: str, blocks: Value) -> Statement:
        block, thread = self.scope.index("block"), self.scope.index("thread")
        return self._grid(block, thread, blocks, [self._updates(sums, block, thread, blocks)])

    @property
    def _identity(self) -> Value:
        assert self.scatter.operator.identity is not None
        (constant,) = self.scatter.operator.identity
        return Literal(constant.value, constant.type)

    def _cells(self, first: Value, step: Value, done: Callable[[Name], Statement]) -> Statement:
        cell = self.scope.index("cell")
        return For(cell, first, self.cells, step, (done(cell),), "cells", natural=True)

    def _updates(self, buffer: str, block: Name, thread: Name, blocks: Value) -> Statement:
        """Neighbouring threads have neighbouring points of the last dimension; blocks share those of the first."""
        scatter = replace(self.scatter, buffers=(buffer,), atomic=_of_memory(self.scatter.operator))
        to = replace(self.state.to, out_view=(replace(self.access, buffer=buffer),), scatter=scatter)
        first, last = self.dims[0], self.dims[-1]
        if first == last:
            number = add(multiply(block, integer(_THREADS)), thread)
            return self._points(first, number, multiply(blocks, integer(_THREADS)), {}, to)
        begin, end = self.state.ranges[first]
        index = self.scope.index(first)
        around = {first: (index, add(index, integer(1)))}
        inner = self._points(last, thread, integer(_THREADS), around, to)
        return For(index, add(begin, block), end, blocks, (inner,), f"BLK {first}")

    def _points(self, dim: str, further: Value, step: Value, around: Mapping[str, Range], to: Destination) -> Statement:
        begin, end = self.state.ranges[dim]
        index = self.scope.index(dim)
        ranges = {**self.state.ranges, **around, dim: (index, add(index, integer(1)))}
        body = self.nest.one_by_one(ranges, to)
        return For(index, add(begin, further), end, step, tuple(body), f"THR {dim}")

    def _grid(self, block: Name, thread: Name, blocks: Value, inside: list[Statement]) -> Statement:
        return Grid(block, blocks, _THREADS, (Let(thread, Thread()), *inside), "scatter", _RESIDENT)
