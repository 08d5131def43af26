"""What a call of a program has to do at least: scalar operations, and bytes of each array it touches, once.

matvec, M: f32[512, 4096]   2·512·4096 flops and 512 more;   reads M, v and w, writes w
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, pairwise
from math import prod

import numpy as np

from jitmdh.base.dtype import ScalarType, float32
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Access, Expression, Program, Sequential, Step
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.independence import whole_name
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.rewrites.reassociation import Dims, operation_dims, reassociate
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction
from jitmdh.mdh.lowering.problem.traffic import ragged_extent

# Ranges of names: a size from itself to itself, a dimension from 0 to its extent - 1.
Ranges = Mapping[str, tuple[int, int]]
Box = tuple[tuple[int, int], ...]

_SAMPLES = 2048
_ROUNDED = 2  # instructions that make a half number of a single one, and a single one of that


@dataclass(frozen=True, slots=True)
class ExpressionRun:
    """An expression as one call executes it: so many times, with these sizes (of an average iteration around it)."""

    expression: Expression
    times: float
    sizes: Mapping[str, int]

    @property
    def extents(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for dim in self.expression.md_hom.dims:
            if dim in self.expression.ragged:
                found[dim.name] = ragged_extent(self.expression, dim, self.sizes, found)
            else:
                found[dim.name] = max(0, dim.extent.evaluate(self.sizes))
        return found

    @property
    def points(self) -> int:
        """Of one of the times."""
        return prod(self.extents.values())


@dataclass(frozen=True, slots=True)
class Work:
    """Totals of one call. steps: vector-lane operations, a fused multiply-add is one; type: in which most of it is.
    instructions: steps, but functions, quotients and roots count as what they take at least, and operations on half
    numbers are those of single ones, rounded.

    exact: False where conditions (triangular loops) make the figures estimates.
    """

    points: float
    flops: float
    steps: float
    instructions: float
    bytes_read: int
    bytes_written: int
    type: ScalarType
    exact: bool = True

    @property
    def bytes(self) -> int:
        return self.bytes_read + self.bytes_written

    @property
    def products(self) -> float:
        """How many of the steps are fused multiply-adds: each is two flops."""
        return self.flops - self.steps


_ROUNDS = 16
"""Of a loop that data end, as long as it may run that often: nobody knows how often it does."""


def runs(program: Program, sizes: Mapping[str, int]) -> list[ExpressionRun]:
    """Every expression, in order, with how often it runs."""
    return [ExpressionRun(e, times, values) for e, times, values in _runs(program.steps, dict(sizes), 1.0)]


def _runs(
    steps: tuple[Step, ...], values: dict[str, int], times: float
) -> Iterator[tuple[Expression, float, dict[str, int]]]:
    for step in steps:
        if isinstance(step, Expression):
            yield step, times, values
            continue
        count = max(0, step.dim.extent.evaluate(values))
        if isinstance(step, Sequential) and step.until:
            count = min(count, _ROUNDS)
        # Sizes inside that depend on the iteration: those of the middle one.
        yield from _runs(step.body, {**values, step.dim.name: count // 2}, times * count)


def work(program: Program, sizes: Mapping[str, int]) -> Work:
    """sizes: of the call, with those of allocations."""
    points = flops = steps = instructions = 0.0
    exact, most, type = True, 0.0, float32
    for run in runs(program, sizes):
        share = _share(run)
        exact = exact and share == 1.0
        own = run.points * run.times * share
        operations, fused, once = function_operations(reassociate(run.expression))
        shared = sum(prod(run.extents[d] for d in dims) for dims in once) * run.times * share
        finish = run.expression.finish
        results = prod(run.extents[d] for d in run.expression.remaining) * run.times
        after = results * (0 if finish is None else _operations(finish.function)) + _outer_operations(run)
        points += own
        flops += own * operations + shared + after
        done = own * (operations - fused) + shared + after
        steps += done
        instructions += done + run.times * share * _beyond_one(run)
        if own * operations >= most:
            most, type = own * operations, run.expression.md_hom.function.result_types[0]
    read, written = _traffic(program, sizes)
    single = float32 if _is_half(type) else type.concrete
    return Work(points, flops, steps, instructions, read, written, single, exact)


def instructions(run: ExpressionRun) -> float:
    """What the points of one execution take at least, but for what comes after their reductions."""
    operations, fused, once = function_operations(reassociate(run.expression))
    shared = sum(prod(run.extents[d] for d in dims) for dims in once)
    return run.points * (operations - fused) + shared + _beyond_one(run)


def moved(run: ExpressionRun) -> float:
    """Bytes that all executions of one expression move, each array once in each of them."""
    return moved_together([run])


def moved_together(found: Sequence[ExpressionRun], near: Collection[str] = ()) -> float:
    """Bytes that expressions under one loop move, each array once in each of their executions. near: those that stay in
    a core's caches."""
    seen, first = _Traffic(), found[0]
    steps = tuple(run.expression for run in found)
    _touch(steps, {name: (value, value) for name, value in first.sizes.items()}, seen)
    types = {b.name: b.type for e in steps for b in e.buffers if whole_name(b) not in near}
    places = [*seen.read.items(), *seen.written.items()]
    return first.times * sum(touched.bytes(types[name]) for name, touched in places if name in types)


# -------------------------------------------------------------------------------------------- operations


def function_operations(expression: Expression) -> tuple[int, int, list[Dims]]:
    """Scalar operations at each point (of f and one innermost combination), how many of them are fused; and for each
    operation whose value some dimensions have no say in, those that it varies with."""
    f = expression.md_hom.function
    once = [dims for _, dims in operation_dims(expression) if len(dims) < len(expression.md_hom.dims)]
    total = _operations(f) - len(once)
    fused = sum(_fuses(node) for node in operations(f))
    operators = [c.operator for c in expression.md_hom.combine if not isinstance(c, Concatenation)]
    if operators:
        # Of an arg-extremum scores are compared; where the best one is, is looked for once.
        total += 1 if operators[-1].score is not None else _operations(operators[-1].function)
        if operators[-1].is_elementary and operators[-1].name == "add" and _is_product(f.results[0]):
            fused += 1
    return total, min(fused, total), once


def _beyond_one(run: ExpressionRun) -> float:
    """Instructions of f that its operations take beyond one each, in one execution."""
    rounded = sum(n.op != "cast" and _is_half(n.type) for n in operations(run.expression.md_hom.function))
    beyond = sum(
        (_instructions(op) - 1) * prod(run.extents[d] for d in dims if d in run.extents)
        for op, dims in operation_dims(reassociate(run.expression))
    )
    return beyond + _ROUNDED * rounded * run.points


def _is_half(type: ScalarType) -> bool:
    return type.kind == "f" and type.bits < float32.bits


def _instructions(op: str) -> float:
    """Of one operation; what a procedure takes depends on the data."""
    return OPERATIONS[op].cost if op in OPERATIONS else 1


def _outer_operations(run: ExpressionRun) -> float:
    """What the operators outside the innermost one do, and the functions between them, in all executions."""
    found = groups(run.expression)
    total = 0.0
    for outer, inner in pairwise(found):
        inside = {name for group in found[found.index(inner) :] if not group.scan for name in group.names}
        points = prod(n for d, n in run.extents.items() if d not in inside)
        passed = 0 if inner.between is None else _operations(inner.between.function)
        total += run.times * points * (passed + _operations(outer.operator.function))
    return total


def long_operations(expression: Expression) -> int:
    """What operations of f take beyond one instruction each, at one point, in instructions. What no dimension has a say
    in is computed before the loops."""
    varying = (op for op, dims in operation_dims(expression) if dims or not expression.md_hom.dims)
    return round(sum(_instructions(op) - 1 for op in varying))


def slow_operations(expression: Expression) -> list[str]:
    """Names of the operations of f that take many instructions each."""
    found = [node.op for node in operations(expression.md_hom.function) if _instructions(node.op) > 1]
    return [op for op in dict.fromkeys(found)]


def _operations(function: ScalarFunction) -> int:
    return sum(node.op != "cast" for node in operations(function))


def operations(function: ScalarFunction) -> Iterator[Operation]:
    """Those that each point executes, conversions included."""

    def walk(node: Scalar) -> Iterator[Operation]:
        if isinstance(node, Operation):
            yield node
            for operand in node.operands:
                yield from walk(operand)

    yield from chain.from_iterable(walk(e) for e in (*(e for _, e in function.bindings), *function.results))


def _fuses(node: Operation) -> bool:
    return node.op in ("add", "sub") and node.type.kind == "f" and any(map(_is_product, node.operands))


def _is_product(node: Scalar) -> bool:
    return isinstance(node, Operation) and node.op == "mul" and node.type.kind == "f"


def _share(run: ExpressionRun) -> float:
    """The share of the points that fulfil the guards; estimated from samples."""
    guards = [g for g in run.expression.md_hom.guard if not run.expression.depends(g) - set(g.names)]
    ranges = {name: (value, value) for name, value in run.sizes.items()}
    return _kept(guards, ranges | {d: (0, n - 1) for d, n in run.extents.items()})


def _kept(guards: Sequence[Affine], ranges: Ranges) -> float:
    """The share of the points of `ranges` that fulfil all guards; estimated from samples."""
    names = {name for guard in guards for name in guard.names}
    if not guards or any(high < low for low, high in ranges.values()):
        return 1.0
    random = np.random.default_rng(0)
    places = {name: random.integers(ranges[name][0], ranges[name][1] + 1, _SAMPLES) for name in sorted(names)}
    kept = np.ones(_SAMPLES, bool)
    for guard in guards:
        value = np.full(_SAMPLES, guard.constant)
        for name, coefficient in guard.terms:
            value += coefficient * places[name]
        kept &= value >= 0
    return float(kept.mean())


# ----------------------------------------------------------------------------------------------- traffic


@dataclass(frozen=True, slots=True)
class _Touched:
    """Of an array: a box around all places, and which share of these there are."""

    box: Box
    share: float = 1.0

    def bytes(self, type: ScalarType) -> int:
        return round(self.share * _bytes(self.box, type))

    def union(self, other: _Touched | None) -> _Touched:
        if other is None:
            return self
        box = tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(self.box, other.box))
        return _Touched(box, max(self.share, other.share))


@dataclass(slots=True)
class _Traffic:
    """What has been touched so far: places read from, and written to, by array."""

    read: dict[str, _Touched] = field(default_factory=dict)
    written: dict[str, _Touched] = field(default_factory=dict)


def _traffic(program: Program, sizes: Mapping[str, int]) -> tuple[int, int]:
    """Bytes read and written if every element of an array moves at most once each way.

    What the function makes for itself moves only if it is returned, and then only out.
    """
    seen = _Traffic()
    ranges = {name: (value, value) for name, value in sizes.items()}
    _touch(program.steps, ranges, seen)
    own = {a.name for a in program.allocations}
    returned = program.returned
    types = {b.name: b.type for e in _all(program.steps) for b in e.buffers}
    made = [(a.name, tuple((0, max(0, s.evaluate(sizes)) - 1) for s in a.shape)) for a in program.allocations if a.fill]
    written = {**{name: _Touched(box) for name, box in made}, **seen.written}
    read = sum(touched.bytes(types[name]) for name, touched in seen.read.items() if name not in own)
    out = sum(t.bytes(types[n]) for n, t in written.items() if n in types and (n not in own or n in returned))
    return read, out


def _all(steps: tuple[Step, ...]) -> Iterator[Expression]:
    for step in steps:
        if isinstance(step, Expression):
            yield step
        else:
            yield from _all(step.body)


def _touch(steps: tuple[Step, ...], ranges: Ranges, seen: _Traffic) -> None:
    for step in steps:
        if not isinstance(step, Expression):
            inside = {**ranges, step.dim.name: (0, _interval(step.dim.extent, ranges)[1] - 1)}
            if inside[step.dim.name][1] >= 0:
                _touch(step.body, inside, seen)
            continue
        inner = dict(ranges)
        for dim in step.md_hom.dims:
            if dim not in step.ragged:
                inner[dim.name] = (0, _interval(dim.extent, ranges)[1] - 1)
        collapsed = step.collapsed
        if any(inner.get(d.name, (0, 0))[1] < 0 for d in step.md_hom.dims if d.name not in collapsed):
            continue
        empty = any(inner.get(name, (0, 0))[1] < 0 for name in collapsed)
        old = step.out_view if step.scattered else ()
        reads = (*step.reads[len(step.inp_view) if empty else 0 :], *old)
        for access in reads:
            touched = _places(access, step, inner)
            made = seen.written.get(access.buffer)
            if made is None or not _covers(made.box, touched.box):
                seen.read[access.buffer] = touched.union(seen.read.get(access.buffer))
        for access in step.out_view:
            touched = _places(access, step, inner)
            seen.written[access.buffer] = touched.union(seen.written.get(access.buffer))


def _places(access: Access, step: Expression, ranges: Ranges) -> _Touched:
    """Conditions on dimensions that move along an axis each leave places out: of a triangular matrix, about a half."""
    fixed = {name for name, (low, high) in ranges.items() if low == high}
    axes = [[name for name in index.names if name not in fixed] for index in access.index]
    moves = Counter(name for axis in axes for name in axis)
    alone = {axis[0] for axis in axes if len(axis) == 1 and axis[0] in ranges and moves[axis[0]] == 1}
    guards = [g for g in (*step.md_hom.guard, *access.guard) if alone & set(g.names) and set(g.names) <= alone | fixed]
    return _Touched(_box(access, step, ranges), _kept(guards, ranges))


def _interval(affine: Affine, ranges: Ranges) -> tuple[int, int]:
    low = high = affine.constant
    for name, coefficient in affine.terms:
        ends = [coefficient * end for end in ranges[name]]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _box(access: Access, expression: Expression, ranges: Ranges) -> Box:
    shape = expression.buffer(access.buffer).shape
    box = []
    for index, extent in zip(access.index, shape):
        if not all(n in ranges for n in index.names):  # data-dependent: any
            box.append((0, _interval(extent, ranges)[1] - 1))
            continue
        low, high = _interval(index, ranges)
        box.append((max(0, low), min(high, _interval(extent, ranges)[1] - 1)))
    return tuple(box)


def _covers(outer: Box, inner: Box) -> bool:
    return all(o[0] <= i[0] and i[1] <= o[1] for o, i in zip(outer, inner))


def _bytes(box: Box, type: ScalarType) -> int:
    return type.size_bytes * prod(max(0, high - low + 1) for low, high in box) if box else 0
