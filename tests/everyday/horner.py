"""A polynomial, over its coefficients in reverse."""


def program(coefficients, x):
    s = 0.0
    for a in coefficients[::-1]:
        s = s * x + a
    return s


def arguments(rng):
    return (rng.random(7), 1.5)
