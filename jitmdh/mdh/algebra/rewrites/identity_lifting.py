"""Combine operators without identity, lifted to operators that have one, so that lowering may always assume one.

The state gets a boolean first component: whether there is a result at all.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import assert_never

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.names import unused
from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, Operator, PointWise, PrefixSum, Scatter
from jitmdh.mdh.algebra.expr import Access, Between, Expression, Finish
from jitmdh.mdh.algebra.groups import Group, groups, passing
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable, select


def with_identity(operator: Operator) -> Operator:
    """`operator` with an identity: itself if it has one, else lifted by a component `valid`.

    before:  (a…), (b…) ↦ a ⊗ b, without identity
    after:   (valid, a…), (valid', b…) ↦ (valid or valid', a ⊗ b if both hold, else the one that does),
             identity (False, 0…)

    ensures: associative (commutative) if `operator` is; `lift_identities`'s states never use the 0s.
    """
    if operator.identity is not None:
        return operator
    function, n = operator.function, operator.arity
    names = _names(function)
    has_left, has_right = (Variable(unused(v, names, first=2), bool_) for v in ("valid_lhs", "valid_rhs"))
    left, right = function.parameters[:n], function.parameters[n:]
    results = tuple(
        select(has_right, select(has_left, both, b), a) for both, a, b in zip(function.results, left, right)
    )
    either = Operation("or", (has_left, has_right), bool_)
    lifted = ScalarFunction((has_left, *left, has_right, *right), function.bindings, (either, *results))
    identity = (Constant(False, bool_), *(zero(t) for t in operator.types))
    return Operator(f"{operator.name}?", lifted, identity, operator.commutative)


def lift_identities(expression: Expression) -> Expression:
    """`expression` with lifted operators; the same object if none lacks an identity.

    before:  md_hom(f, (++, •(⊗)))                      with a finish g, or none
    after:   md_hom(p ↦ (True, f(p)…), (++, •(⊗?)))
             finish (valid, s…, inputs…, old…) ↦ g(s…, inputs…) if valid else `g.empty`, or `old` without one

    `old` is what the output holds: where there is no result, nothing changes. Between two operators, where there is no
    result the outer one is given its identity, or a state that is not valid.
    requires: nothing. ensures: all operators have an identity; same meaning.
    """
    found = groups(expression)
    if all(group.operator.identity is not None for group in found):
        return expression
    md_hom = expression.md_hom
    function = md_hom.function
    if found[-1].operator.identity is None:
        function = ScalarFunction(function.parameters, function.bindings, (_TRUE, *function.results))
    between = tuple(
        b for outer, inner in reversed(list(pairwise(found))) if (b := _between(outer, inner)) is not None
    )  # fmt: skip
    lifted = replace(md_hom, function=function, combine=tuple(_completed_combine(c) for c in md_hom.combine))
    finish = _finish(expression, found[0].operator) if found[0].operator.identity is None else expression.finish
    return replace(expression, md_hom=lifted, finish=finish, between=between)


_TRUE = Constant(True, bool_)


def _between(outer: Group, inner: Group) -> Between | None:
    """What stands between two operators, of which one or both are lifted."""
    given = inner.between
    if inner.operator.identity is not None and outer.operator.identity is not None:
        return given
    if given is None:
        given = Between(inner.axes[0], (), passing(inner.operator.types))
    function = given.function
    if inner.operator.identity is not None:
        return replace(given, function=replace(function, results=(_TRUE, *function.results)))
    valid = Variable(unused("valid", _names(function), first=2), bool_)
    results: tuple[Scalar, ...] = (valid, *function.results)
    if (neutral := outer.operator.identity) is not None:
        results = tuple(select(valid, r, n) for r, n in zip(function.results, neutral))
    return replace(given, function=ScalarFunction((valid, *function.parameters), function.bindings, results))


def zero(type: ScalarType) -> Constant:
    """The constant 0 of `type`, as a Python value of its kind."""
    match type.kind:
        case "b":
            return Constant(False, type)
        case "f":
            return Constant(0.0, type)
        case "c":
            return Constant(0j, type)
        case _:
            return Constant(0, type)


def _completed_combine(combine: CombineOperator) -> CombineOperator:
    match combine:
        case Concatenation() | Scatter():
            return combine
        case PointWise(operator):
            return PointWise(with_identity(operator))
        case PrefixSum(operator, exclusive, reverse):
            return PrefixSum(with_identity(operator), exclusive, reverse)
        case _:
            assert_never(combine)


def _finish(expression: Expression, operator: Operator) -> Finish:
    """The finish of `lift_identities`'s result. operator: the outermost one."""
    given = expression.finish or Finish((), passing(operator.types))
    function, accesses = given.function, given.inp_view
    names = _names(function)
    valid = Variable(unused("valid", names, first=2), bool_)
    parameters = function.parameters
    otherwise: list[Scalar] = list(given.empty or ())
    if given.empty is None:
        for access, result in zip(expression.out_view, function.results):
            state_size = len(parameters) - len(accesses)
            known = dict(zip(accesses, parameters[state_size:]))
            if access not in known:
                known[access] = Variable(unused(f"old_{access.buffer}", names, first=2), result.type)
                parameters, accesses = (*parameters, known[access]), (*accesses, _bare(access))
            otherwise.append(known[access])
    results = tuple(select(valid, r, o) for r, o in zip(function.results, otherwise))
    return Finish(accesses, ScalarFunction((valid, *parameters), function.bindings, results))


def _bare(access: Access) -> Access:
    return replace(access, loc=None)


def _names(function: ScalarFunction) -> set[str]:
    return {v.name for v in function.parameters} | {v.name for v, _ in function.bindings}
