"""Data-dependent subscripts: read where they are used, and kept inside their axes whatever the data are."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Protocol

from jitmdh.base.dtype import bool_, int64, uint32, uint64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import (
    Access,
    Indirect,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, index_values
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Point
from jitmdh.mdh.codegen.microkernel.quotients import from_end, keep_pieces
from jitmdh.mdh.codegen.microkernel.scalar_code import Term
from jitmdh.mdh.codegen.microkernel.tile_code import TileCode
from jitmdh.mdh.kernel.arithmetic import add, both, integer, multiply, spread, subtract
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, Fail, If, Statement, Value


class Evaluator(Protocol):
    """The builder of the tile, as far as numbers from data need it."""

    def load(self, number: int, access: Access, guard: tuple[Affine, ...], point: Point) -> Value: ...

    def terms(self, function: ScalarFunction, arguments: Sequence[Term], point: Point) -> tuple[Term, ...]: ...

    def fail(self, terms: Sequence[Term], guard: Sequence[Value | None]) -> None: ...

    def guard_mask(self, guard: tuple[Affine, ...], point: Point) -> Value | None: ...


@dataclass(frozen=True, slots=True)
class DataSubscripts:
    """Writes numbers from data into `code`; `tile` evaluates what they are computed from."""

    code: TileCode
    tile: Evaluator

    @property
    def scope(self) -> Scope:
        return self.code.scope

    def indirect(self, name: str, guard: tuple[Affine, ...], point: Point) -> Value:
        """The data-dependent number at `point`, as int64: as a subscript, inside its axis whatever the data are.

        Each time it is read: between the checks of the call and this, another thread may have written to the data.
        """
        if name in self.scope.fixed:
            return self.scope.fixed[name]
        known, depends = self.scope.indirect[name]
        guard = tuple(g for g in guard if not any(n in self.scope.indirect for n in g.names))
        here = {n: o for n, o in point.items() if n in depends or any(g.coefficient(n) for g in guard)}
        key = ("indirect", name, guard, tuple(sorted(here.items())))
        if key not in self.code.known:
            arguments = [Term(self.tile.load(-1, access, guard, point)) for access in known.inp_view]
            terms = self.tile.terms(known.function, arguments, point)
            self.tile.fail(terms, [self.tile.guard_mask(guard, point)])
            value = terms[0].value
            if value.type != int64:
                value = Apply("cast", (value,), int64, value.lanes)
            if known.extent is not None:
                value = self._within(known, value, self.tile.guard_mask(guard, point))
            self.code.known[key] = self.code.bound("index", value)
            if known.name in self.scope.natural:
                keep_pieces(self.code, self.code.known[key], value)
        return self.code.known[key]

    def _nearest(self, known: Indirect, number: Value) -> Value:
        """`number` as a subscript: a negative one counts from the end; the last one where it is none."""
        assert known.extent is not None
        lanes, extent = number.lanes, self.scope.affine(known.extent, self.code.values())
        size = spread(extent, lanes)
        number = self.code.bound("number", number)
        further = Apply("add", (number, size), int64, lanes)
        if known.function.results[0].type.kind == "i":
            number = _least(number, further)  # one of them is negative, or none is good
        return clamped(number, extent)

    def _within(self, known: Indirect, number: Value, guard: Value | None) -> Value:
        """`number` as a subscript of an axis that is not empty: 0 where it is none, and an error if that is looked for.

        Hardly ever is one negative, or out of bounds: one comparison tells that.
        """
        assert known.extent is not None
        if known.name in self.scope.as_read:
            return self._as_read(known, number, guard)
        if not is_from_data(known, self.scope.indirect):  # as the checks of the call have found it
            return self._from_end(known, number)
        # Minima are cheaper in vectors, and where no number is an error.
        if known.name not in self.scope.in_use and (number.lanes > 1 or known.decided):
            return self._nearest(known, number)
        lanes, mask = number.lanes, self.code.lane_mask({}) if number.lanes > 1 else None
        number = self.code.let("number", number)
        guard = None if guard is None else self.code.let("inside", guard)
        extent = self.scope.affine(known.extent, self.code.values())
        size, zero = spread(extent, lanes), spread(integer(0), lanes)
        result = self.scope.name("index", int64, lanes)

        def test(index: Value) -> Value:
            """Seen without a sign, a negative number is a large one."""
            return _beyond(index, size)

        rare: list[Statement] = []
        with self.code.into(rare):
            found = self.code.bound("from_end", self._from_end(known, number))
            outside = self.code.let("outside", test(found))
            rare.append(Assign(result, Apply("select", (outside, zero, found), int64, lanes)))
            where = both(both(outside, mask), guard)
            assert where is not None
            if known.name in self.scope.in_use:
                rare.append(Fail(where, self.scope.in_use[known.name]))
        self.code.out += [Declare(result, number), If(test(number), tuple(rare), rare=True)]
        return result

    def _as_read(self, known: Indirect, number: Value, guard: Value | None) -> Value:
        """`number` as a subscript of copies that have cells for negative ones: some cell of theirs, whatever it is."""
        assert known.extent is not None
        lanes, number = number.lanes, self.code.bound("number", number)
        if known.name in self.scope.in_use:
            extent = self.scope.affine(known.extent, self.code.values())
            further = Apply("add", (number, spread(extent, lanes)), int64, lanes)
            outside = _beyond(further, spread(multiply(extent, integer(2)), lanes))
            where = both(both(outside, self.code.lane_mask({}) if lanes > 1 else None), guard)
            assert where is not None
            self.code.out.append(If(outside, (Fail(where, self.scope.in_use[known.name]),), rare=True))
        mask = spread(self.scope.as_read[known.name], lanes)
        low, bits = (Apply("cast", (v,), uint32, lanes) for v in (number, mask))
        return Apply("cast", (Apply("and", (low, bits), uint32, lanes),), int64, lanes)

    def _from_end(self, known: Indirect, number: Value) -> Value:
        """A negative subscript counts from the end."""
        if known.function.results[0].type.kind != "i" or known.name in self.scope.natural:
            return number
        assert known.extent is not None
        lanes = number.lanes
        number, extent = self.code.bound("number", number), self.scope.affine(known.extent, self.code.values())
        size, zero = spread(extent, lanes), spread(integer(0), lanes)
        back = Apply("select", (Apply("lt", (number, zero), bool_, lanes), size, zero), int64, lanes)
        result = Apply("add", (number, back), int64, lanes)
        found = from_end(self.code, number, extent) if lanes > 1 else None
        if found is None:
            return result
        name = self.code.let("index", result)
        self.code.pieces[name] = found
        return name


def is_from_data(known: Indirect, others: Container[str]) -> bool:
    """Whether somebody else could change it: not so of `x[i // 2]`. others: the names of all such numbers."""
    return bool(known.inp_view) or any(n in others for i in index_values(known.function) for n in i.names)


def _beyond(number: Value, end: Value) -> Value:
    """Whether `number` is negative, or `end` or greater: seen without a sign, a negative number is a large one."""
    plain = tuple(Apply("cast", (v,), uint64, v.lanes) for v in (number, end))
    return Apply("ge", plain, bool_, number.lanes)


def clamped(number: Value, extent: Value) -> Value:
    """`number`, the last subscript of an axis where it is none."""
    return _least(number, spread(subtract(extent, integer(1)), number.lanes))


def _least(left: Value, right: Value) -> Value:
    """The lesser of two numbers compared as unsigned ones: negative ones are large."""
    plain = tuple(Apply("cast", (v,), uint64, v.lanes) for v in (left, right))
    return Apply("cast", (Apply("minimum", plain, uint64, left.lanes),), int64, left.lanes)


def scaled(value: Value, factor: Value) -> Value:
    """`value · factor` of integers, a vector if `value` is one."""
    if value.lanes == 1:
        return multiply(value, factor)
    if factor == integer(1):
        return value
    return Apply("mul", (value, spread(factor, value.lanes)), int64, value.lanes)


def total(parts: Sequence[Value]) -> Value:
    """The sum of integers, some of which may be vectors."""
    scalar: Value = integer(0)
    wide: list[Value] = []
    for part in parts:
        if part.lanes == 1:
            scalar = add(scalar, part)
        else:
            wide.append(part)
    wide_sum: Value | None = None
    for part in wide:
        wide_sum = part if wide_sum is None else Apply("add", (wide_sum, part), int64, part.lanes)
    if wide_sum is None:
        return scalar
    if scalar == integer(0):
        return wide_sum
    return Apply("add", (wide_sum, spread(scalar, wide_sum.lanes)), int64, wide_sum.lanes)
