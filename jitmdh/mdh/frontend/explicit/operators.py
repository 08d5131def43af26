"""Operators that `@operator` declares, typed outside of a trace: for the explicit representation."""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.frontend.interpreter.expressions import evaluate
from jitmdh.mdh.frontend.interpreter.statements import run
from jitmdh.mdh.frontend.python.inlining import operator_maker
from jitmdh.mdh.frontend.python.tracer import SymbolicValue, new_tracer
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.source.environment import Environment
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator
from jitmdh.mdh.frontend.to_algebra.scalar_functions import concrete_operator


def typed(declared: DeclaredOperator, types: tuple[ScalarType, ...]) -> Operator:
    """The operator on states of `types`. NotAnMdhError where its function cannot be compiled."""
    source = capture(declared.py_func)
    t = new_tracer(source, True, Environment(source.function))
    t.evaluator, t.runner = evaluate, run
    t.trace.faults = None  # an expression has none: its numbers are NumPy's
    parts: tuple[SymbolicValue, ...] = tuple(t.arithmetic.literal(0) for _ in types)
    state = parts if len(parts) > 1 else parts[0]
    operator = operator_maker(t, source.definition, declared, state)(types)
    return concrete_operator(t.trace.graph, operator)
