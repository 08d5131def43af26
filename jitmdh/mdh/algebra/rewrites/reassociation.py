"""The factors of a sum's terms in the order that needs the fewest products.

    Σ_k Σ_l (T[i, k, l] · L[l, j]) · K[k, j]   ->   Σ_k Σ_l T[i, k, l] · (L[l, j] · K[k, j])

`L[l, j] · K[k, j]` is the same for every i. A sum whose terms may be added in any order may have their factors
multiplied in any order, too: both change roundings, and where the largest number is exceeded on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from jitmdh.base.dtype import float32, float64
from jitmdh.mdh.algebra.combine import PointWise
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Procedure, Scalar, Variable

Dims = frozenset[str]


def reassociate(expression: Expression) -> Expression:
    """Products of three factors and more under the innermost sum: those first that vary with the fewest dimensions.

    Any other expression is returned as it is, and so are products that every grouping computes at every point.

    requires: nothing. ensures: the same terms, in sums that may be reassociated; roundings may differ.
    """
    function, found = expression.md_hom.function, groups(expression)
    if not found or found[-1].scan or len(function.results) != 1 or function.bindings:
        return expression
    inner = expression.md_hom.combine[found[-1].axes[-1]]
    if not (isinstance(inner, PointWise) and inner.operator.name == "add" and inner.operator.is_elementary):
        return expression
    varying = _varying(expression)
    factors = list(_factors(function.results[0]))
    if len(factors) < 3:
        return expression
    product = _multiplied(factors, varying, expression)
    if product is None:
        return expression
    function = replace(function, results=(product,))
    return replace(expression, md_hom=replace(expression.md_hom, function=function))


def operation_dims(expression: Expression) -> list[tuple[str, Dims]]:
    """Each operation of `md_hom.function`, casts left out, with the dimensions that its value varies with."""
    function = expression.md_hom.function
    varying = _varying(expression)
    found: list[tuple[str, Dims]] = []

    def walk(node: Scalar) -> Dims:
        if not isinstance(node, Operation):
            return dims_of(node, varying, expression)
        dims: Dims = frozenset().union(*map(walk, node.operands))
        if node.op != "cast":
            found.append((node.op, dims))
        return dims

    for variable, value in function.bindings:
        varying[variable.name] = walk(value)
    for result in function.results:
        walk(result)
    return found


def varying_bindings(expression: Expression) -> int:
    """How many names `md_hom.function` gives to what some dimension has a say in; all where there is no dimension."""
    if not expression.md_hom.dims:
        return len(expression.md_hom.function.bindings)
    varying = _varying(expression)
    for variable, value in expression.md_hom.function.bindings:
        varying[variable.name] = dims_of(value, varying, expression)
    return sum(bool(varying[variable.name]) for variable, _ in expression.md_hom.function.bindings)


def _varying(expression: Expression) -> dict[str, Dims]:
    """For each parameter of `md_hom.function` the dimensions that it, or the condition on it, varies with."""
    found = (expression.varying(access).union(*map(expression.depends, access.guard)) for access in expression.inp_view)
    return dict(zip((p.name for p in expression.md_hom.function.parameters), found))


def dims_of(node: Scalar, varying: Mapping[str, Dims], expression: Expression) -> Dims:
    """The dimensions that a value varies with. varying: those of the variables in it."""
    match node:
        case Constant() | Procedure():
            return frozenset()
        case Variable(name):
            return varying.get(name, frozenset(d.name for d in expression.md_hom.dims))
        case IndexValue(index):
            return expression.depends(index)
    return frozenset().union(*(dims_of(o, varying, expression) for o in node.operands))


def _factors(node: Scalar) -> Iterator[Scalar]:
    """From left to right. Products of 16-bit floats, which have little room for larger ones, stay as they are."""
    if isinstance(node, Operation) and node.op == "mul" and (node.type.kind in "iu" or node.type in (float32, float64)):
        for operand in node.operands:
            yield from _factors(operand)
    else:
        yield node


def _multiplied(factors: Sequence[Scalar], varying: Mapping[str, Dims], expression: Expression) -> Scalar | None:
    """The product; None where no two factors together vary with fewer dimensions than all of them."""
    terms = [(factor, dims_of(factor, varying, expression)) for factor in factors]
    every: Dims = frozenset().union(*(dims for _, dims in terms))

    def points(pair: tuple[int, int]) -> int:
        """Of the product of two terms, in dimensions. Two numbers are not worth the risk that theirs is too large."""
        dims = terms[pair[0]][1] | terms[pair[1]][1]
        return len(dims) if dims else len(every)

    changed = False
    while len(terms) > 2:
        left, right = best = min(combinations(range(len(terms)), 2), key=points)
        changed = changed or points(best) < len(every)
        terms[left] = (_product(terms[left][0], terms[right][0]), terms[left][1] | terms[right][1])
        del terms[right]
    return _product(terms[0][0], terms[1][0]) if changed else None


def _product(left: Scalar, right: Scalar) -> Scalar:
    return Operation("mul", (left, right), left.type)
