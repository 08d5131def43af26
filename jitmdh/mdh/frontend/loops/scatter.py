"""Updates of elements that data choose, `hist[bins[i]] += w[i]`: iterations may share an element.

Where the update is an associative and commutative one with an identity, the loop's iterations are independent but for
the order in which they are combined: a scatter. The statement's value becomes what an iteration contributes.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.loops.reduction_recognition import Update, recognise, standard
from jitmdh.mdh.frontend.trace_ir.operators import DeclaredCall
from jitmdh.mdh.frontend.trace_ir.store_forwarding import components_of, index_reads, keep_reduction, reads_of
from jitmdh.mdh.frontend.trace_ir.trace import Block, Item, State, Statement, Target, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim, Read


def scattered(state: State, item: Statement, loop: LoopDim, calls: Sequence[DeclaredCall]) -> Statement | None:
    """The statement with `loop` as a scatter; None if it is none."""
    if item.operator is not None:
        dims, over = (loop, *item.dims), (loop, *item.scattered)
        return Statement(state.tick(), item.targets, item.guard, dims, item.loc, (), over, item.operator)
    if len(item.targets) != 1 or not has_indirect(*item.targets[0].index):
        return None
    target = item.targets[0]
    update = _update(state, target, calls)
    if update is None:
        return None
    type = state.buffers[target.buffer].type
    if type.kind == "c":
        return None
    (body,), own = update.body, update.operator
    operator = standard(own.name, type) if own.is_elementary else own
    if operator.types != (type.concrete,) or operator.identity is None or not operator.commutative:
        return None
    touched = [*reads_of(state, body), *index_reads(state, target.index)]
    if any(r.buffer == target.buffer for r in touched) or components_of(state, body):
        return None
    inner = update.inner.dims if update.inner is not None else ()
    value = state.arithmetic.cast(body, type)
    new = Target(target.buffer, target.index, value, target.speculative, target.loc)
    guard = tuple(dict.fromkeys((*item.guard, *update.guard)))
    dims = (loop, *item.dims, *inner)
    return Statement(state.tick(), [new], guard, dims, item.loc, (), (loop, *inner), operator)


def _update(state: State, target: Target, calls: Sequence[DeclaredCall]) -> Update | None:
    """How the element is updated, where that is recognised and keeps its type."""
    own = own_read(state, target)
    if own is None:
        return None
    updates = recognise(state, [own], [target.value], calls)
    if updates is None or len(updates) != 1 or updates[0].operator.arity != 1:
        return None
    (update,) = updates
    if update.body[0].type.kind != state.buffers[target.buffer].type.kind:
        return None
    return update


def own_read(state: State, target: Target) -> Scalar | None:
    """The read of the old element in an update, also where a reduction starts from it."""
    leaves = list(state.graph.leaves(target.value))
    for _, component in components_of(state, target.value):
        leaves += [v for init in component.reduction.init or () for v in state.graph.leaves(init)]
    for variable in leaves:
        leaf = state.graph.described(variable)
        if isinstance(leaf, Read) and (leaf.buffer, leaf.index) == (target.buffer, target.index):
            return variable
    return None


def keep_contributions(state: State, item: Item, block: Block) -> None:
    """Results of inner reductions that an update of an element from data takes in go into temporaries."""
    if not isinstance(item, Statement) or item.dims or len(item.targets) != 1:
        return
    (target,) = item.targets
    if not has_indirect(*target.index) or own_read(state, target) not in state.graph.leaves(target.value):
        return
    replaced: dict[int, Scalar] = {}
    for variable, component in components_of(state, target.value):
        replaced.update(keep_reduction(state, component.reduction, [(variable, component)]))
    if replaced:
        value = state.graph.replace(target.value, replaced)
        item.targets[0] = Target(target.buffer, target.index, value, target.speculative, target.loc)
