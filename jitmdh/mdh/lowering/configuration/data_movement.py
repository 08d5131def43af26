"""How much a configuration moves: vector loads into registers, and bytes that each cache layer has to hand out.

For a cache, the loops are cut where what their body touches fits it; each run of the loop just outside brings in what
it touches once (so windows that slide overlap for free), and every loop further out does so again.

    for i: for j (8 wide): for k: C[i, j] += A[i, k] · B[k, j]     B fits L2, not L1
    L2 hands out B once for each i, L3 hands it out once in all
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, prod

from jitmdh.base.records import dataclass, record
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, assigned, fused
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

_LINE_BYTES = 64
_USABLE = 0.8  # of a cache: the rest is taken by what is only passing through
_SHORTEST_JUMP = 2048  # bytes from row to row: of nearer ones a page has several, and prefetchers follow


@dataclass(frozen=True, slots=True)
class Movement:
    """Of one execution, by all threads together.

    loads: vector loads (or broadcasts) of the innermost tiles; crossing: those of them that touch two cache lines.
    handed_out: bytes that L2, L3 and memory ("MM") hand out to the layer before them, written results included.
    """

    loads: float
    crossing: float
    handed_out: Mapping[str, float]


def movement(p: Problem, machine: Machine, c: Configuration) -> Movement:
    """What `c` moves, by the model: conflicts in caches and prefetching are left out."""
    c = fused(assigned(c))
    loads, crossing = _loads(p, c)
    return Movement(loads, crossing, handed_out(p, machine, c))


def handed_out(
    p: Problem, machine: Machine, c: Configuration, copies: bool = True, parts: bool = False
) -> Mapping[str, float]:
    """`Movement.handed_out` alone; copies: with what is read of copies. Requires that D1, S1 and R1 agree and D2 is in
    them. What has been asked of a problem before is not computed again.

    parts: as cores take them, one after the other, and each loop's last part as a part of its own; else all parts of a
    core are one, and what is left of a loop is a share of a part. Copies that are not counted take room in caches all
    the same, but not where parts are looked at: such costs are compared with limits that were measured so.
    """
    read, written = _footprints(p, c, copies)
    times_written = 1 if c.scalar_output_region == "MM" else 2  # else lines are read before
    capacities = [machine.capacity_bytes(near) for near, _ in _NEXT]
    key = "handed out", *capacities, c.part_size, c.decomposition_order, id(read), times_written, parts
    found: Mapping[str, float] | None = p.notes.get(key)
    if found is not None:
        return found
    loops = _loops(p, c, parts)
    whole = {d: max(1, n) for d, n in p.extents.items()}
    bodies = [whole, *(loop.body for loop in loops)]
    passing = [] if copies or parts else _footprints(p, c, True)[0]
    touched: dict[int, list[float]] = {}
    held: dict[int, float] = {}

    def bytes_of(number: int) -> list[float]:
        """What a body touches of each array, in whole cache lines: looked at by each cache."""
        if number not in touched:
            body = bodies[number]
            results = (footprint.bytes(body) * times_written for footprint in written)
            touched[number] = [*(footprint.bytes(body) for footprint in read), *results]
        return touched[number]

    def held_by(number: int) -> float:
        """What a body touches in all."""
        if not passing:
            return sum(bytes_of(number))
        if number not in held:
            body = bodies[number]
            held[number] = sum(footprint.bytes(body) for footprint in passing) + sum(bytes_of(number)[len(read) :])
        return held[number]

    dims = [footprint.dims for footprint in (*read, *written)] if parts else None
    found = {far: _missed(loops, bytes_of, held_by, dims, capacity) for (_, far), capacity in zip(_NEXT, capacities)}
    p.notes[key] = found
    return found


_NEXT = (("L1", "L2"), ("L2", "L3"), ("L3", "MM"))


def jumps(p: Problem, machine: Machine, c: Configuration, number: int) -> tuple[float, int]:
    """How often loops come to a part of a row of an input that a core's caches do not hold, by all threads together;
    and how many other rows they have been to since they left this one: few of them are streams, which hardware
    prefetchers follow. (0.0, 0) where all of it is near, or a page has several of the rows that follow each other.

    for j by 12: for k: … B[k, j]     B, larger than the caches, has a jump for each row of each tile along j
    """
    access, loops = p.expression.inp_view[number], _loops(p, c)
    unit, size = p.unit_axes.get(access.buffer), p.expression.buffer(access.buffer).type.size_bytes
    if unit is None or unit >= len(access.index) or not loops:
        return 0.0, 0
    if size * _from_row_to_row(p, access, unit, loops) < _SHORTEST_JUMP:
        return 0.0, 0
    bodies = [p.extents, *(loop.body for loop in loops)]
    read, written = _footprints(p, c, copies=True)
    capacity = _USABLE * machine.capacity_bytes("L2")
    held = (sum(footprint.bytes(body) for footprint in (*read, *written)) for body in bodies)
    fits = next((n for n, touched in enumerate(held) if touched <= capacity), len(loops))
    if fits <= sum(loop.shared for loop in loops[:fits]):
        return 0.0, 0
    around = fits if loops[fits - 1].shared else fits - 1

    def rows(body: Mapping[str, int]) -> int:
        return p.footprint(access, body) // p.span(access, unit, body)

    side_by_side = (n for n, loop in enumerate(loops, 1) if loop.trips > 1 and access.index[unit].coefficient(loop.dim))
    between = rows(bodies[max(side_by_side, default=0)])
    part = max(size * p.span(access, unit, bodies[-1]), _LINE_BYTES)
    parts = ceil(size * p.span(access, unit, bodies[around]) / part)
    return prod(loop.trips for loop in loops[:around]) * rows(bodies[around]) * parts, between


def _from_row_to_row(p: Problem, access: Access, unit: int, loops: Sequence[_PartLoop]) -> int:
    """Elements from a row of an input to the next one that loops come to: of all axes that are faster in memory than
    the one along which they move."""
    rank, faster = len(access.index), [unit]
    moved = (next((n for n, i in enumerate(access.index) if n != unit and i.coefficient(loop.dim)), None)
             for loop in reversed(loops) if loop.trips > 1)  # fmt: skip
    if (axis := next((n for n in moved if n is not None), None)) is not None:
        faster = list(range(axis) if unit == 0 else {*range(axis + 1, rank), unit})
    return prod(p.span(access, n, p.extents) for n in faster)


def copied(p: Problem, c: Configuration) -> dict[int, float]:
    """How many elements of each input are copied in all: copies inside loops that they do not vary with come again."""
    loops, order = _loops(p, c), c.decomposition_order
    found = {}
    for number, level, _ in c.input_region:
        outside = order.index(level) + 1 if level in order else 0
        body = loops[outside - 1].body if outside else p.extents
        elements = p.footprint(p.expression.inp_view[number], body)
        found[number] = prod(loop.trips for loop in loops[:outside]) * elements
    return found


def copying_rounds(p: Problem, c: Configuration) -> float:
    """How often all threads make copies together, outside of what they share."""
    loops, order = _loops(p, c), c.decomposition_order
    cores = next((n for n, level in enumerate(order) if level.layer == "COR"), len(order))
    outside = {order.index(level) + 1 if level in order else 0 for _, level, _ in c.input_region}
    return sum(prod(loop.trips for loop in loops[:n]) for n in outside if n <= cores)


def written_run(p: Problem, c: Configuration) -> int:
    """Bytes of results that follow each other in memory before the loops, from the innermost on, jump elsewhere."""
    return min((_run(p, c, access) for access in p.expression.out_view), default=0)


def _run(p: Problem, c: Configuration, access: Access) -> int:
    size, unit = p.expression.buffer(access.buffer).type.size_bytes, p.unit_axes.get(access.buffer)
    if unit is None or unit >= len(access.index):
        return size
    axes = [index for n, index in enumerate(access.index) if n != unit] + [access.index[unit]]
    loops = _loops(p, c)
    covered = dict(loops[-1].body) if loops else dict(p.extents)
    bodies = [p.extents, *(loop.body for loop in loops)]

    def next_axis() -> set[str]:
        """The dimensions along the fastest axis of which not all is covered."""
        names = ([n for n in index.names if n in p.extents] for index in reversed(axes))
        return next((set(own) for own in names if any(covered[n] < p.extents[n] for n in own)), set())

    for level, loop, around in zip(reversed(c.decomposition_order), reversed(loops), reversed(bodies[:-1])):
        if loop.shared or covered[level.dim] >= around[level.dim] or not p.varies(access, level.dim):
            continue
        if level.dim not in next_axis():
            break
        covered[level.dim] = around[level.dim]
    run = size
    for index in reversed(axes):
        names = [n for n in index.names if n in p.extents]
        run *= 1 + sum(abs(index.coefficient(n)) * (covered[n] - 1) for n in names)
        if any(covered[n] < p.extents[n] for n in names):
            break
    return run


@record(frozen=True, slots=True)
class _PartLoop:
    """A loop over parts of a dimension: how often it runs its body; bodies: extents of all dimensions in it."""

    dim: str
    trips: float
    body: Mapping[str, int]
    shared: bool


def _loops(p: Problem, c: Configuration, parts: bool = False) -> list[_PartLoop]:
    """Outermost first; the body of the last one is the register tile. parts: with a loop of each core over its parts,
    which are whole tiles, behind that for cores. Of one configuration they are
    asked for several times, one after the other."""
    last: tuple[Configuration, list[_PartLoop]] | None = p.notes.get(("loops", parts))
    if last is None or last[0] is not c:
        last = p.notes["loops", parts] = c, _found_loops(p, c, parts)
    return last[1]


def _found_loops(p: Problem, c: Configuration, parts: bool) -> list[_PartLoop]:
    inside = {d: max(1, n) for d, n in p.extents.items()}
    loops = []
    for level in c.decomposition_order:
        around = inside[level.dim]
        inside = {**inside, level.dim: min(around, _part(p, c, level, around))}
        loops.append(_PartLoop(level.dim, around / inside[level.dim], inside, level.layer == "COR"))
        each = -(c.size("COR", level.dim) or 0) if parts and level.layer == "COR" else 1
        if each > 1:
            share, tile = inside[level.dim], c.size("L1", level.dim) or 1
            inside = {**inside, level.dim: ceil(share / min(each, ceil(share / tile)))}
            loops.append(_PartLoop(level.dim, share / inside[level.dim], inside, False))
    return loops


def _part(p: Problem, c: Configuration, level: Level, around: int) -> int:
    size = c.size(level.layer, level.dim)
    if level.layer == "COR":
        return ceil(around / p.threads) if size is None or size <= 0 else size
    return size or 1


def _missed(
    loops: list[_PartLoop],
    bytes_of: Callable[[int], list[float]],
    held_by: Callable[[int], float],
    dims: list[frozenset[str]] | None,
    capacity_bytes: int,
) -> float:
    """Bytes that do not come from a cache of this size: each thread has one of its own. Calls are repeated.

    bytes_of: what all of the computation (0), or the body of the n-th loop from 1 on, touches of each array. dims: what
    each varies with: the last part of a loop needs less of these, and all of the others; None: of all of them less.
    """
    shares = next((n for n, loop in enumerate(loops) if not loop.shared), len(loops))
    numbers = range(len(loops) + 1)
    fits = next((n for n in numbers if held_by(n) <= _USABLE * capacity_bytes), len(loops))
    if fits <= shares:
        return 0.0  # all of it is still there from the call before
    around = (
        fits if loops[fits - 1].shared else fits - 1
    )  # each thread fetches its own share, and what all of them need
    if dims is None:
        return prod(loop.trips for loop in loops[:around]) * sum(bytes_of(around))
    outside = [(loop.dim, loop.trips, ceil(loop.trips)) for loop in loops[:around] if loop.trips > 1]
    return sum(
        size * prod([trips if dim in own else whole for dim, trips, whole in outside])
        for size, own in zip(bytes_of(around), dims)
    )


@record(frozen=True, slots=True)
class _Footprint:
    """What accesses to one array touch that differ in constants only: they count once.

    size: of an element, in bytes; unit: the axis along which elements follow each other, None: any line has one of
    them, or they are copied; spans: for each axis how many places there are for one point, and by how many more
    each dimension moves them.
    """

    size: int
    unit: int | None
    spans: tuple[tuple[int, tuple[tuple[str, int], ...]], ...]

    @property
    def dims(self) -> frozenset[str]:
        """What it varies with."""
        return frozenset(dim for _, moves in self.spans for dim, _ in moves)

    def bytes(self, body: Mapping[str, int]) -> float:
        elements = along = 1
        for axis, (span, moves) in enumerate(self.spans):
            for dim, step in moves:
                span += step * (body[dim] - 1)
            elements *= span
            if axis == self.unit:
                along = span
        if self.unit is None:
            return float(self.size * elements)
        return elements / along * max(self.size * along, _LINE_BYTES if elements > 1 else self.size)


def _footprints(p: Problem, c: Configuration, copies: bool) -> tuple[list[_Footprint], list[_Footprint]]:
    """Of what is read, with what is read of copies or without, and of what is written."""
    copied = frozenset(n for n, _, region in c.input_region if region != "REG")
    key = "footprints", copied, copies or not copied
    found: tuple[list[_Footprint], list[_Footprint]] | None = p.notes.get(key)
    if found is None:
        found = p.notes[key] = _found_footprints(p, copied, copies)
    return found


def _found_footprints(
    p: Problem, copied: frozenset[int], copies: bool
) -> tuple[list[_Footprint], list[_Footprint]]:  # fmt: skip
    reads: dict[tuple[str, tuple[object, ...], bool], list[Access]] = {}
    for number, access in enumerate(p.expression.inp_view):
        key = (access.buffer, tuple(index.terms for index in access.index), number in copied)
        reads.setdefault(key, []).append(access)
    read = [_footprint(p, same, key[2]) for key, same in reads.items() if copies or not key[2]]
    return read, [_footprint(p, [access], False) for access in p.expression.out_view]


def _footprint(p: Problem, same: Sequence[Access], copied: bool) -> _Footprint:
    first, spans = same[0], []
    for axis, index in enumerate(first.index):
        shifts = [access.index[axis].constant for access in same]
        moves = tuple((n, abs(k)) for n, k in index.terms if n in p.extents)
        spans.append((1 + max(shifts) - min(shifts), moves))
    unit = p.unit_axes.get(first.buffer)
    if copied or unit is None or unit >= len(spans):
        unit = None
    return _Footprint(p.expression.buffer(first.buffer).type.size_bytes, unit, tuple(spans))


def _loads(p: Problem, c: Configuration) -> tuple[float, float]:
    """Vector loads of all tiles, and how many of them are shifted against cache lines."""
    lanes = {level.dim: n for level, n in c.part_size if level.layer == "REG" and n > 1}
    counts = {d: max(1, min(c.size("L1", d) or 1, max(1, n)) // lanes.get(d, 1)) for d, n in p.extents.items()}
    tiles = p.points / (prod(counts.values()) * prod(lanes.values()))
    copied = {n for n, _, region in c.input_region if region != "REG"}
    loads = crossing = 0.0
    for number, access in enumerate(p.expression.inp_view):
        places = p.distinct(access, counts)
        kinds = {p.lane_kind(access, d) for d in lanes}
        if "apart" in kinds and number not in copied:
            places *= prod(lanes.values())
        loads += places * tiles
        if "contiguous" in kinds and number not in copied and _shifted(p, access, lanes):
            crossing += places * tiles
    return loads, crossing


def _shifted(p: Problem, access: Access, lanes: Mapping[str, int]) -> bool:
    """Whether vectors start anywhere in a line: other dimensions, or a constant, move them along it."""
    unit = p.unit_axes.get(access.buffer)
    if unit is None or unit >= len(access.index):
        return False
    index = access.index[unit]
    width = next(iter(lanes.values()), 1)
    return bool(index.constant % width) or any(n not in lanes for n in index.names if n in p.extents)
