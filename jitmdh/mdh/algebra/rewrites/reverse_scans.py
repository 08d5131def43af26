"""Reverse prefix sums as forward ones over the reversed index, so that lowering meets no reverse ones."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.algebra.combine import CombineOperator, Operator, PrefixSum
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.scalar import ScalarFunction


def forward_scans(expression: Expression) -> Expression:
    """`expression` without reverse prefix sums; the same object if it has none.

    before:  i ∈ [0, n),  x[i], i ≤ k,      ps(⊕, reverse),  y[i]
    after:   i ∈ [0, n),  x[n-1-i], n-1-i ≤ k,  ps(⊕'),      y[n-1-i]      where a ⊕' b = b ⊕ a

    requires: nothing. ensures: the same meaning; ⊕' is ⊕ where that commutes.
    """
    md_hom = expression.md_hom
    reverse = [isinstance(c, PrefixSum) and c.reverse for c in md_hom.combine]
    if not any(reverse):
        return expression
    mirrored = {d.name: d.extent - 1 - Affine.of(d.name) for d, r in zip(md_hom.dims, reverse) if r}
    mirrored_expression = specialise_expression(expression, mirrored)
    combine = tuple(_forward(c) for c in md_hom.combine)
    return replace(mirrored_expression, md_hom=replace(mirrored_expression.md_hom, combine=combine))


def _forward(combine: CombineOperator) -> CombineOperator:
    match combine:
        case PrefixSum(operator, exclusive, True):
            return PrefixSum(swapped(operator), exclusive)
        case _:
            return combine


def swapped(operator: Operator) -> Operator:
    """`operator` with left and right exchanged; itself if it commutes."""
    if operator.commutative:
        return operator
    function, n = operator.function, operator.arity
    swapped = ScalarFunction(
        (*function.parameters[n:], *function.parameters[:n]),
        function.bindings,
        function.results,
    )
    return replace(operator, name=f"{operator.name} swapped", function=swapped)
