"""Where the buffers of a program are: addresses in the argument frame, strides, parts of numbers and records."""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.mdh.algebra.expr import Allocation, ArrayParameter, Expression, Program, RowView, Step
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.parts.components import parts_of
from jitmdh.mdh.codegen.context.interleaved import Interleaved
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.kernel.argument_frame import FrameLayout
from jitmdh.mdh.kernel.arithmetic import integer, multiply
from jitmdh.mdh.kernel.ir import Apply, Argument, BufferArgument, Let, Statement, Value

_MOST_PARTS = 4  # of an element that are loaded together


def bind_buffers(
    program: Program, frame: FrameLayout, scope: Scope, unit_axes: Mapping[str, int | None], out: list[Statement]
) -> list[BufferArgument]:
    """The kernel's buffers; what `scope` has to know of them and of arrays made inside; their strides as statements."""
    binding = _Binding(program, frame, scope, out)
    returned = program.returned
    for p in program.parameters:
        if isinstance(p, ArrayParameter):
            binding.bind(p.name, p.type, p.rank, unit_axes.get(p.name))
        else:
            binding.bind(p.name, p.type, 0, None, inline=True)
    for a in program.allocations:
        rank = len(a.shape)
        unit = 0 if a.fortran else rank - 1 if rank else None
        if a.name in returned:
            binding.bind(a.name, a.type, rank, unit)
        else:
            binding.bind_apart(a.name, a.type, rank, unit)
    made = {a.name for a in program.allocations}
    for view in program.views:
        binding.bind_rows(view, 0 if view.of in made else unit_axes.get(view.of))
    return binding.buffers


class _Binding:
    """Binds one buffer after the other."""

    def __init__(self, program: Program, frame: FrameLayout, scope: Scope, out: list[Statement]) -> None:
        self.frame, self.scope, self.out = frame, scope, out
        self.written = written_buffers(program.steps) | {a.name for a in program.allocations}
        self.buffers: list[BufferArgument] = []
        self.steps = {p.name: dict(p.steps) for p in program.parameters if isinstance(p, ArrayParameter)}
        self.steps |= {a.name: _steps_of(a) for a in program.allocations}
        self.in_rows = {p.name for p in program.parameters if isinstance(p, ArrayParameter) and p.rows}

    def bind(self, name: str, type: ScalarType, rank: int, unit: int | None, inline: bool = False) -> None:
        """An argument or a result: one buffer, or one for each part of its elements."""
        scope, leaves = self.scope, parts_of(name, type)
        scope.used[name] = 1
        size = type.size_bytes // len(leaves)
        together = 1 < len(leaves) <= _MOST_PARTS and all(
            t.size_bytes == size and at == n * size for n, (_, t, at) in enumerate(leaves)
        )
        strides: dict[int, tuple[Value, ...]] = {}
        for position, (leaf, leaf_type, at) in enumerate(leaves):
            part = leaf_type.size_bytes
            if part not in strides:
                strides[part] = self._strides(name, rank, part, unit, type.size_bytes // part)
            scope.strides[leaf], scope.types[leaf] = strides[part], leaf_type
            if together:
                alike = all(t == leaf_type for _, t, _ in leaves)
                scope.interleaved[leaf] = Interleaved(tuple(n for n, _, _ in leaves), position, alike)
            of, slot = "" if leaf == name else name, self.frame.address(name)
            written = self._is_written(leaf)
            self.buffers.append(BufferArgument(leaf, leaf_type, slot, written, inline, at, of, type.size_bytes, rank))

    def bind_rows(self, view: RowView, unit: int | None) -> None:
        """An argument, or a result, of rank 1 under subscripts of rows."""
        scope, (last,) = self.scope, self._strides(view.of, 1, view.type.size_bytes, unit, 1)
        strides = [last]
        for extent in reversed(view.shape[1:]):
            bound = scope.index(f"{view.of}_row_stride")
            self.out.append(Let(bound, multiply(strides[0], scope.affine(extent, {}))))
            strides.insert(0, bound)
        scope.used[view.name] = 1
        scope.strides[view.name], scope.types[view.name] = tuple(strides), view.type
        slot, written = self.frame.address(view.of), self._is_written(view.name)
        self.buffers.append(BufferArgument(view.name, view.type, slot, written, of=view.of, rank=1))

    def bind_apart(self, name: str, type: ScalarType, rank: int, unit: int | None) -> None:
        """An array that only the function sees: each part of its elements has an array of its own."""
        for leaf, leaf_type, _ in parts_of(name, type):
            self.scope.used[leaf] = 1
            self.scope.strides[leaf] = self._strides(name, rank, type.size_bytes, unit, 1)
            self.scope.types[leaf] = leaf_type

    def _strides(self, name: str, rank: int, size: int, unit: int | None, step: int) -> tuple[Value, ...]:
        """In units of `size` bytes; `step` of them are one element, as far as axis `unit` goes from one to the next."""
        found: list[Value] = []
        known = {**self.steps.get(name, {}), **({} if unit is None else {unit: 1})}
        for axis in range(rank):
            if axis in known:
                found.append(integer(known[axis] * step))
                continue
            bound = self.scope.index(f"{name}_stride{axis}")
            in_bytes = Argument(self.frame.stride(name, axis))
            value: Value = Apply("exact_div", (in_bytes, integer(size)), int64)
            self.out.append(Let(bound, self._of_row(name, rank, axis, step) if name in self.in_rows else value))
            found.append(bound)
        return tuple(found)

    def _of_row(self, name: str, rank: int, axis: int, step: int) -> Value:
        """The distance of neighbours along an axis of an array whose elements lie one behind the other. The frame says
        nothing of that for a single one, which may be one end of an axis that is joined with another."""
        found: Value = integer(step)
        for inner in range(axis + 1, rank):
            found = multiply(found, self.scope.affine(Affine.of(shape_name(name, inner)), {}))
        return found

    def _is_written(self, leaf: str) -> bool:
        return any(leaf == name or leaf.startswith(f"{name}.") for name in self.written)


def _steps_of(made: Allocation) -> dict[int, int]:
    """The strides, in elements, of an array made inside that follow from extents that are numbers."""
    found: dict[int, int] = {}
    step = 1
    for axis in range(len(made.shape)) if made.fortran else reversed(range(len(made.shape))):
        found[axis] = step
        if not made.shape[axis].is_constant:
            break
        step *= max(0, made.shape[axis].constant)
    return found


def written_buffers(steps: tuple[Step, ...]) -> set[str]:
    """Names of the buffers that the steps store to."""
    found: set[str] = set()
    for step in steps:
        if isinstance(step, Expression):
            found |= step.written
        else:
            found |= written_buffers(step.body)
    return found
