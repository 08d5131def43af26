"""Closing a loop: each statement of its body becomes parallel, a reduction, or stays in a sequential loop.

    for k:                        for k:                        (sequential: y depends on the x of the last step)
      x[k] = …        ->  x ++ k     y[i] = f(y, x)  ++ i
      w += x[k]           w •(add) k

Before: the items of the block. After: items of the block around it, in an order that keeps every dependence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Operation, Scalar
from jitmdh.mdh.frontend.loops.dependence import between, self_conflict
from jitmdh.mdh.frontend.loops.extrema import is_extremum
from jitmdh.mdh.frontend.loops.reduction_recognition import guarded, recognise
from jitmdh.mdh.frontend.loops.scatter import keep_contributions as _keep_contributions
from jitmdh.mdh.frontend.loops.scatter import scattered
from jitmdh.mdh.frontend.trace_ir.operators import DeclaredCall
from jitmdh.mdh.frontend.trace_ir.store_forwarding import (
    append,
    components_of,
    keep,
    keep_reduction,
    reads_of,
    statements,
    written_by,
)
from jitmdh.mdh.frontend.trace_ir.trace import Block, Item, Repeated, State, Statement, Target, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Component, LoopDim, Read, Reduction


def close(state: State, block: Block, calls: list[DeclaredCall]) -> list[Item]:
    """Leave the loop of `block`, which is the state's; its items in the block around."""
    loop, parent = block.loop, block.parent
    assert loop is not None and parent is not None
    state.block = block
    _keep_inner_results(state, block)
    state.block = parent
    _keep_outer_values(state, block)
    for item in list(block.items):
        _keep_contributions(state, item, block)
    kinds = [_kind(state, item, loop, parent.dims, calls) for item in block.items]
    result: list[Item] = []
    for first, last, reason in _segments(state, block, kinds):
        if reason:
            part = block.items[first : last + 1]
            result.append(Repeated(state.tick(), loop, part, reason, _updates(state, part, kinds[first : last + 1])))
        else:
            result.append(_moved(state, block.items[first], loop, parent, calls, kinds[first].name))
    for item in result:
        if isinstance(item, Statement):
            append(state, parent, item)
        else:
            parent.items.append(item)
        for buffer in written_by(item):
            state.stored[buffer] = item.time
    return result


# ------------------------------------------------------------------------------------------------------- parts


def _keep_outer_values(state: State, block: Block) -> None:
    """Values read before the loop, from arrays that the loop writes, go into temporaries."""
    written = {b for item in block.items for b in written_by(item)}
    around = {b.number: b for b in state.block.chain}
    replaced: dict[int, Scalar] = {}
    for statement, _ in statements(block.items):
        for target in statement.targets:
            for variable in state.graph.leaves(target.value):
                leaf = state.graph.described(variable)
                if isinstance(leaf, Read) and leaf.block in around and leaf.buffer in written:
                    replaced[id(variable)] = keep(state, (variable,), around[leaf.block], leaf.time, leaf.guard)[0]
            for variable, component in components_of(state, target.value):
                r = component.reduction
                if r.block in around and any(x.buffer in written for b in r.body for x in reads_of(state, b)):
                    replaced.update(keep_reduction(state, r, [(variable, component)]))
                body = [v for part in r.body for v in state.graph.leaves(part)]
                for v in body:
                    leaf = state.graph.described(v)
                    if isinstance(leaf, Read) and leaf.block in around and leaf.buffer in written:
                        replaced[id(v)] = keep(state, (v,), around[leaf.block], leaf.time, leaf.guard)[0]
    if replaced:
        block.items[:] = [_replaced(state, item, replaced) for item in block.items]


def _keep_inner_results(state: State, block: Block) -> None:
    """Results of inner reductions that an update over this loop takes in go into temporaries."""
    assert block.loop is not None
    for item in list(block.items):
        if not isinstance(item, Statement) or item.dims:
            continue
        if any(x.coefficient(block.loop.name) for t in item.targets for x in t.index):
            continue
        replaced: dict[int, Scalar] = {}
        for target in item.targets:
            own = next((v for v in state.graph.leaves(target.value) if _is_own(state, target, v)), None)
            for variable, component in components_of(state, target.value) if own is not None else ():
                replaced.update(keep_reduction(state, component.reduction, [(variable, component)]))
        if replaced:
            place = block.items.index(item)
            block.items[place] = _replaced(state, item, replaced)


def _is_own(state: State, target: Target, variable: Scalar) -> bool:
    leaf = state.graph.described(variable)
    return isinstance(leaf, Read) and (leaf.buffer, leaf.index) == (target.buffer, target.index)


def _replaced(state: State, item: Item, values: dict[int, Scalar]) -> Item:
    if isinstance(item, Repeated):
        return Repeated(item.time, item.dim, [_replaced(state, i, values) for i in item.items], item.reason)

    def change(part: Scalar) -> Scalar | None:
        new = values.get(id(part))
        leaf = state.graph.described(part)
        if new is None and isinstance(leaf, Component):
            r = leaf.reduction
            body = tuple(state.graph.rewrite(b, change) for b in r.body)
            if any(a is not b for a, b in zip(body, r.body)):
                changed = replace(r, body=body)
                return state.graph.new_leaf(Component(changed, leaf.number), part.type)
        return new

    targets = [
        Target(t.buffer, t.index, state.graph.rewrite(t.value, change), t.speculative, t.loc) for t in item.targets
    ]
    return replace(item, targets=targets)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a loop does to one item: 'parallel', 'reduction', 'scatter'; with a reason why it is none: 'update' (by an
    operator that is not known), or 'order' (iterations need each other, or are asked to follow each other)."""

    name: str
    reason: str = ""


def _kind(state: State, item: Item, loop: LoopDim, around: tuple[LoopDim, ...], calls: list[DeclaredCall]) -> _Kind:
    if isinstance(item, Repeated):
        if not between(state, item, item, loop, around):
            return _Kind("parallel")
        inside = item.dim.name
        return _Kind("order", f"the loop {inside} inside is sequential, and its iterations depend on {loop.name}")
    if not self_conflict(state, item, loop, around, own=True):
        return _Kind("parallel")
    if loop.ordered:
        return _Kind("order", f"`combine` asks for the iterations of {loop.name} in their order")
    target = item.targets[0]
    where = f"{target.buffer}[{', '.join(_shown(state, x) for x in target.index)}]"
    if scattered(state, item, loop, calls) is not None:
        return _Kind("scatter")
    if any(state.varies(x, loop.name) for t in item.targets for x in t.index):
        unknown = has_indirect(*target.index) and len(item.targets) == 1 and not _only_assigned(state, item)
        unknown = unknown and _reads_own_places_only(state, item) and _reduced(state, item, loop, None, calls) is None
        name = "update" if unknown and not _is_exact_only(state, item, loop, calls) else "order"
        return _Kind(name, f"{where} depends on another iteration of {loop.name}")
    if not _determined(target.index, item.dims):
        names = ", ".join(d.name for d in item.dims)
        return _Kind("order", f"{where} does not say which iteration of {names} writes it")
    if _only_assigned(state, item):
        return _Kind("order", f"{where} is set anew by iterations of {loop.name}")
    if any(t.index != target.index for t in item.targets) or self_conflict(state, item, loop, around, own=False):
        name = "update" if _reads_own_places_only(state, item) else "order"
        return _Kind(name, f"an iteration of {loop.name} reads what another one has written to {target.buffer}")
    if _reduced(state, item, loop, None, calls) is not None:
        return _Kind("reduction")
    if _is_exact_only(state, item, loop, calls):
        return _Kind("order", f"{where} is a sum or product of floats over {loop.name}, and reassociate=False")
    owns = [(t.value, _own_read(state, t, t.value)) for t in item.targets]
    if any(own is not None and is_extremum(value, own) for value, own in owns):
        reason = "a NaN decides" if len(owns) == 1 else "the last of equal elements, or a NaN, decides"
        return _Kind("order", f"{reason} by its place among the iterations of {loop.name} what {where} becomes")
    return _Kind("update", f"the update of {where} over {loop.name} is no recognised or declared associative operator")


def _only_assigned(state: State, item: Statement) -> bool:
    """Whether elements are overwritten, kept or moved, but never part of a new value.

    What is set from nothing old is no state: it holds, one iteration later, what could be computed again.
    """
    places = {(t.buffer, t.index) for t in item.targets}

    def is_old(part: Scalar) -> bool:
        leaf = state.graph.described(part)
        return isinstance(leaf, Read) and (leaf.buffer, leaf.index) in places

    for _ in item.targets:
        places = {(t.buffer, t.index) for t in item.targets if any(map(is_old, state.graph.leaves(t.value)))}

    def assigned(value: Scalar) -> bool:
        if is_old(value) or not any(is_old(v) for v in state.graph.leaves(value)):
            return not components_of(state, value)
        if not isinstance(value, Operation) or value.op not in ("select", "cast"):
            return False
        *condition, then, otherwise = value.operands if value.op == "select" else value.operands * 2
        decided_by_old = any(is_old(v) for c in condition for v in state.graph.leaves(c))
        return not decided_by_old and assigned(then) and assigned(otherwise)

    return all(assigned(t.value) for t in item.targets)


def _reads_own_places_only(state: State, item: Statement) -> bool:
    """Whether all that is read of what the statement writes is one of its places: a state of several components."""
    places = {(t.buffer, t.index) for t in item.targets}
    written = {t.buffer for t in item.targets}
    reads = [r for t in item.targets for r in reads_of(state, t.value)]
    return all(r.buffer not in written or (r.buffer, r.index) in places for r in reads)


def _is_exact_only(state: State, item: Statement, loop: LoopDim, calls: list[DeclaredCall]) -> bool:
    """Whether the update is a reduction that is only kept from being one by reassociate=False."""
    if state.reassociate:
        return False
    state.reassociate = True
    try:
        return _reduced(state, item, loop, None, calls) is not None
    finally:
        state.reassociate = False


def _updates(state: State, items: list[Item], kinds: list[_Kind]) -> tuple[Statement, ...]:
    """Updates by unknown operators that are all that makes a loop over `items` sequential; none where it is a loop
    around others, or its iterations need each other anyway."""
    if any(kind.name == "order" for kind in kinds):
        return ()
    if any(inner or components_of(state, x.value) for s, inner in statements(items) for x in s.targets):
        return ()
    return tuple(item for item, kind in zip(items, kinds) if isinstance(item, Statement) and kind.name == "update")


def _shown(state: State, index: Affine) -> str:
    return "an index from data" if any(n in state.indirect for n in index.names) else str(index)


def _determined(index: tuple[Affine, ...], dims: tuple[LoopDim, ...]) -> bool:
    """Whether an element belongs to one point of `dims` only, whatever their bounds."""
    open_dims = {d.name for d in dims}
    for _ in dims:
        for x in index:
            unknown = open_dims.intersection(x.names)
            if len(unknown) == 1:
                open_dims -= unknown
    return not open_dims


def _segments(state: State, block: Block, kinds: list[_Kind]) -> list[tuple[int, int, str]]:
    """(first, last, reason): runs of items that stay in one sequential loop; reason "" for a single free one."""
    assert block.loop is not None and block.parent is not None
    around, loop = block.parent.dims, block.loop
    found: list[tuple[int, int, str]] = []
    for n, item in enumerate(block.items):
        reason = kinds[n].reason
        first = n
        for m in range(len(found) - 1, -1, -1):
            start, end, _ = found[m]
            if any(between(state, item, block.items[k], loop, around) for k in range(start, end + 1)):
                buffers = ", ".join(sorted(written_by(item)))
                reason = reason or f"an earlier statement of the next iteration of {loop.name} depends on {buffers}"
                first = start
        while found and found[-1][0] >= first:
            reason = reason or found[-1][2]
            found.pop()
        found.append((first, n, reason))
    return found


def _moved(state: State, item: Item, loop: LoopDim, parent: Block, calls: list[DeclaredCall], kind: str) -> Item:
    """`item` with `loop` moved inside."""
    if isinstance(item, Repeated):
        inside = [_moved(state, i, loop, parent, calls, "parallel") for i in item.items]
        return Repeated(state.tick(), item.dim, inside, item.reason)
    if kind == "reduction":
        found = _reduced(state, item, loop, parent, calls)
        assert found is not None
        return found
    if kind == "scatter":
        spread = scattered(state, item, loop, calls)
        assert spread is not None
        return spread
    return replace(item, time=state.tick(), dims=(loop, *item.dims))


# ---------------------------------------------------------------------------------------------------- reductions


def _reduced(
    state: State, item: Statement, loop: LoopDim, parent: Block | None, calls: list[DeclaredCall]
) -> Statement | None:  # fmt: skip
    """The statement with `loop` as a reduction; without `parent` only whether that is possible."""
    selves, ends = [], []
    for target in item.targets:
        value = target.value
        own = _own_read(state, target, value)
        if own is None:
            return None
        selves.append(own)
        ends.append(value)
    updates = recognise(state, selves, ends, calls)
    if updates is None or any(components_of(state, b) for u in updates for b in u.body):
        return None
    places = {(t.buffer, t.index) for t in item.targets}
    if any((r.buffer, r.index) in places for u in updates for b in u.body for r in reads_of(state, b)):
        return None
    if parent is None:
        return item
    remaining, dropped = _split_guard(item, loop)
    block, time = parent, state.tick()
    targets = list(item.targets)
    for update in updates:
        _scan_free(update.inner)
        init = []
        for m, type in zip(update.members, update.operator.types):
            t, leaf = item.targets[m], state.graph.described(selves[m])
            assert isinstance(leaf, Read)
            read = state.read(
                t.buffer, t.index, tuple(g for g in leaf.guard if g in remaining), t.loc, block, t.speculative
            )
            init.append(state.arithmetic.cast(read, type))
        dims = (loop, *update.inner.dims) if update.inner is not None else (loop,)
        body = tuple(state.arithmetic.cast(b, type) for b, type in zip(update.body, update.operator.types))
        body, guard = guarded(state, dims, update.operator, body, update.guard)
        where = tuple(g for g in remaining if not {d.name for d in item.dims}.intersection(g.names))
        points = guard + dropped
        reduction = Reduction(dims, update.operator, body, points, tuple(init), block.number, time, where)
        for number, m in enumerate(update.members):
            t = item.targets[m]
            leaf_node = state.graph.new_leaf(Component(reduction, number), update.operator.types[number])
            value = state.arithmetic.cast(leaf_node, ends[m].type)
            targets[m] = Target(t.buffer, t.index, value, t.speculative, t.loc)
    return Statement(state.tick(), targets, remaining, item.dims, item.loc, (loop, *item.needs))


def _scan_free(inner: Reduction | None) -> None:
    assert inner is None or inner.scan is None


def _own_read(state: State, target: Target, value: Scalar) -> Scalar | None:
    """The read of the old element in an update."""
    for variable in state.graph.leaves(value):
        leaf = state.graph.described(variable)
        if isinstance(leaf, Read) and (leaf.buffer, leaf.index) == (target.buffer, target.index):
            return variable
        if isinstance(leaf, Component):
            for init in leaf.reduction.init or ():
                own = _own_read(state, target, init)
                if own is not None:
                    return own
    return None


def _split_guard(item: Statement, loop: LoopDim) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
    """Guards that stay on the result, and those that are about the points of the reduction."""
    stay = tuple(g for g in item.guard if not g.coefficient(loop.name))
    return stay, tuple(g for g in item.guard if g.coefficient(loop.name))
