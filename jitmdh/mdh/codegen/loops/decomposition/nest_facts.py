"""What the writing of one nest rests on: derived facts, where it has got to, where partial results wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator, Scatter
from jitmdh.mdh.algebra.expr import Access, Expression, Finish
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.size_facts import inside_everywhere
from jitmdh.mdh.algebra.scalar import Operation, Scalar, Variable
from jitmdh.mdh.algebra.subscript_ranges import never_negative
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Range, TileDim
from jitmdh.mdh.codegen.microkernel.scattered_cells import ScatterUpdate
from jitmdh.mdh.kernel.arithmetic import both, compare, integer, multiply, negated, subtract
from jitmdh.mdh.kernel.ir import Failed, If, Let, Literal, Name, Scratch, Statement, Value
from jitmdh.mdh.lowlevel.expr import LowLevel

Buffers = list[tuple[str, ScalarType, Value]]
"""What to allocate: name, type, number of elements."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where results go.

    streaming: by non-temporal stores; scatter: the update of cells that points may share; origin: the ranges of which
    the first part begins results, and the last part completes them.
    """

    out_view: tuple[Access, ...]
    finish: Finish | None
    streaming: bool
    scatter: ScatterUpdate | None
    origin: Mapping[str, Range]


@dataclass(frozen=True, slots=True)
class NestPosition:
    """Where in the nest the writing has got to. ranges: what is left of each dimension; tile: decided tile shapes.

    start: where a prefix sum over cores finds what the parts before come to.
    """

    ranges: Mapping[str, Range]
    tile: Mapping[str, TileDim]
    packed: Mapping[int, Packed]
    to: Destination
    partial: Partial | None = None
    start: tuple[Access, ...] = ()


Inside = Callable[[NestPosition], list[Statement]]
"""The statements inside of a part."""
Then = Callable[[int, NestPosition], list[Statement]]
"""The statements from a level on."""


class NestFacts:
    """A low-level expression, taken apart for writing its loops."""

    def __init__(self, low: LowLevel, scope: Scope) -> None:
        self.low, self.scope = low, scope
        self.expression: Expression = low.expression
        self.groups = groups(self.expression)
        outermost = self.groups[0] if self.groups else None
        # Of the outermost operator: inner ones are complete wherever it combines something.
        self.operator: Operator | None = outermost.operator if outermost else None
        self.collapsed = outermost.names if outermost and not outermost.scan else ()
        self.scan = outermost.names[0] if outermost and outermost.scan else None
        dims = self.expression.md_hom.dims
        for number in self.expression.indirect:
            scope.indirect[number.name] = number, self.expression.indirect_depends(number)
            scope.natural.discard(number.name)
            if never_negative(number.function, scope.natural.union(d.name for d in dims), [d.extent for d in dims]):
                scope.natural.add(number.name)
        scope.shapes |= {b.name: b.shape for b in self.expression.buffers}
        inside = {name for group in self.groups for name in group.names}
        self.collapsing = [d for d in self.expression.md_hom.dims if d.name in inside]
        # What may be read at points that take no part is read there, too: neighbours share it, in whole vectors.
        e, calls = self.expression, bool(self.expression.procedures)
        free = [not calls and inside_everywhere(e, access) for access in e.inp_view]
        self.read_under = tuple(() if anywhere else e.md_hom.guard for anywhere in free)
        self.ragged = {d.name: d for d in self.expression.ragged}
        self.parts = tuple(p for p in low.parts if p.way in ("core", "loop"))
        self.counts = {d.name: 1 for d in self.expression.md_hom.dims}
        self.lanes = dict(self.counts)
        for part in low.parts:
            if part.layer == "L1":
                self.counts[part.dim] = part.size
        for part in low.parts:
            if part.way == "lane":
                self.lanes[part.dim] = next((p.size for p in low.parts if p.dim == part.dim and p.way == "unroll"),
                                            self.counts[part.dim])  # fmt: skip
        self.inner = low.results_end
        # Long loops over blocks in caches: results, which come from memory, are prefetched before.
        self.blocked = bool(low.copies) and self.scan is None
        # What has to hold before results are written, where subscripts are otherwise looked at where they are used.
        self.conditions: Callable[[list[Statement]], list[Statement]] | None = None
        self.begins: dict[str, Value] = {}  # of ranges, outside of all loops
        self.in_block = False  # of an arg-extremum, whose scores have been looked at

    def begin(self, ranges: Mapping[str, Range]) -> NestPosition:
        """Outside of all loops over `ranges`."""
        e = self.expression
        operator = next((c.operator for c in e.md_hom.combine if isinstance(c, Scatter)), None)
        scatter = None if operator is None else ScatterUpdate(operator, e.scattered)
        self.begins = {name: low for name, (low, _) in ranges.items()}
        return NestPosition(ranges, {}, {}, Destination(e.out_view, e.finish, self.low.streaming, scatter, ranges))

    @property
    def holds_back(self) -> bool:
        """Whether nothing is written before everything is computed: results wait, or are made in copies."""
        e, numbers = self.expression, {n.name for n in self.expression.indirect}
        if any(stage.at == -1 for stage in self.low.stages):
            written = (*e.out_view, *(e.finish.inp_view if e.finish is not None else ()))
            return len(self.groups) < 2 and not any(numbers.intersection(i.names) for a in written for i in a.index)
        first = self.parts[0] if self.parts else None
        return first is not None and first.way == "core" and first.dim in e.scattered

    @property
    def innermost_loop(self) -> str | None:
        """The dimension of the innermost loop with more than one tile."""
        extents = {d.name: d.extent for d in self.expression.md_hom.dims}
        loops = [p.dim for p in self.parts if p.way == "loop" and extents[p.dim] != Affine((), self.counts[p.dim])]
        return loops[-1] if loops else None

    def in_remainder(self, state: NestPosition) -> bool:
        """Whether the tile at hand is smaller than the others in some dimension."""
        return any(
            (t.end is not None and t.count == 1) or t.count * t.lanes < self.counts[d] for d, t in state.tile.items()
        )

    def is_widest(self, state: NestPosition) -> bool:
        """Whether the tile at hand has as many vectors along the lanes as any."""
        return all(t.count * t.lanes >= self.counts[d] for d, t in state.tile.items() if t.lanes > 1)

    def flag(self, state: NestPosition, side: int, out: list[Statement]) -> Value:
        """Whether the ranges at `state` are the first (0) or last (1) part of all carried dimensions."""
        flag: Value | None = None
        for dim in self.carried:
            here, whole = state.ranges[dim][side], state.to.origin[dim][side]
            flag = both(flag, compare("le" if side == 0 else "ge", here, whole))
        assert flag is not None
        name = self.scope.name("first" if side == 0 else "last", bool_)
        out.append(Let(name, flag))
        return name

    def peels_to_alignment(self, dim: str, state: NestPosition) -> bool:
        """Whether full tiles must begin where results are aligned: streaming stores need that."""
        lanes = self.lanes[dim]
        if not state.to.streaming or lanes == 1 or dim in self.collapsed or state.packed or self.low.copies:
            return False
        if any(a.buffer in self.scope.layouts for a in self.expression.inp_view):
            return False
        access = state.to.out_view[0]
        axes = [axis for axis, index in enumerate(access.index) if index.coefficient(dim)]
        return len(axes) == 1 and self.scope.strides[access.buffer][axes[0]] == integer(1)

    @property
    def carried(self) -> tuple[str, ...]:
        """Collapsed dimensions with a loop outside one of a remaining dimension: partial results go to memory."""
        return tuple({p.dim: None for p in self.parts[: self.inner] if p.way == "loop" and p.dim in self.collapsed})


def allocated(buffers: Buffers, body: list[Statement], region: str = "MM") -> list[Statement]:
    """`body` with `buffers` in `region` around it."""
    for buffer, type, count in buffers:
        body = [Scratch(buffer, type, count, tuple(body), region)]
    return body


def unless_failed(scope: Scope, steps: list[Statement]) -> list[Statement]:
    """`steps`, where no subscript that was looked at when it was used has been out of bounds."""
    return [If(negated(Failed()), tuple(steps))] if scope.in_use else steps


def state_types(nest: NestFacts) -> tuple[ScalarType, ...]:
    """Types of the components of a partial result."""
    if nest.operator is not None:
        return nest.operator.types
    return nest.expression.md_hom.function.result_types


@dataclass(frozen=True, slots=True)
class Partial:
    """Where results wait. buffers: one access per component of the state.

    again: the finish itself takes in what the output holds (`w[i] += …`), so it is applied after every part and
    nothing has to wait.
    """

    buffers: tuple[Access, ...]
    again: bool = False

    @staticmethod
    def plan(
        nest: NestFacts, remaining: Sequence[str], state: NestPosition
    ) -> tuple[Partial, list[Statement], list[tuple[str, ScalarType, Value]]]:
        """The kind of partial result, statements before, and buffers to allocate: (name, type, count)."""
        assert nest.operator is not None
        scope, types, to, ranges = nest.scope, nest.operator.types, state.to, state.ranges
        if to.finish is not None and accumulates(nest.operator, to.finish, to.out_view):
            return Partial((), again=True), [], []
        outputs = [scope.types[a.buffer] for a in to.out_view]
        e = nest.expression
        some = any(set(g.names).isdisjoint(e.collapsed) for g in e.md_hom.guard)  # of the results are written
        if to.finish is None and list(types) == outputs and not some and not any(a.guard for a in to.out_view):
            return Partial(to.out_view), [], []
        before: list[Statement] = []
        accesses, scratch = waiting(scope, types, {name: ranges[name] for name in remaining}, before, "partial")
        return Partial(accesses), before, scratch


def waiting(
    scope: Scope, types: Sequence[ScalarType], ranges: Mapping[str, Range], before: list[Statement], hint: str
) -> tuple[tuple[Access, ...], Buffers]:
    """Buffers for states with components of these types at each point of `ranges`, and how they are accessed.

    Sizes go to `before`.
    """
    strides: list[Value] = []
    size: Value = integer(1)
    for name, (begin, end) in reversed(list(ranges.items())):
        strides.insert(0, size)
        size = multiply(size, subtract(end, begin))
        if not isinstance(size, (Literal, Name)):
            size = scope.named(f"{name}_span", size, before)
    accesses, scratch = [], []
    for type in types:
        buffer = scope.fresh(hint)
        scope.strides[buffer], scope.types[buffer] = tuple(strides), type
        index = []
        for name in ranges:
            low = f"{buffer}.low[{name}]"
            scope.sizes[low] = ranges[name][0]
            index.append(Affine.of(name) - Affine.of(low))
        accesses.append(Access(buffer, tuple(index)))
        scratch.append((buffer, type, size))
    return tuple(accesses), scratch


def accumulates(operator: Operator, finish: Finish, out_view: tuple[Access, ...]) -> bool:
    """Whether finish is `out := out ⊕ state`: then it may be applied part by part.

    >>> # w[i] += M[i, k] * v[k]:  finish (state, w) ↦ w + state, reading w[i], writing w[i]
    """
    n = operator.arity
    function = finish.function
    if len(finish.inp_view) != n or tuple(finish.inp_view) != tuple(out_view[:n]) or len(out_view) != n:
        return False
    if function.bindings or operator.function.bindings:
        return False
    old = function.parameters[n:]
    state = function.parameters[:n]
    return function.results == _applied(operator, old, state) or (
        operator.commutative and function.results == _applied(operator, state, old)
    )


def _applied(operator: Operator, left: Sequence[Variable], right: Sequence[Variable]) -> tuple[Scalar, ...]:
    names = {p.name: v for p, v in zip(operator.function.parameters, (*left, *right))}

    def rec(node: Scalar) -> Scalar:
        if isinstance(node, Variable):
            return names[node.name]
        if isinstance(node, Operation):
            return Operation(node.op, tuple(rec(o) for o in node.operands), node.type)
        return node

    return tuple(rec(r) for r in operator.function.results)
