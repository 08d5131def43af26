"""Exponentials, logarithms and what is made of them, on vectors: reduction of the argument, a polynomial, and back.

The polynomials interpolate at Chebyshev nodes of the reduced interval, with the errors stated (found with 150 digits).
The errors of the functions are in docs/numerics.md. All take special values and subnormal numbers; none has a
branch.
"""

from __future__ import annotations

import math

from jitmdh.mdh.targets.math.lanes import Bits, Floats, Mask

LOG2_E = math.log2(math.e)
# Constants in two parts, the first of few bits: whole numbers that are exponents times it are exact.
LN2_64 = (float.fromhex("0x1.62e42fefp-1"), float.fromhex("0x1.473de6af278edp-34"))
_LN2_32 = (float.fromhex("0x1.62e4p-1"), float.fromhex("0x1.7f7d1cf79abcap-20"))
_LOG2_E = (float.fromhex("0x1.71547652p+0"), float.fromhex("0x1.705fc2eefa2p-33"))
_LOG10_E = (float.fromhex("0x1.bcb7b152p-2"), float.fromhex("0x1.b9438ca9aadd5p-36"))
_LOG10_2 = (float.fromhex("0x1.34413509f6p-2"), float.fromhex("0x1.9fef311f12b36p-42"))
# Added to a number and taken away again, these round it; the sum's last bits are the whole number.
_ROUNDING = {32: 1.5 * 2.0**23, 64: 1.5 * 2.0**52}
_MANTISSA = {32: 23, 64: 52}
_BIAS = {32: 127, 64: 1023}

EXP_64 = (0.5000000000000001, 0.16666666666666669, 0.04166666666662394, 0.008333333333330048, 0.0013888888917307917,
          0.0001984126986312606, 2.4801521149665677e-05, 2.7557268347499137e-06, 2.762015799025116e-07,
          2.510043897623718e-08)  # fmt: skip
"""(eʳ - 1 - r) / r² for |r| ≤ ln 2 / 2, to 1.1e-16."""
EXP_32 = (0.5, 0.16666576790880372, 0.04166655436883705, 0.008363212139853768, 0.0013926224919029522)
"""The same, to 6.6e-8."""
LOG_64 = (0.666666666666667, 0.39999999999899505, 0.28571428625975487, 0.2222221113479508, 0.18182889125261723,
          0.15331721600556042, 0.14616449685043406)  # fmt: skip
"""(log((1+s)/(1-s)) - 2s) / s³ as a function of s², for √½ ≤ (1+s)/(1-s) ≤ √2, to 3.1e-16."""
LOG_32 = (0.33333331180030046, -0.24999996957950882, 0.200007157488921, -0.16667802319501254, 0.1424905764569748,
          -0.12425687331451106, 0.1168541992348674, -0.11479733846637635, 0.06971611471451178)  # fmt: skip
"""(log(1+f) - f + f²/2) / f³ for √½ ≤ 1+f ≤ √2, to 2.9e-8."""
CBRT = (0.4233077964235478, 1.0479306955437162, -0.8201573094839348, 0.4955390366404781, -0.172186919831943,
        0.02556608271860522)  # fmt: skip
"""The cube root of √½ ≤ m ≤ √2, to 1.8e-6."""
_CBRT_2 = 1.2599210498948732
TANH_32 = (-0.33333328940217805, 0.1333276934202809, -0.05385084952031017, 0.020996894037127373, -0.0060962995228861)
"""(tanh x - x) / x³ as a function of x², for |x| ≤ 0.625, to 4.4e-8."""


def powers_of_two(n: Bits) -> tuple[Floats, Floats]:
    """Two powers of two whose product is 2ⁿ: one alone need not exist. |n| may be up to twice the greatest exponent."""
    bits, half = n.bits, n >> 1
    shift, bias = _MANTISSA[bits], _BIAS[bits]
    return ((half + bias) << shift).as_floats(), (((n - half) + bias) << shift).as_floats()


def whole_number(x: Floats, factor: float) -> tuple[Floats, Bits]:
    """The whole number next to `x·factor`, as float and as integer."""
    shifted = x.fused(factor, _ROUNDING[x.bits])
    whole = shifted - _ROUNDING[x.bits]
    return whole, shifted.as_bits() - x.constant(_ROUNDING[x.bits]).as_bits()


def _reduced(x: Floats) -> tuple[Floats, Bits]:
    """r and n with x = r + n·ln 2, |r| ≤ ln 2 / 2."""
    high, low = LN2_64 if x.bits == 64 else _LN2_32
    whole, n = whole_number(x, LOG2_E)
    return whole.fused(-low, whole.fused(-high, x)), n


def _exp_of_reduced(r: Floats, n: Bits) -> Floats:
    """eʳ·2ⁿ."""
    above = (r * r).fused(r.polynomial(EXP_64 if r.bits == 64 else EXP_32), r)
    first, second = powers_of_two(n)
    return (1.0 + above) * first * second


def exp(x: Floats) -> Floats:
    low, high = (-746.0, 710.0) if x.bits == 64 else (-104.0, 89.0)
    return _exp_of_reduced(*_reduced(x.at_most(high).at_least(low)))


def exp2(x: Floats) -> Floats:
    low, high = (-1076.0, 1025.0) if x.bits == 64 else (-151.0, 129.0)
    x = x.at_most(high).at_least(low)
    whole, n = whole_number(x, 1.0)
    rest = x - whole
    parts = LN2_64 if x.bits == 64 else _LN2_32
    return _exp_of_reduced(rest.fused(parts[0], rest * parts[1]), n)


def expm1(x: Floats) -> Floats:
    """Up to 45 as for less, from there on eˣ."""
    return x.chosen(x.size() < 2.0**-54, exp(x).chosen(x > 44.0, _expm1_up_to_45(x)))


def _expm1_up_to_45(x: Floats) -> Floats:
    """(2ⁿ - 1 + 2ⁿr) + 2ⁿ(eʳ - 1 - r): the first sum, with what it and the reduction have rounded away."""
    clamped = x.at_most(45.0).at_least(-45.0)
    high, low = LN2_64
    whole, n = whole_number(clamped, LOG2_E)
    coarse, fine = whole.fused(-high, clamped), whole * low
    r = coarse - fine
    lost = (coarse - r) - fine
    more = (r * r).fused(r.polynomial(EXP_64), r.fused(lost, lost))
    scale = ((n + _BIAS[64]) << _MANTISSA[64]).as_floats()
    base, step = scale - 1.0, scale * r
    sum = base + step
    return sum + (more.fused(scale, step - (sum - base)))


def split(x: Floats) -> tuple[Floats, Floats]:
    """k and m with x = 2ᵏ·m, √½ ≤ m < √2, for positive finite x, subnormal ones too."""
    bits, shift = x.bits, _MANTISSA[x.bits]
    subnormal = x < (2.0**-1022 if bits == 64 else 2.0**-126)
    lifted = (x * 2.0 ** (shift + 2)).chosen(subnormal, x)
    pattern = lifted.as_bits()
    distance = pattern - x.constant(math.sqrt(0.5)).as_bits()
    exponent = distance >> shift
    mantissa = (pattern - (exponent << shift)).as_floats()
    k = exponent.to_floats()
    return (k - (shift + 2.0)).chosen(subnormal, k), mantissa


def _special(result: Floats, x: Floats) -> Floats:
    """Logarithms where `x` is not positive and finite."""
    result = x.chosen(x.is_equal(math.inf) | x.is_nan(), result)
    result = x.constant(-math.inf).chosen(x.is_equal(0.0), result)
    return x.constant(math.nan).chosen(x < 0.0, result)


def _series(f: Floats) -> tuple[Floats, Floats]:
    """(f²/2, t) with log(1 + f) = f - (f²/2 - t)."""
    half_square = 0.5 * f * f
    s = f / (2.0 + f)
    square = s * s
    return half_square, s * (half_square + square * square.polynomial(LOG_64))


def log(x: Floats) -> Floats:
    k, m = split(x)
    f = m - 1.0
    if x.bits == 32:
        high, low = _LN2_32
        square = f * f
        rest = k.fused(low, square.fused(-0.5, (square * f) * f.polynomial(LOG_32)))
        return _special(k.fused(high, rest + f), x)
    high, low = LN2_64
    half_square, rest = _series(f)
    return _special(k.fused(high, f - (half_square - k.fused(low, rest))), x)


def log1p(x: Floats) -> Floats:
    """log(1 + x) of the rounded sum u, and (1 + x - u)/u more."""
    u = 1.0 + x
    k, m = split(u)
    rounded = (x - (u - 1.0)).chosen(x < 1.0, 1.0 - (u - x)) / u
    high, low = LN2_64
    f = m - 1.0
    half_square, rest = _series(f)
    result = k * high - ((half_square - (rest + k.fused(low, rounded))) - f)
    return x.chosen(x.size() < 2.0**-54, _special(result, u))


def _scaled_log(x: Floats, per_e: tuple[float, float], per_2: tuple[float, float]) -> Floats:
    """log x · per_e, with log 2 · per_e = per_2; constants in two parts, the first of few bits."""
    k, m = split(x)
    f = m - 1.0
    half_square, rest = _series(f)
    high = ((f - half_square).as_bits() & -(1 << 32)).as_floats()
    low = ((f - high) - half_square) + rest
    large = high * per_e[0]
    whole = k * per_2[0]
    total = whole + large
    small = (whole - total) + large + (low * per_e[0] + (low + high) * per_e[1]) + k * per_2[1]
    return _special(total + small, x)


def log2(x: Floats) -> Floats:
    return _scaled_log(x, _LOG2_E, (1.0, 0.0))


def log10(x: Floats) -> Floats:
    return _scaled_log(x, _LOG10_E, _LOG10_2)


def tanh(x: Floats) -> Floats:
    """t / (t + 2) with t = e^(2|x|) - 1; where that is large, 1 - 2 / (t + 2)."""
    size = x.size()
    t = _expm1_up_to_45(2.0 * size)
    large = size > 0.7
    below = t + 2.0
    quotient = x.constant(2.0).chosen(large, t) / below
    # The sum has rounded away `lost`; 1 / below is (1 - quotient) / 2.
    lost = t - (below - 2.0)
    corrected = quotient - (quotient * lost) * (0.5 - 0.5 * quotient)
    return (1.0 - quotient).chosen(large, corrected).with_sign_of(x)


def sinh(x: Floats) -> Floats:
    """(t + t / (t + 1)) / 2 with t = e^|x| - 1; for large arguments half of e^|x|."""
    size = x.size()
    t = _expm1_up_to_45(size)
    below = t + 1.0
    quotient = t / below
    lost = t - (below - 1.0)  # 1 / below is 1 - quotient
    corrected = quotient - (quotient * lost) * (1.0 - quotient)
    return _half_exp(size).chosen(size > 20.0, 0.5 * (t + corrected)).with_sign_of(x)


def cosh(x: Floats) -> Floats:
    half = _half_exp(x.size())
    return half + 0.25 / half


def arcsinh(x: Floats) -> Floats:
    """log(|x| + √(x² + 1)) by log1p, which keeps the digits of small x; log 2|x| where x² might overflow."""
    size = x.size()
    square = size * size
    near = log1p(size + square / (1.0 + (1.0 + square).root()))
    far = log(size) + math.log(2)
    return far.chosen(size > 2.0**28, near).with_sign_of(x)


def arccosh(x: Floats) -> Floats:
    """log(x + √(x² - 1)) by log1p of t + √(2t + t²), t = x - 1; log 2x where x² might overflow."""
    t = x - 1.0
    near = log1p(t + (t * (2.0 + t)).root())
    far = log(x) + math.log(2)
    return far.chosen(x > 2.0**28, near.chosen(x >= 1.0, math.nan))


def arctanh(x: Floats) -> Floats:
    """½ log((1+x)/(1-x)) as ½ log(1 + 2x/(1-x)), which keeps the digits of small x."""
    size = x.size()
    return (0.5 * log1p((size + size) / (1.0 - size))).with_sign_of(x)


def _half_exp(x: Floats) -> Floats:
    """eˣ / 2 for x ≥ 0, also where eˣ alone would overflow."""
    r, n = _reduced(x.at_most(712.0))
    return _exp_of_reduced(r, n - 1)


def tanh_32(x: Floats) -> Floats:
    """1 - 2 / (e^(2|x|) + 1); near 0 a polynomial."""
    size = x.size()
    large = 1.0 - 2.0 / (exp(2.0 * size.at_most(10.0)) + 1.0)
    square = size * size
    small = (square * size).fused(square.polynomial(TANH_32), size)
    return small.chosen(size < 0.625, large).with_sign_of(x)


exp_32, exp2_32, log_32 = exp, exp2, log


def cbrt(x: Floats) -> Floats:
    """2ⁿ·t with t³ = 2ᵏ⁻³ⁿ·m: a polynomial, then a step of Halley's method, in which t² is exact."""
    size = x.size()
    k, m = split(size)
    third, n = whole_number(k, 1 / 3)
    left = k - 3.0 * third
    up, down = left > 0.5, left < -0.5
    reduced = m * x.constant(2.0).chosen(up, x.constant(0.5).chosen(down, 1.0))
    root = x.constant(_CBRT_2).chosen(up, x.constant(1 / _CBRT_2).chosen(down, 1.0))
    t = ((m.polynomial(CBRT) * root).as_bits() & -(1 << 27)).as_floats()
    quotient = reduced / (t * t)
    t = t + t * ((quotient - t) / (t + t + quotient))
    result = (t * ((n + _BIAS[64]) << _MANTISSA[64]).as_floats()).with_sign_of(x)
    return x.chosen(size.is_equal(0.0) | size.is_not_below(math.inf), result)


def hypot(x: Floats, y: Floats) -> Floats:
    return x.fused(x, y * y).root()


def hypot_rare(x: Floats, y: Floats) -> Mask:
    """Squares that overflow, or that are too small to count where they should."""
    larger = x.size().chosen(x.size() > y.size(), y.size())
    return beyond(larger, 2.0**-500, 2.0**500) | x.is_nan() | y.is_nan()


def beyond(x: Floats, least: float, most: float) -> Mask:
    size = x.size()
    return size.is_not_below(most) | (size < least)
