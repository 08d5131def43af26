"""The meaning of the high-level representation: programs and expressions executed on NumPy arrays.

Naive on purpose, but vectorised over the iteration space, in blocks that fit memory. Reductions are folded in the order
of their dimension, as a balanced tree; every back end must agree with it up to re-association.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.bounds import DataCheck, data_checks
from jitmdh.mdh.algebra.combine import Concatenation, Operator, PointWise, PrefixSum, Scatter
from jitmdh.mdh.algebra.expr import (
    Access,
    Between,
    Dim,
    Expression,
    Fault,
    Indirect,
    Program,
    Sequential,
    Step,
    Together,
)
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.parts.components import with_parts
from jitmdh.mdh.algebra.scalar import ScalarFunction
from jitmdh.mdh.algebra.semantics.argument_binding import (
    FallbackSignal,
    allocate,
    bind,
    check_call,
    check_sizes,
    failure,
    fault_error,
    in_rows,
    local_arrays,
    sizes_from,
    sizes_of,
)
from jitmdh.mdh.algebra.semantics.operations import Array, FaultSignal, Value, apply, as_index, choose, raise_fault
from jitmdh.mdh.algebra.semantics.partial_results import (
    State,
    both,
    combined,
    exclusive_scan,
    folded,
    inclusive_scan,
    or_identity,
    scatter,
)
from jitmdh.mdh.algebra.semantics.procedures import Points
from jitmdh.mdh.algebra.semantics.returned_views import result_of

__all__ = ["FallbackSignal", "check_call", "evaluate", "run", "sizes_of"]

BLOCK_POINTS = 2**22
"""Upper limit of the points of the iteration space that are held in memory at a time, where it can be kept."""

# --------------------------------------------------------------------------------------------------- programs


def run(program: Program, *args: Any) -> Any:
    """Execute `program`: arrays are updated in place, the result is what `program.returns` says.

    Raises the errors of its checks before anything is written; `FallbackSignal` where the program does not cover
    the call.
    """
    buffers = bind(program, args)
    sizes = sizes_from(program, buffers)
    check_sizes(program, sizes)
    buffers |= allocate(program, sizes)
    buffers |= in_rows(program, buffers, sizes)
    buffers = with_parts(buffers)
    checks = data_checks(program)
    for check in checks:
        if check.before is None:
            with explained(program.faults):
                look_at(check, buffers, sizes)
    with explained(program.faults):
        _steps(program.steps, buffers, sizes, tuple(c for c in checks if c.before is not None))
    if program.returns is None:
        return None
    scalars = {a.name for a in program.allocations if not a.shape}
    returned = tuple(
        buffers[r.name][()] if r.name in scalars else _first_rows(buffers[r.name], buffers.get(r.length))
        for r in program.returns
    )
    return result_of(program, returned)


def _first_rows(array: Array, length: Array | None) -> Array:
    """What is returned of an array of which only the first rows are, as an array of its own."""
    return array if length is None else array[: int(length)].copy()


@contextmanager
def explained(faults: Sequence[Fault]) -> Iterator[None]:
    """Faults inside are raised as what Python raises, with their places."""
    try:
        yield
    except FaultSignal as signal:
        fault = faults[signal.number]
        raise fault_error(fault.kind, fault.message, fault.loc) from None


def _steps(
    steps: Sequence[Step], buffers: dict[str, Array], sizes: dict[str, int], checks: tuple[DataCheck, ...],
    around: Sequential | None = None,
) -> bool:  # fmt: skip
    """Whether a step has ended the sequential loop `around`."""
    for step in steps:
        if isinstance(step, Expression):
            for check in checks:
                if check.before is step:
                    look_at(check, buffers, sizes)
            evaluate(step, buffers, sizes)
            if around is not None and any(buffers[name][()] for name in around.ends(step)):
                return True
            continue
        loop = step if isinstance(step, Sequential) else None
        for number in range(step.dim.extent.evaluate(sizes)):
            own = with_parts(local_arrays(step.local, sizes)) if isinstance(step, Together) else {}
            if _steps(step.body, {**buffers, **own}, {**sizes, step.dim.name: number}, checks, loop):
                break
    return False


def look_at(check: DataCheck, buffers: Mapping[str, Array], sizes: Mapping[str, int]) -> None:
    """Raises what `check` means where the data do not fulfil it."""
    least, greatest = (np.empty((), c.type.numpy) for c in check.operator.identity or ())
    evaluate(check.expression, {**buffers, check.least: least, check.greatest: greatest}, sizes)
    if not check.holds(int(least), int(greatest), sizes):
        raise failure(check.kind, check.message, check.loc)


# ------------------------------------------------------------------------------------------------- iteration space


_EXACT = 2.0**62
"""Sums beyond are taken for the ends of 64 bits: no array, and no loop, gets there."""


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the iteration space, `begin ≤ index < end` per dimension, as grids that broadcast."""

    names: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]
    sizes: Mapping[str, int]
    indirect: Callable[[str, Box], Array] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(end - begin for begin, end in self.bounds)

    @property
    def points(self) -> int:
        return math.prod(self.shape)

    def index(self, affine: Affine) -> Array:
        """The value of `affine` at each point, of a shape that broadcasts to that of the box, or an end of 64 bits."""
        total: Array = np.full((1,) * len(self.names), affine.constant, np.int64)
        about: Array | None = None  # of numbers from data, which may be anything, as floats, too
        for name, coefficient in affine.terms:
            if name in self.names:
                part: Array = self._grid(self.names.index(name))
            elif name in self.sizes:
                part = np.asarray(self.sizes[name], np.int64)
            else:
                assert self.indirect is not None, f"{name} has no value"
                part = self.indirect(name, self)
                about = total.astype(np.float64) if about is None else about
            about = None if about is None else about + coefficient * part.astype(np.float64)
            with np.errstate(over="ignore"):
                total = total + coefficient * part
        if about is not None and (np.abs(about) > _EXACT).any():
            least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
            total = np.where(about > _EXACT, most, np.where(about < -_EXACT, least, total))
        return total

    def _grid(self, axis: int) -> Array:
        shape = [1] * len(self.names)
        shape[axis] = -1
        return np.arange(*self.bounds[axis], dtype=np.int64).reshape(shape)

    def mask(self, guard: Sequence[Affine]) -> Array | None:
        """Where all of `guard` are ≥ 0; None: everywhere."""
        result: Array | None = None
        for affine in guard:
            holds = self.index(affine) >= 0
            if not holds.all():
                result = both(result, holds)
        return result

    def cut(self, axis: int) -> tuple[Box, Box]:
        """Two halves; the first has a power of two, so that the tree of a reduction does not depend on cuts."""
        begin, end = self.bounds[axis]
        middle = begin + 2 ** ((end - begin - 1).bit_length() - 1)
        return self.bounded(axis, begin, middle), self.bounded(axis, middle, end)

    def bounded(self, axis: int, begin: int, end: int) -> Box:
        bounds = (*self.bounds[:axis], (begin, end), *self.bounds[axis + 1 :])
        return Box(self.names, bounds, self.sizes, self.indirect)


# --------------------------------------------------------------------------------------------------- expressions


def evaluate(expression: Expression, buffers: Mapping[str, Array], sizes: Mapping[str, int]) -> None:
    """Execute one expression: all inputs are read before an output is written."""
    numbers = (g for g in expression.md_hom.guard if sizes.keys() >= set(g.names))
    if any(g.evaluate(sizes) < 0 for g in numbers):
        return  # no result is written, whatever the point
    evaluation = ExpressionEvaluation(expression, _seen(expression, buffers, sizes))
    box = evaluation.hull(sizes)
    if any(n == 0 for n, name in zip(box.shape, box.names) if name not in expression.collapsed):
        return
    with np.errstate(all="ignore"):
        writes = [write for block in evaluation.blocks(box) for write in evaluation.block(block)]
        for write in writes:
            write.perform()


def _seen(expression: Expression, buffers: Mapping[str, Array], sizes: Mapping[str, int]) -> Mapping[str, Array]:
    """The arrays in the shapes in which an expression sees them (see `rewrites.dimensions.joined_dimensions`)."""
    seen = {b.name: b.shape for b in expression.buffers if any(n.is_constant and n.constant == 1 for n in b.shape)}
    shapes = {name: tuple(n.evaluate(sizes) for n in shape) for name, shape in seen.items() if _known(shape, sizes)}
    differ = {n: s for n, s in shapes.items() if n in buffers and s != buffers[n].shape}
    return {**buffers, **{n: np.reshape(buffers[n], s, copy=False) for n, s in differ.items()}} if differ else buffers


def _known(shape: tuple[Affine, ...], sizes: Mapping[str, int]) -> bool:
    return all(n in sizes for extent in shape for n in extent.names)


@dataclass(frozen=True, slots=True)
class Write:
    """`buffer[index] = data`, or with an operator, of which several may mean one cell: `buffer[index] ⊕= data`."""

    buffer: Array
    index: tuple[Array, ...]
    data: Array
    operator: Operator | None = None

    def perform(self) -> None:
        if self.operator is None:
            self.buffer[self.index] = self.data
        else:
            scatter(self.operator, self.buffer, self.index, self.data)


Read = Callable[[int, Access, Box, Array | None], Value]


@dataclass(frozen=True, slots=True)
class ExpressionEvaluation:
    """One execution of an expression on buffers."""

    expression: Expression
    buffers: Mapping[str, Array]

    def hull(self, sizes: Mapping[str, int]) -> Box:
        """The iteration space; ragged dimensions are as long as anywhere."""
        box = Box((), (), sizes, self.indirect)
        for dim in self.expression.md_hom.dims:
            ragged = any(name not in sizes for name in dim.extent.names)
            self.look_at_numbers(dim, box)
            most = 0 if ragged and 0 in box.shape else box.index(dim.extent).max(initial=0)
            box = Box((*box.names, dim.name), (*box.bounds, (0, int(most))), sizes, self.indirect)
        return box

    def look_at_numbers(self, dim: Dim, box: Box) -> None:
        """Raise what the numbers that decide the extent of `dim` are where they are errors."""
        inside = None
        for number in (n for n in map(self.expression.named, dim.extent.names) if n is not None):
            value = self.number(number, box)
            if value.fault is not None and 0 not in box.shape:
                known = [g for g in self.expression.guard if self.expression.depends(g) <= {*box.names}]
                inside = both(inside, box.mask(known))
                raise_fault(value, inside, number.loc)

    def indirect(self, name: str, box: Box) -> Array:
        """The values of an indirect name at the points of `box`; outside of the iteration space, anything."""
        found = self.expression.named(name)
        assert found is not None, f"{name} has no value"
        number = as_index(self.number(found, box).data)
        if found.extent is not None:
            number = np.where(number < 0, number + box.index(found.extent), number)
        keep = tuple(slice(0, 0) if n == 0 else slice(None) for n in box.shape)
        return np.asarray(number[keep] if number.ndim else number)

    def number(self, found: Indirect, box: Box) -> Value:
        """What a number from data is at the points of `box`; along dimensions without points, at the first."""
        whole = tuple((0, 1) if n == 0 else b for n, b in zip(box.shape, box.bounds))
        inputs = [self.anywhere(access, Box(box.names, whole, box.sizes, box.indirect)) for access in found.inp_view]
        (value,) = apply(found.function, inputs, box.index)
        return value

    def anywhere(self, access: Access, box: Box) -> Value:
        """What `access` reads, also at points that do not exist."""
        buffer = self.buffers[access.buffer]
        if not buffer.size:
            return Value(np.zeros((1,) * len(box.names), buffer.dtype))
        index = tuple(np.clip(box.index(i), 0, n - 1) for i, n in zip(access.index, buffer.shape))
        return Value(np.asarray(buffer[index]) if index else buffer.reshape((1,) * len(box.names)))

    def blocks(self, box: Box) -> Iterator[Box]:
        """Blocks of `box` along ++ dimensions."""
        combine = self.expression.md_hom.combine
        axes = (a for a, c in enumerate(combine) if isinstance(c, Concatenation | Scatter) and box.shape[a] > 1)
        axis = next(axes, None)
        if box.points <= BLOCK_POINTS or axis is None:
            yield box
        else:
            for half in box.cut(axis):
                yield from self.blocks(half)

    def block(self, box: Box) -> list[Write]:
        """What the results of the points of `box` write where."""
        return self.finished(self.reduced(box), box)

    def finished(self, state: State, box: Box) -> list[Write]:
        """What `state`, the whole result over `box`, writes where."""
        expression = self.expression
        for axis, name in enumerate(box.names):
            if name in expression.collapsed:
                box = box.bounded(axis, 0, 1)
        written = box.mask(_own_guard(expression))
        values, valid = state.values, state.valid
        if (finish := expression.finish) is not None:
            inputs = [self.read(a, box, written) for a in finish.inp_view]
            values = apply(finish.function, (*values, *inputs), box.index)
            if valid is not None and finish.empty is not None:
                parameters = finish.function.parameters[len(state.values) :]
                otherwise = apply(ScalarFunction(parameters, (), finish.empty), inputs, box.index)
                values = tuple(choose(Value(valid), v, e) for v, e in zip(values, otherwise))
                valid = None
        mask = both(written, valid)
        return [self.write(a, v, box, mask) for a, v in zip(expression.out_view, values, strict=True)]

    def reduced(self, box: Box) -> State:
        """The state over the dimensions that remain."""
        combine = self.expression.md_hom.combine
        if box.points > BLOCK_POINTS:
            outermost = groups(self.expression)[:1]
            axis = next((a for g in outermost for a in g.axes if box.shape[a] > 1), None)
            if axis is not None and isinstance(operator := combine[axis], PointWise):
                first, second = box.cut(axis)
                return combined(operator.operator, self.reduced(first), self.reduced(second))
        return self.folded(self.points(box), box)

    def points(self, box: Box, read: Read | None = None) -> State:
        """`md_hom.function` at every point; `read` reads the inputs if they are not where the views say."""
        md_hom = self.expression.md_hom
        inside = box.mask(self.expression.guard)
        read = read or (lambda _, access, box, inside: self.read(access, box, inside))
        inputs = [read(n, a, box, inside) for n, a in enumerate(self.expression.inp_view)]
        index = Points(box.index, self.buffers, box.shape, inside) if self.expression.procedures else box.index
        values = apply(md_hom.function, inputs, index)
        return State(tuple(v.map(lambda a: np.broadcast_to(a, box.shape)) for v in _whole(values, box)))

    def folded(self, state: State, box: Box) -> State:
        """`state` with every operator applied, from the innermost dimension outwards."""
        md_hom = self.expression.md_hom
        guards = _guards_by_level(self.expression)
        between = {b.depth: b for b in self.expression.between}
        for axis in reversed(range(len(md_hom.dims))):
            if axis + 1 in between:
                state = self.passed(between[axis + 1], state, box)
            if (holds := box.mask(guards[axis])) is not None:
                valid = both(state.valid, holds)
                assert valid is not None
                state = replace(state, valid=np.broadcast_to(valid, state.values[0].data.shape))
            match md_hom.combine[axis]:
                case PointWise(operator):
                    state = or_identity(operator, folded(operator, state, axis))
                    box = box.bounded(axis, 0, 1)
                case PrefixSum(operator, exclusive, reverse):
                    scan = exclusive_scan if exclusive else inclusive_scan
                    state = or_identity(operator, scan(operator, state, axis, reverse))
                case Concatenation() | Scatter():
                    pass
        return state

    def passed(self, between: Between, state: State, box: Box) -> State:
        """What the operator outside of `between` combines."""
        inside = box.mask(self.expression.md_hom.guard_over(between.depth))
        inputs = [self.read(a, box, inside) for a in between.inp_view]
        values = _whole(apply(between.function, (*state.values, *inputs), box.index), box)
        return State(values, state.valid)

    def read(self, access: Access, box: Box, inside: Array | None) -> Value:
        """The elements `access` reads at the points of `inside`; 0 elsewhere."""
        buffer = self.buffers[access.buffer]
        mask = both(inside, box.mask(access.guard))
        index = [box.index(i) for i in access.index]
        if 0 in box.shape or (mask is not None and not mask.any()):
            return Value(np.zeros((1,) * len(box.names), buffer.dtype))
        index = self.checked(access, index, mask)
        if not index:
            data = buffer.reshape((1,) * len(box.names))
        else:
            data = np.asarray(buffer[tuple(index)])
        return Value(data if mask is None else np.where(mask, data, np.zeros((), buffer.dtype)))

    def write(self, access: Access, value: Value, box: Box, mask: Array | None) -> Write:
        """What `access` writes."""
        combine = self.expression.md_hom.combine
        operator = next((c.operator for c in combine if isinstance(c, Scatter)), None)
        buffer = self.buffers[access.buffer]
        mask = both(mask, box.mask(access.guard))
        raise_fault(value, mask, access.loc or self.expression.loc)
        kept = slice(None) if mask is None else np.broadcast_to(mask, box.shape).ravel()
        data = np.broadcast_to(value.data, box.shape).ravel()[kept]
        if not access.index:
            return Write(buffer, (), data[-1] if data.size else np.array(buffer))
        if not data.size:  # of no points: the array may have no elements
            return Write(buffer, tuple(np.empty(0, np.int64) for _ in access.index), data, operator)
        index = self.checked(access, [box.index(i) for i in access.index], mask)
        places = tuple(np.broadcast_to(i, box.shape).ravel()[kept] for i in index)
        return Write(buffer, places, data, operator)

    def checked(self, access: Access, index: list[Array], mask: Array | None) -> list[Array]:
        """`index` with 0 outside of `mask`; an InternalError if it leaves its buffer inside."""
        buffer = self.buffers[access.buffer]
        if len(index) != buffer.ndim:
            raise InternalError(f"{access.buffer} has {buffer.ndim} dimensions, its access {len(index)}")
        inside = [i if mask is None else np.where(mask, i, 0) for i in index]
        for i, axis, extent in zip(inside, range(buffer.ndim), buffer.shape):
            if i.size and not 0 <= i.min() <= i.max() < extent:
                raise InternalError(
                    f"{access.buffer}: index {access.index[axis]} reaches {i.min()} … {i.max()} of {extent}",
                    loc=access.loc,
                )
        return inside


def _whole(values: tuple[Value, ...], box: Box) -> tuple[Value, ...]:
    """`values` of the box's shape, not only broadcastable to it."""
    return tuple(Value(np.broadcast_to(v.data, box.shape), v.fault) for v in values)


# -------------------------------------------------------------------------------------------------------- guards


def _own_guard(expression: Expression) -> tuple[Affine, ...]:
    """The guards that decide what is written: those that mention no collapsed dimension."""
    return tuple(g for g in expression.guard if not set(g.names) & set(expression.collapsed))


def _guards_by_level(expression: Expression) -> list[list[Affine]]:
    """Per dimension, the guards that are checked inside its loop: those whose innermost dimension it is.

    A guard that mentions only ++ dimensions takes no part: it is `_own_guard`'s.
    """
    md_hom = expression.md_hom
    levels: list[list[Affine]] = [[] for _ in md_hom.dims]
    for guard in expression.guard:
        mentioned = [a for a, d in enumerate(md_hom.dims) if d.name in guard.names]
        if any(isinstance(md_hom.combine[a], PointWise | PrefixSum) for a in mentioned):
            levels[mentioned[-1]].append(guard)
    return levels
