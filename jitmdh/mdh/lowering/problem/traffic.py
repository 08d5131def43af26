"""Facts about an expression that decisions rest on: extents, how accesses vary, footprints, operation counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import product
from math import prod
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator, PrefixSum
from jitmdh.mdh.algebra.expr import Access, ArrayParameter, Dim, Expression, Program, Sequential, Step, expressions
from jitmdh.mdh.algebra.groups import Group, groups
from jitmdh.mdh.algebra.independence import may_fail
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Constant,
    Operation,
    Procedure,
    Scalar,
    ScalarFunction,
    index_values,
    instructions,
)
from jitmdh.mdh.lowering.problem.prices import masked_cycles, product_instructions
from jitmdh.mdh.machine.model import Machine

_UNKNOWN_EXTENT = 64
_UNKNOWN_RAGGED = 16
_NEAR = 4  # elements from one to the next, so that a few vectors of neighbours have those of one


@dataclass(slots=True, eq=False)
class _AccessFacts:
    """What is known of an access: the dimensions that it varies with, the bytes that it touches (None: not asked yet),
    and how neighbours lie along dimensions. The access is kept: its identity is the key."""

    access: Access
    varying: frozenset[str]
    bytes: int | None = None
    kinds: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """An expression with sizes: what the model and the constraints look at.

    unit_axes: for each buffer the axis with stride one, or of what is only read with another small one that is known:
    vectors of neighbours hold those elements, too. None where there is none. operator: of the innermost group.
    shared_reductions: whether what collapses may be shared among threads, whose number then has a say in the order of
    combination. checkable_in_use: whether subscripts from data may be looked at where they are used, if results wait.
    in_all: bytes of written buffers in all points of a loop around the expression, where no other step there has them;
    passing: bytes of buffers in all points of that loop, where each has its own part and no step before it touches it;
    fresh: buffers that the call makes anew and returns. just_stored: see `repeated_steps.just_stored`. steps: of arrays
    that calls bring, how far apart neighbours are, by axes for which that is known.
    inner: the dimensions that collapse innermost, whose points are accumulated in registers; outer: all others,
    whatever the innermost operator has a result for each point of; scanned: those of prefix sums. calls: whether points
    run procedures. notes: what others have found out about it, by keys of theirs.
    """

    expression: Expression
    extents: Mapping[str, int]
    unit_axes: Mapping[str, int | None]
    threads: int
    operator: Operator | None
    collapsed: tuple[str, ...]
    remaining: tuple[str, ...]
    shared_reductions: bool = True
    groups: tuple[Group, ...] = ()
    checkable_in_use: bool = False
    in_all: Mapping[str, int] = field(default_factory=dict)
    passing: Mapping[str, int] = field(default_factory=dict)
    fresh: frozenset[str] = frozenset()
    just_stored: frozenset[str] = frozenset()
    steps: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    inner: tuple[str, ...] = field(init=False, repr=False, compare=False)
    outer: tuple[str, ...] = field(init=False, repr=False, compare=False)
    scanned: frozenset[str] = field(init=False, repr=False, compare=False)
    calls: bool = field(init=False, repr=False, compare=False)
    notes: dict[tuple[object, ...], Any] = field(init=False, repr=False, compare=False, default_factory=dict)
    _accesses: dict[int, _AccessFacts] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        inner = self.groups[-1].names if self.groups and not self.groups[-1].scan else ()
        object.__setattr__(self, "inner", inner)
        object.__setattr__(self, "outer", tuple(d for d in self.extents if d not in inner))
        pairs = zip(self.expression.md_hom.dims, self.expression.md_hom.combine)
        scanned = frozenset(d.name for d, combine in pairs if isinstance(combine, PrefixSum))
        object.__setattr__(self, "scanned", scanned)
        object.__setattr__(self, "calls", bool(self.expression.procedures))

    def operator_of(self, dim: str) -> Operator | None:
        return next((g.operator for g in self.groups if dim in g.names), None)

    def level(self, dim: str) -> int:
        """How far inside the loops over a dimension belong: 0 outside all operators, then group by group."""
        return next((n + 1 for n, g in enumerate(self.groups) if dim in g.names), 0)

    def of(self, expression: Expression) -> Problem:
        """The same sizes for a part of this computation."""
        dims = {d.name for d in expression.md_hom.dims}
        found = groups(expression)
        return replace(
            self,
            expression=expression,
            extents={d: n for d, n in self.extents.items() if d in dims},
            unit_axes={b.name: b.rank - 1 if b.rank else None for b in expression.buffers} | dict(self.unit_axes),
            operator=found[-1].operator if found else None,
            collapsed=expression.collapsed,
            remaining=expression.remaining,
            groups=found,
        )

    @property
    def points(self) -> int:
        return prod(self.extents.values())

    def constant_extent(self, dim: str) -> int | None:
        """The extent, where it is part of the program and not of the call."""
        found = next(d for d in self.expression.md_hom.dims if d.name == dim)
        return found.extent.constant if found.extent.is_constant else None

    def varying(self, access: Access) -> frozenset[str]:
        """The dimensions that decide which element `access` names."""
        return self._known(access).varying

    def _known(self, access: Access) -> _AccessFacts:
        found = self._accesses.get(id(access))
        if found is None or found.access is not access:
            found = self._accesses[id(access)] = _AccessFacts(access, self.expression.varying(access))
        return found

    def varies(self, access: Access, dim: str) -> bool:
        return dim in self.varying(access)

    def indirect(self, access: Access, dim: str) -> bool:
        """Whether the places of neighbours along `dim` depend on data."""
        return self.varies(access, dim) and any(
            dim in self.expression.depends(Affine.of(n))
            for a in access.index for n in a.names if self.expression.named(n) is not None
        )  # fmt: skip

    def lane_kind(self, access: Access, dim: str) -> str:
        """How neighbours along `dim` lie in memory: "same", "contiguous", or "apart"."""
        kinds = self._known(access).kinds
        found = kinds.get(dim)
        if found is None:
            found = kinds[dim] = self._lane_kind(access, dim)
        return found

    def _lane_kind(self, access: Access, dim: str) -> str:
        if self.indirect(access, dim):
            return "apart"
        axes = [(axis, a.coefficient(dim)) for axis, a in enumerate(access.index) if a.coefficient(dim)]
        if not axes:
            return "same"
        if len(axes) == 1 and axes[0][1] in (1, -1) and self.unit_axes.get(access.buffer) == axes[0][0]:
            return "contiguous"
        return "apart"

    def lane_distance(self, access: Access, dim: str) -> int:
        """How many elements neighbours along `dim` are apart in memory, if it is known; else 0."""
        known: dict[int | None, int] = {self.unit_axes.get(access.buffer): 1}
        for axis, distance in self.steps.get(access.buffer, {}).items():
            known[axis] = distance
        axes = [(axis, a.coefficient(dim)) for axis, a in enumerate(access.index) if a.coefficient(dim)]
        if self.indirect(access, dim) or not all(axis in known for axis, _ in axes):
            return 0
        return sum(known[axis] * coefficient for axis, coefficient in axes)

    def bytes_of(self, access: Access) -> int:
        """Size of the part of the buffer that the whole computation touches."""
        known = self._known(access)
        if known.bytes is None:
            known.bytes = self.expression.buffer(access.buffer).type.size_bytes * self.footprint(access, self.extents)
        return known.bytes

    def footprint(self, access: Access, tile: Mapping[str, int]) -> int:
        """Elements of `access` that a tile (dimension: points; others 1) touches."""
        return prod(self.span(access, axis, tile) for axis in range(len(access.index)))

    def span(self, access: Access, axis: int, tile: Mapping[str, int]) -> int:
        """How many indices along `axis` a tile touches."""
        return 1 + sum(abs(c) * (tile.get(n, 1) - 1) for n, c in access.index[axis].terms if n in self.extents)

    def distinct(self, access: Access, counts: Mapping[str, int], lane: str | None = None, lanes: int = 1) -> int:
        """How many different places an access names when each dimension takes `counts` steps: along `lane` of `lanes`
        elements, else of one."""
        varying = self.varying(access)
        names = [n for n, c in counts.items() if c > 1 and n in varying]
        if not names:
            return 1
        if self.expression.indirect and any(self.indirect(access, n) for n in names):
            return prod(counts[n] for n in names)
        wide = {n: lanes if n == lane else 1 for n in names}
        used = [[n for n in names if a.coefficient(n)] for a in access.index]
        if sum(map(len, used)) == len(names):  # each dimension moves along one axis only
            pairs = zip(access.index, used)
            return prod(_sums(tuple((a.coefficient(n) * wide[n], counts[n]) for n in along)) for a, along in pairs)
        places = {
            tuple(sum(a.coefficient(n) * wide[n] * s for n, s in zip(names, steps)) for a in access.index)
            for steps in product(*(range(counts[n]) for n in names))
        }
        return len(places)


def problem(
    expression: Expression,
    sizes: Mapping[str, int],
    unit_axes: Mapping[str, int | None],
    threads: int,
    shared_reductions: bool = True,
) -> Problem:
    """`sizes`: values of size names; extents that depend on names without a value count as medium-sized."""
    extents: dict[str, int] = {}
    for dim in expression.md_hom.dims:
        if dim in expression.ragged:
            extents[dim.name] = ragged_extent(expression, dim, sizes, extents)
            continue
        known = all(n in sizes for n in dim.extent.names)
        extents[dim.name] = max(0, dim.extent.evaluate(sizes)) if known else _UNKNOWN_EXTENT
    axes = dict(unit_axes)
    for buffer in expression.buffers:
        whole = buffer.of is not None and buffer.of in axes
        if whole and buffer.apart:
            axes.setdefault(buffer.name, None)
        axes.setdefault(buffer.name, axes[buffer.of or ""] if whole else buffer.rank - 1 if buffer.rank else None)
    found = groups(expression)
    operator = found[-1].operator if found else None
    names = expression.collapsed, expression.remaining
    return Problem(expression, extents, axes, threads, operator, *names, shared_reductions, found)


def typical_iterations(steps: Sequence[Step], expression: Expression, sizes: Mapping[str, int]) -> dict[str, int]:
    """An iteration in the middle of each loop in order around an expression, by its name; of loops of known length."""
    found: dict[str, int] = {}
    while not any(step is expression for step in steps):
        around = next((s for s in steps if any(expression is inside for inside in expressions((s,)))), None)
        if around is None or isinstance(around, Expression):
            return {}
        if isinstance(around, Sequential):
            extent, known = around.dim.extent, {**sizes, **found}
            if not around.until and all(n in known for n in extent.names):
                found[around.dim.name] = max(0, extent.evaluate(known)) // 2
        steps = around.body
    return found


def near_axes(program: Program, unit_axes: Mapping[str, int | None]) -> dict[str, int | None]:
    """`unit_axes`, and for what is only read and has none the axis along which elements are known to be near."""
    written = {name for e in expressions(program.steps) for name in e.written}
    found = dict(unit_axes)
    for p in program.parameters:
        if isinstance(p, ArrayParameter) and p.steps and p.name not in written and found.get(p.name) is None:
            axis, step = min(p.steps, key=lambda known: abs(known[1]))
            found[p.name] = axis if abs(step) <= _NEAR else None
    return found


def known_steps(program: Program) -> dict[str, dict[int, int]]:
    """Of arrays that calls bring, how far apart neighbours are, by axes for which that is known."""
    return {p.name: dict(p.steps) for p in program.parameters if isinstance(p, ArrayParameter) and p.steps}


def ragged_extent(
    expression: Expression, dim: Dim, sizes: Mapping[str, int], extents: Mapping[str, int]
) -> int:  # fmt: skip
    """About how long a dimension is whose extent depends on data: its arrays, shared by the points around it."""
    around = prod(max(1, extents.get(n, 1)) for n in expression.depends(dim.extent))
    for access in (*expression.inp_view, *(a for n in expression.indirect for a in n.inp_view)):
        for index, extent in zip(access.index, expression.buffer(access.buffer).shape):
            if abs(index.coefficient(dim.name)) == 1 and all(n in sizes for n in extent.names):
                return max(1, extent.evaluate(sizes) // around)
    return _UNKNOWN_RAGGED


@cache
def _sums(steps: tuple[tuple[int, int], ...]) -> int:
    """How many values Σ coefficient·step has, each step below its count.

    >>> _sums(((1, 4), (1, 3))), _sums(((2, 4), (1, 3))), _sums(())
    (6, 9, 1)
    """
    values = {0}
    for coefficient, count in steps:
        values = {v + coefficient * n for v in values for n in range(count)}
    return len(values)


def operations(expression: Expression) -> int:
    """Scalar operations at one point: those of `f`, of subscripts, and one combination by the innermost operator."""
    found = groups(expression)
    subscripts = sum(counted(n.function) for n in expression.indirect)
    return counted(expression.md_hom.function) + subscripts + (counted(found[-1].operator.function) if found else 0)


def masked_only(expression: Expression, lane: str, lanes: int) -> bool:
    """Whether code along `lane` is written for masked vectors only, as it is long: twice, it fills the caches of
    instructions and takes a compiler twice as long."""
    extent = next(d.extent for d in expression.md_hom.dims if d.name == lane)
    few = extent.is_constant and extent.constant < _FEW_VECTORS * lanes
    return lanes > 1 and few and not groups(expression) and _is_long(expression.md_hom.function)


def masked_together(expression: Expression, lane: str, machine: Machine) -> bool:
    """Whether a tile may have several vectors along `lane` of which the last ones are masked: masks take no time,
    nothing needs one for all of its lanes, and nothing is known of a part of the tiles alone, as beside a diagonal."""
    e = expression
    if machine.warps or lane in e.collapsed or any(d.name == lane for d in e.ragged) or lane in e.scattered:
        return False
    if e.indirect or e.md_hom.guard or may_fail(e) or any(isinstance(c, PrefixSum) for c in e.md_hom.combine):
        return False
    if any(b.of is not None for b in e.buffers) or any(lane in i.names for i in index_values(e.md_hom.function)):
        return False  # the parts of complex numbers lie in vectors twice as long
    least = min((b.type.size_bytes for b in e.buffers), default=1)
    return masked_cycles(machine, least) == (0.0, 0.0)


_FEW_VECTORS = 8  # along a dimension, of which the remainder is a good share
_LONG = 256  # operations at a point


def _is_long(function: ScalarFunction) -> bool:
    left, found = [*function.results], 0
    while left and found < _LONG:
        value = left.pop()
        if isinstance(value, Operation):
            found += 1
            left += value.operands
    return found >= _LONG


def beyond_one(expression: Expression, features: str, lanes: int) -> tuple[int, int]:
    """What products of integers take beyond one instruction each at one point, of `f` and one combination by the
    innermost operator; and of these, those of the operator. features: of the processor."""

    def of(function: ScalarFunction) -> int:
        more, waiting = 0, [*(e for _, e in function.bindings), *function.results]
        while waiting:
            node = waiting.pop()
            if not isinstance(node, Operation):
                continue
            waiting += node.operands
            if node.op == "mul" and node.type.kind in "iu" and not any(map(_is_power_of_two, node.operands)):
                more += product_instructions(features, node.type.bits, lanes) - 1
        return more

    combined = sum(of(g.operator.function) for g in groups(expression)[-1:])
    return of(expression.md_hom.function) + combined, combined


def _is_power_of_two(node: Scalar) -> bool:
    return isinstance(node, Constant) and isinstance(node.value, int) and node.value.bit_count() == 1


ROUNDS = 32
"""How often data-dependent loops are assumed to iterate."""


def counted(function: ScalarFunction) -> int:
    """Scalar operations of a function."""
    total, waiting = 0, [*(e for _, e in function.bindings), *function.results]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Procedure):
            total += ROUNDS * sum(1 for _ in instructions(node.body))
        elif isinstance(node, Operation):
            total += 1
            waiting += node.operands
    return total
