"""What a statement reads elsewhere in an array that it writes, where that is less than what it writes: read before.

    for i: for j:  A[i, j] -= A[i, k] * A[k, j]

after    for i:  c[i] = A[i, k]      for j:  r[j] = A[k, j]      for i: for j:  A[i, j] -= c[i] * r[j]

The points of a statement read all that they read before any of them writes. Keeping its results apart would do as
well, and take as much memory as they do, twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.trace_ir.store_forwarding import components_of
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, Item, Statement, Target, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim, Read

Place = tuple[str, tuple[Affine, ...]]


def read_before(trace: Trace, item: Statement, path: tuple[LoopDim, ...]) -> list[Item] | None:
    """`item` behind copies of what it reads elsewhere in what it writes; None where there is more to read than that.

    path: the loops around, whose iterations follow each other.
    """
    places = {(t.buffer, t.index) for t in item.targets}
    buffers = {buffer for buffer, _ in places}
    if len(places) > len(buffers) or item.needs or any(components_of(trace, t.value) for t in item.targets):
        return None
    wanted: dict[Place, list[Scalar]] = {}
    leaves: dict[Place, Read] = {}
    for target in item.targets:
        for variable in trace.graph.leaves(target.value):
            leaf = trace.graph.described(variable)
            if not isinstance(leaf, Read) or leaf.buffer not in buffers or (leaf.buffer, leaf.index) in places:
                continue
            if not set(leaf.guard) <= set(item.guard) or has_indirect(*leaf.index):
                return None
            wanted.setdefault((leaf.buffer, leaf.index), []).append(variable)
            if not leaf.speculative:
                leaves[leaf.buffer, leaf.index] = leaf
    if leaves.keys() != wanted.keys():
        return None
    copies: list[Item] = []
    known: dict[int, Scalar] = {}
    for place, variables in wanted.items():
        copy = _copy(trace, item, path, leaves[place])
        if copy is None:
            return None
        copies.append(copy)
        made = trace.read(copy.targets[0].buffer, copy.targets[0].index)
        known.update((id(v), made) for v in variables)
    targets = [
        Target(t.buffer, t.index, trace.graph.replace(t.value, known), t.speculative, t.loc) for t in item.targets
    ]
    return [*copies, Statement(item.time, targets, item.guard, item.dims, item.loc, item.needs)]


def _copy(trace: Trace, item: Statement, path: tuple[LoopDim, ...], leaf: Read) -> Statement | None:
    """What keeps one read for all points: over those loops of the statement that it varies with, not over all."""
    names = {n for x in leaf.index for n in x.names}
    own = tuple(d for d in item.dims if d.name in names)
    guard = _projected(item.guard, own, [d for d in item.dims if d.name not in names])
    if len(own) == len(item.dims) or guard is None:
        return None
    dims = tuple(sorted((*path, *own), key=lambda d: d.serial))
    place = tuple(Affine.of(d.name) for d in dims)
    name = trace.fresh("t")
    type = trace.buffers[leaf.buffer].type
    trace.buffers[name] = BufferInfo(name, type, (), dims, allocated=True)
    value = trace.graph.new_leaf(replace(leaf, guard=guard), type)
    return Statement(item.time, [Target(name, place, value, False, item.loc)], guard, own, item.loc)


def _projected(
    guard: tuple[Affine, ...], kept: Sequence[LoopDim], dropped: Sequence[LoopDim]
) -> tuple[Affine, ...] | None:
    """Where some point of the loops `dropped` fulfils `guard`; None where that cannot be said of integers exactly."""
    gone = {d.name for d in dropped}
    if any(d.stride != 1 or has_indirect(d.room) for d in dropped) or any(
        gone.intersection(d.room.names) for d in kept
    ):
        return None
    left = [*guard]
    for d in dropped:
        left += [Affine.of(d.name), d.room - 1 - Affine.of(d.name)]
    for d in sorted(dropped, key=lambda d: d.serial, reverse=True):
        low = [c for c in left if c.coefficient(d.name) > 0]
        high = [c for c in left if c.coefficient(d.name) < 0]
        if any(abs(c.coefficient(d.name)) != 1 for c in (*low, *high)):
            return None
        left = [c for c in left if not c.coefficient(d.name)] + [a + b for a in low for b in high]
    said = {d.room - 1 for d in kept}
    return tuple(dict.fromkeys(c for c in left if c not in said and not (c.is_constant and c.constant >= 0)))
