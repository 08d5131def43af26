"""Updates of elements that data choose, `hist[bins[i]] += w[i]`, or whose number data say: iterations may share an
element.

Where the update is an associative and commutative one with an identity, the loop's iterations are independent but for
the order in which they are combined: a scatter. The statement's value becomes what an iteration contributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.loops.reduction_recognition import Update, recognise, standard
from jitmdh.mdh.frontend.symbolic.operators import DeclaredCall
from jitmdh.mdh.frontend.trace_ir.store_forwarding import components_of, index_reads, keep_reduction, reads_of
from jitmdh.mdh.frontend.trace_ir.trace import Block, Item, Statement, Target, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim, Read


def scattered(trace: Trace, item: Statement, loop: LoopDim, calls: Sequence[DeclaredCall]) -> Statement | None:
    """The statement with `loop` as a scatter; None if it is none."""
    if item.operator is not None:
        dims, over = (loop, *item.dims), (loop, *item.scattered)
        return Statement(trace.tick(), item.targets, item.guard, dims, item.loc, (), over, item.operator)
    if len(item.targets) != 1:
        return None
    if not has_indirect(*item.targets[0].index) and not has_lengths_from(trace, item, loop):
        return None
    target = item.targets[0]
    update = _update(trace, target, calls)
    if update is None:
        return None
    type = trace.buffers[target.buffer].type
    if type.kind == "c":
        return None
    (body,), own = update.body, update.operator
    operator = standard(own.name, type) if own.is_elementary else own
    if operator.types != (type.concrete,) or operator.identity is None or not operator.commutative:
        return None
    touched = [*reads_of(trace, body), *index_reads(trace, target.index)]
    if any(r.buffer == target.buffer for r in touched) or components_of(trace, body):
        return None
    inner = update.inner.dims if update.inner is not None else ()
    value = trace.arithmetic.cast(body, type)
    new = replace(target, value=value)
    guard = tuple(dict.fromkeys((*item.guard, *update.guard)))
    dims = (loop, *item.dims, *inner)
    return Statement(trace.tick(), [new], guard, dims, item.loc, (), (loop, *inner), operator)


def has_lengths_from(trace: Trace, item: Statement, loop: LoopDim) -> bool:
    """Whether data decide in each iteration of a loop how far other ones go: `for j in range(k[i]): y[j] += 1`."""
    return any(has_indirect(d.room) and trace.varies(d.room, loop.name) for d in item.dims)


def _update(trace: Trace, target: Target, calls: Sequence[DeclaredCall]) -> Update | None:
    """How the element is updated, where that is recognised and keeps its type."""
    own = own_read(trace, target)
    if own is None:
        return None
    updates = recognise(trace, [own], [target.value], calls)
    if updates is None or len(updates) != 1 or updates[0].operator.arity != 1:
        return None
    (update,) = updates
    if update.body[0].type.kind != trace.buffers[target.buffer].type.kind:
        return None
    return update


def own_read(trace: Trace, target: Target) -> Scalar | None:
    """The read of the old element in an update, also where a reduction starts from it."""
    leaves = list(trace.graph.leaves(target.value))
    for _, component in components_of(trace, target.value):
        leaves += [v for init in component.reduction.init or () for v in trace.graph.leaves(init)]
    for variable in leaves:
        leaf = trace.graph.described(variable)
        if isinstance(leaf, Read) and (leaf.buffer, leaf.index) == (target.buffer, target.index):
            return variable
    return None


def keep_contributions(trace: Trace, item: Item, block: Block) -> None:
    """Results of inner reductions that an update of an element from data takes in go into temporaries."""
    if not isinstance(item, Statement) or item.dims or len(item.targets) != 1:
        return
    (target,) = item.targets
    if not has_indirect(*target.index) or own_read(trace, target) not in trace.graph.leaves(target.value):
        return
    replaced: dict[int, Scalar] = {}
    for variable, component in components_of(trace, target.value):
        replaced.update(keep_reduction(trace, component.reduction, [(variable, component)]))
    if replaced:
        value = trace.graph.replace(target.value, replaced)
        item.targets[0] = replace(target, value=value)
