"""What several threads of a block have of the same results (R2), combined in registers of warps, then in shared memory.

acc = acc + exchange(acc, (thread + 16) % 32);          // of 64 threads that have parts of one result
acc = acc + exchange(acc, (thread + 8) % 32);           // …
s[thread] = acc;
barrier();  if (part < 32) s[thread] = s[thread] + s[thread + 32];
if (part == 0) acc = s[thread];

Threads of a warp exchange values where a power of two of them have parts of the same results, and few results each; all
others go by a tree in shared memory.
"""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.mdh.codegen.loops.recomposition.accumulators import Accumulators
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import add, compare, divide, integer, remainder
from jitmdh.mdh.kernel.ir import Assign, Barrier, Exchange, For, If, Let, Load, Scratch, Statement, Store, Value
from jitmdh.mdh.lowlevel.blocks import exchanging
from jitmdh.mdh.machine.gpu import WARP


def reduced_by_threads(
    held: Accumulators, thread: Value, threads: int, parts: int, stride: int, again: bool, out: list[Statement]
) -> Value:
    """Whether this thread has the results then, the first of `parts` that are `stride` threads apart.

    again: the nest comes here more than once.
    """
    scope = held.scope
    part = scope.named("part", remainder(divide(thread, stride), parts), out)
    within = exchanging(threads, parts, stride, len(held.points), WARP)
    half = within // 2
    while half:
        source = scope.named("source", remainder(add(thread, integer(half * stride)), WARP), out)
        for p in range(len(held.points)):
            _exchanged(held, p, source, out)
        half //= 2
    first = scope.name("first", bool_)
    out.append(Let(first, compare("eq", part, integer(0))))
    if within < parts:
        out += _Tree(held, thread, threads).written(parts // within, stride * within, part, within, first, again)
    return first


def _exchanged(held: Accumulators, p: int, source: Value, out: list[Statement]) -> None:
    """The results of a point, with those that another thread of the warp has."""
    assert held.operator is not None
    tile = MicroKernelBuilder(held.scope, held.state.tile, {}, out)
    names = held.names[p, 0]
    others = [tile.let("other", Exchange(name, source, WARP)) for name in names]
    results = [tile.bound("sum", v) for v in tile.apply(held.operator.function, [*names, *others], held.points[p])]
    out += [Assign(name, value) for name, value in zip(names, results)]


class _Tree:
    """In shared memory, in which each thread has a place for each of its results."""

    def __init__(self, held: Accumulators, thread: Value, threads: int) -> None:
        self.held, self.thread, self.threads = held, thread, threads
        self.types: list[ScalarType] = [name.type for name in held.names[0, 0]]
        self.buffers = [held.scope.fresh("parts_shared") for _ in self.types]

    def at(self, point: Value, further: int = 0) -> Value:
        return add(self.thread, add(point, integer(further)))

    def written(self, parts: int, stride: int, part: Value, within: int, first: Value, again: bool) -> list[Statement]:
        """part: the number of this thread, of which each `within` are done."""
        held, size = self.held, len(self.held.points)
        places = [integer(p * self.threads) for p in range(size)]
        body: list[Statement] = [
            Store(buffer, self.at(place), name)
            for p, place in enumerate(places)
            for buffer, name in zip(self.buffers, held.names[p, 0])
        ]
        left = parts
        while left > 1:
            half = (left + 1) // 2
            lower = compare("lt", part, integer((left - half) * within))
            body += [Barrier(), If(lower, tuple(self._step(half * stride)))]
            left = half
        mine: list[Statement] = [
            Assign(result, Load(buffer, self.at(place), result.type))
            for p, place in enumerate(places)
            for buffer, result in zip(self.buffers, held.names[p, 0])
        ]
        body.append(If(first, tuple(mine)))
        if again:
            body.append(Barrier())
        for buffer, type in zip(reversed(self.buffers), reversed(self.types)):
            body = [Scratch(buffer, type, integer(self.threads * size), tuple(body), "SM")]
        return body

    def _step(self, further: int) -> list[Statement]:
        """What is so much further is combined into what this thread has."""
        held, size = self.held, len(self.held.points)
        assert held.operator is not None
        result = held.scope.index("result")
        index = result if size > 1 else integer(0)
        step: list[Statement] = []
        tile = MicroKernelBuilder(held.scope, held.state.tile, {}, step)
        both = [
            tile.let("part", Load(buffer, self.at(index, there), type))
            for there in (0, further)
            for buffer, type in zip(self.buffers, self.types)
        ]
        results = [tile.bound("sum", value) for value in tile.apply(held.operator.function, both, held.points[0])]
        step += [Store(buffer, self.at(index), value) for buffer, value in zip(self.buffers, results)]
        if size == 1:
            return step
        end, threads = integer(self.threads * size), integer(self.threads)
        return [For(result, integer(0), end, threads, tuple(step), "results")]
