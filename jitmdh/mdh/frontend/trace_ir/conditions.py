"""Conditions that indices and sizes decide, as affine guards, and back."""

from __future__ import annotations

from jitmdh.base.dtype import bool_, weak_bool, weak_int
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Operation, Scalar
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import Trace, has_indirect


def affine_guard(condition: Scalar) -> tuple[Affine, ...] | None:
    """Affine expressions that are all ≥ 0 exactly where `condition` holds, if there are such.

    i < j and k == 0   ->   (j - i - 1, k, -k)
    """
    if not isinstance(condition, Operation):
        return None
    if condition.op == "and":
        parts = [affine_guard(o) for o in condition.operands]
        if any(p is None for p in parts):
            return None
        return tuple(g for p in parts if p is not None for g in p)
    if condition.op not in ("lt", "le", "gt", "ge", "eq"):
        return None
    left, right = (affine(o) for o in condition.operands)
    if left is None or right is None or has_indirect(left, right):
        return None
    match condition.op:
        case "lt":
            return (right - left - 1,)
        case "le":
            return (right - left,)
        case "gt":
            return (left - right - 1,)
        case "ge":
            return (left - right,)
    return (left - right, right - left)


def implied_guard(condition: Scalar) -> tuple[Affine, ...]:
    """Affine expressions that are ≥ 0 where `condition` holds, part of which data may decide.

    i < j and x[i] > 0   ->   (j - i - 1,)
    """
    if isinstance(condition, Operation) and condition.op == "and":
        return tuple(g for part in condition.operands for g in implied_guard(part))
    return affine_guard(condition) or ()


def as_condition(trace: Trace, guard: tuple[Affine, ...]) -> Scalar:
    """The condition that all of `guard` are ≥ 0."""
    graph = trace.graph
    result = graph.constant(True, weak_bool)
    for g in guard:
        one = graph.operation("ge", (graph.index(g, weak_int), graph.constant(0, weak_int)), bool_)
        result = trace.arithmetic.both(result, one)
    return result
