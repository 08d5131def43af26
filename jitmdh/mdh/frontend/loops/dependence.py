"""Whether two accesses, in two iterations of a loop, can touch the same element.

Decided by comparing subscripts where these are alike (uniform distances), else by islpy on the exact iteration
domains. Undecided counts as "yes".
"""

from __future__ import annotations

from collections.abc import Iterator

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.trace_ir.store_forwarding import extent_reads, index_reads, statements
from jitmdh.mdh.frontend.trace_ir.trace import Item, Statement, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Component, LoopDim, Read


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """An access to memory: `inner` are the loops that run freely inside one iteration of the loop in question."""

    buffer: str
    index: tuple[Affine, ...]
    guard: tuple[Affine, ...]
    inner: tuple[LoopDim, ...]
    is_write: bool
    read: Read | None = None


def accesses(trace: Trace, item: Item) -> list[MemoryAccess]:
    """All accesses below `item`."""
    found: list[MemoryAccess] = []
    for statement, inner in statements([item]):
        for target in statement.targets:
            found.append(MemoryAccess(target.buffer, target.index, statement.guard, inner, True))
            for read in index_reads(trace, target.index):
                found.append(MemoryAccess(read.buffer, read.index, statement.guard + read.guard, inner, False, read))
            found.extend(_reads(trace, target.value, statement.guard, inner))
        for read in extent_reads(trace, inner):
            found.append(MemoryAccess(read.buffer, read.index, read.guard, inner, False, read))
    return found


def _reads(trace: Trace, node: object, guard: tuple[Affine, ...], inner: tuple[LoopDim, ...]) -> Iterator[MemoryAccess]:
    for variable in trace.graph.leaves(node):  # type: ignore[arg-type]
        leaf = trace.graph.described(variable)
        if isinstance(leaf, Read):
            yield MemoryAccess(leaf.buffer, leaf.index, guard + leaf.guard, inner, False, leaf)
            for read in index_reads(trace, leaf.index):
                yield MemoryAccess(read.buffer, read.index, guard + read.guard, inner, False, read)
        elif isinstance(leaf, Component):
            r = leaf.reduction
            for part in r.body:
                yield from _reads(trace, part, guard + r.guard, inner + tuple(d for d in r.dims if d not in inner))
            for part in r.init or ():
                yield from _reads(trace, part, guard, inner)
            for read in extent_reads(trace, r.dims):
                yield MemoryAccess(read.buffer, read.index, guard + read.guard, inner, False, read)


def conflict(trace: Trace, a: MemoryAccess, b: MemoryAccess, loop: LoopDim, around: tuple[LoopDim, ...]) -> bool:
    """Whether `a` in some iteration of `loop` and `b` in a later one touch the same element."""
    if a.buffer != b.buffer or not (a.is_write or b.is_write):
        return False
    free = {d.name for d in a.inner} | {d.name for d in b.inner}
    distance: int | None = None
    settled = True
    unknown = [has_indirect(x, y) and _moves(trace, (x, y), loop, free) for x, y in zip(a.index, b.index)]
    if all(unknown):
        return True
    for x, y, is_unknown in zip(a.index, b.index, unknown):
        if is_unknown:  # data-dependent: it may be the same
            settled = False
            continue
        if free.intersection(x.names + y.names):
            settled = settled and x.without((loop.name,)) == y.without((loop.name,))
            settled = settled and not (x.coefficient(loop.name) or y.coefficient(loop.name))
            continue
        c, difference = x.coefficient(loop.name), x.without((loop.name,)) - y.without((loop.name,))
        if c != y.coefficient(loop.name) or not difference.is_constant:
            settled = False
            continue
        k = difference.constant
        if c == 0:
            if k:
                return False
            continue
        if k % c or (distance is not None and k // c != distance):
            return False
        distance = k // c
    if distance is not None and distance <= 0:
        return False
    apart = 1 if distance is None else distance
    if loop.length is not None and loop.length.is_constant and apart >= loop.length.constant:
        return False  # the loop has no two iterations that far apart
    if settled and not (a.guard or b.guard or _triangular(a, b, loop)):
        return True
    return _exact(a, b, loop, around)


def _moves(trace: Trace, indices: tuple[Affine, Affine], loop: LoopDim, free: set[str]) -> bool:
    """Whether numbers from data in subscripts may change with a loop, or with those inside of it."""
    named = (trace.indirect[n] for index in indices for n in index.names if n in trace.indirect)
    return any(n.inside or n.depends & {loop.name, *free} for n in named)


def _triangular(a: MemoryAccess, b: MemoryAccess, loop: LoopDim) -> bool:
    return any(d.guard for d in (*a.inner, *b.inner, loop))


def _exact(a: MemoryAccess, b: MemoryAccess, loop: LoopDim, around: tuple[LoopDim, ...]) -> bool:
    """The same question to islpy."""
    from jitmdh.mdh.frontend.loops.integer_sets import has_solution

    shared = {d.name for d in around}
    equations: list[Affine] = []
    inequalities: list[Affine] = []
    for d in around:
        inequalities += _bounds(d)
    compared = [not has_indirect(x, y) for x, y in zip(a.index, b.index)]
    renamed = []
    for side, touch in (("'", a), ("''", b)):
        own = {d.name: Affine.of(d.name + side) for d in (loop, *touch.inner) if d.name not in shared}
        for d in (loop, *touch.inner):
            inequalities += [g.substitute(own) for g in _bounds(d)]
        inequalities += [g.substitute(own) for g in touch.guard if not has_indirect(g)]
        renamed.append([x.substitute(own) for x, known in zip(touch.index, compared) if known])
    equations += [x - y for x, y in zip(*renamed)]
    inequalities.append(Affine.of(loop.name + "''") - Affine.of(loop.name + "'") - 1)
    return has_solution(equations, inequalities)


def _bounds(dim: LoopDim) -> list[Affine]:
    own = Affine.of(dim.name)
    return [own] if has_indirect(dim.room) else [own, dim.room - 1 - own * dim.stride]


def between(trace: Trace, first: Item, second: Item, loop: LoopDim, around: tuple[LoopDim, ...]) -> bool:
    """Whether something in `first`, in some iteration, conflicts with something in `second` in a later one."""
    seconds = accesses(trace, second)
    written = {t.buffer for t in seconds if t.is_write}
    for a in accesses(trace, first):
        if not a.is_write and a.buffer not in written:
            continue
        if any(conflict(trace, a, b, loop, around) for b in seconds if a.is_write or b.is_write):
            return True
    return False


def self_conflict(trace: Trace, statement: Statement, loop: LoopDim, around: tuple[LoopDim, ...], own: bool) -> bool:
    """Whether iterations of `loop` of one statement conflict; own False: leaving out the targets among themselves,
    and the reads of exactly the elements that are written (a reduction)."""
    found = accesses(trace, statement)
    if not own:
        targets = {(t.buffer, t.index) for t in statement.targets}
        found = [t for t in found if t.is_write or (t.buffer, t.index) not in targets]
    for a in found:
        for b in found:
            if not own and a.is_write and b.is_write:
                continue
            if conflict(trace, a, b, loop, around):
                return True
    return False


def reads_old_only(trace: Trace, statement: Statement, loop: LoopDim, around: tuple[LoopDim, ...]) -> bool:
    """Whether iterations of `loop` read only what later ones write, never what earlier ones have written, and no two
    write one element (anti-dependences): all may then read before any writes, as points of a statement do."""
    if any(has_indirect(*t.index) for t in statement.targets):
        return False
    found = accesses(trace, statement)
    return not any(conflict(trace, a, b, loop, around) for a in found if a.is_write for b in found)
