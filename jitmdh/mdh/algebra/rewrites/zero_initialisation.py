"""An initial zero as the identity of a sum.

The identity of floating-point addition is −0.0: adding it changes nothing, not even the sign of a zero. A sum that
starts from 0.0, `acc = 0.0; for …: acc += …`, therefore has a finish that adds 0.0. Starting the accumulators from 0.0
gives the same and leaves nothing to finish.
"""

from __future__ import annotations

from dataclasses import replace
from math import copysign

from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, Variable


def initialise_from_zero(expression: Expression) -> Expression:
    """`finish( state ↦ 0.0 + state )`, combine `•(add)` from −0.0   ->   no finish, `•(add)` from 0.0.

    Any other expression is returned as it is.

    requires: nothing. ensures: the same bits.
    """
    finish = expression.finish
    if finish is None or expression.between or finish.inp_view or finish.function.bindings:
        return expression
    if len(finish.function.results) != 1:
        return expression
    if not _adds_zero(finish.function.results[0], finish.function.parameters[0]):
        return expression
    combine = tuple(_from_zero(c) for c in expression.md_hom.combine)
    if any(c is None for c in combine):
        return expression
    operators = tuple(c for c in combine if c is not None)
    return replace(expression, md_hom=replace(expression.md_hom, combine=operators), finish=None)


def _adds_zero(result: Scalar, state: Variable) -> bool:
    if not isinstance(result, Operation) or result.op != "add" or result.type.kind != "f":
        return False
    zeros = [o for o in result.operands if isinstance(o, Constant) and o.value == 0 and copysign(1, o.value.real) > 0]
    return len(zeros) == 1 and state in result.operands


def _from_zero(combine: CombineOperator) -> CombineOperator | None:
    """The same sum from 0.0; None if it is another operator."""
    if isinstance(combine, Concatenation):
        return combine
    operator = combine.operator
    elementary = operator.name == "add" and operator.identity is not None and len(operator.identity) == 1
    if not elementary or operator.identity is None or operator.types[0].kind != "f":
        return None
    return replace(combine, operator=replace(operator, identity=(Constant(0.0, operator.types[0]),)))
