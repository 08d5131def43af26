"""What several threads of a block have of the same results (R2), combined by a tree in shared memory.

s[thread] = acc;
barrier();  if (part < 4) s[thread] = s[thread] + s[thread + 4];      // of 8 threads
barrier();  if (part < 2) s[thread] = s[thread] + s[thread + 2];
barrier();  if (part < 1) s[thread] = s[thread] + s[thread + 1];
if (part == 0) acc = s[thread];
"""

from __future__ import annotations

from jitmdh.mdh.codegen.loops.recomposition.accumulators import Accumulators
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import add, compare, divide, integer, remainder
from jitmdh.mdh.kernel.ir import Assign, Barrier, If, Let, Load, Scratch, Statement, Store, Value


def reduced_by_threads(
    held: Accumulators, thread: Value, threads: int, parts: int, stride: int, again: bool, out: list[Statement]
) -> Value:
    """Whether this thread has the results then, the first of `parts` that are `stride` threads apart.

    again: the nest comes here more than once.
    """
    assert held.operator is not None
    scope, points = held.scope, held.points
    types = [name.type for name in held.names[0, 0]]
    buffers = [scope.fresh("parts_shared") for _ in types]
    part = scope.named("part", remainder(divide(thread, stride), parts), out)

    def at(point: int, further: int = 0) -> Value:
        return add(thread, integer(point * threads + further * stride))

    body: list[Statement] = [
        Store(buffer, at(p), name) for p in range(len(points)) for buffer, name in zip(buffers, held.names[p, 0])
    ]
    left = parts
    while left > 1:
        half = (left + 1) // 2
        step: list[Statement] = []
        tile = MicroKernelBuilder(scope, held.state.tile, {}, step)
        for p, point in enumerate(points):
            both = [
                tile.let("part", Load(buffer, at(p, further), type))
                for further in (0, half)
                for buffer, type in zip(buffers, types)
            ]
            results = [tile.bound("sum", value) for value in tile.apply(held.operator.function, both, point)]
            step += [Store(buffer, at(p), value) for buffer, value in zip(buffers, results)]
        body += [Barrier(), If(compare("lt", part, integer(left - half)), tuple(step))]
        left = half
    first = compare("eq", part, integer(0))
    name = scope.name("first", first.type)
    out.append(Let(name, first))
    mine: list[Statement] = [
        Assign(result, Load(buffer, at(p), result.type))
        for p in range(len(points))
        for buffer, result in zip(buffers, held.names[p, 0])
    ]
    body.append(If(name, tuple(mine)))
    if again:
        body.append(Barrier())
    for buffer, type in zip(reversed(buffers), reversed(types)):
        body = [Scratch(buffer, type, integer(threads * len(points)), tuple(body), "SM")]
    out += body
    return name
