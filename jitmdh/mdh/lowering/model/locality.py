"""Whether neighbouring expressions go under one loop: what stays near a core is then not moved to and from memory."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from math import inf, log2, prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Expression, Program, Step, Together, expressions
from jitmdh.mdh.algebra.independence import touched, whole_name
from jitmdh.mdh.algebra.rewrites.neighbours.lanes import in_lanes, stores
from jitmdh.mdh.algebra.rewrites.neighbours.together import together
from jitmdh.mdh.algebra.rewrites.shared_storage import with_shared_storage
from jitmdh.mdh.lowering.problem.prices import prices
from jitmdh.mdh.lowering.problem.traffic import operations
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.tensor.vectors import Vectors

# Operations of one step at one point that are worth loops of their own.
_LEAST_WORK = 64
# Points for each core: else the dimensions inside are what cores should share.
_POINTS_PER_CORE = 4
_SHARE_OF_CACHE = 2
_SMALL_SHARE_OF_L2 = 8
# Vectors of a row whose reduction to one number takes no longer than what is behind it has to wait.
_SHORT_ROW = 24
# Rows that go through one step before the next one, if they are short: with two, steps still wait for each other.
_LEAST_BLOCK = 4
# Cycles of what stands before the loops of a step: addresses, where they end, masks. About the code, whatever machine.
_ENTERED = 10.0

UnitAxes = Mapping[str, int | None]
NOTHING: UnitAxes = {}


def apart(
    t: Together, sizes: Mapping[str, int], machine: Machine, threads: int, unit_axes: UnitAxes = NOTHING
) -> str | None:  # fmt: skip
    """Why the steps of `t` had better stay apart, each over all points by itself; None: they go together.

    sizes: of the call; without those that an extent needs they stay apart. unit_axes: of arrays, along which neighbours
    lie in memory; of all others it is the last one.
    """
    try:
        shape = _Shape.of(t, sizes)
    except KeyError:
        return "sizes are not known"
    reason = _whatever_a_point_is(t, shape, machine, threads, unit_axes)
    if reason is not None:
        return reason
    if shape.is_little():
        return f"one point of {t.dim.name} is too little work"
    own, shared = shape.own, shape.shared
    if shape.total <= machine.capacity_bytes("L3") and shape.shortest_row(machine) < _SHORT_ROW:
        return f"reductions of short rows would wait for each other, point by point of {t.dim.name}"
    if own + shared <= machine.capacity_bytes("L2") // _SHARE_OF_CACHE:
        return None
    cache = "L3" if all(reads_once(e, t.dim.name) for e in shape.steps) else "L2"  # L3 is as good, unless used again
    if cache == "L2" or threads * own + shared > machine.capacity_bytes("L3") // _SHARE_OF_CACHE:
        return f"one point of {t.dim.name} takes {own + shared} bytes, more than half of {cache}"
    if shape.total <= machine.capacity_bytes("L3"):
        return "all of it stays in L3 as it is"
    return None


def points_in_block(
    t: Together, sizes: Mapping[str, int], machine: Machine, threads: int, unit_axes: UnitAxes = NOTHING
) -> int | None:  # fmt: skip
    """How many points of `t` had better go through one step before the next one, near a core; None: one, or all.

    A point is a short row that steps reduce: what comes next waits for the row's lanes to be combined, while a step
    over all rows has the next row to go on with. With a few rows at a time there are others, too, and all of it stays
    near.
    """
    try:
        shape = _Shape.of(t, sizes)
    except KeyError:
        return None
    row = shape.shortest_row(machine)
    if not shape.extents[-1] and not shape.steps[-1].collapsed:  # a number of each row: lanes go across all rows
        return None
    if row >= _SHORT_ROW or _whatever_a_point_is(t, shape, machine, threads, unit_axes) is not None:
        return None
    # Fewer rows than lanes: with as many, lanes may go across the rows, whose elements lie apart.
    lanes = machine.vector_bits // max(b.type.bits for e in shape.steps for b in e.buffers)
    most = lanes // 2
    size = min(_LEAST_BLOCK, most)
    while 2 * size <= most and 2 * size * max(1.0, row) <= _SHORT_ROW:
        size *= 2
    if size < 2:
        return None
    enough = shape.points >= size * _POINTS_PER_CORE * max(threads, 2)
    near = size * shape.own + shape.shared <= machine.capacity_bytes("L2") // _SHARE_OF_CACHE
    worth = shape.total > machine.capacity_bytes("L3") or _saves_more(t, shape, sizes, machine, size, lanes)
    return size if enough and near and worth else None


def _saves_more(
    t: Together, shape: _Shape, sizes: Mapping[str, int], machine: Machine, size: int, lanes: int
) -> bool:  # fmt: skip
    """Whether what does not come from L3 again takes longer than to wait for the last row of each block.

    Half of the lanes are shuffled and combined with the others, again and again: each takes as long as a multiply-add.
    """
    alone = (
        replace(t, body=(e,), local=tuple(a for a in t.local if any(whole_name(b) == a.name for b in e.buffers)))
        for e in shape.steps
    )
    one_by_one = sum(bytes_of_point(each, sizes)[0] for each in alone)
    saved = one_by_one - bytes_of_point(replace(t, local=()), sizes)[0]
    waiting = sum(bool(e.collapsed) for e in shape.steps) * 2 * machine.figures.latency * log2(lanes)
    waiting += len(shape.steps) * _ENTERED
    return saved / prices(machine, threads=1).stalls["L3"] > waiting / size


@dataclass(frozen=True, slots=True)
class _Shape:
    """A `Together` in numbers. extents: inside, of each step; own, shared: bytes that one point touches, its own and
    those of all points."""

    steps: tuple[Expression, ...]
    dim: str
    points: int
    extents: tuple[Mapping[str, int], ...]
    own: int
    shared: int

    @staticmethod
    def of(t: Together, sizes: Mapping[str, int]) -> _Shape:
        """KeyError where sizes are not known."""
        inside, steps = {**sizes, t.dim.name: 0}, tuple(expressions(t.body))
        extents = tuple({d.name: max(0, d.extent.evaluate(inside)) for d in e.md_hom.dims} for e in steps)
        return _Shape(steps, t.dim.name, max(0, t.dim.extent.evaluate(sizes)), extents, *bytes_of_point(t, sizes))

    @property
    def total(self) -> int:
        """Bytes that all points touch."""
        return self.own * self.points + self.shared

    def is_little(self) -> bool:
        """Whether the loops of a step take as long as what they do at one point."""
        return any(prod(n.values()) * max(1, operations(e)) < _LEAST_WORK for e, n in zip(self.steps, self.extents))

    def shortest_row(self, machine: Machine) -> float:
        """Vectors of the shortest row that a step makes one number of; infinite if none does.

        mean = Σ_j x[i, j] / n; variance = Σ_j (x[i, j] - mean)²: lanes of a sum are combined at the end of a row, and
        what comes next takes as long as the row itself.
        """
        rows = (
            prod(n.values()) * max(b.type.bits for b in e.buffers) / machine.vector_bits
            for e, n in zip(self.steps, self.extents)
            if e.collapsed and set(e.remaining) <= {self.dim}
        )
        return min(rows, default=inf)


def _whatever_a_point_is(
    t: Together, shape: _Shape, machine: Machine, threads: int, unit_axes: UnitAxes
) -> str | None:  # fmt: skip
    """Why steps stay apart, one point at a time and several."""
    steps, dim, local = shape.steps, t.dim.name, {a.name for a in t.local}
    if shape.points < _POINTS_PER_CORE * max(threads, 2):
        return f"{dim} has only {shape.points} points"
    if any(_is_along(a, dim, unit_axes) for e in steps for a in _all(e)):
        return f"neighbours in memory are points of {dim}"
    if not (_meets(steps[:1], steps[1:], dim, local) and _meets(steps[:-1], steps[-1:], dim, local)):
        return "they have no arrays in common"
    if any(_multiplies_a_row(e, dim, local) for e in steps):
        return f"a matrix would be read again for each point of {dim}"
    if shape.total <= machine.capacity_bytes("L2"):
        return "all of it stays in L2 as it is"
    return None


def _is_along(access: Access, dim: str, unit_axes: UnitAxes) -> bool:
    """Whether neighbours in memory are points of `dim`, and further ones of other dimensions."""
    rank, axis = len(access.index), unit_axes.get(access.buffer)
    return rank > 1 and bool(access.index[rank - 1 if axis is None else axis].coefficient(dim))


def fits_l2(t: Together, sizes: Mapping[str, int], machine: Machine) -> bool:
    """Whether what one point of `t` touches stays in a core's L2. KeyError where sizes are not known."""
    return sum(bytes_of_point(t, sizes)) <= machine.capacity_bytes("L2") // _SHARE_OF_CACHE


def written_in_all(t: Together, e: Expression, sizes: Mapping[str, int]) -> dict[str, int]:
    """Bytes of what `e` writes in all points of `t`, by buffer: arrays that no other step of `t` touches."""
    others = {whole_name(b) for step in expressions(t.body) if step is not e for b in step.buffers}
    return _bytes_in_all(t, e, e.out_view, others, sizes)


def first_touched(t: Together, e: Expression, sizes: Mapping[str, int]) -> dict[str, int]:
    """Bytes of what `e` reads or writes in all points of `t`, by buffer: arrays of which each point has its own part,
    that no step before it in `t` touches."""
    before = takewhile(lambda step: step is not e, expressions(t.body))
    others = {whole_name(b) for step in before for b in step.buffers} | {array.name for array in t.local}
    return _bytes_in_all(t, e, (*e.reads, *e.out_view), others, sizes)


def _bytes_in_all(
    t: Together, e: Expression, accesses: Iterable[Access], others: Container[str], sizes: Mapping[str, int]
) -> dict[str, int]:
    """Bytes of the whole buffers of accesses that vary with the points of `t`, by name; not of `others`."""
    found: dict[str, int] = {}
    for access in accesses:
        buffer = e.buffer(access.buffer)
        known = all(n in sizes for extent in buffer.shape for n in extent.names)
        if known and whole_name(buffer) not in others and any(i.coefficient(t.dim.name) for i in access.index):
            found[buffer.name] = buffer.type.size_bytes * prod(max(0, n.evaluate(sizes)) for n in buffer.shape)
    return found


def is_near(program: Program, sizes: Mapping[str, int], machine: Machine) -> bool:
    """Whether all arrays together are far smaller than L2: then `apart` has a reason whatever goes together."""
    shapes = {whole_name(b): (b.type, b.shape) for e in expressions(program.steps) for b in e.buffers}
    try:
        total = sum(t.size_bytes * prod(max(0, n.evaluate(sizes)) for n in shape) for t, shape in shapes.values())
    except KeyError:
        return False
    return total * _SMALL_SHARE_OF_L2 <= machine.capacity_bytes("L2")


def lanes_of_all(program: Program, machine: Machine) -> int:
    """How many elements of its widest type a vector has."""
    return machine.vector_bits // max((b.type.bits for e in expressions(program.steps) for b in e.buffers), default=8)


def vectors_of(machine: Machine) -> Vectors:
    """What sums over known zeros are lowered by."""
    masked = "+avx512vl" in machine.features.split(",")
    whole, half = (machine.figures.wide(bits) for bits in (machine.vector_bits, machine.vector_bits // 2))
    cost = min(1.0, whole.multiply_adds / half.multiply_adds)
    size = machine.vector_bits // 8
    streamed = max(1.0, whole.multiply_adds * size / machine.figures.l2.bytes_per_cycle)
    return Vectors(size, masked, cost, whole.gather * whole.multiply_adds, streamed)


def on_lanes(program: Program, dim: str, machine: Machine) -> Program:
    """`program` with the points of `dim` on vector lanes, where a block of them stays near a core; else as it is."""
    lanes = lanes_of_all(program, machine)
    made = in_lanes(together(program, lambda t, _: t.dim.name == dim, least=1), lanes) if lanes > 1 else program
    blocks = [s for s in with_shared_storage(made, 0).steps if isinstance(s, Together)]
    near = machine.capacity_bytes("L2") // _SHARE_OF_CACHE
    return made if blocks and all(_local_bytes(s) <= near for s in blocks) else program


def stored_on_lanes(program: Program, dim: str, lanes: int, stored: Collection[str]) -> Program | None:
    """`program` for arrays whose points of `dim` are stored in blocks of `lanes`; None if some step has none."""
    whole = together(program, lambda t, _: t.dim.name == dim, least=1)
    return in_lanes(whole, lanes, stored) if stores(whole, lanes, stored) else None


def comes_from_memory(t: Together, sizes: Mapping[str, int], machine: Machine) -> bool:
    """Whether the points of `t` touch more, each its own, than the cores' own caches keep from one call to the next.

    sizes: of the call; False without those that are needed.
    """
    try:
        own, _ = bytes_of_point(t, sizes)
        return own * t.dim.extent.evaluate(sizes) > machine.capacity_bytes("L2") * machine.cores
    except KeyError:
        return False


def reads_once(e: Expression, dim: str) -> bool:
    """Whether the points of an expression inside of `dim` are those of one of its arrays, as in sums of rows."""
    inside = {d.name for d in e.md_hom.dims} - {dim}
    return any(inside <= e.varying(a) for a in _all(e))


def _local_bytes(t: Together) -> float:
    """Of one block; infinite where only the call says."""
    if not all(s.is_constant for a in t.local for s in a.shape):
        return inf
    return sum(a.type.size_bytes * prod(s.constant for s in a.shape) for a in t.local)


def bytes_of_point(t: Together, sizes: Mapping[str, int]) -> tuple[int, int]:
    """What one point touches: its own part of arrays, local ones included, and what all points share."""
    inside, steps = {**sizes, t.dim.name: 0}, expressions(t.body)
    found: dict[str, int] = {array.name: 0 for array in t.local}
    own = {array.name for array in t.local}
    for e in steps:
        lengths = {d.name: max(0, d.extent.evaluate(inside)) for d in e.md_hom.dims}
        types = {b.name: b for b in e.buffers}
        for access in _all(e):
            spans = [1 + sum(abs(c) * (lengths[n] - 1) for n, c in i.terms if lengths.get(n)) for i in access.index]
            name = whole_name(types[access.buffer])
            found[name] = max(found.get(name, 0), types[access.buffer].type.size_bytes * prod(spans))
            if any(i.coefficient(t.dim.name) for i in access.index):
                own.add(name)
    for array in t.local:
        found[array.name] = array.type.size_bytes * prod(max(0, s.evaluate(inside)) for s in array.shape)
    return sum(n for name, n in found.items() if name in own), sum(n for name, n in found.items() if name not in own)


def _meets(some: Sequence[Step], others: Sequence[Step], dim: str, local: Collection[str]) -> bool:
    """Whether one point touches an array in both that all points do not share."""
    first, second = touched(some, dim), touched(others, dim)
    return any(n in local or first[n].places & second[n].places for n in first.keys() & second.keys())


def _all(e: Expression) -> Iterator[Access]:
    yield from e.reads
    yield from e.out_view


def _multiplies_a_row(e: Expression, dim: str, local: Collection[str]) -> bool:
    """Whether, at one point, a reduction reads an array of which points share all and each element is used once.

    C[i, j] = Σ_k A[i, k] * B[k, j] at one i: all of B is read for one row of C, while over all i each element that is
    loaded serves a tile of rows.
    """
    if not e.collapsed:
        return False
    dims = {d.name for d in e.md_hom.dims}

    def of_all_points(access: Access) -> bool:
        own = any(i.coefficient(dim) for i in access.index) or access.buffer in local
        return bool(access.index) and not own

    return any(of_all_points(a) and dims <= {n for i in a.index for n in i.names} for a in e.inp_view)
