"""Where accesses of a register tile are in memory, index expressions, and guards, as code."""

from __future__ import annotations

from dataclasses import field

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Point
from jitmdh.mdh.codegen.microkernel.data_subscripts import DataSubscripts, clamped, scaled, total
from jitmdh.mdh.codegen.microkernel.quotients import keep_pieces
from jitmdh.mdh.codegen.microkernel.tile_code import TileCode
from jitmdh.mdh.kernel.arithmetic import add, both, compare, integer, multiply, spread
from jitmdh.mdh.kernel.ir import Apply, Iota, Literal, Name, Value


@dataclass(frozen=True, slots=True)
class Addresses:
    """Writes addresses into `code`. bases: those of accesses without their constants, by buffer and subscripts."""

    code: TileCode
    data: DataSubscripts
    bases: dict[object, Value] = field(default_factory=dict)

    @property
    def scope(self) -> Scope:
        return self.code.scope

    def guard_mask(self, guard: tuple[Affine, ...], point: Point) -> Value | None:
        """Conjunction of `expression ≥ 0` at `point`."""
        mask: Value | None = None
        for expression in self.scope.open(guard):
            by_data = any(n in self.scope.indirect for n in expression.names)
            here = point if by_data else {n: o for n, o in point.items() if expression.coefficient(n)}
            key = ("guard", expression, tuple(sorted(here.items())))
            if key not in self.code.known:
                value = self.index_value(expression, point)
                zero = spread(integer(0), value.lanes)
                self.code.known[key] = known = self.code.let("inside", compare("ge", value, zero))
                if value.lanes > 1 and not by_data:
                    self.code.conditions[known] = self._along_lanes(expression, point)
            mask = both(mask, self.code.known[key])
        return mask

    def _along_lanes(self, index: Affine, point: Point) -> tuple[Value, int]:
        """An affine expression at `point`: its value in the first lane, and from lane to lane how much more."""
        shift = sum(index.coefficient(n) * o for n, o in point.items())
        assert self.code.lane_dim is not None
        return self.scope.affine(index + shift, self.code.values()), index.coefficient(self.code.lane_dim)

    def index_value(self, index: Affine, point: Point) -> Value:
        """An affine expression at `point`, a vector if it varies along the lanes."""
        numbers = [name for name in index.names if name in self.scope.indirect]
        if numbers:
            parts = [scaled(self.data.indirect(n, (), point), integer(index.coefficient(n))) for n in numbers]
            return total([*parts, self.index_value(index.without(numbers), point)])
        name = self.code.lane_dim
        if name is None:
            shift = sum(index.coefficient(n) * o for n, o in point.items())
            return self.scope.affine(index + shift, self.code.values())
        base, coefficient = self._along_lanes(index, point)
        if not coefficient:
            return base
        lanes = self.code.dims[name].lanes
        steps = Apply("mul", (Iota(lanes), spread(integer(coefficient), lanes)), base.type, lanes)
        return Apply("add", (spread(base, lanes), steps), base.type, lanes)

    def _data_place(self, access: Access, guard: tuple[Affine, ...], point: Point) -> tuple[int, Value, Value]:
        """Lanes, offset and stride of an access with subscripts from data; offsets one by one where lanes need it."""
        lane = self.code.lane_dim
        names = dict.fromkeys(n for a in access.index for n in a.names if n in self.scope.indirect)
        numbers = {n: self.data.indirect(n, guard, point) for n in names}
        lanes, stride = self.lanes(-1, access)
        loose = [self._is_loose(access, axis) for axis in range(len(access.index))]
        # A number that is the same for all lanes is a vector, too, where only some of them may read it.
        by_lanes = any(lane in self.scope.indirect[n][1] or number.lanes > 1 for n, number in numbers.items())
        apart = by_lanes or (lanes > 1 and any(loose))
        parts: list[Value] = []
        for axis, (index, step) in enumerate(zip(access.index, self.scope.strides[access.buffer])):
            plain = index.without(list(numbers))
            shift = sum(index.coefficient(n) * o for n, o in point.items())
            terms = [self.index_value(plain, point) if apart else self.scope.affine(plain + shift, self.code.values())]
            for name in index.names:
                if name in numbers:
                    terms.append(scaled(numbers[name], integer(index.coefficient(name))))
            if loose[axis]:
                extent = self.scope.affine(self.scope.shapes[access.buffer][axis], {})
                terms = [clamped(total(terms), extent)]
            parts += [scaled(term, step) for term in terms]
        wide = total([part for part in parts if part.lanes > 1])
        if not apart or wide.lanes == 1:
            offset = self.code.let(f"at_{access.buffer}", total(parts))
            return (1, offset, integer(1)) if apart else (lanes, offset, stride)
        # One name for all accesses whose places differ in numbers: they lie together, row by row.
        key = ("rows", wide)
        if key not in self.code.known:
            self.code.known[key] = self.code.let(f"at_{access.buffer}", wide)
            keep_pieces(self.code, self.code.known[key], wide)
        return wide.lanes, total([self.code.known[key], *(part for part in parts if part.lanes == 1)]), integer(1)

    def _is_loose(self, access: Access, axis: int) -> bool:
        """Whether a subscript rests on numbers from data that have not been checked since they were read."""
        index, shape = access.index[axis], self.scope.shapes.get(access.buffer)
        numbers = [self.scope.indirect[n][0] for n in index.names if n in self.scope.indirect]
        if shape is None or all(n.extent is not None for n in numbers):
            return False
        return (index, shape[axis]) not in self.scope.inside

    def place(self, access: Access, guard: tuple[Affine, ...], point: Point) -> tuple[int, Value, Value]:
        """Lanes, offset and stride of any access."""
        terms = tuple(a.terms for a in access.index)
        return self.where(-1, access, guard, terms, shifts_at(access, point), point)

    def varies(self, access: Access) -> bool:
        """Whether the lanes of `access` lie at different places, without data deciding that."""
        return self.code.lane_dim is not None and any(a.coefficient(self.code.lane_dim) for a in access.index)

    def where(
        self, number: int, access: Access, guard: tuple[Affine, ...], terms: tuple[object, ...],
        shifts: tuple[int, ...], point: Point,
    ) -> tuple[int, Value, Value]:  # fmt: skip
        """Lanes, offset and stride of an access."""
        if self.code.is_indirect(access):
            return self._data_place(access, guard, point)
        lanes, stride = self.lanes(number, access)
        return lanes, self.offset(number, access, terms, shifts), stride

    def lanes(self, number: int, access: Access) -> tuple[int, Value]:
        """Over how many lanes an access varies, and the distance between lanes in elements."""
        name = self.code.lane_dim
        if name is None or not any(a.coefficient(name) for a in access.index):
            return 1, integer(1)
        packed = self.code.packed_layout(number, access)
        stride: Value = integer(0)
        for axis, a in enumerate(access.index):
            unit = packed.lane_stride(axis) if packed else self.scope.strides[access.buffer][axis]
            stride = add(stride, multiply(unit, integer(a.coefficient(name))))
        return self.code.dims[name].lanes, stride

    def offset(self, number: int, access: Access, terms: tuple[object, ...], shifts: tuple[int, ...]) -> Value:
        packed = self.code.packed_layout(number, access)
        if packed is not None:
            return self._packed_offset(packed, access, terms, shifts)
        strides = self.scope.strides[access.buffer]
        among = self.scope.interleaved.get(access.buffer)
        key = (among.first if among else access.buffer, terms)
        base = self.bases.get(key)
        if base is None:
            base = integer(0)
            for a, stride in zip(access.index, strides):
                base = add(base, multiply(self.scope.affine(Affine(a.terms), self.code.values()), stride))
            base = self.bases[key] = self._named(access, base)
        for shift, stride in zip(shifts, strides):
            base = add(base, multiply(stride, integer(shift)))
        return base

    def _packed_offset(
        self, packed: Packed, access: Access, terms: tuple[object, ...], shifts: tuple[int, ...]
    ) -> Value:
        key = packed.buffer, terms
        base = self.bases.get(key)
        if base is None:
            base = packed.base(self.scope.affine, access, self.code.dims)
            if base is None:
                return packed.offset(self.scope.affine, access, self.code.dims, shifts)
            base = self.bases[key] = self._named(access, base)
        return packed.further(base, access, shifts)

    def _named(self, access: Access, base: Value) -> Value:
        return base if isinstance(base, (Literal, Name)) else self.code.let(f"at_{access.buffer}", base)


def shifts_at(access: Access, point: Point) -> tuple[int, ...]:
    """Constants of the subscripts at `point`."""
    return tuple([a.constant + sum([c * point[n] for n, c in a.terms if n in point]) for a in access.index])
