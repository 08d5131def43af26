"""The statements of a finished trace, shaped as the algebra wants them.

x[i] = f(x[i - 1])         ->   t = f(x[i - 1]);  x[i] = t     many points read what they write only in place
s = Σ x[i];  n = Σ 1       ->   s, n = Σ (x[i], 1)             neighbours over the same loops pass over them once
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Procedure, Scalar, called_in
from jitmdh.mdh.frontend.loops.reads_before_writes import read_before
from jitmdh.mdh.frontend.trace_ir.store_forwarding import (
    components_of,
    deciding,
    distinct,
    index_reads,
    reads_of,
    statements,
    taken_in,
)
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, Item, Repeated, Statement, Target, Trace
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim, Read, Reduction


def shaped(trace: Trace, items: list[Item], path: tuple[LoopDim, ...] = ()) -> list[Item]:
    """Items with neighbours joined, and with what is read from elsewhere in a written array kept apart."""
    result: list[Item] = []
    for item in items:
        if isinstance(item, Repeated):
            inside = shaped(trace, item.items, (*path, item.dim))
            result.append(Repeated(item.time, item.dim, inside, item.reason))
            continue
        last = result[-1] if result else None
        joined = _joined(trace, last, item) if isinstance(last, Statement) else None
        if joined is not None:
            result[-1] = joined
        else:
            result.append(item)
    return [part for item in result for part in _in_place(trace, item, path)]


def without_unread(trace: Trace, items: list[Item]) -> list[Item]:
    """Items without the results of procedures that nobody reads: what stored them has become part of who did."""
    read = {r.buffer for s, _ in statements(items) for t in s.targets for r in _all_reads(trace, t)}
    read |= {r.buffer for named in trace.indirect.values() for r in reads_of(trace, named.value)}
    unread = trace.from_procedures - read
    return [_without(trace, item, unread) for item in items] if unread else items


def _all_reads(trace: Trace, target: Target) -> Iterator[Read]:
    yield from reads_of(trace, target.value)
    yield from index_reads(trace, target.index)


def _without(trace: Trace, item: Item, unread: set[str]) -> Item:
    if isinstance(item, Repeated):
        return Repeated(item.time, item.dim, [_without(trace, i, unread) for i in item.items], item.reason)
    kept = [t for t in item.targets if t.effect or t.buffer not in unread]
    known = {id(p) for t in kept if not t.effect for p in _procedures(trace, t.value)}
    for target in item.targets:  # what a procedure writes, and where it ends in an error, is not left out
        own = {id(p) for p in _procedures(trace, target.value)}
        if target.buffer in unread and not own <= known:
            kept.append(target)
            known |= own
    targets = [t for t in item.targets if any(t is k for k in kept)] or item.targets[:1]
    return item if len(targets) == len(item.targets) else replace(item, targets=targets)


def _procedures(trace: Trace, value: Scalar) -> tuple[Procedure, ...]:
    """Those that are called for a value, in the reductions that it is made of, too."""
    return called_in((value, *(b for nest in _nests(trace, value) for b in nest.body)))


# ------------------------------------------------------------------------------------------------------ in place


def _in_place(trace: Trace, item: Item, path: tuple[LoopDim, ...]) -> list[Item]:
    if (
        isinstance(item, Repeated)
        or item.scattered
        or any(t.effect for t in item.targets)
        or _is_one_point(trace, item)
        or not reads_elsewhere(trace, item)
    ):
        return [item]
    before = read_before(trace, item, path)
    if before is not None:
        return before
    dims = tuple(sorted((*path, *item.dims), key=lambda d: d.serial))
    index = tuple(Affine.of(d.name) for d in dims)
    kept, written = [], []
    for target in item.targets:
        name = trace.fresh("t")
        trace.buffers[name] = BufferInfo(name, target.value.type, (), dims, allocated=True)
        kept.append(Target(name, index, target.value, target.speculative, target.loc))
        written.append(Target(target.buffer, target.index, trace.read(name, index), target.speculative, target.loc))
    first = Statement(item.time, kept, item.guard, item.dims, item.loc, item.needs)
    return [first, Statement(item.time, written, item.guard, item.dims, item.loc, item.needs)]


def _is_one_point(trace: Trace, item: Statement) -> bool:
    """Whether all is read before anything is written: there is one point, and one target."""
    return not item.dims and len(item.targets) == 1 and not _nests(trace, item.targets[0].value)


def reads_elsewhere(trace: Trace, item: Statement) -> bool:
    """Whether points of a statement read elements that other points of it may write."""
    places: dict[str, set[tuple[Affine, ...]]] = {}
    for target in item.targets:
        places.setdefault(target.buffer, set()).add(target.index)
    if any(len(indices) > 1 for indices in places.values()):
        return True
    inside = {r.buffer for t in item.targets for n in _nests(trace, t.value) for r in taken_in(trace, n)}
    if inside & set(places):
        return True
    reads = (r for t in item.targets for r in reads_of(trace, t.value))
    return any(
        r.buffer in places and r.index not in places[r.buffer] and not _apart(r, places[r.buffer], item) for r in reads
    )


def _apart(read: Read, places: Iterable[tuple[Affine, ...]], item: Statement) -> bool:
    """Whether no point of a statement writes what `read` stands for, such as an element of the row before."""
    return all(distinct(read.index, place, item.dims) for place in places)


def _nests(trace: Trace, value: Scalar) -> list[Reduction]:
    return [c.reduction for _, c in components_of(trace, value)]


# ------------------------------------------------------------------------------------------------------- joining


def _joined(trace: Trace, a: Statement, b: Statement) -> Statement | None:
    """Both statements as one, where that means the same."""
    if a.dims != b.dims or a.guard != b.guard or a.needs != b.needs or a.scattered or b.scattered or trace.leaves(a):
        return None
    if any(t.effect for s in (a, b) for t in s.targets):
        return None
    nests = [[n for t in s.targets for n in _nests(trace, t.value)] for s in (a, b)]
    if bool(nests[0]) != bool(nests[1]) or (not nests[0] and not a.dims):
        return None
    if any(
        (n.dims, n.guard, n.scan) != (nests[0][0].dims, nests[0][0].guard, nests[0][0].scan) for s in nests for n in s
    ):
        return None
    if len({n.operator.identity is None for s in nests for n in s}) > 1:
        return None
    first = {t.buffer: t for t in a.targets}
    second = {t.buffer: t for t in b.targets}
    if len(first) < len(a.targets) or len(second) < len(b.targets) or set(first) & set(second):
        return None
    if deciding(trace, b.targets) & set(first):
        return None
    if any(r.buffer in second for t in a.targets for r in index_reads(trace, t.index)):
        return None
    if any(
        r.buffer in second and r.index != second[r.buffer].index for t in a.targets for r in reads_of(trace, t.value)
    ):
        return None
    if any(r.buffer in second for s in nests for n in s for r in taken_in(trace, n)):
        return None
    replaced = _forwarded(trace, first, b)
    if replaced is None:
        return None
    targets = [replace(t, value=trace.graph.replace(t.value, replaced)) for t in b.targets]
    return Statement(a.time, [*a.targets, *targets], a.guard, a.dims, a.loc, a.needs)


def _forwarded(trace: Trace, first: dict[str, Target], b: Statement) -> dict[int, Scalar] | None:
    """What to put for the reads in `b` of what `first` writes; None if they read anything else of it."""
    replaced: dict[int, Scalar] = {}
    for target in b.targets:
        nests = _nests(trace, target.value)
        inside = [*(r for n in nests for r in taken_in(trace, n)),
                  *(r for n in nests for i in n.init or () for r in reads_of(trace, i))]  # fmt: skip
        if any(r.buffer in first for r in inside):
            return None
        for variable in trace.graph.leaves(target.value):
            leaf = trace.graph.described(variable)
            if isinstance(leaf, Read) and leaf.buffer in first:
                source = first[leaf.buffer]
                if source.index != leaf.index:
                    return None
                replaced[id(variable)] = trace.arithmetic.cast(source.value, trace.buffers[leaf.buffer].type)
    return replaced
