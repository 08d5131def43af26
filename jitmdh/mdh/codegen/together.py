"""Steps under one parallel loop: each core takes points one after the other, with local arrays of its own.

parallel for task:
    double t[180]                        (near the core: on its stack, or a block of the pool)
    for e in the task's part:
        the nests of the steps, each by one thread
"""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.mdh.algebra.expr import Allocation, Expression, Step, Together
from jitmdh.mdh.algebra.parts.components import parts_of
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.loops.decomposition.core_parts import WORK_PER_THREAD, work_per_point
from jitmdh.mdh.codegen.loops.nest import capped
from jitmdh.mdh.codegen.next_point import with_next_point
from jitmdh.mdh.kernel.arithmetic import add, divide, integer, maximum, minimum, multiply
from jitmdh.mdh.kernel.ir import Apply, For, Literal, Parallel, Scratch, Statement, Threads, Value
from jitmdh.mdh.lowering.model.locality import comes_from_memory

# One that is held up by another process does less.
_PARTS_PER_CORE = 8
# Local arrays up to this many bytes in all lie on the stack.
_ON_STACK = 1 << 15


def together(step: Together, scope: Scope, body: Callable[[], list[Statement]]) -> list[Statement]:
    """The code of `step`; body: makes that of the steps inside, at the point whose number `scope` then has."""
    out: list[Statement] = []
    extent = scope.named(f"{step.dim.name}_extent", maximum(scope.affine(step.dim.extent, {}), integer(0)), out)
    point, task = scope.index(step.dim.name), scope.index("task")
    with scope.numbering(step.dim.name, point):
        # A point whose steps vary with its number counts as the first one does.
        with scope.numbering(step.dim.name, integer(0)):
            work = capped(maximum(_work(step.body, scope), integer(1)), extent)
        arrays = [array for allocation in step.local for array in _bind(allocation, scope)]
        inside = body()
    if comes_from_memory(step, scope.typical, scope.machine):
        inside = with_next_point(inside, point)
    useful = add(divide(work, WORK_PER_THREAD), integer(1))
    tasks = scope.named("tasks", minimum(multiply(Threads(), integer(_PARTS_PER_CORE)), useful), out)
    parts = scope.named("parts", maximum(minimum(tasks, extent), integer(1)), out)

    def first(number: Value) -> Value:
        return Apply("udiv", (multiply(number, extent), parts), int64)

    mine: list[Statement] = []
    begin = scope.named(f"{step.dim.name}_begin", first(task), mine)
    end = scope.named(f"{step.dim.name}_end", first(add(task, integer(1))), mine)
    loop = For(point, begin, end, integer(1), tuple(inside), f"together {step.dim.name}")
    return [*out, Parallel(task, parts, (*mine, *_allocated(arrays, loop)), f"COR {step.dim.name}")]


def _work(steps: tuple[Step, ...], scope: Scope) -> Value:
    """A rough count of the operations of one point."""
    total: Value = integer(0)
    for step in steps:
        dims = step.md_hom.dims if isinstance(step, Expression) else (step.dim,)
        if isinstance(step, Expression):
            points: Value = integer(max(1, work_per_point(step)))
        else:
            with scope.numbering(step.dim.name, integer(0)):
                points = _work(step.body, scope)
        for dim in dims:
            points = capped(points, maximum(scope.affine(dim.extent, {}), integer(0)))
        total = add(total, points)
    return total


_Array = tuple[str, ScalarType, Value]
"""Name, type and number of elements."""


def _bind(allocation: Allocation, scope: Scope) -> list[_Array]:
    """The arrays that hold the parts of a local one."""
    count: Value = integer(1)
    strides: list[Value] = []
    for extent in reversed(allocation.shape):
        strides.insert(0, count)
        count = capped(count, maximum(scope.affine(extent, {}), integer(0)))
    made: list[_Array] = []
    for leaf, type, _ in parts_of(allocation.name, allocation.type):
        scope.used[leaf] = 1
        scope.strides[leaf], scope.types[leaf] = tuple(strides), type
        made.append((leaf, type, count))
    return made


def _allocated(arrays: list[_Array], loop: For) -> tuple[Statement, ...]:
    """`loop` with the arrays around it: on the stack if all of them fit."""
    counts = [int(n.value) if isinstance(n, Literal) else _ON_STACK for _, _, n in arrays]  # type: ignore[arg-type]
    bytes_ = sum(count * type.size_bytes for count, (_, type, _) in zip(counts, arrays))
    body: tuple[Statement, ...] = (loop,)
    for name, type, count in reversed(arrays):
        body = (Scratch(name, type, count, body, "L1" if bytes_ <= _ON_STACK else "L2"),)
    return body
