"""Reductions of array expressions: sum, prod, max, min, any, all, mean, argmax, argmin; prefix sums: cumsum, cumprod.

(x * w).sum(axis=1)    ->    at i: Σⱼ x[i, j] * w[j]        one expression: what is element-wise is computed inside

Types are NumPy's: sums and products of integers that are shorter than int64 are int64 (uint64), means of integers
float64; 16-bit floats are accumulated in float32.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from jitmdh.base.dtype import ScalarType, bool_, float64, int64, uint8, uint64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator, elementwise
from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.frontend.loops.reduction_recognition import standard
from jitmdh.mdh.frontend.python.array_expressions import (
    ONE,
    Index,
    assign_at,
    converted,
    is_fortran,
    lazy,
    loops,
    new_view,
    once,
    place,
    require,
)
from jitmdh.mdh.frontend.python.array_expressions import elementwise as on_elements
from jitmdh.mdh.frontend.python.tracer import Lazy, Recorder, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import size_operation
from jitmdh.mdh.frontend.trace_ir.store_forwarding import inner_kept
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Component, Reduction

_OPERATIONS = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "any": "or", "all": "and"}


@dataclass(frozen=True, slots=True)
class Folding:
    """What a reduction does: `result` of the state that `operator` makes from `body` of each element and its index."""

    operator: Operator
    body: Callable[[Scalar, Index], Sequence[Scalar]]
    result: Callable[[Sequence[Scalar]], Scalar]
    init: tuple[Scalar, ...] | None = None


def folded(t: Tracer, node: ast.AST, value: Lazy, axes: Sequence[int], how: Folding, keepdims: bool = False) -> Lazy:
    """A reduction over some axes."""
    if value.heavy or value.scan is not None:
        value = once(t, node, value)
    kept = [n for n in range(len(value.shape)) if n not in axes]

    def at(index: Index) -> Scalar:
        own = [index[n] for n in kept] if keepdims else list(index)
        position = dict(zip(kept, own))
        trace = t.trace
        if t.recorder is not None:
            return how.result(_in_procedure(t, t.recorder, value, axes, position, how))
        dims = []
        with loops(t, node, [value.shape[n] for n in axes]) as inner:
            dims = list(trace.block.dims[len(trace.block.dims) - len(axes) :])
            position.update(zip(axes, inner))
            element = value.at(tuple(position[n] for n in range(len(value.shape))))
            parts = zip(how.body(element, inner), how.operator.types)
            body = tuple(inner_kept(trace, t.arithmetic.cast(b, x)) for b, x in parts)
        found = Reduction(tuple(dims), how.operator, body, (), how.init, trace.block.number, trace.tick(), trace.guards)
        types = enumerate(how.operator.types)
        return how.result([trace.graph.new_leaf(Component(found, n), x) for n, x in types])

    type = how.result([t.trace.graph.variable(f"%sample{n}", x) for n, x in enumerate(how.operator.types)]).type
    shape = tuple(ONE if n in axes else e for n, e in enumerate(value.shape) if keepdims or n not in axes)
    return Lazy(shape, type, at, heavy=True, fortran=len(shape) > 1 and bool(is_fortran(t, value)))


def _in_procedure(
    t: Tracer, recorder: Recorder, value: Lazy, axes: Sequence[int], position: Mapping[int, Affine], how: Folding
) -> Sequence[Scalar]:  # fmt: skip
    """The state of a reduction that loops of a procedure compute."""
    arithmetic, operator = t.arithmetic, how.operator
    initial = how.init or operator.identity
    started = () if initial is not None else (arithmetic.cast(arithmetic.literal(False), bool_),)
    zeros = [arithmetic.cast(arithmetic.literal(0), x) for x in operator.types]
    states = [arithmetic.cast(v, x) for v, x in zip(initial or zeros, operator.types)]

    def body(inner: Index, states: Sequence[Scalar]) -> Sequence[Scalar]:
        at = {**position, **dict(zip(axes, inner))}
        element = value.at(tuple(at[n] for n in range(len(value.shape))))
        one = [arithmetic.cast(b, x) for b, x in zip(how.body(element, inner), operator.types)]
        both = list(t.trace.graph.combined(operator, states[: len(one)], one))
        if started:
            both = [arithmetic.select(states[-1], b, o) for b, o in zip(both, one)]
            both.append(arithmetic.cast(arithmetic.literal(True), bool_))
        return both

    return recorder.nest([value.shape[n] for n in axes], body, (*states, *started))[: len(states)]


@dataclass(frozen=True, slots=True)
class Some:
    """Which elements a reduction takes: those where `where` holds, behind a first one, `initial`."""

    initial: Scalar | None = None
    where: SymbolicValue | None = None


EVERY = Some()
BITS = {"bitwise_or": "or", "bitwise_xor": "xor", "bitwise_and": "and"}
"""Functions of two integers that reduce arrays of them."""


def reduction(
    t: Tracer, node: ast.AST, name: str, value: Lazy, axes: Sequence[int], keepdims: bool, dtype: ScalarType | None,
    some: Some = EVERY,
) -> Lazy:  # fmt: skip
    """sum, prod, max, min, any or all; of integers, one of BITS, too."""
    if not axes:
        kept = dtype or (summed_type(value.type) if name in ("sum", "prod") else value.type)
        return converted(t, node, value, bool_ if name in ("any", "all") else kept)
    arithmetic, type = t.arithmetic, value.type
    if name in ("sum", "prod"):
        type = dtype or summed_type(type)
        operator = standard(_OPERATIONS[name], type)
        first = arithmetic.literal(0 if name == "sum" else 1) if some.initial is None else some.initial
        init: tuple[Scalar, ...] | None = (arithmetic.cast(first, operator.types[0]),)
    elif name in ("any", "all"):
        type, init = bool_, None
        operator = standard(_OPERATIONS[name], bool_)
    elif name in BITS:
        if type.kind not in "biu":
            t.error(node, f"np.{name} of elements of {type}: NumPy raises a TypeError")
        operator, init = standard(BITS[name], type), None
    else:
        if type.kind == "c":
            t.error(node, f"{name} of complex numbers is not supported")
        if some.initial is None:
            _not_empty(t, node, value, axes, name)
        operator = _extremum(name, type)
        init = None if some.initial is None else (arithmetic.cast(some.initial, type),)
    if some.where is not None:
        value = _chosen(t, node, name, value, some, operator)

    def body(element: Scalar, _: Index) -> Sequence[Scalar]:
        return [arithmetic.truth(element) if type.kind == "b" else arithmetic.cast(element, type)]

    how = Folding(operator, body, lambda state: arithmetic.cast(state[0], type), init)
    return folded(t, node, value, axes, how, keepdims)


def _extremum(name: str, type: ScalarType) -> Operator:
    return standard(_OPERATIONS[name] if type.kind != "b" else ("or" if name == "max" else "and"), type)


def neutral(t: Tracer, node: ast.AST, name: str, type: ScalarType) -> Scalar:
    """What max or min of nothing starts from."""
    identity = None if type.kind == "c" else _extremum(name, type).identity
    if identity is None:
        t.error(node, f"{name} of elements of {type} that a mask chooses is not supported")
    return identity[0]


def _chosen(t: Tracer, node: ast.AST, name: str, value: Lazy, some: Some, operator: Operator) -> Lazy:
    """The elements that count, and the operator's neutral one in the place of the others."""
    assert some.where is not None
    mask = lazy(t, node, some.where)
    if len(mask.shape) > len(value.shape) or any(
        extent == ONE and counted != ONE for extent, counted in zip(value.shape[::-1], mask.shape[::-1])
    ):
        t.error(node, f"`where` of `{name}` has more axes or elements than the array: NumPy raises a ValueError")
    if mask.type.kind != "b":
        t.error(node, f"`where` of `{name}` is no array of bools", hint="compare: where=x > 0")
    if operator.identity is None or (name in ("max", "min") and some.initial is None):
        t.error(node, f"`{name}` of elements chosen by `where` needs an initial value", hint="give initial=…")
    (neutral,) = operator.identity

    def either(pair: Sequence[Scalar]) -> Scalar:
        element, counts = pair
        if name in ("any", "all"):
            element = t.arithmetic.truth(element)
        fitting = operator.types[0] if name in ("sum", "prod") else element.type
        return t.arithmetic.select(counts, t.arithmetic.cast(element, fitting), t.arithmetic.cast(neutral, fitting))

    return on_elements(t, node, (value, some.where), either)


def summed_type(type: ScalarType) -> ScalarType:
    """The type of a sum of such elements."""
    if type.kind in "bi":
        return int64
    return uint64 if type.kind == "u" else type


def mean(
    t: Tracer, node: ast.AST, value: Lazy, axes: Sequence[int], keepdims: bool, dtype: ScalarType | None
) -> Lazy:  # fmt: skip
    arithmetic = t.arithmetic
    type = dtype or (float64 if value.type.kind in "biu" else value.type)
    operator = standard("add", type)
    state_type = operator.types[0]
    extents = [arithmetic.index(value.shape[n]) for n in axes] or [arithmetic.literal(1)]
    count = reduce(lambda a, b: size_operation(t, "mul", a, b) or arithmetic.apply("mul", a, b), extents)

    def body(element: Scalar, _: Index) -> Sequence[Scalar]:
        return [arithmetic.cast(element, state_type)]

    def result(state: Sequence[Scalar]) -> Scalar:
        number = arithmetic.cast(arithmetic.cast(count, int64), state_type)
        quotient = t.trace.graph.operation("truediv", (state[0], number), state_type)
        return arithmetic.cast(quotient, type)

    start = (arithmetic.cast(arithmetic.literal(0), state_type),)
    return folded(t, node, value, axes, Folding(operator, body, result, start), keepdims)


def _not_empty(t: Tracer, node: ast.AST, value: Lazy, axes: Sequence[int], name: str) -> None:
    """NumPy raises where there is nothing to choose from, even for no results at all: let it."""
    for n in axes:
        if not (value.shape[n].is_constant and value.shape[n].constant > 0):
            message = f"{name} of an array without elements"
            if t.recorder is not None or has_indirect(value.shape[n]):
                require(t, node, value.shape[n] - 1, message)
                continue
            inner = {d.name for d in t.trace.block.dims}
            if inner.intersection(value.shape[n].names):
                t.error(node, f"{name} over a number of elements that depends on a loop is not supported")
            t.trace.checks.append(Check(value.shape[n] - 1, "fallback", message, (), t.loc(node)))


# ----------------------------------------------------------------------------------------------- arg-max, arg-min


def arg_extremum(t: Tracer, node: ast.AST, name: str, value: Lazy, axes: Sequence[int], keepdims: bool) -> Lazy:
    """The first place of the extremum; a NaN counts as one, as in NumPy. Over several axes: in the flattened array."""
    type = uint8 if value.type.kind == "b" else value.type
    if type.kind == "c":
        t.error(node, f"{name} of complex numbers is not supported")
    _not_empty(t, node, value, axes, name)
    arithmetic, extents = t.arithmetic, [value.shape[n] for n in axes]

    def body(element: Scalar, index: Index) -> Sequence[Scalar]:
        return [arithmetic.cast(element, type), *(t.trace.graph.index(i, int64) for i in index)]

    def result(state: Sequence[Scalar]) -> Scalar:
        flat = state[1]
        for number, extent in zip(state[2:], extents[1:]):
            flat = arithmetic.apply("mul", flat, arithmetic.cast(arithmetic.index(extent), int64))
            flat = arithmetic.apply("add", flat, number)
        return flat

    how = Folding(_first_extremum(name, type, len(axes)), body, result)
    return replace(folded(t, node, value, axes, how, keepdims), fortran=False)  # as NumPy's


def _first_extremum(name: str, type: ScalarType, places: int) -> Operator:
    types = (type, *(int64,) * places)
    left = tuple(Variable(f"lhs{n}", x) for n, x in enumerate(types))
    right = tuple(Variable(f"rhs{n}", x) for n, x in enumerate(types))

    def both(op: str, *operands: Scalar) -> Scalar:
        return Operation(op, operands, bool_)

    earlier = both("lt", right[-1], left[-1])
    for a, b in zip(left[-2:0:-1], right[-2:0:-1]):
        earlier = both("or", both("lt", b, a), both("and", both("eq", b, a), earlier))
    better = both("gt" if name == "argmax" else "lt", right[0], left[0])
    same = both("eq", right[0], left[0])
    if type.kind == "f":
        nan, other = both("ne", right[0], right[0]), both("ne", left[0], left[0])
        no_better = both("le" if name == "argmax" else "ge", right[0], left[0])  # false for NaNs, which are best
        better = both("and", both("not", no_better), both("not", other))
        same = both("or", same, both("and", nan, other))
    wins = Variable("wins", bool_)
    chosen = both("or", better, both("and", same, earlier))
    results = tuple(Operation("select", (wins, r, l), l.type) for l, r in zip(left, right))
    worst = neutral_element("maximum" if name == "argmax" else "minimum", type)
    neutral = (Constant(worst, type), *(Constant(2**63 - 1, int64) for _ in range(places)))
    function = ScalarFunction((*left, *right), ((wins, chosen),), results)
    return Operator(f"first_{name}", function, neutral, score="maximum" if name == "argmax" else "minimum")


# ---------------------------------------------------------------------------------------------------- prefix sums


_PREFIXES = {"cumsum": "add", "cumprod": "mul", "cummax": "maximum", "cummin": "minimum"}


def prefix(t: Tracer, node: ast.AST, name: str, value: Lazy, axis: int, dtype: ScalarType | None) -> Lazy:
    """cumsum, cumprod, cummax or cummin along an axis; its elements exist where the loop over that axis is the
    innermost."""
    if value.heavy or value.scan is not None:
        value = once(t, node, value)
    type = dtype or (value.type if name in ("cummax", "cummin") else summed_type(value.type))
    op = _PREFIXES[name]
    operator = elementwise(op, type.accumulator, neutral_element(op, type.accumulator))

    if t.recorder is not None:
        return _prefix_in_procedure(t, node, value, axis, type, operator)

    def at(index: Index) -> Scalar:
        trace = t.trace
        loop = trace.block.loop
        assert loop is not None and index[axis] == Affine.of(loop.name)
        body = inner_kept(trace, t.arithmetic.cast(t.arithmetic.cast(value.at(index), type), operator.types[0]))
        scan = Reduction(
            (loop,), operator, (body,), (), None, trace.block.number, trace.tick(), trace.guards, "inclusive"
        )
        return t.arithmetic.cast(trace.graph.new_leaf(Component(scan, 0), operator.types[0]), type)

    return Lazy(value.shape, type, at, scan=axis, fortran=bool(is_fortran(t, value)))


def _prefix_in_procedure(
    t: Tracer, node: ast.AST, value: Lazy, axis: int, type: ScalarType, operator: Operator
) -> Lazy:  # fmt: skip
    """The same as loops of a procedure: computed here and now."""
    recorder, made, cast = t.recorder, new_view(t, node, value.shape, type), t.arithmetic.cast
    assert recorder is not None and made.view is not None and operator.identity is not None
    view, start = made.view, cast(operator.identity[0], operator.types[0])
    others = [n for n in range(len(value.shape)) if n != axis]

    def line(around: Index, _: Sequence[Scalar]) -> Sequence[Scalar]:
        def body(inner: Index, states: Sequence[Scalar]) -> Sequence[Scalar]:
            at = {**dict(zip(others, around)), axis: inner[0]}
            index = tuple(at[n] for n in range(len(value.shape)))
            one = cast(cast(value.at(index), type), operator.types[0])
            total = t.trace.graph.combined(operator, states, (one,))
            assign_at(t, node, view.buffer, place(view, index), cast(total[0], type), True)
            return total

        recorder.nest([value.shape[axis]], body, (start,))
        return ()

    recorder.nest([value.shape[n] for n in others], line)
    return made
