"""The scalar phase: `f` on all points of one register tile, as straight-line code.

A tile takes `count` steps along each dimension, unrolled, and `lanes` points per step along at most one. Reads that
several points share become one load: the rows of a stencil stay in registers because of that, and the operands of a
matrix product are loaded once per tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction
from jitmdh.mdh.codegen.context.interleaved import Interleaved
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim
from jitmdh.mdh.codegen.microkernel import quotients
from jitmdh.mdh.codegen.microkernel.addresses import Addresses, shifts_at
from jitmdh.mdh.codegen.microkernel.data_subscripts import DataSubscripts
from jitmdh.mdh.codegen.microkernel.scalar_code import ScalarCode, Term
from jitmdh.mdh.codegen.microkernel.tile_code import TileCode
from jitmdh.mdh.kernel.arithmetic import both, integer, spread
from jitmdh.mdh.kernel.ir import Literal, Load, Name, PrefetchInputs, PrefetchResults, Statement, Store, Value

# Rows shorter than a tile are asked for two such steps ahead: behind what tiles with several rows read side by side. A
# quarter of it takes twice as long (mode products of 9 x 9 x 9 from memory, AMD Zen 5).
_STEP_BYTES = 2048


class MicroKernelBuilder:
    """Writes the code of one register tile to `out`: `code` holds it, `addresses` and `scalars` compute.

    relaxed: sums may be reassociated and fused. prefetched: numbers of the accesses that `prefetch_inputs` is about.
    innermost_loop: the dimension of the innermost loop over tiles.
    """

    def __init__(
        self,
        scope: Scope,
        dims: Mapping[str, TileDim],
        packed: Mapping[int, Packed],
        out: list[Statement],
        relaxed: bool = False,
        prefetched: frozenset[int] = frozenset(),
        innermost_loop: str | None = None,
    ) -> None:
        self.scope, self.dims, self.packed = scope, dims, packed
        self.prefetched, self.innermost_loop = prefetched, innermost_loop
        self.code = TileCode(scope, dims, packed, out)
        self.lane_dim = self.code.lane_dim
        self.addresses = Addresses(self.code, DataSubscripts(self.code, self))
        self.scalars = ScalarCode(self.code, self.addresses.index_value, relaxed)
        self._to_prefetch: dict[object, tuple[Access, list[tuple[int, ...]]]] = {}
        self._short_rows: dict[object, tuple[Access, list[Point]]] = {}
        self._same_in_all_lanes: list[object] = []

    @property
    def out(self) -> list[Statement]:
        """The statements so far."""
        return self.code.out

    def points(self, names: Sequence[str]) -> list[dict[str, int]]:
        """Offsets of all steps along `names`, last dimension fastest."""
        return self.code.points(names)

    def guard_mask(self, guard: tuple[Affine, ...], point: Point) -> Value | None:
        """Conjunction of `expression ≥ 0` at `point`."""
        return self.addresses.guard_mask(guard, point)

    def apply(self, function: ScalarFunction, arguments: Sequence[Value], point: Point) -> tuple[Value, ...]:
        """`function(arguments)`, index values taken at `point`; a faulty result fails."""
        return self.scalars.apply(function, arguments, point)

    def terms(self, function: ScalarFunction, arguments: Sequence[Term], point: Point) -> tuple[Term, ...]:
        """`function(arguments)`; faults of arguments and of divisions inside travel with the results that use them."""
        return self.scalars.terms(function, arguments, point)

    def fail(self, terms: Sequence[Term], guard: Sequence[Value | None]) -> None:
        """End in an error if one of `terms` has a fault at a point that exists and where all of `guard` hold."""
        self.scalars.fail(terms, guard)

    def let(self, hint: str, value: Value) -> Name:
        """`value` under a name of its own."""
        return self.code.let(hint, value)

    def bound(self, hint: str, value: Value) -> Name | Literal:
        """`value` under a name, if it has none."""
        return self.code.bound(hint, value)

    # ------------------------------------------------------------------------------------------ memory

    def load(self, number: int, access: Access, guard: tuple[Affine, ...], point: Point) -> Value:
        """`access` at `point`; one load for all points that read the same place. number: -1 if never packed."""
        shifts, terms = shifts_at(access, point), tuple(a.terms for a in access.index)
        all_guards = self.scope.open(access.guard + guard)
        everywhere = bool(all_guards) or self.code.is_indirect(access)
        key = (number if number in self.packed else access.buffer, terms, shifts, all_guards,
               tuple(sorted(point.items())) if everywhere else ())  # fmt: skip
        if key in self.code.known:
            return self.code.known[key]
        lanes, offset, stride = self.addresses.where(number, access, all_guards, terms, shifts, point)
        mask = self.addresses.guard_mask(all_guards, point)
        if lanes > 1:
            mask = both(mask, self.code.lane_mask(point))
        if mask is not None and mask.lanes > lanes:
            lanes, stride = mask.lanes, integer(0)
        packed = self.code.packed_layout(number, access)
        buffer = packed.buffer if packed else access.buffer
        type = self.scope.types[access.buffer]
        if mask is not None:
            mask = spread(mask, lanes)
        plain = packed is None and self.addresses.varies(access) and not self.code.is_indirect(access)
        if number in self.prefetched and plain and stride == integer(1):
            if mask is None:
                self._to_prefetch.setdefault((buffer, terms), (access, []))[1].append(shifts)
            elif not all_guards:
                self._short_rows.setdefault((buffer, terms), (access, []))[1].append(point)
        among = None if packed else self.scope.interleaved.get(buffer)
        if among is not None and lanes > 1 and offset.lanes == 1 and stride == integer(among.period):
            value: Value = self.code.let(
                access.buffer, among.picked(self._wide(among, offset, type, lanes, mask), lanes)
            )
        else:
            whole = offset.lanes > 1 and not all_guards
            found = quotients.load(self.code, buffer, offset, type, mask) if whole else None
            value = found or self.code.let(
                access.buffer, Load(buffer, offset, type, lanes, stride, mask, loc=access.loc)
            )
        self.code.known[key] = value
        if value.lanes == 1:
            self._same_in_all_lanes.append(key)
        return value

    def forget(self) -> None:
        """Elements that are the same in all lanes are loaded again by points that come after this."""
        for key in self._same_in_all_lanes:
            del self.code.known[key]
        self._same_in_all_lanes.clear()

    def _wide(self, among: Interleaved, offset: Value, type: ScalarType, lanes: int, mask: Value | None) -> Value:
        """One load for all parts of elements."""
        load = among.wide(offset, type, lanes, mask)
        if load not in self.code.known:
            self.code.known[load] = self.code.let(among.first, load)
        return self.code.known[load]

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
        if self.code.is_indirect(accesses[0]):
            return False
        places = {(a.index, a.guard) for a in accesses}
        lanes, stride = self.addresses.lanes(-1, accesses[0])
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
        offset = self.addresses.offset(-1, access, tuple(a.terms for a in access.index), shifts_at(access, point))
        lanes = values[0].lanes
        mask = both(self.addresses.guard_mask(access.guard + guard, point), self.code.lane_mask(point))
        if mask is not None and mask.lanes > lanes:
            raise InternalError(f"{access.buffer}: a mask of {mask.lanes} lanes for {lanes} elements")
        self.out.append(among.stored(offset, values, None if mask is None else spread(mask, lanes)))

    def store(self, access: Access, guard: tuple[Affine, ...], point: Point, value: Value, streaming: bool) -> None:
        shifts, terms = shifts_at(access, point), tuple(a.terms for a in access.index)
        lanes, offset, stride = self.addresses.where(-1, access, access.guard + guard, terms, shifts, point)
        mask = self.addresses.guard_mask(access.guard + guard, point)
        wide = max(value.lanes, 1 if mask is None else mask.lanes)
        if wide > lanes:  # one place for all lanes, of which the guard leaves one at most
            lanes, stride = wide, integer(0)
        if lanes > 1:
            mask = both(mask, self.code.lane_mask(point))
        if mask is not None:
            mask = spread(mask, lanes)
        streaming = streaming and lanes > 1 and offset.lanes == 1 and mask is None and stride == integer(1)
        value = spread(value, lanes)
        self.out.append(Store(access.buffer, offset, value, stride, mask, streaming=streaming, loc=access.loc))

    def prefetch_results(
        self, access: Access, points: Sequence[Point], further: Point | None = None, write: bool = True
    ) -> None:
        """Results will be stored at `points`. further: those of later tiles, each so many steps from the one before.
        write: False: inputs will be loaded there."""
        lanes, stride = self.addresses.lanes(-1, access)
        places = tuple(dict.fromkeys(shifts_at(access, point) for point in points))
        move = _move(access, further or {})
        self.out.append(PrefetchResults(*self._array(access), places, lanes, stride, move, write))

    def prefetch_transposed(self, inputs: Sequence[Access], results: Sequence[Access], points: Sequence[Point]) -> None:
        """What later tiles of the innermost loop read across rows, and write, if vectors of a tile are transposed."""
        along = self.innermost_loop
        all_of_them = [*((n, a, False) for n, a in enumerate(inputs)), *((-1, a, True) for a in results)]
        direct = [(a, written) for n, a, written in all_of_them if self._is_in_place(n, a)]
        if along is None or along not in self.dims or len(points) < 2 or not any(self._is_apart(a) for a, _ in direct):
            return
        step, seen = {along: self.dims[along].count * self.dims[along].lanes}, set[object]()
        for access, written in direct:
            key = access.buffer, tuple(a.terms for a in access.index)
            if key not in seen and written != self._goes_across(access, along):
                seen.add(key)
                self.prefetch_results(access, points, step, written)

    def _is_in_place(self, number: int, access: Access) -> bool:
        """Whether an access is to an array of the call, not to a copy or a buffer, at places that data do not say."""
        return not self.code.is_indirect(access) and self.code.packed_layout(number, access) is None

    def _is_apart(self, access: Access) -> bool:
        """Whether the lanes of an access lie in different rows of an array, for all that is known."""
        lanes, stride = self.addresses.lanes(-1, access)
        known = stride.value if isinstance(stride, Literal) else lanes
        return lanes > 1 and not (isinstance(known, int) and abs(known) < lanes)

    def _goes_across(self, access: Access, dim: str) -> bool:
        """Whether a step along `dim` leads to another row of an array."""
        steps = [(axis, a.coefficient(dim)) for axis, a in enumerate(access.index)]
        return any(step and self.scope.strides[access.buffer][axis] != integer(1) for axis, step in steps)

    def prefetch_inputs(self, widest: bool) -> None:
        """Later tiles will read in the way this one did. widest: along the lanes none has more vectors."""
        lane = self.lane_dim
        for access, places in self._to_prefetch.values():
            assert lane is not None
            axis = next(n for n, index in enumerate(access.index) if index.coefficient(lane))
            rows: dict[tuple[int, ...], int] = {}
            for place in places:
                row = (*place[:axis], 0, *place[axis + 1 :])
                rows[row] = min(rows.get(row, place[axis]), place[axis])
            firsts = tuple([(*row[:axis], begin, *row[axis + 1 :]) for row, begin in rows.items()])
            steps = {name: dim.count * dim.lanes for name, dim in self.dims.items()}
            moves = [_move(access, {name: steps[name]}, axis) for name in steps if name != lane]
            along = self.innermost_loop == lane
            again = tuple(filter(any, moves))
            self.out.append(PrefetchInputs(*self._array(access), firsts, axis, steps[lane], again, along))
        for access, points in self._short_rows.values() if widest else ():
            self.prefetch_short_rows(access, points, write=False)

    def prefetch_short_rows(self, access: Access, points: Sequence[Point], write: bool) -> None:
        """Rows that are read under masks of lanes, as they are shorter than a tile, are followed by others: hardware
        prefetchers do not follow such loads."""
        lane, machine = self.lane_dim, self.scope.machine
        if lane is None or not machine.masked or machine.warps or self.dims[lane].end is None:
            return
        lanes, stride = self.addresses.lanes(-1, access)
        along = [axis for axis, index in enumerate(access.index) if index.coefficient(lane)]
        rows = [axis for axis, index in enumerate(access.index) if index.terms and axis not in along]
        if lanes == 1 or stride != integer(1) or access.guard or not rows or not self._is_in_place(-1, access):
            return
        width = self.dims[lane].count * lanes * self.scope.types[access.buffer].size_bytes
        next_row = min(rows, key=lambda axis: abs(axis - along[0]))
        step = max(1, _STEP_BYTES // width)
        move = tuple([step if axis == next_row else 0 for axis in range(len(access.index))])
        places = tuple(dict.fromkeys(shifts_at(access, point) for point in points))
        self.out.append(PrefetchResults(*self._array(access), places, lanes, stride, move, write))

    def _array(self, access: Access) -> tuple[str, ScalarType, Value, tuple[Value, ...]]:
        """The buffer of an access that is not packed, its type, the place of the tile's base in it, and its strides."""
        name = access.buffer
        base = self.addresses.offset(-1, access, tuple(a.terms for a in access.index), (0,) * len(access.index))
        return name, self.scope.types[name], base, tuple(self.scope.strides[name])


def _move(access: Access, steps: Mapping[str, int], but: int = -1) -> tuple[int, ...]:
    """How far so many steps along dimensions are in an array; along the axis `but`, none."""
    move = [sum(index.coefficient(name) * step for name, step in steps.items()) for index in access.index]
    return tuple([0 if axis == but else m for axis, m in enumerate(move)])
