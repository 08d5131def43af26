"""Assignments to memory: keeping reads before the writes that would spoil them, and joining statements.

    w[i] = 0                                           w[i] = 0 + Σₖ …
    w[i] = w[i] + Σₖ …            ->
    t = a[i];  a[i] = b[i];  b[i] = t   ->   a[i], b[i] = b[i], a[i]    (one statement: all is read first)

Where neither helps, the value is put into a temporary, spread out over the loops around it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar, Variable
from jitmdh.mdh.frontend.trace_ir.trace import (
    Absorbed,
    Block,
    BufferInfo,
    Hoisted,
    IndirectIndex,
    Item,
    Repeated,
    Statement,
    Target,
    Trace,
    has_indirect,
)
from jitmdh.mdh.frontend.trace_ir.value_graph import Component, LoopDim, Read, Reduction


def distinct(a: Sequence[Affine], b: Sequence[Affine], inner: Sequence[LoopDim] = ()) -> bool:
    """Whether two subscripts certainly differ at one iteration of the loops around; `inner` loops run freely."""
    free = {d.name for d in inner}
    for x, y in zip(a, b):
        difference = x - y
        if inner and has_indirect(x, y):
            continue
        if difference.is_constant and difference.constant and not free.intersection(x.names + y.names):
            return True
    return False


def statements(
    items: Sequence[Item], around: tuple[LoopDim, ...] = ()
) -> Iterator[tuple[Statement, tuple[LoopDim, ...]]]:
    """All statements below `items`, each with the loops inside the block that run around it."""
    for item in items:
        if isinstance(item, Repeated):
            yield from statements(item.items, (*around, item.dim))
        else:
            yield item, (*around, *item.dims)


def writes(item: Item, buffer: str, index: Sequence[Affine]) -> bool:
    """Whether `item` may write `buffer[index]` in the same iteration of the loops around."""
    for statement, inner in statements([item]):
        for target in statement.targets:
            if target.buffer == buffer and not distinct(target.index, index, inner):
                return True
    return False


def reads_of(trace: Trace, node: Scalar, seen: set[object] | None = None) -> Iterator[Read]:
    """All reads in a value, those inside reductions included, each once.

    seen: leaves, reductions and numbers from data that have been looked into: values share parts.
    """
    seen = set() if seen is None else seen
    for variable in trace.graph.leaves(node):
        leaf = trace.graph.described(variable)
        if isinstance(leaf, Read) and variable.name not in seen:
            seen.add(variable.name)
            yield leaf
            yield from index_reads(trace, leaf.index, seen)
        elif isinstance(leaf, Component) and id(leaf.reduction) not in seen:
            seen.add(id(leaf.reduction))
            yield from taken_in(trace, leaf.reduction, seen)
            for part in leaf.reduction.init or ():
                yield from reads_of(trace, part, seen)
    yield from index_reads(trace, trace.graph.indices(node), seen)


def taken_in(trace: Trace, reduction: Reduction, seen: set[object] | None = None) -> Iterator[Read]:
    """What a reduction reads but for what it begins with: elements, and what decides which ones and how many."""
    seen = set() if seen is None else seen
    for part in reduction.body:
        yield from reads_of(trace, part, seen)
    yield from extent_reads(trace, reduction.dims, seen)
    yield from index_reads(trace, reduction.guard, seen)


def index_reads(trace: Trace, index: Sequence[Affine], seen: set[object] | None = None) -> Iterator[Read]:
    """The reads that decide what data-dependent subscripts are."""
    seen = set() if seen is None else seen
    for affine in index:
        for name in affine.names:
            if name in trace.indirect and name not in seen:
                seen.add(name)
                yield from reads_of(trace, trace.indirect[name].value, seen)


def extent_reads(trace: Trace, dims: Sequence[LoopDim], seen: set[object] | None = None) -> Iterator[Read]:
    """The reads that decide how long loops are."""
    yield from index_reads(trace, [dim.room for dim in dims], seen)


def components_of(trace: Trace, node: Scalar) -> list[tuple[Variable, Component]]:
    """The components of reductions in a value, outermost ones only."""
    leaves = [(v, trace.graph.described(v)) for v in trace.graph.leaves(node)]
    return [(v, leaf) for v, leaf in leaves if isinstance(leaf, Component)]


def spoiling(trace: Trace, buffer: str, index: Sequence[Affine] | None, block: int, time: int) -> Iterator[Item]:
    """Items after `time` that may write `buffer[index]` (index None: any element)."""
    for around in trace.block.chain:
        for item in around.items:
            if item.time > time and (writes(item, buffer, index) if index is not None else buffer in written_by(item)):
                yield item
        if around.number == block:
            return


def written_by(item: Item) -> set[str]:
    return {t.buffer for s, _ in statements([item]) for t in s.targets}


def is_stale(trace: Trace, leaf: object, known: dict[str, bool] | None = None) -> bool:
    """Whether memory no longer holds what the leaf stands for. known: of reads and numbers from data, what was found
    since memory has been written last."""
    if isinstance(leaf, Read):
        return _is_spoiled(trace, leaf) or _decided_by_stale(trace, leaf.index, {} if known is None else known)
    if isinstance(leaf, Component):
        r = leaf.reduction
        buffers = {x.buffer for x in (*taken_in(trace, r), *(x for i in r.init or () for x in reads_of(trace, i)))}
        return any(True for b in buffers for _ in spoiling(trace, b, None, r.block, r.time))
    return False


def _decided_by_stale(trace: Trace, index: Sequence[Affine], known: dict[str, bool]) -> bool:
    """Whether memory no longer holds some of what decides data-dependent subscripts."""
    for name in (n for affine in index for n in affine.names if n in trace.indirect):
        if name not in known:
            known[name] = False  # no number depends on itself
            known[name] = _depends_on_stale(trace, trace.indirect[name].value, known)
        if known[name]:
            return True
    return False


def _depends_on_stale(trace: Trace, value: Scalar, known: dict[str, bool]) -> bool:
    for variable in trace.graph.leaves(value):
        leaf = trace.graph.described(variable)
        if variable.name not in known and isinstance(leaf, Read):
            known[variable.name] = is_stale(trace, leaf, known)
        elif variable.name not in known and isinstance(leaf, Component):
            known[variable.name] = any(_is_spoiled(trace, read) for read in reads_of(trace, variable))
        if known.get(variable.name):
            return True
    return _decided_by_stale(trace, trace.graph.indices(value), known)


def _is_spoiled(trace: Trace, read: Read) -> bool:
    """Whether the element itself has been overwritten."""
    written = any(True for _ in spoiling(trace, read.buffer, read.index, read.block, read.time))
    return written or as_of(trace, read) < read.time


def as_of(trace: Trace, leaf: Read) -> int:
    """When to read what the leaf stands for: then, or before the statement that the next write is now part of."""
    over = [h for h in trace.hoisted if h.buffer == leaf.buffer and h.start < leaf.time < h.end]
    return min((h.start - 1 for h in over if not distinct(h.index, leaf.index)), default=leaf.time)


def _read_since(trace: Trace, time: int) -> Iterator[Read | Reduction]:
    """What has been read from memory after `time`, whether anybody still holds it or not."""
    for leaf in reversed(trace.graph.leaf.values()):
        if isinstance(leaf, Read):
            if leaf.time <= time:
                return
            yield leaf
        elif isinstance(leaf, Component) and leaf.reduction.time > time:
            yield leaf.reduction


def _takes_in(trace: Trace, reduction: Reduction, buffers: set[str]) -> bool:
    """Whether a reduction goes over elements of these arrays, or as far as they say."""
    return any(r.buffer in buffers for r in taken_in(trace, reduction))


def block_of(trace: Trace, number: int) -> Block:
    return next((b for b in trace.block.chain if b.number == number), trace.block)


# ------------------------------------------------------------------------------------------------- temporaries


def new_local(trace: Trace, name: str, value: Scalar, block: Block) -> tuple[str, tuple[Affine, ...]]:
    """A buffer for a local scalar, one element for each iteration of the loops around `block`."""
    buffer, dims = trace.fresh(name), block.dims
    trace.buffers[buffer] = BufferInfo(buffer, value.type, (), dims, allocated=True)
    return buffer, tuple(Affine.of(d.name) for d in dims)


def keep(
    trace: Trace, values: tuple[Scalar, ...], block: Block, time: int, guard: tuple[Affine, ...]
) -> tuple[Scalar, ...]:
    """Store values, which exist where `guard` holds, into temporaries at `time` in `block`; what to read instead."""
    places = [new_local(trace, "t", v, block) for v in values]
    targets = [Target(buffer, index, value) for (buffer, index), value in zip(places, values)]
    statement = Statement(time, targets, guard)
    block.insert(statement)
    for buffer, _ in places:
        trace.stored[buffer] = time
    return tuple(trace.read(buffer, index, block=block) for buffer, index in places)


def kept_now(trace: Trace, value: Scalar) -> Scalar:
    """What to read instead of a value so that nothing that is written from here on changes it."""
    return keep(trace, tuple(settle(trace, [value])), trace.block, trace.tick(), trace.guards)[0]


def kept_condition(trace: Trace, condition: Scalar) -> Scalar | None:
    """What to read instead of a condition on elements: one statement computes it when all of these have been read.

    None: the condition is not about elements alone, or they have been overwritten since.
    """
    leaves = [trace.graph.described(v) for v in trace.graph.leaves(condition)]
    reads = [x for x in leaves if isinstance(x, Read)]
    here = [x.time for x in reads if x.block == trace.block.number]
    if len(reads) < len(leaves) or not here:
        return None
    if any(not set(x.guard) <= set(trace.guards) or is_stale(trace, x) for x in reads):
        return None
    guard = tuple(dict.fromkeys(g for x in reads for g in x.guard))
    return keep(trace, (condition,), trace.block, max(here), guard)[0]


def keep_reduction(
    trace: Trace, reduction: Reduction, nodes: Sequence[tuple[Variable, Component]]
) -> dict[int, Scalar]:
    """Store the result of a reduction; what to read instead of its components."""
    block = block_of(trace, reduction.block)
    known = trace.spilled.get(id(reduction))
    if known is None or known[0] not in block.items:
        all_nodes = tuple(
            trace.graph.new_leaf(Component(reduction, n), t) for n, t in enumerate(reduction.operator.types)
        )
        values = keep(trace, all_nodes, block, reduction.time, reduction.where)
        statement = next(s for s in block.items if isinstance(s, Statement) and s.targets[0].value is all_nodes[0])
        known = trace.spilled[id(reduction)] = (statement, values)
    return {id(variable): known[1][component.number] for variable, component in nodes}


def inner_kept(trace: Trace, body: Scalar) -> Scalar:
    """`body` with the results of inner reductions kept in temporaries, and elements that were overwritten since."""
    replaced: dict[int, Scalar] = {}
    for variable, component in components_of(trace, body):
        replaced.update(keep_reduction(trace, component.reduction, [(variable, component)]))
    return trace.graph.replace(body, replaced | _kept_before(trace, body))


def _kept_before(trace: Trace, value: Scalar) -> dict[int, Scalar]:
    """What to read instead of elements that a value takes in as they were before they were overwritten."""
    if trace.indirect:
        keep_numbers(trace, numbers_in(trace, value))
    known: dict[str, bool] = {}
    return _kept_then(trace, value, lambda read: is_stale(trace, read, known))


def _kept_then(trace: Trace, value: Scalar, which: Callable[[Read], bool]) -> dict[int, Scalar]:
    """What to read instead of such elements, kept at the time at which they were read."""
    leaves = [(variable, trace.graph.described(variable)) for variable in trace.graph.leaves(value)]
    chosen = [(v, leaf) for v, leaf in leaves if isinstance(leaf, Read) and which(leaf)]
    return {id(v): _keep_element(trace, v, x) for v, x in chosen}


def _keep_element(trace: Trace, value: Variable, read: Read) -> Scalar:
    """Store what was read from memory; what to read instead: the same for all that takes it in."""
    block, time = block_of(trace, read.block), as_of(trace, read)
    kept, statement = trace.elements.get(id(value), (None, None))
    if kept is value and statement in block.items and statement.time == time:
        (target,) = statement.targets
        return trace.read(target.buffer, target.index, block=block)
    found = keep(trace, (value,), block, time, read.guard)[0]
    statement = next(s for s in block.items if isinstance(s, Statement) and s.targets[0].value is value)
    trace.elements[id(value)] = value, statement
    return found


# ---------------------------------------------------------------------------------------------- numbers from data


def keep_numbers(trace: Trace, index: Iterable[Affine], buffer: str = "", around: Collection[int] = ()) -> None:
    """Numbers from data that subscripts and extents have are those of when they were read, whatever has been written
    since; of those that are read from `buffer`, too, whatever will be written to it.

    Only what was read in the blocks `around`, which are those at hand: what loops that are closed have read belongs
    to their reductions, which are kept as a whole."""
    around = around or {block.number for block in trace.block.chain}
    done: set[str] = set()  # those that have been seen to
    stale: dict[str, bool] = {}

    def see_to(index: Iterable[Affine]) -> None:
        for name in dict.fromkeys(n for affine in index for n in affine.names):
            known = trace.indirect.get(name)
            if known is None or known.inside or name in done:
                continue
            done.add(name)
            see_to([*_subscripts_in(trace, known.value, set())])
            kept = _kept_then(
                trace, known.value,
                lambda read: read.block in around and (read.buffer == buffer or is_stale(trace, read, stale)),
            )  # fmt: skip
            if kept:
                trace.indirect[name] = named_anew(trace, known, trace.graph.replace(known.value, kept))
                stale.clear()

    see_to(index)


def _subscripts_in(trace: Trace, value: Scalar, seen: set[object]) -> Iterator[Affine]:
    """The subscripts of the elements that a value reads itself, and of those that its reductions and sizes depend on.

    seen: reductions and numbers from data that have been looked into."""
    sizes = [*trace.graph.indices(value)]
    for variable in trace.graph.leaves(value):
        leaf = trace.graph.described(variable)
        if isinstance(leaf, Read):
            yield from leaf.index
        elif isinstance(leaf, Component) and id(leaf.reduction) not in seen:
            seen.add(id(leaf.reduction))
            for part in (*leaf.reduction.body, *(leaf.reduction.init or ())):
                yield from _subscripts_in(trace, part, seen)
            sizes += [*(d.room for d in leaf.reduction.dims), *leaf.reduction.guard]
    for name in (n for affine in sizes for n in affine.names if n in trace.indirect):
        if name not in seen:
            seen.add(name)
            yield from _subscripts_in(trace, trace.indirect[name].value, seen)


def named_anew(trace: Trace, known: IndirectIndex, value: Scalar) -> IndirectIndex:
    """A number from data, computed from other elements."""
    depends = set[str]()
    for read in reads_of(trace, value):
        trace.deciding.add(read.buffer)
        depends |= {n for i in read.index for n in i.names}
        depends |= {d for i in read.index for n in i.names if n in trace.indirect for d in trace.indirect[n].depends}
    loops = known.depends | (frozenset(depends) & {d.name for d in known.around})
    return replace(known, value=value, depends=loops)


def numbers_in(trace: Trace, value: Scalar, seen: set[int] | None = None) -> Iterator[Affine]:
    """The subscripts and extents in a value, and the lengths and numbers of iterations that it computes with.

    seen: reductions that have been looked into, by identity."""
    seen = set() if seen is None else seen
    yield from trace.graph.indices(value)
    for variable in trace.graph.leaves(value):
        leaf = trace.graph.described(variable)
        if isinstance(leaf, Read):
            yield from leaf.index
        elif isinstance(leaf, Component) and id(leaf.reduction) not in seen:
            seen.add(id(leaf.reduction))
            yield from (d.room for d in leaf.reduction.dims)
            for part in (*leaf.reduction.body, *(leaf.reduction.init or ())):
                yield from numbers_in(trace, part, seen)


# ------------------------------------------------------------------------------------------------------- values


def settle(trace: Trace, values: list[Scalar]) -> list[Scalar]:
    """Values as they can be computed here and now, by one expression: nothing stale, at most one reduction nest."""
    values = [_with_absorbed(trace, v) for v in values]
    if trace.indirect:
        keep_numbers(trace, [i for v in values for i in numbers_in(trace, v)])
    replaced: dict[int, Scalar] = {}
    kept: Reduction | None = None
    for value in values:
        for variable, component in components_of(trace, value):
            r = component.reduction
            if r.block != trace.block.number or is_stale(trace, component):
                pass
            elif kept is None or _same_nest(kept, r):
                kept = r
                continue
            replaced.update(keep_reduction(trace, r, [(variable, component)]))
        replaced |= _kept_before(trace, value)
    return [trace.graph.replace(v, replaced) for v in values] if replaced else values


def _same_nest(a: Reduction, b: Reduction) -> bool:
    return a.dims == b.dims and a.guard == b.guard and a.scan == b.scan


def _with_absorbed(trace: Trace, value: Scalar) -> Scalar:
    if not trace.absorbed:
        return value

    def change(part: Scalar) -> Scalar | None:
        leaf = trace.graph.described(part)
        if isinstance(leaf, Read):
            for a in reversed(trace.absorbed):
                if (a.buffer, a.index, a.block) == (
                    leaf.buffer,
                    leaf.index,
                    leaf.block,
                ) and a.start < leaf.time < a.end:
                    return _with_absorbed(trace, a.value)
        return None

    return trace.graph.rewrite(value, change)


# -------------------------------------------------------------------------------------------------- assignments


def load(trace: Trace, buffer: str, index: tuple[Affine, ...], guard: tuple[Affine, ...], loc: Loc | None) -> Scalar:
    """The element of an array, forwarded from the assignment just before where there is one."""
    for item in reversed(trace.block.items):
        if not writes(item, buffer, index):
            continue
        if isinstance(item, Statement) and not item.dims and item.guard == trace.guards and len(item.targets) == 1:
            target = item.targets[0]
            if target.index == index and not _any_stale(trace, target.value):
                return _as_stored(trace, buffer, target.value)
        break
    return trace.read(buffer, index, guard, loc)


def _as_stored(trace: Trace, buffer: str, value: Scalar) -> Scalar:
    """What an element holds after this was assigned to it: a number of its type, whichever number was chosen."""
    return trace.graph.converted(trace.arithmetic.cast(value, trace.buffers[buffer].type))


def _any_stale(trace: Trace, value: Scalar) -> bool:
    return any(is_stale(trace, trace.graph.described(v)) for v in trace.graph.leaves(value))


def assign(trace: Trace, targets: list[Target], loc: Loc | None) -> None:
    """Add `targets` as one simultaneous assignment to the block at hand."""
    if trace.indirect:
        keep_numbers(trace, [*(i for t in targets for i in t.index), *(d.room for d in trace.block.dims)])
    if not _joined(trace, targets):
        values = settle(trace, [t.value for t in targets])
        targets = [replace(t, value=v) for t, v in zip(targets, values)]
        statement = Statement(trace.tick(), targets, trace.guards, (), loc)
        append(trace, trace.block, statement)
    for target in targets:
        trace.stored[target.buffer] = trace.tick()


def _joined(trace: Trace, targets: list[Target]) -> bool:
    """Whether `targets` became part of the assignment before, because they need what it overwrites."""
    last = trace.block.items[-1] if trace.block.items else None
    if not isinstance(last, Statement) or last.dims or last.guard != trace.guards or trace.leaves(last):
        return False
    # What a procedure writes on its way cannot wait until all is read; the element of a sum need not exist.
    if any(t.effect for t in last.targets) or last.needs:
        return False
    values = [_with_absorbed(trace, t.value) for t in targets]
    if trace.indirect:  # what chose an element may have been overwritten before the element was
        keep_numbers(trace, [i for v in values for i in numbers_in(trace, v)])
    if written_by(last) & deciding(trace, targets) or {t.buffer for t in targets} & deciding(trace, last.targets):
        return False
    leaves = [(v, trace.graph.described(v)) for value in values for v in trace.graph.leaves(value)]
    stale = [x for _, x in leaves if is_stale(trace, x)]
    if not stale or not all(isinstance(x, Read) and x.time < last.time for x in stale):
        return False
    if any(list(spoiling(trace, x.buffer, x.index, x.block, x.time)) != [last] for x in stale if isinstance(x, Read)):
        return False
    replaced: dict[int, Scalar] = {}
    for variable, leaf in leaves:
        if isinstance(leaf, Component):
            return False
        if isinstance(leaf, Read) and leaf.time > last.time and writes(last, leaf.buffer, leaf.index):
            source = next((t for t in last.targets if (t.buffer, t.index) == (leaf.buffer, leaf.index)), None)
            if source is None:
                return False
            replaced[id(variable)] = _as_stored(trace, leaf.buffer, source.value)
    if any(a.buffer == b.buffer and not distinct(a.index, b.index) for a in last.targets for b in targets):
        return False
    if _written_twice_around_a_read(trace, last, targets):
        return False
    new = [replace(t, value=trace.graph.replace(v, replaced)) for t, v in zip(targets, values)]
    now = trace.tick()
    trace.hoisted += [Hoisted(t.buffer, t.index, last.time, now) for t in targets]
    trace.block.items[-1] = Statement(last.time, [*last.targets, *new], last.guard, (), last.loc)
    return True


def _written_twice_around_a_read(trace: Trace, last: Statement, targets: Sequence[Target]) -> bool:
    """Whether something was read after `last` that both it and `targets` may write: then it was neither's."""
    buffers = {t.buffer for t in targets}
    for read in _read_since(trace, last.time):
        if isinstance(read, Reduction):
            if _takes_in(trace, read, buffers):
                return True
        elif read.buffer in buffers and writes(last, read.buffer, read.index):
            return True
    return False


def deciding(trace: Trace, targets: Sequence[Target]) -> set[str]:
    """The arrays that decide which elements an assignment reads and writes, and which lengths it computes with."""
    reads = [r for t in targets for v in trace.graph.leaves(t.value) if isinstance(r := trace.graph.described(v), Read)]
    numbers = [trace.graph.indices(t.value) for t in targets]
    return {r.buffer for index in (*(t.index for t in targets), *(r.index for r in reads), *numbers)
            for r in index_reads(trace, index)}  # fmt: skip


def append(trace: Trace, block: Block, statement: Statement) -> None:
    """Add a statement at the end of a block, taking in an earlier one that it overwrites."""
    place = _overwritten(trace, block, statement)
    if place is not None:
        before = block.items[place]
        assert isinstance(before, Statement)
        old, target = before.targets[0], statement.targets[0]
        end = statement.time
        value = trace.arithmetic.cast(old.value, trace.buffers[old.buffer].type)
        trace.absorbed.append(Absorbed(old.buffer, old.index, block.number, before.time, end, value))
        taken = _taking_in(trace, target.value, before, value, block)
        target = replace(target, value=taken)
        del block.items[place]
        statement = Statement(statement.time, [target], statement.guard, statement.dims, statement.loc)
    block.items.append(statement)


def _taking_in(trace: Trace, node: Scalar, before: Statement, value: Scalar, block: Block) -> Scalar:
    """`node` with reads of what `before` stored replaced by `value`, also in the initial values of reductions."""
    old = before.targets[0]

    def change(part: Scalar) -> Scalar | None:
        leaf = trace.graph.described(part)
        if isinstance(leaf, Read) and (leaf.buffer, leaf.index) == (old.buffer, old.index) and leaf.time > before.time:
            return value
        if isinstance(leaf, Component) and leaf.reduction.init is not None:
            r = leaf.reduction
            init = tuple(trace.graph.rewrite(i, change) for i in leaf.reduction.init)
            if any(a is not b for a, b in zip(init, leaf.reduction.init)):
                new = replace(r, init=init)
                return trace.graph.new_leaf(Component(new, leaf.number), part.type)
        return None

    return trace.graph.rewrite(node, change)


def _overwritten(trace: Trace, block: Block, statement: Statement) -> int | None:
    """The place of an earlier assignment that `statement` replaces, if the two can be one."""
    if len(statement.targets) != 1 or statement.targets[0].buffer in trace.deciding:
        return None
    target = statement.targets[0]
    for place in range(len(block.items) - 1, -1, -1):
        item = block.items[place]
        if not isinstance(item, Statement) or trace.leaves(item):
            return None
        if len(item.targets) == 1 and (item.targets[0].buffer, item.targets[0].index) == (target.buffer, target.index):
            same = item.dims == statement.dims and item.guard == statement.guard
            return place if same and _can_move(trace, block, place, statement) else None
        if target.buffer in written_by(item) or any(r.buffer == target.buffer for r in _all_reads(trace, item)):
            return None
    return None


def _all_reads(trace: Trace, item: Item) -> Iterator[Read]:
    for statement, _ in statements([item]):
        for target in statement.targets:
            yield from reads_of(trace, target.value)
            yield from index_reads(trace, target.index)


def _may_be(a: tuple[Affine, ...], b: tuple[Affine, ...]) -> bool:
    """Whether two different subscripts may be of one element."""
    return a != b and not distinct(a, b)


def _can_move(trace: Trace, block: Block, place: int, statement: Statement) -> bool:
    moved, later = block.items[place], block.items[place + 1 :]
    assert isinstance(moved, Statement)
    value = moved.targets[0].value
    old = moved.targets[0]
    inputs = {r.buffer for r in (*reads_of(trace, value), *index_reads(trace, old.index))}
    if any(inputs & written_by(item) for item in later):
        return False
    own = [c for _, c in components_of(trace, statement.targets[0].value)]
    if own and components_of(trace, value):
        return False
    for read in _read_since(trace, moved.time):  # of what it stored, by other subscripts
        if isinstance(read, Reduction):
            if _takes_in(trace, read, {old.buffer}):
                return False
        elif (read.buffer, read.block) == (old.buffer, block.number) and _may_be(read.index, old.index):
            return False
    for part in reads_of(trace, statement.targets[0].value):  # other elements of the same array stay readable
        if part.buffer == old.buffer and part.index != old.index:
            return False
    return not any(_takes_in(trace, c.reduction, {old.buffer}) for c in own)
