"""The error function and the gamma function on vectors.

The polynomials interpolate at Chebyshev nodes, with the errors stated (found with 60 digits and more). Negative
arguments of the gamma functions, and those beyond where their results are finite, are left to the library.
"""

from __future__ import annotations

from jitmdh.mdh.targets.math.elementary import log
from jitmdh.mdh.targets.math.lanes import Floats, Mask
from jitmdh.mdh.targets.math.powers import exponential, first_bits, logarithm

ERF = (0.1283791670955126, -0.3761263890318375, 0.11283791670954879, -0.026866170645076792, 0.0052239776248180145,
       -0.000854832698083379, 0.0001205533111164271, -1.4925595266831182e-05, 1.6461000484121368e-06,
       -1.6350312701054695e-07, 1.4659775274047436e-08, -1.1372848856791674e-09, 5.957176147748911e-11)  # fmt: skip
"""(erf x - x) / x as a function of x², for |x| ≤ 1, to 2e-17 of erf x / x."""
ERFC = (1.2530080582697296, -0.13562110612458134, -0.04756229435345058, 0.1296451587027835, -0.11927366341532432,
        0.06830802734307077, -0.023770514918036445, 0.002529391832675186, 0.0018886903466049378,
        -0.0007798324398793133, -0.0001051596522473519, 0.00012510037313823361, 4.9484535339192485e-06,
        -2.0104454851557477e-05, -7.270603109882931e-07, 3.481686983452046e-06, 3.4482536968247793e-07,
        -6.299129103282541e-07, -1.2169240627639653e-07, 1.1177528463195771e-07, 2.292393009921899e-08,
        -1.541055292474667e-08)  # fmt: skip
"""exp(x²)·erfc x·(1 + 2x) as a function of (x - 3) / (x + 3), for 0.5 ≤ x ≤ 28, to 5.2e-17."""
LGAMMA = (0.42278433509846713, 0.3224670334241132, -0.0673523010531989, 0.02058080842778548, -0.007385551028623088,
          0.002890510330648722, -0.0011927539128682844, 0.0005096695277647083, -0.00022315474701933431,
          9.945746895172845e-05, -4.4926269989531596e-05, 2.050752126905981e-05, -9.439716518261496e-06,
          4.3739333336270935e-06, -2.0372727056129075e-06, 9.551100668107427e-07, -4.5347654835017203e-07,
          2.1770959948798885e-07, -1.0162927990245485e-07, 4.2385269868664086e-08, -1.4236704139077898e-08,
          3.454765326663961e-09, -5.259350772485997e-10, 3.730062302122539e-11)  # fmt: skip
"""log Γ(2 + d) / d for -0.5 ≤ d ≤ 1.5, to 3.2e-17."""
_ABOVE = (22906393301.026546, 41891731554.91311, 34947470779.44544, 17581889681.347374, 5939836375.28029,
          1419327965.8590505, 245914518.28275353, 31121552.072405715, 2854542.348636957, 185021.7088520868,
          8042.466773623776, 210.45233222422775, 2.5066282746310007)  # fmt: skip
_BELOW = (0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0, 2637558.0, 357423.0,
          32670.0, 1925.0, 66.0, 1.0)  # fmt: skip
"""Lanczos's approximation: Γ(x) = w^(x-½)·e^-w·above(x) / below(x) with w = x + 5.5, to 4e-17."""


def _near_zero(x: Floats) -> Floats:
    """erf x for |x| ≤ 1."""
    return x + x * (x * x).polynomial(ERF)


def _tail(x: Floats) -> Floats:
    """erfc x for x ≥ ½, by e^-x² of x² in two parts."""
    x = x.at_most(28.0)
    head = first_bits(x)
    small = exponential(-(head * head), (head - x) * (head + x))
    return small * (((x - 3.0) / (x + 3.0)).polynomial(ERFC) / (1.0 + 2.0 * x))


def erf(x: Floats) -> Floats:
    size = x.size()
    return _near_zero(x).chosen(size < 1.0, (1.0 - _tail(size)).with_sign_of(x))


def erfc(x: Floats) -> Floats:
    size = x.size()
    tail = _tail(size)
    outside = (2.0 - tail).chosen(x < 0.0, tail)
    return (1.0 - _near_zero(x)).chosen(size < 0.75, outside)


def _near_two(x: Floats) -> tuple[Floats, Floats]:
    """For 0 < x ≤ 3.5: log Γ(x + n), and x·…·(x + n - 1), where x + n is 1.5 at least."""
    twice, once = x < 0.5, x < 1.5
    d = x.chosen(twice, (x - 1.0).chosen(once, x - 2.0))
    return d * d.polynomial(LGAMMA), (x * (1.0 + x)).chosen(twice, x.chosen(once, 1.0))


def _lanczos(x: Floats, high: Floats, rest: Floats) -> tuple[Floats, Floats, Floats]:
    """(x - ½)·log w in two parts, from log w in two parts, and above(x) / below(x), for x > 3.5."""
    inverse, y = 1.0 / x, x - 0.5
    ratio = inverse.polynomial(_ABOVE[::-1]) / inverse.polynomial(_BELOW[::-1])
    head = first_bits(y)
    return head * high, (y - head) * high + y * rest, ratio


def gamma(x: Floats) -> Floats:
    small, product = _near_two(x)
    w = x + 5.5
    lost = x - (w - 5.5)
    coarse, fine, ratio = _lanczos(x, *logarithm(w))
    exponent = coarse - w
    back = exponent - coarse
    error = (coarse - (exponent - back)) - (w + back)
    large = x > 3.5
    rest = (fine + error - lost * (6.0 / w)).chosen(large, 0.0)
    result = exponential(exponent.chosen(large, small), rest)
    return (result * ratio).chosen(large, result / product)


def gamma_rare(x: Floats) -> Mask:
    return x.size().is_not_below(171.0) | (x < 2.0**-1000)


def lgamma(x: Floats) -> Floats:
    small, product = _near_two(x)
    large = x > 3.5
    high, rest = logarithm((x + 5.5).chosen(large, product))
    coarse, fine, ratio = _lanczos(x, high - 1.0, rest)
    return (coarse + (fine + (log(ratio) - 6.0))).chosen(large, (small - high) - rest)


def lgamma_rare(x: Floats) -> Mask:
    return x.size().is_not_below(2.0**1000) | (x < 2.0**-1000)
