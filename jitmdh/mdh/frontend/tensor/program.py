"""Formulas → algebra: each sum is a multi-dimensional homomorphism, what is done at each point beside it its `finish`.

`Q["kp"] <= Q["kp"] + total(add, "l", K["kl"] * I["lp"])` is

    out_view( Q : (k, p, l) ↦ (k, p) ) ∘
    finish( (state, x0) ↦ x0 + state, Q : (k, p, l) ↦ (k, p) ) ∘
    md_hom[56, 9, 56]( (x0, x1) ↦ x0 * x1, (++, ++, •(add)) ) ∘
    inp_view( K : (k, p, l) ↦ (k, l), I : (k, p, l) ↦ (l, p) )

Sums inside of others are temporaries. Constants and masks of known zeros are further arguments of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from itertools import count

import numpy as np

from jitmdh.base.dtype import ScalarType, bool_, from_numpy
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import CombineOperator, PointWise, cc
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Buffer,
    Check,
    Dim,
    Expression,
    Finish,
    MdHom,
    Parameter,
    Program,
    ScalarParameter,
)
from jitmdh.mdh.algebra.index import Affine, as_affine, shape_name
from jitmdh.mdh.algebra.rewrites.neighbours.positions import Box, boxes
from jitmdh.mdh.algebra.rewrites.unread_writes import without_unread
from jitmdh.mdh.algebra.scalar import Constant, Operation, Variable
from jitmdh.mdh.algebra.scalar import Scalar as ScalarNode
from jitmdh.mdh.frontend.einsum.programs import combine_operator
from jitmdh.mdh.frontend.symbolic.values import convert, straight_line
from jitmdh.mdh.frontend.tensor.along_rows import along_rows
from jitmdh.mdh.frontend.tensor.check import Checked, Statement
from jitmdh.mdh.frontend.tensor.contractions import Folded, ordered
from jitmdh.mdh.frontend.tensor.known_zeros import pattern
from jitmdh.mdh.frontend.tensor.masks import (
    Ranges,
    masked,
    masks_in,
    pieces,
    rows_of,
    spans,
)
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Array,
    Element,
    Expr,
    Scalar,
    Tensor,
    Total,
    children,
    elements,
    free,
)
from jitmdh.mdh.frontend.tensor.notation.sizes import Size
from jitmdh.mdh.frontend.tensor.operands import Operands, in_boxes
from jitmdh.mdh.frontend.tensor.placement.compressed_rows import over_compressed_rows
from jitmdh.mdh.frontend.tensor.placement.index_places import IndexPlaces
from jitmdh.mdh.frontend.tensor.placement.stored import stored
from jitmdh.mdh.frontend.tensor.scalar_functions import KnownTypes, Leaf, scalar
from jitmdh.mdh.frontend.tensor.summation import main_total, totals_in
from jitmdh.mdh.frontend.tensor.written_out import (
    Point,
    Rows,
    WrittenOut,
    written_in_box,
    written_out,
    written_out_in,
)
from jitmdh.mdh.tensor.least_work import Tree
from jitmdh.mdh.tensor.pattern import Pattern
from jitmdh.mdh.tensor.vectors import ANY, Vectors

_MOST_BOXES = 8  # of what is written of a result, each a nest of its own

Needed = tuple[tuple[str, ...], Pattern]
"""Indices, and where over these something is read."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """The program of some statements. Its parameters are `tensors`, then `scalars`, then `constants` by name.

    zeros: whether factors of its products have known zeros; operands: for each tensor of which sums leave these out,
    how (one of `operands.VALUES`).
    """

    program: Program
    tensors: tuple[Tensor, ...]
    scalars: tuple[Scalar, ...]
    constants: dict[str, Array]
    trees: tuple[tuple[Tree, tuple[Expr, ...]], ...]
    zeros: bool
    operands: Mapping[str, str]


def lower(
    checked: Checked, name: str, for_batches: bool = False, said: Mapping[str, str] | None = None,
    vectors: Vectors = ANY,
) -> Lowered:  # fmt: skip
    """The statements as a program over the tensors' arrays, one step for each sum and assignment. for_batches: lanes of
    vectors are going to be elements of a batch, so that there is nothing to be gained by others. said: for
    names of tensors how their known zeros are left out, see `operands`. vectors: those of the processor."""
    builder = _TensorProgram(checked, for_batches, said or {}, vectors)
    for statement in checked.statements:
        builder.statement(statement)
    tensors = given(checked)
    storages = {t.name: t.layout for t in checked.tensors if t.layout is not None}
    begun = {s.target.tensor.name: s.covers for s in reversed(checked.statements)}  # whether all is written at once
    temporaries = tuple(
        Allocation(
            t.name, t.type, tuple(map(builder.extent, t.stored.shape)),
            None if begun.get(t.name) else Constant(_zero(t.type), t.type),
        )
        for t in checked.tensors
        if t.temporary
    )  # fmt: skip
    found, rows = over_compressed_rows(builder.steps, builder.operands.in_loops, builder.constants, builder.new)
    builder.operands.compressed(rows)
    steps = without_unread(found, (*temporaries, *builder.allocations))
    read_first = {t.name for t in checked.inputs} | {name for name, whole in begun.items() if not whole}
    placed = stored(steps, storages, builder.types, read_first, builder.new)
    read = {b.name for e in placed.steps for b in e.buffers}
    packed = {n: storages[n].pack(a) if n in storages else a for n, a in builder.constants.items()}
    held = {n: a for n, a in (packed | placed.tables).items() if n in read}
    arrays = [(t.name, t.type, t.shape) for t in tensors]
    constants = [(n, from_numpy(a.dtype), a.shape) for n, a in held.items()]
    parameters: tuple[Parameter, ...] = (
        *(ArrayParameter(n, type, len(shape)) for n, type, shape in arrays),
        *(ScalarParameter(s.name, s.type) for s in checked.scalars),
        *(ArrayParameter(n, type, len(shape)) for n, type, shape in constants),
    )
    checks = tuple(c for n, _, shape in (*arrays, *constants) for c in _shape_checks(builder, n, shape))
    allocations = (*temporaries, *builder.allocations, *placed.allocations)
    program = Program(name, parameters, (), allocations, checks, placed.steps)
    return Lowered(program, tensors, checked.scalars, held, tuple(builder.trees), bool(builder.operands),
                   builder.operands.found)  # fmt: skip


def _depth(value: ScalarNode) -> int:
    """How deep operations are nested."""
    return 1 + max(map(_depth, value.operands), default=0) if isinstance(value, Operation) else 0


def _joined(left: ScalarNode | None, right: ScalarNode | None) -> ScalarNode | None:
    if left is None or right is None:
        return left or right
    return Operation("accumulate" if right.type.kind == "f" else "add", (left, right), right.type)


def _zero(type: ScalarType) -> bool | int | float | complex:
    return {"b": False, "f": 0.0, "c": 0j}.get(type.kind, 0)


def given(checked: Checked) -> tuple[Tensor, ...]:
    """The tensors that come with each call, as they are stored."""
    return tuple(t.stored for t in checked.tensors if t.values is None and not t.temporary)


def _shape_checks(builder: _TensorProgram, name: str, shape: tuple[int, ...]) -> list[Check]:
    """The array has the shape that the code is for."""
    found = []
    for axis, extent in enumerate(shape):
        off = Affine.of(shape_name(name, axis)) - builder.extent(extent)
        text = f"{name} does not have extent {builder.extent(extent)} on axis {axis}"
        found += [Check(v, "shape", text) for v in (off, -off)] if off != as_affine(0) else []
    return found


def _symbols(checked: Checked) -> dict[str, Affine]:
    """For sizes that come with the call where the program reads them: so it is the same for all extents of theirs.

    Without those of tensors with known zeros, which are written out for one extent.
    """
    known = {s.name for t in checked.tensors if t.pattern is not None for s in t.sizes}
    found: dict[str, Affine] = {}
    for tensor in given(checked):
        for axis, extent in enumerate(tensor.shape):
            if isinstance(extent, Size) and extent.name not in known:
                found.setdefault(extent.name, Affine.of(shape_name(tensor.name, axis)))
    return found


@dataclass(slots=True)
class _Point:
    """What one point reads: a parameter for each access, in the order of first use.

    leaves: what elements and sums are where some of their indices have numbers: terms of many sums read them.
    """

    prefix: str
    known: dict[Access, Variable] = field(default_factory=dict)
    leaves: dict[tuple[int, tuple[int | None, ...]], ScalarNode] = field(default_factory=dict)

    @property
    def accesses(self) -> tuple[Access, ...]:
        return tuple(self.known)

    @property
    def parameters(self) -> tuple[Variable, ...]:
        return tuple(self.known.values())

    def read(self, access: Access, type: ScalarType) -> Variable:
        if access not in self.known:
            self.known[access] = Variable(f"{self.prefix}{len(self.known)}", type)
        return self.known[access]


class _TensorProgram:
    def __init__(self, checked: Checked, for_batches: bool, said: Mapping[str, str], vectors: Vectors) -> None:
        self.for_batches, self.vectors = for_batches, vectors
        self.taken = {t.name for t in checked.tensors} | {s.name for s in checked.scalars}
        self.steps: list[Expression] = []
        self.allocations: list[Allocation] = []
        self.constants: dict[str, Array] = {}
        self.types: dict[str, ScalarType] = {}
        self.shapes: dict[str, tuple[Affine, ...]] = {}
        self.operands = Operands(said, self.new)
        self.folded, self.types_of = Folded(self.new), KnownTypes()
        self.trees: list[tuple[Tree, tuple[Expr, ...]]] = []
        self.at = IndexPlaces(self.taken)
        self.symbols = _symbols(checked)
        self.rows: dict[int, Rows] = {}  # the totals of the assignment at hand that are written out
        self.computed: dict[int, tuple[str, tuple[str, ...]]] = {}  # arrays of its other totals, and their axes
        self.typed: dict[int, tuple[ScalarType, tuple[str, ...], Pattern]] = {}  # of these, with what `_rows` says
        self.free: dict[int, tuple[Expr, tuple[str, ...]]] = {}  # indices of parts of formulas
        for tensor in checked.tensors:
            self.types[tensor.name] = tensor.type
            own = tuple(map(self.extent, tensor.shape))
            self.shapes[tensor.name] = own if tensor.temporary else _own_shape(tensor.name, tensor.rank)
        for number in checked.scalars:
            self.types[number.name], self.shapes[number.name] = number.type, ()

    def extent(self, extent: int) -> Affine:
        """An extent as the program has it."""
        if isinstance(extent, Size) and extent.name in self.symbols:
            return self.symbols[extent.name]
        return as_affine(extent)

    # ------------------------------------------------------------------------------------------ statements

    def statement(self, statement: Statement) -> None:
        """The steps of one assignment."""
        work = ordered(statement.value, statement.extents, self.folded)
        self.trees += work.trees
        self.at.extents, self.computed, self.typed = work.extents, {}, {}
        target, value = statement.target, masked(work.value, work.extents, self.operands.mask)
        names = free(target)
        zeros = _written(target, work.extents)
        parts: list[Box] | None = [()] if zeros.is_dense else boxes(zeros.mask, _MOST_BOXES)
        if _reads_first(value, target) or (parts is None and self.types_of(value) != target.tensor.type):
            copy, at = self._temporary(target.tensor.type, names), tuple(map(Affine.of, names))
            self._nest(copy, value, names, Access(copy, self.at.axes(at)))
            shape = tuple(work.extents[n] for n in names)
            value = Element(Tensor(copy, shape, target.tensor.type, temporary=True), at)
        if parts is None:  # too many: a choice at each point
            known = Element(self.operands.mask(zeros), tuple(map(Affine.of, names)))
            value, parts = Apply("where", (known, value, target)), [tuple(slice(*part) for part in zeros.box)]
        for part in parts:
            needed = None if zeros.is_dense else _inside(zeros, names, part)
            self.at.ranges = {} if needed is None else _box(needed, self.at.extents)
            out = Access(target.tensor.name, self.at.axes(target.subscripts))
            self._nest(target.tensor.name, value, names, out, needed)
        self.at.ranges = {}

    # ------------------------------------------------------------------------------------------ expressions

    def _nest(
        self, name: str, value: Expr, names: Sequence[str], out: Access, needed: Needed | None = None
    ) -> None:  # fmt: skip
        """`value` at all points of `names`, or where it is needed, written to `out`."""
        length = None if self.for_batches else self.at.count
        sums = written_out(totals_in(value), names, self.at.extents, length, self.operands.said, self.vectors)
        around, self.at.order, order_around = self.at.ranges, names, self.at.order
        computed = [self._rows(t) for t in totals_in(value) if sums is None or id(t) not in sums.rows]
        masks = [*masks_in(value), *((over, rows.mask) for over, rows in computed if not rows.is_dense)]
        for piece in pieces(masks, [n for n in names if sums is None or n not in sums.names], self.at.range):
            self.at.ranges = around | piece
            if sums is None:
                main = main_total(value, names, self.at.extents)
                for box in in_boxes(main, names, self.at.range, self.operands, self.vectors):
                    self.at.ranges = around | piece | {n: part for n, part in box.items() if n in names}
                    own = (
                        written_in_box(totals_in(value), names, self.at.range)
                        if self.at.ranges.keys() & {*box}
                        else None
                    )
                    if own is not None and not self.for_batches:
                        self._results(name, value, names, self._part(out, names, around), own, ({},), needed)
                        continue
                    self.at.ranges = around | piece | box
                    self._sum(name, value, names, self._part(out, names, around))
            else:
                self.operands.unrolled(row.masks for row in sums.rows.values())
                held = None if self.for_batches else sum(a.nbytes for a in self.constants.values())
                anywhere = partial(_anywhere, needed)
                for box, own, share in along_rows(sums, names, self.at.range, anywhere, self.new, held, self.vectors):
                    self.at.ranges = around | piece | box
                    self._results(name, value, names, self._part(out, names, around), own, share, needed)
            self.at.ranges = around
        self.at.order = order_around

    def _part(self, out: Access, names: Sequence[str], around: Ranges) -> Access:
        """`out`, which is about indices that run `around`, for the ranges that they have now."""
        moved = [n for n in names if n in self.at.ranges]
        begun = {self.at.dim(n): self.at.index(n) - around.get(n, (0, 0))[0] for n in moved}
        return Access(out.buffer, tuple(a.substitute(begun) for a in out.index))

    def _sum(self, name: str, value: Expr, names: Sequence[str], out: Access) -> None:
        """`value`, of whose sums one at most is computed here, and none is written out."""
        main = main_total(value, names, self.at.extents)
        point = _Point("x")
        type = self.types[out.buffer]
        if main is None:
            result = _as(self._at_point(value, point), type)
            function = straight_line(point.parameters, (result,))
            self._expression(name, names, (), point, MdHom((), function, ()), None, out)
            return
        body = self._at_point(main.body, point)
        body = _absent(convert(body, body.type.concrete.accumulator), main.operator)
        inner = straight_line(point.parameters, (body,))
        operator = combine_operator(main.operator, body.type)
        after = _Point("y")
        state = Variable("state", body.type)
        begun: ScalarNode = state
        if operator.name == "add" and body.type.kind in "fc":
            begun = Operation("add", (Constant(_zero(body.type), body.type), state), body.type)
        result = _as(self._at_point(value, after, main, begun), type)
        finish = None
        if result is not state:
            outer = straight_line((state, *after.parameters), (result,))
            finish = Finish(after.accesses, outer)
        combine: tuple[CombineOperator, ...] = tuple(PointWise(operator) for _ in main.names)
        self._expression(name, names, main.names, point, MdHom((), inner, combine), finish, out)

    def _results(
        self, name: str, value: Expr, names: Sequence[str], out: Access, sums: WrittenOut, share: Sequence[Point],
        needed: Needed | None,
    ) -> None:  # fmt: skip
        """`value` with some of its sums written out: one expression with a result for each of some points."""
        point, type = _Point("x"), self.types[out.buffer]
        outer, self.rows = self.rows, {**self.rows, **sums.rows}
        results: list[ScalarNode] = []
        outs: list[Access] = []
        for at in share:
            if not _anywhere(needed, at):
                continue
            self.at.fixed = at
            results.append(_as(self._at_point(value, point), type))
            row = {self.at.dim(n): number - self.at.ranges.get(n, (0, 0))[0] for n, number in at.items()}
            outs.append(Access(out.buffer, tuple(a.substitute(row) for a in out.index)))
        self.at.fixed, self.rows = {}, outer
        left = [n for n in names if n not in sums.names]
        if sums.shares == (share,) and len(results) == len(share) and _same_constant(results):  # at all points, in rows
            whole = MdHom((), straight_line((), results[:1]), ())
            self._expression(name, names, (), _Point("x"), whole, None, out)
        elif results:
            whole = MdHom((), straight_line(point.parameters, results), ())
            self._expression(name, left, (), point, whole, None, *outs)

    def _terms(self, rows: Rows, point: _Point, sum: ScalarNode | None = None) -> ScalarNode:
        """A sum that is written out, at the numbers that its indices have. sum: what its terms are added to.

        Of a long one some terms are added up, then the next, and then these sums: no code nests without limit.
        """
        fixed, count = self.at.fixed, 0
        before, sum = (sum, None) if sum is not None and _depth(sum) >= rows.deepest else (None, sum)
        for term in rows.terms(fixed):
            self.at.fixed = {**fixed, **term}
            value = _absent(self._at_point(rows.body_at(term), point), "add")
            if isinstance(value, Constant) and value.value == 0:
                continue
            if count == rows.most_nested:
                before, sum, count = _joined(before, sum), None, 0
            start = Constant(_zero(value.type), value.type) if sum is None else sum
            sum = Operation("accumulate" if value.type.kind == "f" else "add", (start, value), value.type)
            count += 1
        self.at.fixed = fixed
        sum = _joined(before, sum)
        return Constant(_zero(rows.type), rows.type) if sum is None else sum

    def _expression(
        self, name: str, names: Sequence[str], summed: Sequence[str], point: _Point, md_hom: MdHom,
        finish: Finish | None, *outs: Access,
    ) -> None:  # fmt: skip
        """Adds the step that computes `md_hom.function` over `names` and `summed`."""
        dims = tuple(Dim(self.at.dim(n), self._length(n)) for n in (*names, *summed))
        combine = ((cc,) * len(names)) + md_hom.combine
        reads = (*point.accesses, *(finish.inp_view if finish is not None else ()))
        used = dict.fromkeys([*(a.buffer for a in reads), *(a.buffer for a in outs)])
        buffers = tuple(Buffer(b, self.types[b], self.shapes[b]) for b in used)
        whole = MdHom(dims, md_hom.function, combine)
        self.steps.append(Expression(name, buffers, point.accesses, whole, finish, outs))

    # ------------------------------------------------------------------------------------------ one point

    def _at_point(
        self, value: Expr, point: _Point, main: Total | None = None, state: ScalarNode | None = None
    ) -> ScalarNode:
        """`value` as a scalar of what `point` reads. main: a total that is there already, as `state`."""
        if (sums := written_out_in(value, self.rows, self.types_of)) is not None:
            rest, rows = sums
            found = None
            for term in rest:
                own = self._at_point(term, point, main, state)
                found = own if found is None else Operation("add", (found, own), own.type)
            for sum in rows:
                found = self._terms(sum, point, found)
            assert found is not None
            return found

        def leaf(node: Leaf) -> ScalarNode:
            if node is main and state is not None:
                return state
            if isinstance(node, Total) and (rows := self.rows.get(id(node))) is not None:
                return self._terms(rows, point)
            fixed = self.at.fixed
            key = id(node), tuple([fixed.get(n) for n in self._indices(node)])
            found = point.leaves.get(key)
            if found is None:
                found = point.leaves[key] = self._leaf(node, point)
            return found

        return scalar(value, leaf, self.types_of)

    def _indices(self, node: Leaf) -> tuple[str, ...]:
        """`free`, of the formula at hand."""
        if id(node) not in self.free:
            self.free[id(node)] = node, free(node)  # the node is kept: so its id is no other's
        return self.free[id(node)][1]

    def _leaf(self, node: Leaf, point: _Point) -> ScalarNode:
        """What is read for a part of a formula, where its indices are; a number, if that is known."""
        match node:
            case Element(tensor, subscripts):
                if tensor.values is not None and subscripts and tensor.storage is None:
                    part = tensor.values.array[spans(subscripts, self.at.range)]
                    if part.size == 1 or (tensor.type == bool_ and part.size and part.min() == part.max()):
                        return Constant(part.flat[0].item(), tensor.type)
                self._declare(tensor)
                return point.read(Access(tensor.name, self.at.axes(subscripts)), tensor.type)
            case Scalar():
                return point.read(Access(node.name, ()), node.type)
            case Total():
                return self._temporary_of(node, point)

    def _declare(self, constant: Tensor) -> None:
        """A tensor whose numbers are known, as a further argument."""
        if constant.values is None:
            return
        self.types[constant.name] = constant.type
        self.shapes[constant.name] = _own_shape(constant.name, constant.rank)
        self.constants[constant.name] = constant.values.array

    def _temporary_of(self, total: Total, point: _Point) -> ScalarNode:
        """A total inside of something else: computed before, in an array of its own."""
        if id(total) not in self.typed:
            self.typed[id(total)] = (self.types_of(total).concrete, *self._rows(total))
        type, names, rows = self.typed[id(total)]
        needed = total.needed or (names, rows)
        part = None if rows.is_dense else rows.mask[spans([*map(Affine.of, names)], self.at.range)]
        if part is not None and part.size and not part.any():
            return Constant(_zero(type), type)
        if id(total) not in self.computed:
            axes = _axes(names, self.at.fixed, self.at.order)
            outside = self.at.fixed, self.at.ranges
            self.at.fixed, self.at.ranges = {}, _box(needed, self.at.extents)
            access = Access(self._temporary(type, axes), tuple(map(self.at.index, axes)))
            self._nest(access.buffer, total, names, access, needed)
            self.computed[id(total)] = access.buffer, tuple(axes)
            self.at.fixed, self.at.ranges = outside
        buffer, stored = self.computed[id(total)]
        value = point.read(Access(buffer, tuple(map(self.at.index, stored))), type)
        if part is None or part.all():
            return value
        known = self._at_point(Element(self.operands.mask(rows), tuple(map(Affine.of, names))), point)
        return Operation("select", (known, value, Constant(_zero(type), type)), type)

    def _rows(self, total: Total) -> Needed:
        """Where a total that is read everywhere may be other than zero, if that depends on one index; else everywhere.

        Elsewhere it is neither computed nor stored.
        """
        names = free(total)
        if total.needed is None and total.operator == "add":
            found = pattern(total, self.at.extents)
            if not found.is_dense and rows_of(names, found.mask) is not None:
                return names, found
        return names, Pattern.dense(tuple(self.at.extents[n] for n in names))

    def _temporary(self, type: ScalarType, names: Sequence[str]) -> str:
        name = self.new("t")
        shape = tuple(self.extent(self.at.extents[n]) for n in names)
        self.allocations.append(Allocation(name, type, shape))
        self.types[name], self.shapes[name] = type, shape
        return name

    def new(self, prefix: str) -> str:
        """A name that nothing has."""
        self.taken.add(name := next(n for n in (f"{prefix}{k}" for k in count()) if n not in self.taken))
        return name

    def _length(self, name: str) -> Affine:
        """How many values an index takes in the nest at hand."""
        is_part = name in self.at.ranges
        return as_affine(self.at.count(name)) if is_part else self.extent(self.at.extents[name])


def _written(target: Element, extents: Mapping[str, int]) -> Pattern:
    """Where a target is written, over its indices: of what comes with the call not its known zeros, which are there
    before, unless it is stored without them."""
    tensor, layout = target.tensor, target.tensor.layout
    if tensor.temporary or (layout is not None and (layout.is_list or not layout.pattern.count)):
        return Pattern.dense(tuple(extents[n] for n in free(target)))
    return pattern(target, extents)


def _inside(zeros: Pattern, names: Sequence[str], part: Box) -> Needed:
    """What of `zeros` is in a part."""
    mask = np.zeros(zeros.shape, bool)
    mask[part] = zeros.mask[part]
    return tuple(names), Pattern(mask)


def _box(needed: Needed, extents: Mapping[str, int]) -> Ranges:
    """The part of each index over which something is needed, where that is not all of it."""
    names, pattern = needed
    return {n: part for n, part in zip(names, pattern.box) if part != (0, extents[n])}


def _anywhere(needed: Needed | None, at: Mapping[str, int]) -> bool:
    """Whether something is needed where some indices have these numbers."""
    if needed is None or needed[1].is_dense:
        return True
    return bool(needed[1].mask[tuple(at.get(n, slice(None)) for n in needed[0])].any())


def _axes(names: Sequence[str], fixed: Mapping[str, int], order: Sequence[str]) -> list[str]:
    """Of a temporary over `names`: what its reader loops over is innermost, in the order of its results: its lanes are
    neighbours in memory."""
    left = [n for n in names if n not in fixed]
    left.sort(key=order.index if {*left} <= {*order} else lambda _: 0)
    return [*(n for n in names if n in fixed), *left]


def _own_shape(name: str, rank: int) -> tuple[Affine, ...]:
    return tuple(Affine.of(shape_name(name, axis)) for axis in range(rank))


def _as(value: ScalarNode, type: ScalarType) -> ScalarNode:
    return convert(value, type)


def _absent(term: ScalarNode, operator: object) -> ScalarNode:
    """A term of a sum that begins from 0: instead of 0 it is -0.0, which changes no sum, where it is absent."""
    match term:
        case Operation("select", (known, value, Constant(0.0))) if operator == "add" and term.type.kind == "f":
            return Operation("select", (known, value, Constant(-0.0, term.type)), term.type)
    return term


def _same_constant(results: Sequence[ScalarNode]) -> bool:
    """Whether all of them are one number."""
    return bool(results) and isinstance(results[0], Constant) and all(r == results[0] for r in results)


def _reads_first(value: Expr, target: Element) -> bool:
    """Whether elements of the target are read at other points than those that write them: a copy is needed. Also where
    a sum reads them: it may be computed when parts of the target are written already."""
    same = [e.subscripts == target.subscripts for e in _at_each_point(value) if e.tensor == target.tensor]
    return not all(same) or any(e.tensor == target.tensor for e in elements([t.body for t in totals_in(value)]))


def _at_each_point(value: Expr) -> list[Element]:
    """The elements in a formula that are in no total."""
    if isinstance(value, Total):
        return []
    return [value] if isinstance(value, Element) else [e for c in children(value) for e in _at_each_point(c)]
