"""Functions of whole numbers, as the loops that they are: those of `math`; and quotients with what is left."""

from numpy import floor_divide, remainder

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import are_whole, refuse

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
