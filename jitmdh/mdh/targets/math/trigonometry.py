"""Sines, tangents and their inverses on vectors. Angles above 2²⁰ are rare, and the library's."""

from __future__ import annotations

from jitmdh.mdh.targets.math.elementary import beyond
from jitmdh.mdh.targets.math.lanes import Bits, Floats, Mask

LARGEST = 2.0**20
"""Up to here an angle is reduced by π/2 in three parts; products of whole numbers with the first two are exact."""
_HALF_PI = (float.fromhex("0x1.921fb544p+0"), float.fromhex("0x1.0b4611a6p-34"), float.fromhex("0x1.3198a2e037073p-69"))
_PI, _SQRT_2 = 3.141592653589793, 1.4142135623730951  # a program may have replaced those of `math`
_LOW = float.fromhex("0x1.1a62633145c07p-54")  # π/2 - the double next to it

SIN = (-0.16666666666666666, 0.008333333333330936, -0.00019841269836740532, 2.7557316093198404e-06,
       -2.5051129896450185e-08, 1.5917988979397435e-10)  # fmt: skip
"""(sin r - r) / r³ as a function of r², for |r| ≤ π/4, to 2.1e-17."""
COS = (0.041666666666666664, -0.0013888888888887389, 2.48015872987544e-05, -2.755731726587808e-07,
       2.087614504941318e-09, -1.138254464534925e-11)  # fmt: skip
"""(cos r - 1 + r²/2) / r⁴ as a function of r², to 1.3e-18."""
SIN_BRIEF = (-0.16666666663844049, 0.008333331870341349, -0.00019840084376422702, 2.724962008007533e-06)
"""The same as SIN, to 2.9e-11."""
COS_BRIEF = (0.041666666664311826, -0.0013888887668370663, 2.480059840835012e-05, -2.730070403808665e-07)
"""The same as COS, to 2.4e-12."""
ATAN = (-0.3333333333333333, 0.19999999999999804, -0.14285714285659828, 0.11111111105155447, -0.09090908753500877,
        0.07692296375032143, -0.06666424885738255, 0.05878928997834775, -0.05230454270650244, 0.04551593220626549,
        -0.034570561981427744, 0.016285756855221028)  # fmt: skip
"""(arctan z - z) / z³ as a function of z², for |z| ≤ √2 - 1, to 1.2e-18."""
ASIN = (0.16666666666666669, 0.07499999999998433, 0.04464285714635543, 0.030381944138531247, 0.02237217294214989,
        0.017352392720869973, 0.013971212973552933, 0.011479177415184906, 0.01032281435018578, 0.005457506718640358,
        0.01740087944269402, -0.014851887071247204, 0.028757851367421566)  # fmt: skip
"""(arcsin a - a) / a³ as a function of a², for |a| ≤ ½, to 1.5e-17."""


def _reduced(x: Floats) -> tuple[Floats, Floats, Bits]:
    """r, what is missing from it, and n with x = r + n·π/2, |r| ≤ π/4."""
    magic = 1.5 * 2.0**52
    shifted = x.fused(2 / _PI, magic)
    whole, n = shifted - magic, shifted.as_bits()
    coarse = x - whole * _HALF_PI[0]
    middle = whole * _HALF_PI[1]
    r = coarse - middle
    back = r - coarse
    error = (coarse - (r - back)) - (middle + back)
    fine = whole * _HALF_PI[2]
    result = r - fine
    return result, (r - result) - fine + error, n


def _sine(r: Floats, rest: Floats) -> Floats:
    """sin(r + rest)."""
    square = r * r
    return r + (square * r).fused(square.polynomial(SIN), rest)


def _cosine(r: Floats, rest: Floats, closely: bool = False) -> Floats:
    """cos(r + rest); closely: with what the square of r has rounded away, too."""
    square = r * r
    half = 0.5 * square
    coarse = 1.0 - half
    lost = (1.0 - coarse) - half
    if closely:
        high = (r.as_bits() & -(1 << 27)).as_floats()
        low = r - high
        lost = lost - 0.5 * ((((high * high) - square) + 2.0 * (high * low)) + low * low)
    return coarse + (lost + (square * square).fused(square.polynomial(COS), -(r * rest)))


def _turned(x: Floats, quarter_turns: Bits | int) -> Floats:
    """sin(x + quarter_turns·π/2)."""
    r, rest, n = _reduced(x)
    n = n + quarter_turns
    value = _cosine(r, rest).chosen((n & 1).is_nonzero(), _sine(r, rest))
    return (value.as_bits() ^ ((n & 2) << 62)).as_floats()


def _turned_briefly(x: Floats, quarter_turns: int) -> Floats:
    """The same with as many digits as float32 keeps."""
    magic = 1.5 * 2.0**52
    shifted = x.fused(2 / _PI, magic)
    whole, n = shifted - magic, shifted.as_bits() + quarter_turns
    r = ((x - whole * _HALF_PI[0]) - whole * _HALF_PI[1]) - whole * _HALF_PI[2]
    square = r * r
    sine = (square * r).fused(square.polynomial(SIN_BRIEF), r)
    cosine = (square * square).fused(square.polynomial(COS_BRIEF), 1.0 - 0.5 * square)
    value = cosine.chosen((n & 1).is_nonzero(), sine)
    return (value.as_bits() ^ ((n & 2) << 62)).as_floats()


def sin_briefly(x: Floats) -> Floats:
    return x.chosen(x.size() < 2.0**-27, _turned_briefly(x, 0))


def cos_briefly(x: Floats) -> Floats:
    return _turned_briefly(x, 1)


def sin(x: Floats) -> Floats:
    return x.chosen(x.size() < 2.0**-27, _turned(x, 0))


def cos(x: Floats) -> Floats:
    return _turned(x, 1)


def sin_or_cos(x: Floats, quarter_turns: Bits) -> Floats:
    """The sine in lanes of no quarter turns, the cosine in those of one."""
    value = _turned(x, quarter_turns)
    return value.chosen(quarter_turns.is_nonzero(), x.chosen(x.size() < 2.0**-27, value))


def sin_rare(x: Floats) -> Mask:
    return x.size().is_not_below(LARGEST)


cos_rare = tan_rare = sin_rare


def tan(x: Floats) -> Floats:
    r, rest, n = _reduced(x)
    sine, cosine = _sine(r, rest), _cosine(r, rest, closely=True)
    odd = (n & 1).is_nonzero()
    above = (-cosine).chosen(odd, sine)
    below = sine.chosen(odd, cosine)
    return x.chosen(x.size() < 2.0**-27, above / below)


def _arctan(z: Floats) -> Floats:
    """What arctan z is more than z, for |z| ≤ √2 - 1."""
    square = z * z
    return (square * z) * square.polynomial(ATAN)


def _first_octants(above: Floats, below: Floats) -> tuple[Floats, Floats]:
    """arctan(above / below) for 0 ≤ above ≤ below as a sum of two."""
    steep = above > below * (_SQRT_2 - 1)
    z = (above - below).chosen(steep, above) / (above + below).chosen(steep, below)
    base = above.constant(_PI / 4).chosen(steep, 0.0)
    return base, z + (_arctan(z) + above.constant(_LOW / 2).chosen(steep, 0.0))


def arctan(x: Floats) -> Floats:
    size = x.size()
    inverted = size > 1.0
    one = x.constant(1.0)
    base, rest = _first_octants(one.chosen(inverted, size), size.chosen(inverted, one))
    complement = (_PI / 2 - base) - (rest - _LOW)
    return complement.chosen(inverted, base + rest).with_sign_of(x)


def arctan2(y: Floats, x: Floats) -> Floats:
    """For finite operands that are not both zero (and whose quotient is no subnormal number)."""
    high, across = y.size(), x.size()
    inverted = high > across
    base, rest = _first_octants(across.chosen(inverted, high), high.chosen(inverted, across))
    right = ((_PI / 2 - base) - (rest - _LOW)).chosen(inverted, base + rest)
    left = (_PI - right) + 2 * _LOW
    return left.chosen(x < 0.0, right).with_sign_of(y)


def arctan2_rare(y: Floats, x: Floats) -> Mask:
    """Zeros, infinities, NaN, and what may lose bits on the way."""
    return beyond(y, 2.0**-500, 2.0**500) | beyond(x, 2.0**-500, 2.0**500)


def _arcsin(a: Floats) -> Floats:
    """What arcsin a is more than a, for 0 ≤ a ≤ ½."""
    square = a * a
    return (square * a) * square.polynomial(ASIN)


def _folded(x: Floats) -> tuple[Floats, Floats]:
    """a and arcsin a - a, where a is |x| up to ½ and √((1 - |x|)/2) above."""
    size = x.size()
    a = (0.5 - 0.5 * size).root().chosen(size > 0.5, size)
    return a, _arcsin(a)


def arcsin(x: Floats) -> Floats:
    a, more = _folded(x)
    complement = _PI / 2 - (2.0 * a - (_LOW - 2.0 * more))
    return complement.chosen(x.size() > 0.5, a + more).with_sign_of(x)


def arccos(x: Floats) -> Floats:
    a, more = _folded(x)
    signed, signed_more = a.with_sign_of(x), more.with_sign_of(x)
    middle = _PI / 2 - (signed - (_LOW - signed_more))
    near_one = 2.0 * (a + more)
    outer = (_PI - (near_one - 2 * _LOW)).chosen(x < 0.0, near_one)
    return outer.chosen(x.size() > 0.5, middle)
