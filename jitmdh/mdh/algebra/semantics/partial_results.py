"""Partial results over boxes of the iteration space, and what combine operators do with them.

What a part of a computation gives before it is combined with the rest: the values of the state at each place of its
result, and where there is a result at all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.semantics.operations import Array, Value, apply, choose


@dataclass(frozen=True, slots=True)
class State:
    """Partial results over a box (collapsed dimensions: length 1); `valid`: where there is one, None: everywhere."""

    values: tuple[Value, ...]
    valid: Array | None = None

    def take(self, part: slice, axis: int) -> State:
        key = (slice(None),) * axis + (part,)
        return self.map(lambda a: a[key])

    def map(self, f: Callable[[Array], Array]) -> State:
        return State(tuple(v.map(f) for v in self.values), None if self.valid is None else f(self.valid))


def both(a: Array | None, b: Array | None) -> Array | None:
    return b if a is None else a if b is None else a & b


def combined(operator: Operator, left: State, right: State) -> State:
    """`left ⊕ right`, or the one of them that is there."""
    values = apply(operator.function, (*left.values, *right.values), _no_index)
    if left.valid is None and right.valid is None:
        return State(values)
    yes = np.ones((), np.bool_)
    has_left, has_right = (yes if s.valid is None else s.valid for s in (left, right))
    chosen = tuple(
        choose(Value(has_left & has_right), v, choose(Value(has_left), a, b))
        for v, a, b in zip(values, left.values, right.values)
    )
    return State(chosen, has_left | has_right)


def folded(operator: Operator, state: State, axis: int) -> State:
    """The dimension `axis` combined to length 1, neighbours first; nothing valid if it is empty."""
    state = _begun(operator, state)
    while (n := state.values[0].data.shape[axis]) > 1:
        even = n - n % 2
        pairs = combined(operator, state.take(slice(0, even, 2), axis), state.take(slice(1, even, 2), axis))
        state = concatenated(pairs, state.take(slice(even, n), axis), axis) if n % 2 else pairs
    return state if n == 1 else nothing(state, axis)


def _begun(operator: Operator, state: State) -> State:
    """The operator's identity, if it has one, combined with every element.

    Changes what is not neutral to it: a NaN, which Python's `max(m, x)` passes over, but only as its second argument.
    """
    if operator.identity is None or not any(c.type.is_floating for c in operator.identity):
        return state
    shape = state.values[0].data.shape
    neutral = tuple(Value(np.broadcast_to(np.asarray(c.value, c.type.numpy), shape)) for c in operator.identity)
    return combined(operator, State(neutral, state.valid), state)


def inclusive_scan(operator: Operator, state: State, axis: int, reverse: bool = False) -> State:
    """Every element combined with all before it (reverse: after it)."""
    state = _begun(operator, state)
    if reverse:
        state = state.map(lambda a: np.flip(a, axis))
        return _inclusive_by(lambda a, b: combined(operator, b, a), state, axis).map(lambda a: np.flip(a, axis))
    return _inclusive_by(lambda a, b: combined(operator, a, b), state, axis)


def _inclusive_by(combine: Callable[[State, State], State], state: State, axis: int) -> State:
    n = state.values[0].data.shape[axis]
    if n < 2:
        return state
    even = n - n % 2
    pairs = combine(state.take(slice(0, even, 2), axis), state.take(slice(1, even, 2), axis))
    odd_places = _inclusive_by(combine, pairs, axis)
    rest = combine(odd_places.take(slice(0, (n - 1) // 2), axis), state.take(slice(2, n, 2), axis))
    even_places = concatenated(state.take(slice(0, 1), axis), rest, axis)
    return _interleaved(even_places, odd_places, axis)


def scatter(operator: Operator, buffer: Array, index: tuple[Array, ...], data: Array) -> None:
    """`buffer[index[n]] = buffer[index[n]] ⊕ data[n]` for all n: those of one cell combined first, neighbours first."""
    if not data.size:
        return
    cells = np.ravel_multi_index(index, buffer.shape)
    order = np.argsort(cells, kind="stable")
    cells, state = cells[order], _begun(operator, State((Value(data[order]),)))
    while True:
        starts = np.flatnonzero(np.r_[True, cells[1:] != cells[:-1]])
        if len(starts) == len(cells):
            break
        place = np.arange(len(cells)) - np.repeat(starts, np.diff(np.r_[starts, len(cells)]))
        left = np.flatnonzero(place % 2 == 0)
        pair = np.r_[cells[1:] == cells[:-1], False][left]
        first, second = (state.map(lambda a, at=at: a[at]) for at in (left[pair], left[pair] + 1))  # type: ignore[misc]
        (joined,) = combined(operator, first, second).values
        values = state.values[0].data[left]
        values[pair] = joined.data
        cells, state = cells[left], State((Value(values),))
    flat = np.unravel_index(cells, buffer.shape)
    (result,) = combined(operator, State((Value(buffer[flat]),)), state).values
    buffer[flat] = result.data


def exclusive_scan(operator: Operator, state: State, axis: int, reverse: bool = False) -> State:
    """Every element: all before it (reverse: after it) combined, without itself."""
    n = state.values[0].data.shape[axis]
    none = nothing(state, axis)
    if reverse:
        scanned = inclusive_scan(operator, state.take(slice(1, n), axis), axis, reverse=True)
        return concatenated(scanned, none, axis)
    return concatenated(none, inclusive_scan(operator, state.take(slice(0, n - 1), axis), axis), axis)


def nothing(state: State, axis: int) -> State:
    """Length 1 along `axis`, without a valid result."""

    def empty(data: Array) -> Array:
        return np.zeros((*data.shape[:axis], 1, *data.shape[axis + 1 :]), data.dtype)

    values = tuple(Value(empty(v.data)) for v in state.values)
    return State(values, np.zeros(values[0].data.shape, np.bool_))


def or_identity(operator: Operator, state: State) -> State:
    """The operator's identity, if it has one, where there is no result."""
    if state.valid is None or operator.identity is None:
        return state
    neutral = tuple(Value(np.asarray(c.value, c.type.numpy)) for c in operator.identity)
    return State(tuple(choose(Value(state.valid), v, e) for v, e in zip(state.values, neutral)))


def concatenated(first: State, second: State, axis: int) -> State:
    return _joined(first, second, lambda a, b: np.concatenate([a, b], axis))


def _interleaved(even: State, odd: State, axis: int) -> State:
    def weave(a: Array, b: Array) -> Array:
        shape = [*a.shape]
        shape[axis] += b.shape[axis]
        result = np.empty(shape, a.dtype)
        before = (slice(None),) * axis
        result[(*before, slice(0, None, 2))] = a
        result[(*before, slice(1, None, 2))] = b
        return result

    return _joined(even, odd, weave)


def _joined(a: State, b: State, join: Callable[[Array, Array], Array]) -> State:
    """Two states laid out as one by `join`."""

    def whole(state: State, part: Array | bool) -> Array:
        return np.broadcast_to(part, state.values[0].data.shape)

    values = []
    for x, y in zip(a.values, b.values):
        faulty = x.fault is not None or y.fault is not None
        fault = join(whole(a, _fault(x)), whole(b, _fault(y))) if faulty else None
        values.append(Value(join(x.data, y.data), fault))
    if a.valid is None and b.valid is None:
        return State(tuple(values))
    valid = [whole(s, True if s.valid is None else s.valid) for s in (a, b)]
    return State(tuple(values), join(*valid))


def _fault(value: Value) -> Array:
    return np.zeros((), np.uint8) if value.fault is None else value.fault


def _no_index(affine: Affine) -> Array:
    raise InternalError(f"a combine operator cannot depend on the index {affine}")
