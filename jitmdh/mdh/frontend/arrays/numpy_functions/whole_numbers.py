"""Functions of whole numbers, as the loops that they are: those of `math`; and quotients with what is left."""

from numpy import copysign, empty_like, floor_divide, isinf, ndim, remainder, trunc
from numpy import where as choose_

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import are_whole, is_inexact, is_whole, refuse

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def _quotients(x1, x2):
    return floor_divide(x1, x2), remainder(x1, x2)


def gcd(a, b):
    if not are_whole(a, b):
        refuse("math.gcd of other numbers than integers: Python raises a TypeError")
    one, other = int(a), int(b)  # with their signs: 64 bits do not hold the magnitude of the least integer
    while other != 0:
        one, other = other, one % other
    return abs(one)


def lcm(a, b):
    if not are_whole(a, b):
        refuse("math.lcm of other numbers than integers: Python raises a TypeError")
    common = gcd(a, b)
    return abs(int(a)) // common * abs(int(b)) if common != 0 else 0


def _divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return abs(a)


def _multiple(a, b):
    common = _divisor(a, b)
    return abs(a) // common * abs(b) if common != 0 else common


def _divisors(x1, x2):
    return _of_each(_divisor, x1, x2)


def _multiples(x1, x2):
    return _of_each(_multiple, x1, x2)


def _of_each(function, x1, x2):
    one, other = choose_(True, x1, x2), choose_(False, x1, x2)  # broadcast, and of one type
    if not is_whole(one.dtype):
        refuse("a divisor or a multiple of other numbers than integers, or of uint64 and signed ones")
    if ndim(one) == 0:
        return function(one, other)
    first, second = one.ravel(), other.ravel()
    out = empty_like(first)
    for i in range(first.shape[0]):
        out[i] = function(first[i], second[i])
    return out.reshape(one.shape)


def _parts(x):
    x = x if is_inexact(x.dtype) else x.astype(float)
    whole = trunc(x)
    return copysign(choose_(isinf(x), 0, x - whole), x), whole
