"""Closing a loop: each statement of its body becomes parallel, a reduction, or stays in a sequential loop.

    for k:                        for k:                        (sequential: y depends on the x of the last step)
      x[k] = …        ->  x ++ k     y[i] = f(y, x)  ++ i
      w += x[k]           w •(add) k

Before: the items of the block. After: items of the block around it, in an order that keeps every dependence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Operation, Scalar
from jitmdh.mdh.frontend.loops.dependence import between, reads_old_only, self_conflict
from jitmdh.mdh.frontend.loops.extrema import is_extremum
from jitmdh.mdh.frontend.loops.fusion import reads_elsewhere
from jitmdh.mdh.frontend.loops.reduction_recognition import guarded, recognise
from jitmdh.mdh.frontend.loops.scatter import has_lengths_from, scattered
from jitmdh.mdh.frontend.loops.scatter import keep_contributions as _keep_contributions
from jitmdh.mdh.frontend.symbolic.operators import DeclaredCall
from jitmdh.mdh.frontend.trace_ir.store_forwarding import (
    append,
    as_of,
    components_of,
    index_reads,
    keep,
    keep_numbers,
    keep_reduction,
    reads_of,
    statements,
    taken_in,
    written_by,
)
from jitmdh.mdh.frontend.trace_ir.trace import Block, Item, Repeated, Statement, Target, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Component, LoopDim, Read, Reduction


def close(trace: Trace, block: Block, calls: list[DeclaredCall]) -> list[Item]:
    """Leave the loop of `block`, which is the state's; its items in the block around."""
    loop, parent = block.loop, block.parent
    assert loop is not None and parent is not None
    trace.block = block
    _keep_inner_results(trace, block)
    for item in list(block.items):
        _keep_contributions(trace, item, block)
    trace.block = parent
    _keep_outer_values(trace, block)
    if any(map(trace.leaves, block.items)):
        return [_in_order(trace, block, loop, parent)]
    kinds = [_kind(trace, item, loop, parent.dims, calls) for item in block.items]
    result: list[Item] = []
    for first, last, reason in _segments(trace, block, kinds):
        if reason:
            part = block.items[first : last + 1]
            result.append(Repeated(trace.tick(), loop, part, reason, _updates(trace, part, kinds[first : last + 1])))
        else:
            result.append(_moved(trace, block.items[first], loop, parent, calls, kinds[first].name))
    for item in result:
        if isinstance(item, Statement):
            append(trace, parent, item)
        else:
            parent.items.append(item)
        for buffer in written_by(item):
            trace.stored[buffer] = item.time
    return result


def _in_order(trace: Trace, block: Block, loop: LoopDim, parent: Block) -> Item:
    """A loop that is left when data say so: all of its body happens in the order of its iterations."""
    repeated = Repeated(trace.tick(), loop, list(block.items), "data decide when it ends")
    parent.items.append(repeated)
    for buffer in written_by(repeated):
        trace.stored[buffer] = repeated.time
    return repeated


def is_procedure_alone(item: Item) -> bool:
    """Whether a sequential loop goes around a procedure that writes arrays, with nothing parallel between them."""
    if not isinstance(item, Repeated):
        return False
    return any(is_procedure_alone(i) for i in item.items) or any(
        isinstance(i, Statement) and not i.dims and any(x.effect for x in i.targets) for i in item.items
    )


def has_scan(trace: Trace, repeated: Repeated) -> bool:
    return any(
        c.reduction.scan is not None and c.reduction.dims == (repeated.dim,)
        for s, _ in statements(repeated.items) for x in s.targets for _, c in components_of(trace, x.value)
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------- parts


def _keep_outer_values(trace: Trace, block: Block) -> None:
    """Values read before the loop, from arrays that the loop writes, go into temporaries; so does how long it is."""
    written = {b for item in block.items for b in written_by(item)}
    if block.loop is not None:
        for buffer in sorted(written):
            keep_numbers(trace, (block.loop.room,), buffer)
    around = {b.number: b for b in trace.block.chain}
    replaced: dict[int, Scalar] = {}

    def is_written(leaf: object) -> TypeGuard[Read]:
        """Whether it was read before the loop, which writes the element, or what decides which one it is."""
        if not isinstance(leaf, Read) or leaf.block not in around:
            return False
        return any(read.buffer in written for read in (leaf, *index_reads(trace, leaf.index)))

    for statement, _ in statements(block.items):
        for target in statement.targets:
            for variable in trace.graph.leaves(target.value):
                leaf = trace.graph.described(variable)
                if is_written(leaf):
                    replaced[id(variable)] = keep(
                        trace, (variable,), around[leaf.block], as_of(trace, leaf), leaf.guard
                    )[0]
            for variable, component in components_of(trace, target.value):
                r = component.reduction
                if r.block in around and any(x.buffer in written for x in taken_in(trace, r)):
                    replaced.update(keep_reduction(trace, r, [(variable, component)]))
                body = [v for part in r.body for v in trace.graph.leaves(part)]
                for v in body:
                    leaf = trace.graph.described(v)
                    if is_written(leaf):
                        replaced[id(v)] = keep(trace, (v,), around[leaf.block], as_of(trace, leaf), leaf.guard)[0]
    if replaced:
        block.items[:] = [_replaced(trace, item, replaced) for item in block.items]


def _keep_inner_results(trace: Trace, block: Block) -> None:
    """Results of inner reductions that an update over this loop takes in go into temporaries."""
    assert block.loop is not None
    for item in list(block.items):
        if not isinstance(item, Statement) or item.dims:
            continue
        if any(x.coefficient(block.loop.name) for t in item.targets for x in t.index):
            continue
        replaced: dict[int, Scalar] = {}
        for target in item.targets:
            own = next((v for v in trace.graph.leaves(target.value) if _is_own(trace, target, v)), None)
            for variable, component in components_of(trace, target.value) if own is not None else ():
                replaced.update(keep_reduction(trace, component.reduction, [(variable, component)]))
        if replaced:
            place = block.items.index(item)
            block.items[place] = _replaced(trace, item, replaced)


def _is_own(trace: Trace, target: Target, variable: Scalar) -> bool:
    leaf = trace.graph.described(variable)
    return isinstance(leaf, Read) and (leaf.buffer, leaf.index) == (target.buffer, target.index)


def _replaced(trace: Trace, item: Item, values: dict[int, Scalar]) -> Item:
    if isinstance(item, Repeated):
        return Repeated(item.time, item.dim, [_replaced(trace, i, values) for i in item.items], item.reason)

    def change(part: Scalar) -> Scalar | None:
        new = values.get(id(part))
        leaf = trace.graph.described(part)
        if new is None and isinstance(leaf, Component):
            r = leaf.reduction
            body = tuple(trace.graph.rewrite(b, change) for b in r.body)
            if any(a is not b for a, b in zip(body, r.body)):
                changed = replace(r, body=body)
                return trace.graph.new_leaf(Component(changed, leaf.number), part.type)
        return new

    targets = [replace(t, value=trace.graph.rewrite(t.value, change)) for t in item.targets]
    return replace(item, targets=targets)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a loop does to one item: 'parallel', 'reduction', 'scatter'; with a reason why it is none: 'update' (by an
    operator that is not known), or 'order' (iterations need each other, or are asked to follow each other)."""

    name: str
    reason: str = ""


def _kind(trace: Trace, item: Item, loop: LoopDim, around: tuple[LoopDim, ...], calls: list[DeclaredCall]) -> _Kind:
    if isinstance(item, Repeated):
        if not between(trace, item, item, loop, around):
            return _Kind("parallel")
        inside = item.dim.name
        return _Kind("order", f"the loop {inside} inside is sequential, and its iterations depend on {loop.name}")
    if not self_conflict(trace, item, loop, around, own=True):
        return _Kind("parallel")
    if loop.ordered:
        return _Kind("order", f"`combine` asks for the iterations of {loop.name} in their order")
    target = item.targets[0]
    if any(t.effect for t in item.targets):
        name = next(t.buffer for t in item.targets if t.effect)
        return _Kind("order", f"iterations of {loop.name} need what others have written to {name}")
    where = f"{target.buffer}[{', '.join(_shown(trace, x) for x in target.index)}]"
    if scattered(trace, item, loop, calls) is not None:
        return _Kind("scatter")
    if around and not item.dims and reads_old_only(trace, item, loop, around):
        return _Kind("parallel")  # results are kept apart: of one row, in a cache; those of a whole array are not
    if any(trace.varies(x, loop.name) for t in item.targets for x in t.index):
        unknown = has_indirect(*target.index) and len(item.targets) == 1 and not _only_assigned(trace, item)
        unknown = unknown and _reads_own_places_only(trace, item) and _reduced(trace, item, loop, None, calls) is None
        name = "update" if unknown and not _is_exact_only(trace, item, loop, calls) else "order"
        return _Kind(name, f"{where} {_needed(trace, item, target, loop)}")
    if not _determined(target.index, item.dims):
        names = ", ".join(d.name for d in item.dims)
        return _Kind("order", f"{where} does not say which iteration of {names} writes it")
    if _only_assigned(trace, item):
        return _Kind("order", f"{where} is set anew by iterations of {loop.name}")
    if any(t.index != target.index for t in item.targets) or self_conflict(trace, item, loop, around, own=False):
        name = "update" if _reads_own_places_only(trace, item) else "order"
        return _Kind(name, f"an iteration of {loop.name} reads what another one has written to {target.buffer}")
    if has_lengths_from(trace, item, loop):
        return _Kind("order", f"data decide how much of {target.buffer} an iteration of {loop.name} changes")
    if any(loop.name in d.room.names for d in item.dims) and reads_elsewhere(trace, item):
        return _Kind("order", f"{target.buffer} is read elsewhere, too, by loops whose lengths depend on {loop.name}")
    if _reduced(trace, item, loop, None, calls) is not None:
        return _Kind("reduction")
    if _is_exact_only(trace, item, loop, calls):
        return _Kind("order", f"{where} is a sum or product of floats over {loop.name}, and reassociate=False")
    owns = [(t.value, _own_read(trace, t, t.value)) for t in item.targets]
    if any(own is not None and is_extremum(value, own) for value, own in owns):
        reason = "a NaN decides" if len(owns) == 1 else "the last of equal elements, or a NaN, decides"
        return _Kind("order", f"{reason} by its place among the iterations of {loop.name} what {where} becomes")
    return _Kind("update", f"the update of {where} over {loop.name} is no recognised or declared associative operator")


def _only_assigned(trace: Trace, item: Statement) -> bool:
    """Whether elements are overwritten, kept or moved, but never part of a new value.

    What is set from nothing old is no state: it holds, one iteration later, what could be computed again.
    """
    places = {(t.buffer, t.index) for t in item.targets}

    def is_old(part: Scalar) -> bool:
        leaf = trace.graph.described(part)
        return isinstance(leaf, Read) and (leaf.buffer, leaf.index) in places

    for _ in item.targets:
        places = {(t.buffer, t.index) for t in item.targets if any(map(is_old, trace.graph.leaves(t.value)))}

    known: dict[int, bool] = {}

    def assigned(value: Scalar) -> bool:
        if id(value) not in known:
            known[id(value)] = looked_at(value)
        return known[id(value)]

    def looked_at(value: Scalar) -> bool:
        if is_old(value) or not any(is_old(v) for v in trace.graph.leaves(value)):
            return not components_of(trace, value)
        if not isinstance(value, Operation) or value.op not in ("select", "cast"):
            return False
        *condition, then, otherwise = value.operands if value.op == "select" else value.operands * 2
        decided_by_old = any(is_old(v) for c in condition for v in trace.graph.leaves(c))
        return not decided_by_old and assigned(then) and assigned(otherwise)

    return all(assigned(t.value) for t in item.targets)


def _reads_own_places_only(trace: Trace, item: Statement) -> bool:
    """Whether all that is read of what the statement writes is one of its places: a state of several components."""
    places = {(t.buffer, t.index) for t in item.targets}
    written = {t.buffer for t in item.targets}
    reads = [r for t in item.targets for r in reads_of(trace, t.value)]
    return all(r.buffer not in written or (r.buffer, r.index) in places for r in reads)


def _is_exact_only(trace: Trace, item: Statement, loop: LoopDim, calls: list[DeclaredCall]) -> bool:
    """Whether the update is a reduction that is only kept from being one by reassociate=False."""
    if trace.reassociate:
        return False
    trace.reassociate = True
    try:
        return _reduced(trace, item, loop, None, calls) is not None
    finally:
        trace.reassociate = False


def _updates(trace: Trace, items: list[Item], kinds: list[_Kind]) -> tuple[Statement, ...]:
    """Updates by unknown operators that are all that makes a loop over `items` sequential; none where it is a loop
    around others, or its iterations need each other anyway."""
    if any(kind.name == "order" for kind in kinds):
        return ()
    if any(inner or components_of(trace, x.value) for s, inner in statements(items) for x in s.targets):
        return ()
    return tuple(item for item, kind in zip(items, kinds) if isinstance(item, Statement) and kind.name == "update")


def _needed(trace: Trace, item: Statement, target: Target, loop: LoopDim) -> str:
    """Which access of another iteration what is written to `target` waits for, and how far that is, where known."""
    for read in (r for t in item.targets for r in reads_of(trace, t.value)):
        steps = _steps_between(target.index, read.index, loop) if read.buffer == target.buffer else 0
        if steps > 0:
            other = f"{read.buffer}[{', '.join(_shown(trace, x) for x in read.index)}]"
            distance = "one step" if steps == 1 else f"{steps} steps"
            return f"reads {other}, written {distance} before"
    return f"depends on another iteration of {loop.name}"


def _steps_between(written: tuple[Affine, ...], read: tuple[Affine, ...], loop: LoopDim) -> int:
    """How many iterations before the one that reads `read` the same element is written; 0: none, or not known."""
    found = set()
    for a, b in zip(written, read):
        apart, c = a - b, a.coefficient(loop.name)
        if not apart.is_constant or (apart.constant and (not c or apart.constant % c)):
            return 0
        if c:
            found.add(apart.constant // c)
    return found.pop() if len(found) == 1 else 0


def _shown(trace: Trace, index: Affine) -> str:
    return "an index from data" if any(n in trace.indirect for n in index.names) else str(index)


def _determined(index: tuple[Affine, ...], dims: tuple[LoopDim, ...]) -> bool:
    """Whether an element belongs to one point of `dims` only, whatever their bounds."""
    open_dims = {d.name for d in dims}
    for _ in dims:
        for x in index:
            unknown = open_dims.intersection(x.names)
            if len(unknown) == 1:
                open_dims -= unknown
    return not open_dims


def _segments(trace: Trace, block: Block, kinds: list[_Kind]) -> list[tuple[int, int, str]]:
    """(first, last, reason): runs of items that stay in one sequential loop; reason "" for a single free one."""
    assert block.loop is not None and block.parent is not None
    around, loop = block.parent.dims, block.loop
    found: list[tuple[int, int, str]] = []
    for n, item in enumerate(block.items):
        reason = kinds[n].reason
        first = n
        for m in range(len(found) - 1, -1, -1):
            start, end, _ = found[m]
            if any(between(trace, item, block.items[k], loop, around) for k in range(start, end + 1)):
                buffers = ", ".join(sorted(written_by(item)))
                reason = reason or f"an earlier statement of the next iteration of {loop.name} depends on {buffers}"
                first = start
        while found and found[-1][0] >= first:
            reason = reason or found[-1][2]
            found.pop()
        found.append((first, n, reason))
    return found


def _moved(trace: Trace, item: Item, loop: LoopDim, parent: Block, calls: list[DeclaredCall], kind: str) -> Item:
    """`item` with `loop` moved inside."""
    if isinstance(item, Repeated):
        inside = [_moved(trace, i, loop, parent, calls, "parallel") for i in item.items]
        return Repeated(trace.tick(), item.dim, inside, item.reason)
    if kind == "reduction":
        found = _reduced(trace, item, loop, parent, calls)
        assert found is not None
        return found
    if kind == "scatter":
        spread = scattered(trace, item, loop, calls)
        assert spread is not None
        return spread
    return replace(item, time=trace.tick(), dims=(loop, *item.dims))


# ---------------------------------------------------------------------------------------------------- reductions


def _reduced(
    trace: Trace, item: Statement, loop: LoopDim, parent: Block | None, calls: list[DeclaredCall]
) -> Statement | None:  # fmt: skip
    """The statement with `loop` as a reduction; without `parent` only whether that is possible."""
    selves, ends = [], []
    for target in item.targets:
        value = target.value
        own = _own_read(trace, target, value)
        if own is None:
            return None
        selves.append(own)
        ends.append(value)
    updates = recognise(trace, selves, ends, calls)
    if updates is None or any(components_of(trace, b) for u in updates for b in u.body):
        return None
    places = {(t.buffer, t.index) for t in item.targets}
    if any((r.buffer, r.index) in places for u in updates for b in u.body for r in reads_of(trace, b)):
        return None
    if len({(u.guard, None if u.inner is None else u.inner.dims) for u in updates}) > 1:
        return None  # one expression reduces over one set of points
    if parent is None:
        return item
    remaining, dropped = _split_guard(item, loop)
    block, time = parent, trace.tick()
    targets = list(item.targets)
    for update in updates:
        _scan_free(update.inner)
        init = []
        for m, type in zip(update.members, update.operator.types):
            t, leaf = item.targets[m], trace.graph.described(selves[m])
            assert isinstance(leaf, Read)
            read = trace.read(
                t.buffer, t.index, tuple(g for g in leaf.guard if g in remaining), t.loc, block, t.speculative
            )
            init.append(trace.arithmetic.cast(read, type))
        dims = (loop, *update.inner.dims) if update.inner is not None else (loop,)
        body = tuple(trace.arithmetic.cast(b, type) for b, type in zip(update.body, update.operator.types))
        body, guard = guarded(trace, dims, update.operator, body, update.guard)
        where = tuple(g for g in remaining if not {d.name for d in item.dims}.intersection(g.names))
        points = guard + dropped
        reduction = Reduction(dims, update.operator, body, points, tuple(init), block.number, time, where)
        for number, m in enumerate(update.members):
            t = item.targets[m]
            leaf_node = trace.graph.new_leaf(Component(reduction, number), update.operator.types[number])
            value = trace.arithmetic.cast(leaf_node, ends[m].type)
            targets[m] = replace(t, value=value)
    return Statement(trace.tick(), targets, remaining, item.dims, item.loc, (loop, *item.needs))


def _scan_free(inner: Reduction | None) -> None:
    assert inner is None or inner.scan is None


def _own_read(trace: Trace, target: Target, value: Scalar) -> Scalar | None:
    """The read of the old element in an update."""
    for variable in trace.graph.leaves(value):
        leaf = trace.graph.described(variable)
        if isinstance(leaf, Read) and (leaf.buffer, leaf.index) == (target.buffer, target.index):
            return variable
        if isinstance(leaf, Component):
            for init in leaf.reduction.init or ():
                own = _own_read(trace, target, init)
                if own is not None:
                    return own
    return None


def _split_guard(item: Statement, loop: LoopDim) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
    """Guards that stay on the result, and those that are about the points of the reduction."""
    stay = tuple(g for g in item.guard if not g.coefficient(loop.name))
    return stay, tuple(g for g in item.guard if g.coefficient(loop.name))
