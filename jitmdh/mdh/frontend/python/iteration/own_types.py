"""Carried variables that begin as NumPy's numbers of another type than their loop gives them.

s = x32[i]                              In the first iteration, `s` is a choice: float64 where k > 0, else x32[i].
for k in range(n):           ->         Behind the loop it is one, too, where `n` may be 0.
    y[k] = s * 2
    s = s * z64[k]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar
from jitmdh.mdh.frontend.python.inlining import flattened, unflattened
from jitmdh.mdh.frontend.python.tracer import Poison, SymbolicValue, Tracer
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim


def _has_own(t: Tracer, value: Scalar, state: Scalar) -> bool:
    return any(not v.type.is_weak and v.type != state.type for v in t.trace.graph.kept(value))


def begin(t: Tracer, dim: LoopDim, states: Sequence[Scalar], values: Sequence[Scalar]) -> None:
    """The states at the beginning of an iteration, which had these values before the loop."""
    for state, value in zip(states, values):
        if _has_own(t, value, state):
            later = t.arithmetic.apply("gt", t.arithmetic.index(Affine.of(dim.name)), t.arithmetic.literal(0))
            t.trace.graph.alternative(state, later, state, value)


def require_one(
    t: Tracer, node: ast.AST, starts: Mapping[str, Sequence[Scalar]], ends: Mapping[str, Sequence[Scalar]]
) -> None:  # fmt: skip
    """From the second iteration on there is one type only."""
    for name, states in starts.items():
        for state, end in zip(states, ends[name]):
            if end is state or id(state) not in t.trace.graph.choices:
                continue
            for one in _chosen(t, end, state):
                if one is state or (not one.type.is_weak and one.type != state.type):
                    reason = f"whether it is {state.type} depends on the data"
                    t.error(node, f"the type of `{name}` changes in the loop", reason, "convert it before the loop")


def require_no_mixture(t: Tracer, node: ast.AST, name: str, before: Scalar, end: Scalar) -> None:
    """Refused: Python's integer that some iterations count on with, where others make it one of NumPy's, which wraps.

    before: at the beginning of an iteration, in the type that it has before the loop.
    """
    if not before.type.is_weak or before.type.kind != "i":
        return
    arms = list(_chosen(t, end, before))
    narrow = [
        v.type for v in arms if not v.type.is_weak and (v.type.kind == "u" or (v.type.is_integer and v.type.bits < 32))
    ]
    if narrow and any(_leaves(v, narrow[0]) for v in arms):
        reason = f"it is Python's integer or {narrow[0]}, depending on the data"
        t.error(node, f"the type of `{name}` changes in the loop", reason, "convert what it takes in: int(…)")


def _leaves(value: Scalar, type: ScalarType) -> bool:
    """Whether Python's integer may leave the range of a type, after some iterations."""
    if not isinstance(value, Operation) or not value.type.is_weak:
        return False
    counts_up = value.op == "add" and any(isinstance(v, Constant) and v.value >= 0 for v in value.operands)  # type: ignore[operator]
    return not (counts_up and type.bits >= 32)


def _chosen(t: Tracer, value: Scalar, state: Scalar) -> Iterator[Scalar]:
    """The numbers of which `value` is one; `state` as it is."""
    arms = t.trace.graph.choices.get(id(value))
    if arms is None or value is state:
        yield value
    else:
        for arm in arms[1:]:
            yield from _chosen(t, arm, state)


def behind(t: Tracer, node: ast.For, room: Affine, before: Mapping[str, SymbolicValue]) -> None:
    """A NumPy number that a loop gives another type keeps its own where the loop has no iterations."""
    if room.is_constant and room.constant > 0:
        return
    inside = has_indirect(room) or {d.name for d in t.trace.block.dims}.intersection(room.names)
    for name, value in before.items():
        after = t.env.get(name)
        if after is value:
            continue
        pairs = list(zip(flattened(value), flattened(after) if after is not None else ()))
        if isinstance(after, Poison) or not any(_has_own(t, old, new) for old, new in pairs):
            continue
        if not inside:
            t.fall_back(node, room - 1, f"`{name}` keeps its type in a loop without iterations")
        elif after is not None:
            entered = t.arithmetic.apply("gt", t.arithmetic.index(room), t.arithmetic.literal(0))
            t.env[name] = unflattened(after, [t.arithmetic.select(entered, new, old) for old, new in pairs])
