"""Directives for loops: which may stay sequential, and whether a declared operator is the one that a loop combines by.

A loop whose iterations update a state from their own elements is a reduction, and its operator has to be associative;
where that is not seen, the loop is refused unless `combine` declares an operator or asks for the order. Loops around
others (steps in time), recurrences along an array, and states that are iterated without taking in anything of the
loop (Newton's method) are no reductions: their order is their meaning.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from jitmdh.base.errors import ConfigurationError, NotAnMdhError
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, Operator, Scatter
from jitmdh.mdh.algebra.expr import Expression, Step
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.scalar import Operation, Scalar, called_in
from jitmdh.mdh.frontend.loops.loop_distribution import is_procedure_alone
from jitmdh.mdh.frontend.python.iteration.assigned_names import assigned
from jitmdh.mdh.frontend.python.iteration.iteration import name_of
from jitmdh.mdh.frontend.python.tracer import Tracer
from jitmdh.mdh.frontend.symbolic.operators import Declared, Ordered
from jitmdh.mdh.frontend.trace_ir.store_forwarding import components_of, reads_of, statements, written_by
from jitmdh.mdh.frontend.trace_ir.trace import Item, Repeated, Statement, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim

Directive = CombineOperator | Operator | Declared | Ordered
_ALIKE = (
    frozenset({"max", "fmax", "maximum", "argmax"}),
    frozenset({"min", "fmin", "minimum", "argmin"}),
    frozenset({"add", "or"}),  # of bools
    frozenset({"mul", "and"}),
)
_QUICK = OPERATIONS["sqrt"].cost


class OrderedByWrites(Exception):
    """A loop is sequential because of what a procedure inside of it writes, or of what it updates at places that data
    choose. Never reaches the user."""


def declare(t: Tracer, combine: Mapping[str, Directive]) -> None:
    """Take over the directives of `combine`. ConfigurationError where one names no loop, or is none."""
    loops = dict(_loops(t.inside(t.frame.source.definition)))
    t.directed.update(combine)
    for name, given in combine.items():
        if name not in loops:
            raise ConfigurationError(
                f"combine names `{name}`, which is no loop variable of `{t.frame.source.name}`",
                loc=t.loc(t.frame.source.definition),
                hint=f"its loops are over {', '.join(sorted(loops)) or 'nothing'}",
            )
        if isinstance(given, Ordered):
            t.ordered.add(name)
        elif isinstance(given, Declared) and given.function is not None:
            operator = t.environment.option(name)
            plain = t.environment.python_function(operator)
            if plain is not None:
                t.declared[plain] = operator
        elif not isinstance(given, (Declared, Concatenation)):
            raise ConfigurationError(
                f"combine operator for `{name}` is {given!r}",
                hint="give mdh.cc, mdh.pw(op), mdh.ps(op) or mdh.sequential",
            )


def require_declared(t: Tracer, combine: Mapping[str, Directive], steps: Iterable[Step]) -> None:
    """Refuse directives that no expression over their loop follows. Loops that are never entered are left alone."""
    found = dict[Loc | None, list[str]]()
    kinds = dict[Loc | None, list[CombineOperator | None]]()
    for loc, kind in _combined(steps):
        kinds.setdefault(loc, []).append(kind)
        found.setdefault(loc, []).append("sequential" if kind is None else str(kind))
    for name, given in combine.items():
        if isinstance(given, Ordered):
            continue
        places = [t.loc(node.iter) for n, node in _loops(t.inside(t.frame.source.definition)) if n == name]
        used = [k for loc in places for k in kinds.get(loc, ())]
        if used and not any(_follows(kind, given) for kind in used):
            shown = ", ".join(dict.fromkeys(text for loc in places for text in found.get(loc, ())))
            raise ConfigurationError(
                f"combine says {_shown(given)} for the loop over `{name}`, which is {shown}",
                loc=next(loc for loc in places if loc in kinds),
                hint="leave the directive out, or call the operator in the loop",
            )


def _loops(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.For]]:
    for node in nodes:
        if isinstance(node, ast.For):
            yield name_of(node.target), node


def _combined(steps: Iterable[Step]) -> Iterator[tuple[Loc | None, CombineOperator | None]]:
    """How each loop of the program is combined in each expression; None: not at all."""
    for step in steps:
        if not isinstance(step, Expression):
            yield step.dim.loc, None
            yield from _combined(step.body)
        else:
            yield from ((d.loc, c) for d, c in zip(step.md_hom.dims, step.md_hom.combine))


def _follows(found: CombineOperator | None, given: Directive) -> bool:
    if isinstance(given, Concatenation):
        return isinstance(found, (Concatenation, Scatter))
    if found is None or isinstance(found, Concatenation) or not isinstance(given, Declared):
        return False
    if (given.kind == "ps") != str(found).startswith("ps("):
        return False
    wanted = _name(given)
    return any(
        part == wanted or any({part, wanted} <= alike for alike in _ALIKE) for part in found.operator.name.split(", ")
    )


def _name(given: Declared) -> str:
    return given.function.__name__ if given.function is not None else given.operation or ""


def _shown(given: Directive) -> str:
    if isinstance(given, Declared):
        return f"{'ps' if given.kind == 'ps' else '•'}({_name(given)})"
    return str(given)


def is_ordered(t: Tracer, node: ast.For) -> bool:
    """Whether `combine` asks for the iterations of this loop one after the other."""
    return len(t.frames) == 1 and name_of(node.target) in t.ordered


def procedures_first(t: Tracer, node: ast.For, items: Iterable[Item], cells: Mapping[str, str]) -> None:
    """OrderedByWrites of a loop that is in order around a procedure, around single elements that data choose, or for
    nothing but states of each point, if it has not been tried as part of a procedure. cells: of local variables."""
    if id(node) in t.in_order:
        return
    items = list(items)
    if any(map(is_procedure_alone, items)):
        raise OrderedByWrites
    if name_of(node.target) not in t.directed:
        if not t.trace.block.dims:
            first = _follows_data(t.trace, items) or _goes_on_from_procedures(t.trace, items)
        else:
            others = {*assigned(t, node), name_of(node.target)} - {*cells.values()}
            first = _hands_on_states(t.trace, items, cells) and not _read_behind(t, node, others)
        if first:
            raise OrderedByWrites


def _read_behind(t: Tracer, node: ast.For, names: Collection[str]) -> bool:
    """Whether anything reads one of these names outside of the loop."""
    inside = {id(part) for part in t.inside(node)}
    loads = (n for n in t.inside(t.frame.source.definition) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return any(n.id in names and id(n) not in inside for n in loads)


def _hands_on_states(trace: Trace, items: Sequence[Item], cells: Collection[str]) -> bool:
    """Whether a loop in order does nothing but take states of each point further: in registers, if it is innermost.

    for i: for j: p, q = 0, 0     ->     for i: for j at once: procedure(i, j)
                  for _: p, q = p*p - q*q + x[j], 2*p*q + y[i]

    As steps of all points together, it would store and load the states of all of them in each. What it reads is the
    same in each iteration: whether there is more, is known before.
    """
    loops = [item for item in items if isinstance(item, Repeated)]
    found = [(s, loop.dim.name) for loop in loops for s, _ in statements([loop])]
    if not found or len(loops) < len(items):
        return False
    for statement, dim in found:
        values = [x.value for x in statement.targets]
        if statement.dims or statement.scattered or any(components_of(trace, v) for v in values):
            return False
        if any(x.effect or x.buffer not in cells for x in statement.targets):
            return False
        read = [i for v in values for r in reads_of(trace, v) if r.buffer not in cells for i in r.index]
        if any(has_indirect(i) or trace.varies(i, dim) for i in read):
            return False
    return True


def _follows_data(trace: Trace, items: Iterable[Item]) -> bool:
    """Whether there are loops in order alone, in which each statement is about one element, and data choose which of
    what they write they read: such an element is looked for and checked where it is read, not beforehand for all.

    for t in range(n): for c in coins: best[t] = min(best[t], best[t - c] + 1)
    """
    loops = [item for item in items if isinstance(item, Repeated)]
    found = [*statements(loops)]
    own = {x.buffer for s, _ in found for x in s.targets}
    if not loops or any(s.dims or s.scattered or components_of(trace, x.value) for s, _ in found for x in s.targets):
        return False
    if any(x.effect for s, _ in found for x in s.targets):
        return False
    reads = [r for s, _ in found for x in s.targets for r in reads_of(trace, x.value)]
    return any(r.buffer in own and has_indirect(*r.index) for r in reads)


def _goes_on_from_procedures(trace: Trace, items: Iterable[Item]) -> bool:
    """Whether there are loops in order in which a procedure begins with what was computed in the iteration before, and
    nothing else that takes long: all of it stays in registers if the loop is a part of the procedure.

    for i in range(n): while k > 0 and p[k] != t[i]: k = fail[k - 1];  k += p[k] == t[i];  count += k == m
    """
    loops = [item for item in items if isinstance(item, Repeated)]
    inside = [s for s, _ in statements(loops)]
    beside = [s for item in items if isinstance(item, Statement) for s, _ in statements([item])]
    targets = [x for s in inside for x in s.targets]
    if not called_in(x.value for x in targets) or any(x.effect or components_of(trace, x.value) for x in targets):
        return False
    if any(s.dims or s.scattered for s in inside) or any(len(s.dims) > 1 or s.scattered for s in beside):
        return False
    return all(_is_quick(trace, x.value) for s in beside for x in s.targets)


def _is_quick(trace: Trace, value: Scalar) -> bool:
    """Whether a value takes no function, and no loop within one."""
    waiting, seen = [value], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Operation):
            row = OPERATIONS.get(node.op)
            if row is None or row.cost > _QUICK:
                return False
            waiting += node.operands
    reductions = [c.reduction for _, c in components_of(trace, value)]
    parts = [part for r in reductions for part in (*r.body, *(r.init or ()))]
    return all(len(r.dims) == 1 for r in reductions) and all(_is_quick(trace, part) for part in parts)


def require_operators(t: Tracer, node: ast.For, items: Iterable[Item], names: Mapping[str, str]) -> None:
    """Refuse a loop that is sequential for nothing but an update by an operator that is not known.

    OrderedByWrites where it is one of elements that data choose: those are no state that iterations hand on.
    names: the local variables that memory cells stand for.
    """
    loops = [item for item in items if isinstance(item, Repeated)]
    updates = [u for loop in loops for u in loop.updates]
    if not updates or any(not loop.updates for loop in loops):
        return  # steps in time: something else needs the order, too
    taking = [u for loop in loops for u in loop.updates if _takes_in(t.trace, u, loop)]
    if (
        taking
        and name_of(node.target) not in t.directed
        and any(has_indirect(*x.index) for u in taking for x in u.targets)
    ):
        if id(node) not in t.in_order:
            raise OrderedByWrites
    elif taking:
        _refuse(t, node, taking, names)


def goes_along_rows(trace: Trace, items: Iterable[Item]) -> bool:
    """Whether a loop in order is better off around the one that it stands in, which goes along contiguous elements.

    for j: for i: p = y[i, j] = x[i, j] + a*p     ->     for i in order: all j at once

    So it is where j alone finds the elements that depend on it along the last axis, and those of an array that is
    written are all found by the same: iterations over j are independent, and neighbours fill vectors. As a procedure
    for one j, the loop would go down columns.
    """
    loops = [item for item in items if isinstance(item, Repeated)]
    if not trace.block.dims or not loops:
        return False
    around = trace.block.dims[-1].name
    targets = [target for statement, _ in statements(loops) for target in statement.targets]
    if any(t.effect or not t.index for t in targets) or any(loop.dim.room.coefficient(around) for loop in loops):
        return False
    written = {t.buffer: t.index[-1] for t in targets}
    accesses = [(t.buffer, t.index) for t in targets]
    accesses += [(r.buffer, r.index) for t in targets for r in reads_of(trace, t.value) if r.index]
    along = [index for _, index in accesses if any(i.coefficient(around) for i in index)]
    return (
        all(last.coefficient(around) for last in written.values())
        and any(len(index) > 1 for index in along)
        and all(_along_last_axis(index, around) for index in along)
        and all(index[-1] == written.get(buffer, index[-1]) for buffer, index in accesses)
        and not any(has_indirect(i) for _, index in accesses for i in index)
    )


def _along_last_axis(index: tuple[Affine, ...], dim: str) -> bool:
    return abs(index[-1].coefficient(dim)) == 1 and not any(i.coefficient(dim) for i in index[:-1])


def _takes_in(trace: Trace, update: Statement, loop: Repeated) -> bool:
    """Whether an update depends on elements that the loop goes through, or on its index."""
    own = written_by(loop)
    values = [x.value for x in update.targets]
    elements = [i for v in values for read in reads_of(trace, v) if read.buffer not in own for i in read.index]
    computed = [i for v in values for i in trace.graph.indices(v)]
    return any(trace.varies(i, loop.dim.name) for i in (*elements, *computed))


def _refuse(t: Tracer, node: ast.For, updates: list[Statement], names: Mapping[str, str]) -> None:
    targets = [x for u in updates for x in u.targets]
    shown = list(dict.fromkeys(names.get(x.buffer) or t.trace.buffers[x.buffer].name for x in targets))
    place: ast.AST = node
    for statement in ast.walk(node):
        if isinstance(statement, (ast.Assign, ast.AugAssign)) and _stored(statement) & set(shown):
            place = statement
    loop = name_of(node.target)
    carried = f"{' and '.join(f'`{n}`' for n in shown)} {'are' if len(shown) > 1 else 'is'} carried"
    t.error(
        place,
        f"{carried} from one iteration over `{loop}` to the next by no operator that is recognised",
        "a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)",
        f'declare one with @mdh.operator and combine={{"{loop}": mdh.pw(op)}}, '
        f'or keep the order of the iterations: combine={{"{loop}": mdh.sequential}}',
    )


def _stored(statement: ast.Assign | ast.AugAssign) -> set[str]:
    """The names of what a statement assigns to."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    found = set[str]()
    for target in targets:
        for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            while isinstance(part, ast.Subscript):
                part = part.value
            if isinstance(part, ast.Name):
                found.add(part.id)
    return found


def require_sizes(t: Tracer, node: ast.For, dim: LoopDim, closed: Sequence[Item]) -> None:
    """Refuses a loop that is executed in order and has bounds from data: it may be one at a point."""
    in_order = next((item for item in closed if isinstance(item, Repeated)), None)
    if in_order is not None and has_indirect(dim.room):
        text = "a loop with bounds from data is sequential"
        raise NotAnMdhError(text, loc=t.loc(node.iter), reason=in_order.reason)
