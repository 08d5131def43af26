"""Powers on vectors: x^y = e^(y·log x), with a logarithm of 66 bits, and the signs and exceptions of C's `pow`.

The logarithm has to be that precise because y multiplies its error: of y·log x, which may be 745, bits behind the last
one of the result count. Numbers are kept in two parts, of which the first has 26 bits, so that products of first parts
are exact on every processor, with instructions for fused operations or without.
"""

from __future__ import annotations

import math

from jitmdh.mdh.targets.math.elementary import (
    EXP_64,
    LN2_64,
    LOG2_E,
    exp2,
    log2,
    powers_of_two,
    split,
    whole_number,
)
from jitmdh.mdh.targets.math.lanes import Floats, Mask

# m is compared with the one of these that is next to it: (centre, its logarithm in two parts, the first without bits
# below 2⁻³³, as multiples of ln 2 have none there).
_ABOVE = (1.25, float.fromhex("0x1.c8ff7c7800000p-3"), float.fromhex("0x1.a9a21ac25d81fp-35"))
_BELOW = (51 / 64, float.fromhex("-0x1.d1037f2800000p-3"), float.fromhex("0x1.aa184a7e75b6fp-35"))
_NEXT_TO_1 = (1.0, 0.0, 0.0)
_THIRDS = (float.fromhex("0x1.5555550000000p-1"), float.fromhex("0x1.5555555555555p-27"))
"""2/3 in two parts."""
_SERIES = tuple(3 / (2 * n + 5) for n in range(7))
"""3/2 · (log((1+s)/(1-s)) - 2s - 2s³/3) / s⁵ as a function of s², for |s| ≤ 0.062, to 2⁻⁵⁸ of the first term."""


def first_bits(x: Floats) -> Floats:
    """The 26 leading bits."""
    return (x.as_bits() & -(1 << 27)).as_floats()


def logarithm(x: Floats) -> tuple[Floats, Floats]:
    """log x of a positive finite number in two parts, the first of 26 bits.

    With m = c·(1+s)/(1-s) it is k·ln 2 + log c + ⅔·s·(3 + s² + s⁴·…); s and the bracket are in two parts as well.
    """
    k, m = split(x)
    above, below = m > 1.13, m < 0.89

    def of_centre(n: int) -> Floats:
        return x.constant(_ABOVE[n]).chosen(above, x.constant(_BELOW[n]).chosen(below, _NEXT_TO_1[n]))

    centre = of_centre(0)
    difference, sum = m - centre, m + centre
    inverse = 1.0 / sum
    s = difference * inverse
    s_first, sum_first = first_bits(s), first_bits(sum)
    sum_rest = m - (sum_first - centre)
    s_rest = inverse * ((difference - s_first * sum_first) - s_first * sum_rest)
    square = s * s
    exact_square = s_first * s_first
    more = (square * square) * square.polynomial(_SERIES) + s_rest * (s_first + s)
    bracket = first_bits(3.0 + exact_square + more)
    bracket_rest = more - ((bracket - 3.0) - exact_square)
    product = s_first * bracket
    product_rest = s_rest * bracket + bracket_rest * s
    taken = first_bits(product + product_rest)
    left = product_rest - (taken - product)
    series = taken * _THIRDS[0]
    series_rest = taken * _THIRDS[1] + left * (_THIRDS[0] + _THIRDS[1])
    whole = k * LN2_64[0] + of_centre(1)
    total = whole + series
    rest = (series - (total - whole)) + (series_rest + (k * LN2_64[1] + of_centre(2)))
    high = first_bits(total + rest)
    return high, rest - (high - total)


def exponential(x: Floats, rest: Floats) -> Floats:
    """e^(x + rest), with what the reduction and the sum 1 + r round away."""
    high, low = LN2_64
    whole, n = whole_number(x, LOG2_E)
    coarse, fine = whole.fused(-high, x), whole * low - rest
    r = coarse - fine
    lost = (coarse - r) - fine
    one = 1.0 + r
    more = (r * r).fused(r.polynomial(EXP_64), r.fused(lost, lost))
    first, second = powers_of_two(n)
    return (one + ((r - (one - 1.0)) + more)) * first * second


def _signed(result: Floats, x: Floats, y: Floats) -> Floats:
    """`result`, which is |x|^y, as x^y: zeros, negative bases."""
    size = y.size()
    shifted = size + 2.0**52
    large = size.is_not_below(2.0**52)
    rounded = size.chosen(large, shifted - 2.0**52)
    is_odd = (size.chosen(large, shifted).as_bits() & 1).is_nonzero() & (size < 2.0**53)
    of_zero = x.constant(math.inf).chosen(y < 0.0, x.constant(1.0).chosen(y.is_equal(0.0), 0.0))
    result = of_zero.chosen(x.is_equal(0.0), result)
    is_whole = rounded.is_equal(size)
    result = result.with_sign_of(x).chosen(is_odd & is_whole, result)
    return x.constant(math.nan).chosen((x < 0.0) & ((rounded < size) | (rounded > size)), result)


def pow(x: Floats, y: Floats) -> Floats:
    """x^y in 64 bits."""
    high, low = logarithm(x.size())
    bounded = y.at_most(2.0**64).at_least(-(2.0**64))  # beyond, every base but 1 has left the range of the results
    first = first_bits(bounded)
    coarse = first * high
    fine = (bounded - first) * high + bounded * low
    exponent = coarse + fine
    rest = (fine - (exponent - coarse)).chosen(exponent.size() < 800.0, 0.0)
    return _signed(exponential(exponent.at_most(710.0).at_least(-746.0), rest), x, y)


def pow_briefly(x: Floats, y: Floats) -> Floats:
    """2^(y·log₂ x) with 53 bits, of which float32 keeps 24."""
    result = exp2((y * log2(x.size())).at_most(2000.0).at_least(-2000.0))
    return _signed(result, x, y)


def pow_rare(x: Floats, y: Floats) -> Mask:
    """Infinities and NaN."""
    return y.size().is_not_below(math.inf) | x.size().is_not_below(math.inf)
