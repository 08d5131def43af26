"""Squares of any numbers, and powers of floats by constants that are multiples of a half, as products, square roots and
reciprocals.

x ** 3      ->   x * x * x
x ** 2.5    ->   z * z * sqrt(z)      z: x without the sign of zero; inf for -inf, of which C's `pow` forgets the sign
x ** -2     ->   r * r                r: 1 / x

The factors grow or shrink in one direction only, so none is out of range where the result is not. Each product rounds
once more: the result is at most 2.5 units in the last place away, where a power by any number is 0.8 away.
"""

from __future__ import annotations

import math
from functools import reduce

from jitmdh.base.dtype import ScalarType, bfloat16, bool_
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph

_LEAST, _MOST = -2.0, 4.0
"""The exponents. Beyond, more is rounded than the documented bound allows: n times what `1 / x` rounds of x ** -n."""


def by_products(graph: Graph, base: Scalar, exponent: Constant, type: ScalarType) -> Scalar | None:
    """The power, of `type`; None where it is computed as any other. base: of `type`, too."""
    number = exponent.value
    if number == 2:
        return graph.operation("mul", (base, base), type)
    if type.kind != "f" or type.concrete == bfloat16 or type.concrete.bits < 32 or isinstance(number, complex):
        return None
    if not number or not _LEAST <= number <= _MOST or 2 * number % 1:
        return None
    twice = int(2 * number)
    whole, half = divmod(abs(twice), 2)

    def operation(op: str, *operands: Scalar) -> Scalar:
        return graph.operation(op, operands, type)

    factor = base
    if half:
        without_sign = operation("add", base, graph.constant(0.0, type))
        lowest = graph.operation("eq", (base, graph.constant(-math.inf, type)), bool_)
        factor = operation("select", lowest, graph.constant(math.inf, type), without_sign)
    if half and not whole:
        root = operation("sqrt", factor)  # the reciprocal of a subnormal number is out of range, not that of its root
        return operation("truediv", graph.constant(1.0, type), root) if twice < 0 else root
    if twice < 0:
        factor = operation("truediv", graph.constant(1.0, type), factor)
    pair = operation("mul", factor, factor)
    factors = [pair] * (whole // 2) if whole in (2, 4) else [factor] * whole
    if half:
        factors.append(operation("sqrt", factor))
    return reduce(lambda a, b: operation("mul", a, b), factors)
