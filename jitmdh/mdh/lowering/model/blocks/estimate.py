"""What a configuration for blocks of threads takes on a GPU, from facts of its maker: occupancy, bytes by level, waves.

A block keeps four things busy: the schedulers of its multiprocessor (instructions), its load and store unit (accesses
of warps), the second-level cache, and memory; the busiest of them decides, unless too few threads wait for too long.
Nothing of it is measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import ceil, gcd, prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.scalar import Operation, ScalarFunction, Variable
from jitmdh.mdh.lowering.model.blocks.accesses import (
    SECTOR,
    SharedLoads,
    digits_of,
    filling,
    is_in_vectors,
    mean_sectors,
    places,
    row_sectors,
    sectors,
    shared_loads,
)
from jitmdh.mdh.lowering.model.blocks.combination import combination_seconds
from jitmdh.mdh.lowering.model.blocks.geometry import Geometry
from jitmdh.mdh.lowering.model.blocks.latencies import (
    BARRIER_CLOCKS,
    CACHE_CLOCKS,
    LAUNCH_SECONDS,
    MEMORY_CLOCKS,
    SHARE_OF_L2,
    SHARED_CLOCKS,
    UNROLLED,
)
from jitmdh.mdh.lowering.problem.traffic import Problem, operations
from jitmdh.mdh.lowlevel.blocks import width
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel
from jitmdh.mdh.lowlevel.layout import PADDING, Layout
from jitmdh.mdh.machine.blocks import VECTOR_BYTES, tiles_of
from jitmdh.mdh.machine.gpu import WARP
from jitmdh.mdh.machine.multiprocessors import Gpu

_SHARE_OF_MEMORY = 0.9  # of its bytes a second that copies reach
_SCHEDULERS = 4  # of a multiprocessor: instructions of warps in a clock
_BUSY_WARPS = 24  # independent instructions that keep the schedulers busy
_NOT_HIDDEN = 0.1  # of what takes less time than what takes the most
_CLOCKS_OF_A_LOAD, _INSTRUCTIONS_OF_A_LOAD = 2, 3  # from global memory, by the first-level cache: tags, wide addresses
_INSTRUCTIONS_OF_A_COPY, _INSTRUCTIONS_OF_A_LOOP, _INSTRUCTIONS_OF_A_RESULT = 12, 4, 8
_WAITING_VALUES = 64  # of a thread without accumulators: its points are computed one after the other
_BASE_REGISTERS, _REGISTERS_OF_AN_ARRAY, _MOST_REGISTERS = 24, 4, 255


@dataclass(frozen=True, slots=True)
class Estimate:
    """seconds: of one launch; blocks, threads: of a block; resident: blocks that a multiprocessor has room for; held:
    as many of them as there are; registers: of a thread; shared_bytes: of a block; used: the share of loaded sectors
    that was asked for; conflicts: accesses to shared memory for each that is without conflicts; limit: what takes the
    longest."""

    seconds: float
    blocks: int
    threads: int
    resident: int
    held: int
    waves: int
    registers: int
    shared_bytes: int
    used: float
    conflicts: float
    limit: str

    def __str__(self) -> str:
        return (
            f"{self.seconds * 1e6:.1f} us by the model, for {self.limit}: {self.blocks} blocks of {self.threads} "
            f"threads, {self.resident} at a time, {self.waves} waves; {self.registers} registers, "
            f"{self.shared_bytes} bytes shared; {self.used:.2f} of sectors used, {self.conflicts:.2f} conflicts"
        )


def estimate(p: Problem, gpu: Gpu, low: LowLevel) -> Estimate | None:
    """None: a multiprocessor does not hold such a block."""
    return _Estimated(p, gpu, low).all()


def with_layouts(p: Problem, gpu: Gpu, low: LowLevel) -> LowLevel:
    """Each copy laid out so that the banks of shared memory take the fewest steps."""
    known = _Estimated(p, gpu, low)
    copies = []
    for copy in low.copies:
        best, (cost, least) = copy, known.costs_of_banks(copy)
        for layout in known.layouts(copy):
            other = replace(copy, layout=layout)
            found, of_such = known.costs_of_banks(other)
            least = min(least, of_such)  # layouts in which neighbours come by one access have a lower one
            if found < cost:
                best, cost = other, found
            if cost <= least:
                break
        copies.append(best)
    return replace(low, copies=tuple(copies))


@dataclass(slots=True)
class _Loads:
    """Of one place in a nest, a block each time: accesses of warps, sectors that these touch, bytes they ask for."""

    accesses: float = 0
    sectors: float = 0
    bytes: float = 0


class _Estimated(Geometry):
    # -------------------------------------------------------------------------------------------- loads

    def of_copy(self, copy: Copy) -> tuple[_Loads, SharedLoads]:
        """What fills a copy loads, each time, and what a warp stores for one of these accesses."""
        access = self.p.expression.inp_view[copy.access]
        widths, size, steps = self.widths(copy), self.size(access), self.strides[access.buffer]
        elements, lanes = prod(widths), self.lanes(copy)
        first = sum(index.constant * step for index, step in zip(access.index, steps))
        unit = self.p.unit_axes.get(access.buffer)
        count = min(WARP, self.threads, elements // lanes)
        stored = filling(count, copy.layout, tuple(widths), unit, size, lanes)
        loads = _Loads(ceil(elements / lanes / WARP), row_sectors(widths, steps, first, size), elements * size)
        return loads, stored

    def lanes(self, copy: Copy) -> int:
        """How many neighbours a thread copies at once: arrays are taken to begin at multiples of 16 bytes."""
        access, widths = self.p.expression.inp_view[copy.access], self.widths(copy)
        unit = self.p.unit_axes.get(access.buffer)
        if unit is None or any(name not in self.p.extents or self.is_ragged(name) for name in access.index[unit].names):
            return 1
        lanes = gcd(VECTOR_BYTES // self.size(access), widths[unit])
        steps = self.strides[access.buffer]
        along = [step for axis, step in enumerate(steps) if axis != unit and widths[axis] > 1]
        around = [q for n, q in enumerate(self.parts) if q.way == "block" or (q.way == "loop" and n <= copy.at)]
        moves = [c * part.size for part in around for name, c in access.index[unit].terms if name == part.dim]
        if tiles_of(copy.region) > 1 and lanes > 1 and not is_in_vectors(copy.layout, widths, unit, lanes):
            return 1
        return lanes if not any(n % lanes for n in (access.index[unit].constant, *along, *moves)) else 1

    def is_ragged(self, dim: str) -> bool:
        """Whether the largest parts of a dimension are cut short."""
        return self.extent(dim) % max((q.size for q in self.parts if q.dim == dim), default=1) != 0

    def of_points(self) -> tuple[_Loads, SharedLoads, int]:
        """What the points of threads load from global memory, in all warps of a block, and what from shared memory;
        values that a thread loads."""
        loads, banks, values = _Loads(), SharedLoads(), 0
        known: set[tuple[object, ...]] = set()
        for number, access in enumerate(self.reads):
            shifts = self._shifts(number, access) - known
            known |= shifts
            values += len(shifts) * max(1, self.size(access) // 4)
            size, copy = self.size(access), self.copied.get(number)
            if copy is not None:
                banks = banks.plus(self.shared_loads(copy), self.warps)
                continue
            elements = places(access, self.strides[access.buffer], self.places)
            loads.accesses += len(shifts) * self.warps
            loads.sectors += len(shifts) * mean_sectors(elements, self.moves(access), size) * self.warps
            loads.bytes += len(shifts) * len(set(elements)) * size * self.warps
        return loads, banks, values

    def costs_of_banks(self, copy: Copy) -> tuple[float, float]:
        """Clocks of all that fills a copy and reads it, in a block: steps of the banks, and instructions; and the least
        that another layout could come to."""
        loads, stored = self.of_copy(copy)
        read, most = self.shared_loads(copy), max(1, VECTOR_BYTES // self.size(self.p.expression.inp_view[copy.access]))
        times, often = self.warps * self.trips(len(self.parts)), self.trips(copy.at)
        fewest = read.accesses / most if _has_runs(self.tile) else read.accesses
        least = stored.ideal * loads.accesses * often + (read.ideal + fewest / 2) * times
        filled = (stored.steps + stored.accesses / 2) * loads.accesses * often
        return filled + (read.steps + read.accesses / 2) * times, least

    def layouts(self, copy: Copy) -> Sequence[Layout]:
        """Beside that of the array: with the first axis, or the last, further apart by one element or by as many as a
        thread loads at once, and the same transposed. None where that of the array needs no other."""
        access, widths = self.p.expression.inp_view[copy.access], self.widths(copy)
        long = [axis for axis, n in enumerate(widths) if n > 1]
        read, stored, runs = self.shared_loads(copy), self.of_copy(copy)[1], _has_runs(self.tile)
        if len(long) < 2 or (stored.steps == stored.ideal and read.steps == read.ideal and not runs):
            return ()
        found: list[Layout] = []
        for order in (long, long[::-1]):
            digits = tuple((axis, 1) for axis in (*(a for a in range(len(widths)) if widths[a] == 1), *order))
            padded = ((PADDING, n) for n in ((1, max(2, VECTOR_BYTES // self.size(access))) if runs else (1,)))
            places = dict.fromkeys((len(digits) - 1, len(digits) - len(long) + 1))
            found += [digits, *((*digits[:at], pad, *digits[at:]) for pad in padded for at in places)]
        return found[1:]

    def _shifts(self, number: int, access: Access) -> set[tuple[object, ...]]:
        """The different elements that the points of a thread read by an access, told apart from those of others."""
        terms = tuple(index.terms for index in access.index)
        names = [name for name in self.p.extents if len(self.tile[name]) > 1 and self.p.varies(access, name)]
        direct = {name for index in access.index for name in index.names}
        through_data = any(name not in self.p.extents for name in direct)
        which = (number if number in self.copied else -1, access.buffer, terms)
        found: set[tuple[object, ...]] = set()
        for offsets in product(*(self.tile[name] for name in names)):
            at = dict(zip(names, offsets))
            shift = tuple(i.constant + sum(c * at.get(n, 0) for n, c in i.terms) for i in access.index)
            found.add((*which, shift, *(offsets if through_data else ())))
        return found

    def shared_loads(self, copy: Copy) -> SharedLoads:
        """What the points of a warp's threads load from a copy: neighbours by one access, as the pass `wide_loads`."""
        access = self.p.expression.inp_view[copy.access]
        size, (digits, _) = self.size(access), digits_of(copy.layout, self.widths(copy))
        apart = {axis: stride for axis, _, _, stride in digits}
        along = dict.fromkeys(self.tile, 0)
        for axis, index in enumerate(access.index):
            for name, factor in index.terms:
                along[name] = along.get(name, 0) + factor * apart[axis]
        moving = [(name, factor) for name in self.thread_dims if (factor := along[name])]
        places = [sum(factor * at[name] for name, factor in moving) for at in self.places]
        first = min(places)
        points = {0}
        for name, offsets in self.tile.items():
            if along[name] and len(offsets) > 1:
                points = {n + along[name] * offset for n in points for offset in offsets}
        steps = [along[self.parts[n].dim] * self.parts[n].size for n in self.loops if n > copy.at]
        return shared_loads(tuple(n - first for n in places), frozenset(points), tuple(steps), size)

    def _block_sectors(self, access: Access, spans: Mapping[str, int]) -> float:
        """Of the elements of an access that these parts of the iteration space come to, each loaded once."""
        widths = [width(index, spans) for index in access.index]
        return row_sectors(widths, self.strides[access.buffer], 0, self.size(access))

    # -------------------------------------------------------------------------------------- a multiprocessor

    def registers(self, values: int) -> int:
        """Accumulators, what a step loads, and addresses."""
        e = self.p.expression
        groups = self.p.groups
        words = sum(max(1, t.size_bytes // 4) for t in groups[0].operator.types) if groups else 1
        held = self.results * words if groups else min(self.points, 8) * 2
        values = values if groups else min(values, _WAITING_VALUES)
        if any(self.p.constant_extent(self.parts[n].dim) for n in self.loops):
            values *= 2  # the compiler unrolls such loops, and loads for the next iteration meanwhile
        arrays = len({a.buffer for a in (*self.reads, *e.out_view)})
        return _BASE_REGISTERS + held + values + _REGISTERS_OF_AN_ARRAY * arrays

    def shared_bytes(self) -> int:
        total = 0
        for copy in self.low.copies:
            widths = self.widths(copy)
            size = digits_of(copy.layout, widths)[1] * self.size(self.p.expression.inp_view[copy.access])
            tiles = tiles_of(copy.region)
            total += size if tiles == 1 else tiles * ceil(size / VECTOR_BYTES) * VECTOR_BYTES
        if self.combining > 1:
            total += self.results * self.threads * sum(t.size_bytes for t in self.p.groups[0].operator.types)
        return total

    @cached_property
    def combining(self) -> int:
        """Threads that combine what they have of the same results."""
        shared = (q for q in self.parts if q.way == "thread" and q.dim in self.p.collapsed)
        return prod(self.count(q) for q in shared)

    def resident(self, registers: int, shared_bytes: int) -> int:
        gpu = self.gpu
        by_registers = gpu.registers // (-(-registers // 8) * 8 * self.warps * WARP)
        by_shared = gpu.shared_bytes // (shared_bytes + 1024) if shared_bytes else gpu.blocks
        return min(by_registers, by_shared, gpu.threads // (self.warps * WARP), gpu.blocks)

    def all(self) -> Estimate | None:
        points, banks, values = self.of_points()
        registers, shared_bytes = self.registers(values), self.shared_bytes()
        resident = self.resident(registers, shared_bytes) if registers <= _MOST_REGISTERS else 0
        if not resident:
            return None
        rounds = self.trips(len(self.parts))
        loads = _Loads(points.accesses * rounds, points.sectors * rounds, points.bytes * rounds)
        steps, ideal = banks.steps * rounds, banks.ideal * rounds
        loaded = (points.accesses + banks.accesses) / self.warps
        instructions = self._instructions(loaded, rounds) + (_INSTRUCTIONS_OF_A_LOAD - 1) * loads.accesses
        waiting = rounds * (CACHE_CLOCKS / UNROLLED if points.accesses else SHARED_CLOCKS / UNROLLED)
        in_flight = min(UNROLLED if rounds > 1 else 1, 8) * points.accesses / self.warps
        moved = self._direct_sectors(rounds)
        for copy in self.low.copies:
            one, stored = self.of_copy(copy)
            times = self.trips(copy.at)
            loads.accesses += one.accesses * times
            loads.sectors += one.sectors * times
            loads.bytes += one.bytes * times
            moved += one.sectors * times
            steps += stored.steps * one.accesses * times
            ideal += stored.ideal * one.accesses * times
            stores = stored.accesses - 1 if tiles_of(copy.region) == 1 else 0  # else loads do that, too
            instructions += (_INSTRUCTIONS_OF_A_COPY + stores) * one.accesses * times
            in_flight += _on_their_way(tiles_of(copy.region), one.accesses / self.warps)
        if self.combining > 1:
            levels = (self.combining - 1).bit_length()
            waiting += levels * (BARRIER_CLOCKS + SHARED_CLOCKS)
            instructions += levels * 8 * self.results * self.warps
        sectors_moved = loads.sectors + self._stored_sectors()
        units = {
            "instructions": instructions / _SCHEDULERS,
            "arithmetic": self._arithmetic(rounds),
            "accesses": steps + max(_CLOCKS_OF_A_LOAD * loads.accesses, sectors_moved * SECTOR / 64),
        }
        for at, tiles in {copy.at: tiles_of(copy.region) for copy in self.low.copies}.items():
            waiting += _waiting_for_copies(self.trips(at), tiles, max(units.values()))
        return self._in_time(units, loads, moved, waiting, in_flight, resident, registers, shared_bytes,
                             steps / ideal if ideal else 1.0)  # fmt: skip

    def _instructions(self, loaded: float, rounds: int) -> float:
        """Of all warps of a block: at its points and for its results. loaded: accesses of a thread at its points."""
        at_points = self.points * self._operations() + loaded + _INSTRUCTIONS_OF_A_LOOP
        return self.warps * (rounds * at_points + _INSTRUCTIONS_OF_A_RESULT * self.results + 40)

    def _operations(self) -> int:
        """At a point: a product and the sum that takes it are one."""
        e, groups = self.p.expression, self.p.groups
        fused = bool(groups) and _is(groups[0].operator.function, "add") and _is(e.md_hom.function, "mul")
        return max(1, operations(e) - fused)

    def _arithmetic(self, rounds: int) -> float:
        """Clocks of a multiprocessor's units."""
        e = self.p.expression
        bits = max((b.type.bits for b in e.buffers if b.type.is_floating), default=32)
        lanes = self.gpu.lanes64 if bits == 64 else self.gpu.lanes32
        return self.warps * WARP * rounds * self.points * self._operations() / lanes

    def _stored_sectors(self) -> float:
        """That the results of a block touch, store by store."""
        writing = self.warps / self.combining
        return sum(
            self.results * writing * sectors(places(a, self.strides[a.buffer], self.places), self.size(a))
            for a in self.p.expression.out_view
        )

    def _direct_sectors(self, rounds: int) -> float:
        """What a block loads from the second-level cache beside its copies: once if the first level holds it."""
        inner = self.spans(self.loops[-1] if self.loops else len(self.parts))
        whole = self.spans(-1)
        total = 0.0
        seen: set[tuple[object, ...]] = set()
        for number, access in enumerate(self.reads):
            terms = (access.buffer, *(index.terms for index in access.index))
            if number in self.copied or terms in seen:
                continue
            seen.add(terms)
            once = self._block_sectors(access, whole)
            window = self._block_sectors(access, inner) * SECTOR
            fits = window * 4 <= self.gpu.l1_bytes / 2
            elements = places(access, self.strides[access.buffer], self.places)
            total += once if fits else max(once, self.warps * rounds * sectors(elements, self.size(access)))
        return total

    # ----------------------------------------------------------------------------------------- the whole

    def _in_time(
        self, units: Mapping[str, float], loads: _Loads, moved: float, waiting: float, in_flight: float,
        resident: int, registers: int, shared_bytes: int, conflicts: float,
    ) -> Estimate:  # fmt: skip
        gpu, blocks = self.gpu, prod(self.blocks.values())
        each = ceil(blocks / gpu.multiprocessors)
        there = min(resident, each)
        waves = ceil(blocks / (gpu.multiprocessors * resident))
        busy = min(1.0, there * self.warps * min(max(self.points, in_flight), 6) / _BUSY_WARPS)
        times = {unit: each * clocks / busy / gpu.clock_hz for unit, clocks in units.items()}
        times["waiting"] = waves * waiting / gpu.clock_hz
        stored = self._stored_sectors()
        l2 = (moved + stored) * SECTOR * blocks
        times["second-level cache"] = l2 / (SHARE_OF_L2 * gpu.l2_clock_bytes * gpu.clock_hz)
        # By Little's law: as many bytes are on their way as it takes for memory to be busy.
        asked = loads.bytes / max(1.0, loads.accesses) * in_flight * self.warps * there
        rate = asked / (MEMORY_CLOCKS / gpu.clock_hz) * min(gpu.multiprocessors, blocks)
        rate = min(_SHARE_OF_MEMORY * gpu.memory_bytes, rate) if asked else _SHARE_OF_MEMORY * gpu.memory_bytes
        times["memory"] = self._memory_bytes(l2, waves, resident) / rate
        again = combination_seconds(self, self.combining)
        limit = max(times, key=lambda name: times[name])
        used = min(1.0, loads.bytes / (loads.sectors * SECTOR)) if loads.sectors else 1.0
        seconds = LAUNCH_SECONDS + again + times[limit] + _NOT_HIDDEN * (sum(times.values()) - times[limit])
        return Estimate(
            seconds, blocks, self.threads, resident, there, waves, registers, shared_bytes, used, conflicts, limit,
        )  # fmt: skip

    def _memory_bytes(self, l2: float, waves: int, resident: int) -> float:
        """What memory moves: each element once where the second-level cache holds them all, else what each wave of
        blocks touches."""
        e = self.p.expression
        arrays = {a.buffer: self.p.bytes_of(a) for a in (*self.reads, *e.out_view)}
        if e.finish is not None:
            arrays |= {f"{a.buffer} before": self.p.bytes_of(a) for a in e.finish.inp_view}
        least = float(sum(arrays.values()))
        if least <= self.gpu.l2_bytes / 2:
            return least
        left, spans = self.gpu.multiprocessors * resident, self.spans(-1)
        for dim in reversed([q.dim for q in self.parts if q.way == "block"]):
            side = min(self.blocks[dim], max(1, left))
            spans[dim] = min(self.extent(dim), spans[dim] * side)
            left //= max(1, side)
        touched = {(a.buffer, *(i.terms for i in a.index)): a for a in self.reads}
        again = waves * sum(self._block_sectors(a, spans) * SECTOR for a in touched.values())
        return max(least, min(l2, again))


def _has_runs(tile: Mapping[str, Sequence[int]]) -> bool:
    """Whether points of a thread are neighbours. tile: where they are, by dimension."""
    return any(1 in offsets for offsets in tile.values())


def _on_their_way(tiles: int, accesses: float) -> float:
    """What a thread loads for copies before it needs any of that: as much as its registers hold, or whole tiles."""
    return min(16.0, accesses) if tiles == 1 else accesses * (tiles - 1)


def _waiting_for_copies(times: int, tiles: int, busy: float) -> float:
    """Clocks in so many parts: barriers, and until what is copied is there; what is copied ahead arrives meanwhile.
    busy: clocks of the block's other work."""
    if tiles == 1:
        return times * (MEMORY_CLOCKS + 2 * BARRIER_CLOCKS)
    rest = max(0.0, MEMORY_CLOCKS - (tiles - 1) * busy / times)
    return MEMORY_CLOCKS + times * (rest + BARRIER_CLOCKS)


def _is(function: ScalarFunction, operation: str) -> bool:
    """Whether the first result of a function is that of this operation."""
    first = function.results[0]
    bound = {variable: value for variable, value in function.bindings}
    first = bound.get(first, first) if isinstance(first, Variable) else first
    return isinstance(first, Operation) and first.op == operation
