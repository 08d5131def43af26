"""The scalar phase: `f` on all points of one register tile, as straight-line code.

A tile takes `count` steps along each dimension, unrolled, and `lanes` points per step along at most one. Reads that
several points share become one load: the rows of a stencil stay in registers because of that, and the operands of a
matrix product are loaded once per tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from jitmdh.base.dtype import ScalarType, bool_, int64, uint64
from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.expr import Access, Indirect, index_values
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.codegen.context.interleaved import Interleaved
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim
from jitmdh.mdh.codegen.microkernel.prefetch import lines_first_read, one_per_line
from jitmdh.mdh.kernel.ir import (
    FIRST_FAULT,
    Apply,
    Assign,
    Declare,
    Fail,
    If,
    Iota,
    Let,
    Literal,
    Load,
    Name,
    Prefetch,
    Statement,
    Store,
    Value,
    add,
    both,
    compare,
    integer,
    multiply,
    spread,
    subtract,
)  # fmt: skip

# Status of a kernel by what went wrong; 2 is for memory, 16 and more for data; from FIRST_FAULT on, faults by number.
DIVISION_BY_ZERO, NEGATIVE_POWER, OUT_OF_RANGE = 1, 3, 4

# Where a value has no meaning, by status.
Faults = tuple[tuple[int, Value], ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A value, and where it has no meaning (a division by zero), None: nowhere."""

    value: Value
    faults: Faults = ()


@dataclass(slots=True)
class MicroKernelBuilder:
    """Writes the code of one tile to `out`. ahead: numbers of accesses that memory is asked for ahead; walked: the
    dimension of the innermost loop over tiles."""

    scope: Scope
    dims: Mapping[str, TileDim]
    packed: Mapping[int, Packed]
    out: list[Statement]
    relaxed: bool = False
    prefetched: frozenset[int] = frozenset()
    innermost_loop: str | None = None
    _prefetched: dict[object, tuple[Access, list[tuple[int, ...]]]] = field(default_factory=dict)
    _loads: dict[object, Value] = field(default_factory=dict)
    _single: list[object] = field(default_factory=list)
    _bases: dict[object, Value] = field(default_factory=dict)
    _mask: Value | None = None
    lane_dim: str | None = field(init=False)

    def __post_init__(self) -> None:
        self.lane_dim = next((name for name, d in self.dims.items() if d.lanes > 1), None)

    def points(self, names: Sequence[str]) -> list[dict[str, int]]:
        """Offsets of all steps along `names`, last dimension fastest."""
        ranges = [range(0, self.dims[n].count * self.dims[n].lanes, self.dims[n].lanes) for n in names]
        return [dict(zip(names, offsets)) for offsets in product(*ranges)]

    def values(self) -> dict[str, Value]:
        return {name: d.base for name, d in self.dims.items()}

    def lane_mask(self, point: Point) -> Value | None:
        """Which lanes are inside the range of the lane dimension; None: all."""
        name = self.lane_dim
        if name is None or self.dims[name].end is None:
            return None
        if self._mask is None:
            dim = self.dims[name]
            assert dim.count == 1 and dim.end is not None
            count = Apply("sub", (dim.end, dim.base), dim.base.type)
            self._mask = self._let("mask", Apply("first_lanes", (count,), bool_, dim.lanes))
        return self._mask

    def guard_mask(self, guard: tuple[Affine, ...], point: Point) -> Value | None:
        """Conjunction of `expression ≥ 0` at `point`."""
        mask: Value | None = None
        for expression in guard:
            key = ("guard", expression, tuple(sorted(point.items())))
            if key not in self._loads:
                value = self.index_value(expression, point)
                zero = spread(integer(0), value.lanes)
                self._loads[key] = self._let("inside", compare("ge", value, zero))
            mask = both(mask, self._loads[key])
        return mask

    def index_value(self, index: Affine, point: Point) -> Value:
        """An affine expression at `point`, a vector if it varies along the lanes."""
        numbers = [name for name in index.names if name in self.scope.indirect]
        if numbers:
            parts = [self._times(self.indirect(n, (), point), index.coefficient(n)) for n in numbers]
            return self._sum([*parts, self.index_value(index.without(numbers), point)])
        shift = sum(index.coefficient(n) * o for n, o in point.items())
        base = self.scope.affine(index + shift, self.values())
        name = self.lane_dim
        coefficient = index.coefficient(name) if name else 0
        if not coefficient or name is None:
            return base
        lanes = self.dims[name].lanes
        steps = Apply("mul", (Iota(lanes), spread(integer(coefficient), lanes)), base.type, lanes)
        return Apply("add", (spread(base, lanes), steps), base.type, lanes)

    # -------------------------------------------------------------------------------- numbers from data

    def indirect(self, name: str, guard: tuple[Affine, ...], point: Point) -> Value:
        """The number that data decide at `point`, as int64: as a subscript, inside its axis whatever the data are.

        Each time it is read: between the checks of the call and this, another thread may have written to the data.
        """
        if name in self.scope.fixed:
            return self.scope.fixed[name]
        known, depends = self.scope.indirect[name]
        guard = tuple(g for g in guard if not any(n in self.scope.indirect for n in g.names))
        here = point if guard else {n: o for n, o in point.items() if n in depends}
        key = ("indirect", name, guard, tuple(sorted(here.items())))
        if key not in self._loads:
            arguments = [Term(self.load(-1, access, guard, point)) for access in known.inp_view]
            terms = self.terms(known.function, arguments, point)
            self.fail(terms, [self.guard_mask(guard, point)])
            value = terms[0].value
            if value.type != int64:
                value = Apply("cast", (value,), int64, value.lanes)
            if known.extent is not None:
                value = self._within(known, value, self.guard_mask(guard, point))
            self._loads[key] = self.bound("index", value)
        return self._loads[key]

    def _nearest(self, known: Indirect, number: Value) -> Value:
        """`number` as a subscript: a negative one counts from the end; the last one where it is none."""
        assert known.extent is not None
        lanes, extent = number.lanes, self.scope.affine(known.extent, self.values())
        size = spread(extent, lanes)
        number = self.bound("number", number)
        further = Apply("add", (number, size), int64, lanes)
        if known.name in self.scope.as_read:
            return Apply("sub", (self._clamped(further, multiply(extent, integer(2))), size), int64, lanes)
        if known.function.results[0].type.kind == "i":
            number = self._least(number, further)  # one of them is negative, or none is good
        return self._clamped(number, extent)

    def _clamped(self, number: Value, extent: Value) -> Value:
        """`number`, the last subscript of an axis where it is none."""
        return self._least(number, spread(subtract(extent, integer(1)), number.lanes))

    def _least(self, left: Value, right: Value) -> Value:
        """Of numbers seen without a sign: negative ones are large."""
        plain = tuple(Apply("cast", (v,), uint64, v.lanes) for v in (left, right))
        return Apply("cast", (Apply("minimum", plain, uint64, left.lanes),), int64, left.lanes)

    def _within(self, known: Indirect, number: Value, guard: Value | None) -> Value:
        """`number` as a subscript of an axis that is not empty: 0 where it is none, and an error if that is looked for.

        Hardly ever is one negative, or out of bounds: one comparison tells that.
        """
        assert known.extent is not None
        if not self._from_data(known):  # as the checks of the call have found it
            return self._from_end(known, number)
        if number.lanes > 1 and known.name not in self.scope.in_use:  # minima are cheaper there
            return self._nearest(known, number)
        lanes, mask = number.lanes, self.lane_mask({}) if number.lanes > 1 else None
        number = self._let("number", number)
        guard = None if guard is None else self._let("inside", guard)
        extent = self.scope.affine(known.extent, self.values())
        size, zero = spread(extent, lanes), spread(integer(0), lanes)
        as_read = known.name in self.scope.as_read
        result = self.scope.name("index", int64, lanes)

        def test(index: Value) -> Value:
            """Seen without a sign, a negative number is a large one."""
            if as_read:
                index = Apply("add", (index, size), int64, lanes)
            end = spread(multiply(extent, integer(2)), lanes) if as_read else size
            plain = [Apply("cast", (v,), uint64, lanes) for v in (index, end)]
            return Apply("ge", (plain[0], plain[1]), bool_, lanes)

        outer, self.out = self.out, []
        found: Value = number
        if not as_read:
            found = self.bound("from_end", self._from_end(known, number))
        outside = self._let("outside", test(found))
        self.out.append(Assign(result, Apply("select", (outside, zero, found), int64, lanes)))
        where = both(both(outside, mask), guard)
        assert where is not None
        if known.name in self.scope.in_use:
            self.out.append(Fail(where, self.scope.in_use[known.name]))
        rare, self.out = self.out, outer
        self.out += [Declare(result, number), If(test(number), tuple(rare), rare=True)]
        return result

    def _from_data(self, known: Indirect) -> bool:
        """Whether somebody else could change it: not so of `x[i // 2]`."""
        return bool(known.inp_view) or any(
            n in self.scope.indirect for i in index_values(known.function) for n in i.names
        )

    def _from_end(self, known: Indirect, number: Value) -> Value:
        """A negative subscript counts from the end."""
        if known.function.results[0].type.kind != "i" or known.name in self.scope.as_read:
            return number
        assert known.extent is not None
        lanes = number.lanes
        number = self.bound("number", number)
        size, zero = spread(self.scope.affine(known.extent, self.values()), lanes), spread(integer(0), lanes)
        back = Apply("select", (Apply("lt", (number, zero), bool_, lanes), size, zero), int64, lanes)
        return Apply("add", (number, back), int64, lanes)

    def is_indirect(self, access: Access) -> bool:
        return bool(self.scope.indirect) and any(n in self.scope.indirect for a in access.index for n in a.names)

    def _place(self, access: Access, guard: tuple[Affine, ...], point: Point) -> tuple[int, Value, Value]:
        """Lanes, offset and stride of an access with subscripts from data; offsets one by one where lanes need it."""
        lane = self.lane_dim
        numbers = {n for a in access.index for n in a.names if n in self.scope.indirect}
        lanes, stride = self._lanes(-1, access)
        loose = [self._is_loose(access, axis) for axis in range(len(access.index))]
        apart = any(lane in self.scope.indirect[n][1] for n in numbers) or (lanes > 1 and any(loose))
        parts: list[Value] = []
        for axis, (index, step) in enumerate(zip(access.index, self.scope.strides[access.buffer])):
            plain = index.without(numbers)
            shift = sum(index.coefficient(n) * o for n, o in point.items())
            terms = [self.index_value(plain, point) if apart else self.scope.affine(plain + shift, self.values())]
            for name in index.names:
                if name in numbers:
                    terms.append(self._times(self.indirect(name, guard, point), index.coefficient(name)))
            if loose[axis]:
                extent = self.scope.affine(self.scope.shapes[access.buffer][axis], {})
                terms = [self._clamped(self._sum(terms), extent)]
            parts += [self._scaled(term, step) for term in terms]
        offset = self._let(f"at_{access.buffer}", self._sum(parts))
        return (offset.lanes, offset, integer(1)) if apart else (lanes, offset, stride)

    def _is_loose(self, access: Access, axis: int) -> bool:
        """Whether numbers from data decide a subscript that nobody has looked at since they were read."""
        index, shape = access.index[axis], self.scope.shapes.get(access.buffer)
        numbers = [self.scope.indirect[n][0] for n in index.names if n in self.scope.indirect]
        if shape is None or all(n.extent is not None for n in numbers):
            return False
        return (index, shape[axis]) not in self.scope.inside

    def place(self, access: Access, guard: tuple[Affine, ...], point: Point) -> tuple[int, Value, Value]:
        """Lanes, offset and stride of any access."""
        terms = tuple(a.terms for a in access.index)
        return self._where(-1, access, guard, terms, _shifts(access, point), point)

    def varies(self, access: Access) -> bool:
        """Whether the lanes of `access` lie at different places, without data deciding that."""
        return self.lane_dim is not None and any(a.coefficient(self.lane_dim) for a in access.index)

    def _times(self, value: Value, factor: int) -> Value:
        return self._scaled(value, integer(factor))

    def _scaled(self, value: Value, factor: Value) -> Value:
        if value.lanes == 1:
            return multiply(value, factor)
        if factor == integer(1):
            return value
        return Apply("mul", (value, spread(factor, value.lanes)), int64, value.lanes)

    def _sum(self, parts: Sequence[Value]) -> Value:
        """The sum of integers, some of which may be vectors."""
        scalar: Value = integer(0)
        wide: list[Value] = []
        for part in parts:
            if part.lanes == 1:
                scalar = add(scalar, part)
            else:
                wide.append(part)
        total: Value | None = None
        for part in wide:
            total = part if total is None else Apply("add", (total, part), int64, part.lanes)
        if total is None:
            return scalar
        if scalar == integer(0):
            return total
        return Apply("add", (total, spread(scalar, total.lanes)), int64, total.lanes)

    # ------------------------------------------------------------------------------------------ memory

    def load(self, number: int, access: Access, guard: tuple[Affine, ...], point: Point) -> Value:
        """`access` at `point`; one load for all points that read the same place. number: -1 if never packed."""
        shifts, terms = _shifts(access, point), tuple(a.terms for a in access.index)
        all_guards = access.guard + guard
        everywhere = bool(all_guards) or self.is_indirect(access)
        key = (number if number in self.packed else access.buffer, terms, shifts, all_guards,
               tuple(sorted(point.items())) if everywhere else ())  # fmt: skip
        if key in self._loads:
            return self._loads[key]
        lanes, offset, stride = self._where(number, access, all_guards, terms, shifts, point)
        mask = self.guard_mask(all_guards, point)
        if lanes > 1:
            mask = both(mask, self.lane_mask(point))
        if mask is not None and mask.lanes > lanes:
            lanes, stride = mask.lanes, integer(0)
        packed = self._packed(number, access)
        buffer = packed.buffer if packed else access.buffer
        type = self.scope.types[access.buffer]
        if mask is not None:
            mask = spread(mask, lanes)
        plain = packed is None and mask is None and self.varies(access) and not self.is_indirect(access)
        if number in self.prefetched and plain and stride == integer(1):
            self._prefetched.setdefault((buffer, terms), (access, []))[1].append(shifts)
        among = None if packed else self.scope.interleaved.get(buffer)
        if among is not None and lanes > 1 and offset.lanes == 1 and stride == integer(among.period):
            value = self._let(access.buffer, among.picked(self._wide(among, offset, type, lanes, mask), lanes))
        else:
            value = self._let(access.buffer, Load(buffer, offset, type, lanes, stride, mask))
        self._loads[key] = value
        if value.lanes == 1:
            self._single.append(key)
        return value

    def forget(self) -> None:
        """Elements that are the same in all lanes are loaded again by points that come after this."""
        for key in self._single:
            del self._loads[key]
        self._single.clear()

    def _wide(self, among: Interleaved, offset: Value, type: ScalarType, lanes: int, mask: Value | None) -> Value:
        """One load for all parts of elements."""
        load = among.wide(offset, type, lanes, mask)
        if load not in self._loads:
            self._loads[load] = self._let(among.first, load)
        return self._loads[load]

    def store_all(
        self,
        accesses: Sequence[Access],
        guard: tuple[Affine, ...],
        point: Point,
        values: Sequence[Value],
        streaming: bool,
    ) -> None:
        """Several results at one point; those that lie side by side in memory are stored together."""
        n = 0
        while n < len(accesses):
            among = self.scope.interleaved.get(accesses[n].buffer)
            count = among.period if among else 1
            whole = list(accesses[n : n + count])
            if among and self._lie_together(whole, among, values[n : n + count]):
                self._store_together(whole[0], among, guard, point, values[n : n + count])
                n += count
            else:
                self.store(accesses[n], guard, point, values[n], streaming)
                n += 1

    def _lie_together(self, accesses: list[Access], among: Interleaved, values: Sequence[Value]) -> bool:
        """Whether these are all parts of the same elements, one to a lane, in the order of memory."""
        if self.is_indirect(accesses[0]):
            return False
        places = {(a.index, a.guard) for a in accesses}
        lanes, stride = self._lanes(-1, accesses[0])
        same = {(v.type, v.lanes) for v in values}
        return (
            tuple(a.buffer for a in accesses) == among.parts
            and (len(places), len(same)) == (1, 1)
            and stride == integer(among.period)
            and lanes == values[0].lanes > 1
        )

    def _store_together(
        self, access: Access, among: Interleaved, guard: tuple[Affine, ...], point: Point, values: Sequence[Value]
    ) -> None:
        offset = self._offset(-1, access, tuple(a.terms for a in access.index), _shifts(access, point))
        lanes = values[0].lanes
        mask = both(self.guard_mask(access.guard + guard, point), self.lane_mask(point))
        if mask is not None and mask.lanes > lanes:
            raise InternalError(f"{access.buffer}: a mask of {mask.lanes} lanes for {lanes} elements")
        self.out.append(among.stored(offset, values, None if mask is None else spread(mask, lanes)))

    def _where(
        self, number: int, access: Access, guard: tuple[Affine, ...], terms: tuple[object, ...],
        shifts: tuple[int, ...], point: Point,
    ) -> tuple[int, Value, Value]:  # fmt: skip
        """Lanes, offset and stride of an access."""
        if self.is_indirect(access):
            return self._place(access, guard, point)
        lanes, stride = self._lanes(number, access)
        return lanes, self._offset(number, access, terms, shifts), stride

    def store(self, access: Access, guard: tuple[Affine, ...], point: Point, value: Value, streaming: bool) -> None:
        shifts, terms = _shifts(access, point), tuple(a.terms for a in access.index)
        lanes, offset, stride = self._where(-1, access, access.guard + guard, terms, shifts, point)
        mask = self.guard_mask(access.guard + guard, point)
        wide = max(value.lanes, 1 if mask is None else mask.lanes)
        if wide > lanes:  # one place for all lanes, of which the guard leaves one at most
            lanes, stride = wide, integer(0)
        if lanes > 1:
            mask = both(mask, self.lane_mask(point))
        if mask is not None:
            mask = spread(mask, lanes)
        streaming = streaming and lanes > 1 and offset.lanes == 1 and mask is None and stride == integer(1)
        self.out.append(Store(access.buffer, offset, spread(value, lanes), stride, mask, streaming=streaming))

    def prefetch_results(self, access: Access, points: Sequence[Point]) -> None:
        """Ask for the places of results long before they are stored: for each line once, as far as that is known."""
        terms = tuple(a.terms for a in access.index)
        lanes, stride = self._lanes(-1, access)
        apart = [multiply(stride, integer(n)) for n in range(1 if stride == integer(1) else lanes)]
        strides, size = self.scope.strides[access.buffer], self.scope.types[access.buffer].size_bytes
        unit = next((axis for axis, step in enumerate(strides) if step == integer(1)), None)
        for shifts in one_per_line([_shifts(access, point) for point in points], unit, size):
            offset = self._offset(-1, access, terms, shifts)
            self.out += [Prefetch(access.buffer, add(offset, further)) for further in apart]

    def prefetch_inputs(self) -> None:
        """Ask for what tiles further on will read in the way this one did."""
        lane = self.lane_dim
        for access, places in self._prefetched.values():
            assert lane is not None
            axis = next(n for n, index in enumerate(access.index) if index.coefficient(lane))
            size = self.scope.types[access.buffer].size_bytes
            along = self.innermost_loop == lane
            for shifts in lines_first_read(access, places, self.dims, lane, axis, size, along):
                offset = self._offset(-1, access, tuple(a.terms for a in access.index), shifts)
                self.out.append(Prefetch(access.buffer, offset, write=False))

    def _lanes(self, number: int, access: Access) -> tuple[int, Value]:
        """Over how many lanes an access varies, and the distance between lanes in elements."""
        name = self.lane_dim
        if name is None or not any(a.coefficient(name) for a in access.index):
            return 1, integer(1)
        packed = self._packed(number, access)
        stride: Value = integer(0)
        for axis, a in enumerate(access.index):
            unit = packed.lane_stride(axis) if packed else self.scope.strides[access.buffer][axis]
            stride = add(stride, multiply(unit, integer(a.coefficient(name))))
        return self.dims[name].lanes, stride

    def _offset(self, number: int, access: Access, terms: tuple[object, ...], shifts: tuple[int, ...]) -> Value:
        packed = self._packed(number, access)
        if packed is not None:
            return packed.offset(self.scope.affine, access, self.dims, shifts)
        strides = self.scope.strides[access.buffer]
        among = self.scope.interleaved.get(access.buffer)
        key = (among.first if among else access.buffer, terms)
        base = self._bases.get(key)
        if base is None:
            base = integer(0)
            for a, stride in zip(access.index, strides):
                base = add(base, multiply(self.scope.affine(Affine(a.terms), self.values()), stride))
            if not isinstance(base, Literal | Name):
                base = self._let(f"at_{access.buffer}", base)
            self._bases[key] = base
        for shift, stride in zip(shifts, strides):
            base = add(base, multiply(stride, integer(shift)))
        return base

    def bound(self, hint: str, value: Value) -> Name | Literal:
        """`value` under a name, if it has none."""
        return value if isinstance(value, Literal | Name) else self._let(hint, value)

    def _packed(self, number: int, access: Access) -> Packed | None:
        return self.packed.get(number) or self.scope.layouts.get(access.buffer)

    def _let(self, hint: str, value: Value) -> Name:
        name = self.scope.name(hint, value.type, value.lanes)
        self.out.append(Let(name, value))
        return name

    # --------------------------------------------------------------------------------------- functions

    def apply(self, function: ScalarFunction, arguments: Sequence[Value], point: Point) -> tuple[Value, ...]:
        """`function(arguments)`, index values taken at `point`; a faulty result fails."""
        terms = self.terms(function, [Term(a) for a in arguments], point)
        self.fail(terms, ())
        return tuple(t.value for t in terms)

    def terms(self, function: ScalarFunction, arguments: Sequence[Term], point: Point) -> tuple[Term, ...]:
        """`function(arguments)`; faults of arguments and of divisions inside travel with the results that use them."""
        values: dict[str, Term] = {p.name: a for p, a in zip(function.parameters, arguments)}
        for variable, expression in function.bindings:
            term = self._scalar(expression, values, point)
            simple = isinstance(term.value, Name | Literal)
            values[variable.name] = term if simple else Term(self._let(variable.name, term.value), term.faults)
        return tuple(self._scalar(r, values, point) for r in function.results)

    def fail(self, terms: Sequence[Term], guard: Sequence[Value | None]) -> None:
        """End in an error if one of `terms` has a fault at a point that exists and where all of `guard` hold."""
        for status, fault in {f: None for t in terms for f in t.faults}:
            where: Value | None = fault
            for condition in guard:
                where = both(where, condition)
            if fault.lanes > 1:
                where = both(where, self.lane_mask({}))
            assert where is not None
            self.out.append(Fail(where, status))

    def _scalar(self, node: Scalar, values: Mapping[str, Term], point: Point) -> Term:
        match node:
            case Constant():
                return Term(Literal(node.value, node.type))
            case Variable():
                return values[node.name]
            case IndexValue():
                value = self.index_value(node.index, point)
                return Term(value if node.type == value.type else Apply("cast", (value,), node.type, value.lanes))
            case Operation():
                operands = [self._scalar(o, values, point) for o in node.operands]
                return self._operation(node.op, operands, node.type)

    def _operation(self, op: str, operands: list[Term], type: ScalarType) -> Term:
        lanes = max(o.value.lanes for o in operands)
        wide = [spread(o.value, lanes) for o in operands]
        faults = self._faults(op, operands)
        if op == "checked":
            outside = self._let("outside", Apply("not", (wide[1],), bool_, lanes))
            return Term(wide[0], with_fault(faults, OUT_OF_RANGE, outside))
        if op == "faulted":
            number = operands[2].value
            assert isinstance(number, Literal) and isinstance(number.value, int)
            wrong = wide[1] if isinstance(wide[1], Name) else self._let("wrong", wide[1])
            return Term(wide[0], with_fault(faults, FIRST_FAULT + number.value, wrong))
        if op in ("floordiv", "mod") and type.kind in "iu":
            divisor = wide[1] if isinstance(wide[1], Literal | Name) else self._let("divisor", wide[1])
            if not (isinstance(operands[1].value, Literal) and operands[1].value.value):
                zero: Value = spread(Literal(0, divisor.type), lanes)
                is_zero = self._let("is_zero", Apply("eq", (divisor, zero), bool_, lanes))
                faults = with_fault(faults, DIVISION_BY_ZERO, is_zero)
                one: Value = spread(Literal(1, divisor.type), lanes)
                divisor = self._let("divisor", Apply("select", (is_zero, one, divisor), divisor.type, lanes))
            wide[1] = divisor
        if op == "pow" and type.kind == "i" and not isinstance(operands[1].value, Literal):
            exponent = wide[1] if isinstance(wide[1], Name) else self._let("exponent", wide[1])
            zero = spread(Literal(0, exponent.type), lanes)
            negative = self._let("is_negative", Apply("lt", (exponent, zero), bool_, lanes))
            faults = with_fault(faults, NEGATIVE_POWER, negative)
            wide[1] = exponent
        relaxed = self.relaxed and type.kind == "f"
        if relaxed and op == "add" and isinstance(wide[1], Apply) and wide[1].op in ("add_product", "sub_product"):
            # sum + (p ± b·c), of complex products: both terms are taken up one after the other, fused.
            first, *factors = wide[1].operands
            sum = Apply("add", (wide[0], first), type, lanes, True)
            return Term(Apply(wide[1].op, (sum, *factors), type, lanes, True), faults)
        return Term(Apply(op, tuple(wide), type, lanes, relaxed), faults)

    def _faults(self, op: str, operands: list[Term]) -> Faults:
        """Where an operation has the faults of its operands: of a `select`, those of the operand taken."""
        total: Faults = ()
        for n, operand in enumerate(operands):
            for status, fault in operand.faults:
                where: Value | None = fault
                if op == "select" and n > 0:
                    condition = operands[0].value
                    taken = condition if n == 1 else Apply("not", (condition,), bool_, condition.lanes)
                    where = both(fault, taken)
                assert where is not None
                total = with_fault(total, status, where)
        return tuple((s, f if isinstance(f, Name) else self._let("fault", f)) for s, f in total)


def _shifts(access: Access, point: Point) -> tuple[int, ...]:
    """Constants of the subscripts at `point`."""
    return tuple([a.constant + sum([c * point[n] for n, c in a.terms if n in point]) for a in access.index])


def with_fault(faults: Faults, status: int, where: Value) -> Faults:
    """`faults`, and `status` at `where`."""
    known = dict(faults)
    known[status] = either(known[status], where) if status in known else where
    return tuple(known.items())


def either(left: Value, right: Value) -> Value:
    lanes = max(left.lanes, right.lanes)
    return Apply("or", (spread(left, lanes), spread(right, lanes)), bool_, lanes)
