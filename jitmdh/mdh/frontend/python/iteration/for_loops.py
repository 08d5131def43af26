"""`for` loops: what a loop does to local variables, and which of them are reductions.

A local variable that an iteration takes over from the one before is the state of an associative update (then the
loop is a reduction with that state), or it becomes a memory cell, whose dependences are then those of any array.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from functools import partial

from jitmdh.base.dtype import promote
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.loops.extrema import has_nan_as_identity
from jitmdh.mdh.frontend.loops.loop_distribution import close, has_scan
from jitmdh.mdh.frontend.loops.reduction_recognition import Update, guarded, recognise, require_exact_comparison
from jitmdh.mdh.frontend.python import records
from jitmdh.mdh.frontend.python.array_expressions import lazy
from jitmdh.mdh.frontend.python.index_set_splitting import MAY, PART, WHOLE, Split, require_independent, run_parts
from jitmdh.mdh.frontend.python.inlining import flattened, unflattened
from jitmdh.mdh.frontend.python.iteration import last_values, loop_directives, other_values, own_types
from jitmdh.mdh.frontend.python.iteration.assigned_names import all_assigned, assigned, hide_inner_variables
from jitmdh.mdh.frontend.python.iteration.cells import make_cells, write_cells
from jitmdh.mdh.frontend.python.iteration.double_buffering import Swapped, permutation, run_swapping
from jitmdh.mdh.frontend.python.iteration.iteration import is_short, over_range, run_unrolled
from jitmdh.mdh.frontend.python.iteration.leaving import Leaving, counted, leaving, mark
from jitmdh.mdh.frontend.python.iteration.loop_directives import goes_along_rows, require_operators, require_sizes
from jitmdh.mdh.frontend.python.iteration.loop_ranges import clamped, dim_of, range_of, same_order
from jitmdh.mdh.frontend.python.iteration.new_arrays import Renamed, after_loop, keep, kept_array
from jitmdh.mdh.frontend.python.tracer import Poison, SymbolicValue, Tracer, UnrolledError
from jitmdh.mdh.frontend.python.values import require_one_type, type_taken
from jitmdh.mdh.frontend.symbolic.operators import DeclaredCall
from jitmdh.mdh.frontend.trace_ir.store_forwarding import (
    components_of,
    extent_reads,
    index_reads,
    inner_kept,
    keep_reduction,
    reads_of,
    settle,
    statements,
    taken_in,
    written_by,
)
from jitmdh.mdh.frontend.trace_ir.trace import Block, Mark, Repeated, Statement, Trace
from jitmdh.mdh.frontend.trace_ir.value_graph import Carried, Component, LoopDim, Reduction


@dataclass(slots=True, eq=False)
class Pass:
    """One symbolic execution of a loop body: carried variables, their states before and after, calls of operators."""

    block: Block
    names: list[str]
    before: dict[str, SymbolicValue]
    starts: dict[str, tuple[Scalar, ...]]
    ends: dict[str, tuple[Scalar, ...]]
    calls: list[DeclaredCall]


class _Retry(Exception):
    """A carried variable has to be a cell, or has another type; or names have no usable value in a second iteration."""

    def __init__(
        self, types: dict[str, SymbolicValue] | None = None, cells: set[str] | None = None,
        others: Mapping[str, Poison] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.types, self.cells, self.others = types, cells, others


def run_leaving(t: Tracer, node: ast.For | ast.While) -> SymbolicValue:
    """Execute a loop that is left when data say so; whether `break` has left it."""
    loop, hidden = node, tuple[str, ...]()
    if isinstance(node, ast.For):
        iteration = over_range(t, node, range_of)
        if iteration.loop is None or any(isinstance(s, ast.For) for s in iteration.loop.body[:1]):
            t.error(node, "break in a loop that is unrolled, or over several indices")
        loop, hidden = iteration.loop, iteration.hidden
    loop = counted(t, loop)
    own = leaving(t, loop, isinstance(node, ast.For))
    _run_counted(t, loop, own)
    for name in hidden:
        t.env.pop(name, None)
    return own.left()


def run_for(t: Tracer, node: ast.For) -> None:
    """Execute a loop."""
    iteration = over_range(t, node, range_of)
    if iteration.loop is not None:
        _run_counted(t, same_order(t, node, iteration.loop))
    for body in iteration.unrolled:
        with t.frame.carrying(all_assigned(t, node)):
            t.run(body)
    for name in iteration.hidden:
        t.env.pop(name, None)


def _run_counted(t: Tracer, node: ast.For, leaving: Leaving | None = None, way: str = MAY) -> None:
    """Execute a loop over a `range`. leaving: of one that is left when data say so; way: see `index_set_splitting`."""
    assert isinstance(node.target, ast.Name)
    name = node.target.id
    node = same_order(t, node, clamped(t, node, t.in_loop_over))
    start, stop, step = range_of(t, node.iter)
    room = (stop - start) * (1 if step > 0 else -1)
    if room.is_constant and room.constant <= 0:
        return  # never entered, like a branch that is never taken
    first = mark = t.trace.mark()
    before = env = dict(t.env)
    t.in_loop_over.append(name)
    types: dict[str, SymbolicValue] = {}
    cells = last_values.asked_for(t, node)
    last_values.start(t, node, cells, room)
    mark, env, given = t.trace.mark(), dict(t.env), dict(t.env)
    kept: dict[str, SymbolicValue] = {}
    renewed: set[str] = set()
    for _ in range(12):
        dim = dim_of(t, node, name, start, stop, step)
        calls = len(t.calls)
        try:
            old = {b for n in kept for b in lazy(t, node, given[n]).seen_through}
            renewed = _attempt(t, node, dim, start + Affine.of(dim.name) * step, types, cells, kept, old, leaving,
                               way)  # fmt: skip
            break
        except Split as split:
            return _in_parts(t, node, step, split, partial(_undo, t, first, before, calls))
        except _Retry as again:
            _undo(t, mark, env, calls)
            types = types | (again.types or {})
            cells = cells | (again.cells or set())
            env |= again.others or {}
            t.env.update(again.others or {})
        except Renamed as renamed:
            _undo(t, mark, env, calls)
            kept |= {n: kept_array(t, node, n, t.env[n]) for n in renamed.names}
            t.env.update(kept)
            mark, env = t.trace.mark(), dict(t.env)
        except UnrolledError as needed:
            if dim.name not in needed.names or not is_short(start, stop, step) or leaving is not None:
                raise
            _undo(t, first, before, calls)
            run_unrolled(t, node, range(start.constant, stop.constant, step))
            return
        except Swapped as swapped:
            _undo(t, mark, env, calls)
            dim = dim_of(t, node, name, start, stop, step)
            run_swapping(t, node, (start, stop, step), dim.length, swapped.names)
            break
    else:
        t.error(node, "the type of a local variable changes in every iteration")
    own_types.behind(t, node, room, before)
    t.in_loop_over.pop()
    t.trace.names.discard(dim.name)
    for renamed_name, array in kept.items():
        certain = leaving is None and renamed_name in renewed and last_values.is_outside(t, room)
        t.env[renamed_name] = after_loop(t, node, given[renamed_name], array, room if certain else None)
    last = None if dim.length is None or leaving is not None else start + (dim.length - 1) * step
    t.env[name] = last_values.after_variable(t, node, name, room, last)


def _in_parts(t: Tracer, node: ast.For, step: int, split: Split, undo: Callable[[], None]) -> None:
    """A loop that has been left as soon as it was known where to split it."""
    undo()
    t.in_loop_over.pop()
    if not run_parts(t, node, step, split, partial(_run_counted, t, way=PART)):
        undo()
        _run_counted(t, node, way=WHOLE)


def _undo(t: Tracer, mark: Mark, env: Mapping[str, SymbolicValue], calls: int) -> None:
    """Back to where a loop began."""
    t.trace.rollback(mark)
    t.env.clear()
    t.env.update(env)
    del t.calls[calls:]


# --------------------------------------------------------------------------------------------------- one attempt


@dataclass(slots=True, eq=False)
class _Going:
    """What goes around: carried variables, their values before the loop and in the iteration, their cells.

    kept, old, renewed: as of `_attempt`; known: the arrays of before; untouched: what other names stand for before.
    """

    t: Tracer
    node: ast.For
    carried: list[str]
    initial: dict[str, SymbolicValue]
    places: dict[str, list[tuple[str, tuple[Affine, ...]]]]
    untouched: dict[str, SymbolicValue]
    kept: Mapping[str, SymbolicValue]
    known: set[str]
    old: Collection[str]
    starts: dict[str, tuple[Scalar, ...]] = field(default_factory=dict)
    renewed: set[str] = field(default_factory=set)

    def begin(self, dim: LoopDim) -> None:
        """At the beginning of the iteration."""
        t, trace = self.t, self.t.trace
        for n in self.carried:
            values = flattened(self.initial[n])
            if n in self.places:
                values = tuple(trace.read(b, i) for b, i in self.places[n])
            else:
                values = tuple(trace.graph.new_leaf(Carried(n), v.type) for v in values)
            self.starts[n] = values
            own_types.begin(t, dim, values, flattened(t.env[n]))
            t.env[n] = unflattened(self.initial[n], list(values))

    def write(self, ends: dict[str, tuple[Scalar, ...]], names: Sequence[str]) -> None:
        """What has changed, to the cells of these names."""
        if self.places:
            write_cells(self.t, self.node, [n for n in names if n in self.places], self.places, self.starts, ends)

    def leave(self, leaving: Leaving) -> None:
        """Everything goes to memory; that the loop is left, last."""
        t = self.t
        self.renewed |= keep(t, self.node, self.kept, self.known, self.old)
        ends = {n: flattened(t.env[n]) for n in self.carried}
        _check_kinds(t, self.node, self.carried, self.initial, ends, self.untouched, True)
        _require_types(t, self.initial, ends)
        self.write(ends, [n for n in self.carried if n != leaving.flag])
        self.write(ends, [leaving.flag])
        for n in self.carried:
            if any(end is not start for end, start in zip(ends[n], self.starts[n])):
                self.starts[n] = tuple(t.trace.read(b, i) for b, i in self.places[n])
                t.env[n] = unflattened(self.initial[n], list(self.starts[n]))


def _opened(
    t: Tracer, node: ast.For, dim: LoopDim, types: dict[str, SymbolicValue], cells: set[str],
    kept: Mapping[str, SymbolicValue], old: Collection[str], leaving: Leaving | None,
) -> _Going:  # fmt: skip
    """Opens the block of a loop, as of `_attempt`."""
    trace, known, outer = t.trace, set(t.trace.buffers), t.trace.block
    carried = [n for n in assigned(t, node) if n in t.env and flattened(t.env[n])]
    hide_inner_variables(t, node)
    if leaving is not None:
        carried.append(leaving.flag)
        cells = set(carried)
    untouched = {n: v for n, v in t.env.items() if n not in carried}
    initial = {n: _typed(t, t.env[n], types.get(n)) for n in carried}
    if leaving is not None:
        leaving.require_types(node, {n: t.env[n] for n in carried}, initial)
    places = make_cells(t, {n: initial[n] for n in carried if n in cells})
    if leaving is not None:
        mark(trace, dim, places[leaving.flag][0][0])
    trace.block = Block(trace.blocks, dim, outer)
    trace.blocks += 1
    going = _Going(t, node, carried, initial, places, untouched, kept, known, old)
    going.begin(dim)
    return going


def _attempt(
    t: Tracer, node: ast.For, dim: LoopDim, index: Affine, types: dict[str, SymbolicValue], cells: set[str],
    kept: Mapping[str, SymbolicValue], old: Collection[str], leaving: Leaving | None, way: str,
) -> set[str]:  # fmt: skip
    """kept: arrays that hold what names stand for that get a new array in each iteration; those that certainly do.
    old: the buffers that these stood for before the loop."""
    trace, target = t.trace, node.target
    places_of_records = records.carried(t, node, assigned(t, node))
    going = _opened(t, node, dim, types, cells, kept, old, leaving)
    carried, block, initial, starts = going.carried, trace.block, going.initial, going.starts
    assert isinstance(target, ast.Name)
    t.env[target.id] = t.arithmetic.index(index)
    first_call, begin = len(t.calls), trace.tick()
    with t.frame.carrying(carried):
        if leaving is None:
            t.run(node.body)
        else:
            leaving.body(node.body, partial(going.leave, leaving))
    going.renewed |= keep(t, node, kept, going.known, old)
    records.carried(t, node, carried)
    records.require_untouched(t, node, places_of_records, begin)
    ends = {n: flattened(t.env[n]) for n in carried}
    for n in carried:
        require_one_type(t, node, n, starts[n], ends[n])
        for start, end in zip(starts[n], ends[n]):
            own_types.require_no_mixture(t, node, n, start, end)
    _check_kinds(t, node, carried, initial, ends, going.untouched, leaving is not None)
    _require_types(t, initial, ends)
    own_types.require_one(t, node, starts, ends)
    calls = t.calls[first_call:]
    going.write(ends, carried if leaving is None else carried[:-1])
    scalars = [n for n in carried if n not in going.places]
    work = Pass(block, scalars, initial, starts, ends, calls)
    updates = _classify(t, work)
    _finish(t, node, work, updates, cells)
    closed = close(trace, block, calls)
    if leaving is None:
        require_independent(trace, closed, dim, index, way)
    require_sizes(t, node, dim, closed)
    names = {b: n for n, found in going.places.items() for b, _ in found}
    loop_directives.procedures_first(t, node, closed, {} if last_values.asked_for(t, node) else names)
    if target.id in t.directed or not goes_along_rows(trace, closed):
        require_operators(t, node, closed, names)
    if any(has_scan(trace, item) for item in closed if isinstance(item, Repeated)):
        raise _Retry(cells=set(scalars))
    _after(t, node, work, updates, going.places, going.untouched)
    if leaving is not None:
        leaving.behind(node, closed)
    return going.renewed


def _typed(t: Tracer, value: SymbolicValue, like: SymbolicValue | None) -> SymbolicValue:
    if like is None:
        return value
    scalars = [t.arithmetic.cast(v, x.type) for v, x in zip(flattened(value), flattened(like))]
    return unflattened(value, scalars)


def _require_types(t: Tracer, initial: dict[str, SymbolicValue], ends: dict[str, tuple[Scalar, ...]]) -> None:
    """_Retry where variables get other types than they had before."""
    wanted = {n: _promoted(t, initial[n], ends[n]) for n in initial}
    changed = {n: v for n, v in wanted.items() if v is not None}
    if changed:
        raise _Retry(types=changed)


def _check_kinds(
    t: Tracer, node: ast.For, carried: list[str], initial: dict[str, SymbolicValue],
    ends: dict[str, tuple[Scalar, ...]], untouched: dict[str, SymbolicValue], leaving: bool,
) -> None:  # fmt: skip
    for n in carried:
        value = t.env[n]
        if isinstance(value, Poison):
            t.poisoned(node, value)
        if len(ends[n]) != len(flattened(initial[n])):
            t.error(node, f"`{n}` changes its kind in the loop")
    exchanged = permutation(untouched, t.env)
    if exchanged and not leaving:
        raise Swapped(exchanged)
    renamed, others = other_values.changed(t, node, untouched)
    if others:
        raise _Retry(others=others)
    if renamed:
        raise Renamed(renamed)


def _promoted(t: Tracer, initial: SymbolicValue, ends: tuple[Scalar, ...]) -> SymbolicValue | None:
    """The variable's value before the loop in the type that it has later; None if that is its type already."""
    before = flattened(initial)
    types = [type_taken(t, e) for e in ends]
    if all(a.type == b for a, b in zip(before, types)):
        return None
    try:
        new = [t.trace.graph.constant(0, promote(a.type, b)) for a, b in zip(before, types)]
    except ArgumentTypeError:
        return None
    if all(a.type == b.type for a, b in zip(before, new)):
        return None
    return unflattened(initial, list(new))


# -------------------------------------------------------------------------------------------------- reductions


def _classify(t: Tracer, work: Pass) -> list[Update]:
    """The updates of the variables that change; raises _Retry with those that have to be cells."""
    trace = t.trace
    flat = [(n, k) for n in work.names for k in range(len(work.starts[n]))]
    selves = [work.starts[n][k] for n, k in flat]
    ends = [work.ends[n][k] for n, k in flat]
    active = [p for p in range(len(flat)) if ends[p] is not selves[p] and _depends(trace, ends[p], selves)]
    if not active:
        return []
    updates = recognise(trace, [selves[p] for p in active], [ends[p] for p in active], work.calls)
    if work.block.loop is not None and work.block.loop.ordered:
        raise _Retry(cells={flat[p][0] for p in active})
    if updates is None:
        raise _Retry(cells=_failing(trace, work, flat, active))
    require_exact_comparison(trace, updates, work.block.loop)
    updates = [replace(u, members=tuple(active[m] for m in u.members)) for u in updates]
    updates = _independent(t, work, updates)
    for n, update in enumerate(updates):
        if update.inner is None:
            updates[n] = update = replace(update, body=tuple(inner_kept(trace, b) for b in update.body))
        bounds = extent_reads(trace, update.inner.dims if update.inner is not None else ())
        inside = (*(r for b in update.body for r in reads_of(trace, b)), *bounds, *index_reads(trace, update.guard))
        inputs = {r.buffer for r in inside}
        inputs = {b for b in inputs if work.block.loop not in (trace.buffers[b].expanded or ())}
        if any(inputs & written_by(item) for item in work.block.items):
            raise _Retry(cells={flat[m][0] for m in update.members})
    return updates


def _independent(t: Tracer, work: Pass, updates: list[Update]) -> list[Update]:
    """`updates` with prefix sums for what they take in of others: `total += x[i]; best = max(best, total)`."""
    trace = t.trace
    selves = [s for n in work.names for s in work.starts[n]]
    done: list[Update] = []
    left = list(updates)
    while left:
        ready = [u for u in left if not any(_depends(trace, b, selves) for b in u.body)]
        done += ready
        left = [u for u in left if u not in ready]
        if not left:
            break
        wanted = [u for u in done if any(_depends(trace, b, [selves[m] for m in u.members])
                                         for other in left for b in other.body)]  # fmt: skip
        scans = _scans(t, work, wanted)
        if not scans:
            raise _Retry(cells=set(work.names))
        changed = [replace(u, body=tuple(trace.graph.replace(b, scans) for b in u.body)) for u in left]
        if any(u.inner is not None for u in left) or changed == left:
            raise _Retry(cells=set(work.names))
        left = changed
        if not any(all(not _depends(trace, b, selves) for b in u.body) for u in left):
            raise _Retry(cells=set(work.names))
    places = {u.members: n for n, u in enumerate(updates)}
    return sorted(done, key=lambda u: places[u.members])


def _failing(trace: Trace, work: Pass, flat: list[tuple[str, int]], active: list[int]) -> set[str]:
    """Variables whose own update is not recognised (all, if it takes several to see that)."""
    failing = set()
    for n in work.names:
        mine = [p for p in active if flat[p][0] == n]
        if not mine:
            continue
        selves = [work.starts[n][flat[p][1]] for p in mine]
        ends = [work.ends[n][flat[p][1]] for p in mine]
        if recognise(trace, selves, ends, work.calls) is None:
            failing.add(n)
    return failing or {flat[p][0] for p in active}


def _depends(trace: Trace, node: Scalar, selves: list[Scalar]) -> bool:
    if trace.graph.uses(node, selves):
        return True
    for _, component in components_of(trace, node):
        r = component.reduction
        if any(_depends(trace, part, selves) for part in (*r.body, *(r.init or ()))):
            return True
    return False


def _finish(t: Tracer, node: ast.For, work: Pass, updates: list[Update], cells: set[str]) -> None:
    """Take carried values out of the statements of the body: a prefix sum where it is one."""
    trace = t.trace
    selves = [s for n in work.names for s in work.starts[n]]
    users = [
        item for item, _ in statements(work.block.items) for x in item.targets if _depends(trace, x.value, selves)
    ]  # fmt: skip
    if not users:
        return
    used = [
        u for u in updates if any(_depends(trace, x.value, [selves[m] for m in u.members])
                                  for item in users for x in item.targets)
    ]  # fmt: skip
    scans = _scans(t, work, used)
    for n, item in enumerate(work.block.items):
        if not isinstance(item, Statement):
            if any(u in [s for s, _ in statements([item])] for u in users):
                raise _Retry(cells=set(work.names))
            continue
        if item not in users:
            continue
        loop = work.block.loop
        assert loop is not None
        if item.dims or not all(any(i.coefficient(loop.name) for i in x.index) for x in item.targets):
            raise _Retry(cells=set(work.names))
        targets = []
        for x in item.targets:
            value = trace.graph.replace(x.value, scans)
            nests = {id(c.reduction) for _, c in components_of(trace, value)}
            if _depends(trace, value, selves) or len(nests) > 1:
                raise _Retry(cells=set(work.names))
            targets.append(replace(x, value=value))
        work.block.items[n] = Statement(item.time, targets, item.guard, item.dims, item.loc)
    _put_behind(trace, work)


def _put_behind(trace: Trace, work: Pass) -> None:
    """Prefix sums stand behind the temporaries that hold their elements: `y[i] = total` before `total += Σ …`."""
    items = work.block.items
    for item in list(items):
        if not isinstance(item, Statement):
            continue
        scans = [c.reduction for x in item.targets for _, c in components_of(trace, x.value) if c.reduction.scan]
        elements = {r.buffer for s in scans for r in taken_in(trace, s)}
        own = items.index(item)
        last = max((n for n, other in enumerate(items) if written_by(other) & elements), default=own)
        if last <= own:
            continue
        reads = {r.buffer for x in item.targets for r in reads_of(trace, x.value)} - elements
        for other in items[own + 1 : last + 1]:
            seen = {r.buffer for s, _ in statements([other]) for x in s.targets for r in reads_of(trace, x.value)}
            if written_by(other) & (reads | written_by(item)) or seen & written_by(item):
                raise _Retry(cells=set(work.names))
        items.insert(last + 1, Statement(trace.tick(), item.targets, item.guard, item.dims, item.loc))
        del items[own]


def _scans(t: Tracer, work: Pass, updates: list[Update]) -> dict[int, Scalar]:
    """What the states of `updates` are in each iteration, before it and after it, as prefix sums."""
    trace = t.trace
    selves = [s for n in work.names for s in work.starts[n]]
    ends = [e for n in work.names for e in work.ends[n]]
    dim = work.block.loop
    assert dim is not None
    initial = [s for n in work.names for s in flattened(work.before[n])]
    found: dict[int, Scalar] = {}
    for u in updates:
        if has_nan_as_identity(u.operator):
            continue
        body = _elements(t, u)
        if body is None:
            continue
        init = _started(t, u, [initial[m] for m in u.members])
        for kind, nodes in (("inclusive", ends), ("exclusive", selves)):
            scan = Reduction((dim,), u.operator, body, (), init, work.block.number, trace.tick(), trace.guards, kind)
            for number, m in enumerate(u.members):
                leaf = trace.graph.new_leaf(Component(scan, number), u.operator.types[number])
                found[id(nodes[m])] = t.arithmetic.cast(leaf, nodes[m].type)
    return found


def _elements(t: Tracer, u: Update) -> tuple[Scalar, ...] | None:
    """What an update combines in each iteration: of a reduction inside, its result."""
    trace = t.trace
    if u.inner is not None:
        if u.operator.identity is None:
            return None
        alone = replace(u.inner, init=None)
        leaves = [trace.graph.new_leaf(Component(alone, n), x) for n, x in enumerate(u.operator.types)]
        return tuple(inner_kept(trace, leaf) for leaf in leaves)
    if any(components_of(trace, b) for b in u.body):
        return None
    body = tuple(t.arithmetic.cast(b, x) for b, x in zip(u.body, u.operator.types))
    body, guard = guarded(trace, (), u.operator, body, u.guard)
    return None if guard else body


def _after(
    t: Tracer, node: ast.For, work: Pass, updates: list[Update],
    places: dict[str, list[tuple[str, tuple[Affine, ...]]]], untouched: dict[str, SymbolicValue],
) -> None:  # fmt: skip
    """What local variables hold after the loop."""
    trace, dim = t.trace, work.block.loop
    assert dim is not None
    flat = [(n, k) for n in work.names for k in range(len(work.starts[n]))]
    results: dict[str, list[Scalar]] = {n: list(work.ends[n]) for n in work.names}
    time = trace.tick()
    for u in updates:
        reduction = _reduction(t, work, u, flat, time)
        for number, m in enumerate(u.members):
            name, k = flat[m]
            leaf = trace.graph.new_leaf(Component(reduction, number), u.operator.types[number])
            results[name][k] = t.arithmetic.cast(leaf, work.ends[name][k].type)
    changed = {flat[m][0] for u in updates for m in u.members}
    for n in work.names:
        if n in changed:
            t.env[n] = unflattened(work.before[n], results[n])
        elif all(a is b for a, b in zip(work.starts[n], work.ends[n])):
            t.env[n] = work.before[n]
        else:
            t.env[n] = last_values.after(t, node, n, dim.room, True)
    for n, cells in places.items():
        t.env[n] = unflattened(work.before[n], [trace.read(b, i) for b, i in cells])
    for n in [n for n in t.env if n not in work.names and n not in places]:
        if n in untouched:
            t.env[n] = untouched[n]
        else:
            t.env[n] = last_values.after(t, node, n, dim.room, False)


def _reduction(t: Tracer, work: Pass, u: Update, flat: list[tuple[str, int]], time: int) -> Reduction:
    trace = t.trace
    dim = work.block.loop
    assert dim is not None
    body = [t.arithmetic.cast(b, x) for b, x in zip(u.body, u.operator.types)]
    before = [flattened(work.before[name])[k] for name, k in (flat[m] for m in u.members)]
    dims = (dim, *u.inner.dims) if u.inner is not None else (dim,)
    done, guard = guarded(trace, dims, u.operator, tuple(body), u.guard)
    init = _started(t, u, before)
    return Reduction(dims, u.operator, done, guard, init, trace.block.number, time, trace.guards)


def _started(t: Tracer, u: Update, before: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """What an update starts from: results of other reductions are kept, and read."""
    trace = t.trace
    init = settle(trace, [t.arithmetic.cast(b, x) for b, x in zip(before, u.operator.types)])
    replaced: dict[int, Scalar] = {}
    for value in init:
        for variable, component in components_of(trace, value):
            replaced.update(keep_reduction(trace, component.reduction, [(variable, component)]))
    return tuple(trace.graph.replace(v, replaced) for v in init)
