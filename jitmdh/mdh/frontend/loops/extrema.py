"""Arg-max and arg-min: their operators as recognised, and in the form that may be combined in any order.

    for j: if s > best: best, idx = s, j      (best, idx) ⊗ (s, j) = (s, j) if s > best else (best, idx)

As recognised the operator says what one iteration does to the state; it decides ties by its order (`>`, `<`: the
first one wins; `>=`, `<=`: the last). The emitted form decides them by the iteration that a state comes from, so it is
commutative: parts may go to SIMD lanes and threads. Where the payload holds the loop's index, that is used; otherwise
the state gets the index as a component of its own.

NaN: Python's comparison with a NaN is false, so a NaN never wins; one that is there from the beginning is never
beaten. Hence the emitted form takes a score that is NaN for the worst one, and every part starts from the identity.
The initial value is compared once, with the result of all parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph, LoopDim, Reduction

_NAMES = {"gt": "max", "ge": "last_max", "lt": "min", "le": "last_min"}
_STRICT = {"gt": "gt", "ge": "gt", "lt": "lt", "le": "lt"}
_NEVER_EARLIER, _NEVER_LATER = 2**63 - 1, -(2**63)


def worst(op: str, score: ScalarType) -> bool | int | float | complex:
    """The score that nothing is worse than."""
    return neutral_element("maximum" if op in ("gt", "ge") else "minimum", score)


def winner(op: str, types: Sequence[ScalarType], neutral: tuple[Constant, ...] | None) -> Operator:
    """(lhs, rhs) ↦ rhs if its score compares to that of lhs, else lhs.

    Without a tie-break on the right (gt, lt) the neutral state never wins against anything: its payload is never
    seen, since a program's initial state always comes first.
    """
    name = f"arg{_NAMES[op]}" if len(types) > 1 else _NAMES[op]
    return Operator(name, _function(op, types), neutral, commutative=len(types) == 1)


def _function(op: str, types: Sequence[ScalarType]) -> ScalarFunction:
    lefts, rights = _sides(types)
    return _choosing(lefts, rights, Operation(op, (rights[0], lefts[0]), bool_))


def _sides(types: Sequence[ScalarType]) -> tuple[tuple[Variable, ...], tuple[Variable, ...]]:
    return tuple(Variable(f"lhs{n}", t) for n, t in enumerate(types)), tuple(
        Variable(f"rhs{n}", t) for n, t in enumerate(types)
    )


def _choosing(lefts: tuple[Variable, ...], rights: tuple[Variable, ...], condition: Scalar) -> ScalarFunction:
    wins = Variable("wins", bool_)
    results = tuple(Operation("select", (wins, r, l), l.type) for l, r in zip(lefts, rights))
    return ScalarFunction((*lefts, *rights), ((wins, condition),), results)


def preferring_numbers(end: Scalar, own: Scalar) -> tuple[Operator, Scalar] | None:
    """NumPy's fmax(own, e) or fmin(own, e), in this order or the other, as an operator and e."""
    match end:
        case Operation("select", (Operation("isnan", (a,)), b, Operation("select", (test, d, both)))):
            if not isinstance(both, Operation) or both.op not in ("maximum", "minimum"):
                return None
            c = test.operands[0] if isinstance(test, Operation) and test.op == "isnan" else None
            if c is not b or d is not a or both.operands != (a, b) or (a is own) == (b is own):
                return None
            type = both.type.concrete
            left, right = Variable("lhs", type), Variable("rhs", type)
            chosen = Operation(
                "select",
                (Operation("isnan", (right,), bool_), left, Operation(both.op, (left, right), type)),
                type,
            )
            result = Operation("select", (Operation("isnan", (left,), bool_), right, chosen), type)
            name = "number_max" if both.op == "maximum" else "number_min"
            neutral = (Constant(float("nan"), type),)
            return Operator(name, ScalarFunction((left, right), (), (result,)), neutral), b if a is own else a
    return None


def is_choice(operator: Operator) -> bool:
    """Whether an operator gives one of two states, by comparing them."""
    return operator.name.removeprefix("arg") in {*_NAMES.values(), "fmin", "fmax", "minimum", "maximum", "number_max",
                                                 "number_min"}  # fmt: skip


def is_extremum(end: Scalar, own: Scalar) -> bool:
    """Whether the new state is the old one or an element, by a comparison of the two, perhaps under a condition.

    Such an update is no associative operator where a NaN decides by its place: max(x, m) forgets m after a NaN. Nor is
    it one known here where the last of equal scores wins and nothing is worse than all scores (see `winner`).
    """
    while isinstance(end, Operation) and end.op == "cast":
        (end,) = end.operands
    if not isinstance(end, Operation):
        return False
    if end.op in ("fmin", "fmax"):
        return own in end.operands
    if end.op != "select" or not any(o is own for o in end.operands[1:]):
        return False
    condition = end.operands[0]
    while isinstance(condition, Operation) and condition.op == "not":
        (condition,) = condition.operands
    element = end.operands[1] if end.operands[2] is own else end.operands[2]
    return _compares(condition, {id(own), id(element)})


def _compares(condition: Scalar, sides: set[int]) -> bool:
    """Whether a condition is, or demands, a comparison of these two nodes of the graph."""
    if not isinstance(condition, Operation):
        return False
    if condition.op == "and":
        return any(_compares(part, sides) for part in condition.operands)
    return condition.op in ("lt", "le", "gt", "ge") and {*map(id, condition.operands)} == sides


def comparison(operator: Operator) -> str | None:
    """By which comparison `winner` made this operator of several components; None if it did not."""
    if operator.arity < 2 or operator.commutative:
        return None
    return next((op for op in _NAMES if operator.function == _function(op, operator.types)), None)


def has_nan_as_identity(operator: Operator) -> bool:
    """Whether a state of NaN is neutral on the right, but not on the left (the last of floating-point scores wins)."""
    return comparison(operator) in ("ge", "le") and operator.identity is not None


@dataclass(frozen=True, slots=True)
class Form:
    """A reduction as it is emitted. operator, body: with components for tie-breaks behind those of the reduction.

    compare: how the result is compared with the initial value, None: combined by the operator; key: the component
    that tells a result from none.
    """

    reduction: Reduction
    operator: Operator
    body: tuple[Scalar, ...]
    compare: str | None = None
    key: int = 0

    def completed(self, graph: Graph, init: Sequence[Scalar], state: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """`init ⊗ state` for an arg-extremum, without the components for tie-breaks."""
        assert self.compare is not None
        wins = graph.operation(self.compare, (state[0], init[0]), bool_)
        if self.compare in ("ge", "le"):
            there = graph.operation("ne", (state[self.key], graph.constant(_NEVER_LATER, int64)), bool_)
            wins = graph.operation("and", (wins, there), bool_)
        return tuple(graph.operation("select", (wins, s, i), i.type) for s, i in zip(state, init))


def form(graph: Graph, reduction: Reduction) -> Form:
    """`reduction` with an operator that is commutative, where it is an arg-extremum.

    before:  (x, j),     rhs if rhs.x > lhs.x else lhs
    after:   (x, j),     rhs if rhs.x > lhs.x or (rhs.x == lhs.x and rhs.j < lhs.j) else lhs,  identity (-inf, 2⁶³-1)
    """
    operator = reduction.operator
    op = comparison(operator)
    if op is None or reduction.scan is not None or reduction.init is None:
        return Form(reduction, operator, reduction.body)
    dims = sorted(reduction.dims, key=lambda d: d.serial)
    body, types = list(reduction.body), list(operator.types)
    keys = [_key(d, dims, body, types) for d in dims]
    for n, d in enumerate(dims):
        if keys[n] is None:
            keys[n] = len(body)
            body.append(graph.index(Affine.of(d.name), int64))
            types.append(int64)
    places = [k for k in keys if k is not None]
    _without_nan(graph, op, body, types[0], places[0])
    neutral = [zero(t) for t in types]
    neutral[0] = Constant(worst(op, types[0]), types[0])
    for k in places:
        neutral[k] = Constant(_NEVER_EARLIER if op in ("gt", "lt") else _NEVER_LATER, int64)
    score = {"gt": "maximum", "lt": "minimum"}.get(op)  # where the last one wins, a block's first place says nothing
    made = Operator(operator.name, _keyed(op, types, places), tuple(neutral), commutative=True, score=score)
    return Form(reduction, made, tuple(body), op, places[0])


def _key(dim: LoopDim, dims: Sequence[LoopDim], body: Sequence[Scalar], types: Sequence[ScalarType]) -> int | None:
    """The payload that grows with `dim`, and with no other loop of the reduction."""
    others = {d.name for d in dims if d is not dim}
    for n, part in enumerate(body):
        if not (n and isinstance(part, IndexValue) and types[n] == part.type == int64):
            continue
        if part.index.coefficient(dim.name) > 0 and not others.intersection(part.index.names):
            return n
    return None


def _without_nan(graph: Graph, op: str, body: list[Scalar], type: ScalarType, key: int) -> None:
    """A score of NaN becomes the worst one; where equal scores win, it becomes no result at all."""
    if type.kind != "f":
        return
    score = body[0]
    bound = graph.constant(worst(op, type), type)
    if op in ("ge", "le"):
        there = graph.operation("eq", (score, score), bool_)
        body[key] = graph.operation("select", (there, body[key], graph.constant(_NEVER_LATER, int64)), int64)
    body[0] = graph.operation("fmax" if op in ("gt", "ge") else "fmin", (bound, score), type)


def _keyed(op: str, types: Sequence[ScalarType], keys: Sequence[int]) -> ScalarFunction:
    lefts, rights = _sides(types)
    before = "lt" if op in ("gt", "lt") else "gt"
    preferred: Scalar | None = None
    for k in reversed(keys):
        one: Scalar = Operation(before, (rights[k], lefts[k]), bool_)
        if preferred is not None:
            same = Operation("eq", (rights[k], lefts[k]), bool_)
            one = Operation("or", (one, Operation("and", (same, preferred), bool_)), bool_)
        preferred = one
    assert preferred is not None
    tie = Operation("and", (Operation("eq", (rights[0], lefts[0]), bool_), preferred), bool_)
    return _choosing(lefts, rights, Operation("or", (Operation(_STRICT[op], (rights[0], lefts[0]), bool_), tie), bool_))
