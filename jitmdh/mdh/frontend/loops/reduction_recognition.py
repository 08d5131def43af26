"""Recognising associative updates: which operator takes a state from one iteration of a loop to the next.

acc = acc + e                                  add
acc = c - … - e                                add of -e
if p: acc += e;  if q: acc += f                add of (e if p else 0) + (f if q else 0)
m = max(m, e);  if e > m: m = e                maximum in Python's sense
if s > best: best = s; idx = j                 arg-max over (score, payload), the first one wins
best = op(best, (s, j))                        a declared operator
acc = Σ over an inner loop, starting from acc  the inner reduction, over one loop more
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ArgumentTypeError, MeaningError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator, elementwise
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.operations.table import ASSOCIATIVE, OPERATIONS
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, Variable
from jitmdh.mdh.frontend.loops.extrema import is_choice, preferring_numbers, winner, worst
from jitmdh.mdh.frontend.symbolic.operators import DeclaredCall
from jitmdh.mdh.frontend.trace_ir.conditions import affine_guard, as_condition
from jitmdh.mdh.frontend.trace_ir.trace import Trace
from jitmdh.mdh.frontend.trace_ir.value_graph import Component, LoopDim, Read, Reduction

_INEXACT = frozenset({"add", "mul"})
_WRAPPING = frozenset({"add", "mul", "and", "or", "xor"})


@dataclass(frozen=True, slots=True)
class Update:
    """Components `members` of the state become `state ⊕ body` where `guard` holds; `inner`: body is its result."""

    members: tuple[int, ...]
    operator: Operator
    body: tuple[Scalar, ...]
    guard: tuple[Affine, ...] = ()
    inner: Reduction | None = None


@dataclass(frozen=True, slots=True)
class _Single:
    """Partial result for one component: `op` None as long as the state is passed on unchanged."""

    op: str | None
    body: Scalar | None
    guard: tuple[Affine, ...] = ()
    inner: Reduction | None = None
    operator: Operator | None = None


def recognise(
    trace: Trace, selves: Sequence[Scalar], ends: Sequence[Scalar], calls: Sequence[DeclaredCall]
) -> list[Update] | None:
    """The updates that take `selves` to `ends`, or None where one of them is no associative update."""
    found: list[Update] = []
    left = list(range(len(selves)))
    for call in calls:
        bare = {n: _conditional(trace, ends[n], selves)[1] for n in left}
        members = [next((n for n in left if _uncast(bare[n]) is _uncast(r)), -1) for r in call.results]
        if len(members) > 1 and -1 not in members and len(set(members)) == len(members):
            group = tuple(members)
            update = _declared(trace, group, [selves[n] for n in group], [ends[n] for n in group], call)
            if update is not None:
                found.append(update)
                left = [n for n in left if n not in members]
    needs = _needs(trace, [selves[n] for n in left], [ends[n] for n in left])
    for places in _groups(needs):
        update = _group(trace, tuple(left[n] for n in places), selves, ends, calls)
        parts = [update]
        if update is None:  # one after the other, a state may take in another one: best = max(best, total)
            chain = _chain(needs, places)
            if len(chain) < 2:
                return None
            parts = [_group(trace, tuple(left[n] for n in part), selves, ends, calls) for part in chain]
        for part in parts:
            if part is None:
                return None
            found.append(part)
    return found


def _needs(trace: Trace, selves: Sequence[Scalar], ends: Sequence[Scalar]) -> list[set[int]]:
    """Which components each one takes in, directly or by way of others."""
    needs = [
        {
            m
            for m, other in enumerate(selves)
            if trace.graph.uses(end, [other]) or any(other in _inits(trace, v) for v in trace.graph.leaves(end))
        }
        for end in ends
    ]
    for via in range(len(selves)):
        for n in range(len(selves)):
            if via in needs[n]:
                needs[n] |= needs[via]
    return needs


def _groups(needs: list[set[int]]) -> list[tuple[int, ...]]:
    """Components that have to do with one another."""
    label = list(range(len(needs)))
    for n, others in enumerate(needs):
        for m in others:
            a, b = label[n], label[m]
            label = [a if x == b else x for x in label]
    return [tuple(n for n, x in enumerate(label) if x == k) for k in sorted(set(label))]


def _chain(needs: list[set[int]], group: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The parts of a group that depend on each other in both directions."""
    together = [tuple(m for m in group if m == n or (m in needs[n] and n in needs[m])) for n in group]
    return list(dict.fromkeys(together))


def _inits(trace: Trace, variable: Variable) -> tuple[Scalar, ...]:
    leaf = trace.graph.described(variable)
    return tuple(leaf.reduction.init or ()) if isinstance(leaf, Component) else ()


def _group(
    trace: Trace,
    group: tuple[int, ...],
    selves: Sequence[Scalar],
    ends: Sequence[Scalar],
    calls: Sequence[DeclaredCall],
) -> Update | None:
    own, new = [selves[n] for n in group], [ends[n] for n in group]
    for call in calls:
        update = _declared(trace, group, own, new, call)
        if update is not None:
            return update
    nested = _nested(trace, group, own, new)
    if nested is not None:
        return nested
    if len(group) == 1:
        single = _single(trace, new[0], own[0])
        if single is not None and single.body is not None:
            return _update(trace, group, single)
    return _extremum(trace, group, own, new)


def _update(trace: Trace, group: tuple[int, ...], single: _Single) -> Update | None:
    assert single.body is not None
    type = single.body.type
    operator = single.operator
    if operator is None:
        assert single.op is not None
        if single.op in _INEXACT and type.kind in "fc" and not trace.reassociate:
            return None
        operator = standard(single.op, type)
    return Update(group, operator, (single.body,), single.guard, single.inner)


def require_exact_comparison(trace: Trace, updates: Sequence[Update], loop: LoopDim | None) -> None:
    """Refuses the greatest of 64-bit integers from a float on: Python keeps the integer, which a float cannot hold."""
    for u in updates:
        score = u.body[0]
        converted = isinstance(score, Operation) and score.op == "cast" and not score.type.is_weak
        if not converted or not is_choice(u.operator) or score.type.kind != "f":
            continue
        assert isinstance(score, Operation)
        element = score.operands[0].type
        if element.is_integer and not element.is_weak and element.bits > 53:
            name = "least" if "min" in u.operator.name else "greatest"
            raise MeaningError(
                f"the {name} of {element} starts from a float",
                loc=loop.loc if loop is not None else None,
                reason="Python's result is an integer then, and float64 does not tell integers from 2**53 on apart",
                hint="start from an integer, such as the first element, or compare float(x[i])",
            )


def standard(op: str, type: ScalarType) -> Operator:
    """The operator of an operation of the algebra, with its identity."""
    type = type.concrete.accumulator if op in _INEXACT else type.concrete
    try:
        neutral = neutral_element(op, type)
    except ArgumentTypeError:
        return elementwise(op, type, None)
    return elementwise(op, type, neutral)


def guarded(
    trace: Trace, dims: tuple[LoopDim, ...], operator: Operator, body: tuple[Scalar, ...], guard: tuple[Affine, ...]
) -> tuple[tuple[Scalar, ...], tuple[Affine, ...]]:  # fmt: skip
    """`guard` without what does not depend on the reduction's loops: there the body is the identity."""
    names = {d.name for d in dims}
    outside = tuple(g for g in guard if not names.intersection(g.names))
    if not outside or operator.identity is None:
        return body, guard
    neutral = [trace.graph.constant(c.value, c.type) for c in operator.identity]
    body = tuple(_where(trace, outside, b, n) for b, n in zip(body, neutral))
    return body, tuple(g for g in guard if g not in outside)


# ------------------------------------------------------------------------------------------------ one component


def _single(trace: Trace, end: Scalar, own: Scalar) -> _Single | None:
    if end is own:
        return _Single(None, None)
    match end:
        case Operation("cast", (inner,), type):
            found = _single(trace, inner, own)
            return found if found is not None and _cast_is_harmless(found, inner.type, type) else None
        case Operation("sub", (left, right), _) if _reaches(trace, left, own) and not _reaches(trace, right, own):
            return _joined(trace, _single(trace, left, own), "add", _negative(trace, right), end.type)
        case Operation(op, (left, right), _) if op in ASSOCIATIVE:
            return _binary(trace, op, left, right, end, own)
        case Operation("select") if (found_number := preferring_numbers(end, own)) is not None:
            operator, element = found_number
            return None if _reaches(trace, element, own) else _Single(None, element, operator=operator)
        case Operation("select", (condition, then, otherwise), type) if not _reaches(trace, condition, own):
            if then is not own and otherwise is not own and type.kind != "b":
                return _either(trace, condition, then, otherwise, own)
            return _selected(trace, condition, then, otherwise, own)
    return None


def _negative(trace: Trace, node: Scalar) -> Scalar:
    """In the type of `node`: a choice that is negated in the types of its arms, as Python's `-` is, may wrap around."""
    if isinstance(node, Constant):
        return trace.arithmetic.apply("neg", node)
    return trace.graph.operation("neg", (node,), node.type)


def _reaches(trace: Trace, node: Scalar, own: Scalar) -> bool:
    return trace.graph.uses(node, [own]) or any(
        own in _inits(trace, v) or any(trace.graph.uses(i, [own]) for i in _inits(trace, v))
        for v in trace.graph.leaves(node)
    )


def _binary(trace: Trace, op: str, left: Scalar, right: Scalar, end: Scalar, own: Scalar) -> _Single | None:
    in_left, in_right = _reaches(trace, left, own), _reaches(trace, right, own)
    if in_left == in_right:
        return None
    if in_right and op in ("fmin", "fmax") and end.type.kind == "f":
        return None  # max(x, m) forgets m after a NaN: not associative
    mine, other = (left, right) if in_left else (right, left)
    inner = _nested(trace, (0,), [own], [mine])
    if inner is not None and inner.operator == standard(op, end.type):
        r = inner.inner
        assert r is not None
        alone = replace(r, init=None)
        result = trace.graph.new_leaf(Component(alone, 0), r.operator.types[0])
        return _joined(trace, _Single(op, trace.arithmetic.cast(result, end.type)), op, other, end.type)
    return _joined(trace, _single(trace, mine, own), op, other, end.type)


def _joined(trace: Trace, found: _Single | None, op: str, other: Scalar, type: ScalarType) -> _Single | None:
    """`found`, then `⊕ other`."""
    if found is None or (found.op is not None and found.op != op) or found.operator is not None:
        return None
    other = trace.arithmetic.cast(other, type)
    if found.body is None:
        return _Single(op, other)
    left = trace.arithmetic.cast(found.body, type)
    if found.guard:
        left = _where(trace, found.guard, left, _neutral(trace, op, type))
    return _Single(op, trace.graph.operation(op, (left, other), type))


def _where(trace: Trace, guard: tuple[Affine, ...], then: Scalar, otherwise: Scalar) -> Scalar:
    return trace.arithmetic.select(as_condition(trace, guard), then, otherwise)


def _neutral(trace: Trace, op: str, type: ScalarType) -> Scalar:
    """Of an operation that the program has, so that its type has it: complex numbers have no extrema."""
    return trace.graph.constant(neutral_element(op, type.concrete), type)


def _cast_is_harmless(found: _Single, inner: ScalarType, outer: ScalarType) -> bool:
    """Whether rounding the state after every step may be left to the end."""
    if inner.concrete == outer.concrete:
        return True
    if found.op is None:  # the state lifted to the type of the update
        return inner.kind == outer.kind or (inner.kind in "iu" and outer.kind in "iu")
    if inner.kind == outer.kind and inner.kind in "fc":
        return True
    return inner.kind in "iu" and outer.kind in "iu" and found.op in _WRAPPING and outer.bits <= inner.concrete.bits


def _selected(trace: Trace, condition: Scalar, then: Scalar, otherwise: Scalar, own: Scalar) -> _Single | None:
    if otherwise is not own:
        if then is not own:
            return _flag(trace, condition, then, otherwise, own)
        condition, then = trace.arithmetic.negated(condition), otherwise
    flag = _flag(trace, condition, then, own, own)
    if flag is not None:
        return flag
    found = _single(trace, then, own)
    if found is None or found.op is None or found.body is None:
        return None
    guard = affine_guard(condition)
    if guard is not None:
        return _Single(found.op, found.body, found.guard + guard, found.inner, found.operator)
    if found.guard or found.inner is not None:
        return None
    neutral = _neutral(trace, found.op, found.body.type)
    return _Single(found.op, trace.arithmetic.select(condition, found.body, neutral))


def _either(trace: Trace, condition: Scalar, then: Scalar, otherwise: Scalar, own: Scalar) -> _Single | None:
    """Of two updates by one operator, as of several statements each under a condition of its own: what is combined with
    the state is chosen."""
    found = [_single(trace, arm, own) for arm in (then, otherwise)]
    op = next((one.op for one in found if one is not None and one.op is not None), None)
    bodies: list[Scalar] = []
    for one in found:
        if op is None or one is None or one.op not in (op, None) or one.inner is not None or one.operator is not None:
            return None
        neutral = _neutral(trace, op, then.type)
        body = neutral if one.body is None else trace.arithmetic.cast(one.body, then.type)
        bodies.append(_where(trace, one.guard, body, neutral) if one.guard else body)
    return _Single(op, trace.arithmetic.select(condition, *bodies))


def _flag(trace: Trace, condition: Scalar, then: Scalar, otherwise: Scalar, own: Scalar) -> _Single | None:
    """`if c: found = True` is `found or c`."""
    if otherwise is own and own.type.kind == "b" and isinstance(then, Constant):
        if then.value:
            return _Single("or", condition)
        return _Single("and", trace.arithmetic.negated(condition))
    return None


# ------------------------------------------------------------------------------------------- several components


def _nested(trace: Trace, group: tuple[int, ...], own: list[Scalar], new: list[Scalar]) -> Update | None:
    """The result of an inner reduction that starts from the state."""
    leaves = [trace.graph.described(_uncast(n)) for n in new]
    first = leaves[0]
    if not isinstance(first, Component) or first.reduction.scan is not None:
        return None
    r = first.reduction
    order: list[int] = [leaf.number for leaf in leaves if isinstance(leaf, Component) and leaf.reduction is r]
    if r.init is None or sorted(order) != list(range(r.operator.arity)) or len(order) != len(own):
        return None
    places = [order.index(n) for n in range(len(order))]
    if any(_uncast(r.init[n]) is not own[places[n]] for n in range(len(order))):
        return None
    body = tuple(r.body)
    return Update(tuple(group[p] for p in places), r.operator, body, r.guard, r)


def _uncast(node: Scalar) -> Scalar:
    while isinstance(node, Operation) and node.op == "cast" and node.operands[0].type.kind == node.type.kind:
        node = node.operands[0]
    return node


def _declared(
    trace: Trace, group: tuple[int, ...], own: list[Scalar], new: list[Scalar], call: DeclaredCall
) -> Update | None:
    if len(call.results) != len(own):
        return None
    stripped = [_conditional(trace, end, own) for end in new]
    condition = stripped[0][0]
    if any(c is not condition for c, _ in stripped):
        return None
    new = [end for _, end in stripped]
    places = []
    for result in call.results:
        place = next((n for n, end in enumerate(new) if _uncast(end) is _uncast(result)), None)
        if place is None:
            return None
        places.append(place)
    mine, other = call.left, call.right
    if any(_uncast(mine[k]) is not own[p] for k, p in enumerate(places)):
        mine, other = other, mine
        if not call.commutative or any(_uncast(mine[k]) is not own[p] for k, p in enumerate(places)):
            return None
    if any(trace.graph.uses(o, own) for o in other):
        return None
    operator = call.operator(tuple(own[p].type.concrete for p in places))
    body = tuple(trace.arithmetic.cast(o, t) for o, t in zip(other, operator.types))
    members = tuple(group[p] for p in places)
    if condition is None:
        return Update(members, operator, body)
    guard = affine_guard(condition)
    if guard is not None:
        return Update(members, operator, body, guard)
    if operator.identity is None:
        return None
    neutral = [trace.graph.constant(c.value, c.type) for c in operator.identity]
    return Update(members, operator, tuple(trace.arithmetic.select(condition, b, n) for b, n in zip(body, neutral)))


def _conditional(trace: Trace, end: Scalar, own: Sequence[Scalar]) -> tuple[Scalar | None, Scalar]:
    """(condition, x) of `x if condition else own`, where the condition is not about the state; (None, end) else."""
    end = _uncast(end)
    if isinstance(end, Operation) and end.op == "select":
        condition, then, otherwise = end.operands
        if _uncast(otherwise) in own and not trace.graph.uses(condition, own):
            return condition, then
        if _uncast(then) in own and not trace.graph.uses(condition, own):
            return trace.arithmetic.negated(condition), otherwise
    return None, end


def _extremum(trace: Trace, group: tuple[int, ...], own: list[Scalar], new: list[Scalar]) -> Update | None:
    """`if s > best: best, payload… = s, …`."""
    condition: Scalar | None = None
    values: list[Scalar] = []
    for mine, end in zip(own, new):
        end = _turned(trace, _uncast(end), mine)
        if not (isinstance(end, Operation) and end.op == "select" and _uncast(end.operands[2]) is mine):
            return None
        if condition is not None and end.operands[0] is not condition:
            return None
        condition = end.operands[0]
        if trace.graph.uses(end.operands[1], own):
            return None
        values.append(end.operands[1])
    assert condition is not None
    compared, extra = _comparison(trace, condition, own)
    if compared is None:
        return None
    op, place, score = compared
    if _uncast(_with_reads_of(trace, values[place], score)) is not _uncast(score):
        return None
    values[place] = trace.arithmetic.cast(_uncast(score), values[place].type)
    order = (place, *(n for n in range(len(own)) if n != place))
    return _arg_extremum(trace, tuple(group[n] for n in order), op, [values[n] for n in order], extra)


def _turned(trace: Trace, end: Scalar, own: Scalar) -> Scalar:
    """`own if own > e else e` as `e if e >= own else own`, where nothing is unordered."""
    if not (isinstance(end, Operation) and end.op == "select" and _uncast(end.operands[1]) is own):
        return end
    condition, then, otherwise = end.operands
    opposite = {"gt": "le", "ge": "lt", "lt": "ge", "le": "gt"}
    if not isinstance(condition, Operation) or condition.op not in opposite:
        return end
    if any(o.type.kind not in "iu" for o in condition.operands):
        return end
    negated = trace.graph.operation(opposite[condition.op], condition.operands, condition.type)
    return trace.graph.operation("select", (negated, otherwise, then), end.type)


def _with_reads_of(trace: Trace, node: Scalar, other: Scalar) -> Scalar:
    """`node` with the reads of `other` where it reads the same elements, though under another condition."""
    known = {}
    for variable in trace.graph.leaves(other):
        leaf = trace.graph.described(variable)
        if isinstance(leaf, Read) and leaf.time > trace.stored.get(leaf.buffer, 0):
            known[leaf.buffer, leaf.index, leaf.block] = variable

    def change(part: Scalar) -> Scalar | None:
        leaf = trace.graph.described(part)
        return known.get((leaf.buffer, leaf.index, leaf.block)) if isinstance(leaf, Read) else None

    return trace.graph.rewrite(node, change)


def _comparison(
    trace: Trace, condition: Scalar, own: list[Scalar]
) -> tuple[tuple[str, int, Scalar] | None, Scalar | None]:  # fmt: skip
    """(comparison of the new score with the state, its place, the score), and what else has to hold."""
    if isinstance(condition, Operation) and condition.op == "and":
        for one, other in (condition.operands, condition.operands[::-1]):
            if not trace.graph.uses(one, own):
                found, extra = _comparison(trace, other, own)
                return found, one if extra is None else trace.arithmetic.both(one, extra)
        return None, None
    if not (isinstance(condition, Operation) and condition.op in ("lt", "le", "gt", "ge")):
        return None, None
    left, right = condition.operands
    for op, score, mine in ((condition.op, left, right), (OPERATIONS[condition.op].mirror, right, left)):
        place = next((n for n, o in enumerate(own) if _uncast(mine) is o), None)
        if place is not None and not trace.graph.uses(score, own):
            return (op, place, score), None
    return None, None


def _arg_extremum(
    trace: Trace, members: tuple[int, ...], op: str, values: list[Scalar], extra: Scalar | None
) -> Update | None:  # fmt: skip
    types = [v.type.concrete for v in values]
    score = types[0]
    if score.kind not in "iuf":
        return None
    low = worst(op, score)
    body = [trace.arithmetic.cast(v, t) for v, t in zip(values, types)]
    if op in ("ge", "le") and len(members) > 1:  # the worst score may win: nothing but a NaN is neutral
        if score.kind != "f":
            return None if extra is not None else Update(members, winner(op, types, None), tuple(body))
        low = float("nan")
    neutral = (Constant(low, score), *(zero(t) for t in types[1:]))
    if extra is not None:
        body[0] = trace.arithmetic.select(extra, body[0], trace.graph.constant(low, score))
    return Update(members, winner(op, types, neutral), tuple(body))
